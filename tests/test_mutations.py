"""Deliberate errors in the physics, each of which some verification problem must notice.

Every mutation is applied to a copy of the package, and the named problem is run there:
interpreted, except where compiling is faster. A problem notices by falling short or failing.
"""

import ast
import json
import os
import shutil
import subprocess
import sys

import pytest
from scenes_of_tests import ROOT

MUTATIONS = {
    "sign of the turning tangent": (
        "kernels/fibers/cable.py",
        "combine_3(along - turning, t, across, u)",
        "combine_3(along + turning, t, across, u)",
        "coupled_tangent",
    ),
    "stretch rate forgotten in the tangent": (
        "kernels/fibers/cable.py",
        "across = w * cx * N_v",
        "across = 0.0",
        "coupled_tangent",
    ),
    "factor of the viscous stress": (
        "laws/stress.py",
        "+ 3.0 * viscosity * stretch_rate * inverse2",
        "+ 2.0 * viscosity * stretch_rate * inverse2",
        "creep_relaxation",
    ),
    "power of the passive stress": (
        "laws/stress.py",
        "shear_modulus * (stretch - inverse2)",
        "shear_modulus * (stretch - inverse)",
        "hanging_cable",
    ),
    "width of the force-length curve": (
        "laws/stress.py",
        "offset = (stretch / optimal_stretch - 1.0) / width",
        "offset = (stretch / optimal_stretch - 1.0) / (2.0 * width)",
        "force_length",
    ),
    "sign of the prestress tangent": (
        "laws/stress.py",
        "- prestress * inverse2\n",
        "+ prestress * inverse2\n",
        "coupled_tangent",
    ),
    "curvature and stretch in the tangent of bending": (
        "kernels/fibers/bending.py",
        "f_ss, f_sp = w * (q - 3.0 * p * p * r)",
        "f_ss, f_sp = w * (q + 3.0 * p * p * r)",
        "coupled_tangent",
    ),
    "force of bending": (
        "kernels/fibers/bending.py",
        "f_1, f_2 = combine_3(2.0 * f_s, a1",
        "f_1, f_2 = combine_3(f_s, a1",
        # the elastica hardly stretches where it bends, and is the same to its tolerances
        "coupled_tangent",
    ),
    "mass of an element": (
        "kernels/fibers/cable.py",
        "weight[e, k] * line_density[e, k] * n[a] * n[b]",
        "0.5 * weight[e, k] * line_density[e, k] * n[a] * n[b]",
        "string_frequencies",
    ),
    "slope of the penalty law": (
        "laws/penalty.py",
        "-stiffness / (admissibility * admissibility)",
        "-stiffness / admissibility",
        "coupled_tangent",
    ),
    "length element of the half pass": (
        "kernels/contact/contact.py",
        "pull = -F * length / d",
        "pull = -F / d",
        "coupled_tangent",
    ),
    "motion of the closest point": (
        "kernels/contact/contact.py",
        "eta = y1[c] * inverse",
        "eta = 0.0",
        "coupled_tangent",
    ),
    "sign of the bone's reaction": (
        "kernels/contact/bone_border.py",
        "moments[task, j] += force[0]",
        "moments[task, j] -= force[0]",
        "coupled_tangent",
    ),
    "slope of the field of a mesh": (
        "kernels/bones/mesh_field.py",
        "sums[2] += v * s10",
        "sums[2] -= v * s10",
        "mesh_contact",
    ),
    "partner's share of a pair potential": (
        "kernels/contact/pair_potential.py",
        "part = -0.5 * r0 * ((1.0 - w) * sa if end == 0 else w * sb) / tt",
        "part = 0.0",
        "coupled_tangent",
    ),
    "reaction on the partner of a pair potential": (
        "kernels/contact/pair_potential.py",
        "3 * (b % 2) + c] -= push * ny[b] * n[c]",
        "3 * (b % 2) + c] -= 0.9 * push * ny[b] * n[c]",
        "coupled_tangent",
    ),
    "pair potential counted twice": (
        "kernels/contact/pair_potential.py",
        "radius = reference_radius(fibers.radius_poly[fibers.shape_of[e]], laws.xi[law, q])",
        "radius = 2.0 * reference_radius(fibers.radius_poly[fibers.shape_of[e]], laws.xi[law, q])",
        "fiber_collision",
    ),
    "gyroscopic moment": (
        "kernels/skeleton/rigid.py",
        "N[r] += h[r] + t[r]",
        "N[r] = h[r] + t[r]",
        "rigid_trees",
    ),
    "attachment's centripetal term in the tangent": (
        "kernels/fibers/attachment.py",
        "value += columns[c, r] * velocity_rate[m, c, j]",
        "value += 0.0",
        "coupled_tangent",
    ),
    "Coriolis term of an end's acceleration in the tangent": (
        "kernels/skeleton/points.py",
        "(p_dot[j] + 2.0 * dp_dq * p[j])",
        "(p_dot[j] + dp_dq * p[j])",
        "coupled_tangent",
    ),
    "force of the attachment on the joint": (
        "kernels/fibers/attachment.py",
        "residual_q[j] += C[m, r, j] * reaction[m, r]",
        "residual_q[j] -= C[m, r, j] * reaction[m, r]",
        "coupled_tangent",
    ),
}
COARSE = {
    "creep_relaxation": {"elements": 2, "steps": 16},
    "force_length": {"elements": 2, "stretches": 5},
    "hanging_cable": {"elements": 6},
    "mesh_contact": {"shape": "sphere", "level": 1},
    "rigid_trees": {"hinges": 3, "trees": 1},
    "string_frequencies": {"elements": 4, "steps": 16},
}
COMPILED = {"fiber_collision", "mesh_contact"}
"""Problems that run with compiled kernels; tests/verify and tests/verification run them unmutated,
at the same settings."""


