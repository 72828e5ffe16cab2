// The flight recorder: the last operations of this process's groups.
#pragma once

#include <string>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Returns the last operations of each group, also of destroyed groups, as JSON with the names of
/// PyTorch's flight recorder: name, number, sizes, dtypes, state ("scheduled", "started",
/// "completed", "failed"), times in nanoseconds since 1970, error. TAPER_FLIGHT_RECORD_SIZE (1000)
/// limits their number. If TAPER_FLIGHT_RECORD is set, a failed operation also writes this to the
/// file of that name, a dot and the process's rank.
std::string flight_record();

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
