// One result: its arrays, which are loaded in parts, and its frame.

/** Index of the number nearest to a value, among increasing ones. */
function nearestIndex(numbers, value) {
  let low = 0, high = numbers.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= value) low = middle;
    else high = middle;
  }
  return Math.abs(numbers[high] - value) < Math.abs(numbers[low] - value) ? high : low;
}

class Run {
  constructor(note, bytes) {
    this.moving = [];
    Object.assign(this, revive(note, bytes, note.time.shape[0], this.moving));
    this.fibers = this.fibers.map((fiber) => new Fiber(fiber, this));
    this.frame = 0;
    this.wanted = 0;
    this.there = this.bounds.slice(1).map(() => false);
  }

  /** Show the frame nearest to a time if it is loaded, else request it. */
  show(time) {
    const frame = nearestIndex(this.time, time);
    this.wanted = this.bounds.findIndex((end) => end > frame) - 1;
    if (this.there[this.wanted]) this.frame = frame;
    return this.there[this.wanted];
  }

  /** Whether a time is outside of the run. */
  ended(time) {
    return time > this.time[this.time.length - 1] + 1e-9 || time < this.time[0] - 1e-9;
  }

  /** Load the requested part, or else the next missing one; 0 if none is missing. */
  async load(lost) {
    const n = this.there.length;
    const order = this.there.map((_, k) => (this.wanted + k) % n);
    const next = order.find((k) => !this.there[k]);
    if (next === undefined) return 0;
    const { bytes, packed } = await readPart(this.first_part + next, lost);
    readFrames(bytes, this.moving, this.bounds[next], this.bounds[next + 1]);
    this.there[next] = true;
    return packed;
  }
}
