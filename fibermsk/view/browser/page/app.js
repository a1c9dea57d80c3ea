// State of the page, actions of buttons and keys, and redrawing.

class App extends Panel {
  constructor({ head, bytes, packed }) {
    super();
    this.head = head;
    this.packed = packed;
    const { time, camera } = revive({ time: head.time, camera: head.camera }, bytes, 0, []);
    this.time = time;
    this.camera = new Camera(camera, head.up, camera.cloud);
    this.runs = head.runs.map((note) => new Run(note, bytes));
    this.views = head.overlay ? [this.runs] : this.runs.map((run) => [run]);
    this.fibers = this.runs.flatMap((run) => run.fibers);
    const most = Math.max(0, ...this.fibers.map((fiber) => fiber.nNodes - 1));
    const detail = tubeDetail(this.fibers.length, most);
    for (const run of this.runs) {
      run.offset = this.fibers.indexOf(run.fibers[0]);
      run.rings = run.fibers.length ? new Rings(run.fibers, detail) : null;
      const { bundles } = run;
      run.envelopes = bundles.length ? new Envelopes(run.rings, bundles, head.envelopes) : null;
    }
    this.longest = 0.22 * head.size;
    this.frame = 0;
    this.field = head.color_by;
    this.selected = -1;
    this.playing = false;
    this.waiting = false; // for the part with the frame to be shown
    this.touched = false; // whether the camera was moved by hand
    this.charts = [];
    this.dirty = false;
    this.error = null;
    this.heavy = 2 * detail.along * detail.around * this.fibers.length > 100000;
    this.pace = new Pace(() => this.redraw());
  }

  start(time) {
    this.fillControls();
    this.describe();
    this.setTheme();
    try {
      this.scene = new Scene($("view"), this.head, this.views);
    } catch (trouble) {
      this.error = String(trouble.message);
      const trial = document.createElement("canvas").getContext("webgl2");
      $("trouble").hidden = false;
      $("trouble").textContent = trial
        ? `The scene cannot be drawn: ${this.error}. The curves beside it work all the same.`
        : "The scene needs WebGL 2, which this browser lacks or has switched off. Try a "
          + "current Firefox, Chrome, Edge or Safari with hardware acceleration switched on. The "
          + "curves beside the scene work all the same.";
    }
    this.listen();
    if (this.head.pose) this.pose = new Pose(this.head.pose, (found) => this.posed(found));
    this.fit("fit");
    this.started = true;
    this.showFrame(this.nearest(time));
    this.showCurves();
    if (this.head.autoplay && this.time.length > 1) this.play();
  }

  /** More frames are loaded. */
  came(packed) {
    this.packed += packed;
    if (!this.started) return;
    this.tellLoaded();
    if (this.waiting) this.showFrame(this.frame, this.sought);
    const refresh = () => {
      this.refreshing = null;
      const rows = this.curveRows();
      this.charts.forEach((chart, k) => chart.set(rows[k]));
      this.redraw();
    };
    if (this.part < 1) this.refreshing ??= setTimeout(refresh, 1000);
    else refresh();
  }

  /** Show a model in another pose. */
  posed({ bodies, pieces, labels }) {
    const [run] = this.runs;
    bodies.forEach((body, k) => {
      run.bodies[k].position.set(body.position);
      run.bodies[k].rotation.set(body.rotation);
    });
    run.pieces = [...run.pieces.filter((piece) => piece.body >= 0), ...pieces];
    run.labels = labels;
    this.scene?.replaceGround(run, pieces);
    this.redraw();
  }

  listen() {
    const on = (id, kind, action) => $(id).addEventListener(kind, action);
    on("play", "click", () => this.toggle());
    on("time", "input", () => this.showFrame(this.nearest(Number($("time").value))));
    on("field", "change", () => this.setField($("field").value));
    on("fiber", "change", () => this.select(Number($("fiber").value)));
    on("preset", "change", () => this.fit($("preset").value));
    on("back", "click", () => this.step(-1));
    on("on", "click", () => this.step(1));
    for (const id of ["attachment", "contact", "envelope", "show-names"]) on(id, "change", () => this.refill());
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
      this.scene = new Scene(canvas, this.head, this.views);
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
      r: () => this.fit("fit"),
      Escape: () => this.select(-1),
    };
    // space presses a focused button or box
    if (kind !== "BUTTON" && kind !== "SUMMARY" && event.target.type !== "checkbox") {
      actions[" "] = () => this.toggle();
    }
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  nearest(time) {
    return nearestIndex(this.time, time);
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
        // the slider may have moved
        if (this.sought) clock = this.time[this.frame];
        this.sought = false;
        if (!this.waiting) clock += wall * Number($("speed").value);
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
    this.waiting = this.runs.filter((run) => !run.show(time)).length > 0;
    this.refill();
  }

  /** Time with enough digits to distinguish neighboring frames. */
  timeWords(time) {
    const mean = (this.time[this.time.length - 1] - this.time[0]) / Math.max(this.time.length - 1, 1);
    return `${time.toFixed(clamp(Math.ceil(-Math.log10(mean || 1)) + 1, 2, 6))} s`;
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
    const names = ["ground", "ink", "faint", "line", "accent", "curve"];
    this.look = Object.fromEntries(names.map((n) => [n, style.getPropertyValue(`--${n}`).trim()]));
    $("theme").textContent = this.theme === "dark" ? "Light" : "Dark";
    this.redraw(true);
  }

  /** Pixels beside several views for the legend. */
  get aside() {
    if (this.views.length < 2 || $("legend").hidden) return 0;
    return Math.min(LEGEND_WIDTH + 8, 0.3 * $("scene").clientWidth);
  }

  /** Width of a view in pixels. */
  get wide() {
    return ($("scene").clientWidth - this.aside) / this.views.length;
  }

  /** Part of the width of a single view for the legend. */
  get room() {
    if (this.views.length > 1 || $("legend").hidden) return 0;
    return Math.min((LEGEND_WIDTH + 8) / Math.max(this.wide, 1), 0.5);
  }

  /** Part of the height for the names of several results, and where one ends before the others. */
  get top() {
    if (this.runs.length < 2) return 0;
    const last = this.time[this.time.length - 1];
    const lines = this.views.map((runs) => (
      runs.length + runs.filter((run) => run.ended(last) || run.ended(this.time[0])).length
    ));
    return Math.min((20 * Math.max(...lines) + 12) / Math.max($("scene").clientHeight, 1), 0.4);
  }

  fit(preset) {
    $("preset").value = preset;
    this.touched = false;
    $("legend").hidden = !this.fibers.length;
    const aspect = this.wide / Math.max($("scene").clientHeight, 1);
    const margin = this.views.length > 1 ? WIDE_MARGIN : MARGIN;
    this.camera.look(preset, aspect, { room: this.room, head: this.top, margin });
    this.redraw(true);
  }

  /** Recompute and redraw the scene. */
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

  /** Number of the fiber at a position, in pixels of the page; -1 for none. */
  pick(x, y, reach) {
    if (!this.scene || !this.fibers.length) return -1;
    const { clientWidth: width, clientHeight: height } = $("scene");
    const k = $("view").width / width;
    const found = this.scene.pick(this.lookNow(width, height), k * x, k * y, Math.round(k * reach));
    this.redraw();
    return found;
  }
}
