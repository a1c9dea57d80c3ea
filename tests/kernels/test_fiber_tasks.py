"""Cable and bending as tasks over fibers: residual alone, threads, disjoint writes."""

from dataclasses import replace

import numba
import numpy as np
import pytest
from kernel_parts import PASSIVE, TISSUE, bow, deform, fiber, system_of
from numpy.testing import assert_array_equal

from fibermsk.kernels.fibers import bending, cable

SLOPES = (1.0, 30.0, 900.0)
N_FIBERS = 70  # enough for the threads to share them


def bundle(rng, n_fibers, tissues):
    """Bent, moving fibers of several tissues in a row, of one to three elements each."""
    fibers = []
    for f in range(n_fibers):
        path = bow((0.0, 0.05 * f, 0.0), (0.3, 0.05 * f, 0.02), sag=(0.0, 0.01, 0.02))
        tissue = tissues[f % len(tissues)]
        fibers.append(fiber(f"f{f}", path, rng, n_elements=1 + f % 3, tissue=tissue))
    c = system_of(fibers).cables
    x = deform(rng, c.reference, 0.1)
    return c, x, 0.3 * rng.normal(size=x.shape), 3.0 * rng.normal(size=x.shape)


@pytest.fixture(scope="module")
def parts():
    """For cable and bending: residual kernel, tangent kernel, their bodies and the arguments."""
    rng = np.random.default_rng(20212)
    tissues = [TISSUE, PASSIVE, replace(TISSUE, bending=0.7), replace(PASSIVE, bending=0.2)]
    c, x, v, a = bundle(rng, N_FIBERS, tissues)
    activation = np.where(c.fiber % 2, 0.0, 0.4)
    elastic = (c.element_start, x, v, a, cable.CableArrays.of(c), activation)
    bent = (c.element_start, x, c.elements, c.h, c.xi, c.row_of, c.rows.weight, c.rows.bending)
    return c, {
        "cable": (cable.cable_residual, cable.assemble_cable, cable.fiber_tangent, elastic, SLOPES),
        "bending": (
            bending.bending_residual, bending.assemble_bending, bending.fiber_tangent, bent, (),
        ),
    }  # fmt: skip


def assemble(c, tangent, arguments, slopes):
    residual, lines = np.zeros((c.n_nodes, 6)), np.zeros((c.n_nodes, 3, 6, 6))
    tangent(*arguments, *slopes, residual, lines)
    return residual, lines


@pytest.mark.parametrize("part", ["cable", "bending"])
def test_residual_alone_is_that_with_the_tangent(parts, part):
    """Bitwise identical: a solver may use both."""
    c, kernels = parts
    alone, tangent, _, arguments, slopes = kernels[part]
    residual = np.zeros((c.n_nodes, 6))
    alone(*arguments, residual)
    assert np.abs(residual).max() > 0.0
    assert_array_equal(residual, assemble(c, tangent, arguments, slopes)[0])


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one thread")
@pytest.mark.parametrize("part", ["cable", "bending"])
def test_threads_change_no_bit(parts, part):
    c, kernels = parts
    alone, tangent, _, arguments, slopes = kernels[part]
    before, results = numba.get_num_threads(), []
    try:
        for n in (1, 2):
            numba.set_num_threads(n)
            residual = np.zeros((c.n_nodes, 6))
            alone(*arguments, residual)
            results.append((residual, *assemble(c, tangent, arguments, slopes)))
    finally:
        numba.set_num_threads(before)
    for one, two in zip(*results, strict=True):
        assert_array_equal(one, two)


@pytest.mark.parametrize("part", ["cable", "bending"])
def test_task_writes_to_its_own_fiber_only(parts, part):
    c, kernels = parts
    _, tangent, body, arguments, slopes = kernels[part]
    residual, lines = np.zeros((c.n_nodes, 6)), np.zeros((c.n_nodes, 3, 6, 6))
    body(6, *arguments, *slopes, residual, lines)
    own = c.fiber_of_node == 6
    written = np.any(residual != 0.0, axis=1), np.any(lines != 0.0, axis=(1, 2, 3))
    for rows in written:
        assert_array_equal(rows, own)
    expected = assemble(c, tangent, arguments, slopes)
    assert_array_equal(residual[own], expected[0][own])
    assert_array_equal(lines[own], expected[1][own])
    # what stands beyond a line's last node stays empty
    assert not np.any(expected[1][c.node_start[1:] - 1, 1:])


def test_fibers_without_bending_stiffness_are_left_out(parts):
    c, kernels = parts
    _, tangent, _, arguments, _ = kernels["bending"]
    residual, lines = assemble(c, tangent, arguments, ())
    stiff = np.isin(c.fiber_of_node % 4, (2, 3))
    assert_array_equal(np.any(residual != 0.0, axis=1), stiff)
    assert_array_equal(np.any(lines != 0.0, axis=(1, 2, 3)), stiff)


def test_activation_of_fibers_that_cannot_contract_changes_nothing(parts):
    """No active stress, whether for want of activation or of anything to activate."""
    c, kernels = parts
    alone, _, _, arguments, _ = kernels["cable"]
    passive = np.flatnonzero(~np.any(c.rows.law[c.row_of, :, 2], axis=1))
    assert passive.size > 0
    found = []
    for alpha in (0.0, 1.0):
        activation = arguments[-1].copy()
        activation[passive] = alpha
        residual = np.zeros((c.n_nodes, 6))
        alone(*arguments[:-1], activation, residual)
        found.append(residual)
    assert_array_equal(*found)
