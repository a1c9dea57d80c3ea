"""What all tests share."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    """Seeded random numbers, the same for every test whatever runs before it."""
    return np.random.default_rng(20211)
