// Drawing of scene, legend and names, and saving of pictures.

const MOST_FORCES = 24; // whose magnitudes are written
const UNKNOWN = "#808080"; // of line muscles without a value of a field
const AXES = ["#d9534f", "#3c9a5f", "#5b7fe0"];

class Painting {
  /** Field that colors the fibers; undefined without fibers. */
  get shownField() {
    return this.head.fields.find((field) => field.name === this.field);
  }

  get limits() {
    return this.shownField?.limits ?? [0, 1];
  }

  get arrowKinds() {
    return ["attachment", "contact"].filter((k) => $(k).checked && this.head.greatest[k] > 0);
  }

  /** Start, vector and color of each arrow of a run. */
  arrowRows(run) {
    const rows = [], kinds = this.arrowKinds;
    const put = (kind, point, force) => {
      const way = scale(this.longest / this.head.greatest[kind], force);
      if (length(way) > 0.01 * this.longest) rows.push(...point, ...way, ...rgb(this.head.colors[kind]));
    };
    for (const fiber of run.fibers) {
      if (kinds.includes("attachment")) {
        const triple = (series) => [0, 1, 2].map((i) => series.at(3 * run.frame + i));
        put("attachment", fiber.point(run.frame, 0), triple(fiber.force_origin));
        put("attachment", fiber.point(run.frame, 1), triple(fiber.force_insertion));
      }
      if (kinds.includes("contact")) {
        const found = fiber.contacts(run.frame, this.head.share);
        found.forEach(({ point, force }) => put("contact", point, force));
      }
    }
    return new Float32Array(rows);
  }

  lookNow(width, height) {
    return {
      ...this.camera.matrices(this.wide / height), aside: this.aside / width, longest: this.longest,
      coarseness: this.heavy ? this.pace.coarseness : 0, background: rgb(this.look.ground), accent: rgb(this.look.accent), selected: this.selected,
      shade: this.head.shade[this.theme], colors: this.shownField?.colors, envelope: $("envelope").checked,
    };
  }

  /** Pixel position of a point of a run, and its depth. */
  project(point, run) {
    const { wide } = this;
    const [x, y, away] = this.camera.project(point, wide, $("scene").clientHeight);
    return [x + wide * this.views.findIndex((runs) => runs.includes(run)), y, away];
  }

  paint() {
    const { clientWidth: width, clientHeight: height } = $("scene");
    this.paintTime();
    if (this.stale) {
      for (const run of this.runs) {
        run.rings?.move(run.frame, this.field, this.limits);
        this.scene?.fill(run, this.arrowRows(run));
        if (!run.envelopes || !$("envelope").checked) continue;
        run.envelopes.move(this.shownField.colors);
        this.scene?.fillSkins(run);
      }
    }
    this.stale = false;
    if (this.scene && width && height) {
      const dpr = Math.min(window.devicePixelRatio || 1, 2) * this.pace.sharpness;
      this.resize(Math.round(width * dpr), Math.round(height * dpr));
      const start = performance.now(), wanted = this.pace.wanted;
      this.scene.draw(this.lookNow(width, height));
      if (wanted) {
        this.scene.finish();
        this.pace.took(performance.now() - start);
      }
    }
    if (this.legendStale) this.paintLegend();
    this.legendStale = false;
    this.paintNames(width, height);
    this.paintCaptions();
    this.paintAxes();
    this.charts.forEach((chart) => chart.draw(this.time[this.frame], this.look));
    const words = `${$("scene-name").textContent} at ${$("now").textContent}`;
    $("view").setAttribute("aria-label", `Scene in space: ${words}`);
  }

  /** The time of what is drawn. */
  paintTime() {
    const time = this.time[this.frame], words = this.timeWords(time);
    $("time").value = time;
    $("now").textContent = words;
    $("time").setAttribute("aria-valuetext", words);
  }

  /** Lines above a view: names if there are several, and problems. */
  captions(runs) {
    const time = this.time[this.frame], several = this.runs.length > 1;
    return runs.flatMap((run, k) => {
      const words = [], flaws = run.flawed[run.frame];
      const failed = run.status === "success" ? "" : ` (${run.status})`;
      const kind = this.head.overlay ? ["solid: ", "translucent: "][Math.min(k, 1)] : "";
      if (several) words.push(kind + run.name + failed);
      if (run.ended(time)) words.push(`t = ${this.timeWords(run.time[run.frame])}, its end`);
      if (flaws) words.push(`${flaws} of ${run.fibers.length} fibers: numbers not finite`);
      return words;
    });
  }

