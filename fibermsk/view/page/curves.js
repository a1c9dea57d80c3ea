// Curves over time beside the scene, with a mark at the time shown.

/** Activation, axial force, stretch, contact force and the colored field of a fiber. */
function fiberCurves(fiber, nFrames, fields, colorBy) {
  const rows = [];
  const along = (name) => {
    const line = new Float64Array(nFrames);
    const low = new Float64Array(nFrames), high = new Float64Array(nFrames);
    for (let k = 0; k < nFrames; k++) {
      let sum = 0, least = Infinity, most = -Infinity;
      for (let s = 0; s < fiber.nSamples; s++) {
        const value = fiber.field(name, k, s);
        sum += value;
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
      line[k] = sum / fiber.nSamples;
      low[k] = least;
      high[k] = most;
    }
    return { line, low, high };
  };
  const extra = ["radius", "stress"].filter((name) => name === colorBy);
  for (const name of ["activation", "axial_force", "stretch", ...extra]) {
    const field = fields.find((one) => one.name === name);
    const note = name === "activation" ? "" : "mean; shade from least to greatest";
    const curve = name === "activation"
      ? { line: Float64Array.from({ length: nFrames }, (_, k) => fiber.activation.at(k)) }
      : along(name);
    rows.push({ words: field.words, unit: field.unit, note, ...curve });
  }
  const total = new Float64Array(nFrames);
  for (let k = 0; k < nFrames; k++) {
    let lengths = null;
    for (let s = 0; s < fiber.nSamples; s++) {
      const density = fiber.field("contact_force_density", k, s);
      if (density === 0) continue;
      lengths ??= fiber.lengths(k);
      total[k] += density * lengths[s];
    }
  }
  rows.push({ words: "contact force", unit: "N", note: "sum along the fiber", line: total });
  return rows;
}

/** One curve in a canvas. */
class Chart {
  constructor(curve, time, onSeek) {
    this.curve = curve;
    this.time = time;
    this.figure = document.createElement("figure");
    const title = document.createElement("figcaption");
    let least = Infinity, most = -Infinity;
    for (const values of [curve.line, curve.low ?? curve.line, curve.high ?? curve.line]) {
      for (const value of values) {
        if (!Number.isFinite(value)) continue;
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    }
    if (!(least <= most)) [least, most] = [0, 1];
    const { unit: name, factor } = prefixed(curve.unit, Math.max(Math.abs(least), Math.abs(most)));
    const spread = Math.max(most - least, 1e-4 * Math.max(Math.abs(least), Math.abs(most)), 1e-12);
    this.low = factor * (least - 0.06 * spread);
    this.high = factor * (most + 0.06 * spread);
    this.factor = factor;
    this.unit = name === "-" ? "" : ` ${name}`;
    const strong = document.createElement("strong");
    strong.textContent = curve.words;
    this.now = document.createElement("output");
    title.append(strong, this.now);
    if (curve.note) title.title = curve.note;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute(
      "aria-label",
      `${curve.words} over time, from ${short(factor * least)} to ${short(factor * most)}${this.unit}`,
    );
    this.figure.append(title, this.canvas);
    const seek = (event) => {
      const box = this.canvas.getBoundingClientRect();
      const part = (event.clientX - box.left - this.left) / (box.width - this.left - 8);
      const first = time[0], last = time[time.length - 1];
      onSeek(clamp(first + part * (last - first), first, last));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) seek(event);
    });
    this.left = 46;
  }

  draw(frame, look) {
    const box = this.canvas.getBoundingClientRect(), dpr = window.devicePixelRatio || 1;
    if (box.width < 60) return;
    const wide = box.width, tall = box.height, left = this.left, right = wide - 8;
    const top = 6, bottom = tall - 18;
    this.canvas.width = Math.round(wide * dpr);
    this.canvas.height = Math.round(tall * dpr);
    const pen = this.canvas.getContext("2d");
    pen.setTransform(dpr, 0, 0, dpr, 0, 0);
    pen.font = "11px system-ui, sans-serif";
    const first = this.time[0], last = this.time[this.time.length - 1];
    const x = (t) => left + ((right - left) * (t - first)) / (last - first || 1);
    const y = (v) => bottom - ((bottom - top) * (v - this.low)) / (this.high - this.low);
    pen.strokeStyle = look.line;
    pen.lineWidth = 1;
    pen.fillStyle = look.faint;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const [value, words] of ticks(this.low, this.high, (bottom - top) / 22)) {
      pen.beginPath();
      pen.moveTo(left, y(value));
      pen.lineTo(right, y(value));
      pen.stroke();
      pen.fillText(words, left - 5, y(value));
    }
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    if (last > first) {
      for (const [value, words] of ticks(first, last, (right - left) / 52)) {
        pen.fillText(value === 0 || value < last - 0.06 * (last - first) ? words : `${words} s`,
          clamp(x(value), left + 6, right - 12), tall - 4);
      }
    }
    const { line, low, high } = this.curve, f = this.factor;
    if (low) {
      pen.fillStyle = look.shade;
      pen.beginPath();
      for (let k = 0; k < line.length; k++) pen.lineTo(x(this.time[k]), y(f * low[k]));
      for (let k = line.length - 1; k >= 0; k--) pen.lineTo(x(this.time[k]), y(f * high[k]));
      pen.fill();
    }
    pen.strokeStyle = look.curve;
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.beginPath();
    for (let k = 0; k < line.length; k++) {
      if (Number.isFinite(line[k])) pen.lineTo(x(this.time[k]), y(f * line[k]));
    }
    pen.stroke();
    pen.strokeStyle = pen.fillStyle = look.accent;
    pen.lineWidth = 1.2;
    pen.beginPath();
    pen.moveTo(x(this.time[frame]), top - 4);
    pen.lineTo(x(this.time[frame]), bottom + 3);
    pen.stroke();
    pen.beginPath();
    pen.arc(x(this.time[frame]), y(f * line[frame]), 3.2, 0, 7);
    pen.fill();
    this.now.textContent = `${short(f * line[frame])}${this.unit}`;
  }
}
