"""A valid call of each option, method and function: what computes, reads and writes."""

from functools import cache

import numpy as np
from parts import (
    IDENTITY,
    O3,
    TETRAHEDRON,
    Call,
    Parts,
    result,
    scene,
    signals,
    with_activation,
    with_shape,
)

import fibermsk as fm

SOLVING = fm.ModelError, fm.ConvergenceError


@cache
def joined():
    """A fiber that ends on a junction, and the result of its start."""
    model = fm.Model("joined")
    knot = model.add(fm.Junction("knot", model.ground, (0.1, 0.0, 0.0)))
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), prestress=1e3)
    ends = model.ground.at(O3), knot
    model.add(fm.Fiber("arm", attach=ends, radius=3e-3, n_elements=2, tissue=tissue))
    system = fm.build(model)
    found = system.moment(0.0, *system.initial_state(), np.zeros((2, 3))).report
    return {"model": model, "result": found, "junction": "knot"}


def _end(time, q):
    return q[-1]


def _wave():
    time = np.linspace(0.0, 1.0, 41)
    return fm.Signals("s", time, {"a": np.sin(6.0 * time)})


def _seen():
    time = np.linspace(0.0, 1.0, 41)
    position = np.stack([np.sin(6.0 * time), np.cos(6.0 * time), time], axis=1)
    position[10:12] = np.nan
    return fm.Markers("s", time, {"m": position})


