"""What the single objects store: defaults, normalized arrays, profiles and signals."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.extra.numpy import arrays
from model_parts import LINE, PASSIVE, TISSUE, body, buoyancy, fiber, muscle_belly, parabola
from numpy.testing import assert_allclose, assert_array_equal

from fibermsk.laws.coordinate import Damper
from fibermsk.laws.stress import ActiveStress
from fibermsk.model import (
    Body,
    Capsule,
    Constant,
    Fiber,
    Hinge,
    InfiniteCylinder,
    Linear,
    Ramp,
    Scene,
    Table,
    Weld,
)
from fibermsk.model.model import Model
from fibermsk.model.muscles.profile import sample_profile


def test_body_defaults_and_stored_arrays():
    plain = Body("scapula")
    assert (plain.mass, plain.inertia, plain.shapes) == (None, None, ())
    assert_array_equal(plain.com, (0.0, 0.0, 0.0))
    full = body(inertia=(1, 2, 2.5), com=[0, 0, 1], shapes=Capsule((0, 0, 0), (0, 0, 0), 1))
    assert_array_equal(full.inertia, np.diag((1.0, 2.0, 2.5)))
    assert full.com.dtype == np.float64
    assert isinstance(full.shapes, tuple)
    with pytest.raises(ValueError, match="read-only"):
        full.inertia[0, 0] = 2.0
    with pytest.raises(AttributeError):
        full.mass = 2.0


def test_stored_arrays_are_copies():
    com = np.array((0.0, 0.0, 1.0))
    ulna = body(com=com)
    com[2] = 2.0
    assert ulna.com[2] == 1.0


def test_station_from_three_numbers_or_one_vector():
    ulna = body()
    assert_array_equal(ulna.at(1, 2, 3).position, ulna.at(np.array((1, 2, 3))).position)
    assert ulna.at(1, 2, 3).body is ulna


def test_cylinder_axis_has_length_one():
    assert_allclose(
        InfiniteCylinder((0, 0, 0), (3e200, 0, 4e200), 0.1).axis, (0.6, 0, 0.8), rtol=1e-15
    )
    assert_allclose(
        InfiniteCylinder((0, 0, 0), (3e-200, 0, 4e-200), 0.1).axis, (0.6, 0, 0.8), rtol=1e-15
    )


@given(
    points=arrays(np.float64, (6, 3), elements=st.floats(-1.0, 1.0)),
    masses=arrays(np.float64, 6, elements=st.floats(0.01, 10.0)),
    scale=st.sampled_from((1e-4, 1.0, 1e3)),
    flat=st.booleans(),
)
def test_inertia_of_point_masses_is_accepted(points, masses, scale, flat):
    if flat:
        points = points * (1.0, 1.0, 0.0)  # a lamina meets the triangle inequality with equality
    r = scale * (points - masses @ points / masses.sum())
    inertia = np.einsum("p,pij->ij", masses, np.einsum("pk,pk,ij->pij", r, r, np.eye(3)))
    inertia -= np.einsum("p,pi,pj->ij", masses, r, r)
    moments = np.linalg.eigvalsh(inertia)
    assume(moments[0] > 1e-6 * moments[2])  # masses not on one line
    stored = body(mass=masses.sum(), inertia=inertia).inertia
    assert_allclose(stored, inertia, atol=1e-9 * moments[2])


def test_hinge_normalizes_axis_and_gives_one_coordinate():
    hinge = Hinge("elbow", Body("a"), Body("b"), (0, 0, -1), (0, -2, 0), damping=1, value=0.1)
    (coordinate,), (axis,) = hinge.coordinates, hinge.axes
    assert (coordinate.name, coordinate.kind) == ("elbow", "rotation")
    assert (coordinate.value, coordinate.speed) == (0.1, 0.0)
    assert coordinate.laws == (Damper(1.0),)
    assert_array_equal(hinge.axis, (0.0, -1.0, 0.0))
    assert axis.pairs == (("elbow", Linear()),)
    assert_array_equal(axis.direction, hinge.axis)
    assert_array_equal(hinge.rotation, np.eye(3))
    assert_array_equal(hinge.child_at, np.zeros(3))


def test_weld_has_no_coordinate_and_a_name():
    weld = Weld(Body("humerus"), Body("ulna"))
    assert weld.coordinates == weld.axes == ()
    assert weld.name == "ulna on humerus"


def test_tendon_is_muscle_unless_given():
    assert TISSUE.tendon is PASSIVE
    assert TISSUE.active is None
    assert TISSUE.prestress == 0.0
    assert (ActiveStress(1).optimal_stretch, ActiveStress(1).width) == (1.3, 0.3)
    assert ActiveStress(1).exponent == 4.0


def test_fiber_defaults():
    plain = fiber()
    theta = np.linspace(0.0, 1.0, 5)
    assert plain.attach == (None, None)
    assert_array_equal(plain.nodes, theta)
    assert_array_equal(plain.path, LINE)
    assert_array_equal(plain.radius_at(theta), np.full(5, 0.006))
    assert_array_equal(plain.muscle_fraction_at(theta), np.ones(5))
    assert_array_equal(plain.line_load_at(theta, 0.3), np.zeros((5, 3)))
    assert plain.activation_at(0.3) == 0.0
    assert plain.activation == Constant(0.0)


def test_fiber_is_straight_between_attachments():
    ulna = body()
    straight = Fiber(
        "f", attach=[ulna.at(0, 0, 0), ulna.at(0, 0, 1)], radius=1, n_elements=1, tissue=TISSUE
    )
    assert straight.path is None
    assert isinstance(straight.attach, tuple)


def test_profiles_as_arrays_and_functions():
    theta = np.array((0.0, 0.25, 0.5, 1.0))
    varying = fiber(radius=parabola, muscle_fraction=[0, 1, 0], line_load=buoyancy)
    assert_array_equal(varying.radius_at(theta), parabola(theta))
    assert_array_equal(varying.muscle_fraction_at(theta), (0.0, 0.5, 1.0, 0.0))
    assert_array_equal(varying.line_load_at(theta, 2.0)[:, 2], theta + 2.0)
    assert_array_equal(sample_profile([1.0, 3.0], theta, "fiber 'f'", "radius"), 1 + 2 * theta)


def test_constant_load_is_a_fresh_array_per_point():
    load = fiber(line_load=(0, 0, -3)).line_load_at(np.zeros(2), 0.0)
    load[0] = 1.0
    assert_array_equal(load[1], (0.0, 0.0, -3.0))


def test_fraction_out_of_range_by_roundoff_is_clipped():
    eps = 1e-15
    rounded = fiber(
        muscle_fraction=lambda theta: muscle_belly(theta) * (1 + eps) - eps,
        activation=lambda t: 1.0 + eps,
    )
    values = rounded.muscle_fraction_at(np.linspace(0.0, 1.0, 101))
    assert (values.min(), values.max()) == (0.0, 1.0)
    assert rounded.activation_at(0.0) == 1.0


def test_graded_nodes_are_snapped_to_the_ends():
    nodes = np.array((0.0, 0.1, 0.5, 0.9, 1.0 - 1e-12))
    assert fiber(nodes=nodes).nodes[-1] == 1.0


def test_numpy_scalars_are_numbers():
    assert fiber(radius=np.float32(0.5), n_elements=np.int64(3)).n_elements == 3
    assert Constant(np.array(0.5)).value == 0.5


def test_signals():
    ramp = Ramp(start=1.0, end=3.0, value=0.5)
    assert [ramp(t) for t in (0.0, 1.0, 2.0, 3.0, 9.0)] == [0.0, 0.0, 0.25, 0.5, 0.5]
    table = Table([1.0, 2.0, 4.0], [0.2, 0.4, 0.0])
    assert_allclose([table(t) for t in (0.0, 1.5, 3.0, 9.0)], (0.2, 0.3, 0.2, 0.0), atol=1e-15)
    assert isinstance(table(1.5), float)
    assert Constant(1)(5.0) == 1.0


def test_scene_defaults():
    scene = Scene(Model("m"), duration=8, steps=256)
    assert (scene.duration, scene.start, scene.method) == (8.0, "initial", "sdirk2")
