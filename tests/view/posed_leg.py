"""A model with sliders, for tests of viewers."""

import fibermsk as fm

NUMBERS = {"max_isometric_force": 5e3, "optimal_fiber_length": 0.1, "tendon_slack_length": 0.1}
ROD = {"mass": 1.0, "com": (0, -0.2, 0), "inertia": (0.1, 0.1, 0.1)}


def leg(n=0):
    """A knee with a muscle over a cylinder, a patella that follows it, and n further hinges."""
    model = fm.Model("leg", gravity=(0, -9.81, 0))
    shank, foot = fm.Body("shank", **ROD), fm.Body("foot", **ROD)
    model.add(shank, foot)
    model.add(
        fm.Hinge(
            "knee", model.ground, shank, at=(0, 0, 0), axis=(0, 0, 1),
            coordinate=fm.Coordinate("knee", lower=-2.0, upper=0.5),
        ),
        fm.Hinge("ankle", shank, foot, at=(0, -0.4, 0), axis=(0, 0, 1)),
        fm.Coupling("ankle", fm.Linear(-0.5), "knee", "multiplier"),
    )  # fmt: skip
    body = foot
    for k in range(n):
        child = model.add(fm.Body(f"b{k}", **ROD))
        model.add(fm.Hinge(f"h{k}", body, child, at=(0, -0.1, 0), axis=(0, 0, 1)))
        body = child
    wrap = fm.PathWrap(fm.WrapCylinder("condyle", model.ground, radius=0.06, length=0.2))
    for name, z in (("front", 0.05), ("side", -0.1)):
        ends = model.ground.at(0.08, 0.3, z), shank.at(0.01, -0.2, z)
        points = [fm.PathPoint(end, at) for end, at in zip("oi", ends, strict=True)]
        model.add(fm.LineMuscle(name, points, wraps=[wrap] if z > 0.0 else (), **NUMBERS))
    return model
