"""The model as a whole: what may be added, cross checks, contact pairs, pickling."""

import pickle

import numpy as np
import pytest
from model_parts import INERTIA, LAW, arm, body, fiber
from numpy.testing import assert_array_equal

from fibermsk.errors import ModelError
from fibermsk.model import Body, Capsule, Contact, Hinge, Model, Scene, Weld

O3, Y = (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def hinge(name, parent, child):
    return Hinge(name, parent, child, O3, Y)


def refused(message):
    return pytest.raises(ModelError, match=f"^[^\n]*{message}")


def test_add_returns_the_item_or_the_tuple():
    model = Model("m")
    a = Body("a")
    assert model.add(a) is a
    b, joint = model.add(Body("b"), Weld(model.ground, a))
    assert model.bodies == (model.ground, a, b)
    assert model.joints == (joint,)
    assert model.joint_of(a) is joint
    assert model.joint_of(b) is None


def test_arm_is_valid():
    model, parts = arm()
    model.validate()
    assert model.fibers == (parts["biceps"], parts["strand"])
    assert model.contacts == (parts["contact"],)
    assert_array_equal(model.gravity, (0.0, 0.0, -9.81))
    assert repr(model).startswith("Model 'arm': 3 bodies, 2 joints, 2 fibers, 1 contact\n")


def test_items_are_found_by_name():
    model, *_ = arm()
    for items in (model.bodies, model.joints, model.coordinates, model.fibers):
        assert list(items) == [items[name] for name in items.names]
        assert items[0].name in items and items[0] in items and "nobody" not in items
    first = model.fibers[0]
    assert model.fibers[:1] == (first,) and model.fibers._ipython_key_completions_()
    with pytest.raises(KeyError, match=f"no fiber 'Fiber_1'; the model has: {first.name}"):
        model.fibers["Fiber_1"]
    with pytest.raises(IndexError):
        model.fibers[99]
    again = pickle.loads(pickle.dumps(model.bodies))
    assert again.names == model.bodies.names and again.kind == "body"
    text = repr(model.bodies)
    assert text.startswith(f"{len(model.bodies)} bodies\n") and "ground" in text
    assert "contact" in repr(model.contacts)


def test_names_are_unique_among_items_of_a_kind():
    model, _ = arm()
    with refused("name 'ulna' of the new body is taken by a body; must be unique; rename"):
        model.add(Body("ulna"))
    model.add(fiber("elbow"))  # that of a joint
    with refused("name 'ground' of the new body is taken by a body; .*use model.ground"):
        model.add(Body("ground"))


def test_nothing_is_added_twice():
    model, parts = arm()
    for name in ("humerus", "elbow", "biceps", "contact"):
        with refused("is already in the model; must be added once"):
            model.add(parts[name])


def test_unknown_bodies_and_fibers_are_named_with_the_remedy():
    model, parts = arm()
    radius = Body("radius", shapes=Capsule(O3, Y, 0.01))
    for joint in (Weld(model.ground, radius), hinge("wrist", radius, parts["ulna"])):
        with refused("unknown body 'radius'; must belong to model 'arm'; add it first"):
            model.add(joint)
    with refused("fiber 'f': unknown body 'radius'; .*add it first: model.add\\(radius\\)"):
        model.add(fiber("f", attach=(radius.at(O3), None)))
    with refused("contact: unknown body 'radius'"):
        model.add(Contact(parts["biceps"], radius, LAW))
    with refused("contact: unknown fiber 'f'"):
        model.add(Contact(fiber("f"), parts["biceps"], LAW))
    with refused("unknown body 'ground'; .*another body of this name"):
        model.add(Weld(Model("other").ground, parts["ulna"]))
    model.add(radius)
    model.add(hinge("wrist", parts["ulna"], radius))


def test_add_refuses_other_things():
    model = Model("m")
    for item in (1.0, "ulna", None, LAW, Model("n")):
        with refused(
            "model 'm': add = .*; must be a Body, a joint, .*a Marker or an element such as a P"
        ):
            model.add(item)
    with refused("unpack the sequence"):
        model.add([Body("a"), Body("b")])


def test_a_body_hangs_on_one_joint():
    model, parts = arm()
    with refused("must be the child of one joint; it already is that of hinge 'elbow'"):
        model.add(Weld(model.ground, parts["ulna"]))
    with refused("child = body 'ground'; must not be the ground; make it the parent"):
        model.add(hinge("h", parts["ulna"], model.ground))


def test_joint_loops_are_refused():
    model = Model("m")
    a, b, c = model.add(Body("a"), Body("b"), Body("c"))
    model.add(hinge("ab", a, b), hinge("bc", b, c))
    with refused(
        "hinge 'ca': child = body 'a'; must not be an ancestor of its parent, .*'bc', hinge 'ab'"
    ):
        model.add(hinge("ca", c, a))
    model.add(Weld(model.ground, a))


def test_validate_finds_hanging_and_massless_bodies():
    model = Model("m")
    a, b = model.add(body("a"), Body("b"))
    with refused("model 'm': body 'a' has no joint; must be connected to the ground"):
        model.validate()
    model.add(hinge("shoulder", model.ground, a), Weld(a, b))
    model.validate()  # what rides on a body with mass needs none

    model = Model("m")
    c = model.add(Body("c"))
    model.add(hinge("shoulder", model.ground, c))
    with refused(
        "body 'c': mass = None; must be given; hinge 'shoulder' moves this body: give it or a body "
        "that it carries mass and inertia; none of the 1 bodies of the model has a mass"
    ):
        model.validate()


def test_validate_asks_for_inertia_of_moved_bodies_only():
    model = Model("m")
    a, b = model.add(Body("a"), Body("b", mass=1.0))
    model.add(Weld(model.ground, a), hinge("elbow", a, b))
    with refused("body 'b': inertia = None; must be given; hinge 'elbow' moves this body"):
        model.validate()


def test_validate_refuses_a_model_that_cannot_move():
    model = Model("m")
    with refused("model 'm': nothing can move"):
        model.validate()
    model.add(fiber())
    model.validate()


def test_one_item_of_a_contact_is_a_list_of_one():
    a, b = fiber("a"), fiber("b")
    assert Contact(a, b, LAW).first == (a,) and Contact(a, b, LAW).second == (b,)
    assert Contact(a, b, LAW).points_per_element == 5


def test_contact_of_one_fiber_with_itself_is_refused():
    a = fiber("a")
    with refused("first = second = fiber 'a'; must differ: no self-contact"):
        Contact(a, a, LAW)
    with refused("first\\[1\\] = fiber 'a'; must be listed once"):
        Contact([a, a], fiber("b"), LAW)


@pytest.mark.parametrize("turned", [False, True])
def test_pairs_are_listed_once_over_all_contacts(turned):
    model, parts = arm()
    pair = (parts["strand"], parts["biceps"])
    with refused("must be listed once"):
        model.add(Contact(*(pair[::-1] if turned else pair), LAW))
    with refused("fiber 'biceps' with body 'humerus' is already a pair of an earlier"):
        model.add(Contact(parts["biceps"], parts["humerus"], LAW))
    model.add(Contact(parts["biceps"], parts["ulna"], LAW))


def test_shared_pairs_are_those_of_the_lists():
    """Without listing them, for random sides with and without bodies."""
    rng = np.random.default_rng(3)
    fibers = [fiber(f"f{i}") for i in range(5)]
    bones = [Body(f"b{i}", shapes=Capsule(O3, Y, 0.01)) for i in range(2)]
    shared = 0
    for _ in range(300):
        contacts = []
        while len(contacts) < 2:
            first = list(rng.choice(fibers, rng.integers(1, 4), replace=False))
            second = list(rng.choice(fibers + bones, rng.integers(1, 4), replace=False))
            if first != second or len(first) > 1:
                contacts.append(Contact(first, second, LAW))
        lists = [
            {frozenset((a, b)) for a in contact.first for b in contact.second if a is not b}
            for contact in contacts
        ]
        pair = contacts[0].shared_pair(contacts[1])
        assert (pair is None) == (not lists[0] & lists[1])
        assert pair is None or frozenset(pair) in lists[0] & lists[1]
        shared += pair is not None
    assert 50 < shared < 250


def test_a_pair_of_a_large_bundle_is_found_again():
    model, fibers = Model("bundle"), [fiber(f"f{i}") for i in range(300)]
    model.add(*fibers)
    model.add(Contact(fibers[:150], fibers[:150], LAW), Contact(fibers[150:], fibers[150:], LAW))
    with refused("fiber 'f7' with fiber 'f0' is already a pair of an earlier"):
        model.add(Contact(fibers[7], fibers, LAW))


def test_pickle_round_trip_keeps_values_and_identities():
    model, _ = arm()
    scene = pickle.loads(pickle.dumps(Scene(model, duration=1.0, steps=8)))
    copy = scene.model
    copy.validate()
    assert [b.name for b in copy.bodies] == [b.name for b in model.bodies]
    assert copy.bodies[0] is copy.ground
    assert copy.joints[1].parent is copy.bodies[1]
    assert copy.fibers[0].attach[1].body is copy.bodies[2]
    assert copy.contacts[0].first == copy.fibers
    assert_array_equal(copy.bodies[2].inertia, np.diag(INERTIA))
    theta = np.linspace(0.0, 1.0, 7)
    for old, new in zip(model.fibers, copy.fibers, strict=True):
        assert_array_equal(new.radius_at(theta), old.radius_at(theta))
        assert_array_equal(new.line_load_at(theta, 0.2), old.line_load_at(theta, 0.2))
        assert new.activation_at(0.3) == old.activation_at(0.3)
    with pytest.raises(ModelError, match="unknown body"):
        copy.add(Weld(model.ground, Body("x")))
