"""Line muscles in the equations of motion: tangents, energy, states, results, resumed runs."""

import warnings

import numpy as np
import pytest
from line_models import arm
from numpy.testing import assert_allclose
from same_results import differences
from tangents import tangent_error

import fibermsk as fm

TENDONS = ("elastic", "balance", "implicit", "rigid")


def driven():
    """An activation that is a state."""
    return fm.ActivationDynamics(fm.Ramp(0.0, 0.2, 0.4), start=0.05)


@pytest.mark.parametrize("tendon", TENDONS)
@pytest.mark.parametrize("shared", [True, False])
def test_tangent_is_exact(tendon, shared, rng):
    """With activations that are states, shared and beside a constant, and with a fiber."""
    dynamics = driven()
    activation = (dynamics, dynamics) if shared else (0.3, dynamics)
    system = fm.build(arm(fm.HillLaw(tendon=tendon), activation, fiber=not shared))
    for beta, alpha in ((0.0, 0.0), (50.0, 70.0)):
        assert tangent_error(system, rng, beta, alpha, bend=1e-3, h=1e-6) < 2e-7


def test_forms_of_the_tendon_agree():
    """Three ways to write one muscle; a stiff tendon is nearly a rigid one."""
    ends = {}
    run = {"t_end": 0.15, "dt": 0.05, "control": fm.AdaptiveSteps(1e-6)}
    for tendon in TENDONS:
        result = fm.simulate(fm.build(arm(fm.HillLaw(tendon=tendon), driven())), **run)
        ends[tendon] = [result.coordinates[name][-1] for name in ("shoulder", "elbow")]
    for tendon in ("balance", "implicit"):
        assert_allclose(ends[tendon], ends["elastic"], atol=2e-5)
    stiff = fm.HillLaw(fm.DeGrooteCurves(tendon_strain=5e-3))
    result = fm.simulate(fm.build(arm(stiff, driven())), **run)
    found = [result.coordinates[name][-1] for name in ("shoulder", "elbow")]
    compliance = np.abs(np.subtract(ends["elastic"], ends["rigid"])).max()
    assert compliance > 1e-3
    assert_allclose(found, ends["rigid"], atol=0.15 * compliance)


def test_energy_changes_by_the_work_of_the_fibers():
    """Active and damping forces alone: tendon, passive force, weight and inertia store energy."""
    system = fm.build(arm(fm.HillLaw(), 0.4))
    result = fm.simulate(system, t_end=0.4, dt=2e-3, control=fm.AdaptiveSteps(1e-7))
    energies, power = [], np.zeros(result.time.size)
    for i in range(0, result.time.size, 25):
        y = [result.coordinates[name][i] for name in ("shoulder", "elbow")]
        v = [result.speeds[name][i] for name in ("shoulder", "elbow")]
        y += [one["fiber_length"][i] for one in result.muscles.values()]
        v += [one["fiber_velocity"][i] for one in result.muscles.values()]
        energies.append(system.energy(np.array(y), np.array(v)).total)
    for muscle in result.muscles.values():
        force = muscle["active_fiber_force"] + muscle["passive_fiber_damping_force"]
        power -= force * muscle["fiber_velocity"]
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * 2e-3)])[::25]
    assert np.ptp(work) > 0.3
    assert_allclose(np.subtract(energies, energies[0]), work, atol=2e-4)


def test_moment_arms_are_slopes_of_the_length():
    system = fm.build(arm(fm.HillLaw(tendon="rigid")))
    result = fm.simulate(system, t_end=0.2, dt=1e-3)
    for muscle in result.muscles.values():
        arms = sum(
            muscle[f"moment_arm/{name}"] * result.speeds[name]
            for name in result.coordinates
            if f"moment_arm/{name}" in muscle
        )
        assert_allclose(muscle["lengthening_speed"], -arms, atol=1e-12)
        slope = np.gradient(muscle["length"], result.time)
        assert_allclose(slope[1:-1], muscle["lengthening_speed"][1:-1], atol=2e-5)
        # the path is as long as the length says, up to the corners between its points
        drawn = np.linalg.norm(np.diff(muscle.path, axis=1), axis=2).sum(axis=1)
        assert_allclose(drawn, muscle["length"], rtol=2e-3)


