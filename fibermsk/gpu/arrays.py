"""The arrays of all fibers on a device, copied there once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fibermsk.gpu.device import Device
from fibermsk.kernels.fibers.attachment import AttachedEnds
from fibermsk.system.contact.candidates import bound_sections
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.fibers.equal_rows import ElementRows


class DeviceCables(NamedTuple):
    """Arrays of `fibermsk.system.fibers.cables.Cables` on a device, and additional ones."""

    node_start: Any
    element_start: Any
    fiber_of_node: Any
    reference: Any
    elements: Any
    fiber: Any
    h: Any
    end_flag: Any
    xi: Any
    rows: ElementRows
    row_of: Any
    shape_of: Any
    reference_rows: Any
    radius_rows: Any
    end_element: Any
    end_side: Any
    halves: Any  # elements of odd and of even number: two of a half share no node
    bent_halves: Any  # the same for elements with bending stiffness
    attached: Any  # unknowns (3 n_points,) that are positions of attached nodes
    ends: AttachedEnds
    thickest: Any  # (n_elements,), as `widest`: see `fibermsk.kernels.search.motion`
    widest: Any


def copy_cables(cables: Cables, device: Device) -> DeviceCables:
    """Copy the arrays of the host to a device."""
    n = cables.h.size
    thickest, widest = bound_sections(cables)
    odd = (np.arange(n) - cables.element_start[cables.fiber]) % 2
    halves = tuple(np.flatnonzero(odd == half) for half in range(2))
    own: dict[str, Any] = {
        "halves": halves,
        "bent_halves": tuple(half[np.isin(half, cables.bent)] for half in halves),
        "attached": (6 * cables.attached_nodes[:, None] + np.arange(3)).ravel(),
        "ends": cables.ends,
        "thickest": thickest,
        "widest": widest,
    }

    def copy(value: Any) -> Any:
        if isinstance(value, AttachedEnds | ElementRows):
            return type(value)(*map(copy, value))
        if isinstance(value, tuple):
            return tuple(map(copy, value))
        return device.to_device(np.ascontiguousarray(value))

    return DeviceCables(
        **{
            name: copy(own[name] if name in own else getattr(cables, name))
            for name in DeviceCables._fields
        }
    )
