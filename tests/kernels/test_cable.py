"""Cable elements against the plain reference, whose complex step gives exact tangents."""

import numpy as np
import pytest
from kernel_parts import (
    PASSIVE,
    STEP,
    belly,
    bow,
    deform,
    fiber,
    graded,
    plain_cable,
    rotation,
    spindle,
    system_of,
    turn,
)
from line_matrices import line_matrix
from numpy.testing import assert_allclose
from reference import cable as reference

import fibermsk as fm
from fibermsk.elements import gauss_rule
from fibermsk.kernels.fibers import cable

ALPHA = 0.4
MODULI = {
    "elastic": ("mu_M", "mu_T"),
    "viscous": ("eta_M", "eta_T"),
    "active": ("S_max",),
    "prestress": ("prestress",),
}
PARTS = [*MODULI, "all"]
BOW = bow((0.1, 0.0, 0.3), (0.0, 0.05, 0.0), sag=(0.03, 0.02, 0.0), twist=(0.0, 0.01, 0.02))


class Twin:
    """One bent fiber by the kernels and by the reference, with one stress part or all."""

    def __init__(self, rng, part="all", **fields):
        self.system = system_of([fiber("f", BOW, rng, **fields)])
        self.arrays = self.system.cables
        self.plain = plain_cable(self.system, 0)
        self.law = self.arrays.rows.law.copy()
        if part != "all":
            columns = {"elastic": 0, "viscous": 1, "active": 2, "prestress": 6}
            for name, keys in MODULI.items():
                if name != part:
                    self.law[..., columns[name]] = 0.0
                    self.plain.params |= dict.fromkeys(keys, 0.0)

    def assemble(self, x, v=None, a=None, alpha=ALPHA, slopes=(1.0, 0.0, 0.0)):
        """Inertia minus force (n_nodes, 6), and the matrix, dense."""
        residual, lines = np.zeros_like(x), np.zeros((len(x), 3, 6, 6))
        cable.assemble_cable(*self.arguments(x, v, a, alpha), *slopes, residual, lines)
        return residual, line_matrix(self.arrays, lines)

    def arguments(self, x, v=None, a=None, alpha=ALPHA):
        """What the assembly takes before the slopes."""
        c, zero = self.arrays, np.zeros_like(x)
        v, a = (zero if rate is None else rate for rate in (v, a))
        return c.element_start, x, v, a, self.cable, np.full(c.h.size, alpha)

    @property
    def cable(self):
        """Elements with the law of this twin."""
        return cable.CableArrays.of(self.arrays)._replace(law=self.law)

    def states(self, rng):
        """A moderately bent and stretched state, with velocities that stretch at about 1/s."""
        x = deform(rng, self.arrays.reference, 0.1)
        return x, 0.3 * rng.normal(size=x.shape)


def derivative(function, x):
    """Derivative of an array function in the entries of x by the complex step, exact."""
    columns = []
    for j in range(x.size):
        moved = x.astype(complex).ravel()
        moved[j] += 1j * STEP
        columns.append(function(moved.reshape(x.shape)).imag.ravel() / STEP)
    return np.column_stack(columns)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("n_elements", [1, 4])
