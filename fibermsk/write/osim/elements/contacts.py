"""Contact of spheres: forces of OpenSim, and the surfaces that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from fibermsk.forces import SphereContact
from fibermsk.model.skeleton.body import Station
from fibermsk.write.osim.notes import legal
from fibermsk.write.osim.tree import angles_of, first_free, leaf, named, set_of

if TYPE_CHECKING:
    from fibermsk.write.osim.elements.elements import Elements

_RUBBING = "dissipation", "static_friction", "dynamic_friction", "viscous_friction"
_SMOOTH = "constant_contact_force", "hertz_smoothing", "hunt_crossley_smoothing"
_HALF = 0.5
"""Share of the depth in a SmoothSphereHalfSpaceForce."""


def write_contact(to: Elements, item: SphereContact) -> bool:
    """Add a contact and its surfaces; False for shares of the depth that OpenSim does not have."""
    if item.smooth is not None:
        return item.share == _HALF and _smooth(to, item)
    if item.share == 1.0:  # the other surface would be rigid
        return False
    force = to.named("HuntCrossleyForce", item)
    tag = "HuntCrossleyForce::ContactParameters"
    given = named(force, f"{tag}Set", "contact_parameters")
    objects = SubElement(given, "objects")
    stiffness = item.stiffness, _stiffness_of_other(item)
    for name, own in zip(_surfaces(to, item), stiffness, strict=True):
        one = SubElement(objects, tag)
        leaf(one, "geometry", name)
        leaf(one, "stiffness", own)
        for field in _RUBBING:
            leaf(one, field, getattr(item, field))
    SubElement(given, "groups")
    leaf(force, "transition_velocity", item.transition_velocity)
    return True


def _smooth(to: Elements, item: SphereContact) -> bool:
    force = to.named("SmoothSphereHalfSpaceForce", item)
    for kind, name in zip(("sphere", "half_space"), _surfaces(to, item), strict=True):
        leaf(force, f"socket_{kind}", f"/contactgeometryset/{name}")
    for field in ("stiffness", *_RUBBING, "transition_velocity"):
        leaf(force, field, getattr(item, field))
    for tag, value in zip(_SMOOTH, np.asarray(item.smooth), strict=True):
        leaf(force, tag, value)
    return True


def _stiffness_of_other(item: SphereContact) -> float:
    """Stiffness of the other surface, of which the share of the sphere follows."""
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
    ball = _surface(to, "ContactSphere", f"{item.name}_sphere", item.sphere, radius=item.radius)
    if item.other_radius:
        other = f"{item.name}_other", item.other
        return ball, _surface(to, "ContactSphere", *other, radius=item.other_radius)
    angles = angles_of(item.axes)
    space = f"{item.name}_half_space", item.other
    return ball, _surface(to, "ContactHalfSpace", *space, orientation=angles)


def _surface(to: Elements, tag: str, wanted: str, at: Station, **numbers: Any) -> str:
    """Name of a surface, which is added to the contact geometry."""
    objects: Element = set_of(to.root, "ContactGeometrySet")
    name = first_free(legal(wanted), [str(one.get("name")) for one in objects])
    found = named(objects, tag, name)
    leaf(found, "socket_frame", to.names.frame(at.body))
    leaf(found, "location", at.position)
    for field, value in numbers.items():
        leaf(found, field, value)
    return name
