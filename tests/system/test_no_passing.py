"""Nothing passes through anything: the cases that once ended in success."""

import pickle
import warnings

import numpy as np
import pytest

import fibermsk as fm
from fibermsk.errors import ModelWarning

METHODS = [fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha(0.8)]
FORMULATIONS = ["variational", "half_pass"]
TISSUE = fm.Tissue(1000.0, fm.KelvinVoigt(2e5, 1e3), prestress=2e4)


def pressed(load, place, angle, formulation, refine=True):
    """A soft fiber of ten elements that a load presses on a thin capsule across it."""
    model = fm.Model("pressed", gravity=(0, 0, 0))
    ends = model.ground.at(-0.1, 0, 0), model.ground.at(0.1, 0, 0)
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(1e4, 100.0), prestress=100.0)
    fiber = fm.Fiber(
        "fiber", attach=ends, radius=4e-3, n_elements=10, tissue=tissue, line_load=(0, 0, -load)
    )
    half = 0.03 * np.array([np.cos(angle), np.sin(angle), 0.0])
    middle = np.array([place, 0.0, -0.0085])
    bone = fm.Body("bone", shapes=fm.Capsule(tuple(middle - half), tuple(middle + half), 4e-3))
    law = fm.PenaltyContact(50.0, 4.0)
    model.add(fiber, bone, fm.Weld(model.ground, bone))
    model.add(fm.Contact(fiber, bone, law, formulation=formulation, refine=refine))
    return model


def depth_on_capsule(model, fiber, frame):
    """Least 1 + gamma g all along a fiber, from nodes and tangents alone."""
    capsule = model.bodies[1].shapes[0]
    start, end = np.array(capsule.start), np.array(capsule.end)
    s = np.linspace(0.0, 1.0, 101)[:, None]
    least = np.inf
    x, t, theta = fiber.position[frame], fiber.tangent[frame], fiber.node_theta
    for i, h in enumerate(np.diff(theta)):
        points = (2 * s**3 - 3 * s**2 + 1) * x[i] + (3 * s**2 - 2 * s**3) * x[i + 1]
        points = points + h * ((s**3 - 2 * s**2 + s) * t[i] + (s**3 - s**2) * t[i + 1])
        slope = 6 * (s**2 - s) * (x[i] - x[i + 1]) / h
        slope = slope + (3 * s**2 - 4 * s + 1) * t[i] + (3 * s**2 - 2 * s) * t[i + 1]
        r = 4e-3 / np.sqrt(np.linalg.norm(slope, axis=1) / 0.2)
        way = end - start
        along = np.clip((points - start) @ way / (way @ way), 0.0, 1.0)
        d = np.linalg.norm(points - start - along[:, None] * way, axis=1)
        least = min(least, float((1.0 + 4.0 * (d / (r + 4e-3) - 1.0)).min()))
    return least


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("place", [0.0, 0.006, 0.0123])
def test_a_stretching_fiber_does_not_sink_between_contact_points(formulation, place):
    model = pressed(11.0, place, 0.5 * np.pi, formulation)
    system = fm.build(model)
    result = fm.simulate(system, t_end=0.3, dt=0.03, method=fm.BackwardEuler())
    fiber = result.fibers["fiber"]
    assert fiber.stretch.max() > 1.5
    assert system.contact.spacing.in_use
    assert min(depth_on_capsule(model, fiber, i) for i in range(result.time.size)) > 0.0
    assert result.min_admissibility.min() > 0.0


