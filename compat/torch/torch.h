// Declares the names of LibTorch's <torch/torch.h>, with Taper's implementation.
#pragma once

// LibTorch's header includes these standard headers, and programs rely on this.
#include <algorithm>
#include <bitset>
#include <cassert>
#include <cinttypes>
#include <climits>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <deque>
#include <forward_list>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <shared_mutex>
#include <stack>
#include <thread>
#include <typeindex>
#include <unordered_set>

#include <taper/taper.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/DeprecatedTypeProperties.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/tensor.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/SymInt.h>
#include <c10/macros/Macros.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Exception.h>
#include <c10/util/Half.h>
#include <c10/util/Logging.h>
#include <c10/util/OptionalArrayRef.h>
#include <c10/util/StringUtil.h>
#include <c10/util/complex.h>
#include <c10/util/flat_hash_map.h>
#include <c10/util/irange.h>
#include <c10/util/string_view.h>
#include <c10/util/variant.h>
#include <torch/custom_class_holder.h>
#include <torch/jit.h>
#include <torch/names.h>
#include <torch/nn/functional/detail.h>
#include <torch/optim/serialize.h>
#include <torch/version.h>

namespace torch {
using std::make_unique;
}

// A program that registers operators must include <torch/library.h>. Other programs need not
// compile that header.
#ifndef TORCH_LIBRARY
#define TORCH_LIBRARY(ns, m) static_assert(false, "TORCH_LIBRARY needs #include <torch/library.h>");
#define TORCH_LIBRARY_FRAGMENT(ns, m) TORCH_LIBRARY(ns, m)
#define TORCH_LIBRARY_IMPL(ns, k, m) TORCH_LIBRARY(ns, m)
#endif

#define TORCH_ARG(T, name) TAPER_ARG(T, name)
#define TORCH_MODULE_IMPL(Name, ImplType) TAPER_MODULE_CLASS(Name, ImplType)
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)
#define FORWARD_HAS_DEFAULT_ARGS(...) TAPER_FORWARD_HAS_DEFAULT_ARGS(__VA_ARGS__)
