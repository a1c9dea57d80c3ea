"""Paths of muscles around one surface by networks, with their errors and ranges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.errors import ModelWarning, PathError
from fibermsk.kernels.lines.material import network as rows
from fibermsk.kernels.lines.material.network import ROWS, Network
from fibermsk.kernels.lines.path_arrays import CAPPED, CYLINDER, PathArrays, PathState
from fibermsk.model.muscles.line_muscle import LineMuscle, by_network
from fibermsk.model.muscles.wrap import WrapCappedCylinder, WrapCylinder
from fibermsk.system.lines.describe import acting

_NAMES = {CYLINDER: "cylinder", CAPPED: "capped_cylinder"}
_WHAT = {
    "rho": "distance of an end from the axis / radius",
    "z": "height of an end / radius",
    "excess": "excess of its planar length over the straight one / radius",
    "phi": "angle of the arc [rad]",
    "delta": "angle between the ends about the axis [rad]",
}
_MEASURES = ("position", "length", "moment arm")


class Trained(NamedTuple):
    """A network of the package.

    Attributes
    ----------
    network : Network
        Its weights.
    errors : dict of str to (3,) float array
        Median, 99 % and largest error over the radius of the surface, on paths from which it did
        not learn: of "position", "length" and "moment arm".
    ranges : dict of str to (low, high)
        Range of its training: "rho", distance of the ends from the axis, and "z", their height,
        over the radius; "phi", angle of the arc, and "delta", angle between the ends [rad];
        "excess", how much longer than the straight line a path around a cylinder is in its plane.
    """

    network: Network
    errors: dict[str, Array]
    ranges: dict[str, tuple[float, float]]


@cache
def trained(kind: int) -> Trained:
    """The network of a kind of surface, from the files of the package."""
    name = _NAMES[kind]
    with (files("fibermsk.system.lines") / "weights" / f"{name}.npz").open("rb") as file:
        own = dict(np.load(file))
    network = Network(
        kind, own["length_sizes"].astype(np.int64), own["length"].astype(float),
        own["position_sizes"].astype(np.int64), own["position"].astype(float),
    )  # fmt: skip
    ranges = {str(key): (float(a), float(b)) for key, (a, b) in zip(
        own["range_of"], own["ranges"], strict=True)}  # fmt: skip
    return Trained(network, dict(zip(_MEASURES, own["errors"], strict=True)), ranges)


class NetworkPath(NamedTuple):
    """Path of muscle m from its point k to its point j around surface w."""

    m: int
    k: int
    j: int
    w: int
    network: Network


class NetworkPaths:
    """Paths by networks among those of several muscles."""

    def __init__(self, muscles: Sequence[LineMuscle], arrays: PathArrays) -> None:
        self._muscles, self._arrays = muscles, arrays
        own = [m for m, muscle in enumerate(muscles) if by_network(muscle)]
        self.paths: dict[int, NetworkPath] = {}
        for m in own:
            k, w = int(arrays.start[m]), int(arrays.wrap_start[m])
            network = trained(int(arrays.kind[w])).network
            self.paths[m] = NetworkPath(m, k, k + 1, w, network)

    def solve(
        self, S: Array, moves: NDArray[np.bool_], drives: NDArray[np.bool_], state: PathState,
        length: Array, by_u: Array,
    ) -> None:  # fmt: skip
        """Add the lengths and their derivatives; see `fibermsk.kernels.lines.paths`."""
        from fibermsk.kernels.lines.material.network_paths import (
            add_network,  # compiles only where used
        )

        for one in self.paths.values():
            self._check(one, state)
            m, k, j, w = one.m, one.k, one.j, one.w
            arguments = self._arrays, S, moves, drives, state, one.network, m, k, j, w
            add_network(*arguments, length, by_u)

    def bend(
        self, S: Array, moves: NDArray[np.bool_], drives: NDArray[np.bool_], state: PathState,
        speed_u: Array, tension: Array, bend: Array, curve: Array,
    ) -> None:  # fmt: skip
        """Add the second derivatives of the lengths; see `fibermsk.kernels.lines.paths`."""
        from fibermsk.kernels.lines.material.network_paths import (
            bend_network,  # compiles only where used
        )

        for one in self.paths.values():
            m, k, j, w = one.m, one.k, one.j, one.w
            arguments = self._arrays, S, moves, drives, state, one.network, m, k, j, w
            bend_network(*arguments, speed_u, tension, bend, curve)

    def along(
        self, m: int, S: Array, moves: NDArray[np.bool_], state: PathState, fractions: Array,
        du: Array, ddu: Array, way: Array,
    ) -> Array:  # fmt: skip
        """Points (n_fractions, 3, 6), as `fibermsk.kernels.lines.material.along.fill_along`."""
        from fibermsk.kernels.lines.material.network_paths import fill_network_along

        one, out = self.paths[m], np.empty((fractions.size, 3, 6))
        fill_network_along(
            self._arrays, S, moves, state, one.network, one.k, one.j, one.w, fractions, du, ddu,
            way, out,
        )  # fmt: skip
        return out

    def _check(self, one: NetworkPath, state: PathState) -> None:
        """Refuse a path outside the range of the training; the reference follows the winding."""
        from fibermsk.kernels.lines.material.network_paths import known_of

        arrays, known = self._arrays, np.empty(ROWS)
        side = known_of(arrays, state, one.network, one.k, one.j, one.w, known)
        delta = known[rows.PHI] + known[rows.ANGLE_A] + known[rows.ANGLE_B]
        slot = arrays.slot[one.w] + one.k - arrays.first[one.w]
        if arrays.kind[one.w] == CYLINDER:
            if abs(side * delta - state.reference[slot]) > 0.5 * math.pi:
                state.reference[slot] = side * delta
        found = {
            "rho": known[[rows.RHO_O, rows.RHO_I]],
            "phi": known[[rows.PHI]],
            "excess": known[[rows.EXCESS]],
            "z": known[[rows.Z_O, rows.Z_I]],
            "delta": np.array([delta]),
        }
        for name, (low, high) in trained(one.network.kind).ranges.items():
            for value in found[name]:
                if not low <= value <= high:
                    muscle = self._muscles[one.m]
                    raise PathError(
                        f"line muscle {muscle.name!r}: {_WHAT[name]} = {value:.4g} at "
                        f"{acting(muscle)[0].shape.name!r}; must be {_limits(low, high)}, the "
                        "range in which its network was trained: limit the motion, change the "
                        "radius, or use wrapping='blend'",
                        reason="range",
                    )


def _limits(low: float, high: float) -> str:
    return f"in [{low:g}, {high:g}]" if math.isfinite(low) else f"at most {high:g}"


def told_of(muscle: LineMuscle) -> str:
    """Errors and range of the network of a muscle."""
    shape = acting(muscle)[0].shape
    assert isinstance(shape, WrapCylinder | WrapCappedCylinder)
    own = trained(CYLINDER if isinstance(shape, WrapCylinder) else CAPPED)
    r = 1e3 * float(shape.radius)
    texts = [
        f"{name} {r * error[0]:.2g}, {r * error[1]:.2g} and {r * error[2]:.2g} mm"
        for name, error in own.errors.items()
    ]
    limits = [f"{_WHAT[name]} {_limits(*limits)}" for name, limits in own.ranges.items()]
    return (
        f"path around {shape.name!r} by a network, with errors (median, 99 %, largest) of "
        f"{'; '.join(texts)}; trained for {', '.join(limits)}"
    )


def remark_of(muscle: LineMuscle) -> ModelWarning:
    """Warning that tells of the network of a muscle."""
    text = f"line muscle {muscle.name!r}: {told_of(muscle)}"
    return ModelWarning(text, kind="network", fiber=muscle.name)
