"""All muscles of published models as bundles, or one reason; and short runs of some."""

import numpy as np
import pytest
from muscles import NUMBERS, PATH, arm
from numpy.testing import assert_allclose
from test_packing import least_admissibility

import fibermsk as fm
from fibermsk.anatomy.models.sizes import TENSIONS, choose, model_tension

FILES = {
    "gait10": "opensim-models/gait10dof18musc.osim",
    "leg6": "opensim-models/leg6dof9musc.osim",
    "rajagopal": "opensim-models/Rajagopal2016.osim",
    "mobl": "MoBL-ARMS_noncommercial/MOBL_ARMS_41.osim",
}


def path_of(folder, name):
    path = folder / FILES[name]
    if not path.is_file():
        pytest.skip(f"no {FILES[name]} in {folder}")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "muscles", "number", "refused"),
    [
        ("gait10", "*", 18, {}),
        ("leg6", "*", 9, {}),
        ("rajagopal", "*_r", 40, {}),
        # in the pose of the file its fibers would be 0.13 optimal lengths long
        ("mobl", "*", 50, {"ANC": "path length at the start = 0.0215"}),
    ],
)
def test_every_muscle_is_a_bundle_or_has_a_reason(shared_models, name, muscles, number, refused):
    model = fm.read_osim(path_of(shared_models, name))
    # a coarser mesh than by default, in half of the time
    made = fm.bundles_from_model(model, muscles, n_elements=8)
    assert len(made.muscles) + len(made.refused) == number
    assert set(made.refused) == set(refused)
    for muscle, text in refused.items():
        assert text in made.refused[muscle]
    for one in made.muscles.values():
        assert one.moved <= one.thickness
        # that of the fibers as built: above the largest one only with a remark
        assert TENSIONS[0] <= one.specific_tension <= 16.0 * TENSIONS[1]
        said = "more than any muscle has" in str(one)
        assert (one.specific_tension <= TENSIONS[1] * (1.0 + 1e-9)) != said
        assert one.bundle.report.radius_factor > 0.25
        # the muscle parts, and tendons with their transitions, of at most one and a half of these
        assert one.bundle.report.mass < 2.5 * one.sizes.mass
        muscle = one.bundle.muscle
        expected = 1060.0 * muscle.max_isometric_force * muscle.optimal_fiber_length
        assert_allclose(one.sizes.mass * one.sizes.specific_tension, expected)
        for ring in one.rings:
            # no wider than the belly, or a torus of the file
            assert ring.radius < max(one.thickness, 0.03)
        assert one.bundle.report.name in str(made)
        # in a symmetric model, what is on the left is the image of what is on the right
        other = made.muscles.get(f"{muscle.name[:-2]}_l")
        if name == "gait10" and muscle.name.endswith("_r"):
            # the second of a pair says so if both meet in the middle
            crossed = set(other.overlaps) - {muscle.name}
            assert {two[:-2] for two in crossed} == {two[:-2] for two in one.overlaps}
            for curve, image in zip(one.bundle.curves, other.bundle.curves, strict=True):
                assert_allclose(image.nodal, curve.nodal * (1.0, 1.0, -1.0), atol=1e-9)
            assert other.specific_tension == one.specific_tension
            assert other.bundle.report.mass == one.bundle.report.mass
    # the bellies are at most 40 % of the bodies that carry them; a trunk without mass carries none
    carrying, bellies = {}, 0.0
    for one in made.muscles.values():
        bodies = [point.body for point in one.bundle.muscle.points]
        heavy = [body for body in bodies if body.mass]
        carrying |= {body.name: body.mass for body in heavy}
        bellies += one.sizes.mass * len(heavy) / len(bodies)
    assert bellies <= 0.4001 * sum(carrying.values())
    fm.build(made.model)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "muscles"),
    [("gait10", "hamstrings_r,bifemsh_r"), ("mobl", "TRIlong,BRA,BIClong")],
)
def test_bundles_move_a_limb(shared_models, name, muscles):
    """With contact: fibers stay in their rings, within the yield of these, and nothing is slack."""
    from fibermsk.cli.running.model_scene import scene

    path = path_of(shared_models, name)
    made = scene(str(path), muscles, elements=8, duration=0.05, steps=10, activation="0.2")
    result = fm.simulate_scene(made)
    assert result.status == "success" and not result.slack
    assert result.min_admissibility.min() > 0.0
    moved = [abs(values[-1] - values[0]) for values in result.coordinates.values()]
    assert max(moved) > 5e-3
    rings = [one for one in made.model.elements if isinstance(one, fm.ViaRing)]
    assert rings
    for ring in rings:
        assert result.elements[ring.name]["opening"].min() > -1e-3


