#include <taper/utils/profiler/memory_timeline.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_map>

#include <taper/framework/core/check.h>

namespace torch::taper::utils::profiler {
namespace {

constexpr const char* kNames[kMemoryCategories] = {"parameter",  "optimizer state", "gradient",
                                                   "activation", "input",           "temporary"};
constexpr const char* kColours[kMemoryCategories] = {"#1f77b4", "#9467bd", "#ff7f0e",
                                                     "#2ca02c", "#8c564b", "#bbbbbb"};
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// Returns the outermost event of a kind around event i, or null.
const Event* around(const std::vector<Event>& events, int64_t i, EventKind kind) {
  const Event* found = nullptr;
  for (; i >= 0; i = events[static_cast<size_t>(i)].parent)
    if (events[static_cast<size_t>(i)].kind == kind) found = &events[static_cast<size_t>(i)];
  return found;
}

/// Describes the lifetime of a tensor's memory.
struct Life {
  const MemoryEvent* came;
  int64_t end_ns = kNever;
};

class Categories {
 public:
  Categories(const std::vector<Event>& events, const std::vector<Tensor>& parameters)
      : events_(events) {
    for (const Event& e : events)
      if (e.kind == EventKind::kBackward) backward_begins_.push_back(e.begin_ns);
    std::sort(backward_begins_.begin(), backward_begins_.end());
    for (const Tensor& p : parameters) {
      if (!p.defined()) continue;
      add(parameters_, p);
      if (p.grad().defined()) add(gradients_, p.grad());
    }
  }

  MemoryCategory of(const Life& life) const {
    // Memory is reused. A parameter's memory is the one that has not been freed.
    if (life.end_ns == kNever && parameters_.count(life.came->address))
      return MemoryCategory::kParameter;
    const int64_t i = life.came->event;
    if (const Event* step = around(events_, i, EventKind::kOptimizer))
      return outlives(life, *step, MemoryCategory::kOptimizerState);
    if (const Event* pass = around(events_, i, EventKind::kBackward))
      return outlives(life, *pass, MemoryCategory::kGradient);
    if (around(events_, i, EventKind::kData)) return MemoryCategory::kInput;
    const auto next =
        std::lower_bound(backward_begins_.begin(), backward_begins_.end(), life.came->time_ns);
    return next != backward_begins_.end() && life.end_ns > *next ? MemoryCategory::kActivation
                                                                 : MemoryCategory::kTemporary;
  }
  /// Returns the bytes of parameters and gradients that existed before the recording.
  MemoryTimeline::Bytes from_before(const std::vector<Life>& lives) const {
    MemoryTimeline::Bytes bytes{};
    bytes[static_cast<size_t>(MemoryCategory::kParameter)] = without(parameters_, lives);
    bytes[static_cast<size_t>(MemoryCategory::kGradient)] = without(gradients_, lives);
    return bytes;
  }

