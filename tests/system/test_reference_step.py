"""The whole coupled step against the slow reference.

The reference keeps the multipliers as unknowns, solves the quintics with numpy's companion matrices
and takes its Jacobian by complex steps; it shares no code with the package.
"""

import numpy as np
import pytest
from reference import stepper
from scenes_of_tests import load_scene

import fibermsk as fm


def compare(n_elements, n_steps):
    h = 1.0 / 32.0
    slow = stepper.run(n_elements, h, n_steps)
    scene = load_scene("upper_limb").scene(elements=n_elements)
    fast = fm.simulate(
        fm.build(scene.model),
        t_end=n_steps * h,
        dt=h,
        newton=fm.Newton(tolerance=1e-10),
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    angles = np.array([float(np.real(state.q[0])) for state in slow])
    # both stop Newton at round-off; what is left is the conditioning of the step
    np.testing.assert_allclose(fast.coordinate("elbow_flexion"), angles, rtol=1e-10)
    pull = np.real(slow[-1].pull_on_bone).reshape(5, 2, 3)
    for fiber, expected in zip(fast.fibers.values(), pull, strict=True):
        np.testing.assert_allclose(fiber.force_origin[-1], expected[0], rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(fiber.force_insertion[-1], expected[1], rtol=1e-7, atol=1e-8)
    for fiber, x in zip(fast.fibers.values(), slow[-1].x, strict=True):
        np.testing.assert_allclose(fiber.position[-1], np.real(x)[:, :3], atol=1e-10)
        np.testing.assert_allclose(fiber.tangent[-1], np.real(x)[:, 3:], atol=1e-9)


def test_two_steps_of_a_coarse_limb():
    compare(n_elements=2, n_steps=2)


@pytest.mark.slow
def test_three_steps_of_the_limb_with_contact_everywhere():
    compare(n_elements=8, n_steps=3)
