"""What a notebook gets; that it draws is seen in test_page.py."""

import html
import re
import subprocess
import sys

import pytest
from make_result import make_result

from fibermsk.errors import ModelError
from fibermsk.results import Still
from fibermsk.view import widget
from fibermsk.view.browser import page_text

ARM = make_result(3, scene='arm" onload="x')


def test_the_page_is_in_a_frame_of_its_own():
    shown = ARM.view(color_by="stretch", theme="dark")
    words = shown._repr_html_()
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)" title="([^"]*)" sandbox="([^"]*)".*', words)
    assert html.unescape(frame[1]) == page_text(ARM, color_by="stretch", theme="dark")
    # its script runs, and cannot reach what is around it
    assert "allow-scripts" in frame[3] and "allow-same-origin" not in frame[3]
    assert "height: 560px" in words
    assert re.fullmatch("<scene .* 0[.][0-9] MB; a notebook shows it>", repr(shown))


def test_models_and_other_heights():
    shown = widget(Still(make_result(1, fibers={})), height=300)
    assert "height: 300px" in shown._repr_html_()


def test_bad_requests():
    with pytest.raises(ModelError, match="height = 20 pixels; must be at least 200"):
        widget(ARM, height=20)
    with pytest.raises(ModelError, match="there are: .*stretch"):
        ARM.view(color_by="taste")


def test_results_import_no_picture_until_it_is_asked_for():
    code = "import sys, fibermsk.results; print('fibermsk.view' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"
