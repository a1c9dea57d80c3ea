"""The GPU backend on the host: the same bodies, called one by one, against the CPU's own loops."""

import numpy as np
import pytest
from device_models import (
    chain,
    curved_fibers,
    driven,
    hex_bundle,
    mixed_bundle,
    pushed,
    upper_limb,
)
from numpy.testing import assert_array_equal

import fibermsk as fm
from fibermsk.gpu import DeviceSystem, host_device
from fibermsk.kernels.fibers.shape import bezier_hull
from fibermsk.solvers.newton.linear import solver

MODELS = {
    "bundle in contact": hex_bundle,
    "curved fibers": curved_fibers,
    "upper limb": upper_limb,
    "bundle, both formulations": mixed_bundle,
    "bundle, half passes": lambda: hex_bundle(formulation="half_pass"),
    "upper limb from potentials": lambda: upper_limb("variational", "variational"),
    "pushed by a bone": pushed,
    "pushed, half passes": lambda: pushed("half_pass"),
    "pushed by a mesh": lambda: pushed(mesh=True),
    "pushed by a mesh, half passes": lambda: pushed("half_pass", mesh=True),
    "chain of two hinges": chain,
    "chain, half passes": lambda: chain("half_pass", "half_pass"),
    "chain, half passes of fibers": lambda: chain(fibers="half_pass"),
    "chain with spring, load and controller": driven,
}
T, DV_DY, DVDOT_DV = 0.03, 300.0, 300.0


def pair(model):
    """The same system for the CPU and for the device."""
    host = fm.build(model)
    return host, DeviceSystem(fm.build(model), host_device())


@pytest.fixture(params=MODELS)
def systems(request):
    """Both systems of every model."""
    return pair(MODELS[request.param]())


def moving_state(system, rng, size=1e-5):
    """A state off the reference and in motion."""
    y, v = system.initial_state()
    y = system.retract(T, y, size * rng.standard_normal(y.size))
    v = system.enforce(y, v + 0.01 * rng.standard_normal(y.size), T)
    return y, v, system.enforce_rate(y, v, rng.standard_normal(y.size), T)


def same(found, expected, relative=1e-12):
    """Whether the largest difference is small next to the largest value."""
    return np.abs(found - expected).max() <= relative * np.abs(expected).max()


def test_states(systems, rng):
    host, device = systems
    for a, b in zip(host.initial_state(), device.initial_state(), strict=True):
        assert_array_equal(a, b)
    y, v, v_dot = moving_state(host, rng)
    x = rng.standard_normal(host.n)
    assert_array_equal(device.retract(T, y, x), host.retract(T, y, x))
    for t in (None, T):
        for derive in (True, False):
            rate = {"derive": derive}
            # small models sum the products of ends and coordinates in one compiled call
            assert same(device.enforce(y, x, t, **rate), host.enforce(y, x, t, **rate), 1e-14)
        assert same(device.enforce_rate(y, v, x, t), host.enforce_rate(y, v, x, t), 1e-14)
    assert_array_equal(device.scale, host.scale)
    for a, b in zip(host.least_tension(T, y, v), device.least_tension(T, y, v), strict=True):
        assert same(b, a)
    assert host.drift(T, y, v) == pytest.approx(device.drift(T, y, v), abs=1e-14)


def test_residual_and_tangent(systems, rng):
    host, device = systems
    state = moving_state(host, rng)
    expected = host.evaluate(T, *state, DV_DY, DVDOT_DV)
    found = device.evaluate(T, *state, DV_DY, DVDOT_DV)
    assert same(found.residual, expected.residual)
    assert same(found.reactions, expected.reactions)
    assert found.admissibility == pytest.approx(expected.admissibility, rel=1e-12)
    alone = device.evaluate(T, *state, tangent=False).residual
    assert same(alone, expected.residual)
    x = rng.standard_normal(host.n)
    assert same(found.tangent @ x, expected.tangent @ x)
    on_host = found.tangent.on_host()
    assert same(on_host @ x, expected.tangent @ x)


