"""Muscles as bundles of deforming, sliding, contracting fibers on moving bones.

Describe a `Model`, `build` it, balance it with `equilibrium`, `simulate`, and look at the `Result`.
SI units throughout.
"""

from typing import TYPE_CHECKING

from fibermsk._version import __version__
from fibermsk.errors import ConvergenceError, ModelError, ModelWarning
from fibermsk.laws import (
    ActiveStress,
    Damper,
    KelvinVoigt,
    PenaltyContact,
    QuadraticLimit,
    SmoothLimit,
    Spring,
    Stiffening,
)
from fibermsk.model import (
    Axis,
    Body,
    Capsule,
    ConditionalPathPoint,
    Constant,
    Contact,
    Coordinate,
    Coupling,
    Cylindrical,
    Fiber,
    Free,
    FunctionalJoint,
    Hinge,
    InfiniteCylinder,
    Linear,
    LineMuscle,
    Mesh,
    MeshReport,
    Model,
    MovingPathPoint,
    MovingPoint,
    NaturalSpline,
    PathPoint,
    PathWrap,
    PiecewiseLinear,
    Planar,
    Polynomial,
    Ramp,
    Scaled,
    Scene,
    SimmSpline,
    Slider,
    Spherical,
    Station,
    Table,
    Tissue,
    Universal,
    Weld,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapTorus,
)
from fibermsk.results import Progress, Result, Snapshot, Still

if TYPE_CHECKING:
    from fibermsk import view
    from fibermsk.anatomy import MuscleBundle, fibers_from_muscle, pack_section, shapes_from_wraps
    from fibermsk.backend import build
    from fibermsk.cli.run import run_scene
    from fibermsk.io import load, load_checkpoint, save, save_checkpoint
    from fibermsk.read import ImportReport, Signals, read_mesh, read_osim, read_signals
    from fibermsk.scene_run import simulate_scene
    from fibermsk.solvers import (
        BDF2,
        SDIRK2,
        AdaptiveSteps,
        BackwardEuler,
        FixedSteps,
        GeneralizedAlpha,
        Newton,
        Stability,
        equilibrium,
        simulate,
        stability,
    )
    from fibermsk.system import Skeleton, check, skeleton
    from fibermsk.system.still import still

__all__ = [
    "BDF2",
    "SDIRK2",
    "ActiveStress",
    "AdaptiveSteps",
    "Axis",
    "BackwardEuler",
    "Body",
    "Capsule",
    "ConditionalPathPoint",
    "Constant",
    "Contact",
    "ConvergenceError",
    "Coordinate",
    "Coupling",
    "Cylindrical",
    "Damper",
    "Fiber",
    "FixedSteps",
    "Free",
    "FunctionalJoint",
    "GeneralizedAlpha",
    "Hinge",
    "ImportReport",
    "InfiniteCylinder",
    "KelvinVoigt",
    "LineMuscle",
    "Linear",
    "Mesh",
    "MeshReport",
    "Model",
    "ModelError",
    "ModelWarning",
    "MovingPathPoint",
    "MovingPoint",
    "MuscleBundle",
    "NaturalSpline",
    "Newton",
    "PathPoint",
    "PathWrap",
    "PenaltyContact",
    "PiecewiseLinear",
    "Planar",
    "Polynomial",
    "Progress",
    "QuadraticLimit",
    "Ramp",
    "Result",
    "Scaled",
    "Scene",
    "Signals",
    "SimmSpline",
    "Skeleton",
    "Slider",
    "SmoothLimit",
    "Snapshot",
    "Spherical",
    "Spring",
    "Stability",
    "Station",
    "Stiffening",
    "Still",
    "Table",
    "Tissue",
    "Universal",
    "Weld",
    "WrapCylinder",
    "WrapEllipsoid",
    "WrapSphere",
    "WrapTorus",
    "__version__",
    "build",
    "check",
    "equilibrium",
    "fibers_from_muscle",
    "load",
    "load_checkpoint",
    "pack_section",
    "read_mesh",
    "read_osim",
    "read_signals",
    "run_scene",
    "save",
    "save_checkpoint",
    "shapes_from_wraps",
    "simulate",
    "simulate_scene",
    "skeleton",
    "stability",
    "still",
    "view",
]

# Loaded on first use: describing a model needs neither the compiler nor the viewer.
_LAZY = {
    "AdaptiveSteps": "fibermsk.solvers",
    "BDF2": "fibermsk.solvers",
    "BackwardEuler": "fibermsk.solvers",
    "FixedSteps": "fibermsk.solvers",
    "GeneralizedAlpha": "fibermsk.solvers",
    "ImportReport": "fibermsk.read",
    "Newton": "fibermsk.solvers",
    "SDIRK2": "fibermsk.solvers",
    "Signals": "fibermsk.read",
    "Skeleton": "fibermsk.system",
    "Stability": "fibermsk.solvers",
    "MuscleBundle": "fibermsk.anatomy",
    "build": "fibermsk.backend",
    "check": "fibermsk.system",
    "equilibrium": "fibermsk.solvers",
    "fibers_from_muscle": "fibermsk.anatomy",
    "load": "fibermsk.io",
    "load_checkpoint": "fibermsk.io",
    "pack_section": "fibermsk.anatomy",
    "read_mesh": "fibermsk.read",
    "read_osim": "fibermsk.read",
    "read_signals": "fibermsk.read",
    "run_scene": "fibermsk.cli.run",
    "save": "fibermsk.io",
    "save_checkpoint": "fibermsk.io",
    "shapes_from_wraps": "fibermsk.anatomy",
    "simulate": "fibermsk.solvers",
    "simulate_scene": "fibermsk.scene_run",
    "skeleton": "fibermsk.system",
    "stability": "fibermsk.solvers",
    "still": "fibermsk.system.still",
}


def __getattr__(name: str):
    """Import the heavier parts when they are first asked for."""
    from importlib import import_module

    if name == "view":
        return import_module("fibermsk.view")
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'fibermsk' has no attribute {name!r}")
