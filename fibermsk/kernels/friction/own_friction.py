"""Friction kernels for user-defined contact laws; see `fibermsk.kernels.contact.own_contact`."""

from __future__ import annotations

from typing import Any, NamedTuple

from fibermsk.kernels.contact.own_contact import rebuilt_with
from fibermsk.kernels.friction import bones, fibers


class FrictionKernels(NamedTuple):
    """Entry points of friction that call a contact law."""

    add_fiber_friction: Any
    fiber_friction_loads: Any
    add_bone_friction: Any


_BUILT_IN = FrictionKernels(
    fibers.add_fiber_friction, fibers.fiber_friction_loads, bones.add_bone_friction
)


def friction_kernels(kind: type | None) -> FrictionKernels:
    """Kernels for a contact law as it is now, None for the built-in one."""
    if kind is None:
        return _BUILT_IN
    return FrictionKernels(*map(rebuilt_with(kind), _BUILT_IN))
