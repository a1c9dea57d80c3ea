"""Models of other sizes: what must hold without another program."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.analysis.scaling.inertia import scaled_inertia
from fibermsk.cli.main import app


def leg(rotation=((1, 0, 0), (0, 1, 0), (0, 0, 1))):
    """Two bodies with a sliding knee, a muscle around a cylinder, meshes and markers."""
    model = fm.Model("leg")
    corners = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    mesh = fm.Mesh(corners, faces, name="bone", radius=0.02, spacing=0.02)
    thigh = model.add(fm.Body("thigh", 8.0, (0, -0.2, 0), (0.13, 0.03, 0.14), visuals=mesh))
    shank = model.add(
        fm.Body("shank", 3.0, (0, -0.2, 0.01), (0.05, 0.005, 0.05),
                fm.Capsule((0, 0, 0), (0, -0.3, 0), 0.04))
    )  # fmt: skip
    model.add(fm.Hinge("hip", model.ground, thigh, (0, 1, 0), (0, 0, 1)))
    slide = fm.Axis("translation", (0, 1, 0), [("knee", fm.Polynomial([-0.01, 0.02, 0.005]))], -0.4)
    turn = fm.Axis("rotation", (0, 0, 1), "knee")
    knee = fm.Coordinate("knee", value=0.3)
    model.add(fm.FunctionalJoint("knee", thigh, shank, [knee], [slide, turn], (0.01, 0, 0)))
    cylinder = fm.WrapCylinder("roll", thigh, (0, -0.4, 0), rotation, radius=0.03, length=0.2)
    points = [
        fm.PathPoint("o", thigh.at(0.06, -0.1, 0)),
        fm.PathPoint("i", shank.at(0.05, -0.1, 0)),
    ]
    numbers = {"max_isometric_force": 1e3, "optimal_fiber_length": 0.1, "tendon_slack_length": 0.2}
    model.add(fm.LineMuscle("extensor", points, wraps=[fm.PathWrap(cylinder)], **numbers))
    model.add(fm.Marker("hip", thigh.at(0, 0, 0)), fm.Marker("knee", thigh.at(0, -0.4, 0)))
    model.add(fm.Marker("heel", shank.at(0, -0.4, 0)), fm.Marker("wall", model.ground.at(1, 0, 0)))
    return model


def test_one_factor_for_all_is_similarity():
    """Lengths times s, masses s^3, inertias s^5; angles and the poses' shape stay."""
    model, s = leg(), 1.2
    found = fm.scale(model, {"thigh": s, "shank": s, "ground": s})
    for name in ("thigh", "shank"):
        old, new = model.body(name), found.model.body(name)
        assert abs(new.mass - s**3 * old.mass) < 1e-12
        np.testing.assert_allclose(new.com, s * np.asarray(old.com), rtol=1e-14)
        np.testing.assert_allclose(new.inertia, s**5 * np.asarray(old.inertia), rtol=1e-13)
    for q in ([0.0, 0.3], [0.7, -0.5]):
        poses = [fm.skeleton(one).poses(q) for one in (model, found.model)]
        for name in ("thigh", "shank"):
            np.testing.assert_allclose(poses[1][name][0], poses[0][name][0], atol=1e-14)
            np.testing.assert_allclose(poses[1][name][1], s * poses[0][name][1], atol=1e-14)
        pose = dict(zip(("hip", "knee"), q, strict=True))
        length = [fm.path_length(one, "extensor", pose) for one in (model, found.model)]
        assert abs(length[1] / length[0] - s) < 1e-12
    muscle = found.model.muscle("extensor")
    assert abs(muscle.optimal_fiber_length - 0.12) < 1e-14
    assert abs(muscle.tendon_slack_length - 0.24) < 1e-14
    np.testing.assert_allclose(found.model.marker("wall").station.position, [1.2, 0, 0])
    (capsule,) = found.model.body("shank").shapes
    assert abs(capsule.radius - 0.048) < 1e-14 and abs(capsule.end[1] + 0.36) < 1e-14
    (mesh,) = found.model.body("thigh").visuals
    assert abs(np.max(mesh.vertices) - 0.12) < 1e-14
    assert model.body("thigh").mass == 8.0  # the model itself stays


