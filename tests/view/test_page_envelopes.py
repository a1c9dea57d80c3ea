"""Envelopes in the page: against those of pictures, which are made in Python."""

import dataclasses

import numpy as np
import pytest
from chromium import Tab, chromium
from straight_bundle import packed

import fibermsk as fm
from fibermsk.view import write_page
from fibermsk.view.drawing.envelopes import AROUND, bundles
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures.frames import FrameDrawer


@pytest.fixture(scope="module")
def browser():
    with chromium() as program:
        yield program


def bent():
    """A bundle that bends and tapers, half of it tendon; fibers of different activations."""
    straight = packed()
    fibers = {}
    for k, (name, one) in enumerate(straight.fibers.items()):
        along = one.node_theta[:, None]
        shift = np.hstack([0.05 * along**2, 0.02 * np.sin(3.0 * along), 0.0 * along])
        slope = np.hstack([0.1 * along, 0.06 * np.cos(3.0 * along), 0.0 * along])
        fibers[name] = dataclasses.replace(
            one,
            position=one.position + shift,
            tangent=one.tangent + slope,
            radius=one.radius * (1.0 + 0.5 * one.theta),
            muscle_fraction=np.clip(2.0 * one.theta, 0.0, 1.0),
            activation=np.full(3, k / 6.0),
        )
    return dataclasses.replace(straight, fibers=fibers)


def test_envelopes_are_those_of_pictures(browser, tmp_path):
    """In points, normals and colors, and in the picture; a box switches them off and on."""
    shown = bent()
    look = {"color_by": "activation", "time": float(shown.time[-1])}
    page = Tab(browser, write_page(shown, tmp_path / "page.html", envelope=True, **look))
    found = {name: np.reshape(values, (-1, 3)) for name, values in page.ask("skins").items()}

    stage = Stage(shown, "activation", envelope=True)
    detail = stage.tubes.detail
    sections = len(found["points"]) // AROUND - 2
    stage.tubes = type(stage.tubes)(list(shown.fibers.values()), detail._replace(n_along=sections))
    stage.envelopes = type(stage.envelopes)(stage.tubes, bundles(shown.fibers))
    stage.move(2)
    skin = stage.envelopes
    np.testing.assert_allclose(found["points"], skin.points, atol=1e-5)
    np.testing.assert_allclose(found["normals"], skin.normals, atol=5e-3)
    # the page interpolates between 17 colors of a scale
    np.testing.assert_allclose(255.0 * found["colors"], skin.colors, atol=6)

    page.tab.evaluate("document.getElementById('legend').style.visibility = 'hidden'")
    image = page.picture()
    height, width = image.shape[:2]
    with FrameDrawer(stage, stage.camera((width, height), 112 / width), (width, height)) as drawer:
        expected = drawer.draw(2).astype(int)
    inside = np.any(image < 245, axis=2) & np.any(expected < 245, axis=2)
    assert np.median(np.max(np.abs(image - expected), axis=2)[inside]) < 10

    page.tab.uncheck("#envelope")
    page.settle()
    bare = page.picture()
    assert np.mean(np.any(np.abs(bare - image) > 8, axis=2)) > 0.01
    page.tab.check("#envelope")
    page.settle()
    assert np.mean(np.any(np.abs(page.picture() - image) > 2, axis=2)) < 1e-3
    assert page.problems == []
    page.close()


def test_results_without_bundles_have_no_box(browser, tmp_path):
    shown = packed()
    alone = dataclasses.replace(shown, fibers={"soleus": shown.fibers["fiber_1"]})
    with pytest.warns(fm.ModelWarning, match="upper_limb has no bundles"):
        page = Tab(browser, write_page(alone, tmp_path / "page.html", envelope=True))
    assert not page.tab.locator("#envelope").is_visible()
    assert page.state["error"] is None and page.problems == []
    page.close()
