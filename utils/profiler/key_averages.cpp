#include <taper/utils/profiler/key_averages.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <ostream>

#include <taper/framework/core/check.h>

namespace torch::taper::utils::profiler {
namespace {

std::string text_of(const std::vector<Operand>& operands) {
  std::string text = "[";
  for (const Operand& o : operands) {
    if (o.written) continue;
    text += text.size() > 1 ? ", [" : "[";
    for (size_t d = 0; d < o.sizes.size(); ++d)
      text += (d ? ", " : "") + std::to_string(o.sizes[d]);
    text += "]";
  }
  return text + "]";
}

/// Returns the name under which events are summed. All steps share one, as in PyTorch.
std::string name_of(const Event& e) {
  return e.name.rfind("ProfilerStep#", 0) == 0 ? "ProfilerStep*" : e.name;
}

/// Holds times and bytes of an event, including those of the events in it.
struct Total {
  int64_t device_ns = 0, bytes = 0;
};
std::vector<Total> totals_of(const std::vector<Event>& events) {
  std::vector<Total> totals(events.size());
  for (size_t i = events.size(); i-- > 0;) {  // children come after their parents
    const Event& e = events[i];
    totals[i].device_ns += e.device_ns;
    totals[i].bytes += e.allocated - e.freed;
    if (e.parent < 0) continue;
    Total& outer = totals[static_cast<size_t>(e.parent)];
    outer.device_ns += totals[i].device_ns;
    outer.bytes += totals[i].bytes;
  }
  return totals;
}

std::string format(const char* form, double v, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, form, v, unit);
  return text;
}
std::string time_text(int64_t ns) {
  const double us = static_cast<double>(ns) / 1e3;
  if (us >= 1e6) return format("%.3f%s", us / 1e6, "s");
  if (us >= 1e3) return format("%.3f%s", us / 1e3, "ms");
  return format("%.3f%s", us, "us");
}
std::string bytes_text(int64_t n) {
  const double size = std::abs(static_cast<double>(n));
  const auto v = static_cast<double>(n);
  if (size >= 1 << 30) return format("%.2f %s", v / (1 << 30), "GB");
  if (size >= 1 << 20) return format("%.2f %s", v / (1 << 20), "MB");
  if (size >= 1 << 10) return format("%.2f %s", v / (1 << 10), "KB");
  return format("%.0f %s", v, "B");
}
std::string share_text(int64_t part, int64_t whole) {
  return format("%.2f%s", whole ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0,
                "%");
}

/// Returns the value by which the table is sorted.
int64_t key_of(const KeyAverage& e, const std::string& name) {
  if (name == "cpu_time_total") return e.cpu_ns;
  if (name == "cpu_time") return e.cpu_ns / e.count;
  if (name == "cuda_time_total") return e.device_ns;
  if (name == "self_cuda_time_total") return e.self_device_ns;
  if (name == "cpu_memory_usage") return e.bytes;
  if (name == "self_cpu_memory_usage") return e.self_bytes;
  if (name == "count") return e.count;
  TAPER_CHECK_VALUE(name.empty() || name == "self_cpu_time_total",
                    "table: expected sort_by to be cpu_time_total, cpu_time, self_cpu_time_total, "
                    "cuda_time_total, self_cuda_time_total, cpu_memory_usage, "
                    "self_cpu_memory_usage or count, got '",
                    name, "'");
  return e.self_cpu_ns;
}

struct Column {
  std::string head;
  std::function<std::string(const KeyAverage&)> text;
  bool left = false;
};

std::string padded(const std::string& text, size_t width, bool left) {
  const std::string space(width > text.size() ? width - text.size() : 0, ' ');
  return left ? text + space : space + text;
}

/// Formats the rows. Each column is as wide as its widest text, and columns are two blanks apart.
std::string lay_out(const std::vector<Column>& columns,
                    const std::vector<const KeyAverage*>& rows) {
  std::vector<std::vector<std::string>> texts(rows.size());
  std::vector<size_t> widths;
  for (const Column& c : columns) {
    size_t width = c.head.size();
    for (size_t r = 0; r < rows.size(); ++r) {
      texts[r].push_back(c.text(*rows[r]));
      width = std::max(width, texts[r].back().size());
    }
    widths.push_back(width);
  }
  std::string rule, head, body;
  for (size_t c = 0; c < columns.size(); ++c) {
    rule += std::string(widths[c], '-') + "  ";
    head += padded(columns[c].head, widths[c], columns[c].left) + "  ";
  }
  for (const auto& row : texts) {
    for (size_t c = 0; c < columns.size(); ++c)
      body += padded(row[c], widths[c], columns[c].left) + "  ";
    body += '\n';
  }
  return rule + '\n' + head + '\n' + rule + '\n' + body + rule + '\n';
}

}  // namespace

