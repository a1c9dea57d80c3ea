// The page: what is shown, what the buttons and keys do, and when it is drawn.

const $ = (id) => document.getElementById(id);
const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20];
const MOST_NAMES = 60;

class App {
  constructor({ head, bytes, packed }) {
    this.head = head;
    this.packed = packed;
    this.time = plainArray(bytes, head.time);
    this.fibers = head.fibers.map((note) => new Fiber(bytes, note));
    this.bodies = head.bodies.map((body) => ({
      position: plainArray(bytes, body.position), rotation: plainArray(bytes, body.rotation),
    }));
    this.coordinates = head.coordinates.map(({ name, unit: unitName, values }) => (
      { words: name, unit: unitName, note: "", line: plainArray(bytes, values) }
    ));
    this.model = {
      fibers: this.fibers.length,
      rings: this.fibers.length ? new Rings(this.fibers) : null,
      pieces: head.pieces.map((piece) => ({
        ...piece,
        points: plainArray(bytes, piece.points),
        normals: plainArray(bytes, piece.normals),
        faces: plainArray(bytes, piece.faces),
      })),
    };
    this.camera = new Camera(head.camera, head.up, plainArray(bytes, head.camera.cloud));
    this.longest = 0.22 * head.size;
    this.frame = 0;
    this.field = head.color_by;
    this.selected = -1;
    this.playing = false;
    this.touched = false; // whether the camera was moved by hand
    this.charts = [];
    this.dirty = false;
    this.error = null;
    const { along = 0, around = 0 } = this.model.rings ?? {};
    this.heavy = 2 * along * around * this.fibers.length > 100000;
    this.pace = new Pace(() => this.redraw());
  }

  start() {
    this.fillControls();
    this.describe();
    this.setTheme();
    try {
      this.scene = new Scene($("view"), this.head, this.model);
    } catch (trouble) {
      this.error = String(trouble.message);
      const trial = document.createElement("canvas").getContext("webgl2");
      $("trouble").hidden = false;
      $("trouble").textContent = trial
        ? `The scene cannot be drawn: ${this.error}. The curves beside it work all the same.`
        : "The scene is drawn with WebGL 2, which this browser lacks or has switched off. Try a "
          + "current Firefox, Chrome, Edge or Safari with hardware acceleration switched on. The "
          + "curves beside the scene work all the same.";
    }
    this.listen();
    this.fit("fit");
    const start = this.head.start ?? this.time[0];
    this.showFrame(this.nearest(start));
    this.showCurves();
    if (this.head.autoplay && this.time.length > 1) this.play();
  }

  fillControls() {
    const { head } = this;
    const option = (select, value, words) => {
      const item = document.createElement("option");
      item.value = value;
      item.textContent = words;
      $(select).append(item);
    };
    head.fields.forEach((field) => option("field", field.name, field.words));
    $("field").value = this.field;
    Object.keys(head.camera.ways).forEach((preset) => option("preset", preset, preset === "fit" ? "everything" : preset));
    option("fiber", "-1", "none selected");
    this.fibers.forEach((fiber, k) => option("fiber", k, fiber.name));
    SPEEDS.forEach((speed) => option("speed", speed, `${speed}\u00d7`));
    $("speed").value = "1";
    $("field-choice").hidden = $("fiber-choice").hidden = !this.fibers.length;
    for (const kind of ["attachment", "contact"]) {
      $(kind).checked = head.arrows.includes(kind);
      $(kind).parentElement.hidden = !(head.greatest[kind] > 0);
    }
    $("show-names").checked = head.names;
    $("show-names").parentElement.hidden = !this.fibers.length && !head.labels.length;
    const moves = this.time.length > 1;
    $("transport").hidden = !moves;
    const last = this.time[this.time.length - 1];
    Object.assign($("time"), { min: this.time[0], max: last, step: "any", value: this.time[0] });
  }