def test_force_against_reference(rng, part, n_elements):
    twin = Twin(rng, part, n_elements=n_elements)
    for _ in range(5):
        x, v = twin.states(rng)
        residual, _ = twin.assemble(x, v)
        expected = reference.internal_force(twin.plain, x, v, ALPHA)
        # rounding of sums over the points; the radius at a point comes from a fitted quartic
        assert_allclose(-residual, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("part", PARTS)
def test_tangent_in_position(rng, part):
    twin = Twin(rng, part)
    x, v = twin.states(rng)
    _, K = twin.assemble(x, v, slopes=(1.0, 0.0, 0.0))
    expected = -derivative(lambda z: reference.internal_force(twin.plain, z, v, ALPHA), x)
    # the complex step is exact, so both differ by rounding only; the elastic and viscous parts
    # cancel among neighbors by a factor of some ten
    assert_allclose(K, expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("part", PARTS)
def test_tangent_in_velocity(rng, part):
    twin = Twin(rng, part)
    x, v = twin.states(rng)
    _, K = twin.assemble(x, v, slopes=(0.0, 1.0, 0.0))
    expected = -derivative(lambda z: reference.internal_force(twin.plain, x, z, ALPHA), v)
    assert_allclose(K, expected, rtol=0.0, atol=1e-11 * np.abs(expected).max() + 1e-300)  # rounding
    assert np.any(K) == (part in ("viscous", "all"))


def test_tangent_against_central_differences(rng):
    """Of the kernel's own force, without the reference."""
    twin = Twin(rng)
    x, v = twin.states(rng)
    _, K = twin.assemble(x, v)
    h = 1e-6
    for _ in range(5):
        u = rng.normal(size=x.shape) * 0.1
        slope = (twin.assemble(x + h * u, v)[0] - twin.assemble(x - h * u, v)[0]) / (2.0 * h)
        # h^2 times third derivatives over nodal spacing squared, 1e-12 / 1e-4, and rounding eps/h
        assert_allclose(K @ u.ravel(), slope.ravel(), rtol=0.0, atol=1e-7 * np.abs(slope).max())


def test_slopes_combine_linearly(rng):
    """K = cx Kx + cv Kv + ca M, and the inertia is M a."""
    twin = Twin(rng)
    x, v = twin.states(rng)
    a = rng.normal(size=x.shape)
    Kx, Kv, M = (twin.assemble(x, v, slopes=s)[1] for s in np.eye(3))
    _, K = twin.assemble(x, v, a, slopes=(1.0, 30.0, 900.0))
    assert_allclose(K, Kx + 30.0 * Kv + 900.0 * M, rtol=0.0, atol=1e-14 * np.abs(K).max())
    assert_allclose(
        M, reference.mass_matrix(twin.plain), rtol=0.0, atol=1e-13 * np.abs(M).max()
    )  # rounding
    inertia = twin.assemble(x, v, a)[0] - twin.assemble(x, v)[0]
    scale = np.abs(twin.assemble(x, v)[0]).max()
    assert_allclose(inertia.ravel(), M @ a.ravel(), rtol=0.0, atol=1e-14 * scale)


def test_assembly_adds(rng):
    """What already is in residual and matrix stays."""
    twin = Twin(rng)
    x, v = twin.states(rng)
    residual, lines = np.ones_like(x), np.ones((len(x), 3, 6, 6))
    cable.assemble_cable(*twin.arguments(x, v), 1.0, 0.0, 0.0, residual, lines)
    alone, K = twin.assemble(x, v)
    assert_allclose(residual - 1.0, alone, rtol=0.0, atol=1e-14 * np.abs(alone).max())
    added = line_matrix(twin.arrays, lines - 1.0)
    assert_allclose(added, K, rtol=0.0, atol=1e-14 * np.abs(K).max())


def test_mass_matrix(rng):
    twin = Twin(rng)
    c = twin.arrays
    mass = np.full((c.h.size, 4, 4), np.nan)  # filled, not added to
    cable.cable_mass(c.elements, c.h, c.xi, c.weight, c.line_density, mass)
    expected = reference.mass_matrix(twin.plain)
    M = np.zeros_like(expected)
    for e in range(c.h.size):
        own = slice(6 * e, 6 * e + 12)
        M[own, own] += np.kron(mass[e], np.eye(3))
    assert_allclose(M, expected, rtol=0.0, atol=1e-13 * expected.max())  # rounding
    assert_allclose(M, M.T, rtol=0.0, atol=1e-15 * expected.max())
    assert np.linalg.eigvalsh(M).min() > 0.0
    shift = np.tile([0.0, 1.0, 0, 0, 0, 0], c.n_nodes)
    total = 1060.0 * np.sum(c.weight * c.area * c.G0)
    assert_allclose(shift @ M @ shift, total, rtol=1e-14)  # a translation sees the whole mass


def test_mass_of_a_straight_uniform_fiber():
    """In closed form: rho A L, and the 156, 22, 54, 13 over 420 of a beam element."""
    system = system_of([fiber("f", [(0, 0, 0), (0.3, 0, 0)], radius=0.01, n_elements=1)])
    m = 1060.0 * np.pi * 0.01**2 * 0.3 / 420.0
    expected = m * np.array(
        [[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4.0]]
    )
    # tangents per theta with h = 1: no further lengths; 5 Gauss points are exact for degree 6
    assert_allclose(system.cables.mass[0], expected, rtol=1e-13)


def test_line_load(rng):
    twin = Twin(rng)
    c = twin.arrays

    def load(theta):
        return np.array([3.0 * theta, 1.0 - theta**2, 2.0])

    theta = c.theta[c.elements[:, :1]] + c.h[:, None] * c.xi
    per_theta = np.array([[load(t) for t in row] for row in theta]) * c.G0[..., None]
    force = np.zeros((c.n_nodes, 6))
    cable.line_load_force(c.elements, c.h, c.xi, c.weight, per_theta, force)
    expected = reference.line_load(twin.plain, load)
    assert_allclose(force, expected, rtol=0.0, atol=1e-14 * np.abs(expected).max())
    # a unit load's resultant is the length; a second call adds
    unit = np.zeros_like(per_theta)
    unit[..., 1] = c.G0
    force[:] = 0.0
    for _ in range(2):
        cable.line_load_force(c.elements, c.h, c.xi, c.weight, unit, force)
    length = reference.length(twin.plain, twin.plain.X)
    assert_allclose(force[:, :3].sum(axis=0), [0.0, 2.0 * length, 0.0], rtol=1e-14)


def energy(twin, x):
    return cable.cable_energy(x, twin.cable)


def test_energy(rng):
    """As the reference's, and its gradient is minus the conservative force."""
    twin = Twin(rng)
    x, _ = twin.states(rng)
    assert_allclose(energy(twin, x), reference.elastic_energy(twin.plain, x), rtol=1e-13)
    force = -twin.assemble(x, alpha=0.0)[0]
    h = 1e-5
    for _ in range(5):
        u = 0.1 * rng.normal(size=x.shape)
        slope = (energy(twin, x + h * u) - energy(twin, x - h * u)) / (2.0 * h)
        # h^2 over the nodal spacing squared 1e-4, and rounding eps/h
        scale = np.abs(force).max() * np.abs(u).max()
        assert_allclose(-slope, np.sum(force * u), rtol=0.0, atol=1e-6 * scale)


def test_energy_of_the_reference_state_is_zero(rng):
    twin = Twin(rng)
    scale = 1e6 * np.sum(twin.arrays.weight * twin.arrays.area * twin.arrays.G0)
    assert abs(energy(twin, twin.arrays.reference)) < 1e-14 * scale  # rounding of the stretch


def test_rigid_motion(rng):
    """Translation leaves the force, rotation turns it; a rigid velocity adds none."""
    twin = Twin(rng)
    x, v = twin.states(rng)
    R, shift = rotation(rng), rng.normal(size=3)
    force = -twin.assemble(x, v)[0]
    turned = -twin.assemble(turn(x, R, shift), turn(v, R))[0]
    # differences of coordinates of size 1 over elements of 0.05 m: eps * 20 in the stretch, times
    # the stiffness over the stress, some 100
    atol = 1e-12 * np.abs(force).max()
    assert_allclose(turned, turn(force, R), rtol=0.0, atol=atol)
    omega = rng.normal(size=3)
    spin = np.cross(omega, x.reshape(-1, 3)).reshape(-1, 2, 3)
    spin[:, 0] += rng.normal(size=3)
    spinning = -twin.assemble(x, spin.reshape(-1, 6))[0]
    assert_allclose(spinning, -twin.assemble(x)[0], rtol=0.0, atol=atol)
    assert_allclose(energy(twin, turn(x, R, shift)), energy(twin, x), rtol=1e-12)


def test_force_has_no_resultant(rng):
    """Neither force nor moment about any point: inner forces balance."""
    twin = Twin(rng)
    x, v = twin.states(rng)
    force = -twin.assemble(x, v)[0]
    moment = np.cross(x[:, :3], force[:, :3]) + np.cross(x[:, 3:], force[:, 3:])
    atol = 1e-13 * np.abs(force).max()  # rounding
    assert_allclose(force[:, :3].sum(axis=0), 0.0, rtol=0.0, atol=atol)
    assert_allclose(moment.sum(axis=0), 0.0, rtol=0.0, atol=atol)


def test_rigid_modes_of_the_tangent(rng):
    """Translations cost nothing; a rotation turns the force: K (w x x) = -w x f."""
    twin = Twin(rng)
    x, v = twin.states(rng)
    residual, K = twin.assemble(x, v)
    _, Kv = twin.assemble(x, v, slopes=(0.0, 1.0, 0.0))
    atol = 1e-12 * np.abs(K).max()  # rounding
    for axis in np.eye(3):
        shift = np.tile(np.r_[axis, 0.0, 0.0, 0.0], len(x))
        assert_allclose(K @ shift, 0.0, rtol=0.0, atol=atol)
        spin = np.cross(axis, x.reshape(-1, 3)).ravel()
        spun = np.cross(axis, v.reshape(-1, 3)).ravel()  # the velocity turns along
        turned = np.cross(axis, residual.reshape(-1, 3)).ravel()
        assert_allclose(K @ spin + Kv @ spun, turned, rtol=0.0, atol=atol)
        assert_allclose(Kv @ spin, 0.0, rtol=0.0, atol=atol)


def test_no_force_at_rest_without_prestress(rng):
    twin = Twin(rng, tissue=PASSIVE)
    x = twin.arrays.reference
    residual, K = twin.assemble(x, alpha=0.0)
    # rounding of the stretch times the stiffness: eps 3 mu A
    assert np.abs(residual).max() < 1e-14 * 3.0 * 2.0e4 * twin.arrays.area.max() * 4.0
    assert np.linalg.eigvalsh(0.5 * (K + K.T)).min() > -1e-12 * np.abs(K).max()


@pytest.mark.parametrize("part", ["elastic", "active", "prestress"])
def test_tangent_is_symmetric_without_viscosity(rng, part):
    """These stresses depend on the stretch alone and so have a potential."""
    twin = Twin(rng, part)
    x, v = twin.states(rng)
    _, K = twin.assemble(x, v)
    assert_allclose(K, K.T, rtol=0.0, atol=1e-14 * np.abs(K).max())  # rounding


def test_viscous_tangent_is_symmetric_and_dissipates(rng):
    twin = Twin(rng, "viscous")
    x, v = twin.states(rng)
    _, K = twin.assemble(x, v, slopes=(0.0, 1.0, 0.0))
    assert_allclose(K, K.T, rtol=0.0, atol=1e-14 * np.abs(K).max())  # rounding
    assert np.linalg.eigvalsh(K).min() > -1e-13 * np.abs(K).max()


def test_element_tangent_fills_and_adds_nothing(rng):
    twin = Twin(rng)
    x, v = twin.states(rng)
    c = twin.arrays
    force, K = np.full((4, 3), np.nan), np.full((2, 3, 6, 6), np.nan)
    total, summed = np.zeros_like(x), np.zeros((x.size, x.size))
    for e, (i, j) in enumerate(c.elements):
        cable.element_tangent(x, v, e, twin.cable, np.full(c.h.size, ALPHA), 1.0, 30.0, force, K)
        total[[i, j]] += force.reshape(2, 6)
        block = np.block([[K[0, 0].T, K[0, 1].T], [K[0, 2].T, K[1, 0].T]])
        summed[6 * i : 6 * i + 12, 6 * i : 6 * i + 12] += block
    residual, matrix = twin.assemble(x, v, slopes=(1.0, 30.0, 0.0))
    assert_allclose(total, -residual, rtol=0.0, atol=1e-14 * np.abs(residual).max())
    assert_allclose(summed, matrix, rtol=0.0, atol=1e-14 * np.abs(matrix).max())


def test_uniform_stretch_in_closed_form():
    """A straight fiber pulled to twice its length at a steady rate: N = A0 P everywhere."""
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(3.0e4, 2.0e3), prestress=5.0e3)
    system = system_of(
        [fiber("f", [(0, 0, 0), (0, 0, 0.5)], radius=0.01, tissue=tissue, muscle_fraction=1.0)]
    )
    c = system.cables
    x, v = 2.0 * c.reference, 3.0 * c.reference
    law = tissue.constants(np.ones_like(c.area[:1]))
    force, K = np.empty((4, 3)), np.empty((2, 3, 6, 6))
    own = cable.CableArrays.of(c)._replace(law=np.repeat(law, len(c.rows.law), axis=0))
    cable.element_tangent(x, v, 0, own, np.zeros(1), 1.0, 0.0, force, K)
    N = np.pi * 0.01**2 * (3.0e4 * 1.75 + 3.0 * 2.0e3 * 3.0 / 4.0 + 5.0e3 / 2.0)
    # the weight of a constant force on the tangents integrates to zero
    expected = [[0, 0, N], [0, 0, 0], [0, 0, -N], [0, 0, 0]]
    assert_allclose(force, expected, rtol=0.0, atol=1e-14 * N)


def test_samples(rng):
    """Stretch, axial force and viscous power at the Gauss points and between them."""
    twin = Twin(rng)
    x, v = twin.states(rng)
    c = twin.arrays
    e = np.repeat(np.arange(c.h.size), c.xi.size)
    xi = np.tile(c.xi, c.h.size)
    stretch, force, power = (np.full(c.area.shape, np.nan) for _ in range(3))
    activation = np.full(c.h.size, ALPHA)
    cable.sample_cable(x, v, twin.cable, activation, stretch, force, power)
    expected = reference.axial_force(twin.plain, x, v, ALPHA)
    assert_allclose(force, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
    radius = reference.current_radius(twin.plain, x, e, xi).reshape(c.area.shape)
    assert_allclose(np.sqrt(c.area / np.pi / stretch), radius, rtol=1e-13)
    # integrated, the power is what the viscous forces take from the motion
    viscous = Twin(np.random.default_rng(20211), "viscous")
    assert np.array_equal(viscous.arrays.reference, c.reference)
    taken = np.sum(viscous.assemble(x, v)[0] * v)
    assert_allclose(np.sum(c.weight * power), taken, rtol=1e-13)
    assert np.all(power >= 0.0)


def test_quadrature_data(rng):
    """Area, reference speed and law at the points, from the fiber's own functions."""
    nodes = graded(rng, 3)
    system = system_of([fiber("f", BOW, n_elements=3, nodes=nodes)])
    c = system.cables
    theta = nodes[:-1, None] + np.diff(nodes)[:, None] * gauss_rule(5)[0]
    # the quartic is fitted through 5 values: rounding times its condition, 1e3
    assert_allclose(c.area, np.pi * spindle(0.008)(theta) ** 2, rtol=1e-13)
    gamma = belly(theta)
    law = c.rows.law[c.row_of]
    assert_allclose(law[..., 0], gamma * 2.0e4 + (1.0 - gamma) * 1.0e6, rtol=1e-14)
    assert_allclose(law[..., 1], gamma * 1.0e4 + (1.0 - gamma) * 3.0e4, rtol=1e-14)
    assert_allclose(law[..., 2], gamma * 3.0e5, rtol=1e-14)
    assert_allclose(law[..., 6], 1.6e4, rtol=0.0)
    assert_allclose(c.G0, plain_cable(system, 0).points().A1, rtol=1e-13)
