"""Inverse dynamics of results: right ones, coarse ones and tampered ones."""

from dataclasses import replace
from functools import cache

import numpy as np
import pendulum_on_fiber as case
import pytest
from scenes_of_tests import load_scene, two_link_arm

import fibermsk as fm
from fibermsk.system.contribution import Sums
from fibermsk.system.optional import HasInertia


def pulled_pendulum(mass=case.MASS):
    """The pendulum on a fiber whose upper end is led up smoothly, with a loaded tail below."""
    model = fm.Model("pulled_pendulum", gravity=(0.0, 0.0, -case.G))
    inertia = (0.5 * case.INERTIA, case.INERTIA, case.INERTIA)
    rod = model.add(fm.Body("rod", mass=mass, com=(case.COM, 0, 0), inertia=inertia))
    way = np.array([0.0, 0.02, 0.06])
    lifted = fm.MovingPoint(lambda t: case.ANCHOR + way * np.sin(0.5 * np.pi * t) ** 4)
    muscle = fm.KelvinVoigt(case.MU, case.ETA)
    model.add(
        fm.Hinge("q", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), damping=case.DAMPING),
        fm.Fiber(
            "fiber",
            attach=(lifted, rod.at(case.OUT)),
            radius=case.RADIUS,
            n_elements=4,
            tissue=fm.Tissue(case.DENSITY, muscle, prestress=case.PRESTRESS),
        ),
        fm.Fiber(
            "tail",
            [case.OUT, case.OUT - (0.0, 0.0, 0.1)],
            attach=(rod.at(case.OUT), None),
            radius=case.RADIUS,
            n_elements=2,
            tissue=fm.Tissue(case.DENSITY, muscle),
            line_load=lambda theta, t: np.outer(theta, [0.0, 0.0, -2.0 * np.sin(t) ** 3]),
        ),
    )
    return fm.build(model)


@cache
def pulled(method, steps):
    system = pulled_pendulum()
    start = fm.equilibrium(system)
    return system, fm.simulate(
        system, start, t_end=1.0, dt=1.0 / steps, method=method, control=fm.FixedSteps()
    )


def sizes(found):
    """Root mean squares of all mismatches."""
    return np.array([m.rms for m in (*found.coordinates.values(), *found.fibers.values())])


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", [fm.BackwardEuler(), fm.BDF2(), fm.GeneralizedAlpha(0.8)], ids=repr
)
def test_mismatch_falls_at_the_order_of_the_method(method):
    found = [sizes(fm.check(*pulled(method, steps))) for steps in (64, 128, 256)]
    order = np.log2(found[1] / found[2])
    np.testing.assert_allclose(order, method.order, atol=0.1)
    assert (found[0] > found[1]).all()


def test_applied_forces_are_those_of_the_weight():
    system, result = pulled(fm.BDF2(), 128)
    found = fm.check(system, result)
    # the fiber carries the rod, about: moment of the weight, twice; the tail is its own weight
    hinge = found.coordinates["q"]
    assert hinge.unit == "N m"
    assert hinge.applied == pytest.approx(2.0 * case.MASS * case.G * case.COM, rel=0.1)
    assert hinge.rms <= hinge.largest < 1e-3 * hinge.applied
    assert found.start == pytest.approx(2 / 128) and found.end == pytest.approx(126 / 128)
    assert found.start <= hinge.time <= found.end
    assert found.as_dict()["fibers"]["tail"]["unit"] == "N"


def test_tampered_results_are_noticed():
    system, result = pulled(fm.BDF2(), 128)
    right = fm.check(system, result)
    fiber = result.fibers["fiber"]
    more = replace(fiber, force_insertion=1.01 * fiber.force_insertion)
    tampered = replace(result, fibers=result.fibers | {"fiber": more})
    found = fm.check(system, tampered)
    pull = np.sqrt(np.mean(np.linalg.norm(fiber.force_insertion, axis=1) ** 2))
    assert found.fibers["fiber"].rms == pytest.approx(0.01 * pull, rel=0.01)
    assert found.fibers["tail"] == right.fibers["tail"]
    assert found.coordinates["q"].rms > 50.0 * right.coordinates["q"].rms
    # the rod of the system is another one than that of the run
    found = fm.check(pulled_pendulum(mass=1.01 * case.MASS), result)
    assert found.coordinates["q"].rms > 50.0 * right.coordinates["q"].rms
    assert found.fibers == right.fibers


def test_laws_of_stress_take_no_part():
    system, result = pulled(fm.BDF2(), 128)
    model = system.model.copy()
    other = fm.Tissue(case.DENSITY, fm.KelvinVoigt(7.0 * case.MU, 0.0), bending=1.0)
    model._fibers = [replace(fiber, tissue=other) for fiber in model.fibers]
    found = fm.check(fm.build(model), result)
    assert found.fibers == fm.check(system, result).fibers
    assert found.coordinates == fm.check(system, result).coordinates


