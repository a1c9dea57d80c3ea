"""The tangent of a coupled model agrees with central differences of its residual.

Two bodies on two hinges with different axes; a graded fiber with muscle and tendon across both and
a second fiber beside it, in contact with each other and with a capsule and an infinite cylinder on
the moving bodies. The state is bent and moving. The independent answer is the central difference of
the residual. Its error is the square of the step (2e-7 of each unknown's scale) times the third
derivative, plus the round-off divided by the step; with contact about 1e-8 of the largest entry.

- `half_pass`, `variational`: largest error of the tangent times random directions, relative to the
  largest entry, for the two contact formulations, with the rates of backward Euler (1/h = 50/s).
- `rates`: the same with pair potentials, where the accelerations of the ends are computed from the
  coordinates, as in one-step methods, instead of differences.
- `static`: the same without rates.
- `asymmetry`: of the static tangent with pair potentials and without viscosity, relative to its
  largest entry. The second derivative of an energy is symmetric, so that only round-off remains.
- `remainder_order`: the remainder of the linear approximation decreases with the square of the
  increment: order 2.
"""

from __future__ import annotations

import numpy as np

import fibermsk as fm
from fibermsk.verify import Expected

STEP = 2e-7


def add_bones(
    model: fm.Model, cylinder: float = 0.021, damping: float = 0.0
) -> tuple[fm.Body, fm.Body]:
    """Two bodies with mass and shapes, on hinges about different axes.

    Parameters
    ----------
    model : fm.Model
        Receives them.
    cylinder : float
        Radius of the infinite cylinder at the second hinge [m].
    damping : float
        Of the second hinge [N m s/rad].
    """
    upper = fm.Body(
        "upper",
        mass=1.2,
        com=(0.01, 0.0, -0.12),
        inertia=(0.01, 0.012, 0.003),
        shapes=fm.Capsule((0, 0, 0), (0, 0, -0.25), 0.02),
    )
    lower = fm.Body(
        "lower",
        mass=0.8,
        com=(0.0, 0.01, -0.1),
        inertia=(0.006, 0.007, 0.002),
        shapes=(
            fm.Capsule((0, 0, 0), (0, 0, -0.2), 0.018),
            fm.InfiniteCylinder((0, 0, 0), (0.1, 1, 0), cylinder),
        ),
    )
    at, below = (0, 0, 0.1), (0, 0, -0.25)
    model.add(upper, lower)
    model.add(
        fm.Hinge("shoulder", model.ground, upper, at=at, axis=(0.1, 1, 0.2), damping=0.1),
        fm.Hinge("elbow", upper, lower, at=below, axis=(1, 0.3, 0), damping=damping, value=0.2),
    )
    return upper, lower


def tissue(viscosity: float) -> fm.Tissue:
    """Muscle and tendon with all parts of the stress, and bending."""
    return fm.Tissue(
        density=1000.0,
        muscle=fm.KelvinVoigt(2e4, viscosity),
        tendon=fm.KelvinVoigt(2e5, 2.0 * viscosity),
        active=fm.ActiveStress(1e5, optimal_stretch=1.1),
        prestress=2e4,
        bending=0.8,
    )


def model(formulation: str, elements: int, viscosity: float) -> fm.Model:
    """Two hinges, two fibers, all kinds of contact."""
    result = fm.Model("tangent", gravity=(0.3, -0.2, -9.81))
    upper, lower = add_bones(result)
    for i, y in enumerate((-0.0048, 0.0048)):
        result.add(
            fm.Fiber(
                f"fiber_{i}",
                attach=(result.ground.at(0.027, y, 0.12), lower.at(0.024, y, -0.08)),
                radius=lambda s: 0.005 + 0.004 * s * (1.0 - s),
                muscle_fraction=lambda s: 4.0 * s * (1.0 - s),
                n_elements=elements,
                nodes=np.linspace(0.0, 1.0, elements + 1) ** 1.2,
                tissue=tissue(viscosity),
                activation=0.3,
            )
        )
    law = fm.PenaltyContact(stiffness=400.0, limit=3.0)
    result.add(
        fm.Contact(result.fibers, result.fibers, law, formulation=formulation),
        fm.Contact(result.fibers, [upper, lower], law, formulation=formulation),
    )
    return result


