"""Lengths, moment arms and slopes of a model's muscles by OpenSim, run by its interpreter.

``python _opensim_paths.py TASK.json ANSWER.json``. The task has the file of the model, names of
muscles with those of the coordinates that move them, and lines of poses: each pose holds the value
of every coordinate, and for every free coordinate the same with that coordinate moved by plus and
minus `h`; coupled ones follow there.
"""

import json
import sys
import time

import opensim as osim

osim.Logger.setLevelString("Off")
SUSPECT, JUMP = 1e-4, 1e-6  # m


class Paths:
    """Paths of a model, every coordinate of which can be set."""

    def __init__(self, file, muscles):
        self.model = osim.Model(file)
        self.coordinates = {}
        for coordinate in self.model.updCoordinateSet():
            for flag in ("locked", "clamped", "prescribed"):
                getattr(coordinate, f"set_{flag}")(False)
            self.coordinates[coordinate.getName()] = coordinate
        self.state = self.model.initSystem()
        own = self.model.getMuscles()
        self.paths = {name: own.get(name).getGeometryPath() for name in muscles}

    def put(self, pose):
        """Take a pose; it satisfies the couplings."""
        for name, value in pose.items():
            self.coordinates[name].setValue(self.state, value, False)
        self.model.realizePosition(self.state)

    def length(self, name):
        """Length of a path [m]."""
        return self.paths[name].getLength(self.state)

    def arm(self, name, coordinate):
        """Moment arm [m, or 1]."""
        return self.paths[name].computeMomentArm(self.state, self.coordinates[coordinate])

    def points(self, name):
        """Points of a path, in ground, and the arc that ends at each; None for other points."""
        found, arcs = [], []
        current = self.paths[name].getCurrentPath(self.state)
        for k in range(current.getSize()):
            point = current.get(k)
            x = point.getLocationInGround(self.state)
            found.append([x.get(0), x.get(1), x.get(2)])
            wrapped = osim.PathWrapPoint.safeDownCast(point)
            arcs.append(None if wrapped is None else wrapped.getWrapLength(self.state))
        return found, arcs

    def jump(self, name, start, end):
        """Change of a length between two poses that no halving of their distance reduces."""
        ends = [start, end]
        lengths = []
        for pose in ends:
            self.put(pose)
            lengths.append(self.length(name))
        for _ in range(24):
            middle = {key: 0.5 * (ends[0][key] + ends[1][key]) for key in start}
            self.put(middle)
            here = self.length(name)
            half = int(abs(lengths[1] - here) > abs(here - lengths[0]))
            ends[1 - half], lengths[1 - half] = middle, here
        return lengths[1] - lengths[0], ends[0]


def main(task_file, answer_file):
    """Write what is found."""
    with open(task_file) as file:
        task = json.load(file)
    h, muscles = task["h"], task["muscles"]
    paths = Paths(task["model"], muscles)
    poses, jumps, seconds, counted = [], [], 0.0, 0
    for number, line in enumerate(task["lines"]):
        before = None
        for place, pose in enumerate(line):
            begin = time.perf_counter()
            paths.put(pose["values"])
            found = {}
            for name in muscles:
                found[name] = {"length": paths.length(name), "arm": {}, "slope": {}}
            seconds += time.perf_counter() - begin
            counted += len(muscles)
            for name, own in muscles.items():
                found[name]["points"], found[name]["arcs"] = paths.points(name)
                found[name]["arm"] = {c: paths.arm(name, c) for c in own}
            for coordinate, (up, down) in pose["moved"].items():
                own = [name for name in muscles if coordinate in muscles[name]]
                sides = []
                for values in (up, down):
                    paths.put(values)
                    sides.append([paths.length(name) for name in own])
                for name, a, b in zip(own, *sides, strict=True):
                    found[name]["slope"][coordinate] = -(a - b) / (2.0 * h)
            if before is not None:
                for name, own in muscles.items():
                    last, now = before[1][name], found[name]
                    change = now["length"] - last["length"]
                    for c in own:
                        step = pose["values"][c] - before[0]["values"][c]
                        change += 0.5 * (now["arm"][c] + last["arm"][c]) * step
                    if abs(change) > SUSPECT:
                        by, at = paths.jump(name, before[0]["values"], pose["values"])
                        if abs(by) > JUMP:
                            moving = {
                                c: at[c] for c in own if before[0]["values"][c] != pose["values"][c]
                            }
                            jumps.append(
                                {
                                    "muscle": name,
                                    "line": number,
                                    "place": place,
                                    "jump": by,
                                    "at": moving,
                                }
                            )
            before = pose, found
            poses.append(found)
    answer = {"poses": poses, "jumps": jumps, "seconds": seconds, "lengths": counted}
    with open(answer_file, "w") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
