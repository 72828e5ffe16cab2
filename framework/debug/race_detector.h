// The race detector: finds memory that two streams, or a stream and the host, use with nothing that
// orders them, whatever happened to come first in this run. See docs/devices.md.
//
// TAPER_RACE_DETECTOR=1 in the environment turns it on and prints each race once to stderr;
// TAPER_RACE_DETECTOR=throw lets the op that races throw Error in place of running.
#pragma once

#include <string>
#include <vector>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// One of the two uses of memory in a race.
struct RaceAccess {
  /// The kernel, or "copy".
  std::string op;
  /// "the default stream of cuda:0", "stream 3 of cuda:1", "the host".
  std::string stream;
  bool writes = false;  ///< it writes the memory; else it reads
  /// Where the program called the op, innermost line first: "function at file.cpp:12".
  std::vector<std::string> where;
};

/// One race: two uses of the same memory, one of them writing, that nothing orders.
struct RaceReport {
  /// In the order in which the host queued them.
  ///@{
  RaceAccess first, second;
  ///@}
  /// The tensor of the first was freed, and its memory given out again, before the second.
  bool reused = false;
  /// All of it in words, with what to do.
  std::string text;
};

/// Turns the detector on or off, for all threads; nothing that was queued before counts. With
/// `throws`, an op that races throws Error and is not queued. No other thread may use a device
/// meanwhile. Without CUDA devices nothing is watched.
void enable_race_detector(bool enabled = true, bool throws = false);
/// Whether the detector is on.
bool race_detector_enabled();
/// The races so far, those between the same two lines once.
std::vector<RaceReport> race_reports();
/// Drops the races so far: race_reports() begins anew.
void clear_race_reports();

/// Turns the detector on until the end of the scope, with no reports at first. Then all is as it
/// was before, but that nothing queued in the scope counts.
class RaceDetectorGuard {
 public:
  /// `throws`: as enable_race_detector has it.
  explicit RaceDetectorGuard(bool throws = false);
  ~RaceDetectorGuard();
  RaceDetectorGuard(const RaceDetectorGuard&) = delete;
  RaceDetectorGuard& operator=(const RaceDetectorGuard&) = delete;

 private:
  bool enabled_before_, threw_before_;
  std::vector<RaceReport> reports_before_;
};

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
