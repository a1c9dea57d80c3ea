"""What may be wrong with a state: the facts that an error message needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels import bending

if TYPE_CHECKING:
    from fibermsk.system.system import FiberSystem

__all__ = ["flawed_term", "suspects"]

Array = NDArray[np.float64]

_DEEP = 0.05
"""A contact with less than this part 1 + gamma g left is about to reach its limit."""

_WIDE, _SHORT = 2.0, 0.5
"""Stretches beyond which no muscle goes."""

_FOLD = 1.0
"""Angle between the tangents at the two ends of an element that cubics still follow [rad]."""


def suspects(system: FiberSystem, t: float, y: Array, v: Array) -> list[str]:
    """Likely causes of a failed step, from the state it started from, with remedies.

    Parameters
    ----------
    system : FiberSystem
        Of which the state is.
    t : float
        Time [s].
    y, v : (n,) float array
        Positions and velocities.
    """
    nodes, q = system.split(y)
    cables = system.cables
    found = []
    force, theta = system.least_tension(t, y, v)
    for f in np.flatnonzero(force < 0.0):
        where = f"fiber {cables.names[f]!r} is compressed by {-force[f]:.3g} N at theta = "
        where += f"{theta[f]:.2f}"
        if system.model.fibers[f].tissue.bending > 0.0:
            found.append(where)
        else:
            found.append(
                f"{where}, where a cable without bending stiffness has no definite shape: give its "
                "tissue bending, or more prestress or viscosity"
            )
    shortest, longest = system.tension.stretches(nodes)
    for f in np.flatnonzero((longest > _WIDE) | (shortest < _SHORT)):
        found.append(
            f"the stretch of fiber {cables.names[f]!r} goes from {shortest[f]:.2f} to "
            f"{longest[f]:.2f}: stiffen or damp the tissue, or lower loads and activation"
        )
    tangent = nodes[cables.elements][:, :, 3:]
    tangent /= np.linalg.norm(tangent, axis=2, keepdims=True)
    cosine = np.clip((tangent[:, 0] * tangent[:, 1]).sum(axis=1), -1.0, 1.0)
    for f in np.unique(cables.fiber[np.arccos(cosine) > _FOLD]):
        found.append(
            f"fiber {cables.names[f]!r} folds within an element: use more elements, or give its "
            "tissue bending"
        )
    system.contact.evaluate(nodes, system.skeleton.at(q).links)
    left, names = system.contact.worst()
    if left < _DEEP:
        found.append(
            f"the contact of {names} has {100 * left:.2g} % of its depth left: use a stiffer "
            "contact or smaller loads"
        )
    return found


def flawed_term(
    system: FiberSystem, t: float, y: Array, v: Array, v_dot: Array, residual: Array
) -> str:
    """Which term of the residual is not finite, and where.

    Parameters
    ----------
    system : FiberSystem
        Evaluated last at this state.
    t : float
        Time [s].
    y, v, v_dot : (n,) float array
        State and its rate.
    residual : (n,) float array
        Sum of all terms, with a NaN or an infinity in it.
    """
    for name, values in (("position", y), ("velocity", v), ("acceleration", v_dot)):
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            return f"the {name} of {system.describe(int(bad[0]))}"
    cables = system.cables
    (nodes, _), (velocity, _) = system.split(y), system.split(v)
    external, _ = system.loads.at(t)
    stress = system.tension.flaw(nodes, velocity, system.loads.activations(t))
    if stress:
        return stress
    energy = bending.bending_energy(
        nodes, cables.bent, cables.elements, cables.h, cables.xi, cables.weight, cables.bending
    )
    if not np.isfinite(energy):
        return "the bending moment of a fiber"
    bad = np.flatnonzero(~np.isfinite(external).all(axis=1))
    if bad.size:
        return f"the load at {system.describe(6 * int(bad[0]))}"
    names = system.contact.flawed()
    if names:
        return f"the contact force between {names}"
    bad = int(np.flatnonzero(~np.isfinite(residual))[0])
    kind = "the equation of motion" if bad >= 6 * cables.n_nodes else "the force balance"
    return f"{kind} of {system.describe(bad)}"
