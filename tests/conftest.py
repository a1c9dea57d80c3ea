"""What all tests share."""

import os
import signal
from pathlib import Path

# The workers of `pytest -n` share out the cores already. Threads of BLAS that wait for each other
# spin: on a busy machine some tests took ten times as long. To be set before numpy is imported.
for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

# Lines about compilation would come between what tests expect, with a cold cache only.
os.environ["FIBERMSK_QUIET"] = "1"

import numpy as np  # noqa: E402
import pytest  # noqa: E402

LONGEST = (
    "test_mass_on_chains", "test_ndf", "test_constructors", "test_run_gradients",
    "test_own_stress", "test_line_chain", "test_sensitivity", "test_device_system", "test_beyond",
    "test_osim_model", "test_docs", "test_scenes_more", "test_optima", "test_readings",
    "test_own_contact", "test_activation_states", "test_line_chains", "test_no_passing",
)  # fmt: skip
"""Files that take longest, mostly to compile kernels: first, so that no worker ends alone."""

# Shells start jobs of the background with Ctrl-C ignored, and so would be all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Put the longest files first."""
    rank = {name: k for k, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(rank)))


@pytest.fixture(scope="session", autouse=True)
def rescue_folder(tmp_path_factory):
    """Folder that keeps what tests cannot write to its place."""
    folder = tmp_path_factory.mktemp("rescue")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIBERMSK_RESCUE", str(folder))
        yield folder


@pytest.fixture
def rng():
    """Seeded random numbers, the same for every test whatever runs before it."""
    return np.random.default_rng(20211)


@pytest.fixture(scope="session")
def shared_models():
    """Folder of models published by others, which are no part of this repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "models"
    folder = Path(os.environ.get("FIBERMSK_MODELS", beside))
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}; set FIBERMSK_MODELS to the folder of published models")
    return folder