def test_increment(systems, rng):
    host, device = systems
    state = moving_state(host, rng)
    # in short steps the tangent is so well conditioned that digits tell of errors
    expected, found = (one.evaluate(T, *state, 1e4, 1e4) for one in systems)
    b = solver(found.tangent)(-found.residual, 1e-13).x
    a = solver(expected.tangent)(-expected.residual, 1e-13).x
    assert same(b, a)


def test_rounded_couplings_cost_no_digits_of_the_solution(rng):
    host, device = pair(hex_bundle())
    state = moving_state(host, rng)
    exact = device.evaluate(T, *state, DV_DY, DVDOT_DV).tangent
    x = rng.standard_normal(host.n)
    expected = exact @ x
    with device.rounded():
        rounded = device.evaluate(T, *state, DV_DY, DVDOT_DV).tangent
        assert rounded.couplings.upper.dtype == np.float32
        assert same(rounded @ x, expected, 1e-6)
        assert not same(rounded @ x, expected, 1e-13)
    assert device.evaluate(T, *state, DV_DY, DVDOT_DV).tangent.couplings.upper.dtype == np.float64


def test_factors_may_replace_the_lines(rng, monkeypatch):
    _, device = pair(chain())
    state = moving_state(device, rng)
    found = device.evaluate(T, *state, DV_DY, DVDOT_DV)
    expected = found.tangent.solver()(-found.residual, 1e-12).x
    kept = found.tangent.lines.copy()
    found.tangent.solver()
    assert_array_equal(found.tangent.lines, kept)
    solve = found.tangent.solver(spend=True)
    assert (found.tangent.lines != kept).any()
    assert same(solve(-found.residual, 1e-12).x, expected)
    # and with these the host solves, where iterations do not converge
    monkeypatch.setattr("fibermsk.gpu.matrix.MOST_ITERATIONS", 1)
    monkeypatch.setattr("fibermsk.gpu.matrix.GOOD_ENOUGH", 0.0)
    solution = solve(-found.residual, 1e-12)
    assert solution.iterations == 0 and same(solution.x, expected, 1e-8)


def test_contacts_are_closed(rng):
    host, device = pair(hex_bundle())
    state = moving_state(host, rng)
    tangent = device.evaluate(T, *state, DV_DY, DVDOT_DV).tangent
    assert tangent.couplings.n_blocks > 50
    # the middle fiber has a color of its own, and the ring around it two
    assert len(tangent.groups) == 3
    assert host.evaluate(T, *state).admissibility < 1.0


@pytest.mark.parametrize("bones", ["half_pass", "variational"])
def test_bones_on_moving_links_are_touched(rng, bones):
    host, _ = pair(chain(bones=bones))
    host.evaluate(T, *moving_state(host, rng))
    assert host.contact.n_closed()[1] > 20
    closed = [
        part.runs.shape[np.searchsorted(part.runs.point_start, np.flatnonzero(own), "right") - 1]
        for part in host.contact.sets.bones
        if (own := part.points.state[:, 0] < part.points.state[:, 1:3].sum(axis=1)).any()
    ]
    links = host.partners.shape_link[np.concatenate(closed)]
    assert set(links) >= {0, 1}


def test_iterations_solve_without_the_host(rng):
    _, device = pair(hex_bundle())
    state = moving_state(device, rng)
    found = device.evaluate(T, *state, DV_DY, DVDOT_DV)
    solution = found.tangent.solver()(-found.residual, 1e-10)
    assert 0 < solution.iterations < 100
    assert same(found.tangent @ solution.x, -found.residual, 1e-8)


def test_the_host_solves_where_iterations_do_not_converge(rng, monkeypatch):
    _, device = pair(hex_bundle())
    state = moving_state(device, rng)
    found = device.evaluate(T, *state, DV_DY, DVDOT_DV)
    monkeypatch.setattr("fibermsk.gpu.matrix.MOST_ITERATIONS", 3)
    monkeypatch.setattr("fibermsk.gpu.matrix.GOOD_ENOUGH", 0.0)
    solution = found.tangent.solver()(-found.residual, 1e-10)
    assert solution.iterations == 0
    assert same(found.tangent @ solution.x, -found.residual, 1e-10)
    monkeypatch.setattr("fibermsk.gpu.matrix.MOST_DIRECT", 10)
    with pytest.raises(np.linalg.LinAlgError, match="does not converge in 3 iterations"):
        found.tangent.solver()(-found.residual, 1e-10)


