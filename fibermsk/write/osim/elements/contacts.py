"""Contact of spheres, ellipsoids and points: forces of OpenSim, and the surfaces that they name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from fibermsk.forces import EllipsoidContact, PointContact, SphereContact
from fibermsk.model.skeleton.body import Station
from fibermsk.write.osim.notes import legal
from fibermsk.write.osim.tree import angles_of, first_free, leaf, named, set_of

if TYPE_CHECKING:
    from fibermsk.write.osim.elements.elements import Elements

RUBBING = "dissipation", "static_friction", "dynamic_friction", "viscous_friction"
_SMOOTH = "constant_contact_force", "hertz_smoothing", "hunt_crossley_smoothing"
_HALF = 0.5
"""Share of the depth in a SmoothSphereHalfSpaceForce."""


def write_contact(to: Elements, item: SphereContact) -> bool:
    """Add a contact and its surfaces; False for shares of the depth that OpenSim does not have."""
    if item.smooth is not None:
        return item.share == _HALF and _smooth(to, item)
    return item.share != 1.0 and _hunt_crossley(to, item, lambda: _surfaces(to, item))


def write_ellipsoid(to: Elements, item: EllipsoidContact) -> bool:
    """Add a contact of an ellipsoid and its surfaces; False if the half-space is rigid."""

    def surfaces() -> tuple[str, str]:
        egg = f"{item.name}_ellipsoid", item.ellipsoid
        own = {"orientation": angles_of(item.own_axes), "radii": item.radii}
        return surface(to, "ContactEllipsoid", *egg, **own), half_space(to, item)

    return item.share != 1.0 and _hunt_crossley(to, item, surfaces)


def write_point(to: Elements, item: PointContact) -> bool:
    """Add the contact of a point with the floor; False for another upward axis than OpenSim's."""
    if not np.array_equal(np.asarray(item.up), (0.0, 1.0, 0.0)):
        return False
    force = to.named("MeyerFregly2016Force", item)
    station = named(SubElement(force, "components"), "Station", "point")
    leaf(station, "socket_parent_frame", to.names.frame(item.point.body))
    leaf(station, "location", item.point.position)
    leaf(force, "socket_station", "point")
    leaf(force, "spring_resting_length", item.height)
    for field in ("stiffness", "dissipation", *RUBBING[2:], "latch_velocity"):
        leaf(force, field, getattr(item, field))
    return True


def _hunt_crossley(to: Elements, item: Any, surfaces: Callable[[], tuple[str, str]]) -> bool:
    stiffness = item.stiffness, _stiffness_of_other(item)
    rubbing = [getattr(item, field) for field in RUBBING]
    materials = [(own, *rubbing) for own in stiffness]
    write_materials(to, "HuntCrossleyForce", item, zip(surfaces(), materials, strict=True))
    return True


def write_materials(
    to: Elements, kind: str, item: Any, sides: Iterable[tuple[str, Iterable[float]]]
) -> None:
    """Add a force between surfaces, by name, with the stiffness and `RUBBING` of each."""
    force = to.named(kind, item)
    tag = f"{kind}::ContactParameters"
    given = named(force, f"{tag}Set", "contact_parameters")
    objects = SubElement(given, "objects")
    for name, material in sides:
        one = SubElement(objects, tag)
        leaf(one, "geometry", name)
        for field, value in zip(("stiffness", *RUBBING), material, strict=True):
            leaf(one, field, value)
    SubElement(given, "groups")
    leaf(force, "transition_velocity", item.transition_velocity)


def _smooth(to: Elements, item: SphereContact) -> bool:
    force = to.named("SmoothSphereHalfSpaceForce", item)
    for kind, name in zip(("sphere", "half_space"), _surfaces(to, item), strict=True):
        leaf(force, f"socket_{kind}", f"/contactgeometryset/{name}")
    for field in ("stiffness", *RUBBING, "transition_velocity"):
        leaf(force, field, getattr(item, field))
    for tag, value in zip(_SMOOTH, np.asarray(item.smooth), strict=True):
        leaf(force, tag, value)
    return True


def _stiffness_of_other(item: Any) -> float:
    """Stiffness of the other surface, of which the share of the round one follows."""
    wanted, own = item.share, item.stiffness ** (2.0 / 3.0)
    found = item.stiffness * (wanted / (1.0 - wanted)) ** 1.5
    for _ in range(8):  # to the last digit
        their = found ** (2.0 / 3.0)
        error = their / (own + their) - wanted
        if error == 0.0:
            break
        found -= 1.5 * found * error / (wanted * (1.0 - wanted))
    return found


def _surfaces(to: Elements, item: SphereContact) -> tuple[str, str]:
    """Names of both surfaces, which are added."""
    ball = surface(to, "ContactSphere", f"{item.name}_sphere", item.sphere, radius=item.radius)
    if item.other_radius:
        other = f"{item.name}_other", item.other
        return ball, surface(to, "ContactSphere", *other, radius=item.other_radius)
    return ball, half_space(to, item)


def half_space(to: Elements, item: Any) -> str:
    """Name of the half-space of a contact, which is added."""
    space = f"{item.name}_half_space", item.other
    return surface(to, "ContactHalfSpace", *space, orientation=angles_of(item.axes))


def surface(to: Elements, tag: str, wanted: str, at: Station, **numbers: Any) -> str:
    """Name of a surface, which is added to the contact geometry."""
    objects: Element = set_of(to.root, "ContactGeometrySet")
    name = first_free(legal(wanted), [str(one.get("name")) for one in objects])
    found = named(objects, tag, name)
    leaf(found, "socket_frame", to.names.frame(at.body))
    leaf(found, "location", at.position)
    for field, value in numbers.items():
        leaf(found, field, value)
    return name