def test_specific_tension_of_published_models(shared_models):
    """From masses and F_0 l_0 alone; the authors of Rajagopal2016 used 60 N/cm^2."""
    model = fm.read_osim(path_of(shared_models, "rajagopal"))
    assert_allclose(model_tension(model, model.muscles), 6e5, rtol=0.1)


def short(**numbers):
    """A muscle of short fibers, thicker than they are long."""
    given = {"max_isometric_force": 2000.0, "optimal_fiber_length": 0.04} | numbers
    model, muscle = arm(tendon_slack_length=0.29, **given)
    return model, muscle


def test_short_fibers_lie_one_behind_the_other():
    model, muscle = short()
    made = fm.bundles_from_model(model, "muscle")
    one = made.muscles["muscle"]
    report = one.bundle.report
    assert one.sizes.belly_length > 2.0 * report.muscle_length
    starts = np.array([part.marks[1] for part in one.bundle.sections]) * np.mean(
        report.fiber_lengths
    )
    assert_allclose(np.ptp(starts), one.sizes.belly_length - report.muscle_length, rtol=1e-2)
    assert least_admissibility(model, one.bundle) >= 1.0 - 1e-9
    # force and volume are those of the line muscle
    theta = np.linspace(0.0, 1.0, 4001)
    force, volume = 0.0, 0.0
    for fiber, length in zip(one.bundle.fibers, report.fiber_lengths, strict=True):
        area = np.pi * fiber.radius_at(theta) ** 2
        force += area.max() * fiber.tissue.active.max_stress
        volume += length * np.mean(area * (fiber.muscle_fraction_at(theta) == 1.0))
    assert_allclose(force, 2000.0, rtol=1e-6)
    expected = 2000.0 * 0.04 / one.sizes.specific_tension * report.radius_factor**2
    assert_allclose(volume, expected, rtol=0.03)


def test_sizes():
    _, muscle = short()
    length = 0.33
    free = choose(muscle, length, 3e5, None, False)
    assert free.specific_tension == 3e5 and 3 <= free.n_fibers <= 7
    # thinner than half their length, with a belly four times as long as its radius
    radius = np.sqrt(2000.0 * 0.04 / 3e5 / (np.pi * 0.04 * free.n_fibers))
    assert radius <= 0.5 * 0.04
    assert_allclose(free.belly_radius / free.belly_length, 0.25)
    few = choose(muscle, length, 3e5, 2, False)
    assert 3e5 < few.specific_tension <= 1e6
    with pytest.raises(fm.ModelError, match="max_isometric_force = 2000 N .* fibers or more"):
        choose(muscle, length, 3e5, 1, True)
    _, strong = short(max_isometric_force=4e4)
    with pytest.raises(fm.ModelError, match="max_isometric_force = 40000 N and optimal_fiber"):
        choose(strong, length, 3e5, None, False)


def test_muscle_without_tendons_is_shortened():
    model, muscle = arm(optimal_fiber_length=0.3, tendon_slack_length=0.002)
    with pytest.raises(fm.ModelError, match="must leave room for tendons"):
        fm.fibers_from_muscle(muscle, 1, model=model)
    made = fm.bundles_from_model(model, n_fibers=1).muscles["muscle"].bundle.report
    assert_allclose(made.muscle_length, 0.95 * np.mean(made.fiber_lengths), rtol=1e-6)


