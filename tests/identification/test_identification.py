"""Parameters are found from exact data, and what data cannot tell is told or refused."""

import numpy as np
import pytest
from identification.planar_arm import TRUTH, H, arm, recording, without

import fibermsk as fm
from fibermsk.identification.fit.certainty import certainty_of, independent_samples
from fibermsk.identification.fit.solve import Prior, levenberg_marquardt
from fibermsk.identification.found import along, scattered
from fibermsk.identification.unknowns import COMMON

C = -0.75, -0.6
SEEDS = 3, 4


def data(*hidden, seeds=SEEDS):
    """Recordings without EMG of some muscles."""
    motions, signals = zip(*map(recording, seeds), strict=True)
    return list(motions), [without(one, *hidden) for one in signals]


def problem(*hidden, seeds=SEEDS, model=None, **options):
    motions, signals = data(*hidden, seeds=seeds)
    settings = {"bodies": ("upper", "lower"), "filter": C, "emg_delay": 0.042} | options
    own = fm.IdentificationProblem(model or arm(), motions, signals, **settings)
    return own


def at_truth(own):
    """Unknowns of the truth: the model's own, but for the activation."""
    z = own.guess.copy()
    for name, value in zip(COMMON, TRUTH, strict=True):
        z[own.unknowns.index(name)] = value
    return z


@pytest.mark.parametrize("loss", ["normalized", "torque", "acceleration"])
@pytest.mark.parametrize("hidden", [(), ("deep",)], ids=["M2", "M1"])
def test_exact_data_leave_no_residual_at_the_truth(hidden, loss):
    own = problem(*hidden, loss=loss)
    r, _ = own.rows(at_truth(own))
    assert r.size == sum(one.time.size for one in own.training) * (
        2 if loss == "acceleration" else 2 - len(hidden)
    )
    assert np.abs(r).max() < 1e-8


@pytest.mark.parametrize("loss", ["normalized", "torque", "acceleration"])
def test_the_jacobian_is_that_of_differences(loss, rng):
    own = scattered(problem("deep", seeds=SEEDS[:1], loss=loss), rng, 0.1)
    z = own.guess
    _, J = own.rows(z)
    for k in range(z.size):
        step = np.zeros_like(z)
        step[k] = 2e-4 * own.unknowns.scale[k]
        values = [own.rows(z + n * step)[0] for n in (-2, -1, 1, 2)]
        slope = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * step[k])
        assert np.abs(slope - J[:, k]).max() < 1e-8 * np.abs(J[:, k]).max() + 1e-9, own.names[k]


@pytest.mark.parametrize("hidden", [(), ("deep",)], ids=["M2", "M1"])
def test_parameters_are_found_from_exact_data(hidden, rng):
    own = problem(*hidden)
    truth = at_truth(own)
    found = fm.identify(scattered(own, rng, 0.05), sigma=0.0)
    off = np.abs(found.solved.z / truth - 1.0)
    assert off.max() < 1e-5 and found.solved.converged and not found.at_bounds
    assert found.filter == pytest.approx(C, abs=1e-7)
    assert found.time_constants == pytest.approx(-H / np.log([0.75, 0.6]), rel=1e-6)
    # also in the model that is given back
    model = found.model()
    force = model.muscle("flexor").max_isometric_force
    assert force == pytest.approx(500.0, rel=1e-5) and len(model.muscles) == 4


def test_held_out_movements_are_predicted(rng):
    own = problem("deep", seeds=(*SEEDS, 5), held_out=1)
    found = fm.identify(scattered(own, rng, 0.05), sigma=0.0)
    used, other = found.movements[:2], found.movements[2]
    assert not any(one.held_out for one in used) and other.held_out
    assert other.rms < 1e-5 * other.size
    # the muscle without EMG pulls as it did
    assert set(other.deep_force) == {"deep"} and other.negative["deep"] == 0.0


def test_conditions_tell_what_is_left_and_what_anchors_the_scale():
    own = problem("deep")
    told = own.conditions
    assert (told.rank, told.left, told.idle) == (1, 1, ())
    # the hand, springs and dampers are known
    assert 0.01 < told.anchor < told.size