  paintCaptions() {
    const words = this.views.map((runs) => this.captions(runs).join("\n"));
    $("captions").style.right = `${this.aside}px`;
    $("captions").replaceChildren(...words.map((lines) => element("p", lines)));
  }

  /** Directions of the axes of the ground frame, in the lower left corner. */
  paintAxes() {
    const canvas = $("axes"), size = 64, reach = 22;
    canvas.width = canvas.height = 2 * size;
    const pen = canvas.getContext("2d");
    pen.setTransform(2, 0, 0, 2, size, size);
    pen.font = "600 11px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineWidth = 2;
    const { right, above, forward } = this.camera;
    // farthest first
    [0, 1, 2].sort((a, b) => forward[b] - forward[a]).forEach((k) => {
      const x = reach * right[k], y = -reach * above[k];
      pen.strokeStyle = pen.fillStyle = AXES[k];
      strokeLine(pen, 0, 0, x, y);
      pen.fillText("xyz"[k], 1.3 * x, 1.3 * y);
    });
  }

  resize(width, height) {
    const canvas = $("view");
    if (canvas.width === width && canvas.height === height) return;
    canvas.width = width;
    canvas.height = height;
  }

  paintLegend() {
    if (!this.fibers.length) return;
    const field = this.shownField;
    const unknown = (fiber) => Number.isNaN(fiber.field(field.name, 0, 0));
    const hasTendon = (fiber) => fiber.muscle_fraction.some((x) => x < 0.5);
    const [tendon, muscle] = [field.colors.tendon[0], field.colors.muscle[0]];
    const swatches = [];
    if (tendon !== muscle && this.fibers.some(hasTendon)) swatches.push(["tendon", tendon]);
    if (this.fibers.some(unknown)) swatches.push(["line muscle", UNKNOWN]);
    const tall = 2 * this.camera.distance * Math.tan(0.5 * this.camera.angle);
    const perMeter = $("scene").clientHeight / tall;
    const arrows = this.arrowKinds.map((kind) => {
      const perNewton = (this.longest / this.head.greatest[kind]) * perMeter;
      const force = roundDown(48 / perNewton);
      return { kind, force, pixels: force * perNewton };
    });
    drawLegend($("legend"), {
      field, swatches, share: this.head.share, colors: this.head.colors, arrows, height: $("scene").clientHeight,
      ink: this.look.ink, faint: this.look.faint, dpr: 2,
    });
    const { unit: name, factor } = prefixed(field.unit, Math.max(...field.limits.map(Math.abs)));
    const ends = field.limits.map((x) => short(factor * x)).join(" to ");
    const forces = arrows.map(({ kind, force }) => `; arrows: ${arrowWords(kind, this.head.share)}, ${force} N`);
    const words = `Color: ${field.scale}, ${ends}${name === "-" ? "" : ` ${name}`}`;
    $("legend").setAttribute("aria-label", words + forces.join(""));
  }

  /** Texts of the forces of muscles on bones at the tips of their arrows: words, point, run. */
  magnitudes() {
    if (!this.arrowKinds.includes("attachment")) return [];
    const perNewton = this.longest / this.head.greatest.attachment, found = [];
    for (const run of this.runs.filter(({ opacity }) => opacity === 1)) {
      const ends = new Map();
      for (const fiber of run.fibers) {
        const stem = muscleOf(fiber.name);
        for (const [theta, series] of [[0, fiber.force_origin], [1, fiber.force_insertion]]) {
          const key = `${theta} ${stem}`;
          if (!ends.has(key)) ends.set(key, { stem, n: 0, force: [0, 0, 0], point: [0, 0, 0] });
          const end = ends.get(key);
          end.n += 1;
          end.force = add(end.force, [0, 1, 2].map((i) => series.at(3 * run.frame + i)));
          end.point = add(end.point, fiber.point(run.frame, theta));
        }
      }
      for (const { stem, n, force, point } of ends.values()) {
        const size = length(force);
        if (!(size > 0.01 * this.head.greatest.attachment)) continue;
        const { unit: name, factor } = prefixed("N", size);
        const words = `${stem}${n > 1 ? " Σ" : ""} ${Number((factor * size).toPrecision(3))} ${name}`;
        const tip = add(scale(1 / n, point), scale(perNewton / n, force));
        found.push([size, [words, tip, run]]);
      }
    }
    found.sort(([a], [b]) => b - a);
    return found.slice(0, MOST_FORCES).map(([, one]) => one);
  }

