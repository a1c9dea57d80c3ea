// What the page draws: scene, legend, names, and the picture that is saved.

const MOST_NAMES = 60;

class Painting {
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
