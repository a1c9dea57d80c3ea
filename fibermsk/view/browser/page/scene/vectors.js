// Vectors as arrays, and 4x4 matrices in columns, as in WebGL.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const scale = (k, a) => [k * a[0], k * a[1], k * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scale(1 / (length(a) || 1), a);
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

/** Axis that is most across a vector. */
function mostAcross(a) {
  const sizes = a.map(Math.abs), least = sizes.indexOf(Math.min(...sizes));
  return [0, 1, 2].map((i) => Number(i === least));
}

/** A unit vector perpendicular to a unit vector. */
function perpendicular(a) {
  return unit(cross(a, mostAcross(a)));
}

/** From ground to the camera's right, up and back. */
function viewMatrix(eye, right, up, forward) {
  return new Float32Array([
    right[0], up[0], -forward[0], 0,
    right[1], up[1], -forward[1], 0,
    right[2], up[2], -forward[2], 0,
    -dot(right, eye), -dot(up, eye), dot(forward, eye), 1,
  ]);
}

/** Perspective with a full vertical opening angle [rad]. */
function projectionMatrix(angle, aspect, near, far) {
  const f = 1 / Math.tan(0.5 * angle);
  return new Float32Array([
    f / aspect, 0, 0, 0,
    0, f, 0, 0,
    0, 0, (near + far) / (near - far), -1,
    0, 0, (2 * near * far) / (near - far), 0,
  ]);
}

/** Pose of a body from its origin and the rows of its rotation. */
function poseMatrix(position, rotation, at) {
  const p = 3 * at, r = 9 * at;
  return new Float32Array([
    rotation[r], rotation[r + 3], rotation[r + 6], 0,
    rotation[r + 1], rotation[r + 4], rotation[r + 7], 0,
    rotation[r + 2], rotation[r + 5], rotation[r + 8], 0,
    position[p], position[p + 1], position[p + 2], 1,
  ]);
}

/** Red, green and blue from 0 to 1 of "#rrggbb". */
const rgb = (color) => [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16) / 255);
