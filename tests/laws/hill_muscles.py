"""Random Hill muscles: numbers, curves, laws and states, for this package and for OpenSim."""

import math
from types import SimpleNamespace

import numpy as np

from fibermsk.laws.hill import DeGrooteCurves, HillLaw, MillardCurves, ThelenCurves

KINDS = {"degroote": DeGrooteCurves, "millard": MillardCurves, "thelen": ThelenCurves}
FORMS = [
    (kind, form)
    for kind in KINDS
    for form in ("elastic", "balance", "implicit", "rigid")
    if form != "implicit" or kind == "degroote"
]

THELEN = {
    "FmaxTendonStrain": ("tendon_strain", 0.02, 0.06),
    "FmaxMuscleStrain": ("passive_strain", 0.4, 0.8),
    "KshapeActive": ("active_shape", 0.3, 0.6),
    "KshapePassive": ("passive_shape", 3.0, 6.0),
    "Af": ("force_velocity_shape", 0.2, 0.4),
    "Flen": ("eccentric_force", 1.3, 1.8),
    "fv_linear_extrap_threshold": ("linear_from", 0.9, 0.97),
}
MILLARD = {
    "ActiveForceLengthCurve": {
        "min_norm_active_fiber_length": ("min_length", 0.42, 0.5),
        "transition_norm_fiber_length": ("transition_length", 0.7, 0.75),
        "max_norm_active_fiber_length": ("max_length", 1.6, 1.9),
        "shallow_ascending_slope": ("ascending_slope", 0.6, 0.9),
    },
    "ForceVelocityCurve": {
        "concentric_slope_near_vmax": ("concentric_slope_near", 0.15, 0.3),
        "isometric_slope": ("isometric_slope", 4.0, 6.0),
        "eccentric_slope_near_vmax": ("eccentric_slope_near", 0.1, 0.2),
        "max_eccentric_velocity_force_multiplier": ("eccentric_force", 1.35, 1.6),
        "concentric_curviness": ("concentric_curviness", 0.4, 0.7),
        "eccentric_curviness": ("eccentric_curviness", 0.7, 0.95),
    },
    "FiberForceLengthCurve": {
        "strain_at_zero_force": ("passive_start", -0.05, 0.05),
        "strain_at_one_norm_force": ("passive_strain", 0.6, 0.8),
        "stiffness_at_low_force": ("passive_low_stiffness", 0.1, 0.3),
        "stiffness_at_one_norm_force": ("passive_stiffness", 4.0, 7.0),
        "curviness": ("passive_curviness", 0.5, 0.8),
    },
    "TendonForceLengthCurve": {
        "strain_at_one_norm_force": ("tendon_strain", 0.035, 0.06),
        "stiffness_at_one_norm_force": ("tendon_stiffness", 33.0, 38.0),
        "norm_force_at_toe_end": ("tendon_toe_force", 0.3, 0.6),
        "curviness": ("tendon_curviness", 0.4, 0.6),
    },
}
DEGROOTE = {
    "passive_fiber_strain_at_one_norm_force": ("passive_strain", 0.4, 0.8),
    "tendon_strain_at_one_norm_force": ("tendon_strain", 0.03, 0.06),
    "active_force_width_scale": ("active_width", 1.0, 1.5),
}


def muscle(rng, pennate=True):
    """Numbers of a random muscle."""
    return SimpleNamespace(
        name="m",
        max_isometric_force=rng.uniform(100.0, 2000.0),
        optimal_fiber_length=rng.uniform(0.03, 0.2),
        tendon_slack_length=rng.uniform(0.05, 0.35),
        pennation_angle=rng.uniform(0.05, 0.5) if pennate else 0.0,
        max_contraction_velocity=rng.uniform(5.0, 15.0),
    )


def drawn(rng, table):
    """Values of OpenSim's properties, and of ours."""
    theirs = {name: rng.uniform(low, high) for name, (_, low, high) in table.items()}
    return theirs, {table[name][0]: value for name, value in theirs.items()}


def random_law(rng, kind, form):
    """A law with random curves, and OpenSim's properties of the muscle and of its curves."""
    rigid = {"ignore_tendon_compliance": True} if form == "rigid" else {}
    if kind == "degroote":
        # OpenSim solves for the velocity without damping
        damping = 0.1 if form == "rigid" else 0.0
        theirs, ours = drawn(rng, DEGROOTE)
        law = HillLaw(DeGrooteCurves(**ours), form, damping=damping, min_activation=1e-6)
        return law, {**theirs, **rigid, "fiber_damping": damping}, {}
    if kind == "thelen":
        theirs, ours = drawn(rng, THELEN)
        law = HillLaw(ThelenCurves(**ours), form, damping=0.0, min_activation=0.01)
        return law, {**theirs, **rigid}, {}
    theirs, ours = {}, {}
    for curve, table in MILLARD.items():
        theirs[curve], mine = drawn(rng, table)
        ours |= mine
    law = HillLaw(MillardCurves(**ours), form, min_activation=0.01, pull_only=form == "rigid")
    return law, {**rigid, "fiber_damping": 0.1}, theirs


def random_state(rng, law, one):
    """Length, speed, activation, state and rate of a muscle within what a limb does."""
    fiber = one.optimal_fiber_length * rng.uniform(0.55, 1.6)
    height = one.optimal_fiber_length * math.sin(one.pennation_angle)
    along, slack = math.sqrt(fiber**2 - height**2), one.tendon_slack_length
    strain, state = rng.uniform(-0.002, 0.05), fiber
    if law.tendon == "implicit":
        state = rng.uniform(0.01, 1.2)
        strain = math.log(5.0 * state + 1.0) * law.curves.tendon_strain / math.log(6.0)
    if law.tendon == "rigid":
        strain, state = 0.0, 0.0
    length = along + slack * (1.0 + strain)
    return np.array([length, *rng.uniform(-0.5, 0.5, 1), rng.uniform(0.02, 1.0), state, 0.1])
