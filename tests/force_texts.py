"""Forces between two bodies of OpenSim files as text, one of each kind."""

from osim_text import PATH, frame

STIFF = (
    "<rotational_stiffness>10 20 30</rotational_stiffness>"
    "<translational_stiffness>100 200 300</translational_stiffness>"
)
DAMPED = (
    "<rotational_damping>1 2 3</rotational_damping>"
    "<translational_damping>10 20 30</translational_damping>"
)
CUBIC = "<PolynomialFunction><coefficients>3 1 20 0.5</coefficients></PolynomialFunction>"


def bushing(kind, name, inside, first="/bodyset/a", second="/bodyset/b"):
    frames = frame("f1", first, "0.1 0.02 -0.1", "0.3 -0.2 0.5")
    frames += frame("f2", second, "-0.05 0.1 0.03", "-0.1 0.4 0.2")
    return (
        f"<{kind} name='{name}'><socket_frame1>f1</socket_frame1><socket_frame2>f2</socket_frame2>"
        f"<frames>{frames}</frames>{inside}</{kind}>"
    )


BUSHINGS = (
    bushing("BushingForce", "linear", STIFF + DAMPED)
    + bushing("BushingForce", "grounded", STIFF + DAMPED, "/ground")
    + bushing(
        "FunctionBasedBushingForce", "functions",
        f"<m_y_theta_y_function>{CUBIC}</m_y_theta_y_function>"
        f"<f_z_delta_z_function>{CUBIC}</f_z_delta_z_function>" + DAMPED,
    )
    + bushing(
        "ExpressionBasedBushingForce", "formulas",
        "<Mx_expression>4*theta_x + 3*theta_y*delta_z^2</Mx_expression>"
        "<Mz_expression>exp(theta_z)-1</Mz_expression>"
        "<Fy_expression>-(2*delta_y)^3 + sin(theta_x)*delta_x</Fy_expression>" + DAMPED,
    )
)  # fmt: skip


def sphere(name, place, where, radius):
    return (
        f"<ContactSphere name='{name}'><socket_frame>{place}</socket_frame>"
        f"<location>{where}</location><radius>{radius}</radius></ContactSphere>"
    )


SURFACES = (
    "<ContactHalfSpace name='floor'><socket_frame>/ground</socket_frame>"
    "<location>0 -0.1 0</location><orientation>0.1 0.2 -1.5</orientation></ContactHalfSpace>"
    + sphere("ball", "/bodyset/b", "0.1 -0.2 0.1", 0.9)
    + sphere("other", "/ground", "-0.3 0.9 0.2", 0.8)
)
RUBBING = (
    "<stiffness>{0}</stiffness><dissipation>{1}</dissipation><static_friction>0.8</static_friction>"
    "<dynamic_friction>0.5</dynamic_friction><viscous_friction>0.2</viscous_friction>"
)


def hunt_crossley(name, *surfaces):
    inside = "".join(
        "<HuntCrossleyForce::ContactParameters>"
        f"<geometry>{one}</geometry>{RUBBING.format(2e5 * (k + 1), 0.1 * (k + 1))}"
        "</HuntCrossleyForce::ContactParameters>"
        for k, one in enumerate(surfaces)
    )
    return (
        f"<HuntCrossleyForce name='{name}'><HuntCrossleyForce::ContactParametersSet "
        f"name='contact_parameters'><objects>{inside}</objects>"
        "</HuntCrossleyForce::ContactParametersSet>"
        "<transition_velocity>0.3</transition_velocity></HuntCrossleyForce>"
    )


CONTACTS = (
    hunt_crossley("plane", "ball", "floor")
    + hunt_crossley("balls", "other", "ball")
    + "<SmoothSphereHalfSpaceForce name='smooth'>"
    "<socket_sphere>/contactgeometryset/ball</socket_sphere>"
    "<socket_half_space>/contactgeometryset/floor</socket_half_space>"
    + RUBBING.format(3e5, 0.2)
    + "<transition_velocity>0.3</transition_velocity></SmoothSphereHalfSpaceForce>"
)
GEOMETRY = f"<ContactGeometrySet><objects>{SURFACES}</objects></ContactGeometrySet>"


