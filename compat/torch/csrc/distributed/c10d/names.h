// The namespace c10d, and its errors and futures in the namespaces where LibTorch has them.
#pragma once

#include <taper/distributed/work.h>
#include <torch/names.h>

namespace c10d = taper::distributed;

namespace torch::taper::ivalue {
using taper::distributed::Future;
}

namespace c10 {
using taper::distributed::DistError;
using taper::distributed::DistNetworkError;
using taper::distributed::DistStoreError;
using DistBackendError = taper::distributed::DistError;
}  // namespace c10
