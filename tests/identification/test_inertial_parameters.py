"""Forces are linear in inertial parameters; base parameters are all that they depend on."""

import os
from pathlib import Path

import numpy as np
import pytest

import fibermsk as fm
from fibermsk.identification.equations.inertia import Regressor, base_of, parameters_of

FILE = (
    Path(os.environ.get("FIBERMSK_MODELS", "../shared/models"))
    / "MoBL-ARMS_noncommercial/MOBL_ARMS_41.osim"
)


def chain():
    """Two links on hinges about z, with damping and a light body that is known."""
    model = fm.Model("chain", gravity=(0.0, -9.81, 0.0))
    upper = model.add(fm.Body("upper", 1.2, (0.02, -0.15, 0.01), (5e-3, 1e-3, 5e-3)))
    lower = model.add(fm.Body("lower", 0.8, (0.01, -0.12, -0.02), (4e-3, 1e-3, 4e-3)))
    hand = model.add(fm.Body("hand", 0.3, (0, -0.05, 0), (4e-4, 1e-4, 4e-4)))
    model.add(
        fm.Hinge("shoulder", model.ground, upper, (0, 0, 0), (0, 0, 1)),
        fm.Hinge("elbow", upper, lower, (0, -0.3, 0), (0, 0, 1), damping=0.1),
        fm.Weld(lower, hand, (0, -0.25, 0)),
    )
    return model


def states(rng, n, k=60):
    return rng.normal(size=(3, k, n))


def regressor(model, names):
    own = fm.skeleton(model)
    return own, Regressor(own, [model.body(name) for name in names])


def test_forces_are_those_of_inverse_dynamics(rng):
    model = chain()
    skeleton, found = regressor(model, ("upper", "lower"))
    motion = states(rng, skeleton.n)
    Y, known = found.at(*motion)
    expected = [skeleton.inverse_dynamics(*one) for one in zip(*motion, strict=True)]
    np.testing.assert_allclose(Y @ found.values + known, expected, atol=1e-12)
    # with other bodies, of which nothing is left in what is known
    heavy = {"mass": 2.0, "com": (0.03, -0.2, 0.02), "inertia": (8e-3, 2e-3, 7e-3)}
    other = model.edit({model.body("lower"): heavy})
    values = np.concatenate([parameters_of(other.body(name)) for name in ("upper", "lower")])
    own = fm.skeleton(other)
    expected = [own.inverse_dynamics(*one) for one in zip(*motion, strict=True)]
    np.testing.assert_allclose(Y @ values + known, expected, atol=1e-12)


def test_a_plane_chain_has_its_six_base_parameters(rng):
    """ZZ1 + m2 L^2, MX1, MY1 + m2 (-L), ZZ2, MX2 and MY2, in the frames of the links."""
    skeleton, found = regressor(chain(), ("upper", "lower"))
    Y, _ = found.at(*states(rng, skeleton.n))
    base = base_of(Y.reshape(-1, 20))
    names = [found.names[k] for k in base.independent]
    assert names == ["upper/mx", "upper/my", "upper/Izz", "lower/mx", "lower/my", "lower/Izz"]
    mass, length = found.values[10], 0.3
    my, zz = (base.of(found.values)[names.index(f"upper/{one}")] for one in ("my", "Izz"))
    assert my == pytest.approx(found.values[2] - mass * length, rel=1e-12)
    assert zz == pytest.approx(found.values[6] + mass * length**2, rel=1e-12)


def test_equal_base_parameters_give_equal_forces(rng):
    skeleton, found = regressor(chain(), ("upper", "lower"))
    motion = states(rng, skeleton.n)
    Y, _ = found.at(*motion)
    base, values = base_of(Y.reshape(-1, 20)), found.values.copy()
    values[base.dependent] += rng.normal(size=base.dependent.size)
    values[base.independent] += base.of(found.values) - base.of(values)
    np.testing.assert_allclose(base.of(values), base.of(found.values), atol=1e-12)
    np.testing.assert_allclose(Y @ values, Y @ found.values, atol=1e-10)


def test_a_body_that_no_joint_moves_is_refused():
    model = chain()
    plate = model.add(fm.Body("plate", 1.0, (0, 0, 0), (1e-2, 1e-2, 1e-2)))
    model.add(fm.Weld(model.ground, plate))
    with pytest.raises(fm.ModelError, match="body = 'plate'; must be moved by a joint"):
        regressor(model, ("plate",))


@pytest.mark.skipif(not FILE.exists(), reason="needs the file of MoBL-ARMS")
def test_the_arm_has_24_base_parameters(rng):
    with pytest.warns(fm.ModelWarning, match="clavphant, scapphant, humphant, humphant1 were"):
        arm = fm.mobl_arm(FILE)
    bones = "humerus", "ulna", "radius"
    skeleton, found = regressor(arm, bones)
    assert len(arm.muscles) == 16 and skeleton.n == 5
    M = np.diag(skeleton.mass_matrix([0.9, 1.0, 0.2, 0.9, 0.1]))
    np.testing.assert_allclose(M[:2], [0.20, 0.41], atol=0.005)
    Y, _ = found.at(*states(rng, 5, 300))
    for rows in (Y, Y[:, :3]):  # those of the shoulder alone have as many
        base = base_of(rows.reshape(-1, 30))
        assert base.independent.size == 24
        assert base.singular[23] > 1e-3 and base.singular[24] < 1e-13
    lumped = [found.names[k] for k in base_of(Y.reshape(-1, 30)).dependent]
    assert lumped == ["ulna/m", "ulna/mz", "ulna/Iyy", "radius/m", "radius/my", "radius/Ixx"]