def test_wraps_via_points_and_tori():
    model, muscle = arm()
    bone = model.bodies[2]
    roll = fm.WrapCylinder("roll", bone, (0.0, -0.2, 0.0), radius=0.014, length=0.05)
    turned = ((1, 0, 0), (0, 0, -1), (0, 1, 0))  # its axis along the bone
    ring = fm.WrapTorus(
        "ring", bone, (0.017, -0.1, 0.0), rotation=turned, inner_radius=0.01, outer_radius=0.03
    )
    # flat, so that its capsule is much thicker
    across = fm.WrapEllipsoid("across", bone, (0.0135, -0.1, 0.003), radii=(0.004, 0.03, 0.02))
    wraps = [fm.PathWrap(shape) for shape in (roll, ring, across)]
    last = fm.MovingPathPoint(
        "slides", bone, [fm.Linear(0.1, PATH[-1][0])] + [fm.Polynomial([x]) for x in PATH[-1][1:]],
        ["turn", None, None],
    )  # fmt: skip
    below = fm.ConditionalPathPoint("below", bone.at(0.012, -0.23, 0.02), "turn", 0.5, 1.0)
    numbers = NUMBERS | {"max_isometric_force": 100.0}
    points = [*muscle.points[:2], below, muscle.points[2], last]
    model.add(fm.LineMuscle("wrapped", points, wraps=wraps, **numbers))
    made = fm.bundles_from_model(model, "wrapped")
    one = made.muscles["wrapped"]
    assert [body.name for body in one.shapes.bodies] == ["wrapped_wraps_bone"]
    assert one.shapes.bodies[0].shapes[0].radius < 0.014
    assert [item.name for item in one.rings] == [f"wrapped_via{k}" for k in (1, 2, 3, 4)]
    assert_allclose(one.rings[3].center.position, (0.017, -0.1, 0.0))
    assert one.rings[1].active == fm.CoordinateRange("turn", 0.5, 1.0)
    assert [item.active for item in one.rings].count(None) == 3
    assert "'across' is not an obstacle: the path enters" in str(made)
    # the fibers end on a body that moves as the last point does
    carrier, _ = one.moving
    assert {fiber.attach[1].body for fiber in one.bundle.fibers} == {carrier}
    bones = fm.skeleton(made.model)
    for angle in (0.0, 0.4):
        end = fm.muscle_path(bones, made.model.muscle("wrapped"), [angle]).points[-1]
        assert_allclose(bones.poses([angle])[carrier.name][1], end, atol=1e-15)
    # every fiber is in its rings at the start
    result = fm.simulate(fm.build(made.model), t_end=1e-6, dt=1e-6)
    for item in one.rings:
        assert result.elements[item.name]["opening"][0] > 0.0


def test_crossing_muscles_pass_through_each_other():
    """The second has the path of the first, in a channel too narrow for both."""
    model, muscle = arm()
    model.add(fm.LineMuscle("twin", muscle.points, **NUMBERS))
    made = fm.bundles_from_model(model)
    first, second = made.muscles.values()
    assert first.overlaps == ()
    # the second is beside the first, or passes through it and says so
    near = fm.anatomy.models.placing.overlap(second.bundle, first.bundle)
    assert (near < 1.0) == (second.overlaps == ("muscle",))
    assert ("passes through muscle" in str(made)) == (near < 1.0)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"muscles": "biceps"}, "muscles = 'biceps'; must be a muscle of the model"),
        ({"muscles": []}, r"muscles = \[\]; must name one or more"),
        ({"n_fibers": 0}, "n_fibers = 0"),
        ({"activation": {"other": 1.0}}, "activation = 'other'; must be 'muscle'"),
        ({"specific_tension": -1.0}, "specific_tension"),
    ],
)
def test_refusals(change, match):
    with pytest.raises(fm.ModelError, match=match):
        fm.bundles_from_model(arm()[0], **change)
    with pytest.raises(TypeError, match="'fibers'; did you mean 'n_fibers'"):
        fm.bundles_from_model(arm()[0], fibers=3)