 private:
  using Storages = std::unordered_map<const void*, int64_t>;
  static void add(Storages& all, const Tensor& t) {
    all[t.storage().data()] = static_cast<int64_t>(t.storage().nbytes());
  }
  /// Returns the bytes of storages that were not allocated in the recording.
  static int64_t without(Storages storages, const std::vector<Life>& lives) {
    for (const Life& life : lives)
      if (life.end_ns == kNever) storages.erase(life.came->address);
    int64_t sum = 0;
    for (const auto& storage : storages) sum += storage.second;
    return sum;
  }
  static MemoryCategory outlives(const Life& life, const Event& e, MemoryCategory category) {
    return life.end_ns > e.end_ns ? category : MemoryCategory::kTemporary;
  }
  const std::vector<Event>& events_;
  std::vector<int64_t> backward_begins_;
  Storages parameters_, gradients_;
};

std::vector<Life> lives_of(const std::vector<MemoryEvent>& memory) {
  std::vector<Life> lives;
  std::unordered_map<const void*, size_t> alive;
  for (const MemoryEvent& m : memory) {
    if (m.nbytes > 0) {
      alive[m.address] = lives.size();
      lives.push_back({&m});
    } else if (const auto found = alive.find(m.address); found != alive.end()) {
      lives[found->second].end_ns = m.time_ns;
      alive.erase(found);
    }
  }
  return lives;
}

int64_t sum_of(const MemoryTimeline::Bytes& bytes) {
  int64_t sum = 0;
  for (int64_t n : bytes) sum += n;
  return sum;
}

std::string json_of(const MemoryTimeline& t) {
  nlohmann::ordered_json json{{"categories", kNames}, {"time_ns", t.time_ns}, {"bytes", t.bytes}};
  return json.dump() + "\n";
}

/// Reduces the timeline to at most `n` times. Each stretch keeps its moment with the most bytes.
MemoryTimeline thinned(const MemoryTimeline& t, size_t n) {
  MemoryTimeline few;
  for (size_t k = 0; k < n && !t.bytes.empty(); ++k) {
    const size_t begin = k * t.bytes.size() / n, end = (k + 1) * t.bytes.size() / n;
    if (begin == end) continue;
    const auto most =
        std::max_element(t.bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                         t.bytes.begin() + static_cast<std::ptrdiff_t>(end),
                         [](const auto& a, const auto& b) { return sum_of(a) < sum_of(b); });
    few.time_ns.push_back(t.time_ns[static_cast<size_t>(most - t.bytes.begin())]);
    few.bytes.push_back(*most);
  }
  return few;
}

std::string format(const char* form, double v) {
  char text[64];
  std::snprintf(text, sizeof text, form, v);
  return text;
}

std::string svg_of(const MemoryTimeline& all) {
  constexpr double kWidth = 1000, kHeight = 400, kLeft = 80, kTop = 40;
  const MemoryTimeline t = thinned(all, 1000);
  const double peak = static_cast<double>(std::max<int64_t>(all.peak_bytes(), 1));
  const double last =
      t.time_ns.empty() ? 1 : std::max<double>(1, static_cast<double>(t.time_ns.back()));
  const auto x = [&](size_t i) {
    return kLeft + kWidth * static_cast<double>(t.time_ns[i]) / last;
  };
  const auto y = [&](int64_t bytes) {
    return kTop + kHeight * (1 - static_cast<double>(bytes) / peak);
  };
  std::ostringstream out;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1100\" height=\"500\" "
         "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"1100\" height=\"500\" "
         "fill=\"white\"/>\n";
  std::vector<int64_t> below(t.bytes.size(), 0);
  for (size_t c = 0; c < kMemoryCategories; ++c) {
    out << "<polygon fill=\"" << kColours[c] << "\" points=\"";
    std::string back;
    std::vector<int64_t> above;
    for (size_t i = 0; i < below.size(); ++i) {
      // Draws a step: the old value up to now, then the new value.
      const size_t before = i ? i - 1 : 0;
      std::ostringstream lower;
      lower << x(i) << ',' << y(below[i]) << ' ' << x(i) << ',' << y(below[before]) << ' ';
      back.insert(0, lower.str());
      const int64_t own = t.bytes[i][c];
      out << x(i) << ',' << y(i ? above.back() : own) << ' ' << x(i) << ',' << y(below[i] + own)
          << ' ';
      above.push_back(below[i] + own);
    }
    below = above;
    out << back << "\"/>\n<rect x=\"" << kLeft + 150 * static_cast<double>(c)
        << "\" y=\"12\" width=\"12\" height=\"12\" fill=\"" << kColours[c] << "\"/><text x=\""
        << kLeft + 150 * static_cast<double>(c) + 18 << "\" y=\"23\">" << kNames[c] << "</text>\n";
  }
  out << "<text x=\"8\" y=\"" << kTop + 5 << "\">" << format("%.2f", peak / (1 << 20))
      << " MiB</text>\n<text x=\"8\" y=\"" << kTop + kHeight << "\">0</text>\n<text x=\""
      << kLeft + kWidth - 60 << "\" y=\"" << kTop + kHeight + 20 << "\">"
      << format("%.2f", last / 1e6) << " ms</text>\n</svg>\n";
  return out.str();
}

}  // namespace

const char* to_string(MemoryCategory category) { return kNames[static_cast<size_t>(category)]; }

MemoryTimeline::MemoryTimeline(const std::vector<Event>& events,
                               const std::vector<MemoryEvent>& memory,
                               const std::vector<Tensor>& parameters) {
  const std::vector<Life> lives = lives_of(memory);
  const Categories categories(events, parameters);
  struct Change {
    int64_t time_ns, nbytes;
    size_t category;
  };
  std::vector<Change> changes;
  for (const Life& life : lives) {
    const auto category = static_cast<size_t>(categories.of(life));
    changes.push_back({life.came->time_ns, life.came->nbytes, category});
    if (life.end_ns != kNever) changes.push_back({life.end_ns, -life.came->nbytes, category});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](auto& a, auto& b) { return a.time_ns < b.time_ns; });
  Bytes now = categories.from_before(lives);
  time_ns.push_back(0);
  bytes.push_back(now);
  for (const Change& c : changes) {
    now[c.category] += c.nbytes;
    time_ns.push_back(c.time_ns);
    bytes.push_back(now);
  }
}

MemoryTimeline::Bytes MemoryTimeline::at_peak() const {
  const auto most = std::max_element(bytes.begin(), bytes.end(),
                                     [](auto& a, auto& b) { return sum_of(a) < sum_of(b); });
  return most == bytes.end() ? Bytes{} : *most;
}
int64_t MemoryTimeline::peak_bytes() const { return sum_of(at_peak()); }

void MemoryTimeline::save(const std::string& path) const {
  const auto ends_with = [&](const std::string& end) {
    return path.size() >= end.size() &&
           path.compare(path.size() - end.size(), end.size(), end) == 0;
  };
  TAPER_CHECK_VALUE(ends_with(".json") || ends_with(".svg"),
                    "MemoryTimeline::save: expected a path that ends with .json or .svg, got ",
                    path);
  std::ofstream out(path);
  out << (ends_with(".svg") ? svg_of(*this) : json_of(*this));
  out.close();
  TAPER_CHECK(out.good(), "MemoryTimeline::save: ", path, " could not be written");
}

}  // namespace torch::taper::utils::profiler
