// The namespaces of LibTorch besides torch: at, c10 and caffe2.
//
// Taper's names are in torch (taper/framework/core/namespaces.h). at, c10 and caffe2 are namespaces
// with a using-directive and not aliases, because programs reopen them. A name refers to the same
// entity in torch, at and c10, so `using namespace torch; using namespace at;` is not ambiguous.
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

// Names that compat declares in c10 (c10::str, c10::irange) are also in at and torch. Only
// `complex` differs: it is a type in c10, and an op in at and torch.
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
