// Events of a profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/core/device.h>
#include <taper/framework/core/dtype.h>
#include <taper/framework/debug/run_observer.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils::profiler {

/// The kind of an event: an op, a kernel, a copy or a range.
using EventKind = taper::detail::RunEvent;

/// A tensor that an op reads or writes.
struct Operand {
  ScalarType dtype = ScalarType::Undefined;  ///< dtype of the elements
  std::vector<int64_t> sizes;                ///< sizes of the dimensions
  bool written = false;                      ///< whether the op writes the tensor
};

/// An interval on a thread of the host. Times are nanoseconds since the profile's start.
struct Event {
  std::string name;                 ///< name of the kernel, node, module or range
  EventKind kind = EventKind::kOp;  ///< kind of event
  int64_t thread = 0;               ///< number of the thread, from 1 in the order of first events
  int64_t begin_ns = 0;             ///< start time
  int64_t end_ns = 0;               ///< end time
  int64_t parent = -1;              ///< index of the enclosing event, -1 if there is none
  Device device;                    ///< device of an op
  /// Number of the op's node on the tape. For an event of a node: number of the node.
  uint64_t sequence_nr = 0;
  std::vector<Operand> operands;  ///< operands of an op, in the order of its kernel
  int64_t allocated = 0;  ///< bytes of tensors allocated in this event, without nested events
  int64_t freed = 0;      ///< bytes of tensors released in this event, without nested events
  int64_t device_ns = 0;  ///< time of the op's kernel on its device, 0 if unknown

  /// Returns the duration, including nested events.
  int64_t duration_ns() const { return end_ns - begin_ns; }
};

/// An allocation (nbytes > 0) or release of a tensor's memory.
struct MemoryEvent {
  int64_t time_ns = 0;            ///< nanoseconds since the profile's start
  const void* address = nullptr;  ///< address of the first byte
  int64_t nbytes = 0;             ///< number of bytes
  Device device;                  ///< device of the memory
  int64_t event = -1;             ///< index of the enclosing event, -1 if there is none
};

}  // namespace torch::taper::utils::profiler

#pragma GCC visibility pop
