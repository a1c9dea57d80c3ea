"""Muscles of an OpenSim model as bundles of fibers: the scene of `fibermsk run MODEL.osim`.

Joints that the muscles cross are free, with a damper and their ranges as smooth limits; all others
are locked.
"""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import fibermsk as fm
from fibermsk.anatomy import select
from fibermsk.model.muscles.line_muscle import LineMuscle, bodies_of

_DAMPING = 0.5
"""Damping of free rotations [N m s/rad]."""

_LIMIT = (200.0, 200.0, 2.0, 0.1)
"""Stiffnesses, damping and transition of the smooth limits of a range."""


def scene(
    model: str,
    bundle: str = "*",
    geometry: str = "",
    contact: str = "",
    fibers: int = 0,
    elements: int = 10,
    activation: str = "0.3",
    free: str = "crossed",
    steps: int = 50,
    duration: float = 0.2,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    model : str
        Path of the .osim file.
    bundle : str
        Names of muscles or patterns, separated by commas; "all" for every muscle.
    geometry : str
        Folder of the bone meshes.
    contact : str
        Bodies whose meshes fibers touch, separated by commas.
    fibers : int
        Fibers of every muscle; 0 chooses 3 to 7.
    elements : int
        Finite elements of each fiber.
    activation : str
        Activation at the end of a ramp over a fifth of the duration, or a file of activations with
        a column for each muscle, "<muscle>" or "<muscle>/activation".
    free : {"crossed", "all", "none"}
        Joints that can move: those that the muscles cross, all, or none.
    steps : int
        Time steps.
    duration : float
        Simulated time [s].
    """
    source = read(model, geometry, contact)
    made = describe(source, bundle, fibers, elements, activation, duration, free)
    for name, reason in made.refused.items():
        text = f"muscle {name!r} is not part of the run: {reason}"
        warnings.warn(fm.ModelWarning(text, kind="refused", fiber=name), stacklevel=2)
    for name, one in made.muscles.items():
        if one.remarks:
            text = f"muscle {name!r}: {'; '.join(one.remarks)}"
            warnings.warn(fm.ModelWarning(text, kind="remarks", fiber=name), stacklevel=2)
    return fm.Scene(
        made.model, duration=duration, steps=steps, method="backward_euler", tolerance=0.0
    )


def read(model: str, geometry: str, contact: str) -> fm.Model:
    """The model of a file, with meshes of some bodies for contact."""
    bodies = [name for name in contact.split(",") if name]
    if bodies and not geometry:
        raise fm.ModelError(
            f"contact = {contact!r}; must be left out without the folder of the bone meshes; give "
            "geometry=DIR"
        )
    return fm.read_osim(Path(model), geometry=geometry or None, contact=bodies)


def describe(
    source: fm.Model,
    bundle: str,
    fibers: int,
    elements: int,
    activation: str = "0",
    duration: float = 1.0,
    free: str = "crossed",
) -> fm.ModelBundles:
    """Bundles of the muscles of a model, whose other joints are locked."""
    if free not in ("crossed", "all", "none"):
        raise fm.ModelError(f"free = {free!r}; must be one of: crossed, all, none")
    patterns = ["*" if name == "all" else name for name in bundle.split(",") if name]
    if not patterns:
        raise fm.ModelError(f"bundle = {bundle!r}; must be names of muscles, or all")
    chosen = select(source, patterns)
    if free != "all":
        source = _held(source, _crossed(source, chosen) if free == "crossed" else set())
    if fibers < 0:
        raise fm.ModelError(f"fibers = {fibers}; must be positive, or 0 to choose them")
    signal = _activation(activation, duration, [muscle.name for muscle in chosen])
    return fm.bundles_from_model(
        source, patterns, n_fibers=fibers or None, n_elements=elements, activation=signal
    )


def _activation(text: str, duration: float, names: list[str]) -> Any:
    """A ramp to a number, or the table of a file for each muscle."""
    try:
        return fm.Ramp(0.0, 0.2 * duration, float(text))
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
    follows = {one.dependent: one.independent for one in model.couplings}
    found: set[str] = set()
    for muscle in muscles:
        chains = [_chain(model, body) for body in dict.fromkeys(bodies_of(muscle))]
        shared = set.intersection(*map(set, chains))
        for joint in {joint for chain in chains for joint in chain} - shared:
            names = [one.name for one in joint.coordinates]
            names += [name for axis in joint.axes for name, _ in axis.pairs]
            for name in names:
                while name in follows:
                    name = follows[name]
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
