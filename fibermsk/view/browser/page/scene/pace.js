// Resolution of the scene, reduced on slow graphics during motion.

const LEVELS = 3; // 0 is fine
const FAST = 100, BEARABLE = 700; // longest time of a picture in motion and at rest [ms]
const REST = 250; // milliseconds without a change that count as rest
const OFTEN = 40; // interval of timed pictures

class Pace {
  /** `refine` is called at rest, to redraw in a higher resolution. */
  constructor(refine) {
    this.refine = refine;
    this.costs = Array.from({ length: LEVELS }, () => []);
    this.count = 0;
    this.moving = false;
  }

  /** Start a picture. */
  begin() {
    this.moving = !this.refining;
    this.refining = false;
    this.count += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const before = this.coarseness;
      this.moving = false;
      if (this.coarseness === before) return;
      this.refining = true;
      this.refine();
    }, REST);
  }

  /** Whether to time the picture, which waits for the graphics processor. */
  get wanted() {
    return this.costs[this.coarseness].length < 3 || this.count % OFTEN === 0;
  }

  /** Record the time of a picture [ms]. */
  took(time) {
    const costs = this.costs[this.coarseness];
    costs.push(time);
    if (costs.length > 3) costs.shift();
  }

  /** Number of the finest mesh of tubes that is fast enough. */
  get coarseness() {
    const most = this.moving ? FAST : BEARABLE;
    // minimum of the last times: the first picture includes compilation
    const known = (costs) => costs.length > 1 || costs[0] > 3 * most;
    const found = this.costs.findIndex((costs) => !known(costs) || Math.min(...costs) <= most);
    return found < 0 ? LEVELS - 1 : found;
  }

  /** Part of the pixels along each side. */
  get sharpness() {
    return [1, 0.85, 0.6][this.coarseness];
  }
}
