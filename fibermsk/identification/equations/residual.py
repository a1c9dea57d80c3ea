"""Residuals of the equations of motion along recorded movements, with exact Jacobians.

With R and f of the muscles with EMG, and N of those without (see `.geometry`),

    rho = N^T (R^T f - tau),    tau = Y pi + tau_known.

"torque" is rho itself [N m]. It becomes smaller if all forces and inertias do, and so noise of EMG
pulls them down; "normalized" is rho b(guess) / b, with b the base parameter that matters most at
the guess, which noise of EMG does not pull, and noise of torques pulls up.
"acceleration" is the part of the accelerations of all coordinates that muscles without EMG cannot
give, of which with x = R^T f - tau, orthonormal coordinates T of the accelerations and the mass
matrix M it is the component along B = T^-T M N:

    d = B (B^T B)^-1 rho,

over the deviation of d at the guess, times that of rho there: all residuals are in N m.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.identification.equations.movement import Movement
from fibermsk.identification.unknowns import Numbers, Unknowns, unstable
from fibermsk.kernels.identification.emg import activation_of_emg
from fibermsk.kernels.identification.fibers import Muscles, muscle_forces

LOSSES = ("normalized", "torque", "acceleration")


class Forces(NamedTuple):
    """Muscles along a movement.

    Attributes
    ----------
    activation : (k, m) float array
        Activations.
    force : (k, m) float array
        Forces along the tendons [N].
    own, common : (k, m, 5) float array
        Derivatives of the forces in the numbers of each muscle, and in the common ones.
    """

    activation: Array
    force: Array
    own: Array
    common: Array


class _Equations(NamedTuple):
    """Equations G f - Y pi - known of a movement: (k, c, m), (k, c, b) and (k, c)."""

    G: Array
    Y: Array
    known: Array


class Residual:
    """Rows of all movements as a function of the unknowns.

    Parameters
    ----------
    movements : sequence of Movement
        The movements.
    muscles : Muscles
        What is known of the muscles with EMG.
    unknowns : Unknowns
        The unknowns.
    loss : {"normalized", "torque", "acceleration"}
        Kind of residual.
    smooth_delay : bool
        Whether a delay between samples is by cubics; else by lines.
    coordinates : (n, n) float array
        T, for "acceleration".
    """

    def __init__(
        self, movements: Sequence[Movement], muscles: Muscles, unknowns: Unknowns, loss: str,
        smooth_delay: bool = True, coordinates: Array | None = None,
    ) -> None:  # fmt: skip
        self.movements, self.muscles, self.unknowns = tuple(movements), muscles, unknowns
        self.loss, self._smooth, self._T = loss, smooth_delay, coordinates
        self._equations = [_left(one) for one in self.movements]
        guess = unknowns.at(unknowns.guess)
        # known inertias fix the scale
        self._scaled = loss == "normalized" and guess.base.size > 0
        self.pivot = self._leading(guess) if self._scaled else -1
        self._first = guess.base[self.pivot] if self._scaled else 1.0
        self._torque = 1.0
        if loss == "acceleration":
            several = range(len(self.movements))
            d = np.concatenate([self._accelerations(k, guess)[0] for k in several])
            rho = np.concatenate([self._left_over(k, guess)[0] for k in several])
            variance = ((d - d.mean(axis=0)) ** 2).sum(axis=1).mean()
            if variance > 0.0:
                self._torque = float(np.sqrt((rho**2).mean() / variance))

    def forces(self, movement: Movement, numbers: Numbers) -> Forces:
        """Activations and forces along a movement, with derivatives."""
        K, m = movement.emg.values.shape
        a, by = np.empty((K, m)), np.empty((K, m, 5))
        emg = movement.emg
        activation_of_emg(emg.values, emg.interval, numbers.common, self._smooth, a, by)
        k = movement.length.shape[0]
        part = slice(movement.first, movement.first + k)
        a, by = a[part], by[part]
        f, own, common = np.empty(a.shape), np.empty(by.shape), np.empty(by.shape)
        muscle_forces(
            self.muscles, numbers.muscles, emg.interval, movement.length, movement.rate, a, by, f,
            own, common,
        )  # fmt: skip
        used = slice(k - movement.time.size, None)
        return Forces(a[used], f[used], own[used], common[used])

    def torques(self, movement: Movement, numbers: Numbers, own: Forces) -> Array:
        """Imbalance R^T f - tau (k, n) of the forces of muscles with EMG."""
        x = np.einsum("kmn,km->kn", movement.arms, own.force)
        return x - movement.derivatives @ numbers.base - movement.known

    def _left_over(self, k: int, numbers: Numbers) -> tuple[Array, Array]:
        """rho (k, c) of a movement, and its derivatives (k, c, all)."""
        own, (G, Y, known) = self.forces(self.movements[k], numbers), self._equations[k]
        rho = (G @ own.force[..., None])[..., 0] - Y @ numbers.base - known
        (n, c, m), b = G.shape, numbers.base.size
        J = np.empty((n, c, 5 * m + b + 5))
        J[:, :, : 5 * m] = (G[..., None] * own.own[:, None]).reshape(n, c, 5 * m)
        J[:, :, 5 * m : -5] = -Y
        J[:, :, -5:] = G @ own.common
        return rho, J

    @property
    def sizes(self) -> list[int]:
        """Number of rows of each movement."""
        accelerations = self.loss == "acceleration"
        return [
            one.time.size * one.reach.left.shape[1 if accelerations else 2]
            for one in self.movements
        ]

    def rows(self, z: Array) -> tuple[Array, Array]:
        """Residuals (r,) and their Jacobian (r, u); infinite where a filter is unstable."""
        numbers, C = self.unknowns.at(z), self.unknowns.map
        parts = [self._rows(k, numbers) for k in range(len(self.movements))]
        r = np.concatenate([one.ravel() for one, _ in parts])
        J = np.concatenate([one.reshape(-1, C.shape[0]) for _, one in parts]) @ C
        if unstable(numbers.common) or not np.isfinite(r).all():
            r = np.full_like(r, np.inf)
        return r, J

    def _rows(self, k: int, numbers: Numbers) -> tuple[Array, Array]:
        if self.loss == "acceleration":
            d, J = self._accelerations(k, numbers)
            return self._torque * d, self._torque * J
        rho, J = self._left_over(k, numbers)
        if self._scaled:
            now = numbers.base[self.pivot]
            share = self._first / now
            J *= share
            J[:, :, 5 * numbers.muscles.shape[0] + self.pivot] -= share / now * rho
            rho = share * rho
        return rho, J

    def _accelerations(self, k: int, numbers: Numbers) -> tuple[Array, Array]:
        """Accelerations d (k, n) that no muscle without EMG can give, and their derivatives."""
        movement = self.movements[k]
        mass, known = movement.mass, movement.known_mass
        if mass is None or known is None or self._T is None:
            raise ValueError("movements must have mass matrices for the loss of accelerations")
        rho, J = self._left_over(k, numbers)
        N = movement.reach.left
        inverse = np.linalg.inv(self._T).T
        B = inverse @ (known + mass @ numbers.base) @ N
        G = np.linalg.inv(B.transpose(0, 2, 1) @ B)
        w = (G @ rho[..., None])[..., 0]
        d = (B @ w[..., None])[..., 0]
        D = B @ G @ J
        # through B: B' w - B G (B'^T B + B^T B') w
        B_base = np.einsum("ij,kjlb,klc->kicb", inverse, mass, N)
        at = slice(5 * numbers.muscles.shape[0], -5)
        turned = np.einsum("kicb,kc->kib", B_base, w)
        inner = np.einsum("kicb,ki->kcb", B_base, d) + B.transpose(0, 2, 1) @ turned
        D[:, :, at] += turned - B @ (G @ inner)
        return d, D

    def _leading(self, guess: Numbers) -> int:
        """Base parameter whose share of rho is the largest."""
        shares = np.zeros(guess.base.size)
        for _, Y, _ in self._equations:
            shares += ((Y * guess.base) ** 2).sum(axis=(0, 1))
        return int(shares.argmax())


def _left(movement: Movement) -> _Equations:
    """Equations of a movement that muscles without EMG leave."""
    N = movement.reach.left.transpose(0, 2, 1)
    return _Equations(
        N @ movement.arms.transpose(0, 2, 1), N @ movement.derivatives,
        (N @ movement.known[..., None])[..., 0],
    )  # fmt: skip
