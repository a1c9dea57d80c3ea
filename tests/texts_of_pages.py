"""Texts of a figure that cover each other."""

from __future__ import annotations

from itertools import combinations

from matplotlib.text import Text


def overlapping(figure, least=1.0):
    """Pairs of words whose boxes share more than `least` pixels in both directions."""
    figure.draw_without_rendering()
    boxes = [(text.get_text(), text.get_window_extent()) for text in _drawn(figure)]
    return [
        (a, b)
        for (a, p), (b, q) in combinations(boxes, 2)
        if min(p.x1, q.x1) - max(p.x0, q.x0) > least and min(p.y1, q.y1) - max(p.y0, q.y0) > least
    ]


def _drawn(figure):
    """All texts that are drawn, of ticks those within the axes."""
    off, found = set(), []
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            drawn = set(map(id, axis._update_ticks())) if axes.axison else set()
            every = (*axis.get_major_ticks(), *axis.get_minor_ticks())
            hidden = [tick for tick in every if id(tick) not in drawn]
            off |= {id(text) for tick in hidden for text in (tick.label1, tick.label2)}
            if not axes.axison:
                off |= {id(axis.label), id(axis.offsetText)}
    for text in figure.findobj(Text):
        if id(text) not in off and text.get_visible() and text.get_text().strip():
            found.append(text)
    return found
