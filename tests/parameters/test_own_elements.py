"""Elements of a user's own keep to the bodies of the model whose parameters change."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from parameter_models import limb

import fibermsk as fm

LENGTH = 0.4


class Cord(NamedTuple):
    """A spring between two points, as a NamedTuple."""

    name: str
    ends: tuple
    stiffness: float

    coordinates, signals = (), ()

    @property
    def bodies(self):
        return tuple(end.body for end in self.ends)

    def contribute(self, configuration):
        stiffness = self.stiffness * self.bodies[1].mass
        spring = fm.PointSpring(self.name, *self.ends, stiffness=stiffness, rest_length=LENGTH)
        return spring.contribute(configuration)


def bob(mass=1.0, stiffness=200.0):
    """A body on a slider, below a cord whose stiffness is per mass of the body."""
    model = fm.Model("bob", gravity=(0, 0, -10.0))
    body = model.add(fm.Body("bob", mass=mass, inertia=(1e-3, 1e-3, 1e-3)))
    model.add(fm.Slider("z", model.ground, body, (0, 0, 0), axis=(0, 0, 1)))
    model.add(Cord("cord", (model.ground.at(0, 0, 0.5), body.at(0, 0, 0)), stiffness))
    return model


def residual(system):
    y, v = system.initial_state()
    return system.evaluate(0.0, y + 0.01, v, v, 1.0, 1.0).residual


@pytest.mark.parametrize("path, name", [("bob/mass", "mass"), ("cord/stiffness", "stiffness")])
def test_named_tuple_follows_and_has_its_numbers_by_name(path, name):
    model = bob()
    system = fm.build(model)
    other = system.with_parameters({path: 7.0})
    np.testing.assert_array_equal(residual(other), residual(fm.build(bob(**{name: 7.0}))))
    assert not np.array_equal(residual(other), residual(system))
    (cord,) = other.model.elements
    assert type(cord) is Cord and cord.bodies[1] is other.model.bodies[1]
    assert fm.Parameters(model)["cord/stiffness"].value == 200.0
    with pytest.raises(fm.ModelError, match="'cord/name' is a text"):
        fm.with_parameters(model, {"cord/name": 1.0})


class Holder:
    """An element as a plain class, which holds what it refers to in one way or another."""

    name, coordinates, signals = "holder", (), ()

    def __init__(self, body, held):
        self.bodies, self.held = (body,), held

    def contribute(self, configuration):
        return None


@dataclass(frozen=True)
class Framed:
    """The same as a dataclass, of which `held` is a part that is none."""

    body: fm.Body
    held: object
    name: str = "holder"
    coordinates, signals = (), ()

    @property
    def bodies(self):
        return (self.body,)

    def contribute(self, configuration):
        return None


class Plain:
    def __init__(self, held):
        self.held, self.own = held, self


@pytest.mark.parametrize(
    "hold", [lambda body: Plain([body]), lambda body: {"at": body.at(0, 0, 0)}]
)
@pytest.mark.parametrize("kind", [Holder, Framed])
def test_element_that_would_keep_the_old_body_is_refused(kind, hold):
    model = bob()
    ground, body = model.bodies
    model.add(kind(ground, hold(body)))
    words = f"Body 'bob' is changed, but {kind.__name__}.* 'holder' would keep the old one"
    with pytest.raises(fm.ModelError, match=words):
        fm.with_parameters(model, {"bob/mass": 2.0})
    other = fm.with_parameters(model, {"z/damping": 2.0})  # of something else
    assert other.elements[1] is model.elements[1]


def test_plain_element_that_only_reads_its_body_is_refused():
    model = bob()
    model.add(Holder(model.bodies[1], None))
    words = "Holder 'holder' would keep the old one; must be replaceable"
    with pytest.raises(fm.ModelError, match=words):
        fm.with_parameters(model, {"bob/mass": 2.0})


def test_numbers_for_fibers_or_samples_along_them_must_be_told_apart():
    model, radii = limb(), [4e-3, 5e-3]
    assert len(model.fibers) == len(radii)
    words = "is ambiguous: one number for each of 2 fibers, or 2 samples along each"
    with pytest.raises(fm.ModelError, match=words):
        fm.with_parameters(model, {"*er/radius": radii})
    for fiber in fm.with_parameters(model, {"*er/radius": [radii] * 2}).fibers:
        np.testing.assert_array_equal(fiber.radius, radii)
    one = fm.with_parameters(model, {"inner/radius": radii})
    np.testing.assert_array_equal(one.fibers[1].radius, radii)
