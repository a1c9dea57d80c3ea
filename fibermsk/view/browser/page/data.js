// Reading what packing.py wrote.

const $ = (id) => document.getElementById(id);
const element = (tag, words) => Object.assign(document.createElement(tag), { textContent: words });
const MISSING = 65535; // code of a number that is not finite
const RETRY = 2000; // milliseconds before a request is repeated
const KINDS = { f8: Float64Array, f4: Float32Array, u4: Uint32Array, i1: Int8Array };

/** Part of the data, from this page or its server, and its compressed size. */
async function readPart(number, lost = () => {}) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser is too old to unpack the data of this page. Please update it.");
  }
  const place = $(`part-${number}`);
  const packed = place ? fromBase64(place.textContent) : await fetchPart(number, lost);
  place?.remove();
  return unpack(packed);
}

async function unpack(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return { bytes, packed: packed.length };
}

async function fetchPart(number, lost) {
  for (;;) {
    try {
      const answer = await fetch(`parts/${number}`);
      if (!answer.ok) throw new Error(`The server refuses part ${number} of the data (${answer.status}).`);
      return new Uint8Array(await answer.arrayBuffer());
    } catch (trouble) {
      // only network errors are retried
      if (!(trouble instanceof TypeError)) throw trouble;
      lost();
      await new Promise((done) => setTimeout(done, RETRY));
    }
  }
}

function fromBase64(words) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(words);
  return Uint8Array.from(atob(words), (letter) => letter.charCodeAt(0));
}

/** First part: the head and constant arrays. */
function readHead({ bytes, packed }) {
  const size = new DataView(bytes.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
  return { head, bytes: bytes.subarray(4 + size), packed };
}

const product = (sizes) => sizes.reduce((a, b) => a * b, 1);

/** Numbers from a position on; a copy, because arrays must be aligned. */
function numbersAt(bytes, at, kind, count) {
  const size = KINDS[kind].BYTES_PER_ELEMENT;
  return new KINDS[kind](bytes.slice(at, at + count * size).buffer);
}

/** Note with arrays instead of their descriptions; arrays over frames are added to `moving`. */
function revive(note, bytes, nFrames, moving) {
  const again = (one) => revive(one, bytes, nFrames, moving);
  if (Array.isArray(note)) return note.map(again);
  if (note === null || typeof note !== "object") return note;
  if (note.at !== undefined) return numbersAt(bytes, note.at, note.kind, product(note.shape));
  if (note.nth === undefined) {
    return Object.fromEntries(Object.entries(note).map(([key, value]) => [key, again(value)]));
  }
  const stride = product(note.shape);
  const array = note.kind === "u2"
    ? new Series(nFrames * stride, note) : new KINDS[note.kind](nFrames * stride).fill(NaN);
  moving[note.nth] = { array, stride, kind: note.kind };
  return array;
}

/** Put the frames of a part into arrays. */
function readFrames(bytes, moving, first, end) {
  let at = 0;
  for (const { array, stride, kind } of moving) {
    const count = (end - first) * stride;
    if (kind === "u2") {
      array.read(bytes, at, first * stride, count, stride);
      at += 2 * count;
    } else {
      const numbers = numbersAt(bytes, at, kind, count);
      array.set(numbers, first * stride);
      at += numbers.byteLength;
    }
  }
}

/** Numbers over the frames as codes; `at(i)` is the value. */
class Series {
  constructor(count, { low, step }) {
    this.codes = new Uint16Array(count).fill(MISSING);
    this.low = low;
    this.step = step;
  }

  read(bytes, at, start, count, stride) {
    const codes = this.codes;
    for (let i = 0; i < count; i++) {
      const change = bytes[at + i] | (bytes[at + count + i] << 8);
      codes[start + i] = i < stride ? change : change + codes[start + i - stride];
    }
  }

  at(index) {
    const code = this.codes[index];
    return code === MISSING ? NaN : this.low + this.step * code;
  }
}
