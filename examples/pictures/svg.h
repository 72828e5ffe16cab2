// Draws curves and points as an SVG file for browsers. It needs no library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pictures/arguments.h"

/// One series of a drawing: a curve, or points.
struct Series {
  std::string name;
  std::vector<double> x, y;
  bool as_points = false;

  void add(double at_x, double at_y) {
    x.push_back(at_x);
    y.push_back(at_y);
  }
  // The last x so far.
  double end() const { return x.empty() ? 0 : x.back(); }
};

namespace svg {

struct Range {
  double low = 1e300, high = -1e300;
  void add(const std::vector<double>& values) {
    for (const double v : values) {
      low = std::min(low, v);
      high = std::max(high, v);
    }
  }
  // Returns the position of a value between two ends of the picture.
  double place(double v, double from, double to) const {
    return from + (to - from) * (high > low ? (v - low) / (high - low) : 0.5);
  }
  // Returns three to ten numbers in the range, multiples of 1, 2 or 5 times a power of ten. If all
  // values are equal, returns one number.
  std::vector<double> ticks() const {
    if (!(high >= low)) return {};
    // A step below the precision of the numbers would not change them.
    if (!(high - low > 1e-9 * std::max(std::fabs(low), std::fabs(high)))) return {low};
    double step = std::pow(10, std::floor(std::log10(high - low)));
    for (const double finer : {0.5, 0.4, 0.5})
      if ((high - low) / step < 3) step *= finer;
    std::vector<double> all;
    for (double i = std::ceil(low / step); i * step <= high + step / 1e6; ++i)
      all.push_back(i * step + 0.);
    return all;
  }
};

inline std::string text(double x, double y, const char* anchor, const std::string& words) {
  char line[300];
  std::snprintf(line, sizeof line, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x,
                y, anchor, words.c_str());
  return line;
}

inline std::string number(double v) {
  char digits[32];
  std::snprintf(digits, sizeof digits, std::fabs(v) < 1e5 ? "%.4g" : "%.0f", v);
  return digits;
}

}  // namespace svg

/// Draws all series over one x axis, which `x_name` names. Throws std::runtime_error if the file
/// cannot be written.
inline void write_svg(const std::vector<Series>& all, const std::string& x_name,
                      const std::string& path) {
  constexpr double kLeft = 55, kRight = 470, kTop = 30, kBottom = 240;
  static const char* const colors[] = {"#1f6fb2", "#d1602d", "#3a8a4d"};
  svg::Range x, y;
  for (const Series& s : all) {
    x.add(s.x);
    y.add(s.y);
  }
  std::ofstream out(path);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"490\" height=\"285\" "
         "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"490\" height=\"285\" "
         "fill=\"white\"/>\n";
  for (const double tick : y.ticks()) {
    const double row = y.place(tick, kBottom, kTop);
    out << "<path d=\"M" << kLeft << ' ' << row << 'H' << kRight << "\" stroke=\"#ddd\"/>\n"
        << svg::text(kLeft - 5, row + 4, "end", svg::number(tick));
  }
  for (const double tick : x.ticks())
    out << svg::text(x.place(tick, kLeft, kRight), kBottom + 16, "middle", svg::number(tick));
  out << svg::text((kLeft + kRight) / 2, kBottom + 34, "middle", x_name);
  for (size_t i = 0; i < all.size(); ++i) {
    const Series& s = all[i];
    const std::string color = colors[i % 3];
    if (!s.as_points)
      out << "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"" << color << "\" points=\"";
    for (size_t k = 0; k < s.x.size(); ++k) {
      const std::string at_x = svg::number(x.place(s.x[k], kLeft, kRight)),
                        at_y = svg::number(y.place(s.y[k], kBottom, kTop));
      if (s.as_points)
        out << "<circle r=\"1.5\" fill=\"" << color << "\" cx=\"" << at_x << "\" cy=\"" << at_y
            << "\"/>\n";
      else
        out << at_x << ',' << at_y << ' ';
    }
    if (!s.as_points) out << "\"/>\n";
    out << "<g fill=\"" << color << "\">"
        << svg::text(kLeft + 150 * static_cast<double>(i), kTop - 14, "start", s.name) << "</g>\n";
  }
  out << "</svg>\n";
  if (!out.flush()) throw std::runtime_error(path + " cannot be written");
}
