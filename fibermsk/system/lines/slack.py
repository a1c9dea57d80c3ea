"""Slack tendons of line muscles, named in a warning."""

from __future__ import annotations

import numpy as np

from fibermsk import _check
from fibermsk.errors import ModelWarning
from fibermsk.results import Result

_MOST_TOLD = 5
"""Largest number of muscles named in a warning."""


class SlackTendons:
    """Where tendons are below their slack length, over consecutive parts of a run."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, float, int]] = {}  # push [N], start [s], frames
        self._n_frames = 0

    def add(self, result: Result) -> None:
        """Look at the next frames."""
        self._n_frames += result.time.size
        for name, muscle in result.muscles.items():
            if "tendon_slack" not in muscle.arrays:  # has mass, but no law
                continue
            at = np.flatnonzero(muscle["tendon_slack"] > 0.0)
            if at.size:
                now = max(-float(muscle["tendon_force"][at].min()), 0.0)
                push, start, n = self._found.get(name, (now, float(result.time[at[0]]), 0))
                self._found[name] = max(push, now), start, n + at.size

    def remark(self) -> ModelWarning | None:
        """Warning of slack tendons, the strongest push first; None without any.

        By De Groote's published curve a slack tendon pushes with up to a fifth of the largest
        force.
        """
        if not self._found:
            return None
        found = [(p, name, t, n / self._n_frames) for name, (p, t, n) in self._found.items()]
        found.sort(reverse=True)
        told = [
            f"{name} from t = {start:.4g} s, in {100.0 * share:.0f} % of the frames"
            + (f", pushing with up to {push:.3g} N" if push > 0.0 else "")
            for push, name, start, share in found
        ]
        text = f"line muscles whose tendon is slack: {_check.first_names(told, _MOST_TOLD, '; ')}"
        if found[0][0] > 0.0:
            text += ". With fm.DeGrooteCurves(slack_width=0.01) or fm.MillardCurves() none pushes"
        return ModelWarning(text, kind="slack_tendon", time=found[0][2])
