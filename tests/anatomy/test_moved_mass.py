"""Mass of line muscles, taken from bodies."""

import numpy as np
import pytest

import fibermsk as fm
from fibermsk.anatomy.calibrate import DENSITY

CALF = {"max_isometric_force": 2000.0, "optimal_fiber_length": 0.06, "tendon_slack_length": 0.2}


def leg(*, angle=0.4, **muscle):
    """Thigh and shank, turned out of all planes, and a straight muscle across the knee."""
    model = fm.Model("leg", gravity=(0.0, -9.81, 0.0))
    thigh = model.add(fm.Body("thigh", 8.0, (0.01, -0.19, 0.02), (0.13, 0.02, 0.12)))
    shank = model.add(fm.Body("shank", 3.5, (0.0, -0.18, 0.01), (0.05, 0.006, 0.05)))
    model.add(fm.Hinge("hip", model.ground, thigh, (0.1, 1.0, 0.2), (0.3, 0.5, 1.0), value=0.3))
    model.add(fm.Hinge("knee", thigh, shank, (0, -0.43, 0), (0.2, 0.1, 1), value=-angle))
    ends = thigh.at(-0.02, -0.3, 0.01), shank.at(-0.04, -0.3, 0.0)
    path = [fm.PathPoint(name, at) for name, at in zip("oi", ends, strict=True)]
    model.add(fm.LineMuscle("calf", path, **CALF | muscle))
    return model


def sums(model, rods=()):
    """Mass, first and second moments of all bodies and of rods (mass, ends), in the ground."""
    frame = fm.skeleton(model)
    poses, m, first, second = frame.poses(frame.start), 0.0, np.zeros(3), np.zeros((3, 3))
    for body in model.bodies[1:]:
        R, x = poses[body.name]
        c, inertia = x + R @ np.asarray(body.com), R @ np.asarray(body.inertia) @ R.T
        m, first = m + body.mass, first + body.mass * c
        second += 0.5 * np.trace(inertia) * np.eye(3) - inertia + body.mass * np.outer(c, c)
    for mass, (a, b) in rods:
        c, d = 0.5 * (a + b), b - a
        m, first = m + mass, first + mass * c
        second += mass * (np.outer(c, c) + np.outer(d, d) / 12.0)
    return m, first, second


@pytest.mark.parametrize("bodies", [None, {"calf": "shank"}], ids=["nearest", "shank"])
def test_mass_center_and_inertia_stay(bodies):
    """A straight uniform muscle is a rod."""
    model = leg()
    moved = fm.with_muscle_mass(model, masses={"calf": fm.MuscleMass(0.4)}, bodies=bodies)
    frame = fm.skeleton(model)
    ends = fm.muscle_path(frame, model.muscle("calf"), frame.start).points
    for before, after in zip(sums(model), sums(moved.model, [(0.4, ends)]), strict=True):
        np.testing.assert_allclose(after, before, atol=1e-10)
    assert moved.model.muscle("calf").mass.mass == 0.4
    assert model.muscle("calf").mass is None and model.body("shank").mass == 3.5
    taken = moved.shares["calf"]
    assert set(taken) == ({"thigh", "shank"} if bodies is None else {"shank"})
    if bodies is None:  # the muscle begins 13 cm above the knee and ends 30 cm below
        assert 0.25 < taken["thigh"] / 0.4 < 0.33


def test_mass_alone_stays():
    moved = fm.with_muscle_mass(leg(), masses={"calf": 0.4}, bodies={"calf": "shank"}, keep="mass")
    shank = moved.model.body("shank")
    assert abs(shank.mass - 3.1) < 1e-12
    np.testing.assert_allclose(shank.com, (0.0, -0.18, 0.01))
    np.testing.assert_allclose(shank.inertia, np.diag((0.05, 0.006, 0.05)) * 3.1 / 3.5)


