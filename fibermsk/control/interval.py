"""One interval of a motion, with everything that acts on it, as functions of CasADi.

At a node stand the chart coordinates s, the activations a of the muscles that have one as a state,
the lengths x of their fibers over the optimal ones where the tendon is elastic, and the unknowns g
of paths on nodes; in an interval the excitations e of all muscles and the torques u over their
largest values.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.control.mechanics.directors import SX
from fibermsk.control.muscles.muscle import Acting
from fibermsk.control.objectives import Interval, Objectives
from fibermsk.control.plant import Plant

FIBERS = 0.02, 3.0
"""Range of the lengths of fibers over the optimal one."""

_SHARED = {"cse": True}
"""Expressions that occur twice are computed once."""


class Layout(NamedTuple):
    """Where the numbers of a node, and of an interval, stand."""

    s: slice
    a: slice
    x: slice
    g: slice
    n_node: int
    e: slice
    u: slice
    n_interval: int

    @classmethod
    def of(cls, plant: Plant, excited: bool) -> Layout:
        """Layout of a plant; muscles are at rest if they are not excited."""
        n = plant.tree.degrees
        m_a = sum(one.excited for one in plant.muscles)
        m_x = sum(one.elastic for one in plant.muscles)
        m_e = len(plant.muscles) if excited else 0
        n_u = sum(one.at.stop - one.at.start for one in plant.drives)
        a, x, g = np.cumsum([n, m_a, m_x]).tolist()
        end = g + plant.n_path
        return cls(
            slice(0, n), slice(a, x), slice(x, g), slice(g, end), end, slice(0, m_e),
            slice(m_e, m_e + n_u), m_e + n_u,
        )  # fmt: skip


class Intervals:
    """Functions of one interval of a plant."""

    def __init__(self, plant: Plant, objective: Objectives, excited: bool) -> None:
        self.plant, self.objective, self.excited = plant, objective, excited
        self.layout = Layout.of(plant, excited)

    def _muscles(
        self, z0: SX, z1: SX, c: SX, h: SX, lengths: tuple[SX, SX]
    ) -> tuple[list[Acting], list[tuple[SX, SX]]]:
        """Each muscle over the interval, and its activations at both nodes."""
        at, found, active = self.layout, list[Acting](), list[tuple[SX, SX]]()
        a0, a1, x0, x1, e = z0[at.a], z1[at.a], z0[at.x], z1[at.x], c[at.e]
        k_a = k_x = 0
        for m, muscle in enumerate(self.plant.muscles):
            one = e[m] if self.excited else ca.SX(muscle.given)
            a, x = (one, one), (ca.SX(1), ca.SX(1))
            if muscle.excited:
                a, k_a = (a0[k_a], a1[k_a]), k_a + 1
            if muscle.elastic:
                x, k_x = (x0[k_x], x1[k_x]), k_x + 1
            found.append(muscle.over(lengths[0][m], lengths[1][m], *a, *x, one, h))
            active.append(a)
        return found, active

    @cached_property
    def control_names(self) -> list[str]:
        """Names of the controls of an interval."""
        own = [one.name for one in self.plant.muscles] if self.excited else []
        return own + [label for one in self.plant.drives for label in one.labels]

    @cached_property
    def node_names(self) -> list[tuple[str, str]]:
        """Names and units of the numbers of a node, without unknowns of paths."""
        muscles, (excited, elastic) = self.plant.muscles, self.indices()
        return [
            *((name, "") for name in self.plant.degree_names),
            *((f"activation of {muscles[m].name}", "") for m in excited),
            *((f"fiber length of {muscles[m].name}", "l_0") for m in elastic),
        ]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of coordinates, states and controls."""
        return (*(name for name, _ in self.node_names), *self.control_names)

    @cached_property
    def largest(self) -> Array:
        """Largest values of the controls, (n_controls,); one for excitations."""
        found = np.ones(self.layout.n_interval)
        found[self.layout.u] = [one.largest for one in self.plant.drives for _ in one.labels]
        return found

    def _torque(self, c: SX) -> SX:
        """Forces of the drives on the degrees of freedom."""
        u, found, k = c[self.layout.u], ca.SX.zeros(self.plant.tree.degrees), 0
        for one in self.plant.drives:
            n = one.at.stop - one.at.start
            found[one.at] += one.largest * one.ratio * u[k : k + n]
            k += n
        return found

    @cached_property
    def _parts(self) -> tuple[list[SX], dict[str, SX]]:
        """Symbols of an interval, and all that is computed of them."""
        plant, at = self.plant, self.layout
        z0, z1 = ca.SX.sym("z0", at.n_node), ca.SX.sym("z1", at.n_node)
        (_, R0), (_, R1) = (plant.directors.symbols(mark) for mark in "01")
        c, h = ca.SX.sym("c", at.n_interval), ca.SX.sym("h")
        l0, arms0 = plant.geometry(z0[at.s], R0, z0[at.g])
        l1, arms1 = plant.geometry(z1[at.s], R1, z1[at.g])
        acting, active = self._muscles(z0, z1, c, h, (l0, l1))
        f0 = f1 = self._torque(c)
        for m, one in enumerate(acting):
            f0, f1 = f0 - one.force * arms0[:, m], f1 - one.force * arms1[:, m]
        before, after = plant.discrete.interval(z0[at.s], R0, z1[at.s], R1, f0, f1, h)
        u, stretches = c[at.u], ca.vertsplit(l1 - l0) if acting else []
        turns = {name: own.start for name, own in plant.degrees.items() if name not in plant.balls}
        view = Interval(
            h, ca.vertsplit(c[at.e]) if at.e.stop else [], ca.vertsplit(u) if u.numel() else [],
            active, [one.force for one in acting], stretches,
            {name: (z0[k], z1[k]) for name, k in turns.items()}, (ca.SX(), ca.SX()),
        )  # fmt: skip
        d0, d1 = (ca.SX.sym(name, self.objective.columns) for name in ("d0", "d1"))
        slots = self.objective.slots()
        terms = [
            term.over(view._replace(data=(d0[own], d1[own])))
            for own, (_, term) in zip(slots, self.objective.terms, strict=True)
        ]
        rules = [
            *(one.activation for one, m in zip(acting, plant.muscles, strict=True) if m.excited),
            *(one.tendon for one, m in zip(acting, plant.muscles, strict=True) if m.elastic),
        ]
        weights = [weight for weight, _ in self.objective.terms]
        found = {
            "before": before, "after": after, "rules": ca.vertcat(*rules),
            "value": sum((w * one for w, one in zip(weights, terms, strict=True)), ca.SX(0)),
            "terms": ca.vertcat(*terms), "forces": ca.vertcat(*(one.force for one in acting)),
        }  # fmt: skip
        return [z0, R0, z1, R1, c, h, d0, d1], found

    @cached_property
    def step(self) -> Any:
        """Momenta at both ends, and what the rules leave."""
        given, found = self._parts
        names = "before", "after", "rules"
        return ca.Function("interval", given[:-2], [found[one] for one in names], _SHARED)

    @cached_property
    def value(self) -> Any:
        """Value of the objective, of the same and its data at both nodes."""
        given, found = self._parts
        return ca.Function("value", given, [found["value"]], _SHARED)

    @cached_property
    def forces(self) -> Any:
        """Forces of the muscles [N], of the same as `step`."""
        given, found = self._parts
        return ca.Function("forces", given[:-2], [found["forces"]], _SHARED)

    @cached_property
    def observed(self) -> Any:
        """Terms of the objective, and forces of the muscles [N]; of the same as its value."""
        given, found = self._parts
        return ca.Function("observed", given, [found["terms"], found["forces"]])

    @cached_property
    def balance(self) -> Any:
        """Forces on a node at rest (degrees,), and what its tendons leave, of s, R, a (m,), x, g.

        Without those that are chosen; a of all muscles.
        """
        plant, at = self.plant, self.layout
        own, m = plant.directors, len(plant.muscles)
        s, R = own.symbols()
        a, x = ca.SX.sym("a", m), ca.SX.sym("x", at.x.stop - at.x.start)
        g = ca.SX.sym("g", plant.n_path)
        lengths, arms = plant.geometry(s, R, g)
        # momenta before and after a node that stays: their difference over h is the force
        no, h = ca.SX.zeros(plant.tree.degrees), 1.0
        before, after = plant.discrete.interval(s, R, s, R, no, no, h)
        force, k, left = (after - before) / h, 0, list[SX]()
        for i, muscle in enumerate(plant.muscles):
            own_x = ca.SX(1)
            if muscle.elastic:
                own_x, k = x[k], k + 1
                left.append(muscle.imbalance(lengths[i], a[i], own_x))
            force -= muscle.force_at(lengths[i], a[i], own_x) * arms[:, i]
        return ca.Function("balance", [s, R, a, x, g], [force, ca.vertcat(*left)])

    def indices(self) -> tuple[Index, Index]:
        """Muscles whose activation, and the length of whose fibers, is a state."""
        own = self.plant.muscles
        return (
            np.flatnonzero([one.excited for one in own]),
            np.flatnonzero([one.elastic for one in own]),
        )
