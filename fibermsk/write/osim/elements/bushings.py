"""Bushings: three classes of OpenSim, for numbers, functions and formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from fibermsk.forces import Bushing
from fibermsk.forces.bushing import VARIABLES
from fibermsk.model.function import Linear
from fibermsk.read.osim.forces.bushings import FORMULAS, FUNCTIONS
from fibermsk.write.osim.functions import write_function
from fibermsk.write.osim.tree import leaf, offset_frame, text_of

if TYPE_CHECKING:
    from fibermsk.write.osim.elements.elements import Elements


def write_bushing(to: Elements, item: Bushing) -> bool:
    """Add a bushing; False if it has functions beside formulas, or beside a stiffness."""
    laws = (*item.moments, *item.forces)
    if all(one is None for one in laws):
        found = _framed(to, "BushingForce", item)
        _numbers(found, item, "stiffness")
    elif all(one is None or isinstance(one, str) for one in laws):
        found = _framed(to, "ExpressionBasedBushingForce", item)
        for tag, text in zip(_flat(FORMULAS), _formulas(item), strict=True):
            if text is not None:
                leaf(found, tag, text)
    else:
        functions = _functions(item)
        if functions is None:
            return False
        found = _framed(to, "FunctionBasedBushingForce", item)
        for tag, function in zip(_flat(FUNCTIONS), functions, strict=True):
            if function is not None:
                owner = f"bushing {item.name!r}: {tag}"
                write_function(owner, SubElement(found, tag), function)
    _numbers(found, item, "damping")
    return True


def _framed(to: Elements, tag: str, item: Bushing) -> Element:
    """Bushing with its two frames."""
    found = to.named(tag, item)
    ends = ("first", item.first, item.first_axes), ("second", item.second, item.second_axes)
    for k, (name, _, _) in enumerate(ends, 1):
        leaf(found, f"socket_frame{k}", name)
    frames = SubElement(found, "frames")
    for name, station, axes in ends:
        offset_frame(frames, name, to.names.frame(station.body), station.position, axes)
    return found


def _numbers(found: Element, item: Bushing, kind: str) -> None:
    """Stiffness or damping, rotational and translational."""
    for name in (f"rotational_{kind}", f"translational_{kind}"):
        leaf(found, name, getattr(item, name))


def _formulas(item: Bushing) -> list[str | None]:
    """Formulas of the six deflections, the stiffness among them."""
    laws: list[Any] = [*item.moments, *item.forces]
    for k, stiffness in enumerate(item.stiffness.tolist()):
        if stiffness:
            linear = f"{text_of(stiffness)}*{VARIABLES[k]}"
            laws[k] = linear if laws[k] is None else _with_term(laws[k], linear)
    return laws


def _with_term(formula: str, term: str) -> str:
    """A formula plus a term; what a formula names behind semicolons stays behind."""
    first, mark, others = formula.partition(";")
    return f"{term} + ({first}){mark}{others}"


def _functions(item: Bushing) -> list[Any] | None:
    """Functions of the six deflections; None if OpenSim has none for one of them."""
    laws: list[Any] = [*item.moments, *item.forces]
    for k, stiffness in enumerate(item.stiffness.tolist()):
        if isinstance(laws[k], str) or (stiffness and laws[k] is not None):
            return None
        if stiffness:
            laws[k] = Linear(stiffness, 0.0)
    return laws


def _flat(names: Any) -> list[str]:
    """Names of the properties of three moments and three forces."""
    return list(np.ravel(names))
