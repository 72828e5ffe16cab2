// Sums of events of one name, and the table of them.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <taper/utils/profiler/event.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils::profiler {

/// All events of one name. Bytes are those that came less those that went.
struct KeyAverage {
  std::string name;            ///< of the events
  std::string shapes;          ///< "[[2, 3], []]", where events are grouped by them
  int64_t count = 0;           ///< how many there were
  int64_t self_cpu_ns = 0;     ///< without the events in them
  int64_t cpu_ns = 0;          ///< with them
  int64_t self_device_ns = 0;  ///< on devices, without
  int64_t device_ns = 0;       ///< on devices, with
  int64_t self_bytes = 0;      ///< without
  int64_t bytes = 0;           ///< with
};

/// The sums of all events, by name and, if wanted, by sizes.
class KeyAverages {
 public:
  /// Of a profile's events.
  KeyAverages(const std::vector<Event>& events, bool group_by_input_shape);

  /// The greatest self CPU time first.
  const std::vector<KeyAverage>& entries() const { return entries_; }
  /// The entries, to loop over.
  const KeyAverage* begin() const { return entries_.data(); }
  /// See begin().
  const KeyAverage* end() const { return entries_.data() + entries_.size(); }
  /// How many there are.
  size_t size() const { return entries_.size(); }
  /// The sum of self CPU times.
  int64_t self_cpu_ns() const { return self_cpu_ns_; }

  /// A table of at most `row_limit` entries in the form of Python's. `sort_by`: "cpu_time_total",
  /// "cpu_time" (of a call), "self_cpu_time_total", "cuda_time_total", "self_cuda_time_total",
  /// "cpu_memory_usage", "self_cpu_memory_usage" or "count"; "" leaves them by self CPU time.
  /// Throws ValueError for another.
  std::string table(const std::string& sort_by = "", size_t row_limit = 100) const;

 private:
  std::vector<KeyAverage> entries_;
  int64_t self_cpu_ns_ = 0, self_device_ns_ = 0;
  bool with_shapes_, with_devices_ = false, with_memory_ = false;
};

std::ostream& operator<<(std::ostream& out, const KeyAverages& averages);

}  // namespace torch::taper::utils::profiler

#pragma GCC visibility pop
