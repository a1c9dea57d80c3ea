// The page opens: data are read, the app starts, and a few functions are lent to scripts.

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
