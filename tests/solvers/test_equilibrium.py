"""Static equilibrium against the exact elastic cable."""

import numpy as np
import pytest
from scenes_of_tests import load_scene
from scipy.integrate import quad
from scipy.optimize import brentq

import fibermsk as fm


def exact_cable(length, span, weight, force_of_stretch):
    """Sag and horizontal force of an elastic cable between two points of equal height.

    The force is N = sqrt(H^2 + V^2), V = weight (s - length / 2), along the cable; with the stretch
    from the constitutive law, dx/ds = stretch H / N and dz/ds = stretch V / N over the reference
    length s.
    """

    def stretch(N):
        return brentq(lambda x: force_of_stretch(x) - N, 1.0 - 1e-12, 10.0, xtol=1e-14)

    def integral(H, component):
        def slope(s):
            V = weight * (s - 0.5 * length)
            N = np.hypot(H, V)
            return stretch(N) * (H if component == 0 else V) / N

        return quad(slope, 0.0, 0.5 * length, epsabs=1e-13, epsrel=1e-12)[0]

    H = brentq(lambda H: 2.0 * integral(H, 0) - span, 1e-4, 10.0, xtol=1e-13)
    return -integral(H, 1), H


def test_hanging_fiber_is_the_elastic_catenary():
    scene = load_scene("hanging_fiber").scene()
    fiber = scene.model.fibers[0]
    area, length = np.pi * 6e-3**2, 0.3
    mu = fiber.tissue.muscle.shear_modulus
    sag, H = exact_cable(length, 0.3, 1060.0 * area * 9.81, lambda x: area * mu * (x - x**-2))
    result = fm.simulate_scene(scene)
    history = result.fibers["fiber"]
    assert result.status == "success"
    # at rest from the first frame on
    assert np.abs(np.diff(history.position, axis=0)).max() < 1e-9
    middle = history.centerline(np.array([0.5]), -1)[0]
    # 16 cubic elements: the error of the displacement falls with h^4, about 1e-6 of the sag
    assert -middle[2] == pytest.approx(sag, rel=3e-6)
    assert history.force_origin[-1, 0] == pytest.approx(H, rel=3e-5)
    assert history.force_origin[-1, 2] == pytest.approx(-0.5 * 1060.0 * area * 9.81 * length)


def test_equilibrium_converges_in_the_mesh():
    scene = load_scene("hanging_fiber")
    area = np.pi * 6e-3**2
    sag, _ = exact_cable(0.3, 0.3, 1060.0 * area * 9.81, lambda x: area * 2e4 * (x - x**-2))
    errors = []
    for n in (8, 16, 32):
        system = fm.build(scene.scene(elements=n).model)
        y, _ = fm.equilibrium(system)
        errors.append(abs(-system.split(y)[0][n // 2, 2] - sag))
    order = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    # cubic elements; the coarsest mesh is not yet in the asymptotic range
    assert order[0] > 3.5 and order[1] > 3.8


def test_nothing_holds_a_free_fiber():
    model = fm.Model("free")
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(1e5, 10.0))
    model.add(fm.Fiber("f", [[0, 0, 0], [0.1, 0, 0]], radius=1e-3, n_elements=2, tissue=tissue))
    with pytest.raises(fm.ConvergenceError, match="no static equilibrium"):
        fm.equilibrium(fm.build(model))
