"""Scenes for studies: small, by a function, and slow enough to be interrupted."""

import multiprocessing
import os
import time
from pathlib import Path

import fibermsk as fm


def pendulum(steps=4, angle=0.2, mode="plain"):
    """A rod on a hinge that swings for a moment."""
    model = fm.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    rod = model.add(fm.Body("rod", 1.0, (0, -0.15, 0), (0.01, 1e-3, 0.01)))
    model.add(fm.Hinge("hinge", model.ground, rod, (0, 0, 0), (0, 0, 1), value=angle))
    if mode == "broken":
        raise ZeroDivisionError("one over nothing")
    if mode == "ends":
        raise SystemExit(3)
    return fm.Scene(model, duration=0.02, steps=steps, tolerance=0.0)


def pulled(steps=4, excitation=0.3):
    """A mass on a slider that a line muscle with an elastic tendon pulls."""
    model = fm.Model("pulled", gravity=(0.0, 0.0, 0.0))
    mass = model.add(fm.Body("mass", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    model.add(fm.Slider("slider", model.ground, mass, (0, 0, 0), (1, 0, 0), value=0.3))
    points = fm.PathPoint("origin", model.ground.at(0, 0, 0)), fm.PathPoint("end", mass.at(0, 0, 0))
    numbers = {"optimal_fiber_length": 0.1, "tendon_slack_length": 0.2, "max_isometric_force": 80.0}
    law, active = fm.HillLaw(tendon="elastic"), fm.ActivationDynamics(excitation, start=0.1)
    model.add(fm.LineMuscle("muscle", points, law=law, activation=active, **numbers))
    return fm.Scene(model, duration=0.02, steps=steps, tolerance=1e-6)


def counted(steps=2, angle=0.2):
    """The same, which notes each call in a file, and takes its time."""
    with Path(os.environ["STUDY_CALLS"]).open("a") as file:
        file.write(f"{angle}\n")
    time.sleep(0.05)
    return pendulum(steps, angle)


def killing(steps=2):
    """The same, which at five steps ends its process, if that is not the first one."""
    if steps == 5 and multiprocessing.current_process().name != "MainProcess":
        os._exit(1)
    return pendulum(steps)


def added(result):
    """A number of the start alone: half the first angle."""
    return 0.5 * result.coordinate("hinge")[0]
