"""Figures of the page of equations: ``python make_theory.py [NAME ...]``, in a second.

Curves are computed by the package: shape functions, closest points, the law of contact, and the
length of a path around a cylinder.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Arc, Circle, FancyArrowPatch, Polygon

import fibermsk as fm
from fibermsk.elements.gauss import gauss_rule
from fibermsk.elements.hermite import hermite, hermite_d1
from fibermsk.laws.penalty import line_force

HERE = Path(__file__).parent
INK, GRAY, BLUE, ORANGE, GREEN = "#222222", "#777777", "#0072B2", "#D55E00", "#009E73"
MUSCLE, TENDON, BONE = "#C8454F", "#E9DCC0", "#EFE8D6"
STYLE = {
    "svg.hashsalt": "fibermsk",
    "svg.fonttype": "path",
    "mathtext.fontset": "dejavusans",
    "font.size": 11,
    "axes.edgecolor": GRAY,
}


def canvas(width, ratios):
    """Figure with drawings side by side; those are without axes until `plotted`."""
    figure, places = plt.subplots(
        1, len(ratios), figsize=(width, 3.3), layout="constrained", width_ratios=ratios
    )
    for place in places:
        place.set_aspect("equal")
        place.axis("off")
    return figure, places


def plotted(place, x, y):
    """Axes of a plot in the place of a drawing."""
    place.set_aspect("auto")
    place.axis("on")
    place.spines[["top", "right"]].set_visible(False)
    place.set(xlabel=x, ylabel=y)


def save(figure, name):
    """Write a figure; the same numbers give the same file."""
    figure.savefig(HERE / f"theory_{name}.svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)


def arrow(place, start, way, color=INK, width=1.6):
    """Arrow from a point along a vector."""
    end = np.add(start, way)
    place.add_patch(
        FancyArrowPatch(
            start, end, arrowstyle="-|>", mutation_scale=13, color=color, lw=width,
            shrinkA=0, shrinkB=0, zorder=5,
        )
    )  # fmt: skip


def both_ways(place, a, b, color=GRAY):
    """Line of a dimension between two points."""
    place.annotate(
        "", xy=b, xytext=a,
        arrowprops={"arrowstyle": "<->", "color": color, "lw": 1.0, "shrinkA": 0, "shrinkB": 0},
    )  # fmt: skip


def word(place, at, text, color=INK, **how):
    """Text or formula centered at a point."""
    place.text(*at, text, color=color, ha="center", va="center", zorder=6, **how)


def tube(place, nodes, radius, color=MUSCLE):
    """Draw an element of nodes (2, 2, 2): [node, value or slope, x and y]; its curve is given.

    The current radius keeps the volume of the tangent's length.
    """
    xi = np.linspace(0.0, 1.0, 101)
    flat = nodes.reshape(4, 2)
    curve = np.array([hermite(one, 1.0) for one in xi]) @ flat
    slope = np.array([hermite_d1(one, 1.0) for one in xi]) @ flat
    length = np.linalg.norm(slope, axis=1)
    wide = radius / np.sqrt(length / length.mean())
    normal = np.c_[-slope[:, 1], slope[:, 0]] / length[:, None] * wide[:, None]
    outline = np.r_[curve + normal, (curve - normal)[::-1]]
    place.add_patch(Polygon(outline, fc=color, alpha=0.35, ec=color, lw=1.2, zorder=1))
    place.plot(*curve.T, color=color, lw=1.6, zorder=2)
    return curve, slope, wide


def element() -> None:
    """Two nodes with their slopes, the quadrature points, and the four shape functions."""
    figure, (left, right) = canvas(8.6, (1.55, 1.0))
    nodes = np.array([[[0.0, 0.0], [1.5, 1.5]], [[2.6, 0.35], [2.6, -0.6]]])
    curve, _, _ = tube(left, nodes, 0.2)
    for (at, slope), name, place in zip(nodes, "ij", ((-0.18, -0.2), (0.13, -0.27)), strict=True):
        left.plot(*at, "o", color=INK, ms=7, zorder=4)
        arrow(left, at, 0.42 * slope, BLUE)
        word(left, at + place, f"$x_{name}$")
        word(left, at + 0.42 * slope + (0.12, 0.14), rf"$x_{{,\theta\,{name}}}$", BLUE)
    points = np.array([hermite(one, 1.0) for one in gauss_rule(5)[0]]) @ nodes.reshape(4, 2)
    left.plot(*points.T, "|", color=ORANGE, ms=13, mew=2.2, zorder=3)
    word(left, (1.4, -0.3), "quadrature points", ORANGE, fontsize=10)
    word(left, curve[52] + (0.1, 0.52), r"$r = r_0/\sqrt{\lambda}$", MUSCLE)
    left.set(xlim=(-0.35, 4.1), ylim=(-0.6, 1.5))
    plotted(right, r"$\xi$", "")
    xi = np.linspace(0.0, 1.0, 201)
    shapes = np.array([hermite(one, 1.0) for one in xi])
    for k, (color, at) in enumerate(
        zip((BLUE, GREEN, ORANGE, MUSCLE), ((0.22, 0.98), (0.55, 0.18), (0.78, 0.98), (0.7, -0.22)),
            strict=True)
    ):  # fmt: skip
        right.plot(xi, shapes[:, k], color=color)
        slope_of = "/h" if k % 2 else ""
        word(right, at, f"$n_{k + 1}{slope_of}$", color)
    right.axhline(0.0, color=GRAY, lw=0.6)
    right.set(xticks=(0, 0.5, 1), yticks=(0, 0.5, 1), ylim=(-0.3, 1.12))
    save(figure, "element")


def contact() -> None:
    """Quadrature point, closest point, gap, and the force over the gap."""
    figure, (left, right) = canvas(8.6, (1.45, 1.0))
    above = np.array([[[0.0, 1.02], [2.2, -0.9]], [[3.0, 1.16], [2.2, 1.3]]])
    below = np.array([[[0.0, -0.25], [2.6, 0.9]], [[3.0, -0.1], [2.6, -0.6]]])
    curve, _, wide = tube(left, above, 0.36)
    other, _, other_wide = tube(left, below, 0.34, BLUE)
    xi = gauss_rule(5)[0]
    points = np.array([hermite(one, 1.0) for one in xi]) @ above.reshape(4, 2)
    left.plot(*points.T, "|", color=ORANGE, ms=10, mew=1.8, zorder=3)
    x = points[2]
    k = int(np.linalg.norm(other - x, axis=1).argmin())
    y = other[k]
    n = (y - x) / np.linalg.norm(y - x)
    r_x, r_y = wide[np.linalg.norm(curve - x, axis=1).argmin()], other_wide[k]
    left.plot(*np.array([x, y]).T, color=INK, lw=1.0, zorder=3)
    for at, name, way in ((x, "$x$", (-0.16, 0.14)), (y, r"$y(\xi)$", (-0.27, -0.15))):
        left.plot(*at, "o", color=INK, ms=6, zorder=5)
        word(left, at + way, name)
    arrow(left, x, 0.3 * n)
    word(left, x + 0.15 * n + (-0.13, 0.0), "$n$")
    side = np.array([n[1], -n[0]]) * -1.0
    for start, way, name in ((x, r_x * n, "$r_x$"), (y, -r_y * n, "$r_y$")):
        shift = (0.22 if name == "$r_x$" else 0.36) * side
        both_ways(left, start + shift, start + way + shift)
        word(left, start + 0.5 * way + shift + 0.13 * side, name, GRAY)
    both_ways(left, x - 0.45 * side, y - 0.45 * side)
    word(left, 0.5 * (x + y) - 0.58 * side, "$d$", GRAY)
    left.set(xlim=(-0.25, 3.25), ylim=(-0.75, 1.75))
    plotted(right, r"gap  $g = d/(r_x + r_y) - 1$", r"$F/\kappa$")
    gap = np.linspace(-0.2425, 0.1, 400)
    right.plot(gap, [line_force(one, 1.0, 4.0)[0] for one in gap], color=ORANGE)
    right.axvline(-0.25, color=GRAY, ls="--", lw=1.0)
    word(right, (-0.205, 5.0), r"$-1/\gamma$", GRAY)
    word(right, (0.05, 0.5), "apart", GRAY, fontsize=10)
    word(right, (-0.1, 2.2), "in contact", ORANGE, fontsize=10)
    right.set(xticks=(-0.25, 0.0), ylim=(-0.15, 6.0), xlim=(-0.27, 0.1), yticks=(0, 2, 4))
    save(figure, "contact")


def bone(place, start, end, radius):
    """Capsule between two points."""
    start, end = np.array(start), np.array(end)
    along = (end - start) / np.linalg.norm(end - start)
    angle = np.arctan2(along[1], along[0])
    turns = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 40)
    ends = [
        c + radius * np.c_[np.cos(t), np.sin(t)]
        for c, t in ((end, angle + turns), (start, angle + np.pi + turns))
    ]
    place.add_patch(Polygon(np.concatenate(ends), fc=BONE, ec=GRAY, lw=1.2, zorder=0))


def attachment() -> None:
    """A fiber ends on a body that a coordinate turns; its reaction acts on both."""
    figure, (left, right) = canvas(8.6, (1.35, 1.0))
    hinge, q = np.array([0.0, 0.0]), 0.55
    along = np.array([np.cos(q), np.sin(q)])
    across = np.array([-along[1], along[0]])
    bone(left, (-1.9, 0.0), hinge, 0.2)
    bone(left, hinge, 2.6 * along, 0.2)
    left.plot(*hinge, "o", color=INK, ms=6)
    left.plot([0, 1.4], [0, 0], color=GRAY, lw=1.0, ls="--")
    left.add_patch(Arc(hinge, 2.0, 2.0, theta1=0, theta2=np.degrees(q), color=BLUE, lw=1.4))
    word(left, (1.16, 0.28), "$q$", BLUE)
    end = 1.35 * along + 0.2 * across
    origin = np.array([-1.75, 0.2])
    nodes = np.array([[origin, [0.9, 2.3]], [end, [1.6, -1.1]]])
    curve, slope, _ = tube(left, nodes, 0.16)
    for at in (origin, end):
        left.plot(*at, "o", color=INK, ms=6, zorder=5)
    word(left, end + (0.42, 0.62), "$x_D = c(q)$")
    arrow(left, end, 0.75 * across, BLUE)
    word(left, end + 0.9 * across + (-0.2, 0.12), r"$v_D = C(q)\,p$", BLUE)
    left.set(xlim=(-2.2, 2.9), ylim=(-0.45, 2.15))
    # cut free: fiber and body
    bone(right, (-1.3, -0.5), (1.3, -0.5), 0.2)
    nodes = np.array([[[-1.1, 1.2], [1.2, -0.3]], [[0.3, 0.35], [1.1, -0.9]]])
    tube(right, nodes, 0.13)
    at, spot = nodes[1, 0], np.array([0.3, -0.3])
    way = np.array([0.52, -0.42])
    right.plot(*np.array([at, spot]).T, color=GRAY, lw=0.8, ls=":")
    for point in (at, spot):
        right.plot(*point, "o", color=INK, ms=6, zorder=5)
    arrow(right, at, way, ORANGE)
    word(right, at + way + (0.2, 0.02), r"$\lambda_D$", ORANGE)
    arrow(right, spot, -way, ORANGE)
    word(right, spot - way + (-0.28, 0.1), r"$-\lambda_D$", ORANGE)
    word(right, (0.0, -0.95), r"$M\dot p + \tau + C^T\lambda_D = 0$")
    right.set(xlim=(-1.6, 1.6), ylim=(-1.15, 1.6))
    save(figure, "attachment")


def shown_path(place, o, i, radius):
    """Path from o to i over a circle at the origin; angles at both ends of its arc, and the arc."""
    feet = [
        (np.arctan2(p[1], p[0]) + 0.5 * np.pi) % (2.0 * np.pi)
        - 0.5 * np.pi
        + s * np.arccos(radius / np.hypot(*p))
        for p, s in ((o, -1), (i, 1))
    ]
    turns = np.linspace(*feet, 60)
    arc = radius * np.c_[np.cos(turns), np.sin(turns)]
    place.plot(*np.r_[[o], arc, [i]].T, color=MUSCLE, lw=2.6, solid_joinstyle="round")
    return feet, arc


def wrap() -> None:
    """A path around a cylinder, and its length through the pose at which it lifts off."""
    figure, (left, right) = canvas(8.6, (1.5, 1.0))
    o, i, radius = np.array([-1.9, -0.15]), np.array([1.7, -0.55]), 0.75
    left.add_patch(Circle((0, 0), radius, fc=BONE, ec=GRAY, lw=1.2))
    (first, last), arc = shown_path(left, o, i, radius)
    for foot in (arc[0], arc[-1]):
        left.plot(*np.array([(0, 0), foot]).T, color=GRAY, lw=0.9, ls="--")
        left.plot(*foot, "o", color=BLUE, ms=6, zorder=5)
    for at, name, way in ((o, "o", (-0.15, 0.12)), (i, "i", (0.14, 0.12))):
        left.plot(*at, "o", color=INK, ms=7, zorder=5)
        word(left, at + way, f"${name}$")
    left.add_patch(
        Arc(
            (0, 0),
            0.62,
            0.62,
            theta1=np.degrees(last),
            theta2=np.degrees(first),
            color=BLUE,
            lw=1.4,
        )
    )
    word(left, (0.02, 0.45), r"$\varphi$", BLUE)
    word(left, 0.5 * (o + arc[0]) + (-0.1, 0.17), "$a$")
    word(left, 0.5 * (i + arc[-1]) + (0.17, 0.1), "$b$")
    word(left, arc[30] + (0.0, 0.15), r"$r\varphi$")
    word(left, 0.42 * arc[0] + (-0.16, -0.08), "$r$", GRAY)
    left.set(xlim=(-2.2, 2.0), ylim=(-0.95, 1.15))
    plotted(right, "angle of the hinge [°]", "length [mm]")
    model, muscle, angles = bent_arm()
    skeleton = fm.skeleton(model)
    poses = [skeleton.q_of({"elbow": one}) for one in angles]
    length = np.array([fm.path_length(skeleton, muscle, pose) for pose in poses])
    arms = np.array([fm.moment_arms(skeleton, muscle, pose)["elbow"] for pose in poses])
    right.plot(np.degrees(angles), 1e3 * length, color=MUSCLE)
    arm = right.twinx()
    arm.plot(np.degrees(angles), 1e3 * arms, color=BLUE, ls="--")
    arm.set_ylabel("moment arm [mm]", color=BLUE)
    arm.spines["top"].set_visible(False)
    leaves = np.degrees(angles[np.abs(np.diff(arms, 2)).argmax() + 1])
    right.axvline(leaves, color=GRAY, lw=0.9, ls=":")
    right.text(leaves + 2, 1e3 * length.max(), "lifts off", color=GRAY, fontsize=10, va="top")
    save(figure, "wrap")


def bent_arm():
    """Two bones on a hinge with a line muscle that a cylinder at the hinge holds off."""
    model = fm.Model("bent_arm", gravity=(0, 0, 0))
    lower = model.add(fm.Body("lower", mass=1.0, inertia=(0.01, 0.01, 0.01)))
    model.add(fm.Hinge("elbow", model.ground, lower, at=(0, 0, 0), axis=(0, 0, 1)))
    cylinder = fm.WrapCylinder("pin", model.ground, radius=0.02)
    muscle = fm.LineMuscle(
        "muscle",
        (
            fm.PathPoint("o", model.ground.at(-0.2, 0.005, 0.0)),
            fm.PathPoint("i", lower.at(0.12, 0.005, 0.0)),
        ),
        wraps=[fm.PathWrap(cylinder, side=-1)],
        max_isometric_force=100.0,
        optimal_fiber_length=0.1,
        tendon_slack_length=0.2,
    )
    model.add(muscle)
    return model, muscle, np.radians(np.linspace(-60.0, 60.0, 241))


FIGURES = {one.__name__: one for one in (element, contact, attachment, wrap)}

if __name__ == "__main__":
    with plt.rc_context(STYLE):
        for chosen in sys.argv[1:] or FIGURES:
            FIGURES[chosen]()
