"""Gap of a pair potential along one partner, plainly: ever denser sampling."""

import numpy as np

from .hermite import element_values, shape


class Partner:
    """One fiber as the potential sees it.

    Parameters
    ----------
    node_theta : (n+1,) float array
    nodes, reference : (n+1, 6) float array
        Positions and theta-tangents, deformed and not.
    radius : function
        Element numbers and xi to the reference radius [m].
    """

    def __init__(self, node_theta, nodes, reference, radius):
        self.theta, self.radius = np.asarray(node_theta), radius
        self.values = element_values(nodes)
        lengths = [np.linalg.norm(part[:, 3:], axis=1) for part in (reference, nodes)]
        self.factor = np.sqrt(lengths[0] / lengths[1])

    def at(self, theta):
        """Positions and radii at points of the fiber."""
        theta = np.asarray(theta, float)
        e = np.clip(np.searchsorted(self.theta, theta, side="right") - 1, 0, len(self.values) - 1)
        h = np.diff(self.theta)[e]
        xi = (theta - self.theta[e]) / h
        points = np.einsum("...a,...ai->...i", shape(xi, h), self.values[e])
        blend = xi * xi * (3.0 - 2.0 * xi)
        factor = (1.0 - blend) * self.factor[e] + blend * self.factor[e + 1]
        return points, self.radius(e, xi) * factor

    def gap(self, x, r_x, theta):
        """Relative gap g = d / (r_x + r_y) - 1."""
        points, radii = self.at(theta)
        return np.linalg.norm(points - x, axis=-1) / (r_x + radii) - 1.0

    def distance(self, x, theta):
        """Distance."""
        return np.linalg.norm(self.at(theta)[0] - x, axis=-1)

    def closest(self, x, elements, samples=100):
        """Theta and distance of the closest point on some of the elements."""
        share = np.linspace(0.0, 1.0, samples + 1)
        grid = np.array(
            [self.theta[e] + share * (self.theta[e + 1] - self.theta[e]) for e in elements]
        )
        grid[:, -1] = np.nextafter(grid[:, -1], 0.0)
        values = self.distance(x, grid)
        low = values <= np.pad(values, ((0, 0), (1, 0)), constant_values=np.inf)[:, :-1]
        low &= values <= np.pad(values, ((0, 0), (0, 1)), constant_values=np.inf)[:, 1:]
        best = (np.inf, 0.0)
        cell = np.ptp(grid, axis=1).max() / samples
        for i, k in np.argwhere(low):
            # half a cell beside the sample, nothing can be nearer than that by more than its length
            if values[i, k] <= best[0] + 50.0 * cell:
                near = grid[i, max(k - 1, 0) : k + 2]
                best = min(best, _polish(lambda t: self.distance(x, t), near))
        return best[1], best[0]

    def descend(self, x, r_x, start, samples=4000):
        """Theta and value of the least gap reached downhill from theta = start."""
        steps = (self.theta[-1] - self.theta[0]) / samples
        grid = np.clip(start + steps * np.arange(-samples, samples + 1), *self.theta[[0, -1]])
        values, i = self.gap(x, r_x, grid), samples
        while True:
            j = min((i - 1, i + 1), key=lambda j: values[j] if 0 <= j < values.size else np.inf)
            if not (0 <= j < values.size and values[j] < values[i]):
                break
            i = j
        near = np.unique(grid[max(i - 1, 0) : i + 2])
        value, theta = _polish(lambda t: self.gap(x, r_x, t), near)
        return theta, value


def _polish(function, grid):
    """Least value and its place around the best of increasing samples, by ever finer ones."""
    for _ in range(7):
        values = function(grid)
        i = int(np.argmin(values))
        best = float(values[i]), float(grid[i])
        grid = np.linspace(grid[max(i - 1, 0)], grid[min(i + 1, grid.size - 1)], 41)
    return best
