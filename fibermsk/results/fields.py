"""Table of all fields of a result: name, unit, place, shape, label and description."""

from __future__ import annotations

from typing import Literal, NamedTuple

Place = Literal[
    "frame", "coordinate", "body", "shape", "mesh", "fiber", "node", "sample", "end", "solver",
    "element", "state", "muscle",
]  # fmt: skip
"""Objects with one value each: every fiber, every sample of a fiber, and so on."""

AXES = ("x", "y", "z")

_GROUPS = {
    "frame": "",
    "coordinate": "",
    "body": "bodies/<body>/",
    "shape": "bodies/<body>/shapes/",
    "mesh": "bodies/<body>/shapes/mesh_<k>/",
    **dict.fromkeys(("fiber", "node", "sample", "end"), "fibers/<fiber>/"),
    "solver": "solver/",
    "element": "elements/<element>/",
    "state": "states/<owner>/",
    "muscle": "muscles/<muscle>/",
}


class Field(NamedTuple):
    """One quantity of a result.

    Examples
    --------
    >>> from fibermsk.results import Field
    >>> Field("tension", "N", "tension", "pull on both ends").axis_label
    'tension [N]'
    """

    name: str  # of the attribute, and in files
    unit: str  # SI unit; "1" without dimension, empty for texts
    label: str  # short text for axes and legends
    description: str = ""  # one sentence at most
    # at one frame; names such as "n_nodes" stand for lengths set by the result
    shape: tuple[int | str, ...] = ()
    place: Place = "element"  # object with one value each
    varies: bool = True  # whether it changes over the frames
    whole: bool = False  # whether it is an integer
    derived: bool = False  # whether it follows from other fields
    in_file: bool = True  # whether it is stored in result files
    title: str = ""  # of plots, if not the label

    @property
    def axis_label(self) -> str:
        """Label with the unit in brackets."""
        return f"{self.label} [{self.shown_unit}]"

    @property
    def shown_unit(self) -> str:
        """Unit as shown in labels."""
        return "-" if self.unit == "1" else self.unit

    @property
    def full_shape(self) -> tuple[int | str, ...]:
        """Shape of the array over all frames."""
        return ("n_frames", *self.shape) if self.varies else self.shape

    @property
    def path(self) -> str:
        """Path in the result file."""
        name = f"{self.name}/<coordinate>" if self.place == "coordinate" else self.name
        return f"/{_GROUPS[self.place]}{name}"


def _fixed(name: str, unit: str, label: str, text: str, place: Place, *shape: int | str, **more):
    return Field(name, unit, label, text, shape, place, varies=False, **more)


_SAMPLES, _NODES = ("n_samples",), ("n_nodes", 3)

FIELDS = (
    Field("time", "s", "time", "the first frame is at 0", (), "frame"),
    Field("coordinates", "rad", "coordinate",
          "all coordinates, also coupled ones; [rad], [m] or [1]", (), "coordinate"),
    Field("speeds", "rad/s", "speed", "their rates; [rad/s], [m/s] or [1/s]", (), "coordinate"),
    Field("position", "m", "position", "origin of the body frame in ground", (3,), "body"),
    Field("rotation", "1", "rotation", "columns are the body's axes in ground", (3, 3), "body"),
    _fixed("kind", "", "kind", "`capsule`, `infinite_cylinder` or `mesh`", "shape", "n_shapes"),
    _fixed("start", "m", "start", "end of the axis in the body frame; of a mesh, a corner of its "
           "box", "shape", "n_shapes", 3),
    _fixed("end", "m", "end", "the other end, or the opposite corner", "shape", "n_shapes", 3),
    _fixed("radius", "m", "radius", "of a mesh the reference radius of its contact law, 0 if it is "
           "only drawn", "shape", "n_shapes"),
    _fixed("vertices", "m", "vertices", "of shape k if it is a mesh, body frame; compressed",
           "mesh", "n", 3),
    _fixed("faces", "1", "faces", "vertices of its triangles, counterclockwise from outside; "
           "compressed", "mesh", "m", 3, whole=True),
    _fixed("node_theta", "1", "θ of the nodes", "material coordinate of the nodes, 0 to 1", "node",
           "n_nodes"),
    Field("position", "m", "position", "nodes of the centerline in ground", _NODES, "node"),
    Field("tangent", "m", "tangent", "dx/dθ at the nodes, in ground", _NODES, "node"),
    Field("cut_force", "N", "force through a cut", "of the part beyond a node on the part before "
          "it, contacts included, by equilibrium: `force_origin` at the first node, minus "
          "`force_insertion` at the last", _NODES, "node"),
    _fixed("theta", "1", "θ of the samples", "θ of the next fields: three points per element",
           "sample", "n_samples"),
    _fixed("muscle_fraction", "1", "muscle fraction", "1 is muscle, 0 is tendon", "sample",
           "n_samples"),
    Field("stretch", "1", "stretch", "current over reference length", _SAMPLES, "sample"),
    Field("radius", "m", "radius", "current radius", _SAMPLES, "sample"),
    Field("axial_force", "N", "axial force", "of the section by equilibrium with the force at the "
          "ends, positive in tension", _SAMPLES, "sample"),
    Field("tissue_force", "N", "force of the tissue", "that of the stress law at each sample, "
          "minus half of each contact's line force times the radius; it swings around "
          "`axial_force` where the stretch jumps", _SAMPLES, "sample"),
    Field("stress", "Pa", "axial stress", "axial force over current area", _SAMPLES, "sample",
          derived=True, in_file=False, title="axial stress (force / current area)"),
    Field("contact_force_density", "N/m", "net contact force", "magnitude of `contact_line_force`; "
          "forces from opposite sides cancel, so that pressure from all sides gives a small "
          "value", _SAMPLES, "sample", derived=True,
          title="net contact force per current length"),
    Field("contact_line_force", "N/m", "net contact force", "net contact force on the fiber per "
          "current length, in ground: the sum over all contacts; see [limits](limits.md)",
          ("n_samples", 3), "sample"),
    Field("activation", "1", "activation", "0 to 1", (), "fiber"),
    Field("length", "m", "length", "of the centerline", (), "fiber", derived=True, in_file=False),
    Field("force_origin", "N", "force at the origin", "force of the fiber on the body at its first "
          "node, in ground; zero at a free end", (3,), "end"),
    Field("force_insertion", "N", "force at the insertion", "the same at its last node", (3,),
          "end"),
    Field("step_size", "s", "step size", "length of the last step before each frame; 0 at the "
          "first", (), "solver"),
    Field("newton_iterations", "1", "iterations", "since the previous frame", (), "solver",
          whole=True),
    Field("min_admissibility", "1", "1 + γg", "smallest 1 + γg of closed contacts; 1 if none is "
          "closed", (), "solver"),
)  # fmt: skip
"""Fields in the order of files and tables. Elements and states add their own."""


def _of(*places: Place) -> dict[str, Field]:
    return {field.name: field for field in FIELDS if field.place in places}


BODY_FIELDS = _of("body")
SHAPE_FIELDS = _of("shape")
MESH_FIELDS = _of("mesh")
FIBER_FIELDS = _of("fiber", "node", "sample", "end")
SOLVER_FIELDS = _of("solver")

COLORINGS = (
    *(name for name, field in FIBER_FIELDS.items() if field.shape == _SAMPLES and name != "theta"),
    "activation",
)
"""Fields that can be shown as colors on the fibers."""