def test_one_scale_is_free_but_for_what_is_known():
    """A change of all forces and inertias changes residuals by what is known, exactly."""
    own = problem("deep", loss="torque")
    z = at_truth(own)
    scaled = z.copy()
    for k, name in enumerate(own.names):
        if name.endswith("max_isometric_force") or name.partition("/")[0] in ("upper", "lower"):
            scaled[k] *= 1.01
    r, _ = own.rows(scaled)
    known = np.concatenate([
        np.einsum("knc,kn->kc", one.reach.left, one.known).ravel() for one in own.training
    ])  # fmt: skip
    np.testing.assert_allclose(r, 0.01 * known, atol=1e-9)
    r, _ = problem("deep", loss="normalized").rows(scaled)
    np.testing.assert_allclose(r, 0.01 / 1.01 * known, atol=1e-9)


def test_a_weight_in_the_hand_is_known_and_anchors_the_scale():
    """It adds what a heavier hand adds at rest: its weight at the hand's place."""
    plain, model = problem("deep"), arm()
    pull = fm.ExternalForce("weight", model.body("hand"), (0.0, -9.81, 0.0))
    motions, signals = data("deep")
    settings = {"bodies": ("upper", "lower"), "filter": C, "emg_delay": 0.042}
    own = fm.IdentificationProblem(model, motions, signals, loads=[[pull], []], **settings)
    skeleton = fm.skeleton(model)
    first, other = plain.training[0], own.training[0]
    for k in (0, 200):
        q = np.array([motions[0][name][k] for name in ("shoulder", "elbow")])
        at = []
        for j in range(2):
            both = [q + d * np.eye(2)[j] for d in (1e-6, -1e-6)]
            y = [skeleton.poses(one)["hand"] for one in both]
            ends = [x[1][1] for x in y]
            at.append(9.81 * (ends[0] - ends[1]) / 2e-6)
        np.testing.assert_allclose(other.known[k] - first.known[k], at, atol=1e-6)
    np.testing.assert_array_equal(own.training[1].known, plain.training[1].known)
    assert own.conditions.anchor > plain.conditions.anchor
    with pytest.raises(fm.ModelError, match="loads = 1; must be as many as the motions, 2"):
        fm.IdentificationProblem(model, motions, signals, loads=[[pull]], **settings)


def test_a_muscle_across_what_deep_ones_reach_is_in_no_equation():
    """Then all equations of the elbow are gone, and with them a muscle of the elbow alone."""
    model = arm()
    ends = [
        fm.PathPoint("o", model.body("upper").at(0.02, -0.2, 0)),
        fm.PathPoint("i", model.body("lower").at(0.02, -0.05, 0)),
    ]
    other = model.muscle("deep")
    model.add(
        fm.LineMuscle(
            "elbow_only", ends, law=other.law, max_isometric_force=300.0,
            optimal_fiber_length=0.07, tendon_slack_length=0.08,
        )
    )  # fmt: skip
    motions, signals = data("deep")
    signals = [one | {"elbow_only": one["flexor"]} for one in signals]
    own = fm.IdentificationProblem(model, motions, signals, bodies=("upper", "lower"))
    assert own.conditions.idle == ("elbow_only",)
    assert not any(name.startswith("elbow_only") for name in own.names)


def test_groups_fixed_numbers_bounds_and_priors():
    own = problem(
        "deep", groups={"strength": "*/max_isometric_force"}, fixed=["emg/*", "upper/mx"],
        bounds={"flexor/optimal_fiber_length": (0.05, 0.12)}, prior={"upper/my": 0.01, "*": 0.2},
    )  # fmt: skip
    assert "strength" in own.names and "flexor/max_isometric_force" not in own.names
    assert not {"emg/beta1", "emg/delay", "upper/mx"} & set(own.names)
    k = own.unknowns.index("flexor/optimal_fiber_length")
    assert (own.lower[k], own.upper[k]) == (0.05, 0.12)
    k = own.unknowns.index("strength")
    assert own.guess[k] == 1.0 and own.unknowns.scale[k] == pytest.approx(0.2)
    z = own.guess.copy()
    z[k] = 1.5
    forces = own.unknowns.at(z).muscles[:, 0]
    np.testing.assert_allclose(forces, 1.5 * own.unknowns.at(own.guess).muscles[:, 0])


