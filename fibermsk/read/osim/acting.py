"""Models whose line muscles act as in OpenSim."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

from fibermsk import _check
from fibermsk._warn import warn
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.model import ActivationDynamics, LineMuscle, Model, Table
from fibermsk.parameters.revise import redirected
from fibermsk.read.osim.columns import actuator_columns, name_of_column, refuse_unknown
from fibermsk.read.osim.forces.hill import HillOfOsim, Substitute, hill_of, substitute_of
from fibermsk.read.osim.report import ImportEntry, ImportReport
from fibermsk.read.signals import Signals, read_signals

_MOST = 12
"""Most names that a message lists."""
_STARTS = {"DeGrooteFregly2016Muscle": 0.5}
"""Default activation of a class in OpenSim; 0.05 for all others."""

Excitations = (
    float
    | Callable[[float], float]
    | Mapping[str, float | Callable[[float], float]]
    | Signals
    | str
    | PathLike[str]
)


def with_muscle_forces(
    model: Model, excitations: Excitations = 0.0, *, begin: float = 0.0
) -> Model:
    """Create a model whose line muscles act by the laws of their classes in OpenSim.

    Thelen2003Muscle, Millard2012EquilibriumMuscle and DeGrooteFregly2016Muscle get the force and
    the activation dynamics of OpenSim, with the parameters of the file; all other items are shared.
    Schutte1993Muscle_Deprecated has no law here: its muscles get the curves of De Groote with their
    own numbers, time constants and damping, and a warning says so. Muscles of other classes and
    those that the file disables stay descriptions, and a warning names them. Muscles with fibers in
    their place stay without a force. A law that a muscle has is kept.

    Parameters
    ----------
    model : Model
        Model to start from, as from `read_osim`; not changed.
    excitations : float, callable, dict, Signals or path
        Excitation in [0, 1] of all muscles: a number or a function t -> float such as a `Table`;
        or a dict of these by muscle; or a file of controls with the columns "BIClong",
        "/forceset/BIClong", "BIClong.excitation" or "BIClong/excitation". Muscles left out have
        excitation 0, and a warning names them.
    begin : float
        Time in a file of controls at which the run begins [s].

    Returns
    -------
    model : Model
        New model. The activations start at the default activation of the file. Its import report
        also lists where a law differs from that of the file.

    Raises
    ------
    ModelError
        If a name is not a muscle, an excitation is not in [0, 1], or a parameter lies outside the
        range of a law.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.read_osim("arm26.osim")  # doctest: +SKIP
    >>> arm = fm.with_muscle_forces(model, {"BIClong": fm.Ramp(0, 0.1, 0.5)})  # doctest: +SKIP
    """
    _check.instance("with_muscle_forces", "model", model, Model, "a Model")
    begin = _check.number("with_muscle_forces", "begin", begin, "s")
    given = _by_muscle(model, excitations, begin)
    replaced = model.muscles_with_fibers
    new, notes = dict[int, Any](), list[ImportEntry]()
    idle, unknown, disabled = list[str](), list[str](), list[str]()
    substituted, differing = dict[str, list[str]](), list[ImportEntry]()
    for muscle in model.muscles:
        if muscle.name in replaced:
            continue
        found = None if muscle.law is not None else law_of(muscle)
        substitute = None if muscle.law is not None else _substitute(muscle)
        if muscle.law is None and muscle.parameters.get("appliesForce") is False:
            disabled.append(muscle.name)
        elif muscle.law is None and found is None and substitute is None:
            unknown.append(f"{muscle.name} ({muscle.kind or 'no class'})")
        elif muscle.law is not None and muscle.name not in given:
            continue
        else:
            if muscle.name not in given:
                idle.append(muscle.name)
            acting = muscle
            if found is None and substitute is not None:
                found, fastest = substitute
                if fastest is not None:
                    acting = replace(muscle, max_contraction_velocity=fastest)
                substituted.setdefault(muscle.kind, []).append(muscle.name)
                differing += _entries(muscle, found)
            else:
                notes += _entries(muscle, found)
            new[id(muscle)] = _acting(acting, found, given.get(muscle.name, 0.0))
    made = redirected(model, new)
    texts = [
        f"{text}: {_check.first_names(names, _MOST)}"
        for text, names in (
            ("have no excitation, taken as 0", idle),
            ("exert no force, since their class has no law here", unknown),
            ("exert no force, since the file disables them", disabled),
        )
        if names
    ]
    for kind, names in substituted.items():
        texts.append(
            f"of class {kind} ({len(names)}), which has no law here, act by the curves of "
            "DeGrooteFregly2016Muscle with their own numbers, time constants and damping: "
            f"{_check.first_names(names, _MOST)}"
        )
    if isinstance(model.import_report, ImportReport):
        entries = [*model.import_report.entries, *notes, *differing]
        made.import_report = replace(model.import_report, entries=entries)
    else:
        texts += list(dict.fromkeys(f"{one.text}: {one.element}" for one in notes))
    if texts:
        text = f"model {model.name!r}: line muscles {'; '.join(texts)}"
        warn(ModelWarning(text, kind="line_muscles"))
    return made


def law_of(muscle: LineMuscle) -> HillOfOsim | None:
    """Force of a muscle as its class has it in OpenSim; None for an unknown class."""
    try:
        return hill_of(muscle.kind, muscle.parameters)
    except ModelError as error:
        raise ModelError(f"line muscle {muscle.name!r}: {error}") from error


def _substitute(muscle: LineMuscle) -> Substitute | None:
    """Law in place of that of a class that has none here; None for other classes."""
    try:
        return substitute_of(muscle.kind, muscle.parameters, muscle.tendon_slack_length)
    except ModelError as error:
        raise ModelError(f"line muscle {muscle.name!r}: {error}") from error


def _entries(muscle: LineMuscle, found: HillOfOsim | None) -> list[ImportEntry]:
    """Entries of the import report on where a law differs from that of the file."""
    return [ImportEntry("note", muscle.name, 0, one) for one in (found.notes if found else ())]


def _acting(muscle: LineMuscle, found: HillOfOsim | None, excitation: Any) -> LineMuscle:
    """The muscle with its law, driven by an excitation."""
    if found is None:
        own = muscle.activation
        if isinstance(own, ActivationDynamics):
            excitation = replace(own, excitation=excitation)
        return replace(muscle, activation=excitation)
    if found.activation is None:
        return replace(muscle, law=found.law, activation=excitation)
    start = muscle.parameters.get("default_activation", _STARTS.get(muscle.kind, 0.05))
    start = max(start, getattr(found.activation, "min_activation", 0.0))
    try:
        driven = ActivationDynamics(excitation, found.activation, start=start)
    except ModelError as error:
        raise ModelError(f"line muscle {muscle.name!r}: {error}") from error
    return replace(muscle, law=found.law, activation=driven)


def _by_muscle(model: Model, excitations: Any, begin: float) -> dict[str, Any]:
    """Excitation by name of muscle."""
    names = [muscle.name for muscle in model.muscles]
    if isinstance(excitations, Mapping):
        for name in excitations:
            if name not in names:
                hint = _check.suggestion(str(name), names)
                raise ModelError(
                    f"model {model.name!r} has no line muscle {name!r}; it has: "
                    f"{_check.first_names(names, _MOST) or 'none'}{hint}"
                )
        return dict(excitations)
    if isinstance(excitations, str | PathLike):
        excitations = read_signals(excitations)
    if not isinstance(excitations, Signals):
        return dict.fromkeys(names, excitations)
    refuse_unknown(model, excitations, actuator_columns(model))
    owner, found = f"controls {excitations.name!r}", dict[str, Any]()
    for column in excitations.values:
        name = name_of_column(column, names)
        if name is None:
            continue  # of an actuator, for `with_actuators`
        if name in found:
            raise ModelError(f"{owner}: {column!r} is a second column of the muscle {name!r}")
        found[name] = _table(excitations, column, begin)
    return found


def _table(signals: Signals, column: str, begin: float) -> float | Table:
    """One column as a function of time; a single row is constant."""
    if signals.time.size == 1:
        return float(signals.values[column][0])
    table = signals.activation(column)
    return Table(signals.time - begin, table.values) if begin else table
