"""Benchmarks of this package and of other simulators on the same problems."""

from fibermsk.bench import (
    gradients,
    kernels,
    muscle_mass,
    parameters,
    peer_table,
    scaling,
    skeleton,
    small,
    tracking,
    upper_limb,
    view,
)
from fibermsk.bench.bench import (
    Bench as Bench,
    Findings as Findings,
    Options as Options,
    run_bench as run_bench,
)
from fibermsk.bench.bundles import bundle

BENCHES = {
    bench.name: bench
    for bench in (
        Bench("bundle", "fibers in contact, against PyElastica and MuJoCo", bundle.run),
        Bench("upper_limb", "the arm at five levels, against plain NumPy", upper_limb.run),
        Bench("small", "a step of the small arm, and of arm26 with line muscles", small.run),
        Bench("scaling", "time and memory of a step, 8 to 2048 fibers", scaling.run),
        Bench("kernels", "parts of a step, threads, cables, paths of muscles", kernels.run),
        Bench("parameters", "overhead of a study of 50 values", parameters.run),
        Bench("skeleton", "a tree of bodies: M, bias, C and its derivative", skeleton.run),
        Bench("muscle_mass", "a step of 40 muscles with and without mass", muscle_mass.run),
        Bench("gradients", "a run with and without its derivatives", gradients.run),
        Bench("tracking", "a motion followed by muscles, against Moco", tracking.run),
        Bench("view", "frames per second of the viewer, 5 and 500 fibers", view.run),
        Bench("peers", "the other simulators with fixed settings", peer_table.run),
    )
}
"""All benchmarks, by name."""