def test_a_group_has_bounds_and_a_prior_by_its_name():
    groups = {"strength": "*/max_isometric_force"}
    own = problem(
        "deep", groups=groups, prior={"*": 0.2, "strength": 0.3},
        bounds={"strength": (0.8, 1.1), "flexor/max_isometric_force": (450.0, 600.0)},
    )  # fmt: skip
    k = own.unknowns.index("strength")
    # the flexor's own bounds are 0.9 to 1.2 times its guess
    assert (own.lower[k], own.upper[k]) == pytest.approx((0.9, 1.1))
    assert own.unknowns.scale[k] == pytest.approx(0.3)
    with pytest.raises(fm.ModelError, match="bounds of strength = .* must include 1, the factor"):
        problem("deep", groups=groups, bounds={"strength": (1.1, 1.3)})


def test_certainty_is_that_of_linear_regression(rng):
    own = problem("deep")
    known = own.expected(0.5)
    J, s = own.rows(own.guess)[1], own.unknowns.scale
    exact = np.linalg.inv(J.T @ J / 0.25 + own.unknowns.prior)
    np.testing.assert_allclose(known.deviation, np.sqrt(np.diag(exact)), rtol=1e-6)
    assert (known.share <= 1.0 + 1e-9).all() and known.known < len(own.names)
    # a column without effect keeps the deviation of its guess
    J = J.copy()
    J[:, 0] = 0.0
    idle = certainty_of(J, own.guess, own.unknowns, 0.5)
    assert idle.verdict[0] == "not identifiable" and idle.share[0] == pytest.approx(1.0, abs=1e-6)
    assert np.abs(idle.directions[-1][0]) > 0.99 and s.size == idle.singular.size


@pytest.mark.parametrize("stay", [0.0, 0.9])
def test_correlated_samples_count_less(rng, stay):
    x = np.zeros((20_000, 1))
    for k in range(1, x.size):
        x[k] = stay * x[k - 1] + rng.normal()
    independent, rho = independent_samples(x)
    assert rho[1] == pytest.approx(stay, abs=0.03)
    assert independent == pytest.approx(x.size * (1 - stay) / (1 + stay), rel=0.35)


def study(*hidden, seed=1, **settings):
    motions, signals = data(*hidden)
    records = [fm.Recording(*one) for one in zip(motions, signals, strict=True)]
    options = {"bodies": ("upper", "lower"), "loss": settings.pop("loss", "normalized")}
    return fm.IdentificationStudy(
        arm(), TRUTH, lambda tell: records, options, seed=seed, frames=20, **settings
    )


def test_noise_is_estimated_and_intervals_hold_the_truth():
    found = study("deep", loss="torque", noise={"torque": 3.0}, sigma="estimate").solve()
    own = found.found
    assert own.solved.rms == pytest.approx(0.3, rel=0.05)
    # white noise counts as it is
    assert own.solved.sigma == pytest.approx(own.solved.rms, rel=0.15)
    low, high = own.certainty.interval.T
    truth = at_truth(found.problem)
    assert ((truth > low) & (truth < high)).mean() > 0.85


def test_a_study_finds_the_truth_and_shows_a_movement():
    lines = []
    found = study("deep", spread=0.05).solve(lines.append)
    told = found.result.stats["identification"]
    assert max(told[one] for one in ("cr1", "cr2", "cr2m")) < 1e-3 and told["base_rank"] == 6
    assert {"emg/c1", "emg/c2", "flexor/pennation_angle"} <= set(told["parameters"])
    table = found.result.tables["identification"]
    np.testing.assert_allclose(table["estimate"].values, table["truth"].values, rtol=1e-5)
    assert found.result.time.size == 21 and any("step" in one for one in lines)
    assert found.result.coordinates["elbow"][0] == pytest.approx(0.6)


def test_noise_is_that_which_was_asked_for():
    plain, noisy = (study(noise=one).problem(study().record(print)) for one in ({}, {"emg": 2.0}))
    before, after = plain.training[0].emg.values, noisy.training[0].emg.values
    ratio = after / before - 1.0
    assert ratio.std() == pytest.approx(0.1, rel=0.3)
    assert np.corrcoef(ratio[1:, 0], ratio[:-1, 0])[0, 1] == pytest.approx(
        np.exp(-H / 0.075), abs=0.05
    )
    moved = study(noise={"length": 1.0, "arm": 1.0}).problem(study().record(print))
    off = moved.training[0].path - plain.training[0].path
    assert np.ptp(off, axis=0).max() < 1e-12 and 1e-4 < np.abs(off).max() < 2e-3
    with pytest.raises(fm.ModelError, match="noise = 'sound'"):
        study(noise={"sound": 1.0})


