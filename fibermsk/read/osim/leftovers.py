"""Report of elements that were not read, unless they are irrelevant for mechanics."""

from __future__ import annotations

from fibermsk.read.osim.document import Document
from fibermsk.read.osim.forces.muscles import MUSCLES
from fibermsk.read.xml_tree import Element

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
"""Display, authors and names, and defaults, which are read where they apply."""

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
"""Display properties anywhere in the file, like all tags that start with `show_`."""

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
"""Allowed contents of harmless elements."""

EMPTY = {
    "attached_geometry",
    "components",
    "datafile",
    "frames",
    "groups",
    "input_transform",
    "objects",
}
"""Elements without meaning if they are empty."""

SUMMARIES = {
    "ProbeSet": "probes are not imported: they only measure",
    "AnalysisSet": "analyses are not imported: they only measure",
    "ContactGeometrySet": "surfaces of contact are of no force that acts: not imported",
    "ControllerSet": "CONTROLLERS are not imported: nothing excites the muscles",
}

ATTRIBUTES = {"name", "Version"}

NEWEST = 40600
"""Newest supported version, of OpenSim 4.5 and 4.6."""

NEEDED = ("max_isometric_force", "optimal_fiber_length")
"""Numbers of a muscle without a reasonable default."""

OF_MUSCLES = frozenset(
    """
    GeometryPath components appliesForce isDisabled min_control max_control optimal_force
    max_isometric_force optimal_fiber_length tendon_slack_length pennation_angle
    pennation_angle_at_optimal max_contraction_velocity ignore_tendon_compliance
    ignore_activation_dynamics default_activation default_fiber_length minimum_activation
    maximum_pennation_angle activation_time_constant deactivation_time_constant activation1
    activation2 activation_1 activation_2 time_scale timescale mass damping fiber_damping
    FmaxTendonStrain FmaxMuscleStrain KshapeActive KshapePassive Af Flen Vmax Vmax0
    fv_linear_extrap_threshold active_force_width_scale passive_fiber_strain_at_one_norm_force
    tendon_strain_at_one_norm_force ignore_passive_fiber_force tendon_compliance_dynamics_mode
    default_normalized_tendon_force ActiveForceLengthCurve ForceVelocityCurve
    FiberForceLengthCurve TendonForceLengthCurve ForceVelocityInverseCurve
    FiberCompressiveForceLengthCurve FiberCompressiveForceCosPennationCurve
    active_force_length_curve passive_force_length_curve tendon_force_length_curve
    force_velocity_curve
    """.split()
)
"""Properties of muscles in OpenSim."""


def report_leftovers(document: Document) -> None:
    """Report each topmost element that was not read, and unknown attributes and texts."""
    _report_outside(document)
    waiting = list(reversed(document.model.children))
    while waiting:
        element = waiting.pop()
        if element.tag in SUMMARIES and element.parent is document.model:
            _summarize(document, element)
            continue
        if element.tag in HARMLESS:
            if element.tag != "defaults":
                _report_undrawn(document, element)
            elif element.parent is not document.model and not _is_bare(element):
                text = "<defaults> is used directly below <Model> only: left out"
                document.not_understood(element, text)
            continue
        if not element.seen:
            if not (_is_drawn(element) or _says_nothing(element)):
                _leave_out(document, element, f"<{element.tag}>")
            continue
        if element.tag in MUSCLES:
            _report_muscle(document, element)
        _report_strays(document, element, ATTRIBUTES)
        waiting.extend(reversed(element.children))


def _leave_out(document: Document, element: Element, what: str) -> None:
    document.not_understood(element, f"{what} is not understood: left out")


def _report_strays(document: Document, element: Element, known: set[str]) -> None:
    """Report unknown attributes, and texts between elements."""
    for name, value in element.attributes.items():
        if name not in known and value.strip():
            _leave_out(document, element, f"the attribute {name} = {value[:40]!r}")
    if element.children and element.text:
        _leave_out(document, element, f"the text {element.text[:40]!r} between elements")


def _report_outside(document: Document) -> None:
    """Report a newer version, and elements outside of the model."""
    root = document.model.parent
    assert root is not None
    if document.version > NEWEST:
        text = f"version {document.version} is newer than the newest supported one ({NEWEST})"
        document.note(root, text)
    _report_strays(document, root, {"Version"})
    _report_strays(document, document.model, {"name"})
    for element in root.children:
        if element is not document.model:
            _leave_out(document, element, f"<{element.tag}> is outside <Model> and")


def _report_muscle(document: Document, element: Element) -> None:
    """Report unknown properties and missing numbers of a muscle."""
    if not element.find("GeometryPath"):
        return
    default = document.defaults.get(element.tag)
    for tag in NEEDED:
        if not element.find(tag) and (default is None or not default.find(tag)):
            document.note(element, f"a muscle without {tag}: OpenSim's default is used")
    for child in element.children:
        known = child.tag in OF_MUSCLES or child.tag in HARMLESS or _is_drawn(child)
        if child.seen and not child.children and not known:
            text = f"<{child.tag}> is not a known property of a muscle: kept in parameters only"
            document.note(child, text)


def _is_bare(element: Element) -> bool:
    """Whether an element is empty."""
    return not (element.children or element.text)


def _is_harmless(element: Element) -> bool:
    """Whether an element is irrelevant for mechanics."""
    return element.tag in HARMLESS and (element.tag != "defaults" or _is_bare(element))


def _is_drawn(element: Element) -> bool:
    """Whether an element is a display property."""
    return element.tag in LOOKS or element.tag.startswith("show_")


def _report_undrawn(document: Document, element: Element) -> None:
    """Report elements among display properties that are not such."""
    for part in element.walk():
        if part is not element and not (part.tag in DRAWN or part.tag.startswith("show_")):
            _leave_out(document, part, f"<{part.tag}>")


def _says_nothing(element: Element) -> bool:
    """Whether an element is an empty list."""
    if element.text or element.attributes.keys() - ATTRIBUTES:
        return False
    lists = element.tag in EMPTY or element.tag.endswith("Set")
    return lists and all(_says_nothing(child) or _is_harmless(child) for child in element.children)


def _summarize(document: Document, element: Element) -> None:
    """Report a set as one entry; none if it is empty."""
    objects = [child for inside in element.find("objects") for child in inside.children]
    # contact geometry that a force uses is read
    objects = [child for child in objects if not child.seen or element.tag != "ContactGeometrySet"]
    others = [child for child in element.children if child.tag not in ("objects", "groups")]
    for child in others:
        if not (_says_nothing(child) or _is_harmless(child)):
            _leave_out(document, child, f"<{child.tag}>")
    if objects:
        kind = "not understood" if element.tag == "ControllerSet" else "note"
        document.report.add(kind, element, f"{len(objects)} {SUMMARIES[element.tag]}")
