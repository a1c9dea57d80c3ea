"""Classes and properties of muscles in OpenSim from the laws of line muscles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fibermsk.errors import ModelError
from fibermsk.laws.hill import DeGrooteCurves, HillLaw, MillardCurves, ThelenCurves
from fibermsk.model.muscles.activation import Constant
from fibermsk.model.muscles.dynamics import ActivationDynamics
from fibermsk.model.muscles.line_muscle import LineMuscle
from fibermsk.read.osim.forces.hill import (
    DEGROOTE,
    MILLARD,
    THELEN,
    HillOfOsim,
    hill_of,
    substitute_of,
)
from fibermsk.write.osim.notes import Notes

CLASSES: dict[type, tuple[str, dict[str, str]]] = {
    DeGrooteCurves: ("DeGrooteFregly2016Muscle", DEGROOTE),
    MillardCurves: (
        "Millard2012EquilibriumMuscle",
        {f"{curve}.{theirs}": ours for curve, by in MILLARD.items() for theirs, ours in by.items()},
    ),
    ThelenCurves: ("Thelen2003Muscle", THELEN),
}
"""Class of OpenSim for each kind of curves, and their fields by its properties."""

_LAW = {
    "DeGrooteFregly2016Muscle": {"damping": "fiber_damping"},
    "Millard2012EquilibriumMuscle": {
        "damping": "fiber_damping",
        "min_activation": "minimum_activation",
    },
    "Thelen2003Muscle": {"min_activation": "minimum_activation"},
}
"""Properties of each class for the fields of a `HillLaw`."""

_ACTIVATION = {
    "activation_time": "activation_time_constant",
    "deactivation_time": "deactivation_time_constant",
    "min_activation": "minimum_activation",
    "sharpness": "activation_dynamics_smoothing",
}
"""Properties for the fields of activation dynamics."""

_KEPT = ("optimal_force", "default_activation", "default_fiber_length", "appliesForce")
"""Properties that every class of muscles has."""


def properties_of(muscle: LineMuscle, notes: Notes) -> tuple[str, dict[str, Any]]:
    """Class of a muscle in OpenSim, and its properties besides path and the usual numbers.

    A law that differs from that of its properties changes these; what OpenSim's class has no
    property for is noted.
    """
    kind, parameters = muscle.kind, dict(muscle.parameters)
    if muscle.mass is not None:
        notes.add("masses of muscles are left out", muscle.name)
    law = muscle.law
    if law is None:
        if not kind:
            kind, parameters["appliesForce"] = "Millard2012EquilibriumMuscle", False
            text = "muscles without a law and a class are disabled Millard2012EquilibriumMuscles"
            notes.add(text, muscle.name)
        return kind, parameters
    if _excited(muscle):
        notes.add("excitations are left out: give them as controls", muscle.name)
    substitute = substitute_of(kind, parameters, muscle.tendon_slack_length)
    if substitute is not None and _differing(law, substitute.acting.law) == []:
        return kind, parameters
    own, fields = CLASSES[type(law.curves)]
    if kind != own:
        if kind:
            notes.add(f"muscles are of the class {own}, whose curves they have", muscle.name)
        kept = {key: value for key, value in parameters.items() if key in _KEPT}
        kind, parameters = own, kept
    before: dict[str, Any] | None = None
    while parameters != before:  # defaults of some properties follow from others
        before, base = dict(parameters), _base(kind, parameters)
        for theirs, ours in fields.items():
            _set(parameters, theirs, getattr(law.curves, ours), getattr(base.law.curves, ours))
        for ours, theirs in _LAW[kind].items():
            _set(parameters, theirs, getattr(law, ours), getattr(base.law, ours))
        largest = law.max_pennation_angle
        _set(parameters, "maximum_pennation_angle", largest, base.law.max_pennation_angle)
        rigid = law.tendon == "rigid"
        _set(parameters, "ignore_tendon_compliance", rigid, base.law.tendon == "rigid")
        _write_activation(muscle, parameters, base)
    written = _base(kind, parameters)
    differing = _differing(law, written.law)
    given = muscle.activation
    if isinstance(given, ActivationDynamics) and given.law != written.activation:
        differing.append("activation dynamics")
    for field in differing:
        notes.add(f"laws of muscles differ in OpenSim's class, in {field}", muscle.name)
    return kind, parameters


def _base(kind: str, parameters: Mapping[str, Any]) -> HillOfOsim:
    """Law of a class; where its properties are refused, of its defaults."""
    try:
        found = hill_of(kind, parameters)
    except ModelError:
        found = hill_of(kind, {})
    assert found is not None
    return found


def _set(parameters: dict[str, Any], name: str, value: Any, known: Any) -> None:
    """Set a property if its value is not what the others give already."""
    if value != known:
        parameters[name] = value


def _write_activation(muscle: LineMuscle, parameters: dict[str, Any], base: HillOfOsim) -> None:
    """Set the properties of activation dynamics."""
    given = muscle.activation
    if not isinstance(given, ActivationDynamics):
        if base.activation is not None:
            parameters["ignore_activation_dynamics"] = True
        return
    if base.activation is None:
        parameters["ignore_activation_dynamics"] = False
    for ours, theirs in _ACTIVATION.items():
        if hasattr(given.law, ours):
            _set(parameters, theirs, getattr(given.law, ours), getattr(base.activation, ours, None))
    if given.start != parameters.get("default_activation"):
        parameters["default_activation"] = given.start


def _differing(law: HillLaw, other: HillLaw) -> list[str]:
    """Fields in which two laws differ."""
    if type(law.curves) is not type(other.curves):
        return ["curves"]
    fields = ("damping", "min_activation", "max_pennation_angle", "pull_only")
    found = [field for field in fields if getattr(law, field) != getattr(other, field)]
    # elastic tendons differ only in how their balance of forces is solved
    found += ["tendon"] if (law.tendon == "rigid") != (other.tendon == "rigid") else []
    return found + (["curves"] if law.curves != other.curves else [])


def _excited(muscle: LineMuscle) -> bool:
    """Whether a muscle has an excitation other than zero."""
    given: Any = muscle.activation
    if isinstance(given, ActivationDynamics):
        given = given.excitation
    if isinstance(given, Constant):
        given = given.value
    return not (isinstance(given, int | float) and given == 0.0)
