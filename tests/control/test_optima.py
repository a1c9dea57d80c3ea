"""Optima: orders, other unknowns, another transcription, and what multipliers mean."""

import casadi as ca
import numpy as np
import pytest

import fibermsk as fm
from fibermsk.control.ends import Ends
from fibermsk.control.interval import Intervals
from fibermsk.control.muscles.traced import Traced
from fibermsk.control.plant import Plant
from fibermsk.laws.hill import degroote

QUIET = {"progress": False}


def arm(steps=50, **settings):
    problem = fm.make_scene("two_muscle_arm", steps=steps)
    return fm.OptimalControl(problem.model, **{**given(problem), **settings})


def given(problem):
    names = "duration", "controls", "objective", "start", "end", "path"
    return {name: getattr(problem, name) for name in names}


def optimum(nlp, x0, lower, upper, rows):
    """Value of the optimum of an NLP with equations."""
    options = {
        "print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.tol": 1e-11,
        "ipopt.compl_inf_tol": 1e-13, "ipopt.bound_relax_factor": 0.0,
    }  # fmt: skip
    solver = ca.nlpsol("s", "ipopt", nlp, options)
    found = solver(x0=x0, lbx=lower, ubx=upper, lbg=0.0, ubg=0.0)
    assert solver.stats()["success"], rows
    return float(found["f"])


@pytest.fixture(scope="module")
def solved():
    return {n: arm(n).solve(**QUIET) for n in (25, 50, 100)}


def test_the_arm_starts_with_the_activations_that_hold_it(solved):
    own = solved[50]
    assert own.activations["biceps"][0] == pytest.approx(0.0356607478, abs=1e-9)
    assert own.activations["triceps"][0] == 0.0
    assert own.stationarity < 1e-8 and own.violation < 1e-9


def torque(q, dq, a):
    """Torque of both muscles about the elbow: lengths by the formula, forces by De Groote."""
    scene = fm.make_scene("two_muscle_arm").model
    elbow, total = np.array([0.0, 0.0, -0.351]), 0.0
    for k, muscle in enumerate(scene.muscles):
        o, i = (np.asarray(point.station.position) for point in muscle.points)
        wrap = muscle.wraps[0]
        center = np.asarray(wrap.shape.position)
        # in the plane across the cylinders, x forward and z up; the forearm swings to +x
        c, s = ca.cos(q), ca.sin(q)
        turned = ca.vertcat(c * i[0] - s * i[2], s * i[0] + c * i[2])
        b = turned + ca.DM([elbow[0] - center[0], elbow[2] - center[2]])
        first = np.array([o[0] - center[0], o[2] - center[2]])
        r = wrap.shape.radius
        d_o, d_i = np.linalg.norm(first), ca.norm_2(b)
        free_o, free_i = np.sqrt(d_o**2 - r * r), ca.sqrt(d_i**2 - r * r)
        # about +y: from z to x
        angle = ca.atan2(b[0] * first[1] - b[1] * first[0], b[0] * first[0] + b[1] * first[1])
        phi = wrap.side * angle - np.arctan(free_o / r) - ca.atan(free_i / r)
        phi = ca.atan2(ca.sin(phi), ca.cos(phi))
        length = ca.sqrt((free_o + r * phi + free_i) ** 2 + (i[1] - o[1]) ** 2)
        arm_ = ca.jacobian(length, q)
        along = length - muscle.tendon_slack_length
        h = muscle.optimal_fiber_length * np.sin(muscle.pennation_angle)
        fiber = ca.sqrt(along**2 + h * h)
        cosine = along / fiber
        x = fiber / muscle.optimal_fiber_length
        w = arm_ * dq * cosine / (muscle.max_contraction_velocity * muscle.optimal_fiber_length)
        active, passive = (
            curve(Traced(x, 1.0))[0].symbol
            for curve in (degroote.active_force_length, degroote.passive_force_length)
        )
        speed = degroote.force_velocity(Traced(w, 0.0))[0].symbol
        force = muscle.max_isometric_force * (a[k] * active * speed + passive + 0.1 * w) * cosine
        total = total - arm_ * force
    return total