def test_safeguard(systems, rng):
    host, device = systems
    y, v, _ = moving_state(host, rng)
    for size in (1e-5, 1e-3, 1e-1):
        increment = size * rng.standard_normal(y.size)
        a, b = (one.step_fraction(y, increment, 0.1) for one in (host, device))
        assert 0.0 < b <= 1.0
        # where an update goes far, the device looks for candidates farther around
        assert b == pytest.approx(a, rel=1e-11 if size == 1e-5 else 5e-3)


@pytest.mark.parametrize("method", [fm.BackwardEuler(), fm.BDF2()], ids=lambda one: one.name)
def test_ten_steps(systems, method):
    runs = [
        fm.simulate(
            system,
            t_end=0.01,
            dt=0.001,
            method=method,
            newton=fm.Newton(tolerance=1e-12),
            control=fm.FixedSteps(),
        )
        for system in systems
    ]
    # a step that fails in one and is halved would be another discretization
    assert all(run.stats["failed_steps"] == 0 for run in runs)
    expected, found = ([*run.fibers.values()] for run in runs)
    moved = max(np.abs(a.position - a.position[0]).max() for a in expected)
    assert moved > 1e-4
    for a, b in zip(expected, found, strict=True):
        assert np.abs(b.position - a.position).max() <= 1e-10 * moved
        assert same(b.force_origin, a.force_origin, 1e-10)
        assert same(b.axial_force, a.axial_force, 1e-10)


@pytest.mark.parametrize("bones", ["half_pass", "variational"])
def test_the_limb_until_it_is_in_contact(bones):
    systems = pair(upper_limb(bones, bones))
    newton, states = fm.Newton(tolerance=1e-12), []
    evaluate = systems[0].evaluate

    def recorded(t, y, v, *others, **options):
        states.append((t, y, v))
        return evaluate(t, y, v, *others, **options)

    systems[0].evaluate = recorded
    runs = [
        fm.simulate(
            system,
            t_end=0.5,
            dt=0.025,
            newton=newton,
            method=fm.BackwardEuler(),
            control=fm.FixedSteps(),
        )
        for system in systems
    ]
    t, y, v = states[-1]
    evaluate(t, y, v, 0.0 * v, tangent=False)
    assert min(systems[0].contact.n_closed()) > 5
    expected, found = ([*run.fibers.values()] for run in runs)
    for a, b in zip(expected, found, strict=True):
        assert np.abs(b.position - a.position).max() <= 1e-9 * np.abs(a.position).max()


@pytest.mark.parametrize("model", [hex_bundle, chain], ids=lambda one: one.__name__)
def test_a_run_goes_on_from_a_checkpoint(model):
    settings = {"t_end": 0.02, "dt": 0.005, "control": fm.FixedSteps()}
    taken = []
    _, device = pair(model())
    whole = fm.simulate(device, **settings, checkpoint=taken.append, checkpoint_every=0.0)
    _, device = pair(model())
    rest = fm.simulate(device, **settings, resume_from=taken[1])
    for name in whole.fibers:
        assert_array_equal(rest.fibers[name].position, whole.fibers[name].position)
    host = fm.build(model())
    with pytest.raises(fm.ModelError, match="backend"):
        fm.simulate(host, **settings, resume_from=taken[1])


def test_a_state_that_is_no_number_is_named(rng):
    _, device = pair(hex_bundle())
    y, v, v_dot = moving_state(device, rng)
    v[8] = np.nan
    assert (
        device.evaluate(T, y, v, v_dot, tangent=False).flaw == "the velocity of fiber_0 node 1, z"
    )


def test_a_singular_tangent_is_refused(rng):
    _, device = pair(hex_bundle())
    tangent = device.evaluate(T, *moving_state(device, rng), DV_DY, DVDOT_DV).tangent
    tangent.lines[...] = 0.0
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        tangent.solver()


