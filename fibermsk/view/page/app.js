// The page: what is shown, what the buttons and keys do, and when it is drawn.

const $ = (id) => document.getElementById(id);
const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20];

class App extends Painting {
  constructor({ head, bytes, packed }) {
    super();
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
}