  /** Points of a run on the screen: along each muscle, and along its fibers with its name. */
  onScreen(run) {
    const muscles = new Map(), things = [];
    const share = Math.ceil(run.fibers.length / MOST_FIBERS);
    run.fibers.forEach((fiber) => {
      const name = muscleOf(fiber.name);
      if (!muscles.has(name)) muscles.set(name, []);
      muscles.get(name).push(fiber);
    });
    const paths = [...muscles].map(([name, fibers]) => {
      const own = fibers.filter((_, k) => k % share === 0);
      const along = own.map((fiber) => CHOICES.map((theta) => fiber.point(run.frame, theta)));
      along.forEach((points) => points.forEach(
        (point) => things.push([...this.project(point, run), name]),
      ));
      const bellies = own.map((fiber) => fiber.inBelly().map((theta) => fiber.point(run.frame, theta)));
      const mean = CHOICES.map((_, k) => scale(1 / own.length, bellies.map((points) => points[k]).reduce(add)));
      return { name, points: mean.map((point) => this.project(point, run)) };
    });
    return { paths, things };
  }

  paintNames(width, height) {
    const wanted = [], things = [];
    const shown = $("show-names").checked;
    const chosen = this.fibers[this.selected];
    const put = (run, words, points, more) => wanted.push({
      key: `${this.runs.indexOf(run)} ${words}`, words, points, ...more,
    });
    if (chosen) {
      const points = chosen.inBelly().map((theta) => this.project(chosen.point(chosen.run.frame, theta), chosen.run));
      put(chosen.run, chosen.name, points, { dot: true, kind: "selected", muscle: muscleOf(chosen.name) });
    }
    // of an overlay those of the solid result
    for (const run of shown ? this.runs.filter(({ opacity }) => opacity === 1) : []) {
      const found = this.onScreen(run);
      things.push(...found.things);
      found.paths.slice(0, MOST_NAMES).forEach(
        ({ name, points }) => put(run, name, points, { dot: true, muscle: name }),
      );
    }
    this.magnitudes().forEach(
      ([words, point, run]) => put(run, words, [this.project(point, run)], { kind: "force" }),
    );
    if (shown) {
      this.runs.forEach((run) => run.labels.forEach(
        ({ words, point }) => put(run, words, [this.project(point, run)], {}),
      ));
    }
    const legend = $("legend"), scene = $("scene").getBoundingClientRect(), taken = [];
    if (!legend.hidden) {
      const box = legend.getBoundingClientRect();
      taken.push([box.left - scene.left, box.top - scene.top, box.width, box.height]);
    }
    const seen = [...this.camera.eye, ...this.camera.forward, width, height].join(" ");
    this.names ??= new Names($("names"));
    this.names.paint(wanted, things, taken, { width, height, seen });
  }

  /** Save the scene in twice the resolution, with name, time and legend, as PNG. */
  save() {
    if (!this.scene) return;
    const { clientWidth: width, clientHeight: height } = $("scene");
    const k = 2;
    const picture = document.createElement("canvas");
    picture.width = k * width;
    picture.height = k * height;
    this.resize(2 * k * width, 2 * k * height);
    this.scene.draw({ ...this.lookNow(width, height), coarseness: 0 });
    const pen = picture.getContext("2d");
    pen.imageSmoothingQuality = "high";
    pen.drawImage($("view"), 0, 0, picture.width, picture.height);
    pen.scale(k, k);
    this.views.forEach((runs, v) => {
      const lines = this.captions(runs), { name, status } = runs[0];
      if (this.runs.length === 1) lines.unshift(name + (status === "success" ? "" : ` (${status})`));
      if (!this.head.still) lines.splice(this.head.overlay ? runs.length : 1, 0, `t = ${$("now").textContent}`);
      lines.forEach((words, n) => {
        pen.fillStyle = n ? this.look.faint : this.look.ink;
        pen.font = n ? "13px system-ui, sans-serif" : "600 15px system-ui, sans-serif";
        pen.fillText(words, 14 + v * this.wide, 26 + 20 * n);
      });
    });
    const legend = $("legend");
    if (!legend.hidden) {
      const box = legend.getBoundingClientRect(), scene = $("scene").getBoundingClientRect();
      pen.drawImage(legend, box.left - scene.left, box.top - scene.top, box.width, box.height);
    }
    picture.toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      const name = this.runs.map((run) => run.name).join("-").replace(/[^\w-]+/g, "_") || "scene";
      link.download = `${name}_${this.frame}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
    this.redraw();
  }
}
