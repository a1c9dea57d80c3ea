// Shaders. Colors are interpolated in sRGB, as in matplotlib.

const LIGHT = `
uniform vec3 towards[3];
uniform vec3 strength;
uniform float ambient;
// Surface in the camera's frame, lit equally on both sides.
vec3 lit(vec3 color, vec3 normal, float shine) {
  vec3 n = normalize(normal);
  n = n.z < 0.0 ? -n : n;
  float diffuse = ambient, bright = 0.0;
  for (int k = 0; k < 3; k++) {
    diffuse += strength[k] * max(dot(n, towards[k]), 0.0);
    vec3 halfway = normalize(towards[k] + vec3(0.0, 0.0, 1.0));
    bright += shine * strength[k] * pow(max(dot(n, halfway), 0.0), 30.0);
  }
  return color * diffuse + bright;
}
`;
const START = "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n";

// Fillets between bones that are contact shapes, as in fillets.py.
const MOST_SOLIDS = 8;
const FILLET = `
uniform int n_solids;
uniform vec4 solids[${3 * MOST_SOLIDS}]; // start, kind; axis, length; wide, radius, reach
uniform float sunk;
// Gradient of the distance from a solid, and the distance.
vec4 distanceFrom(int j, vec3 p) {
  vec3 axis = solids[3 * j + 1].xyz, start = solids[3 * j].xyz;
  float size = solids[3 * j + 1].w, wide = solids[3 * j + 2].x;
  float radius = solids[3 * j + 2].y, reach = solids[3 * j + 2].z;
  float along = dot(p - start, axis);
  if (solids[3 * j].w == 0.0) {
    float foot = clamp(along, 0.0, size), first = foot < size - foot ? 1.0 : -1.0;
    vec3 way = p - start - foot * axis;
    float part = min(min(foot, size - foot) / reach, 1.0);
    float bound = wide - (wide - radius) * part * part * (3.0 - 2.0 * part);
    float slope = -first * (wide - radius) * 6.0 * part * (1.0 - part) / reach;
    float turn = sqrt(1.0 + slope * slope);
    return vec4(way / max(length(way), 1e-20) - slope * axis, length(way) - bound) / turn;
  }
  vec3 way = p - start - along * axis;
  float up = along - 0.5 * size, over = up < 0.0 ? -1.0 : 1.0;
  vec2 out_ = vec2(length(way) - (radius - reach), abs(up) - (0.5 * size - reach));
  vec2 corner = max(out_, 0.0);
  float high = length(corner);
  vec2 part = high > 0.0 ? corner / high : out_.x >= out_.y ? vec2(1.0, 0.0) : vec2(0.0, 1.0);
  vec3 g = part.x * way / max(length(way), 1e-20) + part.y * over * axis;
  return vec4(g, min(max(out_.x, out_.y), 0.0) + high - reach);
}
// The same of the union, whose slope along the direction is given.
vec4 unionAt(vec3 p, float thin, out float slope) {
  vec4 one = distanceFrom(0, p);
  slope = 1.0;
  for (int j = 1; j < n_solids; j++) {
    vec4 other = distanceFrom(j, p);
    float k = FILLET_WIDTH * thin * length(cross(one.xyz, other.xyz));
    float h = k > 0.0 ? max(k - abs(one.w - other.w), 0.0) / k : 0.0;
    float part = one.w < other.w ? 0.5 * h : 1.0 - 0.5 * h;
    vec3 g = mix(one.xyz, other.xyz, part);
    float size = max(length(g), 0.3);
    slope = h > 0.0 ? size : part < 0.5 ? slope : 1.0;
    one = vec4(g / size, min(one.w, other.w) - 0.25 * h * h * k);
  }
  return vec4(one.xyz, one.w + sunk);
}
void fillet(inout vec3 p, inout vec3 normal) {
  float thin = 1e20, slope;
  for (int j = 0; j < n_solids; j++) thin = min(thin, solids[3 * j + 2].y);
  vec4 u = unionAt(p, thin, slope);
  if (u.w > -2e-4 * thin || u.w < -0.5 * thin) return;
  for (int k = 0; k < 8 && abs(u.w) > 1e-4 * thin; k++) {
    p -= u.w / slope * u.xyz;
    u = unionAt(p, thin, slope);
  }
  normal = u.xyz;
}
`.replace("FILLET_WIDTH", "0.8");

const PIECE_VERTEX = `${START}${FILLET}
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
uniform mat4 pose, view, projection;
out vec3 side;
void main() {
  mat4 placed = view * pose;
  vec3 p = point, n = normal;
  if (n_solids > 1) fillet(p, n);
  side = mat3(placed) * n;
  gl_Position = projection * placed * vec4(p, 1.0);
}`;

const PIECE_FRAGMENT = `${START}${LIGHT}
in vec3 side;
uniform vec4 color;
uniform bool picking;
out vec4 drawn;
void main() {
  drawn = picking ? vec4(0.0, 0.0, 0.0, 1.0) : vec4(lit(color.rgb, side, 0.15), color.a);
}`;

