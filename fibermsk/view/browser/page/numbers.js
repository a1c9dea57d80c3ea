// Readable numbers.

const PREFIXES = { "-3": "n", "-2": "\u00b5", "-1": "m", 0: "", 1: "k", 2: "M", 3: "G" };

const PREFIXED = new Set(["m", "m/s", "N", "N/m", "N m", "Pa", "W"]); // others keep theirs

/** Unit with a suitable prefix for numbers up to a greatest one, and the factor to it. */
function prefixed(unitName, greatest) {
  if (unitName === "rad") return { unit: "\u00b0", factor: 180 / Math.PI };
  if (!PREFIXED.has(unitName) || !(greatest > 0)) {
    return { unit: unitName === "1" ? "-" : unitName, factor: 1 };
  }
  // rounded down: 0.2 N becomes 200 mN, 1500 Pa 1.5 kPa
  const power = clamp(Math.floor(Math.log10(greatest) / 3 + 1e-9), -3, 3);
  return { unit: PREFIXES[power] + unitName, factor: 1000 ** -power };
}

/** About `count` round numbers from low to high. */
function ticks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((k) => k * power >= rough * (1 - 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-6); k <= high / step + 1e-6; k++) found.push(k * step);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return found.map((value) => [value, (value + 0).toFixed(digits).replace(/^-(0\.?0*)$/, "$1")]);
}

/** Greatest 1, 2 or 5 times a power of ten that is no more than a number. */
function roundDown(value) {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-12);
  return power * [5, 2, 1].find((k) => k * power <= value * (1 + 1e-9));
}

/** A number with four digits. */
function short(value) {
  if (!Number.isFinite(value)) return "not a number";
  return String(Number(value.toPrecision(4)));
}
