"""Work of active muscle: a lifted weight gains what its stress does over its shortening."""

import numpy as np
import pytest

import fibermsk as fm

RADIUS, LENGTH, STRESS = 2e-3, 0.1, 3e5
AREA = np.pi * RADIUS**2


class Energies:
    """Observer that keeps the time and the energy of every accepted step."""

    name = "energies"

    def start(self, now):
        self.found = [self._at(now)]

    def step(self, memory, now):
        self.found.append(self._at(now))

    def finish(self, memory, now):
        pass

    def _at(self, now):
        return now.t, now.system.energy(now.state.y, now.state.v).total


def lift(stress, viscosity, activation):
    """A weight of a quarter of the isometric force on one fiber, at first in equilibrium."""
    model = fm.Model("lift")
    bob = model.add(fm.Body("bob", 0.25 * STRESS * AREA / 9.81, (0, 0, 0), (1e-5,) * 3))
    model.add(fm.Slider("z", model.ground, bob, (0, 0, -LENGTH), axis=(0, 0, 1)))
    tissue = fm.Tissue(
        1060.0,
        fm.KelvinVoigt(2e5, viscosity),
        active=fm.HillStress(STRESS, 1.1, 4.0, stress=stress),
    )
    model.add(
        fm.Fiber("f", attach=(model.ground.at(0, 0, 0), bob.at(0, 0, 0)), radius=RADIUS,
                 n_elements=3, tissue=tissue, activation=activation)
    )  # fmt: skip
    return fm.build(model)


@pytest.mark.parametrize(
    "stress, method",
    [("nominal", fm.SDIRK2()), ("cauchy", fm.SDIRK2()), ("nominal", fm.BackwardEuler())],
)
def test_energy_gained_is_active_work_less_viscous_loss(stress, method):
    system = lift(stress, 5e2, fm.Ramp(0.0, 0.05, 1.0))
    kept = Energies()
    start = fm.equilibrium(system)
    run = fm.simulate(
        system, start, t_end=0.15, dt=6e-4, method=method, control=fm.FixedSteps(),
        observers=(kept,),
    )  # fmt: skip
    t, energy = np.array(kept.found).T
    assert np.array_equal(t, run.time)
    fiber, tissue = run.fibers["f"], system.model.fibers[0].tissue
    rate = np.gradient(fiber.stretch, run.time, axis=0)
    active, loss = np.empty((2, *rate.shape))
    for i, k in np.ndindex(rate.shape):
        x, v, a = float(fiber.stretch[i, k]), float(rate[i, k]), float(fiber.activation[i])
        whole = tissue.stress(x, v, a)[0]
        active[i, k] = whole - tissue.stress(x, v, 0.0)[0]
        loss[i, k] = (tissue.stress(x, v, 0.0)[0] - tissue.stress(x, 0.0, 0.0)[0]) * v
    weights = np.tile([5 / 18, 8 / 18, 5 / 18], 3) / 3 * AREA * LENGTH
    done, lost = (
        np.r_[0.0, np.cumsum(0.5 * (p[1:] + p[:-1]) * np.diff(run.time))]
        for p in (-(active * rate) @ weights, loss @ weights)
    )
    gain = energy - energy[0]
    scale = done.max()
    assert scale > 0.01 * STRESS * AREA * LENGTH and lost[-1] > 0.01 * scale
    # the numbers of the frames have differences and trapezoids: 1e-4 of the work
    assert (gain <= done + 1e-3 * scale).all()
    error = np.abs(gain - (done - lost)).max() / scale
    assert error < (1e-3 if method.order == 2 else 2e-2)
    # force-velocity only weakens shortening muscle: never above the isometric stress
    largest = 1.0 if stress == "nominal" else 1.0 / fiber.stretch.min()
    shortening = float((fiber.stretch[0] - fiber.stretch.min(axis=0)) @ weights)
    assert done.max() <= largest * STRESS * shortening
