"""A model as optimal control sees it: director coordinates, muscles, and what drives it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from scipy.spatial.transform import Rotation

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.control.conditions import EndState
from fibermsk.control.mechanics.directors import Directors, cayley
from fibermsk.control.mechanics.discrete import Discrete, Node, newton
from fibermsk.control.mechanics.elements import Elements
from fibermsk.control.mechanics.tree import BALL, SLIDE, LinkTree, slices
from fibermsk.control.muscles.choice import PathKind, paths_of
from fibermsk.control.muscles.fitted import FittedPath
from fibermsk.control.muscles.muscle import Muscle
from fibermsk.errors import ModelError
from fibermsk.model import Model


class Drive(NamedTuple):
    """A torque that is chosen.

    Attributes
    ----------
    name : str
        Of the coordinate, or of the joint of a ball.
    at : slice
        Degrees of freedom on which it acts.
    largest : float
        Largest value of each component [N m or N].
    ratio : float
        Force on the degree of freedom over that on the coordinate.
    """

    name: str
    at: slice
    largest: float
    ratio: float

    @property
    def labels(self) -> list[str]:
        """Names of its components."""
        n = self.at.stop - self.at.start
        return [self.name] if n == 1 else [f"{self.name}_{axis}" for axis in "xyz"]


class Plant:
    """What moves, and by what.

    Attributes
    ----------
    model : Model
        The model.
    tree, directors, discrete
        Its bodies.
    muscles : list of Muscle
        Muscles that act.
    drives : list of Drive
        Torques.
    limits : dict of str to (float, float)
        Ranges of the coordinates in which fitted paths hold.
    """

    def __init__(
        self, model: Model, largest: Mapping[str, float], excited: bool, kind: PathKind = None,
        ranges: Mapping[str, tuple[float, float]] | None = None, start: EndState | None = None,
    ) -> None:  # fmt: skip
        self.model = model
        for what, some in (
            ("fibers", model.fibers), ("contacts", model.contacts), ("couplings", model.couplings),
        ):  # fmt: skip
            if some:
                named = getattr(some[0], "name", what)
                remedy = "optimal control has no such parts; fm.gradient serves them"
                owner = f"model {model.name!r}"
                _check.refuse(owner, what, str(named), "be none", remedy=remedy)
        model.validate()
        self.tree = LinkTree.of(model)
        self.directors = Directors(self.tree)
        self.discrete = Discrete(self.directors, Elements.of(model, self.tree))
        if not self.tree.degrees:
            raise ModelError(f"model {model.name!r} has no free coordinate; nothing can move")
        self._slots = self.tree.slots()
        pose = self.node()
        if start is not None:
            pose = self.posed("OptimalControl: start", start, pose)
        q = np.array(self.directors.place(*pose)).ravel()
        narrowed = {name: one for name, one in (ranges or {}).items() if np.isfinite(one).all()}
        known = _declared(model) | narrowed
        acting = model.acting_muscles
        paths = paths_of(model, self.directors, acting, q, kind, known)
        self.limits = {
            name: known[name] for one in paths if isinstance(one, FittedPath)
            for name in one.coordinates
        }  # fmt: skip
        self.muscles = [Muscle(*one, excited) for one in zip(acting, paths, strict=True)]
        self.drives = [self._drive(name, value) for name, value in largest.items()]
        if excited and not self.muscles:
            remedy = "give a muscle a law, or use controls=fm.Torques({coordinate: largest})"
            _check.refuse(f"model {model.name!r}", "muscles", 0, "be one or more", remedy=remedy)

    @property
    def degree_names(self) -> list[str]:
        """Names of the degrees of freedom."""
        found = [""] * self.tree.degrees
        for name, at in self.degrees.items():
            n = at.stop - at.start
            found[at] = [name] if n == 1 else [f"{name} {axis}" for axis in "xyz"]
        return found

    @property
    def force_units(self) -> list[str]:
        """Units of the forces on the degrees of freedom."""
        return [
            "N" if one.motion == SLIDE else "N m"
            for one in self.tree.links for _ in range(one.degrees)
        ]  # fmt: skip

    @cached_property
    def balls(self) -> dict[str, int]:
        """Joint of each ball, and its place among the references."""
        return {self.tree.links[k].coordinate: i for i, k in enumerate(self.directors.balls)}

    @cached_property
    def degrees(self) -> dict[str, slice]:
        """Degrees of freedom of each coordinate, and of each ball by its joint."""
        links = zip(self.tree.links, self._slots, strict=True)
        return {one.coordinate: at for one, at in links if one.degrees}

    def known(self, owner: str, field: str, name: str, *, balls: bool | None) -> slice:
        """Degrees of freedom of a coordinate, or of a ball, or of either; refused if none has."""
        names = [one for one in self.degrees if balls is None or (one in self.balls) == balls]
        if name not in names:
            what = {
                True: "a spherical or free joint", False: "a free coordinate",
                None: "a free coordinate or a spherical joint",
            }[balls]  # fmt: skip
            remedy = f"it has: {', '.join(names) or 'none'}{_check.suggestion(name, names)}"
            _check.refuse(owner, field, name, f"be {what} of the model", remedy=remedy)
        return self.degrees[name]

    def posed(self, owner: str, state: EndState, base: Node) -> Node:
        """Pose with the coordinates and rotations of a state, the others as in another one."""
        s, R = base.s.copy(), base.references.copy()
        for name, value in state.coordinates.items():
            s[self.known(owner, "coordinate", name, balls=False)] = value
        for name, turn in state.rotations.items():
            s[self.known(owner, "rotation", name, balls=True)] = 0.0
            k = 3 * self.balls[name]
            R[:, k : k + 3] = turn
        return Node(s, R)

    def node(self) -> Node:
        """Node at the pose of the model."""
        s, R = np.zeros(self.tree.degrees), np.zeros((3, 3 * len(self.directors.balls)))
        for link, at in zip(self.tree.links, self._slots, strict=True):
            if link.motion == BALL:
                k = 3 * self.balls[link.coordinate]
                w, x, y, z = (float(one.value) for one in self._quaternion(link.coordinate))
                R[:, k : k + 3] = Rotation.from_quat((x, y, z, w)).as_matrix()
            elif link.degrees:
                s[at] = self.tree.coordinates[link.coordinate].value
        return Node(s, R)

    def _quaternion(self, joint: str) -> list[Any]:
        own: Any = next(one for one in self.model.joints if one.name == joint)
        return [self.tree.coordinates[name] for name in own.quaternion]

    def speeds(self, given: Mapping[str, float] | None = None) -> Array:
        """Speeds of the model in the free directions of the joints, (degrees,); some by name."""
        found, named = np.zeros(self.tree.degrees), {} if given is None else given
        for link, at in zip(self.tree.links, self._slots, strict=True):
            if link.motion == BALL:
                w, *v = (float(one.value) for one in self._quaternion(link.coordinate))
                rate, *dv = (float(one.speed) for one in self._quaternion(link.coordinate))
                # omega = 2 vec(rate * conj(quaternion)), in the axes of the parent
                found[at] = 2.0 * (w * np.array(dv) - rate * np.array(v) - np.cross(dv, v))
            elif link.degrees:
                own = self.tree.coordinates[link.coordinate]
                found[at] = link.slope * named.get(own.name, own.speed)
        return found

    def coordinates_of(self, nodes: list[Node]) -> dict[str, Array]:
        """Values (n,) of all coordinates of the tree at nodes; quaternions do not turn over."""
        found: dict[str, Array] = {}
        for link, at in zip(self.tree.links, self._slots, strict=True):
            if link.motion == BALL:
                k = 3 * self.balls[link.coordinate]
                turns = [
                    np.array(ca.evalf(cayley(ca.DM(one.s[at])))) @ one.references[:, k : k + 3]
                    for one in nodes
                ]
                q = Rotation.from_matrix(turns).as_quat()[:, [3, 0, 1, 2]]
                for before, after in zip(q, q[1:], strict=False):
                    after *= 1.0 if before @ after >= 0.0 else -1.0
                parts = zip(self._quaternion(link.coordinate), q.T, strict=True)
                found |= {one.name: values for one, values in parts}
            elif link.degrees:
                found[link.coordinate] = np.array([one.s[at.start] for one in nodes])
        return found

    def rates_of(self, nodes: list[Node], speeds: Array) -> dict[str, Array]:
        """Rates (n,) of all coordinates from speeds (n, degrees) in the free directions."""
        values, found = self.coordinates_of(nodes), dict[str, Array]()
        for link, at in zip(self.tree.links, self._slots, strict=True):
            if link.motion == BALL:
                own = self._quaternion(link.coordinate)
                w, *v = (values[one.name] for one in own)
                omega, x = speeds[:, at], np.stack(v, axis=1)
                # rate = (0, omega) quaternion / 2
                found[own[0].name] = -0.5 * (omega * x).sum(axis=1)
                turned = 0.5 * (w[:, None] * omega + np.cross(omega, x))
                found |= {one.name: turned[:, k] for k, one in enumerate(own[1:])}
            elif link.degrees:
                found[link.coordinate] = speeds[:, at.start] / link.slope
        return found

    def _drive(self, name: str, largest: float) -> Drive:
        at = self.known("Torques", "largest", name, balls=None)
        link = next(one for one in self.tree.links if one.degrees and one.coordinate == name)
        return Drive(name, at, largest, 1.0 if link.motion == BALL else 1.0 / link.slope)

    @cached_property
    def geometry(self) -> Any:
        """Lengths (m,) of the paths at s, R and unknowns g, and P^T dl/dq (degrees, m)."""
        s, R, g, q = self._symbols()
        parts = [one.path.at(s, q, g[at]) for one, at in self.own_paths()]
        lengths, arms = zip(*parts, strict=True) if parts else ((), ())
        return ca.Function("geometry", [s, R, g], [ca.vertcat(*lengths), ca.horzcat(*arms)])

    @cached_property
    def path_equations(self) -> Any:
        """What the unknowns g of the paths must make zero at s and R, and its derivative in g."""
        s, R, g, q = self._symbols()
        rows = ca.vertcat(*(one.path.equations(q, g[at]) for one, at in self.own_paths()))
        return ca.Function("path_equations", [s, R, g], [rows, ca.jacobian(rows, g)])

    def paths_at(self, node: Node) -> Array:
        """Unknowns (n_path,) of the paths at a node.

        Raises
        ------
        ConvergenceError
            If they have none there.
        """
        if not self.n_path:
            return np.zeros(0)
        q = np.array(self.directors.place(*node)).ravel()
        guess = np.concatenate([np.zeros(0), *(one.path.guess(q) for one in self.muscles)])
        message = "a discrete geodesic has no solution; use exact paths"
        return newton(lambda g: self.path_equations(*node, g), guess, message)

    @cached_property
    def n_path(self) -> int:
        """Number of unknowns of the paths at a node."""
        return sum(one.path.n for one in self.muscles)

    def own_paths(self) -> list[tuple[Muscle, slice]]:
        """Muscles, and where the unknowns of their paths stand."""
        own = slices([one.path.n for one in self.muscles])
        return list(zip(self.muscles, own, strict=True))

    def _symbols(self) -> tuple[Any, Any, Any, Any]:
        """Chart coordinates, references, unknowns of paths, and the director coordinates."""
        s, R = self.directors.symbols()
        return s, R, ca.SX.sym("g", self.n_path), self.directors.place(s, R)


def _declared(model: Model) -> dict[str, tuple[float, float]]:
    """Declared ranges of coordinates."""
    return {
        one.name: (one.lower, one.upper)
        for one in model.coordinates
        if one.lower is not None and one.upper is not None and one.lower < one.upper
    }
