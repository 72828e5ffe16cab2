// The flight recorder: the last operations of this process's groups.
#pragma once

#include <string>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Returns the last operations of each group, also of destroyed groups, as JSON. It has the keys of
/// PyTorch's flight recorder: name, number, sizes, dtypes, state ("scheduled", "started",
/// "completed", "failed"), times in nanoseconds since 1970, and error. The environment variable
/// TAPER_FLIGHT_RECORD_SIZE is the number of operations that each group keeps (default 1000). If
/// TAPER_FLIGHT_RECORD is set to a path, a failed operation also writes this JSON to the file
/// PATH.RANK.
std::string flight_record();

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
