"""What a file cannot say, and how the error says so."""

from pathlib import Path

import pytest
from osim_text import axis, body, frame, joint, model, one_joint

import fibermsk as fm

LIMB = Path(__file__).parents[1] / "data" / "limb_v4.osim"


@pytest.fixture
def refused(tmp_path):
    """Read a text, and find words in the error beside the file's name."""

    def check(text, *words, **options):
        file = tmp_path / "wrong.osim"
        file.write_text(text)
        with pytest.raises(fm.ModelError) as error:
            fm.read_osim(file, **options)
        message = str(error.value)
        assert len(message) < 2000
        assert message.startswith(f"{file}, line ")
        for word in words:
            assert word in message, message
        assert " must " in message or "; " in message, message

    return check


def change(old, new):
    """The limb with a text replaced, which it must hold."""
    text = LIMB.read_text()
    assert old in text
    return text.replace(old, new, 1)


def test_what_is_no_model(refused):
    refused("<a/>", "is not an OpenSim document")
    refused("<OpenSimDocument Version='40000'/>", "must contain one <Model>")
    refused("<OpenSimDocument Version='40000'><CMCTool/></OpenSimDocument>", "holds CMCTool")
    refused("<OpenSimDocument><Model/></OpenSimDocument>", "Version = ''")
    refused("<OpenSimDocument Version='four'><Model/></OpenSimDocument>", "Version = 'four'")
    refused("<OpenSimDocument Version='10902'><Model/></OpenSimDocument>", "must be 20000 or more")
    refused(model().replace("<BodySet>", "<BodySet file='x.xml'>"), "kept in another file")


def test_numbers(refused):
    refused(
        change("<mass>1.8<", "<mass>nan<"), "line 62: mass of Body 'upper': has 'nan'", "finite"
    )
    refused(change("<mass>1.8<", "<mass>-1.8<"), "mass = -1.8 kg; must be positive")
    refused(change("<mass>1.8<", "<mass>1e300<"), "below 1e12")
    refused(change("<mass>1.8<", "<mass>one<"), "has 'one'")
    refused(change("<mass>1.8<", "<mass><"), "has 0 numbers; must have 1")
    refused(change("<mass>1.8</mass>", ""), "has no <mass>")
    refused(change("<mass>1.8<", "<mass>1.8</mass><mass>2<"), "must be given once")
    refused(change("0.01 -0.18 0.005<", "0.01 -0.18<"), "has 2 numbers; must have 3")
    refused(change("<locked>false<", "<locked>maybe<"), "must be true or false")
    refused(change("<radius>0.016<", "<radius>0<"), "WrapCylinder 'roll'", "must be positive")
    refused(change("<quadrant>-y<", "<quadrant>w<"), "quadrant = 'w'")
    refused(change("<optimal_fiber_length>0.11<", "<optimal_fiber_length>0<"), "'flexor'")
    refused(change("<transition>8<", "<transition>0<"), "transition = 0.0")
    refused(change("<KshapeActive>0.45<", "<KshapeActive>inf<"), "has 'inf'")


def test_coordinates(refused):
    refused(change("<default_value>0.4<", "<default_value>3<"), "flexion", "as it is clamped")
    refused(change("<range>-1.5 1.5<", "<range>2 1<"), "be at least lower = 2.0")
    refused(change('<Coordinate name="twist">', '<Coordinate name="swing">'), "moves no axis")
    refused(change('<Coordinate name="glide">', '<Coordinate name="swing">'), "exists on line")
    refused(change('<Coordinate name="glide">', "<Coordinate>"), "has no name")
    prescribed = "<prescribed>true</prescribed><prescribed_function><Cosine/></prescribed_function>"
    text = one_joint("PinJoint").replace("<range>", f"{prescribed}<range>")
    refused(text, "prescribes a motion", "set <prescribed> to false")


def test_sockets_and_frames(refused):
    refused(
        change(">/bodyset/trunk</socket_parent>", ">/bodyset/trnk</socket_parent>"),
        "'/bodyset/trnk'",
    )
    refused(change("<socket_parent_frame>/ground<", "<socket_parent_frame><"), "names no frame")
    text = change("<socket_parent_frame>/ground</socket_parent_frame>", "")
    refused(text, "WeldJoint 'base'", "must name a body or a frame")
    circle = frame("f", "../g") + frame("g", "../f")
    text = model(
        body("b", f"<components>{circle}</components>"), joint("PinJoint", "j", "ground", "b")
    )
    refused(text, "refers to itself: f -> g -> f")
    refused(
        change(">/bodyset/lower</socket_parent>", ">/bodyset/upper</socket_parent>"), "to itself"
    )
    refused(change("/jointset/elbow/flexion<", "/jointset/elbow/bend<"), "'/jointset/elbow/bend'")
    refused(change("/jointset/elbow/flexion<", "/jointset/knee/flexion<"), "must name a coordinate")


def test_trees(refused):
    def pin(name, parent, child):
        return joint("PinJoint", name, parent, child, (f"angle of {name}",))

    both = body("a") + body("b")
    pins = pin("one", "ground", "a") + pin("two", "a", "b")
    loop = pins + pin("three", "ground", "b")
    weightless = both.replace("<mass>1.5</mass>", "<mass>0</mass>")
    refused(model(weightless, loop), "loop of the joints 'two', 'one', 'three'", "has no mass")
    refused(model(body("a") * 2), "has the name of a body on line 2")
    refused(model(body("")), "has no name")
    other = pin("one", "a", "b").replace("in_parent", "from").replace("in_child", "to")
    other = other.replace("angle of one", "another")
    refused(model(both, pin("one", "ground", "a") + other), "has the name of a joint on line")
    refused(one_joint("PinJoint", ("a", "b")), "lists 2 coordinates; must list 1")


