"""Small OpenSim files as text."""

MASS = "<mass>1.5</mass><mass_center>0.01 -0.02 0.03</mass_center>"
INERTIA = "<inertia>0.02 0.03 0.04 0.001 0.002 -0.001</inertia>"


def body(name, inside=""):
    return f'<Body name="{name}">{inside}{MASS}{INERTIA}</Body>'


def coordinate(name, low=-1.0, high=1.0, inside=""):
    return f'<Coordinate name="{name}"><range>{low} {high}</range>{inside}</Coordinate>'


def frame(name, parent, place="0.1 -0.2 0.3", angles="0.2 0.3 -0.4"):
    return (
        f'<PhysicalOffsetFrame name="{name}"><socket_parent>{parent}</socket_parent>'
        f"<translation>{place}</translation><orientation>{angles}</orientation>"
        "</PhysicalOffsetFrame>"
    )


def path_of(body_name):
    return "/ground" if body_name == "ground" else f"/bodyset/{body_name}"


def joint(kind, name, parent, child, coordinates=(), inside=""):
    """A joint of version 4 between two offset frames; its coordinates by name."""
    listed = "".join(coordinate(one) for one in coordinates)
    frames = frame("in_parent", path_of(parent)) + frame(
        "in_child", path_of(child), "-0.05 0.1 0.02", "-0.3 0.1 0.5"
    )
    return (
        f'<{kind} name="{name}"><socket_parent_frame>in_parent</socket_parent_frame>'
        f"<socket_child_frame>in_child</socket_child_frame><coordinates>{listed}</coordinates>"
        f"<frames>{frames}</frames>{inside}</{kind}>"
    )


def axis(name, coordinates, direction, function):
    return (
        f'<TransformAxis name="{name}"><coordinates>{coordinates}</coordinates>'
        f"<axis>{direction}</axis><function>{function}</function></TransformAxis>"
    )


def model(bodies="", joints="", constraints="", forces="", more="", version=40000, gravity=""):
    sets = {"BodySet": bodies, "JointSet": joints, "ConstraintSet": constraints}
    inside = "".join(
        f"<{tag}><objects>{text}</objects><groups/></{tag}>"
        for tag, text in {**sets, "ForceSet": forces}.items()
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<OpenSimDocument Version="{version}">'
        f'<Model name="made_up">{gravity}{inside}{more}</Model></OpenSimDocument>\n'
    )


def one_joint(kind="PinJoint", coordinates=("q",), inside="", **more):
    """A model of one body on the ground."""
    return model(body("b"), joint(kind, "j", "ground", "b", coordinates, inside), **more)


AXES = "rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3"
DIRECTIONS = "1 0 0", "0 1 0", "0 0 1", "1 0 0", "0 1 0", "0 0 1"
LINE = "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"


def six(name, parent, child):
    """A joint of six coordinates: three turns and three slides, whose rates are the speeds."""
    names = [f"{name}_{k}" for k in range(6)]
    inside = "".join(
        axis(one, coordinate, direction, LINE)
        for one, coordinate, direction in zip(AXES, names, DIRECTIONS, strict=True)
    )
    inside = f"<SpatialTransform>{inside}</SpatialTransform>"
    return joint("CustomJoint", name, parent, child, names, inside)


def two_bodies(forces, more="", version=40000):
    """A file of a body on six coordinates and another on a pin, with forces."""
    joints = six("base", "ground", "a") + joint("PinJoint", "knee", "a", "b", ["bend"])
    return model(body("a") + body("b"), joints, forces=forces, more=more, version=version)


PATH = (
    '<GeometryPath name="path"><PathPointSet><objects>'
    '<PathPoint name="o"><socket_parent_frame>/ground</socket_parent_frame>'
    "<location>0.4 0.3 0.1</location></PathPoint>"
    '<PathPoint name="m"><socket_parent_frame>/bodyset/a</socket_parent_frame>'
    "<location>0.1 -0.2 0.05</location></PathPoint>"
    '<PathPoint name="i"><socket_parent_frame>/bodyset/b</socket_parent_frame>'
    "<location>0.05 0.1 -0.2</location></PathPoint>"
    "</objects></PathPointSet></GeometryPath>"
)