def test_inertia_and_applied_forces_are_the_whole(rng):
    """Of bodies in every row; of fibers in sum, as stress and bending have none."""
    system = fm.build(two_link_arm(elements=4))
    y, v = system.initial_state()
    v = system.enforce(y, 0.1 * rng.standard_normal(y.size))
    at, _ = system.configuration.at(0.0, y, v, rng.standard_normal(y.size))
    with_mass = []
    for one in system.contributions:
        whole, inertia, applied = (
            Sums.zero(system.skeleton, at, 0.0 * at.nodes, np.empty((0, 3, 6, 6)), None)
            for _ in range(3)
        )
        if isinstance(one, HasInertia):
            one.add(at, whole)
            one.add_inertia(at, inertia, applied)
            axes, nodes = (
                of(inertia) + of(applied) - of(whole)
                for of in (lambda sums: sums.axes.force, lambda sums: sums.nodes)
            )
            np.testing.assert_allclose(axes, 0.0, atol=1e-14)
            per_fiber = np.add.reduceat(nodes, system.cables.node_start[:-1])[:, :3]
            np.testing.assert_allclose(per_fiber, 0.0, atol=1e-12)
            with_mass.append(inertia.nodes.any() or inertia.axes.force.any())
    assert sorted(with_mass) == [False, True, True]  # bending has none


def cut(result, kept):
    """A result with some of its frames."""

    def part(record):
        fields = ("position", "tangent", "force_origin", "force_insertion")
        return replace(record, **{name: getattr(record, name)[kept] for name in fields})

    return replace(
        result,
        time=result.time[kept],
        coordinates={name: values[kept] for name, values in result.coordinates.items()},
        fibers={name: part(fiber) for name, fiber in result.fibers.items()},
    )


def test_frames_at_unequal_intervals():
    system, result = pulled(fm.BDF2(), 256)
    kept = np.flatnonzero(np.arange(257) % 4 < 2)
    whole, some = fm.check(system, result), fm.check(system, cut(result, kept))
    for name in whole.fibers:
        assert some.fibers[name].rms == pytest.approx(whole.fibers[name].rms, rel=0.2)
    assert some.coordinates["q"].rms == pytest.approx(whole.coordinates["q"].rms, rel=0.2)


@pytest.mark.parametrize("formulation", ["variational", "half_pass"])
def test_contact_is_counted_exactly(formulation):
    """At rest no difference in time is left: only round-off and what Newton's method leaves."""
    system = fm.build(two_link_arm(elements=4, formulation=formulation))
    result = fm.simulate(
        system,
        fm.equilibrium(system),
        t_end=0.006,
        dt=0.001,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    assert all(f.contact_force_density.max() > 5.0 for f in result.fibers.values())
    found = fm.check(system, result)
    for one in (*found.coordinates.values(), *found.fibers.values()):
        assert one.largest < 1e-9 * one.applied


def test_limb_falls_in_line_with_its_forces():
    """Wrapping around three bones and each other; contact changes on the way."""
    system = fm.build(load_scene("upper_limb").scene(elements=4).model)
    result = fm.simulate(
        system, t_end=0.25, dt=0.25 / 64, method=fm.BDF2(), control=fm.FixedSteps()
    )
    found = fm.check(system, result)
    for one in (*found.coordinates.values(), *found.fibers.values()):
        assert one.rms < 5e-3 * one.applied


def test_result_must_be_of_the_system_and_long_enough():
    system, result = pulled(fm.BDF2(), 64)
    with pytest.raises(fm.ModelError, match="has 4 frames; must have 5 or more"):
        fm.check(system, cut(result, np.arange(4)))
    with pytest.raises(fm.ModelError, match="'tail' has no place in the result.*3 nodes"):
        fm.check(system, replace(result, fibers={"fiber": result.fibers["fiber"]}))
    with pytest.raises(fm.ModelError, match="must be a Result"):
        fm.check(system, None)


def test_scene_with_a_check():
    scene = load_scene("hanging_fiber").scene(elements=4, steps=5)
    found = fm.simulate_scene(scene, check=True).stats["check"]
    assert found["fibers"]["fiber"]["largest"] < 1e-9 * found["fibers"]["fiber"]["applied"]
    assert "check" not in fm.simulate_scene(scene).stats
    with pytest.raises(fm.ModelError, match="steps = 3; must be 4 or more"):
        fm.simulate_scene(load_scene("hanging_fiber").scene(elements=4, steps=3), check=True)
