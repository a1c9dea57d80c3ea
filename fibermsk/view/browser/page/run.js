// One of the results that are shown: its arrays, which come part by part, and its frame.

/** Index of the number nearest to one, in numbers that increase. */
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

  /** Show the frame nearest to a time if it is there, and have it come if not. */
  show(time) {
    const frame = nearestIndex(this.time, time);
    this.wanted = this.bounds.findIndex((end) => end > frame) - 1;
    if (this.there[this.wanted]) this.frame = frame;
    return this.there[this.wanted];
  }

  /** Words about a time that the run does not reach. */
  ended(time) {
    return time > this.time[this.time.length - 1] + 1e-9 || time < this.time[0] - 1e-9;
  }

  /** Let a part come: the wanted one, or else the next one that is missing; false if none is. */
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
