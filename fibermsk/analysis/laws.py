"""Hill laws of line muscles with a rigid tendon."""

from __future__ import annotations

from dataclasses import replace

from fibermsk.laws.hill import DeGrooteCurves, HillLaw
from fibermsk.model import LineMuscle
from fibermsk.read.osim.acting import law_of
from fibermsk.read.osim.forces.hill import thelen_curves


def rigid_law(muscle: LineMuscle) -> HillLaw:
    """The law of a muscle with a rigid tendon.

    A muscle without a law has that of its class in the program of origin, and one of an unknown
    class the curves of De Groote.
    """
    if muscle.law is not None:
        return replace(muscle.law, tendon="rigid")
    if muscle.kind == "Thelen2003Muscle":
        # its law with an elastic tendon needs a least activation, which files may lack
        return HillLaw(thelen_curves(muscle.parameters), tendon="rigid", damping=0.0)
    found = law_of(muscle)
    if found is None:
        return HillLaw(DeGrooteCurves(), tendon="rigid", damping=0.0)
    return replace(found.law, tendon="rigid")


def affine_force(
    muscle: LineMuscle, law: HillLaw, length: float, speed: float
) -> tuple[float, float]:
    """Forces [N] along the tendon at a path length and speed: active at activation 1, and passive.

    The active force of fibers that shorten faster than they can is zero.
    """
    found = law.describe(muscle, length, speed, 1.0)
    passive, active = found["passive_fiber_elastic_force"], found["active_fiber_force"]
    total = found["total_fiber_force"]
    cosine = found["fiber_force_along_tendon"] / total if total else 0.0
    return max(active, 0.0) * cosine, passive * cosine
