"""An OpenSim model with its muscles: the scene of `fibermsk run MODEL.osim`.

With controls all muscles act on lines as in OpenSim. With bundles, joints that their muscles cross
are free, with a damper and their ranges as smooth limits; all others are locked.
"""

import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import fibermsk as fm
from fibermsk.anatomy import select
from fibermsk.cli.options import parse_numbers
from fibermsk.model.muscles.line_muscle import LineMuscle, bodies_of

_DAMPING = 0.5
"""Damping of free rotations [N m s/rad]."""

_FRAME = 0.01
"""Time between frames of a run without bundles [s]."""

_STEP = 0.002
"""Longest time step of bundles when none is asked for [s]."""

_RISE = 0.04
"""Least time in which the activation of bundles rises [s]."""

_LIMIT = (200.0, 200.0, 2.0, 0.1)
"""Stiffnesses, damping and transition of the smooth limits of a range."""


def scene(
    model: str,
    bundle: str = "*",
    geometry: str = "",
    contact: str = "",
    fibers: int = 0,
    elements: int = 0,
    activation: str = "0.3",
    free: str = "crossed",
    steps: int = 0,
    duration: float = 0.0,
    motion: str = "",
    controls: str = "",
    tolerance: float = 1e-4,
    specific_tension: float = 0.0,
    changes: str = "",
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    model : str
        Path of the .osim file.
    bundle : str
        Names of muscles or patterns, separated by commas; "all" for every muscle; with a motion
        or controls also "none".
    geometry : str
        Folder of the bone meshes.
    contact : str
        Bodies whose meshes fibers touch, separated by commas.
    fibers : int
        Fibers of every muscle; 0 for 7.
    elements : int
        Finite elements of each fiber; 0 for 10, or 16 where wrap surfaces need them.
    activation : str
        Activation at the end of a ramp over a fifth of the duration, at least 40 ms, or a file of
        activations with a column for each muscle, "<muscle>" or "<muscle>/activation".
    free : {"crossed", "all", "none"}
        Joints that can move: those that the muscles cross, all, or none.
    steps : int
        Time steps of bundles, else frames; 0 for one every 2 ms, or a frame every 10 ms without
        bundles, and 50 at least.
    duration : float
        Simulated time [s]; 0 for that of the motion, else to the end of the controls, else 0.2 s.
    motion : str
        File of a motion (.mot, .sto, .csv): coordinates with a column follow it, from its first
        instant on.
    controls : str
        Excitation of the muscles, which act on lines as in OpenSim but those with bundles: a number
        in [0, 1], or a file (.sto, .csv) with columns such as "BIClong" or "/forceset/BIClong".
        Bundles get the activation of their muscles. Empty: muscles without bundles do not act.
        Columns of actuators, such as "motor", drive these; actuators without a column do not act.
    tolerance : float
        Relative tolerance of the adaptive steps without bundles.
    specific_tension : float
        Largest isometric force of the bundles over their section [N/m^2]; larger for thinner ones,
        such as 1e6 where the forces of a model are large for its bones. 0 chooses it.
    changes : str
        Numbers of the model by path that change before muscles become bundles, separated by
        semicolons: "BIClong/max_isometric_force=500;BRA/points/0/x=0.01".
    """
    source = read(model, geometry, contact, changes)
    meshes = source.import_report.meshes
    if missing := sum(path is None for _, _, path in meshes):
        text = (
            f"{missing} of {len(meshes)} mesh files are not "
            + (f"in {geometry}" if geometry else "found")
            + ", and bodies without meshes are drawn as sticks"
            + ("" if geometry else ": give --geometry FOLDER")
        )
        warnings.warn(fm.ModelWarning(text), stacklevel=2)
    first = 0.0
    given: float | fm.Signals | None = None
    if motion:
        signals = fm.read_signals(motion)
        first, last = float(signals.time[0]), float(signals.time[-1])
        source = fm.drive(source, signals, begin=first)
        duration = duration or last - first
    if controls:
        given = _controls(controls)
        if isinstance(given, fm.Signals) and float(given.time[-1]) > first:
            duration = duration or float(given.time[-1]) - first
        source = fm.with_muscle_forces(source, given, begin=first)
    duration = duration or 0.2
    if isinstance(given, fm.Signals):
        _warn_of_end(controls, given, first + duration)
    if (motion or controls) and bundle == "none":
        steps = steps or max(50, math.ceil(duration / _FRAME - 1e-9))
        source = _actuated(source, given, first)
        return fm.Scene(source, duration=duration, steps=steps, tolerance=tolerance)
    made = describe(
        source, bundle, fibers, elements, activation, duration, free, acting=bool(controls),
        specific_tension=specific_tension,
    )  # fmt: skip
    for name, reason in made.refused.items():
        text = f"muscle {name!r} is not part of the run: {reason}"
        warnings.warn(fm.ModelWarning(text, kind="refused", fiber=name), stacklevel=2)
    for name, one in made.muscles.items():
        if one.remarks:
            text = f"muscle {name!r}: {'; '.join(one.remarks)}"
            warnings.warn(fm.ModelWarning(text, kind="remarks", fiber=name), stacklevel=2)
    steps = steps or max(50, math.ceil(duration / _STEP - 1e-9))
    return fm.Scene(
        _actuated(made.model, given, first), duration=duration, steps=steps,
        method="backward_euler", tolerance=0.0,
    )  # fmt: skip


def _actuated(model: fm.Model, given: float | fm.Signals | None, first: float) -> fm.Model:
    """The model with its actuators under the controls of a file, if there are any."""
    return fm.with_actuators(model, given, begin=first) if isinstance(given, fm.Signals) else model


def _warn_of_end(file: str, signals: fm.Signals, end: float) -> None:
    """Warn if the controls of a file end before the run does."""
    last = float(signals.time[-1])
    if end - last > 1e-9 * max(1.0, abs(end)):
        text = (
            f"controls {file!r} end at {last:g} s; their last values are held until the end of "
            f"the run, {end:g} s"
        )
        warnings.warn(fm.ModelWarning(text), stacklevel=3)


def _controls(text: str) -> float | fm.Signals:
    """A number, or the signals of a file."""
    try:
        value = float(text)
    except ValueError:
        if Path(text).is_file():
            return fm.read_signals(text)
        raise fm.ModelError(
            f"controls = {text!r}; must be a number in [0, 1] or a file (.sto, .csv) with columns "
            "of muscles and actuators; there is no such file"
        ) from None
    if not 0.0 <= value <= 1.0:
        raise fm.ModelError(f"controls = {text}; must be in [0, 1]")
    return value


def read(model: str, geometry: str, contact: str, changes: str) -> fm.Model:
    """The model of a file, with meshes of some bodies for contact, and with changed numbers."""
    bodies = [name for name in contact.split(",") if name]
    if bodies and not geometry:
        raise fm.ModelError(
            f"contact = {contact!r}; must be left out without the folder of the bone meshes; give "
            "geometry=DIR"
        )
    found = fm.read_osim(Path(model), geometry=geometry or None, contact=bodies)
    numbers = parse_numbers([one for one in changes.split(";") if one.strip()])
    return fm.with_parameters(found, numbers) if numbers else found


def describe(
    source: fm.Model,
    bundle: str,
    fibers: int,
    elements: int,
    activation: str = "0",
    duration: float = 1.0,
    free: str = "crossed",
    acting: bool = False,
    specific_tension: float = 0.0,
) -> fm.ModelBundles:
    """Bundles of the muscles of a model, whose other joints are locked.

    If the muscles act, bundles have the activations of theirs.
    """
    if free not in ("crossed", "all", "none"):
        raise fm.ModelError(f"free = {free!r}; must be one of: crossed, all, none")
    patterns = ["*" if name == "all" else name for name in bundle.split(",") if name]
    if not patterns:
        raise fm.ModelError(f"bundle = {bundle!r}; must be names of muscles, or all")
    chosen = select(source, patterns, "bundle")
    if free != "all":
        source = _held(source, _crossed(source, chosen) if free == "crossed" else set())
    sizes = ("fibers", fibers), ("elements", elements), ("specific_tension", specific_tension)
    for name, value in sizes:
        if value < 0:
            raise fm.ModelError(f"{name} = {value}; must be positive, or 0 to choose them")
    signal: Any = {one.name: one.activation for one in chosen if one.law is not None}
    if not acting:
        signal = _activation(activation, duration, [muscle.name for muscle in chosen])
    return fm.bundles_from_model(
        source, patterns, n_fibers=fibers or None, n_elements=elements or None, activation=signal,
        specific_tension=specific_tension or None,
    )  # fmt: skip


def _activation(text: str, duration: float, names: list[str]) -> Any:
    """A ramp to a number, or the table of a file for each muscle."""
    try:
        return fm.Ramp(0.0, max(0.2 * duration, _RISE), float(text))
    except fm.ModelError as error:
        raise fm.ModelError(f"activation = {text}; must be in [0, 1]") from error
    except ValueError:
        pass
    if not Path(text).is_file():
        raise fm.ModelError(
            f"activation = {text!r}; must be a number in [0, 1] or a file (.sto, .csv) with a "
            "column for each muscle"
        )
    signals = fm.read_signals(text)
    tables = {}
    for name in names:
        columns = [one for one in (name, f"{name}/activation") if one in signals.values]
        if not columns:
            raise fm.ModelError(
                f"activation = {text!r}: has no column {name!r} or '{name}/activation'; it has: "
                + ", ".join(signals.values)
            )
        tables[name] = fm.Table(signals.time, signals.values[columns[0]])
    return tables


def _crossed(model: fm.Model, muscles: Iterable[LineMuscle]) -> set[str]:
    """Coordinates of the joints between the bodies of each muscle, or those that they follow."""
    follows = {one.dependent: one.independents for one in model.couplings}
    found: set[str] = set()
    for muscle in muscles:
        chains = [_chain(model, body) for body in dict.fromkeys(bodies_of(muscle))]
        shared = set.intersection(*map(set, chains))
        for joint in {joint for chain in chains for joint in chain} - shared:
            names = [one.name for one in joint.coordinates]
            names += [name for axis in joint.axes for name, _ in axis.pairs]
            while names:
                name = names.pop()
                if name in follows:
                    names += follows[name]
                else:
                    found.add(name)
    return found


def _chain(model: fm.Model, body: fm.Body) -> list[Any]:
    """Joints from a body to the ground."""
    found, joint = [], model.joint_of(body)
    while joint is not None:
        found.append(joint)
        joint = model.joint_of(joint.parent)
    return found


def _held(model: fm.Model, free: set[str]) -> fm.Model:
    """The model with all other joints locked, and forces at the free ones."""
    follows = {one.dependent for one in model.couplings}

    def hold(one: fm.Coordinate) -> fm.Coordinate:
        if one.kind == "quaternion" or one.name in follows or one.prescribed is not None:
            return one
        if one.name not in free:
            return replace(one, locked=True, speed=0.0, forces=())
        if one.locked or one.kind != "rotation":
            return one
        forces: list[Any] = [*one.laws, fm.Damper(_DAMPING)]
        if one.lower is not None and one.upper is not None and not _limited(one):
            forces.append(fm.SmoothLimit(one.lower, one.upper, *_LIMIT))
        return replace(one, forces=tuple(forces))

    return model.copy(_joints_with(hold))


def _limited(one: fm.Coordinate) -> bool:
    """Whether the file has a limit of its own."""
    return any(isinstance(law, fm.SmoothLimit | fm.QuadraticLimit) for law in one.laws)


def _joints_with(change: Callable[[fm.Coordinate], fm.Coordinate]) -> Callable[[Any], Any]:
    """Function that replaces the coordinates of joints, and leaves other items as they are."""
    made: dict[int, Any] = {}

    def instead(item: Any) -> Any:
        if not getattr(item, "coordinates", ()) or not hasattr(item, "child"):
            return item
        if id(item) not in made:
            coordinates = tuple(change(one) for one in item.coordinates)
            made[id(item)] = replace(item, coordinates=coordinates)
        return made[id(item)]

    return instead
