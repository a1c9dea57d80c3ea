"""Contact points that jump from one part of a fold to another, and their freezing."""

import warnings

import numpy as np
import pytest

import fibermsk as fm
from fibermsk.system.contact.search import ContactSearch

RADIUS, BEND = 4e-3, 5e-3
"""Of the fibers, and of the fold, inside which the other fiber lies: 8 mm apart they touch."""


def folded(formulation, friction=None):
    """A fiber with a fold in the plane z = 0, and one along z near the middle of the fold."""

    def fold(s):
        turn = np.pi * np.clip((np.asarray(s) - 0.3) / 0.4, 0.0, 1.0)
        leg = 0.02 * (np.maximum(0.3 - s, 0.0) + np.maximum(s - 0.7, 0.0)) / 0.3
        return np.stack([BEND * np.sin(turn) - leg, -BEND * np.cos(turn), 0.0 * turn], axis=-1)

    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(1e4, 10.0), prestress=1e3)
    model = fm.Model("fold", gravity=(0, 0, 0))
    outer = model.add(fm.Fiber("outer", fold, radius=RADIUS, n_elements=8, tissue=tissue))
    inner = model.add(
        fm.Fiber(
            "inner", lambda s: np.stack([0.0 * s - 1e-3, 0.0 * s, 0.02 * (s - 0.5)], axis=-1),
            radius=RADIUS, n_elements=3, tissue=tissue,
        )
    )  # fmt: skip
    law = fm.PenaltyContact(200.0, 1.5)
    model.add(fm.Contact(inner, outer, law, formulation=formulation, friction=friction))
    return fm.build(model)


def aside(system, y, way):
    """Positions with the inner fiber moved along y [m]."""
    moved, own = y.copy(), system.cables.node_start
    system.split(moved)[0][own[1] : own[2], 1] += way
    return moved


def residual(system, y, v):
    return system.evaluate(0.0, y, v, 0.0 * v, tangent=False).residual


@pytest.mark.parametrize("formulation", ["half_pass", "variational"])
def test_the_force_jumps_until_it_is_frozen(formulation):
    system = folded(formulation)
    y, v = system.initial_state()
    below, above = aside(system, y, -1e-7), aside(system, y, 1e-7)
    jump = np.abs(residual(system, above, v) - residual(system, below, v)).max()
    names = system.freeze(0.0, below, above)
    assert names and all("inner" in name and "outer" in name for name in names)
    frozen = np.abs(residual(system, above, v) - residual(system, below, v)).max()
    assert jump > 1e-2 and frozen < 1e-3 * jump
    system.thaw()
    again = np.abs(residual(system, above, v) - residual(system, below, v)).max()
    assert again == pytest.approx(jump, rel=1e-12)


@pytest.mark.parametrize("formulation", ["half_pass", "variational"])
@pytest.mark.parametrize("friction", [None, fm.Friction(0.3, 0.01)], ids=["smooth", "rough"])
def test_the_tangent_of_frozen_points_is_exact(formulation, friction):
    system = folded(formulation, friction)
    rng = np.random.default_rng(3)
    y, v = system.initial_state()
    v = v + 0.1 * rng.normal(size=v.size) * system.scale
    assert system.freeze(0.0, aside(system, y, -1e-7), aside(system, y, 1e-7))
    y = aside(system, y, 2e-5)
    found = system.evaluate(0.0, y, v, 0.0 * v, 50.0, 0.0)
    d, h = rng.normal(size=v.size) * system.scale, 1e-6
    sides = []
    for s in (h, -h):
        new = system.retract(0.0, y, s * d)
        sides.append(residual(system, new, v + 50.0 * (new - y)))
    slope = (sides[0] - sides[1]) / (2 * h)
    assert np.abs(found.tangent @ d - slope).max() < 1e-7 * np.abs(slope).max()
    system.thaw()


def test_a_way_without_a_jump_freezes_nothing():
    system = folded("half_pass")
    y, v = system.initial_state()
    one = aside(system, y, 1e-3)
    assert system.freeze(0.0, one, aside(system, y, 1e-3 + 1e-6)) == []


def test_new_candidates_freeze_nothing(monkeypatch):
    """Contact points of two searches cannot be compared."""
    system = folded("half_pass")
    y, _ = system.initial_state()
    search = ContactSearch.evaluate

    def anew(self, nodes, state):
        self.release()
        return search(self, nodes, state)

    monkeypatch.setattr(ContactSearch, "evaluate", anew)
    assert system.freeze(0.0, aside(system, y, -1e-7), aside(system, y, 1e-7)) == []


def crossing():
    """A run in which the inner fiber crosses the middle of the fold, and its warnings."""
    system = folded("half_pass")
    y, v = system.initial_state()
    y = aside(system, y, -2e-4)
    own = system.cables.node_start
    system.split(v)[0][own[1] : own[2], 1] = 0.02
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = fm.simulate(
            system, (y, v), t_end=0.02, dt=1e-3, control=fm.FixedSteps(), throw=False
        )
    return result, [str(one.message) for one in told if one.message.kind == "contact_points"]


def test_a_run_names_what_it_froze(monkeypatch):
    """Without freezing it ends where the closest point jumps."""
    result, told = crossing()
    frozen, n = result.stats["frozen_steps"], result.stats["substeps"]
    assert result.status == "success" and frozen > 0
    assert len(told) == 1 and f"in {frozen} of {n} steps" in told[0]
    assert "between fiber 'outer' and fiber 'inner'" in told[0] or "fiber 'inner' and" in told[0]
    monkeypatch.setattr(type(folded("half_pass")), "freeze", lambda *_: [])
    result, told = crossing()
    assert result.status == "failed" and result.time[-1] < 5e-3 and not told


def test_what_was_frozen_survives_a_checkpoint():
    system, shots = folded("half_pass"), []
    y, v = system.initial_state()
    own = system.cables.node_start
    system.split(v)[0][own[1] : own[2], 1] = 0.02
    options = {"t_end": 0.01, "dt": 1e-3, "control": fm.FixedSteps(), "throw": False}
    start = aside(system, y, -2e-4), v
    with pytest.warns(fm.ModelWarning, match="closest point jumps"):
        whole = fm.simulate(system, start, **options, checkpoint=shots.append, checkpoint_every=0.0)
    middle = next(one for one in shots if one.time > 5e-3)
    with pytest.warns(fm.ModelWarning, match="closest point jumps"):
        again = fm.simulate(folded("half_pass"), **options, resume_from=middle)
    assert again.stats["frozen_steps"] == whole.stats["frozen_steps"] > 0
    np.testing.assert_array_equal(
        again.fibers["inner"].position[-1], whole.fibers["inner"].position[-1]
    )
