"""Contact of spheres with half-spaces and with each other."""

from __future__ import annotations

from typing import Any, NamedTuple

from fibermsk.model import Station
from fibermsk.read.osim.forces.source import Made, Source
from fibermsk.read.osim.skeleton.frames import Frame, placed, socket
from fibermsk.read.xml_tree import Element

SURFACES = "ContactSphere", "ContactHalfSpace"
_ZERO = (0.0, 0.0, 0.0)
_FRICTION = "static_friction", "dynamic_friction", "viscous_friction"


class Surface(NamedTuple):
    """A surface of a file: its frame, and its radius, 0 for a half-space."""

    frame: Frame
    radius: float


def read_surface(source: Source, element: Element) -> Surface:
    """Sphere or half-space of a file."""
    document = source.document
    element.seen = True
    frame = source.frames.of(element, "frame", "body_name")
    angles = document.vector(element, 3, "orientation", default=_ZERO)
    frame = placed(frame, angles, document.vector(element, 3, "location", default=_ZERO))
    for tag in ("display_preference", "color"):
        document.child(element, tag)
    radius = document.number(element, "radius") if element.tag == "ContactSphere" else 0.0
    return Surface(frame, radius)


def surfaces_of(source: Source) -> dict[str, Element]:
    """Contact geometry of a file by name."""
    document = source.document
    found = document.objects(document.model, "ContactGeometrySet")
    return {one.name: one for one in found}


def _pair(source: Source, one: Surface, other: Surface) -> dict[str, Any]:
    """Places of a sphere and another surface."""
    first, second = one.frame, other.frame
    return {
        "sphere": Station(source.bodies[first.body], first.position),
        "other": Station(source.bodies[second.body], second.position),
        "radius": one.radius,
        "other_radius": other.radius,
        "axes": second.rotation,
    }


def read_smooth(source: Source, element: Element) -> Made | None:
    """Read a SmoothSphereHalfSpaceForce."""
    document, known = source.document, surfaces_of(source)
    found = []
    for name, kind in (("sphere", "ContactSphere"), ("half_space", "ContactHalfSpace")):
        given = socket(document, element, name)
        surface = known.get(given.text.rpartition("/")[2]) if given is not None else None
        if surface is None or surface.tag != kind:
            document.fail(given or element, f"names no {kind}", f"must name a {kind} of the model")
        found.append(read_surface(source, surface))
    for tag in ("force_visualization_radius", "force_visualization_scale_factor"):
        document.child(element, tag)
    numbers = {
        name: document.number(element, name, default=default)
        for name, default in (
            ("stiffness", 1.0),
            ("dissipation", 0.0),
            *((one, 0.0) for one in _FRICTION),
            ("transition_velocity", 0.01),
        )
    }
    smooth = [
        document.number(element, name, default=default)
        for name, default in (
            ("constant_contact_force", 1e-5),
            ("hertz_smoothing", 300.0),
            ("hunt_crossley_smoothing", 50.0),
        )
    ]
    if found[0].frame.body == found[1].frame.body:
        document.note(element, f"the {element.tag} has both surfaces on one body: without effect")
        return None
    return Made("SphereContact", _pair(source, *found) | numbers | {"smooth": smooth})


def read_point(source: Source, element: Element) -> Made:
    """Read a MeyerFregly2016Force."""
    document = source.document
    found = socket(document, element, "station")
    at = source.frames.station(found, element) if found is not None and found.text else None
    if at is None:
        document.fail(found or element, "names no Station", "must name a Station of the model")
    at.seen = True
    for holder in (
        at.parent,
        element.find("components")[0] if element.find("components") else None,
    ):
        if holder is not None and holder.tag == "components":
            holder.seen = True
    document.child(element, "force_visualization_scale_factor")
    numbers = {
        name: document.number(element, tag, default=default)
        for name, tag, default in (
            ("stiffness", "stiffness", 1e4),
            ("dissipation", "dissipation", 0.01),
            ("height", "spring_resting_length", 0.0),
            ("dynamic_friction", "dynamic_friction", 0.0),
            ("viscous_friction", "viscous_friction", 5.0),
            ("latch_velocity", "latch_velocity", 0.05),
        )
    }
    return Made(
        "PointContact", {"point": source.station(at, ("parent_frame",), "location")} | numbers
    )


class _Material(NamedTuple):
    """Stiffness, dissipation and three coefficients of friction of a surface."""

    stiffness: float
    dissipation: float
    friction: tuple[float, ...]


def read_hunt_crossley(source: Source, element: Element) -> list[tuple[str, Made]]:
    """Pairs of surfaces of a HuntCrossleyForce, by their names."""
    document, known = source.document, surfaces_of(source)
    speed = document.number(element, "transition_velocity", default=0.01)
    surfaces = list[tuple[str, Surface, _Material]]()
    sets = [one for one in element.children if one.tag.endswith("ContactParametersSet")]
    for one in sets:
        one.seen = True
    for given in [each for one in sets for each in document.inside(one, "objects")]:
        given.seen = True
        material = _Material(
            document.number(given, "stiffness", default=0.0),
            document.number(given, "dissipation", default=0.0),
            tuple(document.number(given, name, default=0.0) for name in _FRICTION),
        )
        for name in document.words(given, "geometry"):
            if name not in known:
                document.fail(given, f"names {name[:80]!r}", "must name contact geometry")
            if known[name].tag not in SURFACES:
                text = f"the surface {name!r} is a {known[name].tag}: it does NOT ACT"
                document.not_understood(element, text)
                continue
            surfaces.append((name, read_surface(source, known[name]), material))
    found = []
    for k, (name, one, of_one) in enumerate(surfaces):
        for other_name, other, of_other in surfaces[k + 1 :]:
            apart = one.frame.body != other.frame.body
            if not apart or not (one.radius or other.radius):
                continue
            sides = ((one, of_one), (other, of_other))
            (ball, of_ball), (base, of_base) = sides if one.radius else sides[::-1]
            numbers = _mixed(of_ball, of_base) | {"transition_velocity": speed}
            made = Made("SphereContact", _pair(source, ball, base) | numbers)
            found.append((f"{name} {other_name}", made))
    if not found:
        document.note(element, f"the {element.tag} has no pair of surfaces: without effect")
    return found


def _mixed(ball: _Material, base: _Material) -> dict[str, float]:
    """Numbers of a pair of materials, as OpenSim combines them."""
    own, their = (one.stiffness ** (2.0 / 3.0) for one in (ball, base))
    share = their / (own + their) if own + their else 0.5
    friction = [2.0 * a * b / (a + b) if a + b else 0.0 for a, b in zip(*(
        one.friction for one in (ball, base)), strict=True)]  # fmt: skip
    dissipation = share * ball.dissipation + (1.0 - share) * base.dissipation
    numbers = {"stiffness": ball.stiffness, "share": share, "dissipation": dissipation}
    return numbers | dict(zip(_FRICTION, friction, strict=True))
