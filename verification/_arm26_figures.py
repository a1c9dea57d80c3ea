"""Figure of the problem `arm26_lines`."""

import numpy as np
from _pictures import COLORS, finish, new_figure

TIME = "time [s]"


def draw(found):
    """Figure of the runs of all variants.

    Parameters
    ----------
    found : dict of (Result, dict)
        Of `run_both`, with the variants "file" and "spheres".
    """
    figure = new_figure(13, 8)
    panels = iter(figure.subplots(2, 3).ravel())
    result, other = found["file"]
    t = result.time

    one = next(panels)
    for name, color in zip(result.coordinates, COLORS, strict=False):
        one.plot(t, np.degrees(result.coordinates[name]), color=color, label=name)
        one.plot(t[::5], np.degrees(other["coordinates"][name])[::5], ".", color=color)
    finish(one, "angles [degrees], OpenSim dotted", TIME, "")

    curves = (
        ("activation", "activation"),
        ("fiber_length", "fiber length [m]"),
        ("tendon_force", "tendon force [N]"),
    )
    for field, title in curves:
        one = next(panels)
        for name, color in zip(result.muscles, COLORS, strict=False):
            one.plot(t, result.muscles[name][field], color=color, label=name)
            one.plot(t[::5], np.array(other["muscles"][name][field])[::5], ".", color=color)
        finish(one, f"{title}, OpenSim dotted", TIME, "")

    panel, force = next(panels), next(panels)
    for (name, (own, there)), color in zip(found.items(), COLORS, strict=False):
        off = [np.abs(own.coordinates[q] - given) for q, given in there["coordinates"].items()]
        panel.semilogy(t[1:], np.max(off, axis=0)[1:], color=color, label=name)
        off = [
            np.abs(own.muscles[m]["tendon_force"] - given["tendon_force"])
            for m, given in there["muscles"].items()
        ]
        force.semilogy(t[1:], np.max(off, axis=0)[1:], color=color, label=name)
    finish(panel, "difference of the angles from OpenSim [rad]", TIME, "")
    finish(force, "difference of the tendon forces from OpenSim [N]", TIME, "")
    return figure
