"""Candidate pairs that a device finds, against those of the host."""

import numpy as np
import pytest
from device_models import chain, hex_bundle, mixed_bundle, pushed, tissue, upper_limb
from jointed_models import bent_chain
from numpy.testing import assert_array_equal
from strict import strict_device

import fibermsk as fm
from fibermsk.gpu import DeviceSystem, host_device
from fibermsk.gpu.contact.candidates import PairsOfRuns
from fibermsk.system.contact.broad_phase import FiberRuns, find_bone_runs, find_fiber_runs
from fibermsk.system.contact.fiber_pairs import FiberPairs


def heap(lengths=(0.002, 0.02, 0.3), n=30):
    """Fibers of very different sizes in all directions; some touch no others."""
    rng = np.random.default_rng(5)
    model = fm.Model("heap")
    groups = []
    for i, length in enumerate(lengths):
        own = []
        for k in range(n):
            start, way = 0.05 * rng.standard_normal(3), rng.standard_normal(3)
            ends = start, start + length / np.linalg.norm(way) * way
            own.append(
                fm.Fiber(
                    f"fiber_{i}_{k}", attach=[model.ground.at(one) for one in ends],
                    radius=0.02 * length, n_elements=1 + k % 4, tissue=tissue(),
                )
            )  # fmt: skip
        groups.append(own)
    small, middle, large = groups
    law = fm.PenaltyContact(1e9, 1.0001)
    model.add(*small, *middle, *large)
    model.add(fm.Contact(small, [*middle, *large], law), fm.Contact(middle, middle, law))
    return model


def searched(model, device):
    """System of a model on a device, after an evaluation at the start."""
    system = DeviceSystem(fm.build(model), device)
    y, v = system.initial_state()
    system.evaluate(0.0, y, v, np.zeros_like(v), tangent=False)
    return system


def runs_of(system, reach):
    """Runs of the device, and of the host, with fibers and with bones."""
    contact, host, to_host = system._contact, system.host, system.to_host
    hull, radii, found = contact._hull, contact._radii, contact._searches
    links, partners = contact.links, host.contact.partners
    own = (
        found.fiber_runs(hull, radii, reach),
        found.bone_runs(hull, radii, reach, contact.bones.shapes_at(links.state)),
    )
    own = [kind._make(map(to_host, kind)) for kind in own]
    hull, radii, fiber = to_host(hull), to_host(radii), host.cables.fiber
    fibers = find_fiber_runs(partners, fiber, hull, hull, np.zeros(fiber.size), radii, reach)
    approach = np.full((partners.shape_radius.size, fiber.size), reach)
    shapes = partners.shapes.at(links.state)
    bones = find_bone_runs(partners, fiber, hull, radii, shapes, approach)
    spacing = host.contact.spacing
    return own, (spacing.place_fibers(fibers), spacing.place_bones(bones))


MODELS = (hex_bundle, mixed_bundle, chain, upper_limb, pushed, bent_chain)


def same_runs(found, expected):
    for a, b in zip(found, expected, strict=True):
        for name in a._fields:
            one, other = getattr(a, name), getattr(b, name)
            assert one.dtype == other.dtype, name
            assert_array_equal(one, other, name)


@pytest.mark.parametrize("model", MODELS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("device", [host_device, strict_device], ids=lambda one: one.__name__)
def test_runs_are_those_of_the_host_in_their_order(model, device):
    system = searched(model(), device())
    for reach in (0.0, 1e-3, 0.05):
        found, expected = runs_of(system, reach)
        same_runs(found, expected)
    assert expected[0].element.size or expected[1].element.size


def test_sizes_may_differ_by_far():
    system = DeviceSystem(fm.build(heap()), host_device())
    contact = system._contact
    contact._nodes = system._nodes(system.initial_state()[0])
    contact.links = system._ends.at(np.zeros(0))
    contact._bound()
    for reach in (0.0, 1e-3, 1e-2, 4e-2):
        found, expected = runs_of(system, reach)
        same_runs(found, expected)
    assert expected[0].candidates.size > 500
    # elements for several grids
    spans = np.ptp(contact._hull, axis=1).max(axis=1)
    assert spans.max() > 64.0 * spans.min()


def test_fibers_that_are_nowhere_have_no_candidates():
    system = searched(hex_bundle(), host_device())
    contact = system._contact
    contact._hull[3:5] = np.nan
    contact._hull[9, 1, 2] = np.inf
    found, expected = runs_of(system, 1e-3)
    same_runs(found, expected)
    assert found[0].element.size and not np.isin([3, 4, 9], found[0].candidates).any()


def test_more_contact_points_have_other_laws():
    system = searched(chain(), host_device())
    spacing = system.host.contact.spacing
    spacing.among_fibers[[1, 5]] = 1, 2
    spacing.on_bones[2:4] = 1
    spacing.revision += 1
    assert system._contact.follow_spacing()
    y, v = system.initial_state()
    system.evaluate(0.0, y, v, 0.0 * v, tangent=False)
    found, expected = runs_of(system, 0.01)
    same_runs(found, expected)
    assert found[0].law.max() >= spacing.n_laws and found[1].law.max() >= spacing.n_laws


@pytest.mark.parametrize("device", [host_device, strict_device], ids=lambda one: one.__name__)
def test_pairs_are_those_of_the_host(device):
    system = searched(upper_limb(), device())
    contact, host = system._contact, system.host
    runs = contact._searches.fiber_runs(contact._hull, contact._radii, 1e-3)
    found = PairsOfRuns(system.device, contact._arrays, runs)
    on_host = FiberRuns._make(map(system.to_host, runs))
    expected, of_run = FiberPairs.of(on_host, host.cables)
    for name in ("first", "second", "row_start", "row_node"):
        assert_array_equal(system.to_host(getattr(found.pairs, name)), getattr(expected, name))
    for a, b in zip(found.sort(None), expected.sort(of_run), strict=True):
        assert_array_equal(system.to_host(a), b)
    some = on_host.element % 3 == 0
    for a, b in zip(found.sort(system.from_host(some)), expected.sort(of_run[some]), strict=True):
        assert_array_equal(system.to_host(a), b)


def test_no_fibers_near_each_other():
    model = hex_bundle()
    model = model.edit({one: {"radius": 1e-5} for one in model.fibers})
    system = searched(model, strict_device())
    assert int(system._contact.fibers._pairs.n) == 0
    found, expected = runs_of(system, 0.0)
    same_runs(found, expected)
