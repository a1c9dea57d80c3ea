"""Contact of spheres with half-spaces and with each other."""

from __future__ import annotations

from typing import Any, NamedTuple

from fibermsk.model import Station
from fibermsk.read.osim.forces.source import Made, Source
from fibermsk.read.osim.skeleton.frames import Frame, placed, socket
from fibermsk.read.xml_tree import Element

_ZERO = (0.0, 0.0, 0.0)
_FRICTION = "static_friction", "dynamic_friction", "viscous_friction"


class Surface(NamedTuple):
    """A surface of a file.

    Attributes
    ----------
    kind : str
        Its class in OpenSim.
    frame : Frame
        Its frame.
    size : float, array or Mesh
        Radius of a sphere, radii of an ellipsoid, or mesh in its frame; 0 for a half-space.
    """

    kind: str
    frame: Frame
    size: Any


def read_surface(source: Source, element: Element) -> Surface | None:
    """Contact geometry of a file; None without its mesh, which is reported."""
    document, kind = source.document, element.tag
    element.seen = True
    frame = source.frames.of(element, "frame", "body_name")
    angles = document.vector(element, 3, "orientation", default=_ZERO)
    frame = placed(frame, angles, document.vector(element, 3, "location", default=_ZERO))
    for tag in ("display_preference", "color"):
        document.child(element, tag)
    size: Any = 0.0
    if kind == "ContactSphere":
        size = document.number(element, "radius")
    elif kind == "ContactEllipsoid":
        size = document.vector(element, 3, "radii")
    elif kind == "ContactMesh":
        size = source.meshes.of_contact(element, document.text(element, "filename"))
        return None if size is None else Surface(kind, frame, size)
    elif kind != "ContactHalfSpace":
        element.leave()  # no force has a law for it, in OpenSim neither
    return Surface(kind, frame, size)


def surfaces_of(source: Source) -> dict[str, Element]:
    """Contact geometry of a file by name."""
    document = source.document
    found = document.objects(document.model, "ContactGeometrySet")
    return {one.name: one for one in found}


def _station(source: Source, surface: Surface) -> Station:
    """Origin of a surface."""
    return Station(source.bodies[surface.frame.body], surface.frame.position)