def test_adam_goes_down():
    own = scattered(problem("deep", seeds=SEEDS[:1]), np.random.default_rng(1), 0.1)
    before = np.sqrt(np.mean(own.rows(own.guess)[0] ** 2))
    found = fm.identify(own, method="adam", iterations=150)
    assert found.solved.rms < 0.3 * before and not found.solved.converged


def test_several_guesses_at_a_time_are_those_one_after_another():
    own = problem("deep", seeds=SEEDS[:1])
    settings = {"sigma": 0.3, "guesses": 3, "spread": 0.05, "seed": 2}
    alone = fm.identify(own, **settings)
    pytest.importorskip("joblib")
    both = fm.identify(own, workers=2, **settings)

    class Client:
        """The two methods of a client of Dask that are used."""

        def submit(self, function, *arguments):
            return function, arguments

        def gather(self, futures):
            return [function(*arguments) for function, arguments in futures]

    elsewhere = fm.identify(own, client=Client(), **settings)
    assert len(alone.guesses) == 3
    for other in (both, elsewhere):
        np.testing.assert_allclose(other.solved.z, alone.solved.z, rtol=1e-6)
    deviation = alone.certainty.deviation
    for one in alone.guesses:  # all end at one place, whatever they start from
        assert (np.abs(one.z - alone.solved.z) < 0.04 * deviation).all() and one.converged


def test_other_starts_keep_what_is_known():
    """Fixed numbers, bounds and priors are those of the user, whatever a search starts from."""
    own = problem(
        "deep", seeds=SEEDS[:1], fixed=["flexor/*"], prior={"lower/my": 1e-3},
        bounds={"extensor/max_isometric_force": (440.0, 460.0)},
    )  # fmt: skip
    found = fm.identify(own, sigma=0.3, guesses=3, spread=0.2)
    assert found.problem is own
    muscles = own.unknowns.at(found.solved.z).muscles
    np.testing.assert_array_equal(muscles[0], own.unknowns.at(own.guess).muscles[0])
    for one in found.guesses:
        assert ((one.z >= own.lower) & (one.z <= own.upper)).all()
    k = own.unknowns.index("lower/my")
    assert abs(found.solved.z[k] - own.guess[k]) < 3.0 * own.unknowns.scale[k]


def test_a_search_without_finite_residuals_has_not_converged():
    def rows(z):
        return np.full(3, np.inf), np.zeros((3, 2))

    one = np.ones(2)
    prior = Prior(one, np.eye(2))
    found = levenberg_marquardt(rows, one, -one, 2 * one, one, prior=prior)
    assert not found.converged and found.cost == np.inf


def test_what_is_held_out_has_no_say():
    """Bounds of the lengths of tendons are those of the movements that are used."""
    motions, signals = data("deep")
    settings, found = {"bodies": ("upper", "lower"), "held_out": 1}, []
    for shift in (0.0, 0.3):
        moved = motions[1] | {"shoulder": motions[1]["shoulder"] + shift}
        own = fm.IdentificationProblem(arm(), [motions[0], moved], signals, **settings)
        found.append(own.upper)
    np.testing.assert_array_equal(*found)


def test_rounded_times_of_emg_are_one_rate():
    motions, signals = data("deep")
    rounded = signals[1] | {"time": signals[1]["time"] + 1e-6 * (np.arange(901) > 450)}
    own = fm.IdentificationProblem(arm(), motions, [signals[0], rounded], bodies=("upper", "lower"))
    assert own.training[1].emg.interval == own.training[0].emg.interval
    slow = signals[1] | {"time": 1.01 * signals[1]["time"]}
    with pytest.raises(fm.ModelError, match="must have the sampling interval of the first one"):
        fm.IdentificationProblem(arm(), motions, [signals[0], slow], bodies=("upper", "lower"))


