"""All classes of objects that OpenSim registers for its files, in a process of its own.

Reads one JSON object {"answer"} from standard input and writes {class: [kinds, default as XML]} to
the file "answer". Kinds are those of `KINDS` that it is derived from.
"""

import json
import sys

import opensim

KINDS = (
    "Joint", "Constraint", "Function", "Force", "Controller", "ContactGeometry", "WrapObject",
    "Frame", "Geometry", "Probe", "ModelComponent", "Component",
)  # fmt: skip


def main():
    task = json.loads(sys.stdin.readline())
    opensim.Logger.setLevelString("off")
    listed = opensim.ArrayStr()
    opensim.OpenSimObject.getRegisteredTypenames(listed)
    found = {}
    for name in sorted({listed.get(i) for i in range(listed.getSize())}):
        try:
            made = opensim.OpenSimObject.newInstanceOfType(name)
        except RuntimeError:  # an abstract class
            continue
        kinds = [kind for kind in KINDS if getattr(opensim, kind).safeDownCast(made) is not None]
        if kinds:
            found[name] = [kinds, made.dump()]
    with open(task["answer"], "w") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main()
