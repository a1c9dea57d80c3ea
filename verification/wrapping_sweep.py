"""Wrapped paths over sweeps of a joint: jumps, and moment arms against slopes of the length.

A hinge about z turns the end of a path. It wraps around a cylinder, a sphere, an ellipsoid, the
inside of a torus, or an ellipsoid and then a cylinder, which are fixed to the ground and tilted;
all numbers are in `_wrapping_cases.py`. Poses are 1 mrad apart, and every path lifts off or touches
on the way; the taut path on the stated side of each surface is unique, there is no branch to change
to. The length L is continuous with its slope, the moment arm r = -dL/dq continuous. Counted are

- jumps in length: changes from pose to pose that differ by more than 2 um from the moment arms
  there, r dq; the true difference is below 0.2 um, the bend of L times dq^2 where a touch begins;
- jumps in moment arm: changes of more than 0.5 mm from pose to pose; the true ones are below 0.25
  mm (dr/dq is at most the distance of the end from the axis, 0.2 m);
- the largest mismatch between r and the slope of L by differences of fourth order with steps of
  0.1 mrad, without poses within 2 mrad of a touch, where r has a kink. In the exact solution the
  truncation is below 1e-11 m, and rounding of L, 1e-15 m, gives 1e-11 m.

For comparison the same paths by OpenSim (its classic wrap objects, and Scholz2015GeometryPath) and
MuJoCo (cylinder and sphere), by their own interpreters, where installed: opensim and mujoco beside
the package, or FIBERMSK_OPENSIM_PYTHON and FIBERMSK_MUJOCO_PYTHON. The largest difference in length
tells whether an engine takes another path; it is not by itself an error.
"""

import json
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from _peers import python_of
from _wrapping_cases import CASES, OFFSETS, STEP, H, poses
from scipy.spatial.transform import Rotation

import fibermsk as fm
from fibermsk.kernels.lines.taut.solve import TAUT, chain
from fibermsk.kernels.lines.taut.surfaces import CYLINDER, ELLIPSOID, SPHERE, TORUS
from fibermsk.verify import Expected

KINDS = {"cylinder": CYLINDER, "sphere": SPHERE, "ellipsoid": ELLIPSOID, "torus": TORUS}
ENGINES = {
    "opensim, classic": ("_wrapping_opensim.py", "classic"),
    "opensim, Scholz2015": ("_wrapping_opensim.py", "scholz2015"),
    "mujoco": ("_wrapping_mujoco.py", "tendon"),
}
WRAPS = {"mujoco": ("cylinder", "sphere")}
LENGTH_JUMP, ARM_JUMP = 2e-6, 5e-4  # m
STENCIL = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / (12.0 * H)
HANGS = 600.0
"""Seconds after which another program hangs."""


class WrappedPath:
    """The path of one case."""

    def __init__(self, case: str) -> None:
        data = CASES[case]
        surfaces = data["surfaces"]
        m = len(surfaces)
        self.start, self.end = np.array(data["start"]), np.array(data["end"])
        self.kind = np.array([KINDS[kind] for kind, *_ in surfaces])
        self.size = np.array([(radii * 3)[:3] for _, radii, *_ in surfaces])
        angles = [angles for *_, angles, _ in surfaces]
        self.R = Rotation.from_euler("XYZ", angles).as_matrix()
        self.p = np.array([center for _, _, center, *_ in surfaces])
        points = [one[2] if one[4] is None else one[4] for one in surfaces]
        self.hint = np.einsum("kcr,kc->kr", self.R, np.array(points) - self.p)
        self.hinted = np.ones(m, bool)
        self.foot, self.touches = np.zeros((m, 7)), np.zeros(m, np.int64)
        self.gradient, self.hessian = np.empty(6 + 6 * m), np.empty((6 + 6 * m, 6 + 6 * m))
        self.warm = False

    def at(self, q: float) -> tuple[float, float]:
        """Length and moment arm [m] at an angle [rad]."""
        c, s = np.cos(q), np.sin(q)
        x, y, z = self.end
        moved = np.array([c * x - s * y, s * x + c * y, z])
        status, length = chain(
            self.kind, self.size, self.R, self.p, self.start, moved, self.hint, self.hinted,
            self.foot, self.touches, self.warm, self.gradient, self.hessian,
        )  # fmt: skip
        if status != TAUT:
            raise fm.ConvergenceError(f"wrapping_sweep: no taut path at {q} rad, status {status}")
        self.warm = True
        return length, self.gradient[4] * -moved[0] + self.gradient[3] * moved[1]