def test_mass_follows_from_force_and_fiber_length():
    moved = fm.with_muscle_mass(leg(), specific_tension=4e5)
    assert abs(moved.mass - DENSITY * 2000.0 * 0.06 / 4e5) < 1e-12
    first, last = moved.model.muscle("calf").mass.along
    assert 0.0 < first < 0.5 and abs(first + last - 1.0) < 1e-12
    assert f"{moved.mass:.3g} kg in 1 muscles" in str(moved)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"masses": {"calf": 5.0}, "bodies": {"calf": "shank"}}, "mass = 3.5 kg; must be above 5"),
        (
            {"masses": {"calf": 2.0}, "bodies": {"calf": "shank"}},
            "least second moment .*keep='mass'",
        ),
        ({"masses": {"calv": 1.0}}, "masses = 'calv'; must be"),
        ({"masses": {"calf": -1.0}}, "mass = -1"),
        ({"bodies": {"calf": "tibia"}}, "no body 'tibia'"),
        ({"bodies": {"calf": "ground"}}, "bodies = 'ground'; must be one with mass"),
        ({"muscles": "quad*"}, "with_muscle_mass: muscles = 'quad\\*'"),
        ({"specific_tension": 0.0}, "specific_tension = 0"),
        ({"keep": "all"}, "keep = 'all'"),
    ],
)
def test_what_cannot_be_is_refused(options, words):
    with pytest.raises(fm.ModelError, match=words):
        fm.with_muscle_mass(leg(), **options)


def test_tensions_are_raised_where_a_body_would_have_no_inertia_left():
    """Up to the largest one, of muscles whose mass is not given, and with a remark."""
    strong = leg(max_isometric_force=8000.0)
    moved = fm.with_muscle_mass(strong)
    assert "so that shank keeps a mass and an inertia" in moved.remarks["calf"]
    assert "its specific tension is 64 N/cm^2" in str(moved)
    np.testing.assert_allclose(moved.mass, 1060.0 * 8000.0 * 0.06 / 64.4e4, rtol=0.01)
    assert not fm.with_muscle_mass(leg()).remarks
    for options in ({"max_isometric_force": 16000.0}, {"max_isometric_force": 8000.0}):
        tension = {"specific_tension": 3e5} if options["max_isometric_force"] < 1e4 else {}
        with pytest.raises(fm.ModelError, match="least second moment"):
            fm.with_muscle_mass(leg(**options), **tension)


def test_a_muscle_that_has_mass_is_left_out():
    model = leg(mass=0.2)
    assert "it is not known from which body" in fm.with_muscle_mass(model).left_out["calf"]
    with pytest.raises(
        fm.ModelError, match="no mass for muscle 'calf': .*mass = 0.2 kg; must have"
    ):
        fm.with_muscle_mass(model, "calf")


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_walking_model(shared_models):
    """Mass and inertia of the whole in its plane are those of the file, whatever the branches."""
    file = shared_models / "opensim-models" / "gait10dof18musc.osim"
    if not file.is_file():
        pytest.skip(f"no {file}")
    model = fm.read_osim(file)
    moved = fm.with_muscle_mass(model)
    assert not moved.left_out and len(moved.shares) == 18 and 10.0 < moved.mass < 20.0
    assert set(moved.shares["soleus_r"]) == {"tibia_r"}

    def whole(given):
        """Forces at the pelvis for unit accelerations of the pelvis, and weight."""
        own = fm.build(
            given.edit({one: {"law": None, "activation": None} for one in given.muscles})
        )
        y, v = own.initial_state()
        found = []
        for k in range(-1, 3):
            a = np.zeros(own.n)
            a[k] = float(k >= 0)
            found.append(own.evaluate(0.0, y, 0.0 * v, a, tangent=False).residual[:3])
        return np.array(found)

    before, after = whole(model), whole(moved.model)
    np.testing.assert_allclose(after, before, atol=1e-6 * np.abs(before).max())
    lumped = whole(without_muscles(moved.model))
    assert np.abs(lumped - before).max() > 0.1 * np.abs(before).max()  # without the muscles


def without_muscles(model):
    """The model without the mass of its muscles."""
    return model.edit({one: {"mass": None} for one in model.muscles})