def collocated(n, start):
    """The same problem in the angle of the elbow, by Gauss points of order six, e piecewise."""
    q, dq, a, e = ca.SX.sym("q"), ca.SX.sym("dq"), ca.SX.sym("a", 2), ca.SX.sym("e", 2)
    inertia = 0.01075553125 + 1.5 * 0.1435**2
    ddq = (torque(q, dq, a) - 1.5 * 9.81 * 0.1435 * ca.sin(q)) / inertia
    law = fm.SmoothActivation(sharpness=0.1)
    pairs = ((Traced(e[k], 0.5), Traced(a[k], 0.5)) for k in range(2))
    rates = ca.vertcat(*(law.rate(*pair)[0].symbol for pair in pairs))
    f = ca.Function("f", [ca.vertcat(q, dq, a), e], [ca.vertcat(dq, ddq, rates)])
    tau = ca.collocation_points(3, "legendre")
    C, D, B = ca.collocation_coeff(tau)
    h, x, g, cost, lower, upper, guess = 0.6 / n, [], [], 0.0, [], [], []
    state = ca.MX.sym("x0", 4)
    x.append(state)
    lower, upper = [0.3, 0.0, *start], [0.3, 0.0, *start]
    guess = [0.3, 0.0, *start]
    for k in range(n):
        inner, control = ca.MX.sym(f"i{k}", 4, 3), ca.MX.sym(f"e{k}", 2, 3)
        x += [ca.vec(inner), ca.vec(control)]
        lower += [-np.inf, -np.inf, 0.0, 0.0] * 3 + [0.0] * 6
        upper += [np.inf, np.inf, 1.0, 1.0] * 3 + [1.0] * 6
        at = 0.3 + 1.4 * (k + 0.5) / n
        guess += [at, 2.0, 0.1, 0.1] * 3 + [0.1] * 6
        points = ca.horzcat(state, inner)
        slopes = [f(inner[:, j], control[:, j]) for j in range(3)]
        g += [points @ C[:, j] - h * slopes[j] for j in range(3)]
        cost += h * sum(B[j] * ca.sumsqr(control[:, j]) for j in range(3))
        state = points @ D
        new = ca.MX.sym(f"x{k + 1}", 4)
        x.append(new)
        g.append(new - state)
        state = new
        lower += [-np.inf, -np.inf, 0.0, 0.0] if k < n - 1 else [1.7, 0.0, 0.0, 0.0]
        upper += [np.inf, np.inf, 1.0, 1.0] if k < n - 1 else [1.7, 0.0, 1.0, 1.0]
        guess += [at, 2.0, 0.1, 0.1]
    nlp = {"x": ca.vertcat(*x), "f": cost, "g": ca.vertcat(*g)}
    return optimum(nlp, guess, lower, upper, "collocation")


def test_optima_converge_with_order_two_to_another_transcription(solved):
    start = [solved[50].activations[name][0] for name in ("biceps", "triceps")]
    exact = collocated(60, start)
    errors = [abs(solved[n].objective - exact) for n in (25, 50, 100)]
    assert errors[2] < 2e-5
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx([2.0, 2.0], abs=0.15)


def test_runs_of_the_package_are_near_with_order_two(solved):
    off = [solved[n].resimulation.coordinate for n in (25, 50, 100)]
    assert np.log2(np.array(off[:-1]) / off[1:]) == pytest.approx([2.0, 2.0], abs=0.2)
    assert max(one.resimulation.discrete for one in solved.values()) < 1e-9
    for own in solved.values():
        assert own.result.coordinates["elbow"][-1] == pytest.approx(1.7, abs=2e-3)
        table = own.result.tables
        assert table["control"]["biceps"].values.shape == (own.time.size - 1,)


def test_the_multiplier_of_an_end_is_the_slope_of_the_optimum(solved, brief):
    """d objective / d q(T) from the multiplier of the bound, against two other problems."""
    own = solved[50]
    multiplier = -own.multipliers["elbow at the end"][0]
    values = [
        arm(50, end=fm.AtRest(elbow=1.7 + d)).solve(guess=own, **QUIET).objective
        for d in (1e-4, -1e-4)
    ]
    assert multiplier == pytest.approx((values[0] - values[1]) / 2e-4, rel=1e-6)


def _geometry(plant, q):
    """Lengths, and forces of unit tensions, in director coordinates."""
    none = ca.SX(0, 1)
    return zip(*(one.path.at(none, q, none) for one in plant.muscles), strict=True)