const TUBE_VERTEX = `${START}
layout(location = 0) in vec4 shape; // ring, angle, out of the axis, over the end
uniform sampler2D rings, muscles;
uniform int along, offset;
uniform float behind;
uniform mat4 view, projection;
out vec3 side;
out float value, muscle;
flat out int fiber;
vec4 texel(int index) {
  return texelFetch(rings, ivec2(index % 1023, index / 1023), 0);
}
void main() {
  int ring = gl_InstanceID * along + int(shape.x);
  vec4 place = texel(3 * ring), axis = texel(3 * ring + 1), first = texel(3 * ring + 2);
  vec3 second = cross(axis.xyz, first.xyz);
  vec3 out_ = cos(shape.y) * first.xyz + sin(shape.y) * second;
  vec3 normal = shape.w == 0.0 ? out_ - axis.w * axis.xyz : shape.z * out_ + shape.w * axis.xyz;
  side = mat3(view) * normal;
  value = first.w;
  muscle = texelFetch(muscles, ivec2(ring % 1024, ring / 1024), 0).r;
  fiber = offset + gl_InstanceID;
  vec4 seen = view * vec4(place.xyz + place.w * (shape.z * out_ + shape.w * axis.xyz), 1.0);
  seen.z -= behind;
  gl_Position = projection * seen;
}`;

const TUBE_FRAGMENT = `${START}${LIGHT}
in vec3 side;
in float value, muscle;
flat in int fiber;
uniform vec3 muscle_colors[17], tendon_colors[17], accent;
uniform int selected;
uniform float opacity;
uniform bool picking;
out vec4 drawn;
void main() {
  if (picking) {
    int id = fiber + 1;
    drawn = vec4(float(id & 255), float((id >> 8) & 255), float(id >> 16), 255.0) / 255.0;
    return;
  }
  float x = clamp(value, 0.0, 1.0) * 16.0;
  int k = min(int(x), 15);
  vec3 flesh = mix(muscle_colors[k], muscle_colors[k + 1], x - float(k));
  vec3 cord = mix(tendon_colors[k], tendon_colors[k + 1], x - float(k));
  vec3 color = value < -1.0 ? vec3(0.5) : mix(cord, flesh, clamp(muscle, 0.0, 1.0));
  vec3 n = normalize(side);
  vec3 seen = lit(color, n, 0.2);
  if (fiber == selected) seen = mix(seen, accent, 0.9 * smoothstep(0.35, 0.8, 1.0 - abs(n.z)));
  drawn = vec4(seen, opacity);
}`;

const SKIN_VERTEX = `${START}
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 paint;
uniform mat4 view, projection;
out vec3 side;
out vec3 color;
void main() {
  side = mat3(view) * normal;
  color = paint;
  gl_Position = projection * view * vec4(point, 1.0);
}`;

const SKIN_FRAGMENT = `${START}${LIGHT}
in vec3 side;
in vec3 color;
uniform vec3 sheen; // opacity where it faces the viewer, at its rim, exponent between both
uniform float opacity;
out vec4 drawn;
void main() {
  float lean = 1.0 - min(abs(normalize(side).z), 1.0);
  drawn = vec4(lit(color, side, 0.2), opacity * mix(sheen.x, sheen.y, pow(lean, sheen.z)));
}`;

const ARROW_VERTEX = `${START}
layout(location = 0) in vec4 shape; // angle, radius, stage, slope
layout(location = 1) in vec3 start;
layout(location = 2) in vec3 along;
layout(location = 3) in vec3 paint;
uniform mat4 view, projection;
uniform float longest;
uniform float lift; // towards the viewer, in front of their fibers: depth alone
out vec3 side;
out vec3 color;
void main() {
  float size = length(along);
  vec3 axis = along / max(size, 1e-30);
  vec3 other = abs(axis.x) < 0.6 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0);
  vec3 first = normalize(cross(axis, other)), second = cross(axis, first);
  float shaft = min(0.014 * longest, 0.042 * size);
  float head = min(0.17 * longest, 0.5 * size);
  float height = shape.z < 0.5 ? 0.0 : (shape.z < 1.5 ? size - head : size);
  vec3 out_ = cos(shape.x) * first + sin(shape.x) * second;
  side = mat3(view) * (shape.w < 0.0 ? -axis : out_ + shape.w * axis);
  color = paint;
  vec4 seen = view * vec4(start + height * axis + shape.y * shaft * out_, 1.0);
  gl_Position = projection * seen;
  seen.z += lift;
  vec4 nearer = projection * seen;
  gl_Position.z = nearer.z / nearer.w * gl_Position.w;
}`;

const ARROW_FRAGMENT = `${START}${LIGHT}
in vec3 side;
in vec3 color;
uniform float opacity;
out vec4 drawn;
void main() { drawn = vec4(lit(color, side, 0.15), opacity); }`;