class _Probe:
    """A bent, moving state and the residual around it as a function of the unknowns."""

    def __init__(
        self,
        formulation: str,
        elements: int,
        rate: float,
        viscosity: float = 300.0,
        rates: bool = False,
    ):
        rng = np.random.default_rng(7)
        self.system = system = fm.build(model(formulation, elements, viscosity))
        self.rate, self.rates = rate, rates
        y, _ = system.initial_state()
        self.free = np.ones(system.n)
        for node in system.cables.attached_nodes:
            self.free[6 * node : 6 * node + 3] = 0.0
        self.y = system.retract(0.0, y, 1e-3 * rng.normal(size=system.n) * system.scale * self.free)
        moving = 0.3 if rate else 0.0
        self.v = system.enforce(self.y, moving * rng.normal(size=system.n))
        self.a = 10.0 * moving * rng.normal(size=system.n)
        self.rng = rng
        if rates:
            self.a = system.enforce_rate(self.y, self.v, self.a)
        self.evaluation = system.evaluate(0.1, self.y, self.v, self.a, rate, rate, rates=rates)
        if min(system.contact.n_closed()) < 4:
            raise fm.ConvergenceError("the probe is not in contact")

    def residual(self, direction):
        """Residual after an increment of the unknowns."""
        system = self.system
        y = system.retract(0.1, self.y, direction)
        v = system.enforce(y, self.v + self.rate * (y - self.y))
        a = self.a + self.rate * (v - self.v)
        if self.rates:
            a = system.enforce_rate(y, v, a)
        return system.evaluate(0.1, y, v, a, tangent=False).residual

    def slope(self, direction):
        """Tangent times an increment."""
        t = self.evaluation.tangent
        n = t.B.shape[0]
        inner, border = direction[:n], direction[n:]
        product = np.r_[t.A @ inner + t.B @ border, t.R @ inner + t.D @ border]
        return product * self.free

    def direction(self):
        """A random increment of the independent unknowns."""
        return self.rng.normal(size=self.system.n) * self.system.scale * self.free

    def error(self, n_directions: int = 4) -> float:
        """Largest error relative to the largest product, for fibers and joints separately."""
        worst = 0.0
        for _ in range(n_directions):
            d = self.direction()
            quotient = (self.residual(STEP * d) - self.residual(-STEP * d)) / (2.0 * STEP)
            difference = np.abs(self.slope(d) - quotient)
            for part in (slice(0, -2), slice(-2, None)):
                worst = max(worst, difference[part].max() / np.abs(quotient[part]).max())
        return float(worst)


def run(elements: int = 4) -> dict[str, float]:
    """Errors of the tangent."""
    moving = _Probe("variational", elements, 50.0)
    still = _Probe("variational", elements, 0.0, viscosity=0.0)
    matrix = still.evaluation.tangent
    full = np.block([[matrix.A.tocsc().toarray(), matrix.B], [matrix.R, matrix.D]])
    d = 1e-3 * moving.direction()
    steps = 2.0 ** -np.arange(8, 14)
    rest = [
        np.linalg.norm(moving.residual(h * d) - moving.evaluation.residual - h * moving.slope(d))
        for h in steps
    ]
    return {
        "half_pass": _Probe("half_pass", elements, 50.0).error(),
        "variational": moving.error(),
        "rates": _Probe("variational", elements, 50.0, rates=True).error(),
        "static": still.error(),
        "asymmetry": float(np.abs(full - full.T).max() / np.abs(full).max()),
        "remainder_order": float(np.polyfit(np.log(steps), np.log(rest), 1)[0]),
    }


def expected(elements: int = 4) -> dict[str, Expected]:
    """No error except that of the difference quotient."""
    quotient = "truncation and round-off of the quotient; relative to the largest entry"
    tangent = {"kind": "consistency", "source": "central differences of the residual"}
    return {
        "half_pass": Expected(0.0, 1e-7, quotient, **tangent),
        "variational": Expected(0.0, 1e-7, quotient, **tangent),
        "rates": Expected(0.0, 1e-7, quotient, **tangent),
        "static": Expected(0.0, 1e-7, quotient, **tangent),
        "asymmetry": Expected(
            0.0,
            1e-12,
            "round-off; relative to the largest entry",
            kind="consistency",
            source="second derivative of an energy",
        ),
        "remainder_order": Expected(
            2.0,
            0.05,
            "third-order terms at the largest step",
            kind="order",
            source="remainder of Taylor's theorem",
        ),
    }
