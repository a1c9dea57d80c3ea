"""What tests of pictures share."""

import pytest

from fibermsk.view.pictures import opengl


@pytest.fixture(params=["opengl", "processor"])
def renderer(request, monkeypatch):
    """Each of the two ways to draw, where this machine has it."""
    if request.param == "opengl":
        if not opengl.off_screen_works():
            pytest.skip("this machine has no OpenGL")
    else:
        monkeypatch.setattr(opengl, "off_screen_works", lambda: False)
    return request.param
