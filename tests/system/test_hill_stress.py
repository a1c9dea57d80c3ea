"""Active stress with curves: the run, tangents, reports, pickles and checkpoints follow."""

import pickle
from dataclasses import dataclass, replace

import numpy as np
import own_laws as own
import pytest
from numpy.testing import assert_allclose
from own_laws import squared
from tangents import tangent_error
from test_own_stress import hanging, tissue

import fibermsk as fm
from fibermsk.gpu.refusals import refuse_unsupported
from fibermsk.kernels.fibers.activation import activation_kernel

PASSIVE = fm.KelvinVoigt(2e4, 1e2)
CAT = fm.HillStress(
    1e5, 1.05, 4.67, fm.GaussianForceLength(), fm.HillForceVelocity(0.19, 1.38, 6.7), "cauchy"
)


@dataclass(frozen=True)
class OwnLength:
    """Without a derivative."""

    width: float = fm.law_constant(above=0.0)

    def factor(self, length):
        return np.exp(-squared((length - 1.0) / self.width))


@dataclass(frozen=True)
class OwnVelocity:
    """Without constants, and with a derivative."""

    def factor(self, velocity):
        growth = np.exp(velocity)
        return growth, growth


OWN = fm.HillStress(1e5, 1.1, 6.0, OwnLength(0.4), OwnVelocity())
LAWS = {
    "cat": tissue(PASSIVE, active=CAT, tendon=fm.KelvinVoigt(1e5, 1e3)),
    "own muscle": tissue(own.Fung(2e4, 1.5), active=OWN, prestress=1e3),
    "own active": tissue(own.Twin(2e4, 1e3, 1e5)),
    "built in": tissue(PASSIVE, active=fm.ActiveStress(1e5)),
}
OPTIONS = dict(fraction=lambda s: 1.0 - 0.3 * s**2, activation=0.6)


def moving(system, rng):
    """Nodes off rest, with velocities, and the activation of the elements."""
    cables = system.cables
    nodes = cables.reference * rng.uniform(0.95, 1.2) + rng.normal(
        0.0, 2e-3, cables.reference.shape
    )
    velocity = rng.normal(0.0, 0.1, nodes.shape)
    return nodes, velocity, np.full(cables.h.size, 0.6)


@pytest.mark.parametrize("name", ["cat", "own muscle"])
def test_forces_are_those_of_the_law(rng, name):
    """Samples at the quadrature points against `Tissue.stress`, in plain Python."""
    one = LAWS[name]
    system = fm.build(hanging(one, **OPTIONS))
    nodes, velocity, activation = moving(system, rng)
    (group,) = system.tension.groups
    stretch, force, power = np.empty((3, *system.cables.area.shape))
    group.kernels.sample_cable(nodes, velocity, group.cable, activation, stretch, force, power)
    cables = system.cables
    theta = cables.theta[cables.elements[:, :1]] + cables.h[:, None] * cables.xi
    dt = 1e-7  # the rate, from the stretches of moved nodes
    moved = [np.empty((3, *cables.area.shape)) for _ in range(2)]
    for way, out in zip((dt, -dt), moved, strict=True):
        group.kernels.sample_cable(nodes + way * velocity, velocity, group.cable, activation, *out)
    rate = (moved[0][0] - moved[1][0]) / (2.0 * dt)
    expected = [
        one.stress(float(s), float(r), 0.6, 1.0 - 0.3 * float(t) ** 2)[0]
        for s, r, t in zip(stretch.ravel(), rate.ravel(), theta.ravel(), strict=True)
    ]
    assert_allclose((force / cables.area).ravel(), expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["cat", "own muscle"])
def test_tangent(rng, name):
    """Against central differences of the whole residual, with velocities."""
    system = fm.build(hanging(LAWS[name], **OPTIONS))
    assert tangent_error(system, rng, beta=50.0, alpha=70.0) < 1e-6


@pytest.mark.parametrize("name", ["cat", "own muscle", "own active", "built in"])
def test_derivative_in_the_activation(rng, name):
    """Of the residual, element by element, against differences of the residual."""
    system = fm.build(hanging(LAWS[name], **OPTIONS))
    nodes, velocity, activation = moving(system, rng)
    (group,) = system.tension.groups
    slopes, expected, h = np.zeros(nodes.shape), np.zeros(nodes.shape), 1e-4
    activation_kernel(group.layout)(
        group.element_start, nodes, velocity, group.cable, activation, slopes
    )
    for e in range(activation.size):
        found = []
        for way in (h, -h):
            changed, residual = activation.copy(), np.zeros(nodes.shape)
            changed[e] += way
            group.kernels.cable_residual(
                group.element_start, nodes, velocity, 0.0 * nodes, group.cable, changed, residual
            )
            found.append(residual)
        expected += (found[0] - found[1]) / (2.0 * h)  # exact: linear in the activation
    assert_allclose(slopes, expected, atol=1e-9 * np.abs(slopes).max())


