// Controls, curves and information around the scene.

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20];

class Panel extends Painting {
  fillControls() {
    const { head } = this;
    const option = (select, value, words) => {
      $(select).append(Object.assign(element("option", words), { value }));
    };
    head.fields.forEach((field) => option("field", field.name, field.words));
    $("field").value = this.field;
    Object.keys(head.camera.ways).forEach((preset) => option("preset", preset, preset === "fit" ? "everything" : preset));
    option("fiber", "-1", "none selected");
    const of = (run) => (this.runs.length > 1 ? ` (${run.name})` : "");
    this.fibers.forEach((fiber, k) => option("fiber", k, fiber.name + of(fiber.run)));
    SPEEDS.forEach((speed) => option("speed", speed, `${speed}\u00d7`));
    $("speed").value = "1";
    $("field-choice").hidden = $("fiber-choice").hidden = !this.fibers.length;
    for (const kind of ["attachment", "contact"]) {
      $(kind).checked = head.arrows.includes(kind);
      $(kind).parentElement.hidden = !(head.greatest[kind] > 0);
    }
    $("envelope").checked = head.envelopes.shown;
    $("envelope").parentElement.hidden = !this.runs.some((run) => run.envelopes);
    $("show-names").checked = head.names;
    $("show-names").parentElement.hidden = !this.fibers.length && !this.runs.some((run) => run.labels.length);
    const moves = this.time.length > 1;
    $("transport").hidden = !moves;
    const last = this.time[this.time.length - 1];
    Object.assign($("time"), { min: this.time[0], max: last, step: "any", value: this.time[0] });
  }

  describe() {
    const { head, runs } = this, several = runs.length > 1;
    $("scene-name").textContent = runs.map((run) => run.name).join(", ");
    if (!several && runs[0].status !== "success") {
      $("status").hidden = false;
      $("status").textContent = runs[0].status;
    }
    const told = runs.filter((run) => run.message);
    $("message").hidden = !told.length;
    $("message").textContent = told.map((run) => (several ? `${run.name}: ` : "") + run.message).join("\n");
    const each = (words) => runs.map(words).join("; ");
    const rows = [
      ["frames", each(({ time: { length: n }, n_all: all }) => (
        n === all ? String(n) : `${n} of ${all}, chosen evenly`
      ))],
      ["fibers", each((run) => String(run.fibers.length))],
      ["data", ""],
    ];
    if (this.fibers.length) {
      const { unit: name, factor } = prefixed("m", head.error);
      rows.push(["rounding", `centerlines to ${(factor * head.error).toPrecision(2)} ${name}; `
        + "forces, stretches, radii to 1/131068 of their range"]);
    }
    if (runs[0].method && !head.still) rows.push(["method", each((run) => run.method)]);
    if (head.version) rows.push(["fibermsk", head.version]);
    for (const [key, value] of rows) {
      const text = Object.assign(element("dd", value), { id: `about-${key}` });
      $("about").append(element("dt", key), text);
    }
    this.tellLoaded();
  }

  /** Loaded part of the data. */
  get part() {
    const there = this.runs.flatMap((run) => run.there);
    return there.filter(Boolean).length / there.length;
  }

  tellLoaded() {
    $("about-data").textContent = `${(this.packed / 1e6).toFixed(2)} MB`;
    $("loading").hidden = this.part === 1;
    $("loading").textContent = `${Math.floor(100 * this.part)} % loaded`;
  }

  /** Curves of the measures, then of the selected fiber in all runs, or else of coordinates. */
  curveRows() {
    const rows = this.time.length > 1 ? this.measureRows((run) => run.measures) : [];
    const fiber = this.fibers[this.selected];
    if (fiber) {
      const alike = this.fibers.filter((one) => one.name === fiber.name && one.run !== fiber.run);
      return [...rows, ...fiberCurves([fiber, ...alike], this.head.fields, this.field)];
    }
    if (this.time.length < 2) return [];
    // only coordinates that move, and are no measures
    const told = new Set(rows.map((row) => row.words));
    const moving = (run) => run.coordinates.filter(({ moves, name }) => moves && !told.has(name));
    return [...rows, ...this.measureRows(moving)];
  }

  /** Rows of numbers over time, the same of all runs together. */
  measureRows(of) {
    const found = new Map();
    for (const run of this.runs) {
      for (const { name, words, unit: unitName, values } of of(run)) {
        if (!found.has(name)) found.set(name, { words: words ?? name, unit: unitName, note: "", lines: [] });
        found.get(name).lines.push({ run, line: values });
      }
    }
    return [...found.values()];
  }

  showCurves() {
    const list = $("curves"), fiber = this.fibers[this.selected], rows = this.curveRows();
    list.replaceChildren();
    this.charts = [];
    const measured = this.runs.some((run) => run.measures.length) ? "Measures" : "Coordinates";
    $("curves-title").textContent = fiber?.name ?? (rows.length ? measured : "");
    const say = (words) => {
      const line = element("p", words);
      list.append(line);
      return line;
    };
    if (this.time.length > 1) {
      if (this.runs.length > 1 && rows.length) {
        this.runs.forEach((run, k) => {
          Object.assign(say(run.name).style, lineLook(k));
        });
      }
      const seek = (time) => this.showFrame(this.nearest(time));
      this.charts = rows.map((row) => new Chart(row, this.runs, this.time, seek));
      list.append(...this.charts.map((chart) => chart.figure));
    } else {
      for (const { words, unit: unitName, lines: [{ line }] } of rows) {
        const { unit: name, factor } = prefixed(unitName, Math.abs(line[0]));
        say(`${words}: ${short(factor * line[0])}${name === "-" ? "" : ` ${name}`}`);
      }
    }
    if (!fiber && this.fibers.length) say("Click a fiber to see its curves over time.");
    this.redraw();
  }
}
