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

const PIECE_VERTEX = `${START}
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
uniform mat4 pose, view, projection;
out vec3 side;
void main() {
  mat4 placed = view * pose;
  side = mat3(placed) * normal;
  gl_Position = projection * placed * vec4(point, 1.0);
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

const ARROW_VERTEX = `${START}
layout(location = 0) in vec4 shape; // angle, radius, stage, slope
layout(location = 1) in vec3 start;
layout(location = 2) in vec3 along;
layout(location = 3) in vec3 paint;
uniform mat4 view, projection;
uniform float longest;
out vec3 side;
out vec3 color;
void main() {
  float size = length(along);
  vec3 axis = along / max(size, 1e-30);
  vec3 other = abs(axis.x) < 0.6 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0);
  vec3 first = normalize(cross(axis, other)), second = cross(axis, first);
  float shaft = min(0.022 * longest, 0.12 * size);
  float head = min(0.17 * longest, 0.5 * size);
  float height = shape.z < 0.5 ? 0.0 : (shape.z < 1.5 ? size - head : size);
  vec3 out_ = cos(shape.x) * first + sin(shape.x) * second;
  side = mat3(view) * (shape.w < 0.0 ? -axis : out_ + shape.w * axis);
  color = paint;
  gl_Position = projection * view * vec4(start + height * axis + shape.y * shaft * out_, 1.0);
}`;

const ARROW_FRAGMENT = `${START}${LIGHT}
in vec3 side;
in vec3 color;
uniform float opacity;
out vec4 drawn;
void main() { drawn = vec4(lit(color, side, 0.15), opacity); }`;
