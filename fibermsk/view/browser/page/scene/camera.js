// Camera of the scene.

const MARGIN = 1.04, WIDE_MARGIN = 1.1; // around one of several views

/** Bounds of balls (x, y, z, radius). */
function boundsOf(balls) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const ball of balls) {
    for (let i = 0; i < 3; i++) {
      low[i] = Math.min(low[i], ball[i] - ball[3]);
      high[i] = Math.max(high[i], ball[i] + ball[3]);
    }
  }
  return { low, high };
}

class Camera {
  /** `info`: directions by preset, opening angle; `cloud`: balls (x, y, z, radius) to be seen. */
  constructor(info, up, cloud) {
    this.up = up;
    this.angle = info.angle;
    this.ways = info.ways;
    this.balls = Array.from({ length: cloud.length / 4 }, (_, k) => cloud.subarray(4 * k, 4 * k + 4));
    const { low, high } = boundsOf(this.balls);
    this.middle = scale(0.5, add(low, high));
    this.size = Math.max(length(add(high, scale(-1, low))), 1e-6);
    this.target = this.middle;
    this.distance = 3 * this.size;
    this.direct(info.ways.fit.forward, up);
  }

  /** Look along a direction; `above` is the upward direction of the picture. */
  direct(forward, above) {
    this.forward = unit(forward);
    this.right = unit(cross(this.forward, above));
    this.above = cross(this.right, this.forward);
  }

  /**
   * Set a preset with everything in view; `room` and `head` are the free parts of the width at the
   * right and of the height at the top.
   */
  look(preset, aspect, free) {
    const { forward, above } = this.ways[preset];
    this.direct(forward, above);
    this.frame(aspect, free);
  }

  /** Set the least distance with everything in view. */
  frame(aspect, { room = 0, head = 0, margin: spare = MARGIN }) {
    const axes = [this.right, this.above, this.forward];
    const local = this.balls.map((ball) => [...axes.map((axis) => dot(axis, ball)), ball[3]]);
    const { low, high } = boundsOf(local);
    const middle = low.map((x, i) => 0.5 * (x + high[i]));
    const tangent = Math.tan(0.5 * this.angle);
    const wide = tangent * aspect;
    let needed = -Infinity, size = 1e-6;
    for (const [x, y, z, margin] of local) {
      const [dx, dy, dz] = [x - middle[0], y - middle[1], z - middle[2]];
      // as in camera.py: a point is seen between -1 and 1 - 2 room
      needed = Math.max(
        needed,
        ((margin - dx) / wide - dz) / (1 - room),
        ((margin + dx) / wide - (1 - 2 * room) * dz) / (1 - room),
        ((margin - dy) / tangent - dz) / (1 - head),
        ((margin + dy) / tangent - (1 - 2 * head) * dz) / (1 - head),
      );
    }
    for (let i = 0; i < 3; i++) size = Math.max(size, high[i] - low[i]);
    this.distance = Math.max(spare * needed, 0.1 * size);
    const center = axes.reduce((sum, axis, i) => add(sum, scale(middle[i], axis)), [0, 0, 0]);
    const half = this.distance * tangent;
    const across = scale(room * half * aspect, this.right);
    this.target = add(center, add(across, scale(head * half, this.above)));
  }

  /** Turn around the target by angles [rad], with a level horizon. */
  orbit(across, upwards) {
    const turn = (a, axis, angle) => {
      const c = Math.cos(angle), s = Math.sin(angle);
      return add(add(scale(c, a), scale(s, cross(axis, a))), scale((1 - c) * dot(axis, a), axis));
    };
    let forward = turn(this.forward, this.up, -across);
    const right = turn(this.right, this.up, -across);
    const height = Math.asin(clamp(dot(forward, this.up), -1, 1));
    const next = clamp(height + upwards, -1.5, 1.5);
    forward = turn(forward, right, next - height);
    this.forward = unit(forward);
    this.right = unit(right);
    this.above = cross(this.right, this.forward);
  }

  /** Shift by parts of the height of the picture. */
  pan(across, upwards) {
    const tall = 2 * this.distance * Math.tan(0.5 * this.angle);
    const way = add(scale(-across * tall, this.right), scale(-upwards * tall, this.above));
    this.target = add(this.target, way);
  }

  zoom(factor) {
    this.distance = clamp(this.distance * factor, 0.01 * this.size, 50 * this.size);
  }

  get eye() {
    return add(this.target, scale(-this.distance, this.forward));
  }

  matrices(aspect) {
    const eye = this.eye;
    const depth = dot(add(this.middle, scale(-1, eye)), this.forward);
    // twice the size, because of arrows
    const far = Math.max(depth + 2 * this.size, 0.1 * this.size);
    const near = Math.max(depth - 2 * this.size, 1e-3 * this.size);
    return {
      view: viewMatrix(eye, this.right, this.above, this.forward),
      projection: projectionMatrix(this.angle, aspect, near, far),
    };
  }

  /** Pixel position of a point from the upper left corner, and its depth. */
  project(point, width, height) {
    const way = add(point, scale(-1, this.eye));
    const away = dot(way, this.forward);
    const k = (0.5 * height) / (Math.tan(0.5 * this.angle) * away);
    return [0.5 * width + k * dot(way, this.right), 0.5 * height - k * dot(way, this.above), away];
  }
}
