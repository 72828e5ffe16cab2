// The namespace c10d, and aliases of its errors and futures in the namespaces of LibTorch.
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
