// Legend of colors and arrows, as a canvas for use in saved pictures.

const LEGEND_WIDTH = 104;
const LINE = 18; // from a square of a color to the next

function arrowWords(kind, share) {
  if (kind === "attachment") return "fiber on bone";
  return `contact, per ${share > 1 ? `${share} elements` : "element"}`;
}

/** Draw a straight line. */
function strokeLine(pen, x, y, toX, toY) {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(toX, toY);
  pen.stroke();
}

/** Draw a legend; returns its height in pixels. */
function drawLegend(canvas, { field, swatches, share, colors, arrows, height, ink, faint, dpr }) {
  const bar = field ? clamp(height - 190 - 40 * arrows.length, 90, 260) : 0;
  const further = LINE * Math.max(swatches.length - 1, 0);
  const total = (field ? bar + 70 + further : 0) + 40 * arrows.length + 6;
  canvas.width = Math.round(LEGEND_WIDTH * dpr);
  canvas.height = Math.round(total * dpr);
  canvas.style.width = `${LEGEND_WIDTH}px`;
  canvas.style.height = `${total}px`;
  const pen = canvas.getContext("2d");
  pen.setTransform(dpr, 0, 0, dpr, 0, 0);
  pen.clearRect(0, 0, LEGEND_WIDTH, total);
  pen.textBaseline = "middle";
  let y = 0;
  if (field) {
    const { unit: name, factor } = prefixed(field.unit, Math.max(...field.limits.map(Math.abs)));
    const [low, high] = field.limits.map((x) => factor * x);
    pen.fillStyle = ink;
    pen.font = "600 12px system-ui, sans-serif";
    pen.fillText(field.scale, 2, 9, LEGEND_WIDTH - 4);
    pen.font = "12px system-ui, sans-serif";
    pen.fillText(name === "-" ? "no unit" : `in ${name}`, 2, 26);
    const top = 40, wide = 14;
    const fade = pen.createLinearGradient(0, top + bar, 0, top);
    const shades = field.colors.muscle;
    shades.forEach((color, i) => fade.addColorStop(i / (shades.length - 1), color));
    pen.fillStyle = fade;
    pen.fillRect(2, top, wide, bar);
    pen.strokeStyle = faint;
    pen.lineWidth = 0.5;
    pen.strokeRect(2, top, wide, bar);
    const edge = 2 + wide + 2;
    for (const [value, words] of ticks(low, high, bar / 45)) {
      const at = top + bar - (bar * (value - low)) / (high - low);
      pen.strokeStyle = faint;
      pen.lineWidth = 1;
      strokeLine(pen, edge, at, edge + 4, at);
      pen.fillStyle = ink;
      pen.fillText(words, edge + 8, at);
    }
    swatches.forEach(([words, color], k) => {
      const high = top + bar + 9 + LINE * k;
      pen.fillStyle = color;
      pen.fillRect(2, high, wide, 12);
      pen.strokeStyle = faint;
      pen.lineWidth = 0.5;
      pen.strokeRect(2, high, wide, 12);
      pen.fillStyle = ink;
      pen.fillText(words, edge + 8, high + 6.5);
    });
    y = top + bar + 30 + further;
  }
  for (const { kind, force, pixels } of arrows) {
    const { unit: name, factor } = prefixed("N", force);
    pen.fillStyle = pen.strokeStyle = colors[kind];
    pen.lineWidth = 3;
    strokeLine(pen, 2, y + 8, pixels - 5, y + 8);
    pen.beginPath();
    pen.moveTo(2 + pixels, y + 8);
    pen.lineTo(pixels - 7, y + 2.5);
    pen.lineTo(pixels - 7, y + 13.5);
    pen.fill();
    pen.fillStyle = ink;
    pen.font = "12px system-ui, sans-serif";
    pen.fillText(`${short(factor * force)} ${name}`, pixels + 7, y + 8);
    pen.fillStyle = faint;
    pen.font = "11px system-ui, sans-serif";
    pen.fillText(arrowWords(kind, share), 2, y + 25, LEGEND_WIDTH - 4);
    y += 40;
  }
  return total;
}
