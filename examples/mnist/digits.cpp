#include "digits.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "files.h"

namespace mnist {
namespace {

constexpr int kSide = 28;
constexpr double kTurn = 6.283185307179586;

struct Point {
  double x, y;
};
using Stroke = std::vector<Point>;

// Returns a part of an ellipse, from one angle to another (0 is right, a quarter turn is down).
Stroke arc(double cx, double cy, double rx, double ry, double from, double to) {
  Stroke s;
  const int n = 4 + static_cast<int>(16 * std::fabs(to - from));
  for (int i = 0; i <= n; ++i) {
    const double a = kTurn * (from + (to - from) * i / n);
    s.push_back({cx + rx * std::cos(a), cy + ry * std::sin(a)});
  }
  return s;
}

Stroke join(Stroke a, const Stroke& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Returns the strokes of a digit in the unit square, y down. `variant` selects one of several
// shapes.
std::vector<Stroke> strokes_of(int digit, unsigned variant) {
  switch (digit) {
    case 0:
      return {arc(0.5, 0.5, variant % 2 ? 0.20 : 0.26, 0.34, 0, 1)};
    case 1:
      if (variant % 2) return {{{0.5, 0.16}, {0.5, 0.84}}};
      return {{{0.36, 0.32}, {0.52, 0.16}, {0.52, 0.84}}};
    case 2:
      return {join(join(arc(0.5, 0.34, 0.22, 0.19, -0.45, 0.12), {{0.52, 0.62}, {0.28, 0.84}}),
                   {{0.75, variant % 2 ? 0.84 : 0.80}})};
    case 3:
      return {
          join(arc(0.46, 0.33, 0.21, 0.17, -0.42, 0.25), arc(0.46, 0.67, 0.24, 0.18, -0.25, 0.40))};
    case 4:
      if (variant % 2)
        return {{{0.62, 0.16}, {0.26, 0.62}, {0.78, 0.62}}, {{0.62, 0.16}, {0.62, 0.86}}};
      return {{{0.32, 0.16}, {0.28, 0.52}, {0.72, 0.52}}, {{0.70, 0.16}, {0.68, 0.86}}};
    case 5:
      return {join({{0.72, 0.17}, {0.36, 0.17}, {0.33, 0.46}},
                   arc(0.46, 0.63, 0.23, 0.20, -0.30, 0.40))};
    case 6:
      return {
          join({{0.64, 0.15}, {0.44, 0.30}, {0.33, 0.52}}, arc(0.5, 0.66, 0.19, 0.18, 0.5, -0.5))};
    case 7:
      if (variant % 2) return {{{0.26, 0.18}, {0.75, 0.18}, {0.42, 0.85}}};
      return {{{0.26, 0.18}, {0.75, 0.18}, {0.45, 0.85}}, {{0.38, 0.52}, {0.70, 0.52}}};
    case 8:
      return {arc(0.5, 0.33, 0.18, 0.17, 0, 1), arc(0.5, 0.67, 0.22, 0.18, 0, 1)};
    default:
      return {join(arc(0.49, 0.36, 0.20, 0.19, 0, -1),
                   {{0.69, 0.36}, {0.66, 0.60}, {variant % 2 ? 0.5 : 0.62, 0.86}})};
  }
}

// The numbers of std::mt19937_64 are equal on all systems. The standard's distributions are not.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(engine_() % n); }
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) / 9007199254740992.0;
  }
  // Roughly normal: a sum of uniform numbers.
  double shaky(double deviation) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += uniform(-1, 1);
    return sum * deviation / 1.1547;
  }

 private:
  std::mt19937_64 engine_;
};

struct Affine {
  double a, b, c, d, x, y;
  Point operator()(Point p) const {
    const double u = p.x - 0.5, v = p.y - 0.5;
    return {a * u + b * v + x, c * u + d * v + y};
  }
};

