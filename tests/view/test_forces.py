import numpy as np
import pytest
from make_result import make_fiber, make_hanging_fiber, make_result
from numpy.testing import assert_allclose

from fibermsk.errors import ModelError
from fibermsk.results.result import FiberHistory
from fibermsk.view.drawing.arrows import Arrows, ArrowScale, elements_per_arrow
from fibermsk.view.drawing.compare import make_stages
from fibermsk.view.drawing.stage import Stage, arrow_scales
from fibermsk.view.forces import (
    attachment_forces,
    check_kinds,
    contact_forces,
    greatest_force,
    sample_lengths,
    sample_weights,
)

ARM = make_result(5)


def gauss_fiber(n_elements=6, n_frames=2, line=None):
    """Curved fiber with three Gauss points an element and unequal elements."""
    rng = np.random.default_rng(5)
    nodes = np.cumsum([0.0, *rng.uniform(0.5, 1.5, n_elements)])
    nodes /= nodes[-1]
    gauss = 0.5 + np.sqrt(0.15) * np.array([-1.0, 0.0, 1.0])
    theta = (nodes[:-1, None] + np.diff(nodes)[:, None] * gauss).reshape(-1)
    ends = np.zeros((n_frames, 3)), np.tile([0.1, 0.0, 0.4], (n_frames, 1))
    fiber = make_fiber(*ends, np.ones((n_frames, 1)), n_nodes=n_elements + 1, n_samples=theta.size)
    shape = (n_frames, theta.size, 3)
    change = {"node_theta": nodes, "theta": theta}
    change["position"] = ends[0][:, None] + nodes[:, None] * (ends[1] - ends[0])[:, None]
    change["tangent"] = fiber.tangent + 0.02 * rng.normal(size=fiber.tangent.shape)
    change["contact_line_force"] = rng.normal(size=shape) if line is None else line(theta, shape)
    return FiberHistory(**(vars(fiber) | change))


def arrows_of(fiber, share=1):
    result = make_result(len(fiber.position), fibers={"fiber": fiber}, bodies={})
    return Arrows(result, "contact", ArrowScale(1.0, 0.1, 0.2, share))


def test_weights_at_gauss_points_are_gauss_weights():
    fiber = gauss_fiber()
    h = np.diff(fiber.node_theta)
    expected = (h[:, None] * np.array([5.0, 8.0, 5.0]) / 18.0).reshape(-1)
    assert_allclose(sample_weights(fiber), expected, rtol=1e-12)


@pytest.mark.parametrize("n_samples", [3, 21, 100])
def test_weights_anywhere_add_up_to_the_whole(n_samples):
    fiber = make_fiber(np.zeros((1, 3)), np.ones((1, 3)), np.ones((1, 1)), n_samples=n_samples)
    assert_allclose(sample_weights(fiber).sum(), 1.0)
    straight = make_fiber(
        np.zeros((1, 3)), np.ones((1, 3)), np.ones((1, 1)), n_samples=n_samples, bow=0.0
    )
    assert_allclose(sample_lengths(straight).sum(), np.sqrt(3.0))


