"""Pictures of a result at both ends of its time."""

import matplotlib.pyplot as plt
import numpy as np

import fibermsk as fm


def draw_ends(places, result, folder, titles=("start", "end"), **how):
    """Draw both ends of a result in one scale, without what is written at their sides."""
    file, images = folder / "made.png", []
    for time in result.time[[0, -1]]:
        fm.view.screenshot(
            result, file, time=float(time), size=(1600, 1200), fit="run", shadows=False, **how
        )
        images.append(plt.imread(file)[:, 320:1280, :3])
        file.unlink()
    inked = (np.array(images) < 0.97).any(axis=(0, 3))
    rows, columns = (np.flatnonzero(inked.any(axis=axis))[[0, -1]] for axis in (1, 0))
    for place, image, title in zip(places, images, titles, strict=True):
        place.imshow(image[rows[0] : rows[1], columns[0] : columns[1]])
        place.set_title(title, fontsize=10)
        place.axis("off")