def test_where_points_stay_as_given_the_run_fails_and_says_so():
    system = fm.build(pressed(11.0, 0.006, 0.5 * np.pi, "variational", refine=False))
    with pytest.raises(fm.ConvergenceError, match="penetrate between contact points") as error:
        fm.simulate(system, t_end=0.3, dt=0.03, method=fm.BackwardEuler())
    assert error.value.result.time.size > 1


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_prescribed_bone_does_not_jump_through(method, formulation):
    model = fm.Model("pushed", gravity=(0, 0, 0))
    ends = model.ground.at(-0.1, 0, 0), model.ground.at(0.1, 0, 0)
    fiber = fm.Fiber("fiber", attach=ends, radius=4e-3, n_elements=10, tissue=TISSUE)
    capsule = fm.Capsule((0, -0.03, 0), (0, 0.03, 0), 4e-3)
    bone = fm.Body("bone", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3), shapes=capsule)
    down = fm.Coordinate("down", kind="translation", prescribed=fm.Linear(-1.0, 0.0))
    axis = fm.Axis("translation", (0, 0, 1), "down")
    model.add(fiber, bone)
    joint = fm.FunctionalJoint("slide", model.ground, bone, [down], [axis], at=(0.003, 0, 0.02))
    model.add(
        joint, fm.Contact(fiber, bone, fm.PenaltyContact(500.0, 4.0), formulation=formulation)
    )
    result = fm.simulate(fm.build(model), t_end=0.04, dt=0.04, method=method, throw=False)
    # over the middle, the fiber is below the bone
    middle = result.fibers["fiber"].position[-1, 5, 2]
    assert middle < result.bodies["bone"].position[-1, 2]
    assert result.status == "success"
    assert middle < -0.02


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_fibers_do_not_pass_in_an_extrapolated_step(method, formulation):
    model = fm.Model("crossing", gravity=(0, 0, 0))
    fibers = []
    for k, (z, speed) in enumerate(((0.0, 0.5), (0.015, -0.5))):
        way = np.array([0.1, 0.0, 0.0]) if k == 0 else np.array([0.0, 0.1, 0.0])
        ends = [np.array([0.0, 0.0, z]) - way, np.array([0.0, 0.0, z]) + way]
        moved = [
            fm.MovingPoint(lambda t, x=x, v=speed: x + np.array([0.0, 0.0, v * t])) for x in ends
        ]
        fiber = fm.Fiber(
            f"f{k}", ends, attach=tuple(moved), radius=2e-3, n_elements=6, tissue=TISSUE
        )
        fibers.append(model.add(fiber))
    model.add(fm.Contact(*fibers, fm.PenaltyContact(500.0, 3.0), formulation=formulation))
    result = fm.simulate(fm.build(model), t_end=0.04, dt=0.02, method=method)
    lower, upper = (result.fibers[name].position[-1, 3, 2] for name in ("f0", "f1"))
    assert lower < upper - 1e-3


def test_a_body_in_the_way_of_prescribed_points_stops_the_equilibrium():
    """Led to the other side of a bone, a fiber would have to go through it."""
    model = fm.Model("led", gravity=(0, 0, 0))
    ends = [np.array([x, 0.0, 0.02]) for x in (-0.1, 0.1)]
    moved = [
        fm.MovingPoint(lambda t, x=x: x - np.array([0.0, 0.0, 0.08 * min(t, 1.0)])) for x in ends
    ]
    fiber = fm.Fiber("fiber", ends, attach=tuple(moved), radius=4e-3, n_elements=6, tissue=TISSUE)
    bone = fm.Body("bone", shapes=fm.Capsule((0, -0.1, 0), (0, 0.1, 0), 8e-3))
    model.add(fiber, bone, fm.Weld(model.ground, bone))
    model.add(fm.Contact(fiber, bone, fm.PenaltyContact(5e3, 4.0)))
    y, _ = fm.equilibrium(fm.build(model), t=1.0)
    nodes = y.reshape(-1, 6)
    assert nodes[3, 2] > 0.008  # it hangs over the bone
    assert nodes[0, 2] == pytest.approx(-0.06)


def test_spacing_is_kept_by_checkpoints():
    """A run that goes on from where points were added is bitwise the run in one go."""
    taken = []
    model = pressed(11.0, 0.006, 1.2, "variational")
    run = {"t_end": 0.12, "dt": 0.02, "method": fm.BDF2()}
    whole = fm.simulate(fm.build(model), **run, checkpoint=taken.append, checkpoint_every=0.0)
    middle = pickle.loads(pickle.dumps(taken[len(taken) // 2]))
    system = fm.build(model)
    again = fm.simulate(system, **run, resume_from=middle)
    assert system.contact.spacing.in_use
    for a, b in zip(whole.fibers.values(), again.fibers.values(), strict=True):
        np.testing.assert_array_equal(a.position, b.position)


def test_same_run_twice_is_the_same():
    """What one run made finer, the next does not start with."""
    system = fm.build(pressed(11.0, 0.006, 1.2, "variational"))
    first, second = (
        fm.simulate(system, t_end=0.1, dt=0.02, method=fm.BackwardEuler()) for _ in range(2)
    )
    np.testing.assert_array_equal(first.fibers["fiber"].position, second.fibers["fiber"].position)


def test_contact_keeps_its_points_where_they_are_close_enough():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        system = fm.build(pressed(0.01, 0.0, 0.5 * np.pi, "variational"))
        fm.simulate(system, t_end=0.02, dt=0.01)
    assert not system.contact.spacing.in_use
