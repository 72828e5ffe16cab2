// Draws the events of all streams over time, as an SVG file for browsers. It needs no library.
#pragma once

#include <taper/taper.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Draws a row for each stream and a bar for each event. A browser shows the name of the event
/// under the mouse. Throws std::runtime_error if the file cannot be written.
inline void write_timeline(const std::vector<taper::cuda::TimelineEvent>& events,
                           const std::string& path) {
  constexpr double kLeft = 110, kRight = 710, kRow = 22, kTop = 12;
  std::map<std::pair<int, int>, double> rows;  // height by device and stream
  int64_t begin = INT64_MAX, end = 0;
  for (const auto& e : events) {
    rows[{e.device, e.stream}] = 0;
    begin = std::min(begin, e.begin_ns);
    end = std::max(end, e.end_ns);
  }
  double bottom = kTop;
  for (auto& row : rows) row.second = std::exchange(bottom, bottom + kRow);
  const auto x = [&](int64_t ns) {
    return kLeft + (kRight - kLeft) * static_cast<double>(ns - begin) /
                       static_cast<double>(std::max<int64_t>(1, end - begin));
  };
  std::ofstream out(path);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"730\" height=\"" << bottom + 24
      << "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"730\" height=\""
      << bottom + 24 << "\" fill=\"white\"/>\n";
  for (const auto& [stream, y] : rows)
    out << "<text x=\"6\" y=\"" << y + 14 << "\">cuda:" << stream.first << ", stream "
        << stream.second << "</text>\n";
  for (const auto& e : events)
    out << "<rect x=\"" << x(e.begin_ns) << "\" y=\"" << rows[{e.device, e.stream}] << "\" width=\""
        << std::max(0.4, x(e.end_ns) - x(e.begin_ns)) << "\" height=\"" << kRow - 4 << "\" fill=\""
        << (e.name == "memcpy" ? "#d1602d" : "#1f6fb2") << "\"><title>" << e.name
        << "</title></rect>\n";
  out << "<text x=\"" << kLeft << "\" y=\"" << bottom + 14 << "\">kernels blue, copies red; "
      << (end - begin) / 1000 << " us</text>\n</svg>\n";
  if (!out.flush()) throw std::runtime_error(path + " cannot be written");
}