def test_at_rest_tendon_and_fiber_are_in_balance():
    system = fm.build(arm(fm.HillLaw(), driven(), damping=0.1))
    y, _ = fm.equilibrium(system, t=0.3)
    found = fm.simulate(system, (y, 0.0 * y), t_end=0.01, dt=0.01)
    for muscle in system.model.muscles:
        own = found.muscles[muscle.name]
        static = muscle.law.start(muscle, float(own["length"][0]), 0.4)
        assert_allclose(own["tendon_force"][0], static.tendon_force, rtol=1e-6)


def test_left_and_continued_run_is_bitwise_the_same(tmp_path):
    options = {"t_end": 0.1, "dt": 0.02, "control": fm.AdaptiveSteps(1e-5)}
    taken = []
    whole = fm.simulate(
        fm.build(arm(fm.HillLaw(), driven())), **options,
        checkpoint=taken.append, checkpoint_every=0.0,
    )  # fmt: skip
    resumed = fm.simulate(
        fm.build(arm(fm.HillLaw(), driven())), **options, resume_from=taken[len(taken) // 2]
    )
    assert differences(whole, resumed, tmp_path) == []
    other = fm.build(arm(fm.HillLaw(damping=0.2), driven()))
    with pytest.raises(fm.ModelError, match="differs in the line muscles"):
        fm.simulate(other, **options, resume_from=taken[0])


def test_a_rigid_tendon_longer_than_its_path_is_refused():
    model = arm(fm.HillLaw(tendon="rigid"))
    long = model.edit({model.muscle("triceps"): {"tendon_slack_length": 0.5}})
    with pytest.raises(fm.ModelError, match="'triceps': length of the path .* must exceed tendon"):
        fm.build(long)


def test_slack_tendons_are_named():
    """A triceps that is slack in extension; De Groote's published tendon pushes."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = fm.simulate(
            fm.build(arm(fm.HillLaw(), (0.5, 0.01), value=0.0)), t_end=0.3, dt=0.05
        )
    slack = {name for name, one in result.muscles.items() if one["tendon_slack"].any()}
    told = [one.message for one in found if getattr(one.message, "kind", "") == "slack_tendon"]
    assert bool(told) == bool(slack)
    for name in slack:
        assert name in str(told[0])


def test_a_muscle_with_fibers_exerts_no_force_of_its_own():
    model = arm(fm.HillLaw())
    ends = model.bodies[1].at(0.03, -0.1, 0.02), model.bodies[2].at(0.02, -0.06, 0.02)
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3))
    model.add(fm.Fiber("triceps_1", attach=ends, radius=4e-3, n_elements=3, tissue=tissue))
    assert [muscle.name for muscle in model.acting_muscles] == ["brachialis"]
    result = fm.simulate(fm.build(model), t_end=0.01, dt=0.01)
    assert list(result.muscles) == ["brachialis"]


def test_results_report_muscles_that_exert_no_force(tmp_path):
    """Their paths are those of each pose."""
    model = arm(None, None)
    assert [one.name for one in model.idle_muscles] == [one.name for one in model.muscles]
    with pytest.warns(fm.ModelWarning, match="exert no force"):
        system = fm.build(model)
    result = fm.simulate(system, t_end=0.1, dt=0.02)
    bones = fm.skeleton(model)
    for name, one in result.muscles.items():
        for k in range(result.time.size):
            q = [result.coordinates[joint][k] for joint in ("shoulder", "elbow")]
            path = fm.muscle_path(bones, model.muscle(name), q)
            assert_allclose(one["length"][k], path.length, rtol=1e-12)
            for joint, arm_of in path.moment_arms.items():
                assert_allclose(one[f"moment_arm/{joint}"][k], arm_of, atol=1e-12)
        assert "activation" not in one.fields
    assert set(result.muscles) == {one.name for one in model.muscles}
    # they are kept, drawn and no part of the motion
    again = fm.load(fm.save(result, tmp_path / "idle.h5"))
    assert_allclose(again.muscles["triceps"].path, result.muscles["triceps"].path)
    bare = model.edit(remove=model.muscles)
    free = fm.simulate(fm.build(bare), t_end=0.1, dt=0.02)
    assert_allclose(free.coordinates["elbow"], result.coordinates["elbow"], atol=1e-14)
