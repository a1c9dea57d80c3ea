// Curves over time beside the scene, with a mark at the time shown.

const LINE_COLORS = ["#c03a3f", "#457797", "#7a9a3c", "#8b62ad"];
const DASHES = [[], [6, 4], [6, 3, 2, 3], [2, 3]];

/** Color of the curves of a run by number; the first has that of the theme. */
const lineLook = (number) => ({ color: number ? LINE_COLORS[number] : "var(--curve)" });

/** Mean, minimum and maximum of a field along a fiber over time. */
function alongFiber(fiber, name) {
  const nFrames = fiber.run.time.length, line = new Float64Array(nFrames);
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
  return { run: fiber.run, line, low, high };
}

/** Sum of the contact force along a fiber over time. */
function contactOver(fiber) {
  const line = Float64Array.from(fiber.run.time, (_, k) => {
    let sum = 0, lengths = null;
    for (let s = 0; s < fiber.nSamples; s++) {
      const density = fiber.field("contact_force_density", k, s);
      if (density === 0) continue;
      lengths ??= fiber.lengths(k);
      sum += density * lengths[s];
    }
    return sum;
  });
  return { run: fiber.run, line };
}

/** Activation, axial force, stretch, contact force and the colored field of fibers of runs. */
function fiberCurves(fibers, fields, colorBy) {
  const extra = ["radius", "stress"].filter((name) => name === colorBy);
  const rows = ["activation", "axial_force", "stretch", ...extra].map((name) => {
    const { words, unit: unitName } = fields.find((one) => one.name === name);
    if (name !== "activation") {
      const note = "mean; shaded from minimum to maximum";
      return { words, unit: unitName, note, lines: fibers.map((fiber) => alongFiber(fiber, name)) };
    }
    const lines = fibers.map((fiber) => (
      { run: fiber.run, line: Float64Array.from(fiber.run.time, (_, k) => fiber.activation.at(k)) }
    ));
    return { words, unit: unitName, note: "", lines };
  });
  const lines = fibers.map(contactOver);
  return [...rows, { words: "contact force", unit: "N", note: "sum along the fiber", lines }];
}

/** Curves of one quantity in a canvas. */
class Chart {
  constructor(row, runs, time, onSeek) {
    this.runs = runs;
    this.time = time;
    this.figure = document.createElement("figure");
    const title = document.createElement("figcaption");
    this.now = document.createElement("output");
    title.append(element("strong", row.words), this.now);
    if (row.note) title.title = row.note;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
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
    this.set(row);
  }

  /** Update the numbers when more are loaded. */
  set(row) {
    this.lines = row.lines;
    let least = Infinity, most = -Infinity;
    for (const { line, low = line, high = line } of row.lines) {
      for (const values of [line, low, high]) {
        for (const value of values) {
          if (!Number.isFinite(value)) continue;
          least = Math.min(least, value);
          most = Math.max(most, value);
        }
      }
    }
    if (!(least <= most)) [least, most] = [0, 1];
    const { unit: name, factor } = prefixed(row.unit, Math.max(Math.abs(least), Math.abs(most)));
    const spread = Math.max(most - least, 1e-4 * Math.max(Math.abs(least), Math.abs(most)), 1e-12);
    this.low = factor * (least - 0.06 * spread);
    this.high = factor * (most + 0.06 * spread);
    this.factor = factor;
    this.unit = name === "-" ? "" : ` ${name}`;
    this.canvas.setAttribute(
      "aria-label",
      `${row.words} over time, from ${short(factor * least)} to ${short(factor * most)}${this.unit}`,
    );
  }

  draw(now, look) {
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
      strokeLine(pen, left, y(value), right, y(value));
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
    for (const { run, line, low, high } of this.lines) {
      pen.strokeStyle = pen.fillStyle = this.color(run, look);
      pen.setLineDash(DASHES[this.runs.indexOf(run)]);
      this.drawLine(pen, run.time, { line, low, high }, x, y);
    }
    pen.setLineDash([]);
    pen.strokeStyle = pen.fillStyle = look.accent;
    pen.lineWidth = 1.2;
    strokeLine(pen, x(now), top - 4, x(now), bottom + 3);
    const several = this.runs.length > 1;
    const values = this.lines.map(({ run, line }) => this.factor * line[run.frame]);
    this.lines.forEach(({ run }, k) => {
      pen.beginPath();
      pen.arc(x(run.time[run.frame]), y(values[k]), 3.2, 0, 7);
      if (several) pen.fillStyle = this.color(run, look);
      pen.fill();
    });
    this.now.replaceChildren(...values.map((value, k) => {
      const words = short(value) + (k < values.length - 1 ? ", " : this.unit);
      const part = element("span", words);
      if (several) Object.assign(part.style, lineLook(this.runs.indexOf(this.lines[k].run)));
      return part;
    }));
  }

  /** Color of the curve of a run. */
  color(run, look) {
    const number = this.runs.indexOf(run);
    return number ? LINE_COLORS[number] : look.curve;
  }

  drawLine(pen, time, { line, low, high }, x, y) {
    const f = this.factor;
    if (low) {
      pen.globalAlpha = 0.2;
      pen.beginPath();
      for (let k = 0; k < line.length; k++) pen.lineTo(x(time[k]), y(f * low[k]));
      for (let k = line.length - 1; k >= 0; k--) pen.lineTo(x(time[k]), y(f * high[k]));
      pen.fill();
      pen.globalAlpha = 1;
    }
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.beginPath();
    for (let k = 0; k < line.length; k++) {
      if (Number.isFinite(line[k])) pen.lineTo(x(time[k]), y(f * line[k]));
    }
    pen.stroke();
  }
}