def _pair(source: Source, one: Surface, other: Surface) -> dict[str, Any]:
    """Places of a sphere and another surface."""
    return {
        "sphere": _station(source, one),
        "other": _station(source, other),
        "radius": one.size,
        "other_radius": other.size,
        "axes": other.frame.rotation,
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
        read = read_surface(source, surface)
        assert read is not None  # only meshes may be missing
        found.append(read)
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


class Material(NamedTuple):
    """Stiffness, dissipation and three coefficients of friction of a surface."""

    stiffness: float
    dissipation: float
    friction: tuple[float, ...]


class Side(NamedTuple):
    """A surface of a force, by name, with its material."""

    name: str
    surface: Surface
    material: Material


def read_sides(source: Source, element: Element) -> list[Side]:
    """Surfaces of a force with contact parameters."""
    document, known, sides = source.document, surfaces_of(source), list[Side]()
    sets = [one for one in element.children if one.tag.endswith("ContactParametersSet")]
    for one in sets:
        one.seen = True
    for given in [each for one in sets for each in document.inside(one, "objects")]:
        given.seen = True
        material = Material(
            document.number(given, "stiffness", default=0.0),
            document.number(given, "dissipation", default=0.0),
            tuple(document.number(given, name, default=0.0) for name in _FRICTION),
        )
        for name in document.words(given, "geometry"):
            if name not in known:
                document.fail(given, f"names {name[:80]!r}", "must name contact geometry")
            surface = read_surface(source, known[name])
            if surface is not None:
                sides.append(Side(name, surface, material))
    return sides


def pairs_of(sides: list[Side]) -> list[tuple[Side, Side]]:
    """Pairs of surfaces on different bodies."""
    return [
        (one, other)
        for k, one in enumerate(sides)
        for other in sides[k + 1 :]
        if one.surface.frame.body != other.surface.frame.body
    ]


_ROUND = "ContactSphere", "ContactEllipsoid"


def read_hunt_crossley(source: Source, element: Element) -> list[tuple[str, Made]]:
    """Pairs of surfaces of a HuntCrossleyForce, by their names."""
    document, found, idle = source.document, list[tuple[str, Made]](), 0
    speed = {"transition_velocity": document.number(element, "transition_velocity", default=0.01)}
    pairs = pairs_of(read_sides(source, element))
    for one, other in pairs:
        kinds = [each.surface.kind for each in (one, other)]
        name = f"{one.name} {other.name}"
        ball, base = (one, other) if kinds[0] in _ROUND else (other, one)
        numbers = speed | _mixed(ball.material, base.material)
        if all(kind in ("ContactSphere", "ContactHalfSpace") for kind in kinds) and (
            "ContactSphere" in kinds
        ):
            made = Made("SphereContact", _pair(source, ball.surface, base.surface) | numbers)
            found.append((name, made))
        elif sorted(kinds) == ["ContactEllipsoid", "ContactHalfSpace"]:
            given = {
                "ellipsoid": _station(source, ball.surface),
                "other": _station(source, base.surface),
                "radii": ball.surface.size,
                "own_axes": ball.surface.frame.rotation,
                "axes": base.surface.frame.rotation,
            }
            found.append((name, Made("EllipsoidContact", given | numbers)))
        elif all(kind in _ROUND for kind in kinds):
            text = "of an ellipsoid with a round surface does NOT ACT: half-spaces only"
            document.not_understood(element, f"the contact {name!r} {text}")
        else:
            idle += 1
    if idle or not pairs:
        text = (
            f"{idle} pairs of surfaces for which it has no law" if idle else "no pair of surfaces"
        )
        text = f"the {element.tag} has {text}: without effect, as in OpenSim"
        document.note(element, text)
    return found


def read_foundation(source: Source, element: Element) -> list[tuple[str, Made]]:
    """Pairs of surfaces of an ElasticFoundationForce, by their names."""
    document, found, idle = source.document, list[tuple[str, Made]](), 0
    speed = {"transition_velocity": document.number(element, "transition_velocity", default=0.01)}
    pairs = pairs_of(read_sides(source, element))
    known = "ContactMesh", "ContactSphere", "ContactHalfSpace"
    for pair in pairs:
        kinds = [each.surface.kind for each in pair]
        acting = [k for k in (0, 1) if kinds[k] == "ContactMesh" and kinds[1 - k] in known]
        acting = [k for k in acting if pair[k].material.stiffness != 0.0]
        idle += not acting
        for k in acting:
            one, other = pair[k], pair[1 - k]
            # two meshes with springs share the contact
            half = 0.5 if kinds == ["ContactMesh", "ContactMesh"] else 1.0
            name = f"{one.name} {other.name}"
            with document.naming(element):
                given = _foundation(source, one.surface, other.surface)
            given |= _numbers(one.material, half) | speed
            found.append((name, Made("MeshContact", given)))
    if idle or not pairs:
        text = f"{idle} pairs of surfaces without springs" if idle else "no pair of surfaces"
        document.note(element, f"the {element.tag} has {text}: without effect, as in OpenSim")
    return found


def _foundation(source: Source, one: Surface, other: Surface) -> dict[str, Any]:
    """Places of a mesh with springs and another surface."""
    return {
        "body": source.bodies[one.frame.body],
        "other": _station(source, other),
        "mesh": one.size.placed(one.frame.rotation, one.frame.position),
        "axes": other.frame.rotation,
        "radius": other.size if other.kind == "ContactSphere" else 0.0,
        "surface": other.size if other.kind == "ContactMesh" else None,
    }


def _numbers(material: Material, half: float) -> dict[str, float]:
    """Numbers of springs of one material."""
    numbers = {"stiffness": half * material.stiffness, "dissipation": material.dissipation}
    return numbers | dict(zip(_FRICTION, material.friction, strict=True))


def _mixed(ball: Material, base: Material) -> dict[str, float]:
    """Numbers of a pair of materials, as OpenSim combines them."""
    own, their = (one.stiffness ** (2.0 / 3.0) for one in (ball, base))
    share = their / (own + their) if own + their else 0.5
    friction = [2.0 * a * b / (a + b) if a + b else 0.0 for a, b in zip(*(
        one.friction for one in (ball, base)), strict=True)]  # fmt: skip
    dissipation = share * ball.dissipation + (1.0 - share) * base.dissipation
    numbers = {"stiffness": ball.stiffness, "share": share, "dissipation": dissipation}
    return numbers | dict(zip(_FRICTION, friction, strict=True))