def test_law_without_complex_activation_is_refused():
    @dataclass(frozen=True)
    class Stepped(own.Linear):
        def stress(self, stretch, stretch_rate, activation):
            force = self.modulus * (stretch - 1.0)
            return (2.0 * force if activation > 0.5 else force) + self.viscosity * stretch_rate

    one = tissue(Stepped(1e4))
    with pytest.raises(fm.ModelError, match="stress cannot be compiled for a complex activation"):
        activation_kernel(one.layout)
    with pytest.raises(fm.ModelError, match="accepts no complex activation"):
        one.activation_slope(1.1, 0.0, 0.5)


def test_stress_with_curves_is_the_formula_written_out():
    """What the kernels are compared with above."""
    built = tissue(PASSIVE, active=OWN)
    for stretch, rate, activation in ((0.8, -2.0, 1.0), (1.1, 0.0, 0.5), (1.3, 3.0, 0.2)):
        passive = 2e4 * (stretch - stretch**-2) + 3.0 * 1e2 * rate / stretch**2
        curve = np.exp(-(((stretch / 1.1 - 1.0) / 0.4) ** 2)) * np.exp(rate / 6.6)
        found = built.stress(stretch, rate, activation)[0]
        assert_allclose(found, passive + activation * 1e5 * curve, rtol=1e-13)


def test_energy_is_that_of_the_passive_parts():
    ones = [tissue(PASSIVE, prestress=1e3), tissue(PASSIVE, prestress=1e3, active=CAT)]
    systems = [fm.build(hanging(one, activation=1.0)) for one in ones]
    y, v = systems[0].initial_state()
    assert systems[0].energy(1.1 * y, v) == systems[1].energy(1.1 * y, v)


def test_pickle_checkpoint_parameters_and_gpu():
    model = hanging(LAWS["cat"], activation=0.2)
    system = fm.build(model)
    again = pickle.loads(pickle.dumps(system))
    y, v = system.initial_state()
    one, other = (s.evaluate(0.0, y, v, 0.0 * v).residual for s in (system, again))
    assert np.array_equal(one, other)

    taken, options = [], dict(t_end=0.02, dt=0.005)
    whole = fm.simulate(system, **options, checkpoint=taken.append, checkpoint_every=0.0)
    rest = fm.simulate(fm.build(model), **options, resume_from=taken[2])
    assert np.array_equal(rest.fibers["fiber_0"].position, whole.fibers["fiber_0"].position)
    for change in (
        {"force_velocity": fm.HillForceVelocity(0.2, 1.38, 6.7)},
        {"stress": "nominal"},
    ):
        changed = hanging(replace(LAWS["cat"], active=replace(CAT, **change)), activation=0.2)
        with pytest.raises(fm.ModelError, match="the fibers"):
            fm.simulate(fm.build(changed), **options, resume_from=taken[2])

    path = "fiber_0/tissue/active/force_velocity/curvature"
    assert system.parameters[path].value == 0.19
    revised = system.with_parameters({path: 0.3, "fiber_0/tissue/active/max_velocity": 5.0})
    fresh = replace(CAT, max_velocity=5.0, force_velocity=fm.HillForceVelocity(0.3, 1.38, 6.7))
    fresh = fm.build(hanging(replace(LAWS["cat"], active=fresh), activation=0.2))
    one, other = (s.evaluate(0.0, y, v + 0.1, 0.0 * v).residual for s in (revised, fresh))
    assert np.array_equal(one, other)

    with pytest.raises(fm.ModelError, match="tissue.active = 'HillStress'; must be an ActiveStre"):
        refuse_unsupported(model)


def test_stress_that_is_not_finite_is_named():
    system = fm.build(hanging(LAWS["cat"], activation=0.5))
    system.cables.rows.law[0, 2, system.cables.layouts[0].columns["active/max_stress"]] = np.nan
    y, v = system.initial_state()
    found = system.evaluate(0.0, y, v, 0.0 * v)
    assert found.flaw.startswith("the active stress of fiber 'fiber_0'")
