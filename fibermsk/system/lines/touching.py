"""Wrap angles of muscles with mass on exact paths, at whose change of sign inertia jumps."""

from __future__ import annotations

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.errors import ModelError
from fibermsk.model import Model
from fibermsk.model.muscles.line_muscle import by_network, mass_of
from fibermsk.system.contribution import At
from fibermsk.system.lines.describe import acting
from fibermsk.system.lines.paths import LinePaths


class Touching:
    """Wrap angles of the sections of those muscles with mass on exact paths.

    Parameters
    ----------
    paths : LinePaths
        Paths of muscles with mass.

    Attributes
    ----------
    n : int
        Number of wrap angles.
    """

    def __init__(self, paths: LinePaths) -> None:
        self._paths, arrays = paths, paths.arrays
        found: list[tuple[int, int, int]] = []  # slot, muscle and start point
        for m, muscle in enumerate(paths.muscles):
            if mass_of(muscle).blend > 0.0 or by_network(muscle):
                continue
            for w in range(*arrays.wrap_start[m : m + 2]):
                points = range(int(arrays.first[w]), int(arrays.last[w]))
                found += [(int(arrays.slot[w]) + k - int(arrays.first[w]), m, k) for k in points]
        self._found, self.n = found, len(found)
        self._slots: Index = np.array([slot for slot, *_ in found], np.int64)

    def check(self, model: Model) -> None:
        """Refuse prescribed coordinates: their forces at a jump of inertia are not known.

        Raises
        ------
        ModelError
            If the model has one.
        """
        named = (one for joint in model.joints for one in joint.coordinates)
        moved = next((one.name for one in named if one.prescribed is not None), "")
        if moved:
            raise ModelError(
                f"{self.describe(0)}: wrapping = 'switch' in a run with the prescribed coordinate "
                f"{moved!r}; no coordinate must be prescribed; use wrapping='blend'"
            )

    def angles(self, at: At) -> Array:
        """Wrap angles (n,) [rad], positive where the path touches; NaN where it cannot."""
        from fibermsk.kernels.lines.touching import wrap_angles  # compiles only where it is used

        placed = self._paths.at(at)
        out = np.empty(self._paths.arrays.acts.size)
        wrap_angles(self._paths.arrays, placed.state, out)
        return out[self._slots]

    def hold(self, sides: Array | None) -> None:
        """Keep each surface touched (1) or not (0) whatever its angle (n,); None: no longer."""
        self._paths.branches.held[self._slots] = -1 if sides is None else sides

    def slope(self, at: At, k: int) -> Array:
        """Derivatives of angle k by the coordinates, (n_q,); its surface is held to be touched."""
        from fibermsk.kernels.lines.touching import fill_angle_slopes

        paths, (_, m, point) = self._paths, self._found[k]
        placed, ways = paths.at(at), paths.axes.jacobian(at.motion)
        out = np.empty(ways.shape[1])
        fill_angle_slopes(
            paths.arrays, at.motion.links.S, paths.moves, placed.state, m, point, placed.speed_u,
            ways, out,
        )  # fmt: skip
        return out

    def describe(self, k: int) -> str:
        """Muscle and surface of angle k."""
        slot, m, _ = self._found[k]
        arrays, muscle = self._paths.arrays, self._paths.muscles[m]
        w = int(np.searchsorted(arrays.slot, slot, side="right")) - 1
        shape = acting(muscle)[w - int(arrays.wrap_start[m])].shape
        return f"line muscle {muscle.name!r} around {shape.name!r}"
