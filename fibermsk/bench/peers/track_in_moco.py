"""A motion followed by the muscles of an OpenSim model with OpenSim Moco, as `track_motion` does.

Rigid tendons, curves of De Groote, the integral of
``sum e^2 + sum (reserve / R0)^2 + sum ((q - q_ref) / size)^2``, pose and speeds of the motion at
the start, and initial activations that are equal to the initial excitations. Cubic splines lie
between the samples of the motion.
"""

# pyright: reportMissingImports=false, reportMissingModuleSource=false
# (OpenSim is an extra)

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import opensim as osim
from scipy.interpolate import CubicSpline

DAMPING = 0.01
"""Damping of the fibers [-]."""

SIZE = 0.02
"""Difference to the motion that costs as much as a full activation [rad or m]."""

RESERVE = 1.0
"""Reserve that costs as much as a full activation [N m or N]."""

ACTIVE = 0.1
"""Excitation and activation of the guess."""

SHARPNESS = 0.1
"""Of the change from rise to fall of an activation."""

FASTEST = 100.0
"""Bound of the speeds [rad/s or m/s], and of the reserves over R0; neither is reached."""


def run(model: str, motion: str, steps: int, tolerance: float, iterations: int) -> dict[str, Any]:
    """Times [s], objective, and coordinates and activations at the nodes by name."""
    osim.Logger.setLevelString("Error")
    begun = perf_counter()
    own = smooth_model(Path(model))
    wanted = Motion(own, Path(motion))
    study = problem(own, wanted, steps, tolerance, iterations)
    built = perf_counter()
    solution = study.solve()
    solved = perf_counter()
    success = solution.success()
    solution.unseal()
    return {
        "success": success, "status": solution.getStatus(), "objective": solution.getObjective(),
        "iterations": solution.getNumIterations(), "build": built - begun, "solve": solved - built,
        "values": {name: one.tolist() for name, one in columns(own, solution).items()},
    }  # fmt: skip


def smooth_model(path: Path) -> Any:
    """Model with muscles of De Groote, rigid tendons and reserves."""
    with tempfile.TemporaryDirectory() as folder:
        # OpenSim 4 refuses the zeros of older files; muscles of De Groote have none of them
        text = re.sub(
            r"<(minimum_activation|min_control)>[^<]*</\1>", "", path.read_text(encoding="utf-8")
        )
        copy = Path(folder) / path.name
        copy.write_text(text, encoding="utf-8")
        processor = osim.ModelProcessor(str(copy))
        processor.append(osim.ModOpReplaceMusclesWithDeGrooteFregly2016())
        processor.append(osim.ModOpIgnoreTendonCompliance())
        model = processor.process()
    model.initSystem()
    muscles = model.getMuscles()
    for i in range(muscles.getSize()):
        muscle = osim.DeGrooteFregly2016Muscle.safeDownCast(muscles.get(i))
        muscle.set_fiber_damping(DAMPING)
        muscle.set_active_force_width_scale(1.0)
        muscle.set_passive_fiber_strain_at_one_norm_force(0.6)
        muscle.set_ignore_passive_fiber_force(False)
        muscle.set_activation_dynamics_smoothing(SHARPNESS)
        muscle.setMinControl(0.0)
        muscle.setMaxControl(1.0)
    for coordinate in coordinates(model):
        reserve = osim.CoordinateActuator(coordinate.getName())
        reserve.setName(f"reserve_{coordinate.getName()}")
        reserve.setOptimalForce(RESERVE)
        reserve.setMinControl(-FASTEST)
        reserve.setMaxControl(FASTEST)
        model.addForce(reserve)
    model.finalizeConnections()
    model.initSystem()
    return model


def coordinates(model: Any) -> list[Any]:
    """Coordinates of a model."""
    own = model.getCoordinateSet()
    return [own.get(i) for i in range(own.getSize())]