def test_a_bias_is_one_sample(rng):
    independent, _ = independent_samples(1.0 + 0.01 * rng.normal(size=(2000, 1)))
    assert independent < 2.0


def test_lengths_of_fibers_may_be_measured():
    model = arm()
    motions, signals = data("deep", seeds=SEEDS[:1])
    skeleton = fm.skeleton(model)
    q = np.stack([motions[0][name] for name in ("shoulder", "elbow")], axis=1)
    p = np.stack([motions[0][f"{name}/speed"] for name in ("shoulder", "elbow")], axis=1)
    lengths, arms = fm.MuscleGeometry(skeleton, model.muscles).at(q)
    fibers = {"time": motions[0]["time"]}
    for m, muscle in enumerate(model.muscles[:3]):
        along = lengths[:, m] - muscle.tendon_slack_length
        height = muscle.optimal_fiber_length * np.sin(muscle.pennation_angle)
        fibers[muscle.name] = np.hypot(along, height)
        speed = -np.einsum("kn,kn->k", arms[:, m], p)
        fibers[f"{muscle.name}/speed"] = speed * along / fibers[muscle.name]
    own = fm.IdentificationProblem(
        model, motions, signals, bodies=("upper", "lower"), filter=C, emg_delay=0.042,
        mode="fiber", fibers=fibers,
    )  # fmt: skip
    assert np.abs(own.rows(at_truth(own))[0]).max() < 1e-8
    assert not any("slack" in name for name in own.names)
    found = fm.identify(scattered(own, np.random.default_rng(0), 0.05), sigma=0.0)
    for name, slack in found.slack.items():
        exact = model.muscle(name).tendon_slack_length
        assert slack.length == pytest.approx(exact, rel=1e-6) and slack.deviation < 1e-6


def test_elastic_tendons_are_searched_for(rng):
    """Data of the elastic model itself: the truth leaves what its discretization does."""
    own = problem("deep", seeds=SEEDS[:1], model=arm("elastic"), mode="elastic")
    z = at_truth(own)
    forces = own.residual.forces(own.training[0], own.unknowns.at(z))
    assert np.isfinite(forces.force).all() and forces.force.min() > -1.0
    found = fm.identify(own, sigma=0.3)
    assert found.solved.rms < 0.3 * np.sqrt(np.mean(own.rows(own.guess)[0] ** 2)) + 0.3


def test_a_report_is_written(tmp_path):
    found = fm.identify(problem("deep", seeds=(*SEEDS, 5), held_out=1), sigma=0.1)
    found.report(tmp_path / "report")
    names = {one.name for one in (tmp_path / "report").iterdir()}
    assert {"report.html", "estimates.csv", "correlation.csv", "estimates.png"} <= names
    assert {f"movement_{k}.png" for k in (1, 2, 3)} <= names
    page = (tmp_path / "report" / "report.html").read_text()
    for words in ("deep", "held out", "anchored by what is known", "sloppy direction",
                  "does not carry over to measured EMG", "flexor/tendon_slack_length"):  # fmt: skip
        assert words in page
    rows = (tmp_path / "report" / "estimates.csv").read_text().splitlines()
    assert len(rows) == len(found.problem.names) + 1


