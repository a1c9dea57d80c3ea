"""Fibers that end on other fibers: statics, waves, balances, tangents, orders, contacts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scenes_of_tests import rubber
from scipy.optimize import root
from tangents import tangent_error

import fibermsk as fm
from fibermsk.solvers.newton.stage import State

METHODS = [fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha(0.8)]
PLACES = np.array([[-0.05, 0.0, 0.0], [0.06, 0.01, 0.0], [0.0, -0.02, 0.08]])
RADII = np.array([2e-3, 3e-3, 2.5e-3])


def star(elements=4, gravity=(0.0, 0.0, 0.0), at=(0.004, 0.003, 0.02), **options):
    """Three fibers from fixed points to one junction, each with its own section."""
    model = fm.Model("Y", gravity=gravity)
    knot = model.add(fm.Junction("knot", model.ground, at, **options))
    for k, (x, radius) in enumerate(zip(PLACES, RADII, strict=True)):
        ends = (model.ground.at(x), knot) if k != 1 else (knot, model.ground.at(x))
        tissue = rubber(viscosity=200.0, prestress=2e4)
        model.add(
            fm.Fiber(f"arm {k}", attach=ends, radius=radius, n_elements=elements, tissue=tissue)
        )
    return model


def test_three_fibers_meet_where_their_forces_balance():
    """Against the root of three forces of elastic springs with the stress law."""
    model = star()
    system = fm.build(model)
    y, v = fm.equilibrium(system)
    reference = np.linalg.norm(PLACES - [0.004, 0.003, 0.02], axis=1)

    def pulls(x):
        way = PLACES - x
        length = np.linalg.norm(way, axis=1)
        stretch = length / reference
        stress = 5e4 * (stretch - stretch**-2) + 2e4 / stretch
        return (np.pi * RADII**2 * stress / length)[:, None] * way

    exact = root(lambda x: pulls(x).sum(axis=0), [0.0, 0.0, 0.02], tol=1e-14).x
    at = system.configuration.split(y)[1][:3]
    assert_allclose(at, exact, atol=1e-10)
    assert np.linalg.norm(exact - [0.004, 0.003, 0.02]) > 3e-3
    result = fm.simulate(system, (y, v), t_end=2e-3, dt=1e-3)
    forces = fm.junction_forces(model, result, "knot")
    assert list(forces) == ["arm 0", "arm 1", "arm 2"]
    assert_allclose(np.stack(list(forces.values()))[:, 0], pulls(exact), rtol=1e-6, atol=1e-8)
    assert_allclose(sum(forces.values()), 0.0, atol=1e-9)


@pytest.mark.parametrize("mass", [None, 2e-3])
def test_the_tangent_with_a_junction_is_exact(rng, mass):
    system = fm.build(star(gravity=(0.1, 0.2, -9.81), mass=mass))
    for beta, alpha in ((0.0, 0.0), (50.0, 70.0)):
        assert tangent_error(system, rng, beta, alpha) < 1e-7


def string(elements, joined, viscosity=0.0):
    """A string under prestress, whole or in two halves."""
    model = fm.Model("string", gravity=(0, 0, 0))
    ground = model.ground
    whole = fm.Fiber(
        "string",
        [(0, 0, 0), (0.3, 0, 0)],
        (ground.at(0, 0, 0), ground.at(0.3, 0, 0)),
        radius=3e-3,
        n_elements=elements,
        tissue=rubber(viscosity, prestress=3e4),
    )
    parts = fm.split_fiber(whole, [0.5], ground) if joined else ((whole,), ())
    model.add(*parts[1], *parts[0])
    return model


def test_a_string_with_a_junction_has_the_frequency_of_a_string():
    """Both within the error of cubic elements, (pi / n)^6 / 60480, and of the same order."""
    exact = np.sqrt(3e4 / 1000.0) / 0.6
    errors = []
    for n in (4, 8):
        row = []
        for joined in (False, True):
            system = fm.build(string(n, joined))
            assert system.cables.h.size == n
            row.append(fm.stability(system, system.initial_state()[0]).frequency / exact - 1.0)
        assert 0.0 < row[1] <= row[0] < 1.0 / 60480.0 * (np.pi / n) ** 6 * 1.1
        errors.append(row[1])
    assert np.log2(errors[0] / errors[1]) == pytest.approx(6.0, abs=0.8)


def released(joined, viscosity=0.0, n=4):
    """System of the string in its first mode, and the state."""
    model = string(n, joined, viscosity)
    system = fm.build(model)
    y, v = system.initial_state()
    nodes, q = system.split(y)
    x = nodes[:, 0] / 0.3
    nodes[:, 2] = 3e-3 * np.sin(np.pi * x)
    nodes[:, 5] = 3e-3 * np.pi * np.cos(np.pi * x) * nodes[:, 3] / 0.3
    if joined:
        q[2] = 3e-3
    return model, system, y, v


def plucked(joined, method, steps, control=None, viscosity=0.0):
    """Motion over a sixth of a period."""
    model, system, y, v = released(joined, viscosity)
    t_end = 0.6 / np.sqrt(30.0) / 6.0
    result = fm.simulate(
        system,
        (y, v),
        t_end=t_end,
        dt=t_end / steps,
        method=method,
        control=control or fm.FixedSteps(),
        newton=fm.Newton(tolerance=1e-12),
    )
    assert result.status == "success"
    return model, result


def middle(result):
    """Position of the middle at the end."""
    name, theta = ("string_1", 1.0) if "string_1" in result.fibers else ("string", 0.5)
    return result.fibers[name].centerline([theta], -1)[0]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_every_method_keeps_its_order_with_a_junction(method):
    # viscosity damps the short waves of the start, which steps of this length do not resolve
    ends = [middle(plucked(True, method, n, viscosity=300.0)[1])[2] for n in (100, 200, 400)]
    found = np.log2(abs(ends[1] - ends[0]) / abs(ends[2] - ends[1]))
    assert found == pytest.approx(method.order, abs=0.2)


def test_motion_with_adaptive_steps_equals_that_of_the_whole_string():
    control = fm.AdaptiveSteps(1e-5)
    whole, parts = (plucked(joined, fm.SDIRK2(), 16, control)[1] for joined in (False, True))
    assert_allclose(middle(parts), middle(whole), atol=1e-6)
    assert 1e-3 < middle(whole)[2] < 2e-3


def test_energy_is_conserved_with_a_junction():
    """To second order in the step, as without."""
    drift = []
    for steps in (30, 60):
        _, system, y, v = released(True)
        method, newton = fm.GeneralizedAlpha(1.0), fm.Newton(tolerance=1e-12)
        memory = method.start(system, State(0.0, y, v))
        first, change = system.energy(y, v).total, 0.0
        for _ in range(steps):
            memory = method.step(system, newton, memory, 0.02 / steps).memory
            here = system.energy(memory.state.y, memory.state.v)
            change = max(change, abs(here.total - first))
        assert here.kinetic > 30.0 * change
        drift.append(change)
    assert np.log2(drift[0] / drift[1]) > 1.8


def test_a_junction_carries_no_force_and_bodies_feel_their_own(tmp_path):
    """Forces on a massless point add up to zero at every frame, on a mass to m (a - g)."""
    for mass in (None, 4e-3):
        model = star(gravity=(0.0, 0.0, -9.81), mass=mass)
        system = fm.build(model)
        result = fm.simulate(
            system, t_end=0.02, dt=2.5e-4, method=fm.SDIRK2(), control=fm.FixedSteps()
        )
        forces = fm.junction_forces(model, result, "knot")
        total, largest = sum(forces.values()), max(np.abs(f).max() for f in forces.values())
        x = result.bodies["knot"].position
        slope = (x[2:] - 2.0 * x[1:-1] + x[:-2]) / 2.5e-4**2
        expected = (mass or 0.0) * (slope + [0.0, 0.0, 9.81])
        atol = 1e-9 * largest if mass is None else 0.02 * np.abs(expected).max()
        assert_allclose(total[1:-1], expected, atol=atol)
        found = fm.check(system, result)
        assert {"knot_tx", "knot_ty", "knot_tz"} == set(found.coordinates)
        for one in found.coordinates.values():
            # differences in time matter only where there is mass
            assert one.rms < (1e-10 if mass is None else 1e-3) * one.applied
        loaded = fm.load(fm.save(result, tmp_path / "y.h5"))
        assert_allclose(sum(fm.junction_forces(model, loaded, "knot").values()), total)


def test_momentum_of_a_free_star_is_conserved(rng):
    model = fm.Model("free", gravity=(0, 0, 0))
    knot = model.add(fm.Junction("knot", model.ground, (0, 0, 0)))
    tissue = rubber(viscosity=100.0)
    for k, x in enumerate(PLACES):
        path = [(0, 0, 0), x]
        model.add(
            fm.Fiber(f"arm {k}", path, (knot, None), radius=2e-3, n_elements=3, tissue=tissue)
        )
    system = fm.build(model)
    y, v = system.initial_state()
    nodes, _ = system.split(v)
    nodes[:, :3] = 0.05 * rng.normal(size=nodes[:, :3].shape)
    v = system.enforce(y, v)
    cables = system.cables

    def momentum(v):
        nodes = system.split(v)[0].reshape(-1, 2, 3)[cables.elements].reshape(-1, 4, 3)
        # moments of the rigid translations
        return np.einsum("eab,ebi->ai", cables.mass, nodes)[[0, 2]].sum(axis=0)

    method, newton = fm.SDIRK2(), fm.Newton(tolerance=1e-13)
    memory = method.start(system, State(0.0, y, v))
    for _ in range(40):
        memory = method.step(system, newton, memory, 1e-3).memory
    before, after = momentum(v), momentum(memory.state.v)
    assert np.abs(before).max() > 1e-6
    assert np.abs(memory.state.v - v).max() > 0.05
    assert_allclose(after, before, atol=1e-9 * np.abs(before).max())


def test_a_run_resumes_bitwise_with_a_junction(tmp_path):
    scene = fm.Scene(star(gravity=(0, 0, -9.81)), duration=0.01, steps=4)
    whole = fm.simulate_scene(scene)
    path = tmp_path / "half.h5"
    seen = []

    def stop(progress):
        seen.append(progress)
        if progress.time > 0.004:
            raise KeyboardInterrupt

    first = fm.simulate_scene(scene, progress=stop, checkpoint=path)
    assert first.status == "interrupted"
    resumed = fm.simulate_scene(scene, resume_from=path)
    for name in ("knot_tx", "knot_ty", "knot_tz"):
        np.testing.assert_array_equal(resumed.coordinate(name), whole.coordinate(name))


def test_split_fibers_keep_profiles_and_nodes():
    model = fm.Model("profile")
    whole = fm.Fiber(
        "f",
        [(0, 0, 0), (0.05, 0.01, 0), (0.1, 0, 0)],
        (model.ground.at(0, 0, 0), None),
        radius=lambda s: 1e-3 + 2e-3 * s,
        muscle_fraction=[0.0, 1.0],
        line_load=lambda s, t: np.column_stack([s, 0 * s, 0 * s + t]),
        n_elements=10,
        tissue=rubber(),
    )
    pieces, junctions = fm.split_fiber(whole, [0.31, 0.5], model.ground)
    assert [p.name for p in pieces] == ["f_1", "f_2", "f_3"]
    assert sum(p.n_elements for p in pieces) in (9, 10, 11)
    assert_allclose(pieces[1].radius_at(np.array([0.0, 1.0])), [1.62e-3, 2e-3])
    assert_allclose(pieces[2].muscle_fraction_at(np.array([0.0, 0.5])), [0.5, 0.75])
    assert_allclose(pieces[2].line_load_at(np.array([0.5]), 2.0), [[0.75, 0.0, 2.0]])
    model.add(*junctions, *pieces)
    reference = fm.build(model).cables
    assert reference.length.sum() == pytest.approx(
        fm.build(_alone(whole)).cables.length[0], rel=1e-6
    )


def _alone(fiber):
    model = fm.Model("alone")
    model.add(fm.Fiber("f", fiber.path, (None, None), radius=1e-3, n_elements=40, tissue=rubber()))
    return model


def test_joined_fibers_do_not_touch_and_others_do():
    model = star()
    near = fm.Fiber(
        "near", [(-0.05, 0.02, 0), (0.06, 0.02, 0)], radius=2e-3, n_elements=4, tissue=rubber()
    )
    model.add(near)
    law = fm.PenaltyContact(stiffness=100.0, limit=2.0)
    model.add(fm.Contact(model.fibers, model.fibers, law))
    partners = fm.build(model).configuration.parts.partners
    law_of = partners.fiber_law[np.ix_(partners.group, partners.group)]
    joined = np.ones((4, 4), bool)
    joined[3] = joined[:, 3] = False
    assert (law_of[joined & ~np.eye(4, dtype=bool)] == -1).all() and (law_of[3, :3] == 0).all()


def test_wrong_junctions_are_refused_by_name():
    model = fm.Model("wrong")
    with pytest.raises(fm.ModelError, match="junction 'k': position.1. = nan"):
        fm.Junction("k", model.ground, (0, np.nan, 0))
    with pytest.raises(fm.ModelError, match="junction 'k': mass = -1"):
        fm.Junction("k", model.ground, (0, 0, 0), mass=-1.0)
    model.add(fm.Junction("k", model.ground, (0, 0, 0)))
    with pytest.raises(fm.ModelError, match="junction 'k': fibers = 0; must be the end of one"):
        fm.build(model)
    whole = fm.Fiber("f", [(0, 0, 0), (1, 0, 0)], radius=1e-2, n_elements=2, tissue=rubber())
    for wrong in ([], [0.0], [0.5, 0.4], [1.2]):
        with pytest.raises(fm.ModelError, match="fiber 'f': theta"):
            fm.split_fiber(whole, wrong, model.ground)
    ends = model.ground.at(0, 0, 0), model.ground.at(1, 0, 0)
    straight = fm.Fiber("g", attach=ends, radius=1e-2, n_elements=2, tissue=rubber())
    with pytest.raises(fm.ModelError, match="fiber 'g': path"):
        fm.split_fiber(straight, [0.5], model.ground)