def test_a_tangent_that_is_not_finite_is_refused(rng):
    _, device = pair(hex_bundle())
    found = device.evaluate(T, *moving_state(device, rng), DV_DY, DVDOT_DV)
    found.tangent.couplings.upper[found.tangent.couplings.n_blocks // 2, 2, 3] = np.nan
    solve = found.tangent.solver()
    with pytest.raises(np.linalg.LinAlgError, match="not finite"):
        solve(-found.residual, 1e-8)


def test_elements_count_on_the_device(rng):
    (_, device), (_, plain) = pair(driven()), pair(chain())
    state = moving_state(plain, rng)
    with_elements, without = (one.evaluate(T, *state, DV_DY, DVDOT_DV) for one in (device, plain))
    n_q = device.host.skeleton.n
    change = with_elements.residual - without.residual
    assert (np.abs(change[-n_q:]) > 0.1).all() and not change[:-n_q].any()
    assert np.abs(with_elements.tangent.border.D - without.tangent.border.D).max() > 1.0


class OnNodes:
    """An element whose force reaches for the nodes in one way or another."""

    name, bodies, coordinates, signals = "drag", (), (), ()

    def __init__(self, way):
        self.way = way

    def contribute(self, configuration):
        return self

    def add(self, at, sums):
        self.way(at, sums)


class OnEnds(OnNodes):
    """An element that follows the ends of fibers."""

    def follow_ends(self, at, velocity, acceleration, columns):
        pass


def resist(at, sums):
    sums.nodes += 0.1 * at.velocity


WAYS = {
    "operators": resist,
    "operators of NumPy's arrays": lambda at, sums: np.ones((1, 6)) * at.nodes,
    "entries": lambda at, sums: at.nodes[0],
    "setting entries": lambda at, sums: sums.nodes.__setitem__(0, 1.0),
    "functions of NumPy": lambda at, sums: np.linalg.norm(at.nodes, axis=1),
    "conversion": lambda at, sums: np.asarray(at.velocity),
    "attributes": lambda at, sums: at.nodes.shape,
    "loops": lambda at, sums: list(at.acceleration),
    "compiled functions": lambda at, sums: bezier_hull(*4 * [at.nodes]),
    "ends": lambda at, sums: at.ends.C,
    "the border": lambda at, sums: sums.axes.B[:],
    "the lines": lambda at, sums: sums.lines[:],
}


@pytest.mark.parametrize("way", WAYS)
def test_elements_that_act_on_nodes_are_refused_by_name(rng, way):
    model = hex_bundle()
    model.add(OnNodes(WAYS[way]))
    host, device = pair(model)
    state = moving_state(host, rng)
    with pytest.raises(fm.ModelError, match="element 'drag': acts on fibers.*backend='cpu'"):
        device.evaluate(T, *state)


def test_elements_that_follow_ends_are_refused_by_name():
    model = hex_bundle()
    model.add(OnEnds(resist))
    with pytest.raises(fm.ModelError, match="element 'drag': acts on fibers.*backend='cpu'"):
        pair(model)


class Remembering(OnNodes):
    """An element with a state, whose rows depend on nodes."""

    def contribute(self, configuration):
        self.states = configuration.states.new("drag", ["memory"], ["m"], [1.0], [0.0])
        return self


def by_nodes(at, sums):
    if sums.slopes is not None:
        sums.states.by_nodes[0, 0] += 1.0


def on_nodes(at, sums):
    if sums.slopes is not None:
        sums.states.on_nodes[0, 0] += 1.0


@pytest.mark.parametrize("way", [by_nodes, on_nodes], ids=lambda way: way.__name__)
def test_states_that_couple_to_nodes_are_refused_by_name(rng, way):
    model = hex_bundle()
    model.add(Remembering(way))
    host, device = pair(model)
    with pytest.raises(fm.ModelError, match="element 'drag': acts on fibers.*backend='cpu'"):
        device.evaluate(T, *moving_state(host, rng), DV_DY, DVDOT_DV)


def test_equilibrium_needs_the_host():
    host, device = pair(curved_fibers())
    with pytest.raises(fm.ModelError, match="system.host"):
        fm.equilibrium(device)