@pytest.mark.parametrize("unknowns", ["lifted", "nested"])
def test_other_unknowns_have_the_same_optimum(solved, unknowns):
    """Director coordinates with increments, or increments alone, in place of the angle."""
    problem, n = arm(50), 50
    plant = Plant(problem.model, {}, True)
    intervals = Intervals(plant, problem.objective, True)
    directors, h = plant.directors, 0.012
    start = Ends(problem, intervals)
    q0 = np.array(directors.place(*start.start)).ravel()
    # the interval in director coordinates
    q, new, a, b, e = (ca.SX.sym(name, m) for name, m in (
        ("q", directors.n), ("new", directors.n), ("a", 2), ("b", 2), ("e", 2)))  # fmt: skip
    lengths, arms = _geometry(plant, q)
    lengths_new, arms_new = _geometry(plant, new)
    pulls, rules = [0.0, 0.0], []
    for k, muscle in enumerate(plant.muscles):
        acting = muscle.over(lengths[k], lengths_new[k], a[k], b[k], 1.0, 1.0, e[k], h)
        pulls[0] += acting.force * arms[k]
        pulls[1] += acting.force * arms_new[k]
        rules.append(acting.activation)
    momentum, weight = directors.mass @ (new - q) / h, 0.5 * h * directors.weight
    before = directors.pull(q, momentum - weight) + 0.5 * h * pulls[0]
    after = directors.pull(new, momentum + weight) - 0.5 * h * pulls[1]
    step = ca.Function("step", [q, new, a, b, e], [before, after, ca.vertcat(*rules)])
    own = solved[50]
    angle = np.diff(own.coordinates["elbow"])
    x, lower, upper, guess, g, cost = [], [], [], [], [], 0.0
    here, active, last = ca.MX(q0), ca.MX(start.fixed[0][1:]), None
    for k in range(n):
        u, b, e = ca.MX.sym("u"), ca.MX.sym("b", 2), ca.MX.sym("e", 2)
        x += [u, b, e]
        lower += [-np.inf, 0.0, 0.0, 0.0, 0.0]
        upper += [np.inf, 1.0, 1.0, 1.0, 1.0]
        values = [[own.activations[m][k + 1] for m in ("biceps", "triceps")],
                  [own.controls[m][k] for m in ("biceps", "triceps")]]  # fmt: skip
        guess += [2.0 * np.tan(angle[k] / 2.0), *values[0], *values[1]]
        new = directors.step(u, here)
        if unknowns == "lifted":
            q = ca.MX.sym("q", directors.n)
            x.append(q)
            g.append(q - new)
            lower += [-np.inf] * directors.n
            upper += [np.inf] * directors.n
            s = np.array([own.coordinates["elbow"][k + 1]])
            guess += np.array(directors.place(s, np.zeros((3, 0)))).ravel().tolist()
            new = q
        before, after, rules = step(here, new, active, b, e)
        g += [(0.0 if last is None else last) - before, rules]
        cost += h * ca.sumsqr(e)
        here, active, last = new, b, after
    # of the redundant end one number: the height of a point that swings
    end = np.array(directors.place(np.array([1.7]), np.zeros((3, 0)))).ravel()
    at = 12 * plant.tree.of_body["forearm"]
    g += [last, here[at] - end[at]]
    nlp = {"x": ca.vertcat(*x), "f": cost, "g": ca.vertcat(*g)}
    found = optimum(nlp, guess, lower, upper, unknowns)
    assert found == pytest.approx(own.objective, abs=1e-10)


def test_the_fastest_reach_jumps_between_bounds(brief):
    own = fm.make_scene("fastest_reach").solve(**QUIET)
    e = own.controls["biceps"]
    assert own.duration == pytest.approx(own.objective, abs=1e-12) and own.duration < 0.22
    assert (np.minimum(e, 1.0 - e) < 1e-6).mean() > 0.9


@pytest.mark.slow
def test_parts_of_a_motion_restore_order_two(brief):
    durations = [
        fm.make_scene("fastest_reach", steps=n, phases=True).solve(**QUIET).objective
        for n in (40, 80, 160)
    ]
    ratio = (durations[0] - durations[1]) / (durations[1] - durations[2])
    assert np.log2(ratio) == pytest.approx(2.0, abs=0.05)


def test_a_coarse_grid_and_several_starts_find_the_same(solved, brief):
    own = arm(50).solve(coarse=1, starts=3, **QUIET)
    assert own.objective == pytest.approx(solved[50].objective, abs=1e-10)
    assert len(own.optima) == 3 and own.optima[0][1] == "success"
    assert [value for value, status in own.optima if status == "success"] == sorted(
        value for value, status in own.optima if status == "success"
    )
    whole = arm(50).solve(expand=True, **QUIET)
    assert whole.objective == pytest.approx(solved[50].objective, abs=1e-11)


def test_two_arms_move_as_in_a_run():
    own = fm.make_scene("upper_body").solve(**QUIET).resimulation
    assert own.discrete < 1e-9 and own.coordinate < 8e-3 and own.speed < 0.6


def test_a_turned_world_has_the_same_optimum(brief):
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_rotvec((0.4, -0.7, 0.9)).as_matrix()
    values = []
    for gravity, turned in (((0, 0, -9.81), None), (turn @ (0, 0, -9.81), turn)):
        scene = fm.make_scene("upper_body", steps=12)
        from upper_body import arms

        problem = fm.OptimalControl(arms(gravity, turned), **given(scene))
        values.append(problem.solve(**QUIET).objective)
    assert values[0] == pytest.approx(values[1], abs=1e-10)
