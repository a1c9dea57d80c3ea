// Numbers of a fiber at a frame.

/** Element at theta, and its shape functions there with derivatives. */
function hermite(nodes, theta) {
  let e = 0;
  while (e < nodes.length - 2 && theta >= nodes[e + 1]) e++;
  const h = nodes[e + 1] - nodes[e];
  const x = (theta - nodes[e]) / h;
  return {
    element: e,
    value: [
      1 + x * x * (2 * x - 3), h * x * (x - 1) * (x - 1),
      x * x * (3 - 2 * x), h * x * x * (x - 1),
    ],
    slope: [
      (6 * x * (x - 1)) / h, x * (3 * x - 4) + 1,
      (6 * x * (1 - x)) / h, x * (3 * x - 2),
    ],
  };
}

/** Sample before theta, and part of the way to the next; constant beyond the ends. */
function between(samples, theta) {
  const last = samples.length - 1;
  if (last < 1 || theta <= samples[0]) return [0, 0];
  if (theta >= samples[last]) return [last - 1, 1];
  let i = 0;
  while (theta >= samples[i + 1]) i++;
  return [i, (theta - samples[i]) / (samples[i + 1] - samples[i])];
}

/** One fiber over the frames. */
class Fiber {
  constructor(note, run) {
    Object.assign(this, note);
    this.run = run;
    this.nNodes = this.node_theta.length;
    this.nSamples = this.theta.length;
  }

  /** Sum of the nodes' positions and tangents with four weights of an element. */
  blend(frame, element, weights, out, at) {
    const first = 3 * (frame * this.nNodes + element);
    const x = this.position, t = this.tangent;
    for (let i = 0; i < 3; i++) {
      const k = first + i;
      out[at + i] = weights[0] * x.at(k) + weights[1] * t.at(k)
        + weights[2] * x.at(k + 3) + weights[3] * t.at(k + 3);
    }
  }

  /** Point of the centerline [m]. */
  point(frame, theta) {
    const place = hermite(this.node_theta, theta);
    const out = [0, 0, 0];
    this.blend(frame, place.element, place.value, out, 0);
    return out;
  }

  /** Thetas at which its name may be: parts of its belly. */
  inBelly() {
    const belly = Array.from(this.theta).filter((_, k) => this.muscle_fraction[k] > 0.5);
    const [first, last] = belly.length > 1 ? [belly[0], belly[belly.length - 1]] : [0, 1];
    return CHOICES.map((part) => first + part * (last - first));
  }

  /** Value of a field at a sample. */
  field(name, frame, sample) {
    const k = frame * this.nSamples + sample;
    if (name === "stress") return this.axial_force.at(k) / (Math.PI * this.radius.at(k) ** 2);
    if (name === "activation") return this.activation.at(frame);
    // a line muscle without a law of its activation is at rest
    if (name === "tissue") return this.activation.at(frame) || 0;
    if (name === "muscle_fraction") return this.muscle_fraction[sample];
    if (name === "contact_force_density") return length(this.lineForce(frame, sample));
    return this[name].at(k);
  }

  /** Contact force per length [N/m]. */
  lineForce(frame, sample) {
    const k = 3 * (frame * this.nSamples + sample);
    const f = this.contact_line_force;
    return [f.at(k), f.at(k + 1), f.at(k + 2)];
  }

  /** Current length of the fiber per sample [m]. */
  lengths(frame) {
    this.places ??= Array.from(this.theta, (theta) => hermite(this.node_theta, theta));
    const slope = [0, 0, 0];
    return this.places.map((place, s) => {
      this.blend(frame, place.element, place.slope, slope, 0);
      return this.weight[s] * length(slope);
    });
  }

  /** Contact force on each group of elements: point of application [m] and sum [N]. */
  contacts(frame, share) {
    const found = new Map();
    let lengths = null;
    for (let s = 0; s < this.nSamples; s++) {
      const line = this.lineForce(frame, s);
      const density = length(line);
      if (!(density > 0)) continue;
      lengths ??= this.lengths(frame);
      const place = this.places[s];
      const group = Math.floor(place.element / share);
      if (!found.has(group)) {
        found.set(group, { force: [0, 0, 0], point: [0, 0, 0], radius: 0, total: 0 });
      }
      const sum = found.get(group);
      const pressed = density * lengths[s];
      const center = [0, 0, 0];
      this.blend(frame, place.element, place.value, center, 0);
      sum.force = add(sum.force, scale(lengths[s], line));
      sum.point = add(sum.point, scale(pressed, center));
      sum.radius += pressed * this.radius.at(frame * this.nSamples + s);
      sum.total += pressed;
    }
    return Array.from(found.values(), (sum) => {
      const center = scale(1 / sum.total, sum.point);
      const out = scale(sum.radius / sum.total, unit(sum.force));
      return { point: add(center, out), force: sum.force };
    });
  }
}
