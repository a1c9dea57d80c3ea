"""Constants of one Hill muscle: a row of numbers, by column."""

MAX_FORCE, OPTIMUM, SLACK, PENNATION, FASTEST, DAMPING, MIN_ACTIVATION, LEAST_COSINE = range(8)
"""F_0 [N], l_0 and l_Ts [m], alpha_0 [rad], v_max [1/s], beta, least activation and cos(alpha)."""

CURVES = 8
"""First column of the constants of the curves."""
