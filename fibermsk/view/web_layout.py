"""What the page of the viewer looks like: bar, scene, curves and clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trame.widgets import client, html, rca
from trame.widgets import vuetify3 as v3
from trame_vuetify.ui.vuetify3 import VAppLayout

from fibermsk.view.camera import PRESETS
from fibermsk.view.looks import THEMES

if TYPE_CHECKING:
    from fibermsk.view.web_page import Page

__all__ = ["AREA", "CURVES", "lay_out"]

AREA = "scene"
"""Name of the part of the page that shows the scene."""
CURVES = (360, 700)
"""Width and height of the curves in pixels of the page."""

_ARROWS = {
    "attachment": ("mdi-arrow-up-bold", "Attachment forces as arrows"),
    "contact": ("mdi-arrow-collapse-horizontal", "Contact forces as arrows"),
}
_SIDES = {"fit": "Everything in view"}
_STYLE = """
html, body { overflow: hidden !important; }
.scene { position: absolute; inset: 0; touch-action: none; outline: none; }
.scene .remote-controlled-area, .scene .remote-controlled-area-content { height: 100%; }
.scene img { width: 100%; height: 100%; object-fit: contain; display: block; user-select: none; }
.curves { position: relative; line-height: 0; }
.curves img { width: 100%; }
.curves .mark { position: absolute; width: 1.5px; margin-left: -0.75px; pointer-events: none; }
.time { font-variant-numeric: tabular-nums; white-space: nowrap; text-align: right; }
"""


def lay_out(page: Page) -> None:
    """Set up what the page of a viewer looks like."""
    colors = {
        name: {
            "dark": name == "dark",
            "colors": {
                "background": look.background,
                "surface": look.panel,
                "on-surface": look.text,
                "primary": look.accent,
            },
        }
        for name, look in THEMES.items()
    }
    with VAppLayout(page.server, vuetify_config={"theme": {"themes": colors}}, theme=("theme",)):
        client.Style(_STYLE)
        client.ClientStateChange(value="picture", change=(page.stream.confirm, "[picture]"))
        _bar(page)
        _panel(page)
        with (
            v3.VMain(style="height: 100vh"),
            html.Div(style="position: relative; height: 100%"),
        ):
            with html.Div(
                classes="scene",
                tabindex="0",
                __events=[
                    ("space", "keydown.space.prevent"),
                    ("left", "keydown.left.prevent"),
                    ("right", "keydown.right.prevent"),
                    ("r", "keydown.r"),
                ],
                space=page.toggle,
                left=(page.step, "[-1]"),
                right=(page.step, "[1]"),
                r=(page.stream.look, "['fit']"),
            ):
                rca.RemoteControlledArea(name=AREA, display="image")
        if page.viewer.playback.times.size > 1:
            _clock(page)


def _bar(page: Page) -> None:
    """Upper edge: what is shown, and from where."""
    with v3.VAppBar(density="comfortable", flat=True, border="b", classes="px-2"):
        html.Div("{{ names }}", classes="text-subtitle-1 text-truncate ml-2 mr-4")
        v3.VSpacer()
        if page.viewer.fields:
            v3.VSelect(
                label="Color fibers by",
                model_value=("field",),
                items=("fields",),
                update_modelValue=(page.set_field, "[$event]"),
                density="compact",
                variant="outlined",
                hide_details=True,
                classes="mr-2 field",
                style="max-width: 15rem; min-width: 11rem",
            )
            for kind, (icon, words) in _ARROWS.items():
                _button(
                    icon,
                    words,
                    (page.toggle_arrows, f"['{kind}']"),
                    active=f"arrows.includes('{kind}')",
                )
        with v3.VMenu():
            with v3.Template(v_slot_activator="{ props }"):
                _button("mdi-video-outline", "Camera", None, v_bind="props")
            with v3.VList(density="compact"):
                for preset in PRESETS:
                    v3.VListItem(
                        title=_SIDES.get(preset, f"From the {preset}"),
                        click=(page.stream.look, f"['{preset}']"),
                    )
        _button(
            ("theme == 'dark' ? 'mdi-weather-sunny' : 'mdi-weather-night'",),
            "Light or dark",
            page.toggle_theme,
        )
        still = page.server.controller.trigger_name(page.still)
        _button(
            "mdi-download",
            "Save the picture",
            f"utils.download(file_name, trigger('{still}'), 'image/png')",
        )
        if page.server.state.fibers:
            _button(
                "mdi-chart-line",
                "Curves of a fiber",
                "panel = !panel",
                active="panel",
            )


def _panel(page: Page) -> None:
    """Right edge: curves of one fiber."""
    if not page.server.state.fibers:
        return
    with v3.VNavigationDrawer(
        v_model="panel", location="right", width=CURVES[0] + 24, permanent=True,
        disable_resize_watcher=True,
    ), html.Div(classes="pa-3"):  # fmt: skip
        v3.VAutocomplete(
            label="Fiber",
            model_value=("fiber",),
            items=("fibers",),
            update_modelValue=(page.select, "[$event]"),
            clearable=True,
            density="compact",
            variant="outlined",
            hide_details=True,
            classes="mb-3 fiber",
        )
        html.Div(
            "Click a fiber in the scene, or choose one here, to see its curves over time.",
            v_if="!curves",
            classes="text-body-2 text-medium-emphasis",
        )
        with html.Div(classes="curves", v_if="curves"):
            html.Img(src=("curves",), alt="curves of the fiber over time")
            html.Div(
                v_for="(m, i) in marks",
                key="i",
                classes="mark bg-primary",
                style=(
                    "{ top: m.top + '%', height: m.height + '%', left: (m.left + m.width * "
                    "(time - m.first) / (m.last - m.first)) + '%' }",
                ),
            )


def _clock(page: Page) -> None:
    """Lower edge: time."""
    # While it is dragged the slider follows the pointer, not the pictures that lag behind it.
    seek = page.server.controller.trigger_name(page.seek)
    with v3.VFooter(app=True, border="t", classes="py-1 px-2", style="gap: 4px"):
        _button(("playing ? 'mdi-pause' : 'mdi-play'",), "Play or pause (space)", page.toggle)
        _button("mdi-skip-previous", "One frame back (left)", (page.step, "[-1]"))
        _button("mdi-skip-next", "One frame on (right)", (page.step, "[1]"))
        # what has the focus after a click on the slider plays and pauses too
        with html.Div(
            __events=[("space", "keydown.space.prevent")],
            space=page.toggle,
            style="flex: 1; min-width: 0",
        ):
            v3.VSlider(
                model_value=("dragged ?? time",),
                start="dragged = $event",
                update_modelValue=(
                    f"if (dragged !== null) dragged = $event; trigger('{seek}', [$event])"
                ),
                end="time = $event; dragged = null",
                min=("times[0]",),
                max=("times[1]",),
                step=("step",),
                hide_details=True,
                density="compact",
                color="primary",
                classes="mx-3 clock",
                raw_attrs=_named("time"),
            )
        html.Div(
            "{{ (dragged ?? time).toFixed(3) }} s of {{ times[1].toFixed(3) }} s",
            classes="time text-body-2 mr-2",
            style="min-width: 11em",
        )
        v3.VSelect(
            model_value=("speed",),
            items=("speeds",),
            update_modelValue=(page.set_speed, "[$event]"),
            density="compact",
            variant="outlined",
            hide_details=True,
            classes="speed",
            style="max-width: 6.5rem",
            raw_attrs=_named("speed"),
        )
        _button("mdi-repeat", "Over and over", page.toggle_loop, active="loop")


def _button(icon: Any, words: str, action: Any, *, active: str = "", **more: Any) -> None:
    """Button with an icon and a hint."""
    settings: dict[str, Any] = {"size": "small", "raw_attrs": _named(words, hint=True)} | more
    if action is not None:
        settings["click"] = action
    if active:
        settings["color"] = (f"{active} ? 'primary' : undefined",)
        settings["variant"] = (f"{active} ? 'tonal' : 'text'",)
    else:
        settings["variant"] = "text"
    v3.VBtn(icon=icon, **settings)


def _named(words: str, *, hint: bool = False) -> list[str]:
    """Attributes that name a control for who does not see its icon, and for who hovers over it."""
    return [f'aria-label="{words}"', *([f'title="{words}"'] if hint else [])]