// Maps points of the unit square to pixels.
Affine random_affine(Random& random) {
  const double angle = random.shaky(0.13), slant = random.shaky(0.18);
  const double sx = 25 * random.uniform(0.75, 1.1), sy = 25 * random.uniform(0.82, 1.08);
  const double c = std::cos(angle), s = std::sin(angle);
  return {sx * c,
          sy * (c * -slant - s),
          sx * s,
          sy * (c - s * slant),
          13.5 + random.shaky(1.0),
          13.5 + random.shaky(1.0)};
}

// Draws a line of the given half width with soft edges. At crossings, the darker line is kept.
void draw_line(float* image, Point p, Point q, double half_width) {
  const double reach = half_width + 1;
  const auto clip = [](double v) { return std::clamp(static_cast<int>(v), 0, kSide - 1); };
  const int x0 = clip(std::min(p.x, q.x) - reach), x1 = clip(std::max(p.x, q.x) + reach + 1);
  const int y0 = clip(std::min(p.y, q.y) - reach), y1 = clip(std::max(p.y, q.y) + reach + 1);
  const double dx = q.x - p.x, dy = q.y - p.y, length2 = dx * dx + dy * dy + 1e-9;
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) {
      const double t = std::clamp(((x - p.x) * dx + (y - p.y) * dy) / length2, 0.0, 1.0);
      const double ex = p.x + t * dx - x, ey = p.y + t * dy - y;
      const double ink = std::clamp(half_width + 0.5 - std::sqrt(ex * ex + ey * ey), 0.0, 1.0);
      float& pixel = image[y * kSide + x];
      pixel = std::max(pixel, static_cast<float>(ink));
    }
  }
}

void draw_digit(int digit, Random& random, uint8_t* out) {
  float image[kSide * kSide] = {};
  const Affine place = random_affine(random);
  const double half_width = random.uniform(0.7, 1.5);
  for (Stroke& stroke : strokes_of(digit, random.below(2))) {
    // A slow wave along the stroke looks like handwriting. An independent shift of every point
    // would not.
    const double px = random.uniform(0, kTurn), py = random.uniform(0, kTurn);
    const double wave = random.uniform(0, 0.035);
    for (size_t i = 0; i < stroke.size(); ++i) {
      const double t = kTurn * static_cast<double>(i) / static_cast<double>(stroke.size());
      stroke[i] = place({stroke[i].x + wave * std::sin(t + px) + random.shaky(0.006),
                         stroke[i].y + wave * std::sin(t + py) + random.shaky(0.006)});
    }
    for (size_t i = 1; i < stroke.size(); ++i)
      draw_line(image, stroke[i - 1], stroke[i], half_width);
  }
  const double ink = random.uniform(0.8, 1.0), noise = random.uniform(0, 0.06);
  for (int i = 0; i < kSide * kSide; ++i) {
    const double v = image[i] * ink + (noise > 0.02 ? random.uniform(-noise, noise) : 0);
    out[i] = static_cast<uint8_t>(std::clamp(v, 0.0, 1.0) * 255 + 0.5);
  }
}

std::string header(std::initializer_list<uint32_t> numbers) {
  std::string bytes;
  for (uint32_t v : numbers)
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(v >> shift & 255);
  return bytes;
}

}  // namespace

void draw_digits(int64_t count, uint64_t seed, std::vector<uint8_t>& images,
                 std::vector<uint8_t>& labels) {
  Random random(seed);
  images.resize(static_cast<size_t>(count) * kSide * kSide);
  labels.resize(static_cast<size_t>(count));
  for (size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<uint8_t>(random.below(10));
    draw_digit(labels[i], random, images.data() + i * kSide * kSide);
  }
}

void write_digits(const std::string& folder) {
  TemporaryFolder temporary(folder);
  for (const bool train : {true, false}) {
    const uint32_t count = train ? 60000 : 10000;
    std::vector<uint8_t> images, labels;
    draw_digits(count, train ? 1 : 2, images, labels);
    const std::string prefix = temporary.path() + (train ? "/train-" : "/t10k-");
    write_file(prefix + "images-idx3-ubyte", header({0x803, count, kSide, kSide}), images);
    write_file(prefix + "labels-idx1-ubyte", header({0x801, count}), labels);
  }
  temporary.keep();
}

}  // namespace mnist
