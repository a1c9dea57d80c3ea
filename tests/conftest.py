"""What all tests share."""

import os
from pathlib import Path

import compile_cache
import numpy as np
import pytest

compile_cache.install()


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
