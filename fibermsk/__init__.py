"""Muscles as bundles of deforming, sliding, contracting fibers on moving bones.

Describe a `Model`, `build` it, find its `equilibrium`, `simulate`, and evaluate the `Result`. SI
units throughout.
"""

from typing import TYPE_CHECKING

from fibermsk._version import __version__ as __version__
from fibermsk.errors import (
    ConvergenceError as ConvergenceError,
    ModelError as ModelError,
    ModelWarning as ModelWarning,
    PathError as PathError,
    WriteError as WriteError,
)
from fibermsk.laws import (
    ActivationLaw as ActivationLaw,
    ActiveStress as ActiveStress,
    BellForceLength as BellForceLength,
    ContactLaw as ContactLaw,
    CoordinateForce as CoordinateForce,
    CoordinateLaw as CoordinateLaw,
    Damper as Damper,
    DeGrooteCurves as DeGrooteCurves,
    DeGrooteForceLength as DeGrooteForceLength,
    DeGrooteForceVelocity as DeGrooteForceVelocity,
    FittedMillardCurves as FittedMillardCurves,
    ForceLength as ForceLength,
    ForceVelocity as ForceVelocity,
    Friction as Friction,
    GaussianForceLength as GaussianForceLength,
    HillForceVelocity as HillForceVelocity,
    HillLaw as HillLaw,
    HillStress as HillStress,
    KelvinVoigt as KelvinVoigt,
    MillardCurves as MillardCurves,
    PenaltyContact as PenaltyContact,
    PiecewiseActivation as PiecewiseActivation,
    QuadraticLimit as QuadraticLimit,
    SmoothActivation as SmoothActivation,
    SmoothLimit as SmoothLimit,
    Spring as Spring,
    Stiffening as Stiffening,
    StressLaw as StressLaw,
    StretchGradient as StretchGradient,
    ThelenCurves as ThelenCurves,
    Titin as Titin,
    law_constant as law_constant,
)
from fibermsk.model import (
    ActivationDynamics as ActivationDynamics,
    Axis as Axis,
    Body as Body,
    Capsule as Capsule,
    ConditionalPathPoint as ConditionalPathPoint,
    Constant as Constant,
    Contact as Contact,
    Coordinate as Coordinate,
    CoordinateRange as CoordinateRange,
    Coupling as Coupling,
    Cylindrical as Cylindrical,
    Fiber as Fiber,
    Free as Free,
    FunctionalJoint as FunctionalJoint,
    Hinge as Hinge,
    InfiniteCylinder as InfiniteCylinder,
    Junction as Junction,
    Linear as Linear,
    LineMuscle as LineMuscle,
    Marker as Marker,
    Mesh as Mesh,
    MeshReport as MeshReport,
    Model as Model,
    MovingPathPoint as MovingPathPoint,
    MovingPoint as MovingPoint,
    MultivariatePolynomial as MultivariatePolynomial,
    MuscleMass as MuscleMass,
    NaturalSpline as NaturalSpline,
    PathPoint as PathPoint,
    PathWrap as PathWrap,
    PiecewiseConstant as PiecewiseConstant,
    PiecewiseLinear as PiecewiseLinear,
    Planar as Planar,
    Polynomial as Polynomial,
    Ramp as Ramp,
    Reflex as Reflex,
    Scaled as Scaled,
    Scene as Scene,
    SimmSpline as SimmSpline,
    Sine as Sine,
    Slider as Slider,
    SmoothStep as SmoothStep,
    Spherical as Spherical,
    Station as Station,
    Table as Table,
    Tissue as Tissue,
    Universal as Universal,
    Weld as Weld,
    WrapCappedCylinder as WrapCappedCylinder,
    WrapCylinder as WrapCylinder,
    WrapEllipsoid as WrapEllipsoid,
    WrapLevelSet as WrapLevelSet,
    WrapSphere as WrapSphere,
    WrapTorus as WrapTorus,
)
from fibermsk.parameters import (
    Parameter as Parameter,
    Parameters as Parameters,
    with_activations as with_activations,
    with_parameters as with_parameters,
)
from fibermsk.results import (
    Progress as Progress,
    Result as Result,
    Snapshot as Snapshot,
    Still as Still,
)

