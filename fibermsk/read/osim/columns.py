"""Columns of files of controls: which muscle or actuator each is of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fibermsk import _check
from fibermsk.errors import ModelError
from fibermsk.model import Model
from fibermsk.read.osim.report import ImportReport
from fibermsk.read.signals import Signals

_SUFFIXES = (".excitation", "/excitation")
_MOST = 12
"""Most names that a message lists."""


def name_of_column(column: str, names: Sequence[str]) -> str | None:
    """Which of some names a column of controls is of; None if of none."""
    for suffix in _SUFFIXES:
        column = column.removesuffix(suffix)
    if column in names:
        return column
    last = column.rpartition("/")[2]
    return last if last in names else None


def columns_of(known: Mapping[str, Any]) -> list[str]:
    """Names of the columns of the controls of actuators."""
    return [
        column
        for name, one in known.items()
        for column in (
            [name] if one.n_controls == 1 else [f"{name}_{k}" for k in range(one.n_controls)]
        )
    ]


def actuator_columns(model: Model) -> list[str]:
    """Names of the columns of the controls of a model's actuators."""
    report = model.import_report
    return columns_of(report.actuators) if isinstance(report, ImportReport) else []


def refuse_unknown(model: Model, signals: Signals, actuators: Sequence[str]) -> None:
    """Refuse columns that are neither of a muscle nor of an actuator.

    Raises
    ------
    ModelError
        Naming them, and the muscles and actuators of the model.
    """
    muscles = [one.name for one in model.muscles]
    names = [*muscles, *actuators]
    unknown = [one for one in signals.values if name_of_column(one, names) is None]
    if not unknown:
        return
    columns = _check.first_names([repr(one) for one in unknown], _MOST)
    kinds = [f"muscles {_check.first_names(muscles, _MOST) or 'none'}"]
    if actuators:
        kinds.append(f"actuators {_check.first_names(list(actuators), _MOST)}")
    raise ModelError(
        f"controls {signals.name!r}: columns {columns}; must be muscles or actuators of the model "
        f"{model.name!r}, which has: {', and '.join(kinds)}{_check.suggestion(unknown[0], names)}"
    )