def test_arrows_of_contact_add_up_to_the_whole_force():
    fiber = gauss_fiber()
    lengths = sample_lengths(fiber)
    for frame in (0, 1):
        whole = lengths[frame] @ fiber.contact_line_force[frame]
        assert_allclose(contact_forces(fiber)[frame].sum(axis=0), whole, rtol=1e-12)
        for share in (1, 2, 4, 6):
            arrows = arrows_of(fiber, share)
            arrows.move(frame)
            assert len(arrows.forces) == -(-6 // share)
            assert_allclose(arrows.forces.sum(axis=0), whole, rtol=1e-12)
            assert_allclose(arrows.forces, contact_forces(fiber, share)[frame], atol=1e-14)


def test_force_of_an_element_is_the_integral_over_its_current_length():
    # 2 N/m on a straight fiber of 0.5 m, on elements of a known part of it
    def uniform(theta, shape):
        return np.broadcast_to([0.0, 2.0, 0.0], shape)

    fiber = gauss_fiber(line=uniform)
    span = np.tile([0.3, 0.0, 0.4], (2, 1))
    straight = FiberHistory(
        **(
            vars(fiber)
            | {
                "position": fiber.node_theta[:, None] * span[:, None],
                "tangent": np.repeat(span[:, None], 7, axis=1),
            }
        )
    )
    expected = 2.0 * 0.5 * np.diff(fiber.node_theta)
    assert_allclose(contact_forces(straight)[1][:, 1], expected, rtol=1e-12)
    assert_allclose(contact_forces(straight, step=2)[0][:, 1], expected, rtol=1e-12)


def test_arrow_of_contact_begins_on_the_surface_where_it_presses():
    def at_one_sample(theta, shape):
        line = np.zeros(shape)
        line[:, 4] = [0.0, 3.0, 0.0]
        return line

    fiber = gauss_fiber(line=at_one_sample)
    arrows = arrows_of(fiber)
    arrows.move(0)
    place = fiber.centerline(fiber.theta[4:5], 0)[0] + [0.0, fiber.radius[0, 4], 0.0]
    assert_allclose(arrows.anchors[1], place)
    assert_allclose(np.delete(arrows.forces, 1, axis=0), 0.0)
    # those without force have no size
    size = np.ptp(arrows.points.reshape(len(arrows.forces), -1, 3), axis=1)
    assert np.all(np.delete(size, 1, axis=0) == 0.0) and size[1].max() > 0.0


def test_arrows_of_attachment_begin_at_the_ends_and_are_as_long_as_the_scale_says():
    scale = ArrowScale(10.0, 0.05, 0.2)
    arrows = Arrows(ARM, "attachment", scale)
    arrows.move(3)
    points, forces = attachment_forces(ARM, 3)
    fiber = ARM.fibers["biceps_2"]
    assert_allclose(points[2:4], fiber.position[3, [0, -1]])
    assert_allclose(forces[2:4], [fiber.force_origin[3], fiber.force_insertion[3]])
    assert_allclose(arrows.forces, forces)
    drawn = arrows.points.reshape(len(forces), -1, 3)
    along = np.einsum(
        "nki,ni->nk", drawn - points[:, None], forces / np.linalg.norm(forces, axis=1)[:, None]
    )
    assert_allclose(along.min(axis=1), 0.0, atol=1e-6)
    assert_allclose(along.max(axis=1), np.linalg.norm(forces, axis=1) * 0.005, atol=1e-6)


def test_normals_of_arrows_point_out_of_their_triangles():
    arrows = Arrows(ARM, "attachment", ArrowScale(10.0, 0.05, 0.2))
    arrows.move(0)
    a, b, c = arrows.points.astype(float)[arrows.faces].transpose(1, 0, 2)
    flat = np.cross(b - a, c - a)
    area = np.linalg.norm(flat, axis=1)
    real = area > 1e-9
    flat = flat[real] / area[real, None]
    assert np.min(np.sum(flat * arrows.normals[arrows.faces[real]].mean(axis=1), axis=1)) > 0.5


@pytest.mark.parametrize(("greatest", "force"), [(63.0, 50.0), (10.0, 10.0), (0.0041, 0.002)])
def test_scale_has_a_round_force_below_the_greatest(greatest, force):
    scale = ArrowScale.of(greatest, 0.2)
    assert scale.force == pytest.approx(force)
    assert scale.length / scale.force == pytest.approx(0.2 / greatest)


def test_a_run_without_forces_has_arrows_without_size():
    free = make_hanging_fiber()
    assert greatest_force(free, "contact") == 0.0
    stage = Stage(free, "stretch", arrows=("contact",))
    stage.move(0)
    assert np.ptp(stage.arrows["contact"].points, axis=0).max() == 0.0


def test_elements_share_arrows_when_there_are_many():
    assert elements_per_arrow(ARM, 100) == 1
    assert elements_per_arrow(ARM, 12) == 4  # two arrows on each of five fibers
    assert elements_per_arrow(ARM, 1) == 8


def test_stages_share_a_scale():
    strong = make_result(5)
    for fiber in strong.fibers.values():
        fiber.force_origin[...] *= 4.0
    stages = [Stage(ARM, "stretch"), Stage(strong, "stretch")]
    scale = arrow_scales(stages, ["attachment"])["attachment"]
    assert scale.longest == pytest.approx(0.22 * max(stage.size for stage in stages))
    assert scale.length / scale.force * greatest_force(strong, "attachment") == pytest.approx(
        scale.longest
    )


def test_unknown_kinds_are_refused():
    assert check_kinds("contact") == ("contact",)
    assert check_kinds(["contact", "attachment", "contact"]) == ("attachment", "contact")
    with pytest.raises(ModelError, match="'wind'; there are: attachment, contact"):
        check_kinds(["wind"])


def test_one_word_for_both_kinds_of_arrows():
    """In all that draws, as on the command line."""
    (stage,) = make_stages([ARM], "tissue", "overlay", theme="light", labels=False, arrows="both")
    assert set(stage.arrows) == {"attachment", "contact"}
