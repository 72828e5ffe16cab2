// What a profile tells of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/core/device.h>
#include <taper/framework/core/dtype.h>
#include <taper/framework/debug/run_observer.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils::profiler {

using EventKind = taper::detail::RunEvent;

/// A tensor that an op reads or writes.
struct Operand {
  ScalarType dtype = ScalarType::Undefined;  ///< of its elements
  std::vector<int64_t> sizes;                ///< of its dimensions
  bool written = false;                      ///< or else read
};

/// Something that took a while on a thread of the host. Times are nanoseconds since the profile's
/// start.
struct Event {
  std::string name;                 ///< of the kernel, node, module or part
  EventKind kind = EventKind::kOp;  ///< what it is
  int64_t thread = 0;        ///< threads are numbered from 1 in the order in which they were seen
  int64_t begin_ns = 0;      ///< from when
  int64_t end_ns = 0;        ///< to when
  int64_t parent = -1;       ///< the index of the event around this one; -1: none
  Device device;             ///< where an op computes
  uint64_t sequence_nr = 0;  ///< of an op that is on the tape, and of the node that it has there
  std::vector<Operand> operands;  ///< of an op, in the order of its kernel
  int64_t allocated = 0;  ///< bytes of tensors that came, without those of events in this one
  int64_t freed = 0;      ///< the same of those that went
  int64_t device_ns = 0;  ///< what an op took on its device, as far as its kernel was seen there

  /// How long it took, with all that is in it.
  int64_t duration_ns() const { return end_ns - begin_ns; }
};

/// A tensor's memory that came (nbytes > 0) or went.
struct MemoryEvent {
  int64_t time_ns = 0;            ///< since the start
  const void* address = nullptr;  ///< its first byte
  int64_t nbytes = 0;             ///< how many
  Device device;                  ///< where it is
  int64_t event = -1;             ///< the index of the event in which it did; -1: none
};

}  // namespace torch::taper::utils::profiler

#pragma GCC visibility pop
