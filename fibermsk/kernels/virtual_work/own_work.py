"""Kernels of the work for user-defined contact laws; see `fibermsk.kernels.contact.own_contact`."""

from __future__ import annotations

from typing import Any, NamedTuple

from fibermsk.kernels.contact.own_contact import rebuilt_with
from fibermsk.kernels.virtual_work import bones, fibers


class WorkKernels(NamedTuple):
    """Entry points of the work that call a contact law."""

    fiber_work: Any
    bone_work: Any


_BUILT_IN = WorkKernels(fibers.fiber_work, bones.bone_work)


def work_kernels(kind: type | None) -> WorkKernels:
    """Kernels for a contact law as it is now, None for the built-in one."""
    if kind is None:
        return _BUILT_IN
    return WorkKernels(*map(rebuilt_with(kind), _BUILT_IN))
