"""What all tests share."""

import os
import re
import signal
from functools import cache
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
"""Files that take longest, mostly to compile kernels: early, so that no worker ends alone."""

_ABOUT_PATHS = re.compile(r"LineMuscle|osim|muscle_path|MuscleGeometry|(kernels|system)\.lines")
"""What files say that compile kernels of paths; most others compile those of fibers."""

# Shells start jobs of the background with Ctrl-C ignored, and so would be all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Put the longest files about paths first, and the longest of the others last."""
    rank = {name: k for k, name in enumerate(LONGEST)}
    about_paths = cache(lambda path: bool(_ABOUT_PATHS.search(path.read_text("utf-8"))))

    def place(item):
        early = rank.get(item.path.stem, len(rank))
        return early if about_paths(item.path) else 2 * len(rank) + 1 - early

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Let workers take files from both ends, so that no two compile the same kernels at once."""
    from xdist.scheduler import LoadFileScheduling

    class BothEnds(LoadFileScheduling):
        def _assign_work_unit(self, node):
            if self.nodes.index(node) % 2:
                self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
            super()._assign_work_unit(node)

    return BothEnds(config, log) if config.option.dist == "loadfile" else None


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