LINEAR = "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"


def custom(*axes, coordinates=("q",)):
    return one_joint(
        "CustomJoint", coordinates, f"<SpatialTransform>{''.join(axes)}</SpatialTransform>"
    )


def test_custom_joints(refused):
    refused(custom(), "moves no axis of its CustomJoint")
    refused(custom(axis("rotation7", "q", "1 0 0", LINEAR)), "is not a known axis")
    refused(custom(axis("rotation1", "q", "0 0 0", LINEAR)), "direction")
    refused(custom(axis("rotation1", "q", "1 0 0", "")), "has coordinates and no function")
    refused(custom(axis("rotation1", "", "1 0 0", LINEAR), coordinates=()), "and no coordinate")
    refused(custom(axis("rotation1", "q r", "1 0 0", LINEAR)), "must have 3, one for each of 2")
    refused(custom(axis("rotation1", "q", "1 0 0", "<Cosine/>")), "Cosine", "fit a SimmSpline")
    short = "<SimmSpline><x>0 1</x><y>0</y></SimmSpline>"
    refused(custom(axis("rotation1", "q", "1 0 0", short)), "has 2 x and 1 y")
    fall = "<SimmSpline><x>0 1 0.5</x><y>0 1 2</y></SimmSpline>"
    refused(
        custom(axis("rotation1", "q", "1 0 0", fall)), "SimmSpline", "must be greater than x[1]"
    )
    both = "<SimmSpline><x>0 1 2</x><y>0 1 2</y></SimmSpline>"
    refused(custom(axis("rotation1", "q r", "1 0 0", both)), "function of 2 coordinates")
    first, second = (axis(f"rotation{i}", "q", "1 0 0", LINEAR) for i in (1, 2))
    refused(custom(first, second), "two parallel rotations")
    nested = "<MultiplierFunction><function/></MultiplierFunction>"
    refused(custom(axis("rotation1", "q", "1 0 0", nested)), "must contain one in <function>")
    refused(one_joint("EllipsoidJoint", ("a", "b", "c")), "has no <radii_x_y_z>")


def test_constraints_and_forces(refused):
    refused(change("names>flexion<", "names>bend<"), "couples 'bend'")
    refused(change("names>flexion<", "names>flexion swing<"), "of 2 coordinates")
    refused(change("names>flexion<", "names>glide<"), "differ from the dependent coordinate")
    refused(change("<coordinate>twist<", "<coordinate>turn<"), "names 'turn'")
    refused(change("<stiffness>3<", "<stiffness>-3<"), "twist_spring", "-3.0")
    last = '<PathPoint name="flexor-P4">'
    text = LIMB.read_text()
    start, end = text.index(last), text.index("</PathPoint>", text.index(last))
    odd = f"{text[:start]}<Odd name='P4'>{text[start + len(last) : end]}</Odd>"
    refused(odd + text[end + len("</PathPoint>") :], "Odd 'P4': is a path point that is not")
    refused(change("<range>1 3<", "<range>1 9<"), "must have points from 1 to 4")
    refused(change("<method>axial<", "<method>magic<"), "method = 'magic'")


def test_options(tmp_path, refused):
    with pytest.raises(fm.ModelError, match="unsupported = 'drop'; must be None or 'weld'"):
        fm.read_osim(LIMB, unsupported="drop")
    with pytest.raises(fm.ModelError, match="must be a folder of mesh files"):
        fm.read_osim(LIMB, geometry=tmp_path / "nowhere")
    with pytest.raises(fm.ModelError, match="contact = 'arm'; must be a body of the file: ground"):
        fm.read_osim(LIMB, contact=["arm"])
    with pytest.raises(fm.ModelError, match="must be mesh files of 'upper': block.stl"):
        fm.read_osim(LIMB, contact={"upper": "other.stl"})
    with pytest.raises(fm.ModelError, match=r"line \d+.*block.stl: mesh file not found"):
        fm.read_osim(LIMB, contact="upper")
    with pytest.raises(fm.ModelError, match="path = 3; must be a text or a path"):
        fm.read_osim(3)


def test_huge_files_end_soon(refused):
    one = body("b{}")
    many = "".join(one.replace("b{}", f"b{i}") for i in range(2001))
    refused(model(many), "is body 2001; must be one of 2000 at most")
    chain = "".join(frame(f"f{i}", f"../f{i + 1}") for i in range(3000)) + frame("f3000", "..")
    inside = f"<components>{chain}</components>"
    refused(model(body("b", inside), joint("PinJoint", "j", "ground", "b")), "100 frames are")
    name = "n" * 10**6
    refused(model(f'<Body name="{name}"/>'), "Body 'nnn", "has no <mass>")


def test_large_models_are_read(tmp_path):
    n = 500
    bodies = "".join(body(f"b{i}") for i in range(n))
    joints = "".join(
        joint("PinJoint", f"j{i}", f"b{i - 1}" if i else "ground", f"b{i}", (f"q{i}",))
        for i in reversed(range(n))
    )
    file = tmp_path / "large.osim"
    file.write_text(model(bodies, joints))
    assert len(fm.read_osim(file).joints) == n