COMPUTED = {
    # options of solvers
    "AdaptiveSteps": Call(
        fm.AdaptiveSteps,
        lambda p: {
            "relative": 1e-4,
            "length": 0.0,
            "angle": 0.0,
            "speed": None,
            "angular_speed": None,
            "shortest": 1e-10,
            "longest": 1.0,
            "landing": True,
            "state": 0.0,
        },
    ),
    "BDF2": Call(fm.BDF2, lambda p: {}),
    "BackwardEuler": Call(fm.BackwardEuler, lambda p: {}),
    "FixedSteps": Call(fm.FixedSteps, lambda p: {"steps_per_frame": 1}),
    "GeneralizedAlpha": Call(fm.GeneralizedAlpha, lambda p: {"rho_inf": 0.8}),
    "Newton": Call(
        fm.Newton,
        lambda p: {
            "tolerance": 1e-7,
            "max_iterations": 25,
            "keep": 0.1,
            "min_fraction": 1e-6,
            "contraction": 0.0,
            "balance": 1e-3,
            "damping": True,
        },
    ),
    "SDIRK2": Call(fm.SDIRK2, lambda p: {}),
    "SDIRK4": Call(fm.SDIRK4, lambda p: {}),
    "Explicit": Call(fm.Explicit, lambda p: {"tolerance": 1e-6, "longest": 0.1}),
    "NDF": Call(fm.NDF, lambda p: {"tolerance": 1e-6, "longest": 0.1, "order": 4}),
    # methods, and attributes that can be set later
    "Body.at": Call(
        lambda **position: fm.Body("b").at(position["position"]), lambda p: {"position": O3}
    ),
    "Mesh.placed": Call(
        fm.Mesh(*TETRAHEDRON).placed,
        lambda p: {"rotation": IDENTITY, "position": O3, "scale": (1.0, 1.0, 1.0)},
        with_shape,
    ),
    "Model.add": Call(
        lambda p, item: p.with_bone().add(item) and p.model,
        lambda p: {"p": p, "item": p.fiber()},
        lambda p, x: x,
    ),
    "Model.gravity": Call(
        lambda p, gravity: setattr(p.with_fiber(), "gravity", gravity) or p.model,
        lambda p: {"p": p, "gravity": (0.0, 0.0, -9.81)},
        lambda p, x: x,
    ),
    "Model.name": Call(
        lambda p, name: setattr(p.with_fiber(), "name", name) or p.model,
        lambda p: {"p": p, "name": "other"},
        lambda p, x: x,
    ),
    "Signals.activation": Call(
        lambda name, scale: fm.Signals("s", (0.0, 1.0), {"a": (0.0, 0.5)}).activation(
            name, scale=scale
        ),
        lambda p: {"name": "a", "scale": 1.0},
        with_activation,
    ),
    "Signals.filtered": Call(
        lambda cutoff, order: _wave().filtered(cutoff, order=order),
        lambda p: {"cutoff": 6.0, "order": 3},
    ),
    "Signals.resampled": Call(
        lambda time, order: _wave().resampled(time, order=order),
        lambda p: {"time": [0.1, 0.2], "order": 3},
    ),
    "Markers": Call(
        fm.Markers,
        lambda p: {
            "name": "walk",
            "time": [0.0, 0.1],
            "positions": {"m": [[0.0, 0.1, 0.2], [np.nan] * 3]},
            "rate": 10.0,
            "units": "m",
            "treatment": (),
        },
    ),
    "Markers.filled": Call(_seen().filled, lambda p: {"longest": 0.1}),
    "Markers.filtered": Call(_seen().filtered, lambda p: {"cutoff": 6.0, "order": 3}),
    "Markers.resampled": Call(_seen().resampled, lambda p: {"time": [0.1, 0.2], "order": 3}),
    "Markers.rotated": Call(_seen().rotated, lambda p: {"rotation": IDENTITY}),
    "Orientations": Call(
        fm.Orientations,
        lambda p: {
            "name": "walk",
            "time": [0.0],
            "quaternions": {"bone": [[1.0, 0.0, 0.0, 0.0]]},
            "treatment": (),
        },
    ),
    "place_sensors": Call(
        fm.place_sensors,
        lambda p: {
            "model": p.with_bone(),
            "orientations": fm.Orientations("o", [0.0], {"bone": [[1.0, 0.0, 0.0, 0.0]]}),
            "at": 0.0,
            "bodies": {"bone": "bone"},
        },
    ),
    "inverse_kinematics": Call(
        fm.inverse_kinematics,
        lambda p: {
            "model": p.with_marker(),
            "measured": fm.Markers("walk", [0.0], {"m": [[0.0, -0.1, 0.0]]}),
            "weights": {"m": 1.0},
            "sensors": None,
            "lowpass": None,
            "bounds": True,
            "begin": None,
            "end": None,
            "progress": None,
        },
    ),
    "scale": Call(
        fm.scale,
        lambda p: {
            "model": p.with_bone_muscle(),
            "factors": {"bone": (1.0, 1.1, 1.0)},
            "static": None,
            "measurements": (),
            "mass": 2.0,
            "keep_distribution": False,
            "begin": None,
            "end": None,
        },
        lambda p, x: x.model,
    ),
    "Measurement": Call(
        fm.Measurement,
        lambda p: {
            "name": "thigh",
            "pairs": [("a", "b")],
            "axes": {"bone": "xyz"},
            "distances": [0.4],
        },
    ),
    "read_motion": Call(fm.read_motion, lambda p: {"path": "/nowhere/a.trc"}),
    "Signals.signal": Call(
        fm.Signals("s", (0.0, 1.0), {"a": (0.0, 0.5)}).signal, lambda p: {"name": "a"}
    ),
    # functions
    "build": Call(
        fm.build, lambda p: {"model": p.with_fiber(), "backend": "cpu"}, lambda p, x: x.model
    ),
    "bundles_from_model": Call(
        lambda p, **given: fm.bundles_from_model(**given).model,
        lambda p: {
            "p": p,
            "model": p.with_bone_muscle(),
            "muscles": "*",
            "n_fibers": 1,
            "n_elements": 5,
            "activation": 0.0,
            "specific_tension": 3e5,
            "contact": True,
            "points_per_element": 5,
        },
        lambda p, x: x,
    ),
    "cat_soleus": Call(fm.cat_soleus, lambda p: {}),
    "emg_activation": Call(
        fm.emg_activation,
        lambda p: {
            "signals": signals(),
            "name": "a",
            "max_voluntary": 2.0,
            "high_pass": 20.0,
            "low_pass": 6.0,
            "delay": 0.05,
            "shape": -1.0,
            "scale": 1.0,
        },
        with_activation,
    ),
    "emg_envelope": Call(
        fm.emg_envelope,
        lambda p: {"signals": signals(), "name": "a", "high_pass": 20.0, "low_pass": 6.0},
    ),
    "fibers_from_muscle": Call(
        lambda p, **given: fm.fibers_from_muscle(model=p.model, **given).fibers,
        lambda p: {
            "p": p,
            "muscle": p.with_bone_muscle().muscles[0],
            "n_fibers": 1,
            "n_elements": 5,
            "activation": 0.0,
            "specific_tension": 3e5,
            "tendon_radius": 0.5,
            "proximal": 0.5,
            "transition": 0.2,
            "clearance": 0.05,
            "smoothing": 0.1,
            "spread": 0.5,
            "working_range": (0.6, 1.4),
            "damping": 0.35,
            "density": 1060.0,
            "bending": 0.0,
            "prestress": 0.03,
            "length": None,
            "bones": (),
            "beside": (),
        },
        lambda p, x: p.model.add(*x) and p.model,
    ),
    "junction_forces": Call(
        fm.junction_forces,
        lambda p: joined(),
    ),
    **{
        call.__name__: Call(
            call,
            lambda p: {
                "skeleton": fm.skeleton(p.with_bodies()),
                "muscle": p.muscle(),
                "q": [0.1],
            },
        )
        for call in (fm.moment_arms, fm.muscle_path, fm.path_length, fm.path_points)
    },
    "MuscleGeometry": Call(
        fm.MuscleGeometry,
        lambda p: {"skeleton": fm.skeleton(p.with_bodies()), "muscles": [p.muscle()]},
    ),
    "pack_section": Call(fm.pack_section, lambda p: {"n": 7}),
    "split_fiber": Call(
        fm.split_fiber,
        lambda p: {"fiber": p.fiber(), "theta": [0.5], "ground": p.ground},
        lambda p, x: p.model.add(*x.junctions, *x.pieces) and p.model,
    ),
    "shapes_from_wraps": Call(
        fm.shapes_from_wraps,
        lambda p: {
            "muscles": p.muscle(wraps=[fm.PathWrap(fm.WrapSphere("s", p.bone, radius=0.02))]),
            "names": ["s"],
        },
    ),
    "simulate": Call(
        fm.simulate,
        lambda p: {
            "system": fm.build(p.with_bone()),
            "start": None,
            "t_end": 0.02,
            "dt": 0.01,
            "method": fm.BDF2(),
            "newton": fm.Newton(),
            "control": fm.FixedSteps(),
            "progress": None,
            "throw": True,
            "checkpoint": None,
            "checkpoint_every": 60.0,
            "resume_from": None,
            "time_error": True,
            "observers": (),
            "trajectory": None,
            "save": None,
        },
        errors=SOLVING,
    ),
    "Simulation": Call(
        fm.Simulation,
        lambda p: {
            "model": p.with_bone(),
            "t_end": 0.02,
            "dt": 0.01,
            "method": fm.BDF2(),
            "control": fm.FixedSteps(),
            "newton": fm.Newton(),
            "start": "equilibrium",
        },
        lambda p, x: x.model,
        errors=SOLVING,
    ),
    "Objective": Call(
        fm.Objective,
        lambda p: {"function": _end, "reads": {"q": "elbow"}, "slopes": None},
    ),
    "gradient": Call(
        fm.gradient,
        lambda p: {
            "simulation": fm.Simulation(p.with_bone(), 0.02, 0.01),
            "objective": fm.Objective(_end, {"q": "elbow"}),
            "parameters": ["bone/mass"],
        },
        errors=SOLVING,
    ),
    "sensitivity": Call(
        fm.sensitivity,
        lambda p: {
            "scene": fm.Scene(p.with_bone(), duration=0.02, steps=2, method="sdirk2"),
            "of": "elbow_end",
            "to": ["bone/mass"],
            "method": None,
            "progress": None,
        },
        errors=SOLVING,
    ),
    "GradientProblem": Call(
        fm.GradientProblem,
        lambda p: {
            "simulation": fm.Simulation(p.with_bone(), 0.02, 0.01),
            "objective": fm.Objective(_end, {"q": "elbow"}),
            "parameters": ["bone/mass"],
            "scales": None,
        },
        errors=SOLVING,
    ),
    "Parameters": Call(fm.Parameters, lambda p: {"model": p.with_bone(), "pattern": "*"}),
    "with_parameters": Call(
        fm.with_parameters, lambda p: {"model": p.with_bone(), "values": {"bone/mass": 2.0}}
    ),
    "StopWhen": Call(
        fm.StopWhen,
        lambda p: {
            "condition": lambda moment: moment.t - 1.0,
            "message": "late",
            "direction": "either",
            "name": "stop",
        },
    ),
    "simulate_scene": Call(
        fm.simulate_scene,
        lambda p: {
            "scene": fm.Scene(p.with_bone(), 0.02, 2),
            "name": "s",
            "parameters": {},
            "method": "bdf2",
            "progress": None,
            "check": False,
            "checkpoint": None,
            "checkpoint_every": 60.0,
            "resume_from": None,
            "job": None,
            "save": None,
        },
        errors=SOLVING,
    ),
    "run_scene": Call(
        fm.run_scene,
        lambda p: {"scene": scene, "arguments": ["--quiet"]},
        errors=(fm.ModelError, SystemExit),
    ),
    "check": Call(fm.check, lambda p: {"system": fm.build(p.with_bone()), "result": result()}),
    "check_contribution": Call(
        fm.check_contribution,
        lambda p: {
            "system": fm.build(p.with_spring()),
            "element": "spring",
            "start": None,
            "amplitude": 0.01,
            "tolerance": 1e-6,
            "states": 1,
            "seed": 1,
        },
    ),
    "equilibrium": Call(
        fm.equilibrium,
        lambda p: {
            "system": fm.build(p.with_held_fiber()),
            "start": None,
            "t": 0.0,
            "newton": fm.Newton(),
            "progress": None,
        },
        errors=SOLVING,
    ),
    "stability": Call(
        fm.stability,
        lambda p: {
            "system": fm.build(p.with_held_fiber()),
            "y": fm.build(Parts().with_held_fiber()).initial_state()[0],
            "t": 0.0,
        },
        errors=SOLVING,
    ),
    "Skeleton.q_of": Call(
        lambda p, values: fm.skeleton(p.with_bone()).q_of(values),
        lambda p: {"p": p, "values": {"elbow": 0.1}},
    ),
    "Skeleton.forward_dynamics": Call(
        lambda p, **given: fm.skeleton(p.with_bone()).forward_dynamics(*given.values()),
        lambda p: {"p": p, "q": [0.1], "rates": [0.0], "force": [0.0], "t": 0.0},
    ),
    "Skeleton.inverse_dynamics": Call(
        lambda p, **given: fm.skeleton(p.with_bone()).inverse_dynamics(*given.values()),
        lambda p: {"p": p, "q": [0.1], "rates": [0.0], "accelerations": [0.0]},
    ),
    "Skeleton.poses": Call(
        lambda p, q: fm.skeleton(p.with_bone()).poses(q), lambda p: {"p": p, "q": [0.1]}
    ),
    "skeleton": Call(fm.skeleton, lambda p: {"model": p.with_bone()}),
    "Skeleton": Call(fm.Skeleton, lambda p: {"model": p.with_bone()}),
    "still": Call(fm.still, lambda p: {"model": p.with_bone(), "coordinates": {"elbow": 0.1}}),
    "with_activations": Call(
        fm.with_activations,
        lambda p: {"model": p.with_fiber(), "activations": {"biceps": 0.5}},
        lambda p, x: x,
    ),
    "with_actuators": Call(
        fm.with_actuators,
        lambda p: {"model": p.with_bone_muscle(), "controls": {}, "begin": 0.0},
        lambda p, x: x,
    ),
    "with_muscle_forces": Call(
        fm.with_muscle_forces,
        lambda p: {"model": p.with_bone_muscle(), "excitations": 0.5, "begin": 0.0},
        lambda p, x: x,
    ),
    "drive": Call(
        fm.drive,
        lambda p: {
            "model": p.with_bone(),
            "motion": {"time": [0.0, 1.0, 2.0], "elbow": [0.0, 0.2, 0.1]},
            "in_degrees": None,
            "begin": 0.0,
        },
        lambda p, x: x,
    ),
    "muscle_curves": Call(
        fm.muscle_curves,
        lambda p: {
            "model": p.with_bone_muscle(),
            "coordinate": "elbow",
            "over": (0.0, 0.2, 3),
            "muscles": None,
            "at": None,
        },
    ),
    "static_optimization": Call(
        fm.static_optimization,
        lambda p: {
            "model": p.with_bone_muscle(),
            "motion": {"time": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "elbow": [0.1] * 6},
            "muscles": None,
            "power": 2.0,
            "bounds": (0.0, 1.0),
            "reserve": 1e6,
            "passive": True,
            "lowpass": None,
            "in_degrees": None,
        },
    ),
    "inverse_dynamics": Call(
        fm.inverse_dynamics,
        lambda p: {
            "model": p.with_bone_muscle(),
            "motion": {"time": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "elbow": [0.1] * 6},
            "muscle_mass": True,
            "passive": True,
            "lowpass": None,
            "in_degrees": None,
        },
    ),
    "with_muscle_mass": Call(
        fm.with_muscle_mass,
        lambda p: {
            "model": p.with_bone_muscle(),
            "muscles": "*",
            "masses": {"line": 0.01},
            "bodies": {"line": "bone"},
            "specific_tension": 3e5,
            "keep": "mass",
        },
        lambda p, x: x.model,
    ),
    # files
    "export": Call(
        fm.export,
        lambda p: {"result": result(), "path": "a.csv", "to": "csv", "report": None},
    ),
    "load": Call(fm.load, lambda p: {"path": "/nowhere/a.h5", "unsealed": False, "lazy": False}),
    "ResultFile": Call(fm.ResultFile, lambda p: {"path": "a.h5", "scene": "s", "parameters": {}}),
    "load_checkpoint": Call(fm.load_checkpoint, lambda p: {"path": "/nowhere/a.h5"}),
    "make_scene": Call(fm.make_scene, lambda p: {"scene": "hanging_fiber", "steps": 4}),
    "read_mesh": Call(
        fm.read_mesh,
        lambda p: {
            "path": "/nowhere/a.stl",
            "scale": 1.0,
            "name": "n",
            "radius": 0.1,
            "spacing": 0.1,
            "quads": "first",
        },
    ),
    "read_osim": Call(
        fm.read_osim,
        lambda p: {
            "path": "/nowhere/a.osim",
            "geometry": None,
            "contact": (),
            "unsupported": None,
            "geometry_outside": False,
        },
    ),
    "read_external_loads": Call(
        fm.read_external_loads, lambda p: {"path": "/nowhere/a.xml", "model": p.with_bone_muscle()}
    ),
    "read_signals": Call(fm.read_signals, lambda p: {"path": "/nowhere/a.sto"}),
    "write_external_loads": Call(
        fm.write_external_loads,
        lambda p: {
            "loads": [fm.ExternalForce("push", p.with_bone_muscle().bodies[1], (1.0, 2.0, 3.0))],
            "path": "a.xml",
            "time": (0.0, 1.0),
        },
    ),
    "write_osim": Call(fm.write_osim, lambda p: {"model": p.with_bone_muscle(), "path": "a.osim"}),
    "save": Call(fm.save, lambda p: {"result": result(), "path": "a.h5"}),
    "save_checkpoint": Call(
        fm.save_checkpoint,
        lambda p: {"snapshot": fm.Snapshot(0.0, 1.0, {}, {}, {}), "path": "a.h5"},
    ),
}
