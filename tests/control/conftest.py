"""Forward runs that are not what is checked."""

import pytest


@pytest.fixture
def brief(monkeypatch):
    """Runs with the controls that were found take as few steps as they can."""
    again = pytest.importorskip("fibermsk.control.solving.again")
    monkeypatch.setattr(again, "FINE", 1.0)
    monkeypatch.setattr(again, "_FEWEST", 1)