if TYPE_CHECKING:
    from fibermsk import view as view
    from fibermsk.analysis import (
        InverseDynamics as InverseDynamics,
        InverseKinematics as InverseKinematics,
        Measurement as Measurement,
        MuscleCurves as MuscleCurves,
        ScaledModel as ScaledModel,
        StaticOptimum as StaticOptimum,
        inverse_dynamics as inverse_dynamics,
        inverse_kinematics as inverse_kinematics,
        muscle_curves as muscle_curves,
        place_sensors as place_sensors,
        read_external_loads as read_external_loads,
        scale as scale,
        static_optimization as static_optimization,
        write_external_loads as write_external_loads,
    )
    from fibermsk.anatomy import (
        ModelBundles as ModelBundles,
        MovedMass as MovedMass,
        MuscleBundle as MuscleBundle,
        MuscleRun as MuscleRun,
        PlacedMuscle as PlacedMuscle,
        SplitFiber as SplitFiber,
        WholeMuscle as WholeMuscle,
        bundles_from_model as bundles_from_model,
        cat_soleus as cat_soleus,
        fibers_from_muscle as fibers_from_muscle,
        junction_forces as junction_forces,
        pack_section as pack_section,
        shapes_from_wraps as shapes_from_wraps,
        split_fiber as split_fiber,
        with_muscle_mass as with_muscle_mass,
    )
    from fibermsk.backend import build as build
    from fibermsk.cli.commands.run import run_scene as run_scene
    from fibermsk.control import (
        Activation as Activation,
        Along as Along,
        AtRest as AtRest,
        ControlSolution as ControlSolution,
        DiscretePaths as DiscretePaths,
        Duration as Duration,
        Effort as Effort,
        EndState as EndState,
        Excitations as Excitations,
        FittedPaths as FittedPaths,
        FreeDuration as FreeDuration,
        Jerk as Jerk,
        OptimalControl as OptimalControl,
        Phase as Phase,
        Range as Range,
        Resimulation as Resimulation,
        Torques as Torques,
        Tracking as Tracking,
        Work as Work,
        track_motion as track_motion,
    )
    from fibermsk.forces import (
        ActivationActuator as ActivationActuator,
        Bushing as Bushing,
        ClutchedSpring as ClutchedSpring,
        CoordinateActuator as CoordinateActuator,
        CoordinateController as CoordinateController,
        CoordinateFormula as CoordinateFormula,
        EllipsoidContact as EllipsoidContact,
        ExternalForce as ExternalForce,
        ForcePair as ForcePair,
        JointTorque as JointTorque,
        Ligament as Ligament,
        MeshContact as MeshContact,
        PathActuator as PathActuator,
        PathFormula as PathFormula,
        PathSpring as PathSpring,
        PneumaticActuator as PneumaticActuator,
        PointConstraint as PointConstraint,
        PointContact as PointContact,
        PointFormula as PointFormula,
        PointOnLineConstraint as PointOnLineConstraint,
        PointSpring as PointSpring,
        SphereContact as SphereContact,
        ToeLigament as ToeLigament,
        TorquePair as TorquePair,
        ViaRing as ViaRing,
        WeldConstraint as WeldConstraint,
    )
    from fibermsk.from_models import (
        check as check,
        check_contribution as check_contribution,
        equilibrium as equilibrium,
        simulate as simulate,
        stability as stability,
    )
    from fibermsk.gradients import (
        GradientProblem as GradientProblem,
        Objective as Objective,
        RunGradient as RunGradient,
        Sensitivities as Sensitivities,
        Simulation as Simulation,
        gradient as gradient,
        sensitivity as sensitivity,
    )
    from fibermsk.identification import (
        Identification as Identification,
        IdentificationProblem as IdentificationProblem,
        IdentificationStudy as IdentificationStudy,
        Recording as Recording,
        StudyResult as StudyResult,
        identify as identify,
        mobl_arm as mobl_arm,
    )
    from fibermsk.io import (
        ResultFile as ResultFile,
        export as export,
        load as load,
        load_checkpoint as load_checkpoint,
        save as save,
        save_checkpoint as save_checkpoint,
    )
    from fibermsk.read import (
        ImportReport as ImportReport,
        Markers as Markers,
        Orientations as Orientations,
        Signals as Signals,
        drive as drive,
        emg_activation as emg_activation,
        emg_envelope as emg_envelope,
        read_mesh as read_mesh,
        read_motion as read_motion,
        read_osim as read_osim,
        read_signals as read_signals,
        with_actuators as with_actuators,
        with_muscle_forces as with_muscle_forces,
        with_smooth_muscles as with_smooth_muscles,
    )
    from fibermsk.scene_files import make_scene as make_scene
    from fibermsk.scene_run import simulate_scene as simulate_scene
    from fibermsk.solvers import (
        BDF2 as BDF2,
        NDF as NDF,
        SDIRK2 as SDIRK2,
        SDIRK4 as SDIRK4,
        AdaptiveSteps as AdaptiveSteps,
        BackwardEuler as BackwardEuler,
        Explicit as Explicit,
        FixedSteps as FixedSteps,
        GeneralizedAlpha as GeneralizedAlpha,
        Newton as Newton,
        Observer as Observer,
        Stability as Stability,
        Stop as Stop,
        StopWhen as StopWhen,
    )
    from fibermsk.studies import (
        StudyProgress as StudyProgress,
        sobol_indices as sobol_indices,
        sweep as sweep,
    )
    from fibermsk.system import (
        Skeleton as Skeleton,
        skeleton as skeleton,
    )
    from fibermsk.system.lines.batch import (
        MuscleGeometry as MuscleGeometry,
        PathBatch as PathBatch,
    )
    from fibermsk.system.lines.solved import (
        MusclePath as MusclePath,
        WrapArc as WrapArc,
        moment_arms as moment_arms,
        muscle_path as muscle_path,
        path_length as path_length,
        path_points as path_points,
    )
    from fibermsk.system.reports.moment import Moment as Moment
    from fibermsk.system.reports.still import still as still
    from fibermsk.write import write_osim as write_osim


