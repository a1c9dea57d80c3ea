// Scene in WebGL 2; buffers are updated in place.

const ARROW_ROW = 9; // numbers of an arrow: start, way, color
const GROUND = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);

/** Solids that a piece has fillets with, and its own, in the frame of its body. */
function joinedSolids({ body, joined }, run) {
  const frame = (k) => (run.bodies[k] ? poseMatrix(run.bodies[k].position, run.bodies[k].rotation, run.frame) : GROUND);
  const turn = (m, a) => [0, 1, 2].map((i) => m[i] * a[0] + m[4 + i] * a[1] + m[8 + i] * a[2]);
  const back = (m, a) => [0, 1, 2].map((i) => dot(m.slice(4 * i, 4 * i + 3), a));
  const to = frame(body);
  return joined.flatMap(({ body: other, solid }) => {
    const at = frame(other), [kind, ...n] = solid;
    const start = add(turn(at, n), add(at.slice(12, 15), scale(-1, to.slice(12, 15))));
    return [...back(to, start), kind, ...back(to, turn(at, n.slice(3, 6))), ...n.slice(6), 0];
  });
}

class Scene {
  /** `views`: runs of each view, side by side. */
  constructor(canvas, head, views) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    this.canvas = canvas;
    this.head = head;
    this.views = views;
    this.programs = {
      piece: this.program(PIECE_VERTEX, PIECE_FRAGMENT),
      tube: this.program(TUBE_VERTEX, TUBE_FRAGMENT),
      arrow: this.program(ARROW_VERTEX, ARROW_FRAGMENT),
      skin: this.program(SKIN_VERTEX, SKIN_FRAGMENT),
    };
    // buffers of each run
    this.held = new Map(views.flat().map((run) => [run, {
      pieces: run.pieces.map((piece) => this.piece(piece)),
      tubes: run.rings ? this.makeTubes(run.rings) : null,
      arrows: this.makeArrows(run.fibers.length > 100 ? 5 : 10),
      skins: run.envelopes ? this.makeSkins(run.envelopes) : null,
    }]));
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      const logs = gl.getAttachedShaders(program).map((shader) => gl.getShaderInfoLog(shader));
      throw new Error(`shader: ${logs.join(" ")} ${gl.getProgramInfoLog(program)}`);
    }
    const places = {};
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) || 0;
    for (let k = 0; k < count; k++) {
      const name = gl.getActiveUniform(program, k).name.replace("[0]", "");
      places[name] = gl.getUniformLocation(program, name);
    }
    gl.useProgram(program);
    const lights = this.head.lights;
    gl.uniform3fv(places.towards, lights.flatMap(([direction]) => unit(direction)));
    gl.uniform3fv(places.strength, lights.map(([, strength]) => strength));
    gl.uniform1f(places.ambient, this.head.ambient);
    return { program, places };
  }

  buffer(target, data) {
    const buffer = this.gl.createBuffer();
    this.gl.bindBuffer(target, buffer);
    this.gl.bufferData(target, data, this.gl.STATIC_DRAW);
    return buffer;
  }

  piece({ body, points, normals, faces, color, opacity, joined }) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffers = [this.buffer(gl.ARRAY_BUFFER, points)];
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    buffers.push(this.buffer(gl.ARRAY_BUFFER, normals));
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.BYTE, true, 0, 0);
    buffers.push(this.buffer(gl.ELEMENT_ARRAY_BUFFER, faces));
    gl.bindVertexArray(null);
    return { array, buffers, count: faces.length, body, color, opacity, joined };
  }

  /** Replace the pieces of a run that are not fixed to bodies. */
  replaceGround(run, pieces) {
    const held = this.held.get(run), gl = this.gl;
    for (const old of held.pieces.filter((piece) => piece.body < 0)) {
      gl.deleteVertexArray(old.array);
      old.buffers.forEach((buffer) => gl.deleteBuffer(buffer));
    }
    const made = pieces.map((piece) => this.piece(piece));
    held.pieces = [...held.pieces.filter((piece) => piece.body >= 0), ...made];
  }

  texture(width, height, inner, outer, data) {
    const gl = this.gl, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, outer, gl.FLOAT, data);
    for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
      gl.texParameteri(gl.TEXTURE_2D, side, gl.NEAREST);
    }
    return texture;
  }

  /** Points of four numbers each, and their triangles. */
  shape(mesh) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    this.buffer(gl.ARRAY_BUFFER, mesh.points);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 0, 0);
    this.buffer(gl.ELEMENT_ARRAY_BUFFER, mesh.faces);
    gl.bindVertexArray(null);
    return { array, count: mesh.faces.length };
  }

  makeTubes(rings) {
    const gl = this.gl, { along, around } = rings;
    // finest first; the others are for slow graphics during motion
    const cuts = [[around, 1], [Math.ceil(around / 2) + 1, 2], [4, 4]];
    const tubes = {
      meshes: cuts.map(([sides, stride]) => this.shape(tubeMesh(along, sides, stride))),
      rings: this.texture(rings.width, rings.height, gl.RGBA32F, gl.RGBA, rings.texels),
      muscles: this.texture(1024, rings.muscle.length / 1024, gl.R32F, gl.RED, rings.muscle),
    };
    const { program, places } = this.programs.tube;
    gl.useProgram(program);
    gl.uniform1i(places.rings, 0);
    gl.uniform1i(places.muscles, 1);
    return tubes;
  }

  makeArrows(around) {
    const gl = this.gl, rows = gl.createBuffer();
    const { array, count } = this.shape(arrowMesh(around));
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, rows);
    for (let k = 0; k < 3; k++) {
      gl.enableVertexAttribArray(1 + k);
      gl.vertexAttribPointer(1 + k, 3, gl.FLOAT, false, 4 * ARROW_ROW, 12 * k);
      gl.vertexAttribDivisor(1 + k, 1);
    }
    gl.bindVertexArray(null);
    return { array, rows, count, n: 0 };
  }

  makeSkins({ points, normals, colors, faces }) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffers = [points, normals, colors].map((data, k) => {
      const buffer = this.buffer(gl.ARRAY_BUFFER, data);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
      return buffer;
    });
    this.buffer(gl.ELEMENT_ARRAY_BUFFER, faces);
    gl.bindVertexArray(null);
    return { array, buffers, count: faces.length };
  }

  /** New points, normals and colors of the envelopes of a run. */
  fillSkins(run) {
    const gl = this.gl, { buffers } = this.held.get(run).skins;
    const { points, normals, colors } = run.envelopes;
    [points, normals, colors].forEach((data, k) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers[k]);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    });
  }

  /** New rings and arrows (a Float32Array of rows) of a run. */
  fill(run, rows) {
    const gl = this.gl, { tubes, arrows } = this.held.get(run), rings = run.rings;
    if (rings) {
      gl.bindTexture(gl.TEXTURE_2D, tubes.rings);
      gl.texSubImage2D(
        gl.TEXTURE_2D, 0, 0, 0, rings.width, rings.height, gl.RGBA, gl.FLOAT, rings.texels,
      );
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, arrows.rows);
    gl.bufferData(gl.ARRAY_BUFFER, rows, gl.DYNAMIC_DRAW);
    arrows.n = rows.length / ARROW_ROW;
  }

  use(kind, look) {
    const { program, places } = this.programs[kind];
    this.gl.useProgram(program);
    this.gl.uniformMatrix4fv(places.view, false, look.view);
    this.gl.uniformMatrix4fv(places.projection, false, look.projection);
    return places;
  }

  /** Draw; `look` has matrices, colors and selection. */
  draw(look, picking = false) {
    const gl = this.gl;
    const wide = (gl.drawingBufferWidth * (1 - look.aside)) / this.views.length;
    gl.clearColor(...(picking ? [0, 0, 0] : look.background), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.views.forEach((runs, v) => {
      const left = Math.round(v * wide);
      gl.viewport(left, 0, Math.round((v + 1) * wide) - left, gl.drawingBufferHeight);
      this.drawView(runs, look, picking);
    });
    gl.bindVertexArray(null);
  }

  drawView(runs, look, picking) {
    const gl = this.gl;
    const solid = runs.filter((run) => run.opacity === 1), ghosts = runs.filter((run) => run.opacity < 1);
    for (const run of runs) this.drawPieces(run, look, picking, (piece) => piece.opacity === 1);
    for (const run of picking ? runs : solid) this.drawTubes(run, look, picking);
    if (picking) return;
    for (const run of solid) this.drawArrows(run, look, 1);
    gl.enable(gl.BLEND);
    // the far side of translucent surfaces would cover the near one
    gl.enable(gl.CULL_FACE);
    for (const run of ghosts) this.drawTubes(run, look, false);
    gl.depthMask(false);
    for (const run of runs) this.drawPieces(run, look, false, (piece) => piece.opacity < 1);
    if (look.envelope) runs.forEach((run) => this.drawSkins(run, look));
    gl.disable(gl.CULL_FACE);
    for (const run of ghosts) this.drawArrows(run, look, run.opacity);
    // hidden arrows are translucent
    gl.depthFunc(gl.GREATER);
    if (look.coarseness < 2) runs.forEach((run) => this.drawArrows(run, look, 0.3 * run.opacity));
    gl.depthFunc(gl.LESS);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  /** Wait until everything is drawn. */
  finish() {
    const gl = this.gl;
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }

  drawPieces(run, look, picking, wanted) {
    const gl = this.gl, places = this.use("piece", look);
    gl.uniform1i(places.picking, picking);
    for (const piece of this.held.get(run).pieces) {
      if (!wanted(piece)) continue;
      const body = run.bodies[piece.body];
      gl.uniformMatrix4fv(
        places.pose, false, body ? poseMatrix(body.position, body.rotation, run.frame) : GROUND,
      );
      const solids = piece.joined.length > 1 ? joinedSolids(piece, run) : [];
      gl.uniform1i(places.n_solids, solids.length / 12);
      if (solids.length) gl.uniform4fv(places.solids, solids);
      gl.uniform1f(places.sunk, run.behind);
      const color = piece.color.map((x) => x * look.shade);
      gl.uniform4f(places.color, ...color, piece.opacity);
      gl.bindVertexArray(piece.array);
      gl.drawElements(gl.TRIANGLES, piece.count, gl.UNSIGNED_INT, 0);
    }
  }

  drawTubes(run, look, picking) {
    const gl = this.gl, { tubes } = this.held.get(run);
    if (!tubes) return;
    const places = this.use("tube", look);
    gl.uniform1i(places.picking, picking);
    gl.uniform1i(places.along, run.rings.along);
    gl.uniform1i(places.offset, run.offset);
    gl.uniform1i(places.selected, look.selected);
    gl.uniform1f(places.opacity, run.opacity);
    gl.uniform1f(places.behind, run.behind);
    gl.uniform3fv(places.accent, look.accent);
    gl.uniform3fv(places.muscle_colors, look.colors.muscle.flatMap(rgb));
    gl.uniform3fv(places.tendon_colors, look.colors.tendon.flatMap(rgb));
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, tubes.muscles);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, tubes.rings);
    const { array, count } = tubes.meshes[look.coarseness];
    gl.bindVertexArray(array);
    gl.drawElementsInstanced(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0, run.fibers.length);
  }

  drawSkins(run, look) {
    const { skins } = this.held.get(run);
    if (!skins) return;
    const gl = this.gl, places = this.use("skin", look);
    gl.uniform1f(places.opacity, run.opacity);
    gl.uniform3fv(places.sheen, this.head.envelopes.sheen);
    gl.bindVertexArray(skins.array);
    gl.drawElements(gl.TRIANGLES, skins.count, gl.UNSIGNED_INT, 0);
  }

  drawArrows(run, look, opacity) {
    const { arrows } = this.held.get(run);
    if (!arrows.n) return;
    const gl = this.gl, places = this.use("arrow", look);
    gl.uniform1f(places.longest, look.longest);
    gl.uniform1f(places.lift, run.lift + 0.03 * look.longest);
    gl.uniform1f(places.opacity, opacity);
    gl.bindVertexArray(arrows.array);
    gl.drawElementsInstanced(gl.TRIANGLES, arrows.count, gl.UNSIGNED_INT, 0, arrows.n);
  }

  /** Number of the fiber at or near a pixel from the upper left corner; -1 for none. */
  pick(look, x, y, reach) {
    const gl = this.gl, width = gl.drawingBufferWidth, height = gl.drawingBufferHeight;
    const target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    const parts = [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]];
    const stores = parts.map(([kind, place]) => {
      const store = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, store);
      gl.renderbufferStorage(gl.RENDERBUFFER, kind, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, store);
      return store;
    });
    this.draw(look, true);
    const side = 2 * reach + 1, seen = new Uint8Array(4 * side * side);
    const left = Math.round(x) - reach, low = height - 1 - Math.round(y) - reach;
    gl.readPixels(left, low, side, side, gl.RGBA, gl.UNSIGNED_BYTE, seen);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(target);
    stores.forEach((store) => gl.deleteRenderbuffer(store));
    let found = -1, nearest = Infinity;
    for (let k = 0; k < side * side; k++) {
      const id = seen[4 * k] + 256 * seen[4 * k + 1] + 65536 * seen[4 * k + 2];
      const away = Math.hypot((k % side) - reach, Math.floor(k / side) - reach);
      if (id > 0 && away <= reach && away < nearest) {
        found = id - 1;
        nearest = away;
      }
    }
    return found;
  }
}
