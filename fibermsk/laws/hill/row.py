"""Constants of one Hill muscle: a row of numbers, by column."""

(
    MAX_FORCE, OPTIMUM, SLACK, PENNATION, FASTEST, DAMPING, MIN_ACTIVATION, LEAST_COSINE, PULL_ONLY,
) = range(9)  # fmt: skip
"""F_0 [N], l_0 and l_Ts [m], alpha_0 [rad], v_max [1/s], beta, least activation and cos(alpha), and
1 for a rigid tendon that never pushes, else 0."""

CURVES = 9
"""First column of the constants of the curves."""
