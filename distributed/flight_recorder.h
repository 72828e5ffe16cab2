// The flight recorder: what the process groups of this process have done last.
#pragma once

#include <string>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// The last operations of each group, also of groups that are gone, as JSON with the names that
/// PyTorch's flight recorder has: name, number, sizes, dtypes, state ("scheduled", "started",
/// "completed", "failed"), times in nanoseconds since 1970, error. How many are kept is said by
/// TAPER_FLIGHT_RECORD_SIZE (1000). Where TAPER_FLIGHT_RECORD is set, an operation that fails also
/// writes this to the file of that name, a dot and the process's rank.
std::string flight_record();

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
