"""Memory of a bundle whose contacts are all closed, counted where arrays are allocated."""

import gc
import tracemalloc

import pytest

import fibermsk as fm
from fibermsk.bench.bundles import case
from fibermsk.bench.bundles.ours import METHOD, NEWTON, squeezed_model

FIBERS, STEPS = 128, 3

BUILD, RUN = 2300.0, 4750.0
"""Bounds per element [bytes]; a vector of all unknowns takes 50, the couplings 1200."""


def taken():
    """Peaks of memory over that of the description, of building and of a few steps [bytes].

    And the number of closed contact points at the end.
    """
    model, closed = squeezed_model(FIBERS), []
    gc.collect()
    tracemalloc.start()
    try:
        system = fm.build(model)
        built = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        fm.simulate(
            system, t_end=STEPS / 128, dt=STEPS / 128, method=METHOD, newton=NEWTON,
            control=fm.FixedSteps(STEPS), time_error=False,
            progress=lambda _: closed.append(system.contact.n_closed()[0]),
        )  # fmt: skip
        return built, tracemalloc.get_traced_memory()[1], closed[-1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def peaks():
    taken()  # imports and compiles
    return [found / (FIBERS * case.ELEMENTS) for found in taken()]


def test_memory_of_building_and_of_steps(peaks):
    """Little more than measured: 2144 and 4547 bytes per element (at first: 9721 and 11215)."""
    built, run, closed = peaks
    assert closed > 10.0
    assert built < BUILD and run < RUN
