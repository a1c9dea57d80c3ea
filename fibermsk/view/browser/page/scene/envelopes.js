// Envelopes of bundles, as in envelopes.py.

/** Skins of the bundles of a run, updated in place after its rings. */
class Envelopes {
  /** `look`: how sections are made, and factors of the brightness around them. */
  constructor(rings, bundles, look) {
    Object.assign(this, { rings, bundles, look });
    const { around } = look, { along } = rings;
    this.size = (along + 2) * around; // a pole at each end
    const n = 3 * bundles.length * this.size;
    this.points = new Float32Array(n);
    this.normals = new Float32Array(n);
    this.colors = new Float32Array(n);
    const own = ringFaces(along + 2, around);
    this.faces = new Uint32Array(bundles.flatMap((_, b) => own.map((k) => k + b * this.size)));
    this.circle = Array.from({ length: around }, (_, k) => (2 * Math.PI * k) / around)
      .map((angle) => [Math.cos(angle), Math.sin(angle)]);
  }

  /** Follow the rings, in the colors of a scale. */
  move(scales) {
    const { along, count, texels, muscle } = this.rings;
    const stops = [scales.tendon, scales.muscle].map((colors) => colors.map(rgb));
    const paint = new Float32Array(3 * count);
    for (let ring = 0; ring < count; ring++) {
      const value = texels[12 * ring + 11], part = clamp(muscle[ring], 0, 1);
      const place = clamp(value, 0, 1) * (stops[0].length - 1), k = Math.min(Math.floor(place), stops[0].length - 2);
      for (let i = 0; i < 3; i++) {
        const [cord, flesh] = stops.map((s) => s[k][i] + (place - k) * (s[k + 1][i] - s[k][i]));
        paint[3 * ring + i] = value < -1 ? 0.5 : cord + part * (flesh - cord);
      }
    }
    this.bundles.forEach((fibers, b) => {
      const middles = Array.from({ length: along }, (_, j) => this.middle(fibers, j));
      let side = null;
      for (let j = 0; j < along; j++) {
        const low = Math.max(j - 1, 0), high = Math.min(j + 1, along - 1);
        const t = unit(add(middles[high], scale(-1, middles[low])));
        // at first of the axis that is most across, then the smallest turn from the section before
        side ??= mostAcross(t);
        side = unit(add(side, scale(-dot(side, t), t)));
        this.section(b, j, middles[j], side, cross(t, side), paint);
      }
      this.close(b, middles);
      this.turn(b);
    });
  }

  middle(fibers, j) {
    const { along, texels } = this.rings, sum = [0, 0, 0];
    for (const f of fibers) for (let i = 0; i < 3; i++) sum[i] += texels[12 * (f * along + j) + i];
    return scale(1 / fibers.length, sum);
  }

  /** Points and colors of a section: on the outermost fiber, blended between fibers. */
  section(b, j, middle, side, other, paint) {
    const { along, texels } = this.rings, { around, sharpness, thick, stripes } = this.look;
    const fibers = this.bundles[b], n = fibers.length;
    const x = new Float64Array(n), y = new Float64Array(n), radius = new Float64Array(n);
    const weight = new Float64Array(n), tall = new Float64Array(n);
    const axis = cross(side, other);
    fibers.forEach((f, m) => {
      const at = 12 * (f * along + j);
      const away = [0, 1, 2].map((i) => texels[at + i] - middle[i]);
      x[m] = dot(away, side);
      y[m] = dot(away, other);
      tall[m] = dot(away, axis);
      radius[m] = texels[at + 3];
    });
    const mean = radius.reduce((sum, r) => sum + r, 0) / n;
    for (let k = 0; k < around; k++) {
      const [c, s] = this.circle[k];
      let reach = -Infinity, total = 0;
      for (let m = 0; m < n; m++) reach = Math.max(reach, c * x[m] + s * y[m] + radius[m]);
      for (let m = 0; m < n; m++) {
        weight[m] = Math.exp((sharpness / mean) * (c * x[m] + s * y[m] + radius[m] - reach));
        total += weight[m];
      }
      let out = thick * mean, px = 0, py = 0, pz = 0;
      const at = 3 * (b * this.size + (j + 1) * around + k);
      this.colors.fill(0, at, at + 3);
      for (let m = 0; m < n; m++) {
        const w = weight[m] / total;
        out += w * radius[m];
        px += w * x[m];
        py += w * y[m];
        pz += w * tall[m];
        for (let i = 0; i < 3; i++) this.colors[at + i] += w * paint[3 * (fibers[m] * along + j) + i];
      }
      for (let i = 0; i < 3; i++) {
        this.points[at + i] = middle[i] + (px + out * c) * side[i] + (py + out * s) * other[i] + pz * axis[i];
        this.colors[at + i] = Math.min(stripes[k] * this.colors[at + i], 1);
      }
    }
  }

  /** Poles at both ends. */
  close(b, middles) {
    const { around } = this.look, row = 3 * around, start = 3 * b * this.size;
    const last = start + 3 * this.size - row;
    for (const [pole, beside, middle] of [
      [start, start + row, middles[0]], [last, last - row, middles[middles.length - 1]],
    ]) {
      for (let k = 0; k < around; k++) this.points.set(middle, pole + 3 * k);
      this.colors.copyWithin(pole, beside, beside + row);
    }
  }

  /** Normals, outwards. */
  turn(b) {
    const { around } = this.look, rows = this.rings.along + 2, first = b * this.size;
    const way = (to, from) => [0, 1, 2].map((i) => this.points[3 * to + i] - this.points[3 * from + i]);
    for (let j = 0; j < rows; j++) {
      const low = Math.max(j - 1, 0), high = Math.min(j + 1, rows - 1);
      for (let k = 0; k < around; k++) {
        const next = first + j * around + ((k + 1) % around);
        const before = first + j * around + ((k + around - 1) % around);
        const along = way(first + high * around + k, first + low * around + k);
        this.normals.set(unit(cross(way(next, before), along)), 3 * (first + j * around + k));
      }
    }
    // a pole has no direction around it
    for (const [pole, inner] of [[first, first + 2 * around], [first + (rows - 1) * around, first + (rows - 3) * around]]) {
      let sum = [0, 0, 0];
      for (let k = 0; k < around; k++) sum = add(sum, way(pole, inner + k));
      for (let k = 0; k < around; k++) this.normals.set(unit(sum), 3 * (pole + k));
    }
  }
}
