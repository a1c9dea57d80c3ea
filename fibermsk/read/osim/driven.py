"""Models whose actuators act as in OpenSim, under controls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._warn import warn
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.model import Model, PiecewiseLinear
from fibermsk.model.function import Function
from fibermsk.model.in_time import check_in_time
from fibermsk.read.osim.columns import columns_of, name_of_column, refuse_unknown
from fibermsk.read.osim.forces.actuators import Actuator
from fibermsk.read.osim.report import ImportReport
from fibermsk.read.signals import Signals, read_signals

_MOST = 12
"""Most names that a message lists."""


def with_actuators(
    model: Model,
    controls: Mapping[str, Function | float | Sequence[Function | float]]
    | Signals
    | str
    | PathLike[str],
    *,
    begin: float = 0.0,
) -> Model:
    """Create a model whose actuators act under controls, as those of its OpenSim file.

    Actuators of coordinates, points, torques and paths exert their optimal force times the control,
    which OpenSim does not clip either. An ActivationCoordinateActuator follows its control with a
    lag; a McKibbenActuator takes a pressure, a ClutchedPathSpring what engages it, a BodyActuator
    six controls: torque and force. Those without a control stay out.

    Parameters
    ----------
    model : Model
        Model to start from, as from `read_osim`; not changed.
    controls : dict, Signals or path
        Control of each actuator by name, a number or a function of time such as
        `fm.PiecewiseLinear`; of a BodyActuator six of these, or those by names with the endings
        _0 to _5, where 0 takes the place of others. Or a file of controls, of which columns of
        muscles are left to `with_muscle_forces`, interpolated linearly.
    begin : float
        Time in a file of controls at which the run begins [s].

    Returns
    -------
    model : Model
        New model with an element of the same name for each actuator; all items are shared. A
        `ModelWarning` names actuators of coordinates that are locked or prescribed, which have no
        effect.

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
    elements, held = list[Any](), list[str]()
    for name, given in _by_name(model, controls, known, begin).items():
        if known[name].held(model):
            held.append(name)
            continue
        elements.append(known[name].element(name, model, given))
    if held:
        text = (
            f"model {model.name!r}: actuators of coordinates that are locked or prescribed have no "
            f"effect: {_check.first_names(held, _MOST)}"
        )
        warn(ModelWarning(text, kind="actuators"))
    return model.edit(add=elements)


def _by_name(
    model: Model, controls: Any, known: Mapping[str, Actuator], begin: float
) -> dict[str, Any]:
    """Checked controls by name of actuator."""
    columns = columns_of(known)
    if isinstance(controls, str | PathLike):
        controls = read_signals(controls)
    if isinstance(controls, Mapping):
        given = _spread(controls, known)
        unknown = [name for name in given if name not in columns]
        if unknown:
            hint = _check.suggestion(str(unknown[0]), list(known))
            names = _check.first_names(list(known), _MOST) or "none"
            raise ModelError(
                f"model {model.name!r} has no actuator {unknown[0]!r} of its file; it has: "
                f"{names}{hint}"
            )
    else:
        must = "a dict by name, Signals or a file"
        signals = _check.instance("with_actuators", "controls", controls, Signals, must)
        muscles = [one.name for one in model.muscles]
        given = _of_signals(model, signals, columns, muscles, begin)
    for name, one in given.items():
        if not hasattr(one, "pieces"):
            given[name] = _check.number(f"actuator {name!r}", "control", one)
        check_in_time(f"actuator {name!r}", "control", given[name])
    found = dict[str, Any]()
    for name, one in known.items():
        if one.n_controls == 1:
            found |= {name: given[name]} if name in given else {}
            continue
        own = [given.get(f"{name}_{k}") for k in range(one.n_controls)]
        if any(each is not None for each in own):
            found[name] = [0.0 if each is None else each for each in own]
    return found


def _spread(controls: Mapping[str, Any], known: Mapping[str, Actuator]) -> dict[str, Any]:
    """Controls by column: those of an actuator with several by the endings of its columns."""
    found = dict[str, Any]()
    for name, one in controls.items():
        n = known[name].n_controls if name in known else 1
        if n == 1:
            found[name] = one
            continue
        several = list(one) if isinstance(one, list | tuple | np.ndarray) else []
        if len(several) != n:
            must = f"be {n} numbers or functions: three of the torque, three of the force"
            _check.refuse(f"actuator {name!r}", "control", one, must)
        found |= {f"{name}_{k}": each for k, each in enumerate(several)}
    return found


def _of_signals(
    model: Model, signals: Signals, columns: list[str], muscles: list[str], begin: float
) -> dict[str, Any]:
    """Controls of a file by column."""
    refuse_unknown(model, signals, columns)
    found = dict[str, Any]()
    for column, values in signals.values.items():
        name = name_of_column(column, columns)
        if name is None or name_of_column(column, muscles) is not None:
            continue
        if name in found:
            raise ModelError(
                f"controls {signals.name!r}: {column!r} is a second column of the actuator {name!r}"
            )
        if signals.time.size == 1:
            found[name] = float(values[0])
        else:
            found[name] = PiecewiseLinear(signals.time - begin, values)
    return found