def run_problem(folder, problem):
    """Whether a problem passes with the package and the problems of a folder."""
    settings = [f"{key}={value}" for key, value in COARSE.get(problem, {}).items()]
    command = [sys.executable, "-c", "from fibermsk.cli.main import main; main()"]
    command += ["verify", problem, "--json"]
    if settings:
        command += ["--set", *settings]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    if problem not in COMPILED:
        environment["NUMBA_DISABLE_JIT"] = "1"
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    if done.returncode == 0:
        assert json.loads(done.stdout)["problems"][0]["passed"]
        return True
    assert done.returncode == 1, done.stderr
    return False


def users_of(file):
    """Modules of the package that import a module of it, at any depth, and this module itself."""
    imported = {}
    for path in (ROOT / "fibermsk").rglob("*.py"):
        lines = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        names = imported[".".join(path.relative_to(ROOT).with_suffix("").parts)] = set()
        for line in lines:
            if isinstance(line, ast.ImportFrom) and line.module:
                names |= {line.module, *(f"{line.module}.{name.name}" for name in line.names)}
    found, more = set(), {"fibermsk." + file.removesuffix(".py").replace("/", ".")}
    while more:
        found |= more
        more = {name for name, names in imported.items() if names & found} - found
    return found


def copy_package(folder, mutated=None):
    """Copy the package; its compiled kernels only if none of their callees is mutated.

    Numba knows when the file of a kernel changes, not when that of a callee does.
    """
    stale = mutated and {"/".join(name.split(".")[1:]) for name in users_of(mutated)}

    def ignored(path, names):
        kernels = [name for name in names if name.endswith((".nbi", ".nbc"))]
        if mutated is None:
            return kernels
        package = os.path.relpath(os.path.dirname(path), ROOT / "fibermsk")
        return [name for name in kernels if f"{package}/{name.split('.')[0]}" in stale]

    for name in ("fibermsk", "verification", "scenes"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)


@pytest.mark.slow
@pytest.mark.parametrize(
    "problem", sorted({mutation[3] for mutation in MUTATIONS.values()} - COMPILED)
)
def test_problem_passes_unmutated(tmp_path, problem):
    copy_package(tmp_path)
    assert run_problem(tmp_path, problem)


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_mutation_is_noticed(tmp_path, name):
    file, right, wrong, problem = MUTATIONS[name]
    copy_package(tmp_path, file if problem in COMPILED else None)
    path = tmp_path / "fibermsk" / file
    source = path.read_text(encoding="utf-8")
    assert source.count(right) == 1, "the mutation must hit one place"
    path.write_text(source.replace(right, wrong), encoding="utf-8")
    assert not run_problem(tmp_path, problem)
