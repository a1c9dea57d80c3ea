// Meshes of tubes around fibers, and of arrows.

const MOST_TRIANGLES = 400000; // of all fibers, for the slowest supported graphics

/** Points along and around tubes. */
function tubeDetail(nFibers, nElements) {
  const around = nFibers <= 30 ? 24 : nFibers <= 120 ? 12 : 8;
  const wanted = clamp(6 * nElements + 1, 49, 257);
  const room = Math.floor(MOST_TRIANGLES / (2 * around * nFibers));
  return { around, along: Math.max(Math.min(wanted, room), 2 * nElements + 1) };
}

/** Triangles between rings of points. */
function ringFaces(nRings, around) {
  const faces = [];
  for (let i = 0; i < nRings - 1; i++) {
    for (let k = 0; k < around; k++) {
      const a = i * around + k, b = i * around + ((k + 1) % around);
      faces.push(a, b, b + around, a, b + around, a + around);
    }
  }
  return faces;
}

/**
 * Unit tube with rounded ends and every `stride`-th ring: ring, angle, radius, and the height over
 * the end, negative before the first one.
 */
function tubeMesh(along, around, stride) {
  const points = [], rings = [];
  const circle = Array.from({ length: around }, (_, k) => (2 * Math.PI * k) / around);
  for (let i = 0; i < along - 1; i += stride) rings.push(i);
  rings.push(along - 1);
  const domes = around >= 8 ? 3 : 1;
  const round = (ring, sign, k) => {
    const height = (0.5 * Math.PI * k) / (domes + 1);
    for (const angle of circle) {
      points.push(ring, angle, k > domes ? 0 : Math.cos(height), sign * Math.sin(height));
    }
  };
  // from pole to pole
  for (let k = domes + 1; k > 0; k--) round(0, -1, k);
  for (const ring of rings) for (const angle of circle) points.push(ring, angle, 1, 0);
  for (let k = 1; k <= domes + 1; k++) round(along - 1, 1, k);
  const faces = ringFaces(rings.length + 2 * (domes + 1), around);
  return { points: new Float32Array(points), faces: new Uint32Array(faces) };
}

/** Unit arrow: angle, radius (in shafts), length (0 start, 1 head's foot, 2 tip), slope. */
function arrowMesh(around) {
  const profile = [
    [0, 0, -1], [1, 0, -1], [1, 0, 0], [1, 1, 0], [1, 1, -1], [3, 1, -1], [3, 1, 0.25],
    [0, 2, 0.4],
  ];
  const points = [];
  for (const [radius, stage, slope] of profile) {
    for (let k = 0; k < around; k++) {
      points.push((2 * Math.PI * k) / around, radius, stage, slope);
    }
  }
  const faces = new Uint32Array(ringFaces(profile.length, around));
  return { points: new Float32Array(points), faces };
}

/** Rings along all fibers at a frame, as the tube's shader reads them. */
class Rings {
  constructor(fibers, detail) {
    this.fibers = fibers;
    Object.assign(this, detail);
    const n = this.along;
    this.count = fibers.length * n;
    this.width = 3 * 341; // texels in a row: three a ring
    this.height = Math.ceil((3 * this.count) / this.width);
    this.texels = new Float32Array(4 * this.width * this.height);
    this.muscle = new Float32Array(1024 * Math.ceil(this.count / 1024));
    this.places = fibers.map((fiber) => {
      const all = [];
      for (let i = 0; i < n; i++) {
        const theta = i / (n - 1);
        all.push({ ...hermite(fiber.node_theta, theta), between: between(fiber.theta, theta) });
      }
      return all;
    });
    fibers.forEach((fiber, f) => this.places[f].forEach(({ between: [s, part] }, i) => {
      const next = Math.min(s + 1, fiber.nSamples - 1);
      const m = fiber.muscle_fraction;
      this.muscle[f * n + i] = m[s] + part * (m[next] - m[s]);
    }));
  }

  /** Fill the texels: center and radius; tangent and taper; one side, and the field. */
  move(frame, field, limits) {
    const out = this.texels, n = this.along;
    const point = new Float64Array(3), slope = new Float64Array(3);
    this.fibers.forEach((fiber, f) => {
      const row = frame * fiber.nSamples;
      const values = new Float64Array(fiber.nSamples), radii = new Float64Array(fiber.nSamples);
      for (let s = 0; s < fiber.nSamples; s++) {
        values[s] = (fiber.field(field, frame, s) - limits[0]) / (limits[1] - limits[0]);
        radii[s] = fiber.radius.at(row + s);
      }
      let side = null;
      for (let i = 0; i < n; i++) {
        const at = 12 * (f * n + i);
        const { element, value, slope: weights, between: [s, part] } = this.places[f][i];
        const next = Math.min(s + 1, fiber.nSamples - 1);
        fiber.blend(frame, element, value, point, 0);
        fiber.blend(frame, element, weights, slope, 0);
        const speed = length(slope) || 1;
        const t = scale(1 / speed, slope);
        // side of the previous ring, projected: smallest rotation
        side = side ? unit(add(side, scale(-dot(side, t), t))) : perpendicular(t);
        if (!Number.isFinite(side[0])) side = null;
        const gap = (fiber.theta[next] - fiber.theta[s]) * speed;
        const taper = gap > 0 && part > 0 && part < 1 ? (radii[next] - radii[s]) / gap : 0;
        const shade = values[s] + part * (values[next] - values[s]);
        out[at] = point[0];
        out[at + 1] = point[1];
        out[at + 2] = point[2];
        out[at + 3] = radii[s] + part * (radii[next] - radii[s]);
        out[at + 4] = t[0];
        out[at + 5] = t[1];
        out[at + 6] = t[2];
        out[at + 7] = taper;
        out[at + 8] = side ? side[0] : NaN;
        out[at + 9] = side ? side[1] : NaN;
        out[at + 10] = side ? side[2] : NaN;
        out[at + 11] = Number.isFinite(shade) ? clamp(shade, 0, 1) : -9;
      }
    });
  }
}
