"""Muscles as bundles of deforming, sliding, contracting fibers on moving bones.

Describe a `Model`, `build` it, find its `equilibrium`, `simulate`, and evaluate the `Result`. SI
units throughout.
"""

from typing import TYPE_CHECKING

from fibermsk._version import __version__
from fibermsk.errors import ConvergenceError, ModelError, ModelWarning, WriteError
from fibermsk.laws import (
    ActiveStress,
    ContactLaw,
    CoordinateForce,
    CoordinateLaw,
    Damper,
    KelvinVoigt,
    PenaltyContact,
    QuadraticLimit,
    SmoothLimit,
    Spring,
    Stiffening,
    StressLaw,
    law_constant,
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
from fibermsk.parameters import Parameter, Parameters, with_activations, with_parameters
from fibermsk.results import Progress, Result, Snapshot, Still

if TYPE_CHECKING:
    from fibermsk import view
    from fibermsk.anatomy import MuscleBundle, fibers_from_muscle, pack_section, shapes_from_wraps
    from fibermsk.backend import build
    from fibermsk.cli.commands.run import run_scene
    from fibermsk.cli.running.scene_files import make_scene
    from fibermsk.forces import CoordinateController, ExternalForce, PointConstraint, PointSpring
    from fibermsk.io import export, load, load_checkpoint, save, save_checkpoint
    from fibermsk.read import (
        ImportReport,
        Signals,
        emg_activation,
        emg_envelope,
        read_mesh,
        read_osim,
        read_signals,
    )
    from fibermsk.scene_run import simulate_scene
    from fibermsk.solvers import (
        BDF2,
        SDIRK2,
        AdaptiveSteps,
        BackwardEuler,
        FixedSteps,
        GeneralizedAlpha,
        Newton,
        Observer,
        Stability,
        Stop,
        StopWhen,
        equilibrium,
        simulate,
        stability,
    )
    from fibermsk.system import Skeleton, check, check_contribution, skeleton
    from fibermsk.system.reports.moment import Moment
    from fibermsk.system.reports.still import still

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
    "ContactLaw",
    "ConvergenceError",
    "Coordinate",
    "CoordinateController",
    "CoordinateForce",
    "CoordinateLaw",
    "Coupling",
    "Cylindrical",
    "Damper",
    "ExternalForce",
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
    "Moment",
    "MovingPathPoint",
    "MovingPoint",
    "MuscleBundle",
    "NaturalSpline",
    "Newton",
    "Observer",
    "Parameter",
    "Parameters",
    "PathPoint",
    "PathWrap",
    "PenaltyContact",
    "PiecewiseLinear",
    "Planar",
    "PointConstraint",
    "PointSpring",
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
    "Stop",
    "StopWhen",
    "StressLaw",
    "Table",
    "Tissue",
    "Universal",
    "Weld",
    "WrapCylinder",
    "WrapEllipsoid",
    "WrapSphere",
    "WrapTorus",
    "WriteError",
    "__version__",
    "build",
    "check",
    "check_contribution",
    "emg_activation",
    "emg_envelope",
    "equilibrium",
    "export",
    "fibers_from_muscle",
    "law_constant",
    "load",
    "load_checkpoint",
    "make_scene",
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
    "with_activations",
    "with_parameters",
]

# Lazy imports: describing a model needs neither the compiler nor the viewer.
_BY_MODULE = {
    "anatomy": "MuscleBundle fibers_from_muscle pack_section shapes_from_wraps",
    "backend": "build",
    "cli.commands.run": "run_scene",
    "cli.running.scene_files": "make_scene",
    "forces": "CoordinateController ExternalForce PointConstraint PointSpring",
    "io": "export load load_checkpoint save save_checkpoint",
    "read": "ImportReport Signals emg_activation emg_envelope read_mesh read_osim read_signals",
    "scene_run": "simulate_scene",
    "solvers": """BDF2 SDIRK2 AdaptiveSteps BackwardEuler FixedSteps GeneralizedAlpha Newton
        Observer Stability Stop StopWhen equilibrium simulate stability""",
    "system": "Skeleton check check_contribution skeleton",
    "system.reports.moment": "Moment",
    "system.reports.still": "still",
}
_LAZY = {
    name: f"fibermsk.{module}" for module, names in _BY_MODULE.items() for name in names.split()
}


def __getattr__(name: str):
    """Import heavier parts on first access."""
    from importlib import import_module

    if name == "view":
        return import_module("fibermsk.view")
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'fibermsk' has no attribute {name!r}")
