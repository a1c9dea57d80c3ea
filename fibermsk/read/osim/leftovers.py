"""What the reader never looked at: reported, unless it is known to mean nothing for mechanics."""

from __future__ import annotations

from fibermsk.read.osim.document import Document
from fibermsk.read.xml_tree import Element

__all__ = ["report_leftovers"]

HARMLESS = {
    "Appearance",
    "FrameGeometry",
    "ModelVisualPreferences",
    "VisibleObject",
    "assembly_accuracy",
    "credits",
    "defaults",
    "display",
    "groups",
    "publications",
}
"""Looks, authors, lists of names for menus, and defaults, which are read where they count."""

LOOKS = {
    "color",
    "default_color",
    "display_preference",
    "marker_color",
    "opacity",
    "representation",
    "texture",
    "texture_file",
    "visible",
}
"""How something looks, wherever it stands. So does all that starts with `show_`."""

DRAWN = LOOKS | {
    "Appearance",
    "DisplayGeometry",
    "GeometrySet",
    "ModelDisplayHints",
    "ObjectGroup",
    "SurfaceProperties",
    "VisibleProperties",
    "components",
    "display_radius",
    "geometry_file",
    "geometry_files",
    "groups",
    "input_transform",
    "material_name",
    "members",
    "objects",
    "scale_factors",
    "socket_frame",
    "transform",
}
"""What may stand inside of the harmless ones."""

EMPTY = {
    "attached_geometry",
    "components",
    "datafile",
    "frames",
    "groups",
    "input_transform",
    "objects",
}
"""Nothing is lost where these say nothing."""

SUMMARIES = {
    "MarkerSet": "markers are not imported: they are for inverse kinematics",
    "ProbeSet": "probes are not imported: they only measure",
    "AnalysisSet": "analyses are not imported: they only measure",
    "ContactGeometrySet": "contact geometry is not imported: give contact=... to read_osim",
    "ControllerSet": "CONTROLLERS are not imported: nothing excites the muscles",
}

ATTRIBUTES = {"name", "Version"}


def report_leftovers(document: Document) -> None:
    """Report each topmost element that nothing has looked at, and stray attributes and texts."""
    waiting = list(reversed(document.model.children))
    while waiting:
        element = waiting.pop()
        if element.tag in SUMMARIES and element.parent is document.model:
            _summarize(document, element)
            continue
        if element.tag in HARMLESS:
            if element.tag != "defaults":
                _report_undrawn(document, element)
            continue
        if not element.seen and _is_drawn(element):
            continue
        if not element.seen:
            if _says_nothing(element):
                continue
            text = f"<{element.tag}> is not understood: left out"
            document.report.add("not understood", element, text)
            continue
        for name, value in element.attributes.items():
            if name not in ATTRIBUTES and value.strip():
                text = f"the attribute {name} = {value[:40]!r} is not understood: left out"
                document.report.add("not understood", element, text)
        if element.children and element.text:
            text = f"the text {element.text[:40]!r} between elements is not understood: left out"
            document.report.add("not understood", element, text)
        waiting.extend(reversed(element.children))


def _is_drawn(element: Element) -> bool:
    """Whether an element only says how something looks."""
    return element.tag in LOOKS or element.tag.startswith("show_")


def _report_undrawn(document: Document, element: Element) -> None:
    """Report what stands among the looks and is none."""
    for part in element.walk():
        if part is not element and not (part.tag in DRAWN or part.tag.startswith("show_")):
            text = f"<{part.tag}> is not understood: left out"
            document.report.add("not understood", part, text)


def _says_nothing(element: Element) -> bool:
    """Whether an element is an empty list."""
    if element.text or element.attributes.keys() - ATTRIBUTES:
        return False
    lists = element.tag in EMPTY or element.tag.endswith("Set")
    return lists and all(
        _says_nothing(child) or child.tag in HARMLESS for child in element.children
    )


def _summarize(document: Document, element: Element) -> None:
    """One entry for a set that is left out as a whole, none where it is empty."""
    objects = [child for inside in element.find("objects") for child in inside.children]
    others = [child for child in element.children if child.tag not in ("objects", "groups")]
    for child in others:
        if not (_says_nothing(child) or child.tag in HARMLESS):
            text = f"<{child.tag}> is not understood: left out"
            document.report.add("not understood", child, text)
    if objects:
        kind = "not understood" if element.tag == "ControllerSet" else "note"
        document.report.add(kind, element, f"{len(objects)} {SUMMARIES[element.tag]}")
