"""The whole coupled step against the plain NumPy limb, which shares no code with the package."""

import _numpy_limb
import numpy as np
from scenes_of_tests import load_scene

import fibermsk as fm


def test_two_steps_of_a_coarse_limb():
    h, n_steps = 1.0 / 32.0, 2
    slow, _, _ = _numpy_limb.march(2, 256, n_steps, 1e-10)
    scene = load_scene("upper_limb").scene(elements=2)
    fast = fm.simulate(
        fm.build(scene.model),
        t_end=n_steps * h,
        dt=h,
        newton=fm.Newton(tolerance=1e-10),
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    # both stop Newton at round-off; what is left is the conditioning of the step
    angles = [state.q for state in slow]
    np.testing.assert_allclose(fast.coordinate("elbow_flexion"), angles, rtol=1e-10)
    limb, (*_, before, last) = _numpy_limb.Limb(2), slow
    end = _numpy_limb.step_system(limb, before, n_steps * h, h, last.u, last.q)
    for fiber, plain in zip(fast.fibers.values(), limb.fibers, strict=True):
        own = slice(plain.first, plain.first + plain.X.size)
        nodes, held = last.u[own].reshape(-1, 6), end.multipliers[own].reshape(-1, 6)
        np.testing.assert_allclose(fiber.position[-1], nodes[:, :3], atol=1e-10)
        np.testing.assert_allclose(fiber.tangent[-1], nodes[:, 3:], atol=1e-9)
        # the fiber pulls on the bone with the opposite of what holds it
        for found, node in ((fiber.force_origin, 0), (fiber.force_insertion, -1)):
            np.testing.assert_allclose(found[-1], -held[node, :3], rtol=1e-7, atol=1e-8)
