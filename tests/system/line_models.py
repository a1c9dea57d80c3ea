"""An arm of two links with line muscles around the elbow, as munozpepi2023 has it."""

import fibermsk as fm


def arm(law, activation=0.3, *, damping=0.0, fiber=False, value=0.4):
    """Upper arm and forearm with a brachialis and a triceps over one cylinder.

    `activation` is one for both, or two. With `fiber` a fiber besides.
    """
    model = fm.Model("arm", gravity=(0.0, -9.81, 0.0))
    upper = model.add(fm.Body("upper", 1.86, (0, -0.18, 0), inertia=(0.0148, 0.0046, 0.0132)))
    lower = model.add(fm.Body("lower", 1.53, (0, -0.18, 0), inertia=(0.0193, 0.0016, 0.02)))
    tilted = (-0.059, 0.0023, 0.998)
    model.add(
        fm.Hinge("shoulder", model.ground, upper, (0, 0, 0), tilted, value=0.1, damping=damping),
        fm.Hinge("elbow", upper, lower, (0.006, -0.29, -0.012), (0.05, 0.037, 0.998), value=value,
                 damping=damping),
    )  # fmt: skip
    cylinder = fm.WrapCylinder("joint", upper, (0.0028, -0.2919, -0.0069), radius=0.016, length=0.2)
    front = (upper.at(0.0068, -0.1739, -0.0036), lower.at(-0.0032, -0.0239, 0.0009))
    back = (
        upper.at(-0.00838, -0.13695, -0.00906), upper.at(-0.02601, -0.15139, -0.0108),
        upper.at(-0.03184, -0.22637, -0.01217), upper.at(-0.01743, -0.26757, -0.01208),
        lower.at(-0.0219, 0.01046, -0.00078),
    )  # fmt: skip
    activations = activation if isinstance(activation, tuple) else (activation, activation)
    for (name, points, numbers), given in zip(
        (
            ("brachialis", front, (987.26, 0.0858, 0.0535, 0.0)),
            ("triceps", back, (624.30, 0.1138, 0.0908, 0.15707963)),
        ),
        activations,
        strict=True,
    ):
        force, length, slack, angle = numbers
        model.add(
            fm.LineMuscle(
                name,
                [fm.PathPoint(f"{name} {k}", point) for k, point in enumerate(points)],
                wraps=[fm.PathWrap(cylinder)],
                max_isometric_force=force,
                optimal_fiber_length=length,
                tendon_slack_length=slack,
                pennation_angle=angle,
                law=law,
                activation=given,
            )
        )
    if fiber:
        tissue = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), prestress=5e3)
        ends = upper.at(0.03, -0.1, 0.02), lower.at(0.02, -0.06, 0.02)
        model.add(fm.Fiber("band", attach=ends, radius=4e-3, n_elements=3, tissue=tissue))
    return model
