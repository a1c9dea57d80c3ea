"""Blocks of fibers of several processes: partition, equations and steps, alone and by MPI."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fibermsk as fm
from fibermsk.bench.bundles import case
from fibermsk.bench.bundles.ours import squeezed_model
from fibermsk.bench.processes import plan
from fibermsk.bench.processes.exchange import Exchange
from fibermsk.bench.processes.partition import blocks_of, cut, partition
from fibermsk.bench.processes.shared_system import SharedSystem
from fibermsk.bench.processes.steps import Problem, first_increment
from fibermsk.bench.processes.submodel import submodel
from fibermsk.solvers import BackwardEuler, Newton
from fibermsk.solvers.newton.stage import State

ROOT = Path(__file__).parents[2]
REACH = 6e-3
PROBLEM = Problem(fibers=24, steps=1, dt=1.0 / 128.0, newton=1e-9, krylov=1e-10, reach=REACH)


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 50])
def test_every_place_has_one_owner(rng, parts):
    places = rng.standard_normal((50, 3))
    owner = cut(places, parts)
    counts = np.bincount(owner, minlength=parts)
    assert counts.size == parts and counts.min() >= 1
    assert counts.max() - counts.min() <= np.ceil(np.log2(max(parts, 2)))


def test_the_longest_side_is_cut():
    places = np.array([[0.0, y, z] for y in range(6) for z in range(3)])
    assert_array_equal(cut(places, 2), [0] * 9 + [1] * 9)


@pytest.mark.parametrize("parts", [0, 5])
def test_too_many_parts_are_refused(parts):
    with pytest.raises(fm.ModelError, match=r"parts = . *.*between 1 and 4 fibers"):
        cut(np.zeros((4, 3)), parts)


@pytest.mark.parametrize("parts", [2, 3, 4])
def test_ghosts_are_the_fibers_within_reach(parts):
    n = 60
    blocks = partition(squeezed_model(n), parts, REACH)
    assert_array_equal(np.sort(np.concatenate([block.owned for block in blocks])), np.arange(n))
    places = case.packing(n)
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    near = apart <= 2.0 * case.RADIUS + REACH
    for rank, block in enumerate(blocks):
        beside = near[block.owned].any(axis=0)
        beside[block.owned] = False
        assert_array_equal(block.ghosts, np.flatnonzero(beside))
        got = np.concatenate([*block.receives.values()])
        assert_array_equal(np.sort(got), block.ghosts)
        for other, fibers in block.receives.items():
            assert_array_equal(fibers, blocks[other].sends[rank])
            assert np.isin(fibers, blocks[other].owned).all()


def test_blocks_without_pairs_across():
    for block in blocks_of(np.array([0, 1, 1]), np.array([[1, 2]])):
        assert block.ghosts.size == 0 and not block.sends and not block.receives


@pytest.mark.parametrize(
    "sides",
    [
        [(range(9), range(9))],
        [(range(4), range(4, 9))],
        [(range(6), range(3, 9))],
        [(range(5), range(5)), (range(5), range(5, 9))],
    ],
)
def test_each_pair_with_an_owned_fiber_is_in_contact_once(sides):
    model = squeezed_model(9)
    (whole,) = model.contacts
    fibers = model.fibers
    again = fm.Model("bundle", ground=model.ground)
    again.add(*fibers)
    for side in sides:
        first, second = ([fibers[f] for f in numbers] for numbers in side)
        again.add(replace(whole, first=first, second=second))
    for block in partition(again, 2, REACH):
        part = submodel(again, block)
        assert [fiber.name for fiber in part.fibers] == [fibers[f].name for f in block.fibers]
        owned = {fibers[f].name for f in block.owned}
        local = {fiber.name for fiber in part.fibers}
        wanted = {pair for pair in _pairs(again) if pair <= local and pair & owned}
        found = [pair for one in part.contacts for pair in _pairs_of(one)]
        assert set(found) == wanted and len(found) == len(wanted) > 0


def _pairs(model):
    return {pair for one in model.contacts for pair in _pairs_of(one)}


def _pairs_of(contact):
    """Unordered pairs of names of a contact, each once."""
    return {frozenset((a.name, b.name)) for a in contact.first for b in contact.second if a != b}


def test_others_than_fibers_are_refused():
    model = squeezed_model(3)
    model.add(fm.Body("hand", mass=1.0, inertia=(1, 1, 1)))
    model.add(fm.Hinge("wrist", model.ground, model.bodies[1], at=(0, 0, 0), axis=(0, 1, 0)))
    with pytest.raises(fm.ModelError, match="1 bodies; must have fibers on the ground"):
        partition(model, 2, REACH)


def test_friction_is_refused():
    model = squeezed_model(3)
    again = fm.Model("bundle", ground=model.ground)
    again.add(*model.fibers, replace(model.contacts[0], friction=fm.Friction(0.3, 0.01)))
    with pytest.raises(fm.ModelError, match="1 contacts with friction; must have fibers"):
        partition(again, 2, REACH)


def test_states_are_refused():
    model = fm.Model("bundle")
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), active=fm.ActiveStress(3e5))
    dynamics = fm.ActivationDynamics(fm.Constant(0.5), name="nerve")
    fibers = [
        model.add(
            fm.Fiber(
                f"fiber_{i}", attach=(model.ground.at(0, y, 0), model.ground.at(0.3, y, 0)),
                radius=0.006, n_elements=2, tissue=tissue, activation=dynamics,
            )
        )
        for i, y in enumerate((0.0, 0.012))
    ]  # fmt: skip
    model.add(fm.Contact(fibers, fibers, fm.PenaltyContact(40.0, 3.0)))
    with pytest.raises(fm.ModelError, match="1 unknowns beside nodes; must have none"):
        alone(model)


def alone(model, parts=2):
    """System of each block without communication, and the block."""
    found = []
    for block in partition(model, parts, REACH):
        inner = fm.build(submodel(model, block))
        exchange = Exchange(None, (None, None), block, inner.cables.node_start)
        found.append((SharedSystem(inner, block, exchange, REACH), block))
    return found


def test_owned_rows_are_those_of_the_whole(rng):
    model = squeezed_model(24)
    whole = fm.build(model)
    y, v = whole.initial_state()
    y = whole.retract(0.0, y, 2e-4 * rng.standard_normal(y.size))
    x, rate = rng.standard_normal(y.size), 128.0
    at = whole.evaluate(0.0, y, v, np.zeros_like(v), rate, rate)
    residual, product = (part.reshape(24, -1, 6) for part in (at.residual, at.tangent @ x))
    largest = np.abs(residual).max(), np.abs(product).max()
    assert whole.contact.n_closed()[0] > 1000
    for system, block in alone(model):
        own = y.reshape(24, -1, 6)[block.fibers].ravel()
        mine = np.isin(block.fibers, block.owned)
        found = system.evaluate(0.0, own, 0.0 * own, 0.0 * own, rate, rate)
        rows = found.residual.reshape(block.fibers.size, -1, 6)
        assert_allclose(rows[mine], residual[block.owned], rtol=0, atol=1e-12 * largest[0])
        assert not rows[~mine].any()
        rows = (found.tangent.A @ x.reshape(24, -1, 6)[block.fibers].ravel()).reshape(rows.shape)
        assert_allclose(rows[mine], product[block.owned], rtol=0, atol=1e-12 * largest[1])
        assert found.admissibility >= at.admissibility


def test_one_block_makes_the_steps_of_the_package():
    model = squeezed_model(12)
    whole, ((system, block),) = fm.build(model), alone(model, 1)
    assert block.ghosts.size == 0
    expected, found = (_step(one) for one in (whole, system))
    motion = np.abs(expected.memory.state.y - whole.initial_state()[0]).max()
    assert_allclose(found.memory.state.y, expected.memory.state.y, rtol=0, atol=1e-11 * motion)
    assert len(found.reports[0].history) == len(expected.reports[0].history)
    assert_allclose(found.memory.v_dot, expected.memory.v_dot, rtol=1e-6, atol=1e-9)
    # the same equations, so the same linear system
    increment = first_increment(whole, PROBLEM)[0]
    assert_allclose(
        first_increment(system, PROBLEM)[0],
        increment,
        rtol=0,
        atol=10.0 * PROBLEM.krylov * np.abs(increment).max(),
    )


def _step(system):
    method = BackwardEuler()
    memory = method.start(system, State(0.0, *system.initial_state()))
    return method.step(system, Newton(tolerance=1e-9), memory, PROBLEM.dt)


def test_common_motion_is_allowed_but_not_beyond_reach():
    system, _ = alone(squeezed_model(24))[0]
    y, v = system.initial_state()
    evaluate = lambda y: system.evaluate(0.0, y, v, v, tangent=False)  # noqa: E731
    moved = y.reshape(-1, 6).copy()
    moved[:, 2] += 10.0 * REACH
    evaluate(moved.ravel())
    moved[3, 2] -= 1.1 * REACH
    with pytest.raises(fm.ModelError, match=r"approached by .* at most reach = 0.006 m"):
        evaluate(moved.ravel())


def test_numbers_of_the_plan():
    assert plan.halo_bytes(8, 21) == 8 * 21 * 48
    for k in (1, 7):
        counted = 8 * (1 + sum(2 * n + 1 for n in range(1, k + 1)))
        assert plan.reduction_bytes(k) == counted
    assert plan.solution_bytes(8, 21, 7) == 8 * 8 * 21 * 48 + 8 * 64
    bundle, (h100, h200) = plan.Bundle(), plan.MACHINES
    assert plan.least_gpus(bundle, h200) < plan.least_gpus(bundle, h100)
    least = plan.least_gpus(bundle, h100)
    full = bundle.full * h100.memory
    assert plan.memory(bundle, least) <= full < plan.memory(bundle, least - 1)
    few, many = (plan.plan(bundle, h100, gpus) for gpus in (40, 160))
    assert few["fibers"] == 4 * many["fibers"]
    # a quarter of the area has half of the boundary
    assert few["ghosts"] == pytest.approx(2 * many["ghosts"])
    assert few["compute_seconds"] == pytest.approx(4 * many["compute_seconds"])
    assert few["network_part"] < many["network_part"] < 1.0


def test_ghosts_of_the_plan_are_those_of_a_cut():
    n = 400
    first, second = partition(squeezed_model(n), 2, REACH)
    for block in (first, second):
        assert block.ghosts.size == pytest.approx(plan.ghosts(n, 1), rel=0.2)


needs_mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or shutil.which("mpiexec") is None,
    reason="mpi4py or mpiexec is absent: pip install mpi4py mpich",
)


def together(*arguments, processes=2):
    """Run the benchmark in several processes."""
    variables = {"PYTHONPATH": str(ROOT), "NUMBA_NUM_THREADS": "1"}
    return subprocess.run(
        [
            shutil.which("mpiexec"), "-n", str(processes), sys.executable,
            "-m", "fibermsk.bench.processes", *arguments,
        ],
        env=os.environ | variables, capture_output=True, text=True, timeout=600,
    )  # fmt: skip


def test_the_extra_is_named_where_it_is_absent():
    text = (
        "import runpy, sys; sys.modules['mpi4py'] = None; "
        "runpy.run_module('fibermsk.bench.processes', run_name='__main__')"
    )
    run = subprocess.run(
        [sys.executable, "-c", text], env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert run.returncode == 1
    assert "must be installed for several processes" in run.stderr
    assert 'pip install -e ".[mpi]"' in run.stderr


@needs_mpi
def test_two_processes_find_the_answer_of_one():
    run = together("--fibers", "24", "--steps", "1", "--json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    first, second, one = found["rows"]
    assert (first["n"], second["n"], one["n"]) == (12, 12, 24)
    # both are right to the tolerance, 1e-10 of the preconditioned residual
    assert found["ratios"]["increment_difference"] < 3e-9
    # and Newton's method converges quadratically to 1e-9
    assert found["ratios"]["difference"] < 1e-9
    for row in (first, second):
        assert row["ghosts"] >= 4 and row["iterations"] > 10
        assert row["bytes_per_iteration"] == row["predicted_bytes_per_iteration"]
        halo = plan.halo_bytes(row["sent_fibers"], case.ELEMENTS + 1)
        assert row["halo_bytes_per_iteration"] == halo
        # beside the solutions, evaluations and fractions of updates take maxima of a few numbers
        beside = row["step_bytes"] - row["predicted_step_bytes"]
        assert 0 < beside < 0.05 * row["step_bytes"]


@needs_mpi
def test_fibers_that_move_too_far_end_all_processes():
    run = together("--fibers", "24", "--reach", "1e-5", "--alone")
    assert run.returncode != 0
    assert "must be at most reach = 1e-05 m: give a larger one" in run.stderr


@needs_mpi
@pytest.mark.parametrize(
    "fibers, must", [("1", "at least 2"), ("2", "at least the number of processes, 3")]
)
def test_too_few_fibers_are_refused(fibers, must):
    run = together("--fibers", fibers, "--alone", processes=3)
    assert run.returncode != 0
    assert f"processes: fibers = {fibers}; must be {must}" in run.stderr