def own(case: str, stride: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of angle, moment arm and lengths at `OFFSETS`; and which surfaces are touched there."""
    path = WrappedPath(case)
    rows, touched = [], []
    for q in poses(case, stride):
        found, sets = [], []
        for k in OFFSETS:
            found.append(path.at(q + k * H))
            sets.append(tuple(path.touches))
        rows.append([q, found[2][1], *(length for length, _ in found)])
        touched.append(sets)
    return np.array(rows), np.array(touched)


@cache
def other(engine: str, case: str, stride: int) -> np.ndarray | None:
    """Rows as those of `own` by another program; None where absent or without such a surface."""
    python = python_of(engine.split(",")[0])
    kinds = {kind for kind, *_ in CASES[case]["surfaces"]}
    if python is None or not kinds <= set(WRAPS.get(engine, KINDS)):
        return None
    script, method = ENGINES[engine]
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        command = [python, str(Path(__file__).with_name(script)), method, case, str(stride)]
        subprocess.run(
            [*command, str(answer)], cwd=folder, check=True, capture_output=True, timeout=HANGS
        )
        return np.array(json.loads(answer.read_text())["found"])


def numbers(rows: np.ndarray, smooth: np.ndarray) -> dict[str, float]:
    """Jumps and mismatch of a sweep; `smooth` are the poses away from a touch."""
    q, arm, length = rows[:, 0], rows[:, 1], rows[:, 4]
    near = np.diff(q) < 1.5 * STEP
    change = np.diff(length) + 0.5 * (arm[1:] + arm[:-1]) * np.diff(q)
    mismatch = np.abs(arm + rows[:, 2:] @ STENCIL)
    return {
        "length_jumps": float(np.sum(near & ~(np.abs(change) <= LENGTH_JUMP))),
        "arm_jumps": float(np.sum(near & ~(np.abs(np.diff(arm)) <= ARM_JUMP))),
        "largest_arm_step_mm": float(1e3 * np.abs(np.diff(arm))[near].max()),
        "mismatch_mm": float(1e3 * mismatch[smooth].max()),
    }


def smooth_poses(rows: np.ndarray, touched: np.ndarray) -> np.ndarray:
    """Poses more than 2 mrad away from a change of the touched surfaces."""
    changes = np.any(touched != touched[:, :1], axis=(1, 2))
    changes[1:] |= np.any(touched[1:, 2] != touched[:-1, 2], axis=1)
    at = rows[changes, 0]
    return np.all(np.abs(rows[:, :1] - at) > 2e-3, axis=1) if at.size else np.ones(len(rows), bool)


def check(case: str, stride: int) -> None:
    """Refuse settings out of range."""
    if case not in CASES:
        raise fm.ModelError(f"wrapping_sweep: case = {case!r}; must be one of {list(CASES)}")
    if not 1 <= stride <= 40:
        raise fm.ModelError(f"wrapping_sweep: stride = {stride}; must be 1 to 40")


def run(case: str = "ellipsoid", stride: int = 8) -> dict[str, float]:
    """Jumps and mismatch of the package's path.

    Parameters
    ----------
    case : str
        "cylinder", "sphere", "ellipsoid", "torus" or "ellipsoid, cylinder".
    stride : int
        Of each so many groups of ten adjacent poses one is examined; 1: all, 1,200 or more.
    """
    check(case, stride)
    rows, touched = own(case, stride)
    found = numbers(rows, smooth_poses(rows, touched))
    return {name: found[name] for name in ("length_jumps", "arm_jumps", "mismatch_mm")}


def expected(case: str = "ellipsoid", stride: int = 8) -> dict[str, Expected]:
    """No jump, and no mismatch."""
    check(case, stride)
    share = float(len(poses(case, stride)))
    return {
        "length_jumps": Expected(
            0.0,
            0.5,
            "a count: the path is continuous",
            kind="consistency",
            source="uniqueness",
            scale=share,
        ),
        "arm_jumps": Expected(
            0.0,
            0.5,
            "a count: the moment arm is continuous",
            kind="consistency",
            source="uniqueness",
            scale=share,
        ),
        "mismatch_mm": Expected(
            0.0, 1e-5, "1e-8 m", kind="consistency", source="r = -dL/dq", scale=1.0
        ),
    }


def study(fine: bool = False) -> dict:
    """Table of all surfaces and programs.

    Parameters
    ----------
    fine : bool
        All poses, 1 mrad apart, instead of every eighth group of ten.
    """
    stride = 1 if fine else 8
    columns = [
        "path", "program", "poses", "jumps in length", "jumps in moment arm", "largest step [mm]",
        "mismatch [mm]", "length from fibermsk's [mm]",
    ]  # fmt: skip
    table, data = [], {}
    for case in CASES:
        rows, touched = own(case, stride)
        smooth = smooth_poses(rows, touched)
        found = {"fibermsk": rows} | {name: other(name, case, stride) for name in ENGINES}
        data[case] = {name: one for name, one in found.items() if one is not None}
        for name, one in found.items():
            if one is None:
                table.append([case, name, *[None] * 6])
                continue
            values = numbers(one, smooth)
            apart = 1e3 * np.abs(one[:, 4] - rows[:, 4]).max()
            table.append([case, name, len(one), *values.values(), apart])
    notes = ["None: not installed, or the program does not wrap around this surface."]
    return {"tables": {"Sweeps": {"columns": columns, "rows": table}}, "notes": notes, "data": data}


def plot(numbers: dict):
    """Moment arms against the angle."""
    from _pictures import COLORS, finish, new_figure

    data = numbers["data"]
    figure = new_figure(13, 3.4)
    for axes, (case, found) in zip(figure.subplots(1, len(data)), data.items(), strict=True):
        for (name, rows), color in zip(found.items(), COLORS, strict=False):
            line = "-" if name == "fibermsk" else "--"
            axes.plot(rows[:, 0], 1e3 * rows[:, 1], line, color=color, label=name)
        finish(axes, case, "angle [rad]", "moment arm [mm]")
    return figure