SLOW = {"time": np.arange(100.0), "flexor": np.full(100, 0.2)}
REFUSED = {
    "no equation left": (
        lambda m, e: (m, without(e, "deep", "biarticular")), {},
        "deep, biarticular, can give any of the 2|biarticular, deep, can give any of the 2",
    ),
    "no overlap": (
        lambda m, e: (m | {"time": m["time"] + 100.0}, e), {},
        r"must overlap, after the first 0.5 s of EMG",
    ),
    "no muscle": (
        lambda m, e: (m, {k.replace("flexor", "Flexor"): v for k, v in e.items()}), {},
        "column = 'Flexor'; must be of a muscle",
    ),
    "percent": (
        lambda m, e: (m, e | {"flexor": 100.0 * e["flexor"]}), {},
        r"flexor at t = .*; must lie in \[0, 1\]",
    ),
    "a coordinate without column": (
        lambda m, e: ({k: v for k, v in m.items() if not k.startswith("elbow")}, e), {},
        "must have all free coordinates: shoulder, elbow",
    ),
    "one acceleration without column": (
        lambda m, e: (without(m, "elbow/acceleration"), e), {}, "must have 'elbow/acceleration'",
    ),
    "unknown mode": (lambda m, e: (m, e), {"mode": "stiff"}, "mode = 'stiff'"),
    "unknown loss": (lambda m, e: (m, e), {"loss": "l1"}, "loss = 'l1'"),
    "no fibers": (lambda m, e: (m, e), {"mode": "fiber"}, "fibers = None; must be given"),
    "a pattern without match": (
        lambda m, e: (m, e), {"fixed": ["wrist/*"]}, r"fixed names 'wrist/\*'; must match one",
    ),
    "a guess out of bounds": (
        lambda m, e: (m, e), {"bounds": {"flexor/max_isometric_force": (1.0, 2.0)}},
        "must include the guess, 500 N",
    ),
    "a group of nothing": (
        lambda m, e: (m, e), {"groups": {"a": "emg/*"}, "fixed": ["emg/*"]},
        "group 'a' = .*must have numbers to find",
    ),
    "two groups of one": (
        lambda m, e: (m, e), {"groups": {"a": "emg/beta1", "b": "emg/*"}}, "is in two",
    ),
    "a ringing filter": (lambda m, e: (m, e), {"filter": (0.5, -0.5)}, r"two numbers in \(-1, 0\)"),
    "too many held out": (lambda m, e: (m, e), {"held_out": 1}, "less than the number of mov"),
    "a delay in ms": (lambda m, e: (m, e), {"emg_delay": 42.0}, r"emg_delay = 42.0 s; must lie in"),
    "constants in ms": (
        lambda m, e: (m, e), {"activation_times": (10, 40)}, "activation_times = 10.0 s; must lie",
    ),
    "EMG in volts": (
        lambda m, e: (m, {k: v if k == "time" else 1e-3 * v for k, v in e.items()}), {},
        "it looks as if it had another unit",
    ),
    "degrees": (
        lambda m, e: ({k: v if k == "time" else np.degrees(v) for k, v in m.items()}, e), {},
        "it looks like degrees",
    ),
    "speeds in degrees": (
        lambda m, e: (m | {"elbow/speed": np.degrees(m["elbow/speed"])}, e), {},
        "elbow/speed = 'given'; must be the rate of change of its values: it is 5.* times that",
    ),
    "still, with speeds": (
        lambda m, e: (m | {"elbow": 0.0 * m["elbow"]}, e), {},
        "elbow/speed = 'given'; must be the rate of change of its values, which do not change",
    ),
    "times in ms": (
        lambda m, e: (m | {"time": 1e3 * m["time"]}, e | {"time": 1e3 * e["time"]}), {},
        "interval of samples = 5.* s; must be at most 0.1 s",
    ),
    "a gap in the EMG": (
        lambda m, e: (m, {k: np.r_[v[:300], v[500:]] for k, v in e.items()}), {},
        r"interval at t = .*1.005 s; must be below 5 usual intervals",
    ),
    "a gap in the motion": (
        lambda m, e: ({k: np.r_[v[:300], v[500:]] for k, v in m.items()}, e), {},
        r"interval at t = .*1.005 s; must be below 5 usual intervals",
    ),
    "a body twice": (lambda m, e: (m, e), {"bodies": ["upper", "upper"]}, "must be named once"),
    "nothing to find": (lambda m, e: (m, e), {"fixed": ["*"]}, "must leave a number to find"),
    "no time": (lambda m, e: (m, without(e, "time")), {}, "must have 'time' among their names"),
    "no movement": (lambda m, e: ([], []), {}, "must be one movement or more"),
    "a prior of zero": (lambda m, e: (m, e), {"prior": 0.0}, "prior = 0"),
    "an unknown body": (lambda m, e: (m, e), {"bodies": ["wrist"]}, "wrist"),
}  # fmt: skip


