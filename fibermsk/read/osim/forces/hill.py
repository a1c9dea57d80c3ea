"""Hill laws of muscles from OpenSim, with the parameters and defaults of their classes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from fibermsk import _check
from fibermsk.laws import ActivationLaw, PiecewiseActivation, SmoothActivation
from fibermsk.laws.hill import DeGrooteCurves, HillLaw, MillardCurves, ThelenCurves

_LEAST = 0.01
"""Least activation that OpenSim requires where the velocity is solved without damping."""

SCHUTTE = ("Schutte1993Muscle", "Schutte1993Muscle_Deprecated")
"""Names of one class, which act by the curves of De Groote."""


class HillOfOsim(NamedTuple):
    """Force of a muscle as in OpenSim.

    Attributes
    ----------
    law : HillLaw
        Its law.
    activation : ActivationLaw or None
        Its activation dynamics; None where the activation is the excitation.
    notes : tuple of str
        What differs from the file or from OpenSim.
    """

    law: HillLaw
    activation: ActivationLaw | None
    notes: tuple[str, ...] = ()


class Substitute(NamedTuple):
    """Force of a muscle whose class in OpenSim has no law here.

    Attributes
    ----------
    acting : HillOfOsim
        The force that acts instead.
    max_contraction_velocity : float or None
        That of the class [1/s]; None for the number of the muscle.
    """

    acting: HillOfOsim
    max_contraction_velocity: float | None


MILLARD = {
    "ActiveForceLengthCurve": {
        "min_norm_active_fiber_length": "min_length",
        "transition_norm_fiber_length": "transition_length",
        "max_norm_active_fiber_length": "max_length",
        "shallow_ascending_slope": "ascending_slope",
        "minimum_value": "min_active_force",
    },
    "ForceVelocityCurve": {
        "concentric_slope_at_vmax": "concentric_slope",
        "concentric_slope_near_vmax": "concentric_slope_near",
        "isometric_slope": "isometric_slope",
        "eccentric_slope_at_vmax": "eccentric_slope",
        "eccentric_slope_near_vmax": "eccentric_slope_near",
        "max_eccentric_velocity_force_multiplier": "eccentric_force",
        "concentric_curviness": "concentric_curviness",
        "eccentric_curviness": "eccentric_curviness",
    },
    "FiberForceLengthCurve": {
        "strain_at_zero_force": "passive_start",
        "strain_at_one_norm_force": "passive_strain",
        "stiffness_at_low_force": "passive_low_stiffness",
        "stiffness_at_one_norm_force": "passive_stiffness",
        "curviness": "passive_curviness",
    },
    "TendonForceLengthCurve": {
        "strain_at_one_norm_force": "tendon_strain",
        "stiffness_at_one_norm_force": "tendon_stiffness",
        "norm_force_at_toe_end": "tendon_toe_force",
        "curviness": "tendon_curviness",
    },
}
THELEN = {
    "FmaxTendonStrain": "tendon_strain",
    "FmaxMuscleStrain": "passive_strain",
    "KshapeActive": "active_shape",
    "KshapePassive": "passive_shape",
    "Af": "force_velocity_shape",
    "Flen": "eccentric_force",
    "fv_linear_extrap_threshold": "linear_from",
}
DEGROOTE = {
    "tendon_strain_at_one_norm_force": "tendon_strain",
    "passive_fiber_strain_at_one_norm_force": "passive_strain",
    "active_force_width_scale": "active_width",
}
"""Fields of the curves here by the properties of each class, as in `LineMuscle.parameters`."""


def hill_of(kind: str, parameters: Mapping[str, Any]) -> HillOfOsim | None:
    """Law of a muscle of OpenSim from its class and its parameters.

    Parameters
    ----------
    kind : str
        Its class, as in `LineMuscle.kind`.
    parameters : mapping
        Parameters of the class, those of curves as "ActiveForceLengthCurve.minimum_value", as in
        `LineMuscle.parameters`; defaults of OpenSim 4.6 for those that are left out.

    Returns
    -------
    HillOfOsim or None
        None for a class of muscle without a law here.

    Raises
    ------
    ModelError
        If a parameter lies outside the range of the law.
    """
    if kind not in _KINDS:
        return None
    return _KINDS[kind](parameters)


def substitute_of(
    kind: str, parameters: Mapping[str, Any], tendon_slack_length: float
) -> Substitute | None:
    """Law that acts in place of that of a class without a law here; None for other classes.

    A muscle of Schutte gets the curves of De Groote, with its own damping and time scale. It
    carries a tendon of length zero as a rigid one.

    Notes
    -----
    In OpenSim's Schutte1993Muscle_Deprecated, da/dt = (e - a) (activation1 e + activation2) /
    time_scale for e > a, else without the first term: at e = 1 the activation rises by the time
    constant of the substitute, and it falls by that at any e. Fibers shorten at most by 1 /
    time_scale optimal lengths per second, and damping is relative to that velocity.

    Raises
    ------
    ModelError
        If a parameter lies outside the range of the law.
    """
    if kind not in SCHUTTE:
        return None
    scale = parameters.get("time_scale", 0.1)
    _check.positive(kind, "time_scale", scale, "s")
    rise, fall = parameters.get("activation1", 7.667), parameters.get("activation2", 1.459854)
    for name, value in (("activation1", rise), ("activation2", fall)):
        _check.positive(kind, name, value)
    damping = parameters.get("damping", 0.1)
    rigid = tendon_slack_length == 0.0
    law = HillLaw(
        DeGrooteCurves(),
        "rigid" if rigid else "implicit",
        damping=damping,
        min_activation=_LEAST if damping == 0.0 and not rigid else 0.0,
        **_common(parameters),
    )
    driven = PiecewiseActivation(scale / (rise + fall), scale / fall, variation=0.0)
    text = "has no law here: acts by the curves of DeGrooteFregly2016Muscle with its own numbers"
    fastest = 1.0 / scale if "time_scale" in parameters else None
    return Substitute(HillOfOsim(law, driven, (f"{kind} {text}",)), fastest)


def _given(parameters: Mapping[str, Any], names: Mapping[str, str], prefix: str = "") -> dict:
    """Values of the parameters that are given, by their names here."""
    return {ours: parameters[prefix + n] for n, ours in names.items() if prefix + n in parameters}


def _common(parameters: Mapping[str, Any]) -> dict[str, Any]:
    largest = parameters.get("maximum_pennation_angle", math.acos(0.1))
    return {"max_pennation_angle": largest}


def _first_order(parameters: Mapping[str, Any], rise: float, fall: float) -> ActivationLaw | None:
    if parameters.get("ignore_activation_dynamics", False):
        return None
    return PiecewiseActivation(
        parameters.get("activation_time_constant", rise),
        parameters.get("deactivation_time_constant", fall),
        min_activation=parameters.get("minimum_activation", _LEAST),
    )


def _solved_undamped(parameters: Mapping[str, Any], kind: str) -> float:
    """Least activation of a muscle whose velocity is solved without damping.

    Without activation the velocity has no solution; OpenSim refuses such a file.
    """
    least = parameters.get("minimum_activation", _LEAST)
    if not least >= _LEAST:
        _check.refuse(
            kind, "minimum_activation", least, f"be {_LEAST} or more, as in OpenSim",
            remedy="without it and damping no velocity balances the tendon; set it in the file",
        )  # fmt: skip
    return least


def thelen_curves(parameters: Mapping[str, Any]) -> ThelenCurves:
    """Curves of a Thelen2003Muscle from its parameters."""
    return ThelenCurves(**_given(parameters, THELEN))


def _thelen(parameters: Mapping[str, Any]) -> HillOfOsim:
    curves, notes = thelen_curves(parameters), ()
    if parameters.get("ignore_tendon_compliance", False):
        notes = ("ignore_tendon_compliance is true, which OpenSim's muscle of Thelen leaves out",)
    law = HillLaw(
        curves,
        damping=0.0,
        min_activation=_solved_undamped(parameters, "Thelen2003Muscle"),
        **_common(parameters),
    )
    return HillOfOsim(law, _first_order(parameters, 0.015, 0.05), notes)


def _millard(parameters: Mapping[str, Any]) -> HillOfOsim:
    given: dict[str, Any] = {}
    for curve, names in MILLARD.items():
        given |= _given(parameters, names, f"{curve}.")
    damping = parameters.get("fiber_damping", 0.1)
    rigid, notes = parameters.get("ignore_tendon_compliance", False), []
    if damping < 0.001:  # OpenSim's MIN_NONZERO_DAMPING_COEFFICIENT
        damping = 0.0
    if rigid or damping > 0.0:
        # as OpenSim does on reading
        for name in ("min_active_force", "concentric_slope", "eccentric_slope"):
            if given.get(name, 0.0) > 0.0:
                notes.append(f"{name} is set to 0, as in OpenSim")
            given[name] = 0.0
    else:
        given["min_active_force"] = max(given.get("min_active_force", 0.1), 0.1)
        for side, near in (("concentric", 0.25), ("eccentric", 0.15)):
            near = given.get(f"{side}_slope_near", near)
            given[f"{side}_slope"] = max(given.get(f"{side}_slope", 0.0), 0.5 * near)
    least = parameters.get("minimum_activation", _LEAST)
    if not rigid and damping == 0.0:
        least = _solved_undamped(parameters, "Millard2012EquilibriumMuscle")
    law = HillLaw(
        MillardCurves(**given),
        "rigid" if rigid else "elastic",
        damping=damping,
        min_activation=least,
        pull_only=rigid,
        **_common(parameters),
    )
    return HillOfOsim(law, _first_order(parameters, 0.01, 0.04), tuple(notes))


def _degroote(parameters: Mapping[str, Any]) -> HillOfOsim:
    rigid, notes = parameters.get("ignore_tendon_compliance", False), []
    damping = parameters.get("fiber_damping", 0.0)
    if parameters.get("ignore_passive_fiber_force", False):
        notes.append("ignore_passive_fiber_force is true; here the passive force acts")
    least = 0.0
    if not rigid and damping == 0.0:
        least = _LEAST
        notes.append(f"without damping, an activation below {least} acts like it")
    law = HillLaw(
        DeGrooteCurves(**_given(parameters, DEGROOTE)),
        "rigid" if rigid else "implicit",
        damping=damping,
        min_activation=least,
        **_common(parameters),
    )
    activation = None
    if not parameters.get("ignore_activation_dynamics", False):
        activation = SmoothActivation(
            parameters.get("activation_time_constant", 0.015),
            parameters.get("deactivation_time_constant", 0.06),
            parameters.get("activation_dynamics_smoothing", 0.1),
        )
    return HillOfOsim(law, activation, tuple(notes))


_KINDS = {
    "Thelen2003Muscle": _thelen,
    "Millard2012EquilibriumMuscle": _millard,
    "DeGrooteFregly2016Muscle": _degroote,
}
