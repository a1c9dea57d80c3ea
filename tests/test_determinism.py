"""Repeated computations are bitwise identical, and agree closely with other numbers of threads."""

import os
import subprocess
import sys

import numpy as np
import pytest
from same_results import contents

import fibermsk as fm

PROGRAM = """
import sys
import fibermsk as fm
from fibermsk.scene_files import find
scene = find("upper_limb").function(elements=int(sys.argv[2]), steps=32, duration=1.0)
adaptive = find("upper_limb").function(
    elements=int(sys.argv[2]), steps=4, duration=0.125, tolerance=1e-3
)
fm.save(fm.simulate_scene(scene, method="generalized_alpha"), sys.argv[1] + "_fixed.h5")
fm.save(fm.simulate_scene(adaptive, method="bdf2"), sys.argv[1] + "_adaptive.h5")
"""

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

BOUND = 1e-11
"""Of angles [rad] and positions [m] after a second with contact.

Another number of threads may add in another order, which changes sums by 1e-16 of them. Another
order altogether, that of other BLAS kernels, made 3.4e-13 rad and 2.3e-14 m of it.
"""


def run(name, **environment):
    """Two results of the upper limb from a fresh process."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, name, "6"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [f"{name}_{kind}.h5" for kind in ("fixed", "adaptive")]


@pytest.fixture(scope="module")
def one_thread(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one")
    return run(str(folder / "run"), PYTHONHASHSEED="1", **dict.fromkeys(THREADS, "1"))


def test_two_processes_give_the_same_bits(one_thread, tmp_path):
    """Even where Python orders sets and dicts of texts in another way."""
    other = run(str(tmp_path / "run"), PYTHONHASHSEED="2", **dict.fromkeys(THREADS, "1"))
    for first, second in zip(one_thread, other, strict=True):
        assert contents(first) == contents(second)


@pytest.mark.parametrize(
    "environment",
    [dict.fromkeys(THREADS, "2"), {"OPENBLAS_CORETYPE": "Prescott"}],
    ids=["two threads", "other BLAS kernels"],
)
def test_other_orders_of_addition_agree_within_a_bound(environment, one_thread, tmp_path):
    """Another number of threads; and, where OpenBLAS has them, kernels of old processors.

    Today two threads give the same bits: the kernels use one, and the dense matrices are too small
    for BLAS to share out. Promised is the bound, for larger models and other libraries.
    """
    other = run(str(tmp_path / "run"), **dict.fromkeys(THREADS, "1") | environment)
    for first, second in zip(one_thread, other, strict=True):
        one, two = fm.load(first), fm.load(second)
        np.testing.assert_array_equal(two.time, one.time)
        for name, angle in one.coordinates.items():
            np.testing.assert_allclose(two.coordinates[name], angle, rtol=0, atol=BOUND)
        for name, fiber in one.fibers.items():
            position = two.fibers[name].position
            np.testing.assert_allclose(position, fiber.position, rtol=0, atol=BOUND)