class Motion:
    """A motion between whose samples cubic splines lie."""

    def __init__(self, model: Any, path: Path) -> None:
        lines = path.read_text(encoding="utf-8").splitlines()
        end = next(i for i, line in enumerate(lines) if line.strip() == "endheader")
        header = "\n".join(lines[:end])
        # files of old versions that do not tell are in degrees
        told = re.search(r"inDegrees\s*=\s*(\w+)", header)
        factor = 1.0 if told and told[1].lower() in ("no", "false") else np.pi / 180.0
        names = lines[end + 1].split()
        rows = np.array([line.split() for line in lines[end + 2 :] if line.strip()], float)
        self.begin, self.end = rows[0, 0], rows[-1, 0]
        self.splines: dict[str, tuple[str, CubicSpline]] = {}
        for one in coordinates(model):
            turns = one.getMotionType() == osim.Coordinate.Rotational
            values = rows[:, names.index(one.getName())] * (factor if turns else 1.0)
            spline = CubicSpline(rows[:, 0], values)
            self.splines[one.getAbsolutePathString()] = one.getName(), spline
        self.ranges = {}
        for state, (_, spline) in self.splines.items():
            low, high = spline(rows[:, 0]).min(), spline(rows[:, 0]).max()
            beside = max(0.1 * (high - low), 0.1)
            self.ranges[state] = low - beside, high + beside

    def table(self, intervals: int) -> Any:
        """Values at nodes and at their middles, for Moco."""
        time = np.linspace(self.begin, self.end, 2 * intervals + 1)
        table = osim.TimeSeriesTable()
        table.addTableMetaDataString("inDegrees", "no")
        table.setColumnLabels([f"{state}/value" for state in self.splines])
        for t in time:
            row = [float(spline(t)) for _, spline in self.splines.values()]
            table.appendRow(float(t), osim.RowVector(row))
        return table


def problem(model: Any, motion: Motion, steps: int, tolerance: float, iterations: int) -> Any:
    """Study of the problem with its solver and a guess along the motion."""
    study = osim.MocoStudy()
    study.setName("track")
    own = study.updProblem()
    own.setModelProcessor(osim.ModelProcessor(model))
    own.setTimeBounds(motion.begin, motion.end)
    tracking = osim.MocoStateTrackingGoal("tracking", 1.0)
    tracking.setReference(osim.TableProcessor(motion.table(steps)))
    for state, (_, spline) in motion.splines.items():
        value, speed = float(spline(motion.begin)), float(spline(motion.begin, 1))
        own.setStateInfo(f"{state}/value", list(motion.ranges[state]), value)
        own.setStateInfo(f"{state}/speed", [-FASTEST, FASTEST], speed)
        tracking.setWeightForState(f"{state}/value", 1.0 / SIZE**2)
    own.setStateInfoPattern("/.*/activation", [0.0, 1.0])
    own.addGoal(osim.MocoControlGoal("effort", 1.0))
    own.addGoal(tracking)
    own.addGoal(osim.MocoInitialActivationGoal("initial"))
    solver = study.initCasADiSolver()
    solver.set_num_mesh_intervals(steps)
    solver.set_transcription_scheme("trapezoidal")
    solver.set_optim_convergence_tolerance(tolerance)
    solver.set_optim_constraint_tolerance(tolerance)
    solver.set_optim_max_iterations(iterations)
    solver.set_parallel(0)
    solver.set_verbosity(0)
    guess = solver.createGuess()
    time = guess.getTimeMat()
    for state, (_, spline) in motion.splines.items():
        guess.setState(f"{state}/value", spline(time))
        guess.setState(f"{state}/speed", spline(time, 1))
    for name in guess.getStateNames():
        if name.endswith("/activation"):
            guess.setState(name, np.full(time.size, ACTIVE))
    for name in guess.getControlNames():
        guess.setControl(name, np.full(time.size, 0.0 if "reserve_" in name else ACTIVE))
    solver.setGuess(guess)
    return study


def columns(model: Any, solution: Any) -> dict[str, np.ndarray]:
    """Values of a solution at its nodes by name."""
    found = {"time": solution.getTimeMat()}
    for one in coordinates(model):
        state = one.getAbsolutePathString()
        found[one.getName()] = solution.getStateMat(f"{state}/value")
    for name in solution.getStateNames():
        if name.endswith("/activation"):
            found[f"{name.split('/')[-2]}/activation"] = solution.getStateMat(name)
    return found
