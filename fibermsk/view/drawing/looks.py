"""Colors of arrows, and themes of background and text."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.colors import to_rgb

from fibermsk.errors import ModelError

Color = tuple[float, float, float]

ARROW_COLORS = {"attachment": "#1f9e77", "contact": "#e6a000"}
"""Arrows of each kind."""
NAME_COLORS: dict[str, Color] = {"light": (0.42, 0.06, 0.09), "dark": (0.98, 0.72, 0.66)}
"""Names of muscles, by theme."""
AXIS_COLORS: dict[str, dict[str, Color]] = {
    "light": {"rotation": (0.13, 0.35, 0.62), "translation": (0.20, 0.50, 0.25)},
    "dark": {"rotation": (0.60, 0.78, 1.0), "translation": (0.60, 0.90, 0.66)},
}
"""Axes of joints and names of their coordinates, by theme."""


@dataclass(frozen=True)
class Theme:
    """Colors of background, text and controls."""

    name: str  # "light" or "dark"
    background: str
    text: str
    faint: str  # secondary text
    panel: str  # behind buttons and curves
    accent: str  # what is selected or switched on
    shade: float  # factor of the colors of bones

    def rgb(self, role: str) -> Color:
        """One of its colors as red, green and blue from 0 to 1."""
        red, green, blue = to_rgb(getattr(self, role))
        return red, green, blue


THEMES = {
    "light": Theme("light", "#ffffff", "#1a1a1a", "#5f6368", "#f3f4f6", "#0b6bcb", 1.0),
    "dark": Theme("dark", "#1d2127", "#eceff3", "#a2abb6", "#2a3038", "#5cb3ff", 0.86),
}
"""Light and dark backgrounds, by name."""


def find_theme(name: str) -> Theme:
    """Theme of a name."""
    if name not in THEMES:
        raise ModelError(f"theme = {name!r}; there are: {', '.join(THEMES)}")
    return THEMES[name]


def ghostly(color: Color) -> Color:
    """Cooler color, for the bones of an overlaid result."""
    tint = (0.42, 0.56, 0.86)
    red, green, blue = (0.35 * a + 0.65 * b for a, b in zip(color, tint, strict=True))
    return red, green, blue
