// c10::SymInt and c10::SymIntArrayRef: in Taper, sizes are always numbers and never symbols.
#pragma once

#include <taper/framework/core/array_ref.h>
#include <torch/names.h>

namespace c10 {
using SymInt = int64_t;
using SymIntArrayRef = taper::ArrayRef<int64_t>;
inline SymIntArrayRef fromIntArrayRefSlow(taper::IntArrayRef sizes) { return sizes; }
}  // namespace c10
