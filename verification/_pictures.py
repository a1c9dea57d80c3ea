"""Plot helpers for the figures of several problems."""

import numpy as np

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def new_figure(width, height):
    """Empty figure without display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def finish(axes, title, x_label, y_label):
    """Labels and grid of plane axes."""
    axes.set_title(title, loc="left", fontsize="medium")
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(True, color="0.9", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(frameon=False, fontsize="small")


def draw_tube(axes, points, radius, color):
    """Round tube along points (n, 3), with a radius or one per point."""
    tangent = np.gradient(points, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    across = np.cross(tangent, (0.0, 0.0, 1.0))
    across /= np.linalg.norm(across, axis=1)[:, None]
    other = np.cross(tangent, across)
    angle = np.linspace(0.0, 2.0 * np.pi, 17)[:, None, None]
    radius = np.broadcast_to(radius, len(points))[:, None]
    skin = points + radius * (np.cos(angle) * across + np.sin(angle) * other)
    axes.plot_surface(*np.moveaxis(skin, -1, 0), color=color, linewidth=0, shade=True)


def finish_space(axes, title, box):
    """Labels and equal scales of 3D axes; box: (low (3,), high (3,)) [m]."""
    low, high = np.asarray(box, float)
    axes.set_title(title, loc="left", fontsize="medium")
    for name, a, b in zip("xyz", low, high, strict=True):
        getattr(axes, f"set_{name}lim")(a, b)
        getattr(axes, f"set_{name}label")(f"{name} [m]")
    axes.set_box_aspect(high - low)
    axes.tick_params(labelsize="small")
