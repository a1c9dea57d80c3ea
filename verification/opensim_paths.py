"""Lengths and moment arms of whole OpenSim models, pose by pose, against OpenSim itself.

The models are arm26, gait10dof18musc, Rajagopal2016 and MoBL-ARMS 4.1, from the folder
FIBERMSK_MODELS; OpenSim runs in its own interpreter. From the start pose, straight lines of poses
lead to random poses within the declared ranges and, one coordinate at a time, to both of its ends.
At every pose each muscle has the length L, and moment arms r about all free coordinates that move
it; coupled coordinates follow, for both programs.

OpenSim is the reference where it is consistent with itself, which is judged by its own numbers:

- its moment arm equals its own -dL/dq, by central differences of 10 urad or um, to 1e-6;
- its length does not jump on the line that ends at the pose: a change that differs from its moment
  arms by more than 0.1 mm is halved 24 times, and more than 1e-6 m may not remain;
- its path is one that a taut string can have: no free line, and no arc whose length it takes to be
  that of its chord, enters a surface of the muscle by more than 1e-6 m, and no shorter path is
  known that stays outside all of them. The shorter one is that of the package; that it stays
  outside is seen at 65 points of it.

Where it is consistent, lengths and moment arms must agree to 1e-6 m. The other poses are listed by
muscle, with the first reason. The tolerance is that of OpenSim's own iterations and differences.

One definition differs, and such poses are listed apart, found by the package's own path: a path
here keeps its winding from pose to pose, also beyond half a turn about the axis; OpenSim chooses
the side anew in each pose. Poses without a taut path here are listed too.
"""

import os
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from _peers import ask_opensim

import fibermsk as fm
from fibermsk.errors import PathError
from fibermsk.kernels.lines.path_arrays import CYLINDER
from fibermsk.system.lines.chained import sections_of
from fibermsk.system.lines.paths import LinePaths
from fibermsk.system.lines.sides import height_of
from fibermsk.system.skeleton.free import free_model
from fibermsk.system.skeleton.skeleton import Skeleton
from fibermsk.verify import Expected, Unavailable

MODELS = {
    "arm26": "opensim-models/arm26.osim",
    "gait10dof18musc": "opensim-models/gait10dof18musc.osim",
    "Rajagopal2016": "opensim-models/Rajagopal2016.osim",
    "MoBL-ARMS": "MoBL-ARMS_noncommercial/MOBL_ARMS_41.osim",
}
H, CLOSE = 1e-5, 1e-6
SHORTER = 1e-10
"""Length [m] by which a path is shorter beyond doubt: 1e4 times its rounding."""
ROUNDED = 1e-9
"""Excess of an arc over its chord, of the chord, that is rounding."""
STEPS = 4
"""Poses of a line after its start."""
HANGS = 3000.0
"""Seconds after which OpenSim hangs."""
ARM, JUMP = "its moment arm is not -dL/dq", "its length jumps"
CUTS = "its path enters a surface"
LONGER = "a shorter path exists"
WOUND = "wound by more than half a turn here"
REFUSED = "no taut path here"
DIFFERS = "differs"
INCONSISTENT = (ARM, JUMP, CUTS, LONGER)