@pytest.mark.parametrize("change, options, message", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_identified_is_refused(change, options, message):
    motion, signals = change(*recording(SEEDS[0]))
    settings = {"bodies": ("upper", "lower")} | options
    with pytest.raises(fm.ModelError, match=message):
        fm.IdentificationProblem(arm(), motion, signals, **settings)


def test_known_bones_leave_muscles_to_find():
    own = problem("deep", bodies=())
    assert own.base.independent.size == 0 and not any(
        name.startswith("upper") for name in own.names
    )
    assert np.abs(own.rows(at_truth(own))[0]).max() < 1e-8
    # all inertias are known: they fix the scale
    assert own.conditions.anchor == pytest.approx(own.conditions.size)


def test_a_centre_of_mass_that_was_guessed_to_be_zero_is_found():
    """Its deviation is relative to the largest first moment of the body."""
    first = arm()
    off = first.body("lower").com
    guessed = first.edit({first.body("lower"): {"com": (0.0, *off[1:])}})
    own = problem("deep", model=guessed, prior={"lower/mx": 0.3})
    k = own.unknowns.index("lower/mx")
    assert own.guess[k] == pytest.approx(0.0, abs=1e-12)
    assert own.unknowns.scale[k] == pytest.approx(0.3 * abs(off[1]) * first.body("lower").mass)
    found = fm.identify(own, sigma=0.01)
    truth = first.body("lower").mass * off[0]
    deviation = found.certainty.deviation[k]
    assert abs(found.solved.z[k] - truth) < 2.0 * deviation < 0.2 * own.unknowns.scale[k]


def test_emg_of_a_silent_muscle_is_told():
    motions, signals = data("deep", seeds=SEEDS[:1])
    quiet = signals[0] | {"flexor": 0.01 * signals[0]["flexor"]}
    with pytest.warns(fm.ModelWarning, match="flexor never reach 0.02 of a maximal"):
        fm.IdentificationProblem(arm(), motions, [quiet], bodies=("upper", "lower"))


def test_rates_of_fibers_in_mm_are_refused():
    motions, signals = data("deep", seeds=SEEDS[:1])
    time = motions[0]["time"]
    fibers = {"time": time}
    for name in ("flexor", "extensor", "biarticular"):
        fibers |= {name: 0.08 + 0.01 * np.sin(time), f"{name}/speed": 10.0 * np.cos(time)}
    settings = {"bodies": ("upper", "lower"), "mode": "fiber", "fibers": fibers}
    with pytest.raises(fm.ModelError, match=r"flexor/speed = 'given'; .* 1e\+03 times"):
        fm.IdentificationProblem(arm(), motions, signals, **settings)


def test_a_slack_length_that_no_rigid_tendon_has_is_refused():
    model = arm()
    long = model.edit({model.muscle("flexor"): {"tendon_slack_length": 0.3}})
    with pytest.raises(fm.ModelError, match="'flexor': tendon_slack_length = 0.3 m; must be below"):
        problem("deep", model=long)


def test_emg_of_any_rate_is_interpolated():
    motion, signals = recording(SEEDS[0])
    time = signals["time"]
    fast = np.linspace(time[0], time[-1], 5 * (time.size - 1) + 1)
    dense = {k: np.interp(fast, time, v) for k, v in signals.items() if k != "time"}
    own = fm.IdentificationProblem(arm(), motion, {"time": fast} | dense, bodies=("upper", "lower"))
    emg = own.training[0].emg
    assert emg.interval == pytest.approx(0.005, rel=1e-3)
    np.testing.assert_allclose(emg.values[:50, 0], signals["flexor"][:50], atol=1e-9)


def test_a_motion_without_speeds_comes_from_a_spline():
    motion, signals = recording(SEEDS[0])
    plain = {name: one for name, one in motion.items() if "/" not in name}
    own = fm.IdentificationProblem(
        arm(), plain, signals, bodies=("upper", "lower"), filter=C, emg_delay=0.042
    )
    r, _ = own.rows(at_truth(own))
    assert np.sqrt(np.mean(r[100:-100] ** 2)) < 0.2


def test_forces_behind_unknown_muscles_are_not_told():
    """A flexor of the elbow without an equation leaves those open that act beside it."""
    motions, signals = data("deep", seeds=SEEDS[:1])
    settings = {"bodies": ("upper", "lower"), "filter": C, "emg_delay": 0.042}
    own = fm.IdentificationProblem(arm(), motions, signals, **settings)
    z = at_truth(own)
    assert set(along(own, own.training[0], z, False).deep_force) == {"deep"}
    own.used = [True, True, False]
    assert not along(own, own.training[0], z, False).deep_force
