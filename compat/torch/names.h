// The namespaces of LibTorch besides torch: at, c10 and caffe2.
//
// Taper's names are in torch (taper/framework/core/namespaces.h). These are namespaces with a
// using-directive, not aliases, because programs reopen them. A name found through torch, at or c10
// is one entity, so `using namespace torch; using namespace at;` together are not ambiguous.
#pragma once

#include <taper/framework/core/namespaces.h>

namespace torch::taper {
namespace numbers {
template <class T>
struct complex;
}
class Tensor;
Tensor complex(const Tensor& real, const Tensor& imag);
}  // namespace torch::taper

namespace c10 {
using namespace torch::taper;
using torch::taper::numbers::complex;
}  // namespace c10

// Names that compat declares in c10 (c10::str, c10::irange) are found through at and torch too.
// Only `complex` is a type in c10 and an op in the others.
namespace torch {
using namespace c10;
}

namespace at {
using namespace torch::taper;
using namespace c10;
using torch::taper::complex;
namespace native {
using namespace torch::taper;
}
namespace indexing = torch::taper::indexing;
}  // namespace at

namespace caffe2 {
using namespace torch::taper;
}
