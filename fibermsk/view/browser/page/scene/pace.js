// How finely to draw, so that slow graphics keep up while something moves.

const LEVELS = 3; // 0 is fine
const FAST = 100, BEARABLE = 700; // milliseconds for a picture, in motion and at rest
const REST = 250; // milliseconds without a change after which things stand still
const OFTEN = 40; // every so manyth picture is timed

class Pace {
  /** `refine` is called when things stand still and may be drawn more finely. */
  constructor(refine) {
    this.refine = refine;
    this.costs = Array.from({ length: LEVELS }, () => []);
    this.count = 0;
    this.moving = false;
  }

  /** A picture is about to be drawn. */
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

  /** Whether the picture should be timed; that makes the graphics processor wait. */
  get wanted() {
    return this.costs[this.coarseness].length < 3 || this.count % OFTEN === 0;
  }

  /** The picture took some time [ms]. */
  took(time) {
    const costs = this.costs[this.coarseness];
    costs.push(time);
    if (costs.length > 3) costs.shift();
  }

  /** Which of the tubes' meshes to draw: the finest that is fast enough, as far as is known. */
  get coarseness() {
    const most = this.moving ? FAST : BEARABLE;
    // The least of the last few times: the first picture waits for the programs, too.
    const known = (costs) => costs.length > 1 || costs[0] > 3 * most;
    const found = this.costs.findIndex((costs) => !known(costs) || Math.min(...costs) <= most);
    return found < 0 ? LEVELS - 1 : found;
  }

  /** Part of the pixels along each side. */
  get sharpness() {
    return [1, 0.85, 0.6][this.coarseness];
  }
}