def test_stretches_along_axes_of_the_bodies():
    found = fm.scale(leg(), {"thigh": (1.0, 1.5, 2.0)}, keep_distribution=True).model
    wrap = found.muscle("extensor").wraps[0].shape
    np.testing.assert_allclose(wrap.position, [0, -0.6, 0])
    assert abs(wrap.radius - 0.03 * 1.25) < 1e-15 and abs(wrap.length - 0.4) < 1e-15
    joint = found.joint("knee")
    np.testing.assert_allclose(joint.at, [0.01, 0, 0])
    assert abs(joint.axes[0].offset + 0.6) < 1e-15
    ((_, function),) = joint.axes[0].pairs
    for q in (0.0, 0.4):
        assert abs(function(q) - 1.5 * (-0.01 + 0.02 * q + 0.005 * q * q)) < 1e-15
    assert joint.axes[1].pairs[0][0] == "knee"
    # turned by 90 degrees about x, the cylinder lies along y
    turned = leg([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    wrap = fm.scale(turned, {"thigh": (1.0, 1.5, 2.0)}).model.muscle("extensor").wraps[0].shape
    assert abs(wrap.radius - 0.03 * 1.5) < 1e-15 and abs(wrap.length - 0.3) < 1e-15


def test_inertia_of_a_cylinder():
    """Along its axis and across, against the formulas of a solid cylinder."""
    m, r, h = 2.0, 0.05, 0.4
    across, along = m * (h**2 / 12 + r**2 / 4), 0.5 * m * r**2
    for axis in range(3):
        inertia = np.full(3, across)
        inertia[axis] = along
        factors = np.array([1.1, 0.9, 1.3])
        others = [i for i in range(3) if i != axis]
        square = r**2 * factors[others].prod()
        new_h, new_m = h * factors[axis], 3.0
        expected = np.full(3, new_m * (new_h**2 / 12 + square / 4))
        expected[axis] = 0.5 * new_m * square
        found = scaled_inertia(np.diag(inertia), m, new_m, factors)
        np.testing.assert_allclose(found, np.diag(expected), rtol=1e-13, atol=1e-16)


def test_masses_and_measured_distances():
    model = leg()
    thigh = fm.Measurement("thigh", [("hip", "knee")], {"thigh": "y"}, [0.44])
    shank = fm.Measurement("shank", [("knee", "heel")], {"shank": "xyz"}, [0.45])
    found = fm.scale(model, {"shank": (1.0, 1.05, 1.0)}, measurements=[thigh, shank], mass=12.0)
    np.testing.assert_allclose(found.factors["thigh"], [1.0, 1.1, 1.0], rtol=1e-14)
    np.testing.assert_allclose(found.factors["shank"], [1.0, 1.05, 1.0])  # given ones prevail
    assert abs(sum(found.masses.values()) - 12.0) < 1e-13 and found.mass_before == 11.0
    assert abs(found.masses["thigh"] / found.masses["shank"] - 8 * 1.1 / (3 * 1.05)) < 1e-13
    kept = fm.scale(model, {"thigh": 1.3}, mass=12.0, keep_distribution=True)
    assert abs(kept.masses["thigh"] / kept.masses["shank"] - 8 / 3) < 1e-13
    first = found.residuals[0]
    assert abs(first.modeled - 0.4) < 1e-14 and first.measured == 0.44
    assert abs(first.scaled - 0.44) < 1e-14
    assert "Scaled model 'leg'" in repr(found)
    same = fm.scale(model)
    assert same.factors == {} and same.mass == 11.0 and same.muscles == {"extensor": 1.0}


@pytest.mark.parametrize(
    "change, words",
    [
        ({"factors": {"thig": 1.1}}, "no body 'thig'; did you mean 'thigh'"),
        ({"factors": {"thigh": (1.0, -1.0, 1.0)}}, r"factors\[1\] = -1.0; must be"),
        ({"mass": 0.0}, "mass = 0.0 kg; must be"),
        ({"measurements": [("hip", "knee")]}, "be a Measurement"),
        ({"measurements": [("a", [("hip", "knee")], {"thigh": "y"})]}, "has no distances; must"),
        ({"measurements": [("a", [("hip", "toe")], {"thigh": "y"}, [1.0])]}, "no marker 'toe'"),
        (
            {"measurements": [("a", [("hip", "knee")], {"thigh": "y"}, [0.4]),
                              ("b", [("hip", "knee")], {"thigh": "xy"}, [0.4])]},
            "axis = 'y of thigh'; must be of one measurement, not of 'a' and 'b'",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(change, words):
    made = [
        fm.Measurement(*one) if isinstance(one[-1], dict | list) else one
        for one in change.get("measurements", ())
    ]
    with pytest.raises(fm.ModelError, match=words):
        fm.scale(leg(), **change | {"measurements": made})


@pytest.mark.parametrize(
    "given, words",
    [
        (([("hip", "hip")], {"thigh": "y"}), "be two names of different markers"),
        (([], {"thigh": "y"}), "be one pair or more"),
        (([("hip", "knee")], {"thigh": "yy"}), "be some of x, y and z, each once"),
        (([("hip", "knee")], {}), "name one body or more"),
        (([("hip", "knee")], {"thigh": "y"}, [-0.4]), r"distances\[0\] = -0.4 m; must be"),
    ],
)
def test_measurements_are_checked(given, words):
    with pytest.raises(fm.ModelError, match=words):
        fm.Measurement("thigh", *given)


def test_a_pair_that_is_never_seen():
    measure = fm.Measurement("thigh", [("hip", "knee")], {"thigh": "y"})
    gone = np.full((2, 3), np.nan)
    static = fm.Markers("static", [0.0, 1.0], {"hip": np.zeros((2, 3)), "knee": gone})
    with pytest.raises(fm.ModelError, match="'hip' and 'knee' are in no frame of 'static'"):
        fm.scale(leg(), static=static, measurements=[measure])


def test_forces_and_masses_of_muscles_come_later():
    class Own:
        name, bodies, coordinates, signals = "own", (), (), ()

        def contribute(self, configuration):
            raise NotImplementedError

    model = leg()
    model.add(Own())
    with pytest.raises(fm.ModelError, match="elements .* their forces are not part of scaling"):
        fm.scale(model, {"thigh": 1.1})
    heavy = leg()
    heavy = heavy.edit({heavy.muscle("extensor"): {"mass": 0.2}})
    with pytest.raises(fm.ModelError, match="give muscles mass after scaling"):
        fm.scale(heavy, {"thigh": 1.1})


SETUP = """<OpenSimDocument Version="40000"><ScaleTool><mass>70</mass><ModelScaler>
<scaling_order>manualScale</scaling_order><ScaleSet><objects>
<Scale name="s"><scales>1.1 1.2 1.3</scales><segment>{body}</segment></Scale>
</objects></ScaleSet></ModelScaler></ScaleTool></OpenSimDocument>"""


def test_setups_are_checked(tmp_path):
    file = tmp_path / "setup.xml"
    file.write_text(SETUP.format(body="thigh"))
    found = fm.scale(leg(), file)
    np.testing.assert_array_equal(found.factors["thigh"], [1.1, 1.2, 1.3])
    assert abs(found.mass - 70.0) < 1e-12
    assert abs(fm.scale(leg(), file, mass=60.0).mass - 60.0) < 1e-12
    for old, new, words in (
        ("1.1 1.2 1.3", "1.1 1.2", "scales = '1.1 1.2'; must be 3 finite numbers"),
        ("manualScale", "manual", "scaling_order = 'manual'; must be some of"),
        ("ModelScaler", "Scaler", "holds 0 ModelScaler; must have one"),
        ("<ModelScaler>", "<ModelScaler><apply>false</apply>", "ModelScaler: does not apply; must"),
    ):
        file.write_text(SETUP.format(body="thigh").replace(old, new))
        with pytest.raises(fm.ModelError, match=words):
            fm.scale(leg(), file)
    placer = "<MarkerPlacer><apply>true</apply></MarkerPlacer></ScaleTool>"
    file.write_text(SETUP.format(body="thigh").replace("</ScaleTool>", placer))
    with pytest.warns(fm.ModelWarning, match="markers are not moved to the static trial"):
        fm.scale(leg(), file)


def test_damaged_setups_are_refused_or_read(tmp_path, rng):
    file, text = tmp_path / "setup.xml", SETUP.format(body="thigh")
    read = 0
    for _ in range(300):
        k = int(rng.integers(len(text)))
        file.write_text(text[:k] + str(rng.choice([*"<>/ 0-x", ""])) + text[k + 1 :])
        try:
            fm.scale(leg(), file)
            read += 1
        except fm.ModelError:
            pass
    assert 0 < read < 300


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_commands(shared_models, tmp_path):
    """Factors of a file, and inverse dynamics of the model of that size."""
    home = shared_models / "opensim-models" / "gait10dof18musc_reference"
    if not home.is_dir():
        pytest.skip(f"no {home}")
    model, setup, out = home / "subject01.osim", tmp_path / "setup.xml", tmp_path / "factors.xml"
    setup.write_text(SETUP.format(body="tibia_r"))
    run = CliRunner().invoke
    found = run(app, ["scale", str(model), str(setup), "--out", str(out), "--json"])
    assert found.exit_code == 0, found.output
    report = json.loads(next(line for line in found.output.splitlines() if line.startswith("{")))
    assert report["factors"] == {"tibia_r": [1.1, 1.2, 1.3]} and abs(report["mass"] - 70) < 1e-9
    shown = run(app, ["scale", str(model), str(setup), "--out", str(out), "--mass", "80"])
    assert shown.exit_code == 0 and "to 80 kg" in shown.output
    motion = home / "subject01_walk_IK.mot"
    given = [str(model), str(motion), "--lowpass", "6", "--scale", str(out)]
    found = run(app, ["id", *given, "--out", str(tmp_path / "id.sto"), "--json"])
    assert found.exit_code == 0, found.output
    report = json.loads(next(line for line in found.output.splitlines() if line.startswith("{")))
    scaled = fm.scale(fm.read_osim(model), out).model
    force = fm.inverse_dynamics(scaled, motion, lowpass=6.0).force["pelvis_ty"]
    assert report["largest"]["pelvis_ty"] == np.abs(force).max()
    still = fm.inverse_dynamics(fm.read_osim(model), motion, lowpass=6.0).force["pelvis_ty"]
    assert np.abs(still).max() < 0.95 * np.abs(force).max()


POWERS = [(0, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize(
    "law",
    [
        [fm.Linear(0.2, 0.1), fm.Sine(0.1, 2.0)],
        fm.MultivariatePolynomial(POWERS, [0.1, 0.2, 0.3, 0.4]),
    ],
)
def test_translations_that_follow_several_coordinates_grow(law):
    """By the factor of the parent, whatever the coupling is made of."""
    model = fm.Model("sliding")
    base = model.add(fm.Body("base", 1.0, (0, 0, 0), (0.1, 0.1, 0.1)))
    model.add(fm.Hinge("p", model.ground, base, (0, 0, 0), (0, 0, 1)))
    top = model.add(fm.Body("top", 1.0, (0, 0, 0), (0.1, 0.1, 0.1)))
    axes = [fm.Axis("rotation", (0, 0, 1), "q"), fm.Axis("translation", (0, 1, 0), "s")]
    moved = [fm.Coordinate("q"), fm.Coordinate("s", "translation")]
    model.add(fm.FunctionalJoint("j", base, top, moved, axes), fm.Coupling("s", law, ["p", "q"]))
    both = fm.skeleton(model), fm.skeleton(fm.scale(model, {"base": (1.0, 1.5, 1.0)}).model)
    for q in ([0.0, 0.0], [0.3, -0.4]):
        before, after = (one.values(q)["s"] for one in both)
        assert before != 0.0 and after == pytest.approx(1.5 * before, rel=1e-14)
