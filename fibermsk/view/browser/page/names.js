// Names beside what they name: on what is seen of it, and apart from each other.

const MOST_NAMES = 200; // muscles with their names
const MOST_FIBERS = 300; // fibers that are kept free
const STEPS = [0, 1, -1, 2, -2, 3, -3, 4, -4]; // heights beside a point, in lines
const ASIDE = [0, 25, 60, 110]; // further distances from it, in pixels
const GAP = 8, NEAR = 6; // from a point to its text; radius of a fiber in front of a point

/** Name of a muscle by that of its fiber. */
const muscleOf = (fiber) => fiber.replace(/_?\d+$/, "") || fiber;

/** Fractions of a belly at which names may be, the best one in the middle. */
const CHOICES = Array.from({ length: 13 }, (_, k) => 0.2 + 0.05 * k);

class Names {
  constructor(place) {
    this.place = place;
    this.lines = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.kept = new Map();
    this.seen = "";
  }

  /**
   * Write `wanted` names: words, points (x, y, depth) at which each may be, whether it has a dot,
   * class, and muscle; beside `taken` boxes (left, top, width, height) and what is drawn, `things`
   * (x, y, depth, muscle). While what is `seen` stays they stay where they are on their muscles.
   */
  paint(wanted, things, taken, { width, height, seen }) {
    if (seen !== this.seen) this.kept.clear();
    this.seen = seen;
    this.place.replaceChildren(this.lines);
    this.lines.replaceChildren();
    const inside = ([left, top, wide, tall]) => (
      left >= 0 && left + wide <= width && top >= 0 && top + tall <= height
    );
    const free = (box) => inside(box) && taken.every(([a, b, w, h]) => (
      box[0] + box[2] + 3 <= a || a + w + 3 <= box[0] || box[1] + box[3] <= b || b + h <= box[1]
    ));
    for (const one of wanted) {
      const points = one.points.map(([x, y, away], k) => [x, y, away, k]).filter(
        ([x, y, away]) => away > 0 && x > 0 && x < width && y > 0 && y < height,
      );
      if (!points.length) continue;
      const span = element("span", one.words);
      if (one.kind) span.classList.add(one.kind);
      this.place.append(span);
      const size = [span.offsetWidth, span.offsetHeight];
      const found = this.again(one, points, size, free) ?? this.find(one, points, size, free, things);
      if (!found) {
        span.remove();
        continue;
      }
      const [left, top] = found.box;
      taken.push(found.box);
      this.kept.set(one.key, { k: found.point[3], dx: left - found.point[0], dy: top - found.point[1] });
      span.style.transform = `translate(${left}px, ${top}px)`;
      if (one.dot) this.point(found);
    }
  }

  /** Place of a name beside the point of its muscle where it was. */
  again(one, points, [wide, tall], free) {
    const kept = this.kept.get(one.key), point = kept && points.find(([, , , k]) => k === kept.k);
    if (!point) return null;
    const box = [point[0] + kept.dx, point[1] + kept.dy, wide, tall];
    return free(box) ? { box, point } : null;
  }

  /** Best place of a name: near the middle of what is seen, over as little as possible. */
  find(one, points, [wide, tall], free, things) {
    const hides = ([x, y, away]) => things.some(([a, b, depth, muscle]) => (
      muscle !== one.muscle && depth < away && Math.hypot(a - x, b - y) < NEAR
    ));
    const open = points.filter((point) => !hides(point)), middle = (one.points.length - 1) / 2;
    let best = null;
    for (const point of open.length ? open : points) {
      const [x, y, , k] = point, off = middle ? (6 * Math.abs(k - middle)) / middle : 0;
      for (const step of STEPS) {
        for (const aside of ASIDE) {
          for (const left of [x + GAP + aside, x - GAP - aside - wide]) {
            let cost = off + Math.abs(step) + aside / tall;
            if (best && cost >= best.cost) continue;
            const box = [left, y + (step - 0.5) * tall, wide, tall];
            if (!free(box)) continue;
            cost += 0.5 * things.filter(([a, b]) => (
              a > left && a < left + wide && b > box[1] && b < box[1] + tall
            )).length;
            if (!best || cost < best.cost) best = { cost, box, point };
          }
        }
      }
    }
    return best;
  }

  /** Dot on a muscle, and a line to its name. */
  point({ box: [left, top, wide, tall], point: [x, y] }) {
    const draw = (kind, numbers) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
      Object.entries(numbers).forEach(([name, value]) => made.setAttribute(name, value));
      this.lines.append(made);
    };
    if (x < left || x > left + wide) {
      draw("line", { x1: x, y1: y, x2: x < left ? left : left + wide, y2: top + 0.5 * tall });
    }
    draw("circle", { cx: x, cy: y, r: 2.5 });
  }
}