KeyAverages::KeyAverages(const std::vector<Event>& events, bool group_by_input_shape)
    : with_shapes_(group_by_input_shape) {
  const std::vector<Total> totals = totals_of(events);
  std::map<std::pair<std::string, std::string>, KeyAverage> sums;
  std::vector<KeyAverage*> own(events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    const std::string shapes = group_by_input_shape ? text_of(e.operands) : "";
    const std::string name = name_of(e);
    KeyAverage& sum = sums[{name, shapes}];
    sum.name = name;
    sum.shapes = shapes;
    own[i] = &sum;
    ++sum.count;
    sum.self_cpu_ns += e.duration_ns();
    sum.self_device_ns += e.device_ns;
    sum.self_bytes += e.allocated - e.freed;
    // An event within another of equal key is not counted again.
    bool within = false;
    for (int64_t p = e.parent; p >= 0 && !within; p = events[static_cast<size_t>(p)].parent)
      within = own[static_cast<size_t>(p)] == &sum;
    if (within) continue;
    sum.cpu_ns += e.duration_ns();
    sum.device_ns += totals[i].device_ns;
    sum.bytes += totals[i].bytes;
  }
  for (size_t i = 0; i < events.size(); ++i)
    if (events[i].parent >= 0)
      own[static_cast<size_t>(events[i].parent)]->self_cpu_ns -= events[i].duration_ns();
  for (auto& entry : sums) {
    KeyAverage& e = entry.second;
    self_cpu_ns_ += e.self_cpu_ns;
    self_device_ns_ += e.self_device_ns;
    with_devices_ = with_devices_ || e.self_device_ns != 0;
    with_memory_ = with_memory_ || e.self_bytes != 0;
    entries_.push_back(std::move(e));
  }
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](auto& a, auto& b) { return a.self_cpu_ns > b.self_cpu_ns; });
}

std::string KeyAverages::table(const std::string& sort_by, size_t row_limit) const {
  key_of({"", "", 1}, sort_by);  // throws for an unknown name
  std::vector<const KeyAverage*> rows;
  for (const KeyAverage& e : entries_) rows.push_back(&e);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](auto* a, auto* b) { return key_of(*a, sort_by) > key_of(*b, sort_by); });
  if (rows.size() > row_limit) rows.resize(row_limit);
  using E = const KeyAverage&;
  const int64_t cpu = self_cpu_ns_, device = self_device_ns_;
  std::vector<Column> columns = {
      {"Name", [](E e) { return e.name; }},
      {"Self CPU %", [=](E e) { return share_text(e.self_cpu_ns, cpu); }},
      {"Self CPU", [](E e) { return time_text(e.self_cpu_ns); }},
      {"CPU total %", [=](E e) { return share_text(e.cpu_ns, cpu); }},
      {"CPU total", [](E e) { return time_text(e.cpu_ns); }},
      {"CPU time avg", [](E e) { return time_text(e.cpu_ns / e.count); }}};
  if (with_devices_) {
    columns.push_back({"Self CUDA", [](E e) { return time_text(e.self_device_ns); }});
    columns.push_back({"Self CUDA %", [=](E e) { return share_text(e.self_device_ns, device); }});
    columns.push_back({"CUDA total", [](E e) { return time_text(e.device_ns); }});
    columns.push_back({"CUDA time avg", [](E e) { return time_text(e.device_ns / e.count); }});
  }
  if (with_memory_) {
    columns.push_back({"Mem", [](E e) { return bytes_text(e.bytes); }});
    columns.push_back({"Self Mem", [](E e) { return bytes_text(e.self_bytes); }});
  }
  columns.push_back({"# of Calls", [](E e) { return std::to_string(e.count); }});
  if (with_shapes_) columns.push_back({"Input Shapes", [](E e) { return e.shapes; }, true});
  std::string text = lay_out(columns, rows) + "Self CPU time total: " + time_text(cpu) + "\n";
  if (with_devices_) text += "Self CUDA time total: " + time_text(device) + "\n";
  return text;
}

std::ostream& operator<<(std::ostream& out, const KeyAverages& averages) {
  return out << averages.table();
}

}  // namespace torch::taper::utils::profiler