class Ours:
    """Paths of a model, each on its own, so that one without a solution leaves the others."""

    def __init__(self, file: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model = free_model(fm.read_osim(file))
        self.skeleton = Skeleton(self.model)
        self.paths = {m.name: LinePaths(self.skeleton, [m]) for m in self.model.muscles}
        self.moved = {name: one.moved_by(0) for name, one in self.paths.items()}
        self.start = {name: one.branches.memory() for name, one in self.paths.items()}

    def back(self) -> None:
        """Forget the windings of the last line."""
        for name, one in self.paths.items():
            one.restore(self.start[name])

    def at(self, q: np.ndarray) -> dict:
        """Placed path of every muscle, or the error."""
        rest, found = np.zeros(q.size), {}
        motion = self.skeleton.evaluate(q, rest, rest)
        for name, one in self.paths.items():
            try:
                found[name] = one.place(motion, q, rest)
                one.branches.follow(found[name].state)
            except PathError as error:
                found[name] = error
        return found

    def line_points(self, name: str, q: np.ndarray, placed) -> np.ndarray:
        """65 points of a path [m]."""
        rest = np.zeros(q.size)
        at = type("At", (), {"motion": self.skeleton.evaluate(q, rest, rest), "q": q, "p": rest})
        return self.paths[name].along(at, placed, 0, np.linspace(0.0, 1.0, 65))


def lines(ours: Ours, n_random: int, seed: int) -> list[np.ndarray]:
    """Lines of poses (STEPS + 1, n) from the start pose."""
    skeleton, start = ours.skeleton, ours.skeleton.start
    random, ends = np.random.default_rng(seed), {}
    for k, name in enumerate(skeleton.independent):
        one = ours.model.coordinate(name)
        if one.lower is not None and one.upper is not None and one.prescribed is None:
            reach = 0.5 if one.upper - one.lower > 2.0 * np.pi else np.inf
            ends[k] = max(one.lower, start[k] - reach), min(one.upper, start[k] + reach)
    moving = {k for own in ours.moved.values() for *_, k in own}
    goals = []
    for _ in range(n_random):
        goal = start.copy()
        for k, (low, high) in ends.items():
            goal[k] = random.uniform(low, high)
        goals.append(goal)
    for k in sorted(moving & set(ends)):
        for end in ends[k]:
            goal = start.copy()
            goal[k] = end
            goals.append(goal)
    share = np.linspace(0.0, 1.0, STEPS + 1)[:, None]
    return [start + share * (goal - start) for goal in goals]


def poses_of(ours: Ours, line: np.ndarray) -> list[dict]:
    """Values of all coordinates at the poses of a line, and with each free one moved by +-H."""
    skeleton = ours.skeleton
    columns = sorted({k for own in ours.moved.values() for *_, k in own})
    found = []
    for q in line:
        moved = {}
        for k in columns:
            step = np.zeros(q.size)
            step[k] = H
            moved[skeleton.independent[k]] = [skeleton.values(q + step), skeleton.values(q - step)]
        found.append({"values": skeleton.values(q), "moved": moved})
    return found


def file_of(model: str) -> Path:
    """File of a model."""
    file = Path(os.environ.get("FIBERMSK_MODELS", "")) / MODELS[model]
    if not os.environ.get("FIBERMSK_MODELS") or not file.exists():
        raise Unavailable(f"no {file}: set FIBERMSK_MODELS to the folder of published models")
    return file


def theirs(file: Path, ours: Ours, all_lines: list[np.ndarray]) -> dict:
    """Answer of OpenSim."""
    task = {
        "model": str(file),
        "h": H,
        "muscles": {name: [c for c, *_ in own] for name, own in ours.moved.items()},
        "lines": [poses_of(ours, line) for line in all_lines],
    }
    return ask_opensim("_opensim_paths.py", task, HANGS)


def entered(paths: LinePaths, placed, points: np.ndarray, lines: np.ndarray) -> float:
    """How deep free lines (n, 2 ends) enter a surface [m].

    Lines with an end inside a surface do not count there.
    """
    arrays, state, worst = paths.arrays, placed.state, 0.0
    share = np.linspace(0.0, 1.0, 65)[:, None]
    wraps = [wrap for wrap in paths.muscles[0].wraps if wrap.shape.active]
    for w, wrap in enumerate(wraps):
        for a, b in lines:
            x = (points[a] + share * (points[b] - points[a]) - state.p[w]) @ state.R[w]
            height = np.array([height_of(arrays, w, one, wrap.shape) for one in x])
            height[np.abs(x[:, 2]) > arrays.half[w]] = np.inf
            if min(height[0], height[-1]) > -CLOSE:
                worst = max(worst, -height.min())
    return worst


def judge(ours: Ours, name: str, q: np.ndarray, placed, their: dict) -> tuple[str, str, float]:
    """Kind of a pose, coordinate, and the largest difference [m]; the kind is empty if all is well.

    The inconsistencies of OpenSim come first, then whether both agree.
    """
    arms = {c: (their["arm"][c], their["slope"][c]) for c in their["arm"]}
    apart = {c: abs(arm - slope) for c, (arm, slope) in arms.items()}
    worst = max(apart, key=apart.get, default="")
    if worst and not apart[worst] <= CLOSE:
        return ARM, worst, apart[worst]
    points, arcs = np.array(their["points"]), their["arcs"]
    straight, arc = [], False
    for k in range(len(points) - 1):
        arc = arcs[k] is not None and arcs[k + 1] is not None and not arc
        chord = float(np.linalg.norm(points[k + 1] - points[k]))
        if not arc or arcs[k + 1] < (1.0 + ROUNDED) * chord:
            straight.append((k, k + 1))
    if isinstance(placed, Exception):
        return REFUSED, "", 0.0
    kind = DIFFERS
    if wound(ours.paths[name], placed):
        kind = WOUND
    longer = their["length"] - placed.length[0]
    by_arm = {c: abs(arms[c][0] + placed.by_q[0, k]) for c, _, k in ours.moved[name]}
    worst = max(by_arm, key=by_arm.get, default="")
    most = max(abs(longer), by_arm.get(worst, 0.0))
    if most <= CLOSE:
        return "", "", most
    depth = entered(ours.paths[name], placed, points, np.array(straight))
    if depth > CLOSE:
        return CUTS, "", depth
    if longer > SHORTER:
        x = ours.line_points(name, q, placed)
        pieces = np.column_stack([np.arange(64), np.arange(1, 65)])
        own = entered(ours.paths[name], placed, x, pieces)
        if own < sag(x):
            return LONGER, "", longer
    return kind, worst if by_arm.get(worst, 0.0) > abs(longer) else "", most


def slopes_agree(moved: list, placed, their: dict) -> bool:
    """Whether length and moment arms are those of OpenSim's own lengths and their slopes."""
    if isinstance(placed, Exception):
        return False
    apart = [abs(their["slope"][c] + placed.by_q[0, k]) for c, _, k in moved]
    return max(abs(their["length"] - placed.length[0]), *apart) <= CLOSE


def wound(paths: LinePaths, placed) -> bool:
    """Whether a path winds about the axis of a cylinder by more than half a turn."""
    arrays, state = paths.arrays, placed.state
    for section in sections_of(arrays, state, 0):
        for w in section.wraps:
            slot = arrays.slot[w] + section.start - arrays.first[w]
            if arrays.kind[w] == CYLINDER and abs(state.reference[slot]) > np.pi:
                return True
    return False


def sag(x: np.ndarray) -> float:
    """How far a chord of a path (65, 3) lies below its arc, at most [m]."""
    bend = np.diff(x, 2, axis=0)
    return float(np.linalg.norm(bend, axis=1).max(initial=0.0)) + CLOSE


@cache
def compare(model: str, random_lines: int, seed: int) -> dict:
    """Counts and lists of a model."""
    file = file_of(model)
    ours = Ours(file)
    own_lines = lines(ours, random_lines, seed)
    answer = theirs(file, ours, own_lines)
    jumps = {(one["muscle"], one["line"], one["place"]): one for one in answer["jumps"]}
    found = {"muscles": len(ours.paths), "poses": 0, "consistent": 0, "agree": 0, "largest": 0.0}
    found["slopes_agree"] = 0
    kinds: dict[tuple, list] = {}
    number, seconds = 0, 0.0
    for k, line in enumerate(own_lines):
        ours.back()
        for place, q in enumerate(line):
            begin = time.perf_counter()
            placed = ours.at(q)
            seconds += time.perf_counter() - begin
            for name, their in answer["poses"][number].items():
                kind, coordinate, by = judge(ours, name, q, placed[name], their)
                jump = jumps.get((name, k, place))
                if jump is not None:
                    kind, by = JUMP, abs(jump["jump"])
                    coordinate = ", ".join(f"{c} = {v:.4f}" for c, v in jump["at"].items())
                    coordinate = coordinate if len(jump["at"]) == 1 else ""
                found["poses"] += 1
                if kind in ("", DIFFERS):
                    found["consistent"] += 1
                    found["largest"] = max(found["largest"], by)
                elif kind in INCONSISTENT:
                    found["slopes_agree"] += slopes_agree(ours.moved[name], placed[name], their)
                if not kind:
                    found["agree"] += 1
                else:
                    kinds.setdefault((name, kind), []).append((by, coordinate, q.tolist()))
            number += 1
    found["kinds"] = kinds
    found["ms_ours"] = 1e3 * seconds / number
    found["ms_opensim"] = 1e3 * answer["seconds"] / number
    return found


def check(model: str, random_lines: int, seed: int) -> None:
    """Refuse settings out of range."""
    if model not in MODELS:
        raise fm.ModelError(f"opensim_paths: model = {model!r}; must be one of {list(MODELS)}")
    if not 0 <= random_lines <= 1000:
        raise fm.ModelError(f"opensim_paths: random_lines = {random_lines}; must be 0 to 1000")
    if not 0 <= seed < 2**32:
        raise fm.ModelError(f"opensim_paths: seed = {seed}; must be 0 to 2^32 - 1")


def run(model: str = "arm26", random_lines: int = 6, seed: int = 1) -> dict[str, float]:
    """Compare one model where OpenSim is consistent with itself.

    Parameters
    ----------
    model : str
        "arm26", "gait10dof18musc", "Rajagopal2016" or "MoBL-ARMS".
    random_lines : int
        Lines to random poses, besides those to both ends of each coordinate.
    seed : int
        Seed of the random poses.
    """
    check(model, random_lines, seed)
    found = compare(model, random_lines, seed)
    return {
        "differing_poses": float(found["consistent"] - found["agree"]),
        "largest_m": float(found["largest"]),
    }


def expected(model: str = "arm26", random_lines: int = 6, seed: int = 1) -> dict[str, Expected]:
    """Agreement at every consistent pose."""
    check(model, random_lines, seed)
    poses = float(compare(model, random_lines, seed)["consistent"])
    opensim = {"kind": "independent", "source": "OpenSim where consistent with itself"}
    return {
        "differing_poses": Expected(0.0, 0.5, "a count of paths in poses", scale=poses, **opensim),
        "largest_m": Expected(0.0, CLOSE, "OpenSim's own iterations", scale=1.0, **opensim),
    }


def study(fine: bool = False) -> dict:
    """Tables of all models, and the list of what is inconsistent or differs.

    Parameters
    ----------
    fine : bool
        40 instead of 6 lines to random poses.
    """
    counts, listed, notes = [], [], []
    for model in MODELS:
        try:
            found = compare(model, 40 if fine else 6, 1)
        except Unavailable as missing:
            notes.append(f"{model}: {missing}")
            continue
        kinds = found["kinds"]
        number = {
            kind: sum(len(own) for (_, one), own in kinds.items() if one == kind)
            for kind in (*INCONSISTENT, WOUND, REFUSED, DIFFERS)
        }
        counts.append([
            model, found["muscles"], found["poses"], found["consistent"], found["largest"],
            sum(number[kind] for kind in INCONSISTENT), found["slopes_agree"],
            number[WOUND], number[REFUSED], number[DIFFERS], found["ms_ours"], found["ms_opensim"],
        ])  # fmt: skip
        for (name, kind), own in sorted(kinds.items(), key=lambda one: (one[0][1], one[0][0])):
            by, coordinate, _ = max(own, key=lambda one: one[0])
            listed.append([model, name, kind, len(own), by, coordinate])
    columns = [
        "model", "muscles", "paths", "consistent", "largest difference [m]", "inconsistent",
        "of these with our length and slope",
        WOUND, REFUSED, DIFFERS, "ms per pose", "ms per pose, OpenSim",
    ]  # fmt: skip
    return {
        "tables": {
            "Paths in poses": {"columns": columns, "rows": counts},
            "Not compared, or differing": {
                "columns": ["model", "muscle", "kind", "poses", "by at most", "at"],
                "rows": listed,
            },
        },
        "notes": notes,
    }
