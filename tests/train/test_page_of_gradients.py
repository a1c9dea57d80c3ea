"""The page on gradients, with its block for JAX."""

import pytest

pytest.importorskip("jax", reason="the bridge needs JAX: pip install fibermsk[train]")

from doc_pages import Reader, read


def test_a_controller_is_trained_as_the_page_says(tmp_path):
    blocks = [one for one in read("docs/howto/gradients.md") if one.language == "python"]
    last = next(k for k, one in enumerate(blocks) if "import jax" in one.code)
    reader = Reader(tmp_path)
    for block in blocks[: last + 1]:
        reader.follow(block)
    page = reader.names
    left = [float(page["loss"](page["weights"], goal)) for goal in page["goals"]]
    idle = page["simulate"](page["problem"].start)["x"][-1]
    before = [float(((idle - goal) ** 2).sum()) for goal in page["goals"]]
    assert max(left) < 0.05**2 < min(before)  # [m^2]