# Lazy imports: describing a model needs neither the compiler nor the viewer.
_BY_MODULE = {
    "gradients": """RunGradient GradientProblem Objective Sensitivities Simulation gradient
        sensitivity""",
    "analysis": """InverseDynamics InverseKinematics Measurement MuscleCurves ScaledModel
        StaticOptimum inverse_dynamics inverse_kinematics muscle_curves place_sensors
        read_external_loads scale static_optimization write_external_loads""",
    "anatomy": """ModelBundles MovedMass MuscleBundle MuscleRun PlacedMuscle SplitFiber WholeMuscle
        bundles_from_model cat_soleus fibers_from_muscle junction_forces pack_section
        shapes_from_wraps split_fiber with_muscle_mass""",
    "backend": "build",
    "cli.commands.run": "run_scene",
    "control": """Activation Along AtRest ControlSolution Duration Effort EndState Excitations
        FreeDuration OptimalControl Phase Range Resimulation Torques Work
        DiscretePaths FittedPaths Jerk Tracking track_motion""",
    "scene_files": "make_scene",
    "forces": """ActivationActuator Bushing ClutchedSpring CoordinateActuator CoordinateController
        CoordinateFormula EllipsoidContact ExternalForce ForcePair JointTorque Ligament
        MeshContact PathActuator PathFormula PathSpring PneumaticActuator PointConstraint
        PointContact PointFormula PointOnLineConstraint PointSpring SphereContact ToeLigament
        TorquePair ViaRing WeldConstraint""",
    "from_models": "check check_contribution equilibrium simulate stability",
    "identification": """Identification IdentificationProblem IdentificationStudy Recording
        StudyResult identify mobl_arm""",
    "io": "ResultFile export load load_checkpoint save save_checkpoint",
    "read": """ImportReport Markers Orientations Signals drive emg_activation emg_envelope read_mesh
        read_motion read_osim read_signals with_actuators with_muscle_forces with_smooth_muscles""",
    "scene_run": "simulate_scene",
    "studies": "StudyProgress sobol_indices sweep",
    "solvers": """BDF2 NDF SDIRK2 SDIRK4 AdaptiveSteps BackwardEuler Explicit FixedSteps
        GeneralizedAlpha Newton Observer Stability Stop StopWhen""",
    "system": "Skeleton skeleton",
    "system.lines.batch": "MuscleGeometry PathBatch",
    "system.lines.solved": "MusclePath WrapArc moment_arms muscle_path path_length path_points",
    "system.reports.moment": "Moment",
    "system.reports.still": "still",
    "write": "write_osim",
}
_LAZY = {
    name: f"fibermsk.{module}" for module, names in _BY_MODULE.items() for name in names.split()
}

_NOW = [
    name
    for name, item in globals().items()
    if getattr(item, "__module__", "").startswith("fibermsk.")
]
__all__ = sorted(["__version__", "view", *_NOW, *_LAZY])  # pyright: ignore[reportUnsupportedDunderAll]
"""The names imported above as themselves, at once or when they are used."""


def __getattr__(name: str):
    """Import heavier parts on first access."""
    from importlib import import_module

    if name == "view":
        return import_module("fibermsk.view")
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    from fibermsk._check import suggestion

    raise AttributeError(f"module 'fibermsk' has no attribute {name!r}{suggestion(name, __all__)}")


def __dir__() -> list[str]:
    """List the public names, also those that are not imported yet."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
