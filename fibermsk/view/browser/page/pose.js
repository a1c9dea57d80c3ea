// Sliders of a model: each change asks the server for the pose.

class Pose {
  /** `changed` is called with the data of each new pose. */
  constructor(note, changed) {
    this.note = note;
    this.changed = changed;
    this.values = Object.fromEntries(note.coordinates.map((one) => [one.name, one.value]));
    this.muscle = "";
    this.busy = this.again = false;
    $("pose").hidden = false;
    this.rows = note.coordinates.map((one) => this.row(one));
    $("sliders").append(...this.rows.map((row) => row.label));
    for (const name of ["", ...note.muscles]) {
      $("muscle").append(Object.assign(element("option", name || "none selected"), { value: name }));
    }
    $("muscle").parentElement.hidden = !note.muscles.length;
    $("muscle").addEventListener("change", () => this.choose($("muscle").value));
    $("start-pose").addEventListener("click", () => {
      for (const one of note.coordinates) this.values[one.name] = one.value;
      this.ask();
    });
    this.tell();
  }

  row({ name, unit: unitName, lower, upper, declared }) {
    const label = element("label", name), words = element("output");
    const slider = Object.assign(document.createElement("input"), {
      type: "range", min: lower, max: upper, step: "any", name,
      title: `${short(lower)} to ${short(upper)} ${unitName}${declared ? "" : ", not declared by the model"}`,
    });
    slider.addEventListener("input", () => {
      this.values[name] = Number(slider.value);
      this.ask();
    });
    const ends = element("small", slider.title);
    label.append(words, slider, ends);
    return { name, unitName, label, slider, words };
  }

  choose(name) {
    this.muscle = name;
    this.ask();
  }

  /** Ask for the pose; while an answer is awaited, only the last change counts. */
  async ask() {
    this.tell();
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      do {
        this.again = false;
        const query = new URLSearchParams(this.values);
        if (this.muscle) query.set("muscle", this.muscle);
        const answer = await fetch(`pose?${query}`);
        if (!answer.ok) throw new Error(await answer.text());
        const { bytes } = await unpack(new Uint8Array(await answer.arrayBuffer()));
        const { head, bytes: rest } = readHead({ bytes, packed: 0 });
        this.found = revive(head, rest, 1, []);
        this.changed(this.found);
      } while (this.again);
      $("pose-trouble").textContent = "";
    } catch (trouble) {
      $("pose-trouble").textContent = String(trouble.message ?? trouble);
    } finally {
      this.busy = false;
    }
    this.tell();
  }

  /** Write values and numbers of the muscle. */
  tell() {
    for (const { name, unitName, slider, words } of this.rows) {
      const value = this.values[name];
      slider.value = value;
      const degrees = unitName === "rad" ? ` (${(value * 180 / Math.PI).toFixed(1)}\u00b0)` : "";
      words.textContent = `${value.toFixed(3)} ${unitName}${degrees}`;
    }
    const line = this.muscle && this.found?.line, rows = [];
    if (line && line.problem) rows.push(line.problem);
    else if (line) {
      rows.push(`length: ${(1e3 * line.length).toFixed(2)} mm`);
      const units = Object.fromEntries(this.rows.map((row) => [row.name, row.unitName]));
      for (const [name, arm] of line.arms) {
        const size = units[name] === "m" ? arm.toFixed(4) : `${(1e3 * arm).toFixed(2)} mm`;
        rows.push(`moment arm, ${name}: ${size}`);
      }
    }
    if (this.found?.unsolved.length) {
      rows.push(`without a taut path here, gray and straight: ${this.found.unsolved.join(", ")}`);
    }
    $("muscle-numbers").replaceChildren(...rows.map((words) => element("p", words)));
  }
}