  describe() {
    const { head } = this;
    $("scene-name").textContent = head.scene;
    if (head.status !== "success") {
      $("status").hidden = false;
      $("status").textContent = head.status;
    }
    if (head.message) {
      $("message").hidden = false;
      $("message").textContent = head.message;
    }
    const n = this.time.length;
    const rows = [
      ["frames", n === head.n_all ? String(n) : `${n} of ${head.n_all}, chosen evenly`],
      ["fibers", String(this.fibers.length)],
      ["data", `${(this.packed / 1e6).toFixed(2)} MB`],
    ];
    if (this.fibers.length) {
      const { unit: name, factor } = prefixed("m", head.error);
      rows.push(["rounding", `centerlines to ${(factor * head.error).toPrecision(2)} ${name}; `
        + "forces, stretches, radii to 1/131068 of their range"]);
    }
    if (head.method && !head.still) rows.push(["method", head.method]);
    if (head.version) rows.push(["fibermsk", head.version]);
    for (const [key, value] of rows) {
      const term = document.createElement("dt"), text = document.createElement("dd");
      term.textContent = key;
      text.textContent = value;
      $("about").append(term, text);
    }
  }

  listen() {
    const on = (id, kind, action) => $(id).addEventListener(kind, action);
    on("play", "click", () => this.toggle());
    on("time", "input", () => this.showFrame(this.nearest(Number($("time").value))));
    on("field", "change", () => this.setField($("field").value));
    on("fiber", "change", () => this.select(Number($("fiber").value)));
    on("preset", "change", () => this.fit($("preset").value));
    for (const id of ["attachment", "contact", "show-names"]) on(id, "change", () => this.refill());
    on("theme", "click", () => {
      document.documentElement.dataset.theme = this.theme === "dark" ? "light" : "dark";
      this.setTheme();
    });
    on("save", "click", () => this.save());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme());
    document.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => {
      if (!this.touched) this.fit($("preset").value);
      this.redraw(true);
    }).observe($("scene"));
    const canvas = $("view");
    watchPointers(canvas, this.camera, {
      redraw: () => {
        this.touched = true;
        this.redraw(this.arrowKinds.length > 0); // their scale depends on the distance
      },
      click: (x, y, touch) => {
        canvas.focus({ preventScroll: true });
        this.select(this.pick(x, y, touch ? 14 : 4));
      },
      home: () => this.fit("fit"),
    });
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.scene = null;
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.scene = new Scene(canvas, this.head, this.model);
      this.refill();
    });
  }

  key(event) {
    const kind = event.target.tagName;
    if (event.ctrlKey || event.metaKey || event.altKey || kind === "SELECT") return;
    const last = this.time.length - 1;
    const actions = {
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      Home: () => this.showFrame(0),
      End: () => this.showFrame(last),
      f: () => this.fit("fit"),
      Escape: () => this.select(-1),
    };
    // Space presses a button or a box that has the focus.
    if (kind !== "BUTTON" && kind !== "SUMMARY" && event.target.type !== "checkbox") {
      actions[" "] = () => this.toggle();
    }
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  nearest(time) {
    let best = 0;
    for (let k = 1; k < this.time.length; k++) {
      if (Math.abs(this.time[k] - time) < Math.abs(this.time[best] - time)) best = k;
    }
    return best;
  }

  step(n) {
    this.pause();
    this.showFrame(clamp(this.frame + n, 0, this.time.length - 1));
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.time.length < 2) return;
    const first = this.time[0], last = this.time[this.time.length - 1];
    this.playing = true;
    this.showPlaying();
    let clock = this.frame === this.time.length - 1 ? first : this.time[this.frame];
    let before = null;
    const run = (now) => {
      if (!this.playing) return;
      if (before !== null) {
        const wall = Math.min((now - before) / 1000, 0.5);
        // The slider may have moved in between.
        if (this.sought) clock = this.time[this.frame];
        this.sought = false;
        clock += wall * Number($("speed").value);
        if (clock > last) {
          if (!$("loop").checked) {
            this.showFrame(this.time.length - 1);
            this.pause();
            return;
          }
          clock = first + ((clock - first) % (last - first));
        }
        const frame = this.nearest(clock);
        if (frame !== this.frame) this.showFrame(frame, false);
      }
      before = now;
      requestAnimationFrame(run);
    };
    requestAnimationFrame(run);
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.showPlaying();
    this.redraw();
  }

  showPlaying() {
    $("play").classList.toggle("playing", this.playing);
    $("play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }

  showFrame(frame, sought = true) {
    this.frame = frame;
    this.sought = sought;
    const time = this.time[frame];
    $("time").value = time;
    const digits = this.digits ??= this.timeDigits();
    $("now").textContent = `${time.toFixed(digits)} s`;
    $("time").setAttribute("aria-valuetext", `${time.toFixed(digits)} seconds`);
    this.refill();
  }

  /** Digits that tell neighboring frames apart. */
  timeDigits() {
    const mean = (this.time[this.time.length - 1] - this.time[0]) / Math.max(this.time.length - 1, 1);
    return clamp(Math.ceil(-Math.log10(mean || 1)) + 1, 2, 6);
  }

  setField(name) {
    this.field = name;
    $("field").value = name;
    this.refill(true);
    if (this.selected >= 0) this.showCurves();
  }

  select(number) {
    if (number === this.selected) return;
    this.selected = number;
    $("fiber").value = String(number);
    this.showCurves();
    this.redraw();
  }

  get theme() {
    const asked = document.documentElement.dataset.theme;
    if (asked === "light" || asked === "dark") return asked;
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  setTheme() {
    document.documentElement.dataset.look = this.theme;
    const style = getComputedStyle(document.documentElement);
    const names = ["ground", "ink", "faint", "line", "accent", "curve", "shade"];
    this.look = Object.fromEntries(names.map((n) => [n, style.getPropertyValue(`--${n}`).trim()]));
    $("theme").textContent = this.theme === "dark" ? "Light" : "Dark";
    this.redraw(true);
  }

  /** Part of the scene's width that the legend takes. */
  get room() {
    return $("legend").hidden ? 0 : (LEGEND_WIDTH + 8) / Math.max($("scene").clientWidth, 1);
  }

  fit(preset) {
    $("preset").value = preset;
    this.touched = false;
    this.sizeLegend();
    const { clientWidth, clientHeight } = $("scene");
    this.camera.look(preset, clientWidth / Math.max(clientHeight, 1), this.room);
    this.redraw(true);
  }

  sizeLegend() {
    $("legend").hidden = !this.fibers.length;
  }

  /** Numbers of the scene have changed: compute and draw them. */
  refill(legendToo = true) {
    this.stale = true;
    this.redraw(legendToo);
  }

  redraw(legendToo = false) {
    this.legendStale ||= legendToo;
    if (this.dirty) return;
    this.dirty = true;
    requestAnimationFrame(() => {
      this.dirty = false;
      this.pace.begin();
      this.paint();
    });
  }

  get limits() {
    return this.head.fields.find((field) => field.name === this.field)?.limits ?? [0, 1];
  }

  get arrowKinds() {
    return ["attachment", "contact"].filter((k) => $(k).checked && this.head.greatest[k] > 0);
  }

  /** Arrows of a frame: where each starts, its way, its color. */
  arrowRows() {
    const rows = [], kinds = this.arrowKinds;
    const put = (kind, point, force) => {
      const way = scale(this.longest / this.head.greatest[kind], force);
      if (length(way) > 0.01 * this.longest) rows.push(...point, ...way, ...rgb(this.head.colors[kind]));
    };
    for (const fiber of this.fibers) {
      if (kinds.includes("attachment")) {
        const triple = (series) => [0, 1, 2].map((i) => series.at(3 * this.frame + i));
        put("attachment", fiber.point(this.frame, 0), triple(fiber.force_origin));
        put("attachment", fiber.point(this.frame, 1), triple(fiber.force_insertion));
      }
      if (kinds.includes("contact")) {
        const found = fiber.contacts(this.frame, this.head.share);
        found.forEach(({ point, force }) => put("contact", point, force));
      }
    }
    return new Float32Array(rows);
  }

  lookNow(width, height) {
    const frame = this.frame;
    const poses = this.bodies.map((body) => poseMatrix(body.position, body.rotation, frame));
    poses.ground = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    return {
      ...this.camera.matrices(width / height), poses, longest: this.longest,
      coarseness: this.heavy ? this.pace.coarseness : 0, background: rgb(this.look.ground), accent: rgb(this.look.accent), selected: this.selected,
      shade: this.head.shade[this.theme],
    };
  }

  paint() {
    const { clientWidth: width, clientHeight: height } = $("scene");
    if (this.stale && this.model.rings) this.model.rings.move(this.frame, this.field, this.limits);
    if (this.scene && this.stale) this.scene.fill(this.model.rings, this.arrowRows());
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
    this.charts.forEach((chart) => chart.draw(this.frame, this.look));
    const words = `${this.head.scene} at ${$("now").textContent}`;
    $("view").setAttribute("aria-label", `Scene in space: ${words}`);
  }

  resize(width, height) {
    const canvas = $("view");
    if (canvas.width === width && canvas.height === height) return;
    canvas.width = width;
    canvas.height = height;
  }

  paintLegend() {
    if (!this.fibers.length) return;
    const field = this.head.fields.find((one) => one.name === this.field);
    const all = this.fibers.flatMap((fiber) => Array.from(fiber.muscle_fraction));
    const tissues = [];
    if (all.some((x) => x < 0.5)) tissues.push("tendon");
    if (all.some((x) => x >= 0.5)) tissues.push("muscle");
    const tall = 2 * this.camera.distance * Math.tan(0.5 * this.camera.angle);
    const perMeter = $("scene").clientHeight / tall;
    const arrows = this.arrowKinds.map((kind) => {
      const perNewton = (this.longest / this.head.greatest[kind]) * perMeter;
      const force = roundDown(48 / perNewton);
      return { kind, force, pixels: force * perNewton };
    });
    drawLegend($("legend"), {
      field, tissues, share: this.head.share, colors: this.head.colors, arrows, height: $("scene").clientHeight,
      ink: this.look.ink, faint: this.look.faint, dpr: 2,
    });
    const { unit: name, factor } = prefixed(field.unit, Math.max(...field.limits.map(Math.abs)));
    const ends = field.limits.map((x) => short(factor * x)).join(" to ");
    const forces = arrows.map(({ kind, force }) => `; arrows: ${arrowWords(kind, this.head.share)}, ${force} N`);
    const words = `Color: ${field.words}, ${ends}${name === "-" ? "" : ` ${name}`}`;
    $("legend").setAttribute("aria-label", words + forces.join(""));
  }

  paintNames(width, height) {
    const place = $("names");
    place.replaceChildren();
    const wanted = [];
    const shown = $("show-names").checked;
    const named = shown && this.fibers.length <= MOST_NAMES;
    this.fibers.forEach((fiber, k) => {
      // Neighbors are named at different places along them.
      const label = () => [fiber.name, fiber.point(this.frame, 0.35 + 0.1 * (k % 4))];
      if (k === this.selected) wanted.unshift([...label(), true]);
      else if (named) wanted.push([...label(), false]);
    });
    if (shown) {
      this.head.labels.forEach(({ words, point }) => wanted.push([words, point, false]));
    }
    const taken = [];
    for (const [words, point, selected] of wanted) {
      const [x, y, away] = this.camera.project(point, width, height);
      if (!(away > 0) || !(x > 0 && x < width && y > 0 && y < height)) continue;
      const span = document.createElement("span");
      span.textContent = words;
      span.classList.toggle("selected", selected);
      place.append(span);
      const wide = span.offsetWidth, tall = span.offsetHeight;
      const inside = ([left, top]) => (
        left >= 0 && left + wide <= width && top >= 0 && top + tall <= height
      );
      const free = ([left, top]) => inside([left, top]) && taken.every(([a, b, w, h]) => (
        left + wide <= a || a + w <= left || top + tall <= b || b + h <= top
      ));
      const spots = [0, 1, -1, 2, -2].flatMap((k) => [
        [x + 10, y + k * tall - 0.5 * tall], [x - 10 - wide, y + k * tall - 0.5 * tall],
      ]);
      const spot = spots.find(free);
      if (!spot) {
        span.remove();
        continue;
      }
      taken.push([...spot, wide, tall]);
      span.style.transform = `translate(${spot[0]}px, ${spot[1]}px)`;
    }
  }

  showCurves() {
    const list = $("curves");
    list.replaceChildren();
    this.charts = [];
    const fiber = this.fibers[this.selected];
    let rows;
    if (fiber) {
      $("curves-title").textContent = fiber.name;
      rows = fiberCurves(fiber, this.time.length, this.head.fields, this.field);
    } else {
      // Of many coordinates, those that move.
      const moving = (row) => row.line.some((x) => Math.abs(x - row.line[0]) > 1e-9);
      rows = this.time.length > 1 ? this.coordinates.filter(moving) : [];
      $("curves-title").textContent = rows.length ? "Coordinates" : "";
    }
    if (this.time.length > 1) {
      const seek = (time) => this.showFrame(this.nearest(time));
      this.charts = rows.map((row) => new Chart(row, this.time, seek));
      list.append(...this.charts.map((chart) => chart.figure));
    } else {
      for (const row of rows) {
        const line = document.createElement("p");
        const { unit: name, factor } = prefixed(row.unit, Math.abs(row.line[0]));
        line.textContent = `${row.words}: ${short(factor * row.line[0])}${name === "-" ? "" : ` ${name}`}`;
        list.append(line);
      }
    }
    if (!fiber && this.fibers.length) {
      const hint = document.createElement("p");
      hint.textContent = "Click a fiber for its curves over time.";
      list.append(hint);
    }
    this.redraw();
  }

  /** Number of the fiber at a place of the scene, in pixels of the page; -1 for none. */
  pick(x, y, reach) {
    if (!this.scene || !this.fibers.length) return -1;
    const { clientWidth: width, clientHeight: height } = $("scene");
    const k = $("view").width / width;
    const found = this.scene.pick(this.lookNow(width, height), k * x, k * y, Math.round(k * reach));
    this.redraw();
    return found;
  }

  /** The scene twice as fine, with name, time and legend, as a PNG file. */
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
    pen.fillStyle = this.look.ink;
    pen.font = "600 15px system-ui, sans-serif";
    const failed = this.head.status === "success" ? "" : ` (${this.head.status})`;
    pen.fillText(this.head.scene + failed, 14, 26);
    pen.font = "13px system-ui, sans-serif";
    pen.fillStyle = this.look.faint;
    if (!this.head.still) pen.fillText(`t = ${$("now").textContent}`, 14, 46);
    const legend = $("legend");
    if (!legend.hidden) {
      const box = legend.getBoundingClientRect(), scene = $("scene").getBoundingClientRect();
      pen.drawImage(legend, box.left - scene.left, box.top - scene.top, box.width, box.height);
    }
    picture.toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      const name = this.head.scene.replace(/[^\w-]+/g, "_") || "scene";
      link.download = `${name}_${this.frame}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
    this.redraw();
  }
}

/** For tests and scripts: what is shown, read-only. */
function outside(app) {
  const number = (name) => app.fibers.findIndex((fiber) => fiber.name === name);
  const frameAt = (time) => (time === undefined ? app.frame : app.nearest(time));
  return Object.freeze({
    sample: (name, theta, time) => app.fibers[number(name)].point(frameAt(time), theta),
    value: (name, field, sample, time) => (
      app.fibers[number(name)].field(field, frameAt(time), sample)
    ),
    project: (point) => {
      const { clientWidth: width, clientHeight: height } = $("scene");
      return app.camera.project(point, width, height).slice(0, 2);
    },
    arrows: () => Array.from(app.arrowRows()),
    state: () => ({
      frame: app.frame, time: app.time[app.frame], frames: app.time.length, field: app.field,
      playing: app.playing, theme: app.theme, selected: app.fibers[app.selected]?.name ?? null,
      arrows: app.arrowKinds, error: app.error, settled: !app.dirty,
      resting: !app.dirty && !app.pace.moving, coarseness: app.pace.coarseness,
    }),
  });
}

const place = $("data");
readData(place.textContent)
  .then((data) => {
    place.remove();
    const app = new App(data);
    app.start();
    Object.defineProperty(window, "fibermsk", { value: outside(app) });
  })
  .catch((trouble) => {
    $("scene-name").textContent = "This page cannot be shown";
    $("trouble").hidden = false;
    $("trouble").textContent = String(trouble.message ?? trouble);
    console.error(trouble);
  });
