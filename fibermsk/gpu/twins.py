"""Contributions to nodes on a device: fibers, bending and contact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fibermsk._arrays import Array
from fibermsk.gpu.arrays import DeviceCables
from fibermsk.gpu.contact.search import DeviceContact
from fibermsk.gpu.contribution import DeviceAt, DeviceContribution, DeviceSums, OnHost
from fibermsk.gpu.device import Device
from fibermsk.gpu.ends import Ends
from fibermsk.kernels.fibers import bending, cable
from fibermsk.kernels.fibers.activation import add_activation_column, fiber_activation_slope
from fibermsk.kernels.fibers.attachment import add_end_rates
from fibermsk.kernels.search.safeguard import fill_stretch_fraction
from fibermsk.system import FiberSystem
from fibermsk.system.contact.forces import BoneContact, FiberContact
from fibermsk.system.contribution import Update
from fibermsk.system.fibers.bending import Bending
from fibermsk.system.fibers.forces import KEEP_STRETCH, Fibers
from fibermsk.system.optional import HasMemory


class Parts(NamedTuple):
    """Common data of the contributions on a device."""

    device: Device
    arrays: DeviceCables
    ends: Ends
    contact: DeviceContact
    host: FiberSystem


class DeviceFibers:
    """Inertia, stress, weight and line loads: one task per element of a half."""

    def __init__(self, parts: Parts) -> None:
        self._device, self._at, self._sides = parts.device, parts.arrays, parts.ends.sides
        self._first, loads = parts.ends.n_q, parts.host.loads
        driven = loads.driven, loads.driven_nodes, loads.driven_by
        self._driven, self._driven_nodes, self._driven_by = map(parts.device.to_device, driven)
        self._cable = cable.CableArrays.of(parts.arrays)
        self._cables, self._loads, self._tension = (
            parts.host.cables, parts.host.loads, parts.host.tension,
        )  # fmt: skip
        self._copies: tuple[Any, Any, Any, Any] = (None, None, None, None)
        xp, n_fibers = parts.device.xp, len(self._cables.names)
        self._found = xp.zeros(self._cables.h.size)
        self._least, self._where = xp.zeros(n_fibers), xp.zeros(n_fibers, int)

    def add(self, at: DeviceAt, sums: DeviceSums) -> None:
        """Add inertia and internal forces, and subtract weight and line loads."""
        external, activation = self._loads_at(at.host.t, at.host.states)
        sums.nodes -= external
        sums.host.present = max(sums.host.present, self._loads.largest)
        data = (at.nodes, at.velocity, at.acceleration, self._cable, activation)
        slopes = sums.host.slopes
        for half in self._at.halves:
            if slopes is None:
                self._device.launch(cable.add_residual, half, (*data, sums.nodes))
            else:
                rates = (1.0, slopes.dv_dy, slopes.dvdot_dy)
                self._device.launch(
                    cable.add_tangent, half, (*data, *rates, sums.nodes, sums.lines)
                )

    def follow_ends(self, at: DeviceAt, velocity: Any, acceleration: Any, columns: Any) -> None:
        """Add the viscosity and inertia of the elements at attached ends."""
        _, activation = self._loads_at(at.host.t, at.host.states)
        ends = (self._at.end_element, self._at.end_side, velocity, acceleration, columns)
        data = (at.nodes, at.velocity, self._cable, activation, *ends)
        for side in self._sides:
            self._device.launch(add_end_rates, side, data)

    def follow_states(self, at: DeviceAt, columns: Any) -> None:
        """Add the derivatives in activations that are states to columns (n_x, n_border)."""
        if not self._driven.size:
            return
        own, slope = self._at, self._device.xp.zeros(at.nodes.shape)
        _, activation = self._loads_at(at.host.t, at.host.states)
        self._device.launch(
            fiber_activation_slope, self._driven,
            (own.element_start, at.nodes, at.velocity, self._cable, activation, slope),
        )  # fmt: skip
        self._device.launch(
            add_activation_column, int(self._driven_nodes.size),
            (self._driven_nodes, self._driven_by, slope, self._first, columns),
        )  # fmt: skip

    def step_fraction(self, update: Update, fraction: float) -> float:
        """Fraction of an update that keeps a fraction of every stretch."""
        at = self._at
        self._device.launch(
            fill_stretch_fraction, int(at.h.size),
            (update.nodes, update.way, at.elements, at.h, at.xi, KEEP_STRETCH, self._found),
        )  # fmt: skip
        return min(fraction, float(self._found.min()))

    def least_tension(
        self, t: float, nodes: Any, velocity: Any, states: Array
    ) -> tuple[Array, Array]:
        """Least axial force of each fiber [N], and its theta, on the host."""
        at, cables = self._at, self._cables
        _, activation = self._loads_at(t, states)
        self._device.launch(
            cable.least_force, len(cables.names),
            (
                at.element_start, nodes, velocity, self._cable, activation, self._least,
                self._where,
            ),
        )  # fmt: skip
        least, e = map(self._device.to_host, (self._least, self._where))
        return self._tension.rounded(least), cables.theta[cables.elements[e]].mean(axis=1)

    def _loads_at(self, t: float, states: Array) -> tuple[Any, Any]:
        """Nodal forces (n_nodes, 6) and activations of the elements, copied when they change."""
        external, activation = self._loads.on_fibers(t, states)
        force_of, force, activation_of, active = self._copies
        if force_of is not external:
            force = self._device.to_device(external)
        if activation_of is not activation:
            active = self._device.to_device(activation)[self._at.fiber]
        self._copies = (external, force, activation, active)
        return force, active


class DeviceBending:
    """Bending moments of fibers; one task per element of a half."""

    def __init__(self, parts: Parts) -> None:
        self._device, self._at = parts.device, parts.arrays

    def add(self, at: DeviceAt, sums: DeviceSums) -> None:
        """Add the moments, as forces on the nodes."""
        own, launch = self._at, self._device.launch
        bent = (
            at.nodes, own.elements, own.h, own.xi, own.row_of, own.rows.weight, own.rows.bending,
        )  # fmt: skip
        for half in own.bent_halves:
            if sums.host.slopes is None:
                launch(bending.add_residual, half, (*bent, sums.nodes))
            else:
                launch(bending.add_tangent, half, (*bent, sums.nodes, sums.lines))


class DeviceFiberContact:
    """Contact among fibers."""

    def __init__(self, parts: Parts) -> None:
        self._contact = parts.contact

    def add(self, at: DeviceAt, sums: DeviceSums) -> None:
        """Add the forces, and the couplings between fibers."""
        tangent = sums.border is not None
        contact = self._contact
        sums.couplings = contact.fibers.scatter(sums.nodes, sums.lines, tangent, contact.rounds)

    def step_fraction(self, update: Update, fraction: float) -> float:
        """Fraction of an update that all contact points allow, including those with bones."""
        return self._contact.step_fraction(update, fraction)


class DeviceBoneContact:
    """Contact of fibers with bones."""

    def __init__(self, parts: Parts) -> None:
        self._contact = parts.contact

    def add(self, at: DeviceAt, sums: DeviceSums) -> None:
        """Add the forces to fibers and joint axes."""
        links, axes = self._contact.links, sums.host.axes
        self._contact.bones.scatter(links, sums.nodes, axes.force, sums.lines, sums.border)


_TWINS: dict[type, Callable[[Parts], DeviceContribution]] = {
    Fibers: DeviceFibers,
    Bending: DeviceBending,
    FiberContact: DeviceFiberContact,
    BoneContact: DeviceBoneContact,
}
"""Device twins of host contributions; all others act on axes and coordinates."""


def remembering(host: FiberSystem) -> list[HasMemory]:
    """Contributions of the host, without a twin, that remember more than the unknowns."""
    return [
        one for one in host.contributions if type(one) not in _TWINS and isinstance(one, HasMemory)
    ]


def contributions_of(parts: Parts) -> list[DeviceContribution]:
    """Contributions on a device; refused if one acts on fibers without a twin."""
    host = parts.host
    names = [type(one).__name__ for one in host.contributions]
    of_elements = [f"element {element.name!r}" for element in host.model.elements]
    if of_elements:
        names[-len(of_elements) :] = of_elements
    return [
        _TWINS[type(one)](parts) if type(one) in _TWINS else OnHost(one, name)
        for one, name in zip(host.contributions, names, strict=True)
    ]
