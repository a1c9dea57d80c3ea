"""Models whose actuators act as in OpenSim, under controls."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.model import Model, PiecewiseLinear
from fibermsk.model.function import Function
from fibermsk.model.in_time import check_in_time
from fibermsk.read.osim.forces.actuators import Actuator, Control
from fibermsk.read.osim.report import ImportReport, name_of_column
from fibermsk.read.signals import Signals, read_signals

_MOST = 12
"""Most names that a message lists."""


def with_actuators(
    model: Model,
    controls: Mapping[str, Function | float] | Signals | str | PathLike[str],
    *,
    begin: float = 0.0,
) -> Model:
    """Create a model whose actuators act under controls, as those of its OpenSim file.

    CoordinateActuator, PointActuator, TorqueActuator and PointToPointActuator exert their optimal
    force times the control, which OpenSim does not clip either. Those without a control stay out.

    Parameters
    ----------
    model : Model
        Model to start from, as from `read_osim`; not changed.
    controls : dict, Signals or path
        Control of each actuator by name, a number or a function of time such as
        `fm.PiecewiseLinear`; or a file of controls, of which columns of muscles are left to
        `with_muscle_forces`, interpolated linearly.
    begin : float
        Time in a file of controls at which the run begins [s].

    Returns
    -------
    model : Model
        New model with an element of the same name for each actuator; all items are shared.

    Raises
    ------
    ModelError
        If a name is not that of an actuator of the file or has an element already, or a control is
        neither a number nor a function with derivatives.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.read_osim("double_pendulum.osim")  # doctest: +SKIP
    >>> driven = fm.with_actuators(model, {"torque1": fm.Linear(0.5)})  # doctest: +SKIP
    """
    owner = "with_actuators"
    _check.instance(owner, "model", model, Model, "a Model")
    begin = _check.number(owner, "begin", begin, "s")
    report = model.import_report
    known: dict[str, Actuator] = report.actuators if isinstance(report, ImportReport) else {}
    elements = list[Any]()
    for name, control in _by_name(model, controls, known, begin).items():
        if name not in known:
            hint = _check.suggestion(str(name), list(known))
            names = _check.first_names(list(known), _MOST) or "none"
            raise ModelError(
                f"model {model.name!r} has no actuator {name!r} of its file; it has: {names}{hint}"
            )
        if not hasattr(control, "pieces"):
            control = _check.number(f"actuator {name!r}", "control", control)
        check_in_time(f"actuator {name!r}", "control", control)
        elements.append(known[name].element(name, model, control))
    return model.edit(add=elements)


def _by_name(
    model: Model, controls: Any, known: Mapping[str, Actuator], begin: float
) -> dict[str, Control]:
    """Controls by name of actuator."""
    if isinstance(controls, Mapping):
        return dict(controls)
    if isinstance(controls, str | PathLike):
        controls = read_signals(controls)
    must = "a dict by name, Signals or a file"
    signals = _check.instance("with_actuators", "controls", controls, Signals, must)
    muscles = [one.name for one in model.muscles]
    found = dict[str, Control]()
    for column, values in signals.values.items():
        if name_of_column(column, muscles) is not None:
            continue
        name = name_of_column(column, list(known)) or column
        if name in found:
            raise ModelError(
                f"controls {signals.name!r}: {column!r} is a second column of the actuator {name!r}"
            )
        if signals.time.size == 1:
            found[name] = float(values[0])
        else:
            found[name] = PiecewiseLinear(signals.time - begin, values)
    return found
