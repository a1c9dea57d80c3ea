// Start of the page: loading of data, and functions for scripts.

/** Read-only state, for tests and scripts. */
function outside(app) {
  const find = (name, run) => app.runs[run].fibers.find((fiber) => fiber.name === name);
  const frameAt = (time, run) => (
    time === undefined ? app.runs[run].frame : nearestIndex(app.runs[run].time, time)
  );
  return Object.freeze({
    sample: (name, theta, time, run = 0) => find(name, run).point(frameAt(time, run), theta),
    value: (name, field, sample, time, run = 0) => (
      find(name, run).field(field, frameAt(time, run), sample)
    ),
    project: (point, run = 0) => app.project(point, app.runs[run]).slice(0, 2),
    skins: (run = 0) => Object.fromEntries(["points", "normals", "colors"].map(
      (name) => [name, Array.from(app.runs[run].envelopes[name])],
    )),
    arrows: (run = 0) => Array.from(app.arrowRows(app.runs[run])),
    state: () => {
      const fiber = app.fibers[app.selected];
      return {
        frame: app.frame, time: app.time[app.frame], frames: app.time.length, field: app.field,
        playing: app.playing, theme: app.theme, selected: fiber?.name ?? null,
        run: fiber ? app.runs.indexOf(fiber.run) : null,
        shown: app.runs.map((run) => run.frame), loaded: app.part,
        pose: app.pose ? { ...app.pose.values } : null, posing: app.pose?.busy ?? false,
        arrows: app.arrowKinds, error: app.error, settled: !app.dirty && !app.waiting,
        resting: !app.dirty && !app.waiting && !app.pace.moving, coarseness: app.pace.coarseness,
      };
    },
  });
}

function giveUp(trouble) {
  $("scene-name").textContent = "This page cannot be shown";
  $("trouble").hidden = false;
  $("trouble").textContent = String(trouble.message ?? trouble);
  console.error(trouble);
}

/** Open the page with the first parts, then load all others. */
async function open() {
  const lost = () => {
    $("loading").hidden = false;
    $("loading").textContent = "the server does not answer";
  };
  const app = new App(readHead(await readPart(0, lost)));
  const came = async (run) => {
    const packed = await run.load(lost);
    if (packed) app.came(packed);
    return packed > 0;
  };
  const start = app.head.start ?? app.time[0];
  app.runs.forEach((run) => run.show(start));
  await Promise.all(app.runs.map(came));
  app.start(start);
  Object.defineProperty(window, "fibermsk", { value: outside(app) });
  await Promise.all(app.runs.map(async (run) => {
    while (await came(run));
  }));
}

open().catch(giveUp);