def functions(tag, *texts):
    return f"<FunctionSet name='{tag}'><objects>{''.join(texts)}</objects></FunctionSet>"


def line(slope, at):
    return f"<LinearFunction><coefficients>{slope} {at}</coefficients></LinearFunction>"


def prescribed(force_global, point_global):
    """Forces at the body, in a frame of it, without a point, and with constants."""
    force = functions("forceFunctions", line(9.0, 1.0), line(0, 4.0), line(-2, 0.5))
    point = functions("pointFunctions", line(0.1, 0.2), line(0, 0.1), line(0, 0))
    torque = functions("torqueFunctions", line(0, 1.0), line(3, 2.0), line(0, -0.5))
    steady = functions("forceFunctions", line(0, 3.0), line(0, -1.0), line(0, 2.0))
    sine = "<Sine><amplitude>2</amplitude><omega>7</omega><phase>0.3</phase></Sine>"
    waves = functions("torqueFunctions", sine, line(0, 0), line(0, 1.0))
    jumps = "<PiecewiseConstantFunction><x>0.1 0.3 0.7</x><y>2 -1 5</y></PiecewiseConstantFunction>"
    jumping = functions("forceFunctions", jumps, line(0, 1.0), line(2, 0))
    kinds = (
        ("jumps", "/off", jumping),
        ("at", "/bodyset/b", force + point + torque),
        ("framed", "/off", force + point + torque),
        ("no", "/bodyset/b", force + torque),
        ("steady", "/off", steady),
        ("turns", "/off", waves),
        ("mixed", "/off", steady + point + waves),
    )
    return "".join(
        f"<PrescribedForce name='{name}'><socket_frame>{place}</socket_frame>"
        f"<pointIsGlobal>{point_global}</pointIsGlobal>"
        f"<forceIsGlobal>{force_global}</forceIsGlobal>{inside}</PrescribedForce>"
        for name, place, inside in kinds
    )


FRAMES = "<components>" + frame("off", "/bodyset/b") + "</components>"


def along_paths():
    return (
        f"<PathActuator name='cord'>{PATH}<optimal_force>30</optimal_force></PathActuator>"
        f"<McKibbenActuator name='braid'>{PATH}<number_of_turns>1.2</number_of_turns>"
        "<thread_length>0.4</thread_length><cord_length>0.2</cord_length></McKibbenActuator>"
        + "".join(
            f"<ClutchedPathSpring name='{name}'>{PATH}<stiffness>90</stiffness>"
            "<dissipation>0.3</dissipation><relaxation_time_constant>0.05"
            "</relaxation_time_constant><initial_stretch>0.4</initial_stretch></ClutchedPathSpring>"
            for name in ("clutch", "loose", "tight")
        )
    )


def on_bodies():
    return "".join(
        f"<BodyActuator name='body_{place}_{way}'><socket_body>/bodyset/b</socket_body>"
        f"<point>0.1 0.2 -0.1</point><point_is_global>{place}</point_is_global>"
        f"<spatial_force_is_global>{way}</spatial_force_is_global></BodyActuator>"
        for place in ("true", "false")
        for way in ("true", "false")
    )


LAGGING = (
    "<ActivationCoordinateActuator name='lag'><coordinate>bend</coordinate>"
    "<optimal_force>8</optimal_force><activation_time_constant>0.03</activation_time_constant>"
    "<default_activation>0.7</default_activation></ActivationCoordinateActuator>"
)


def standing(station, name="heel", inside=""):
    return (
        f"<MeyerFregly2016Force name='{name}'><socket_station>{station}</socket_station>"
        "<stiffness>2e3</stiffness><dissipation>0.2</dissipation><spring_resting_length>0.1"
        "</spring_resting_length><dynamic_friction>0.6</dynamic_friction><viscous_friction>0.3"
        f"</viscous_friction><latch_velocity>0.4</latch_velocity>{inside}</MeyerFregly2016Force>"
    )


def ellipsoid(name, place, where, radii):
    return (
        f"<ContactEllipsoid name='{name}'><socket_frame>{place}</socket_frame>"
        f"<location>{where}</location><orientation>0.5 0.2 -0.4</orientation>"
        f"<radii>{radii}</radii></ContactEllipsoid>"
    )
