// Mouse, touch and wheel on the scene: turn, shift, zoom, pick.

const STILL = 5; // largest motion of a pointer in a click [pixels]

function watchPointers(canvas, camera, { redraw, click, home }) {
  const down = new Map();
  let moved = 0;

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (down.size === 0) moved = 0;
    down.set(event.pointerId, [event.clientX, event.clientY]);
  });

  canvas.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    moved += Math.hypot(dx, dy);
    const tall = canvas.clientHeight;
    if (down.size === 1) {
      if (event.buttons & 6 || event.shiftKey) camera.pan(dx / tall, -dy / tall);
      else if (moved > STILL) camera.orbit((4 * dx) / tall, (-4 * dy) / tall);
    } else if (down.size === 2) {
      const other = [...down].find(([id]) => id !== event.pointerId)[1];
      const gap = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]);
      camera.zoom(clamp(gap(before) / Math.max(gap(now), 1), 0.5, 2));
      camera.pan((0.5 * dx) / tall, (-0.5 * dy) / tall);
    }
    down.set(event.pointerId, now);
    redraw();
  });

  const release = (event) => {
    const single = down.size === 1 && down.has(event.pointerId);
    down.delete(event.pointerId);
    if (single && moved <= STILL && event.type === "pointerup" && event.button === 0) {
      const box = canvas.getBoundingClientRect();
      click(event.clientX - box.left, event.clientY - box.top, event.pointerType === "touch");
    }
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", home);

  canvas.addEventListener("wheel", (event) => {
    // in another page the wheel scrolls that page until the scene is clicked
    if (window.self !== window.top && document.activeElement !== canvas) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    camera.zoom(Math.exp(0.0015 * clamp(lines * event.deltaY, -300, 300)));
    redraw();
  }, { passive: false });
}
