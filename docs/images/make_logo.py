"""The logo, a bundle of fibers on two bones: ``python make_logo.py`` writes `logo.svg`."""

from pathlib import Path

HERE = Path(__file__).parent
BONE, EDGE = "#EADFC4", "#8A7F66"
REDS = "#7E1622", "#A8232F", "#C8454F", "#D8696C", "#E59389"
ORIGIN, ELBOW, INSERTION, HAND = (17.0, 9.0), (17.0, 50.0), (36.0, 50.0), (57.0, 50.0)
NEAREST, FARTHEST = 2.0, 26.0
"""How far the control points of the first and the last fiber lie off the straight line."""


def bone(a: tuple[float, float], b: tuple[float, float]) -> str:
    """A bone between two points: a shaft with rounded ends, in outline and filling."""
    line = f'x1="{a[0]}" y1="{a[1]}" x2="{b[0]}" y2="{b[1]}" stroke-linecap="round"'
    return "".join(
        f'<line {line} stroke="{color}" stroke-width="{width}"/>'
        for color, width in ((EDGE, 9.6), (BONE, 7.2))
    )


def fiber(k: int) -> str:
    """One of the fibers, a curve that bulges away from the elbow."""
    off = NEAREST + (FARTHEST - NEAREST) * k / (len(REDS) - 1)
    middle = [0.5 * (a + b) for a, b in zip(ORIGIN, INSERTION, strict=True)]
    across = (INSERTION[1] - ORIGIN[1], ORIGIN[0] - INSERTION[0])
    size = (across[0] ** 2 + across[1] ** 2) ** 0.5
    x, y = (m + off * a / size for m, a in zip(middle, across, strict=True))
    ends = f"M{ORIGIN[0]} {ORIGIN[1]}Q{x:.1f} {y:.1f} {INSERTION[0]} {INSERTION[1]}"
    return (
        f'<path d="{ends}" fill="none" stroke="{REDS[k]}" stroke-width="3.1" '
        'stroke-linecap="round"/>'
    )


def main() -> None:
    """Write the file."""
    parts = [bone(ORIGIN, ELBOW), bone(ELBOW, HAND), *map(fiber, range(len(REDS)))]
    for x, y in (ORIGIN, INSERTION):
        parts.append(f'<circle cx="{x}" cy="{y}" r="2.6" fill="#F6EFDD" stroke="{EDGE}"/>')
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img">'
    text = f"{head}<title>fibermsk</title>{''.join(parts)}</svg>\n"
    (HERE / "logo.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
