"""Discrete geodesics: nodes on a surface as unknowns, to reproduce penner.

With nodes gamma_0 ... gamma_K on the surface phi = 0, Lambda = sqrt(K sum |gamma_k+1 - gamma_k|^2)
and straight lines from the origin O to gamma_0 and from gamma_K to the insertion I, the length is
|gamma_0 - O| + Lambda + |I - gamma_K|. Inner nodes obey

    (K / Lambda) (2 gamma_k - gamma_k-1 - gamma_k+1) - mu_k grad phi = 0,    phi = 0,

and at both ends the line with direction e touches the surface, with normal n, and goes on along it:
phi = 0, n.e = 0, (n x e).(difference of the two nodes there) = 0. Moment arms are those of both
lines with the nodes fixed to the surface. All lengths are over the radius of the surface. Lambda is
an unknown too, so that each equation has few. Source: `optimal_control.md`, section 4, closure B.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from fibermsk._arrays import Array
from fibermsk.control.mechanics.directors import SX, Directors
from fibermsk.control.muscles.exact import ExactPath, norm
from fibermsk.model import LineMuscle

_LEAST = 0.02
"""Least angle of an arc of a guess [rad]."""


class DiscretePath(ExactPath):
    """Path of one muscle, with K intervals around its surface; see `ExactPath`.

    Attributes
    ----------
    n : int
        Number of its unknowns: 3 (K + 1) coordinates of nodes, K - 1 multipliers, and Lambda.
    """

    def __init__(self, own: Directors, muscle: LineMuscle, q: Array, nodes: int) -> None:
        super().__init__(own, muscle, q)
        self._K = nodes
        self.n = 0 if self.surface is None else 4 * nodes + 3
        self.word = f"with {nodes + 1} nodes around their surface"

    def length(self, q: SX, g: SX) -> SX:
        """Length [m] at director coordinates q."""
        if self.surface is None:
            return super().length(q, g)
        x, _, arc = self._unpacked(g)
        o, i = self.ends(q)
        around = norm(x[:, 0] - o) + arc + norm(i - x[:, self._K])
        return self.straights(q, self._after) + self.surface.radius * around

    def equations(self, q: SX, g: SX) -> SX:
        """What the unknowns must make zero, (n,)."""
        if self.surface is None:
            return super().equations(q, g)
        x, mu, arc = self._unpacked(g)
        o, i = self.ends(q)
        stiff, rows = self._K / arc, [arc**2 - self._K * ca.sumsqr(x[:, 1:] - x[:, :-1])]
        for k in range(1, self._K):
            pull = stiff * (2.0 * x[:, k] - x[:, k - 1] - x[:, k + 1])
            rows += [pull - mu[k - 1] * self._normal(x[:, k]), self._level(x[:, k])]
        for end, line, along in (
            (x[:, 0], o - x[:, 0], x[:, 1] - x[:, 0]),
            (x[:, self._K], i - x[:, self._K], x[:, self._K] - x[:, self._K - 1]),
        ):
            n, e = self._normal(end), line / norm(line)
            rows += [self._level(end), ca.dot(n, e), ca.dot(ca.cross(n, e), along)]
        return ca.vertcat(*rows)

    def guess(self, q: Array) -> Array:
        """Nodes on the exact path at director coordinates q, and their multipliers."""
        if self.surface is None:
            return super().guess(q)
        o, i = (np.array(ca.evalf(one)).ravel() for one in self.ends(ca.DM(q)))
        share = np.linspace(0.0, 1.0, self._K + 1)[:, None]
        phi = max(float(ca.evalf(self.touching(ca.DM(q)))), _LEAST)
        if self.surface.side == 0:
            u = o / np.linalg.norm(o)
            w = i - (i @ u) * u
            w /= np.linalg.norm(w)
            angle = np.arctan(np.sqrt(o @ o - 1.0)) + share * phi
            x = np.cos(angle) * u + np.sin(angle) * w
        else:
            side = self.surface.side
            a, b = (np.sqrt(one[:2] @ one[:2] - 1.0) for one in (o, i))
            begin = np.arctan2(o[1], o[0]) + side * np.arctan(a)
            angle = begin + side * phi * share
            z = o[2] + (i[2] - o[2]) * (a + phi * share) / (a + phi + b)
            x = np.hstack([np.cos(angle), np.sin(angle), z])
        steps = np.diff(x, axis=0)
        arc = np.sqrt(self._K * np.sum(steps**2))
        normals = np.array(self._normal(ca.DM(x.T))).T[1:-1]
        mu = -self._K / arc * np.sum(np.diff(steps, axis=0) * normals, axis=1)
        return np.concatenate([x.ravel(), mu, [arc]])

    def lifted(self, g: Array) -> bool:
        """Whether a node pulls at the surface in place of pressing."""
        return self.n > 0 and bool((g[3 * (self._K + 1) : -1] <= 0.0).any())

    def _unpacked(self, g: SX) -> tuple[SX, SX, SX]:
        """Nodes (3, K + 1), multipliers (K - 1,) and Lambda."""
        split = 3 * (self._K + 1)
        return ca.reshape(g[:split], 3, self._K + 1), g[split:-1], g[-1]

    def _normal(self, x: Any) -> Any:
        """Gradient of phi at points (3, k) of the surface."""
        assert self.surface is not None
        return x if self.surface.side == 0 else ca.vertcat(x[:2, :], 0.0 * x[2, :])

    def _level(self, x: SX) -> SX:
        """Phi at a point."""
        return 0.5 * (ca.sumsqr(self._normal(x)) - 1.0)
