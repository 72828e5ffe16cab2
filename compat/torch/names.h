// The namespaces that LibTorch programs use, as other names of taper.
//
// They are real namespaces with a using-directive, not aliases (`namespace torch = taper;`),
// because programs reopen them: `namespace torch { my helper }` is an error for an alias. Qualified
// lookup goes through a using-directive, so torch::nn::functional::relu, at::add and catch
// (c10::Error&) name taper's own entities; argument-dependent lookup happens in taper, where the
// types are; and `using namespace torch; using namespace at;` together are not ambiguous, as both
// lead to one declaration.
//
// The nested ones are aliases on purpose. A nested namespace that a program opened in torch would
// hide taper's of the same name, and torch::nn::Linear would no longer be found; with an alias the
// compiler says at the opening brace that torch::nn is taper::nn. Write `namespace taper::nn {`
// there: it names the same place, and what is declared in it is found as torch::nn::... .
#pragma once

namespace taper {
namespace amp {}
namespace autograd {}
namespace cuda {}
namespace data {}
namespace indexing {}
namespace mps {}
namespace nn {}
namespace optim {}
namespace serialize {}
namespace xpu {}
namespace native {}
namespace numbers {
template <class T>
struct complex;
}
class Tensor;
Tensor complex(const Tensor& real, const Tensor& imag);
}  // namespace taper

namespace c10 {
using namespace taper;
using taper::numbers::complex;
}  // namespace c10

// What compat declares in c10 itself (c10::str, c10::irange) is found through at and torch too;
// `complex` alone is a type in c10 and an op in the others.
namespace torch {
using namespace taper;
using namespace c10;
using taper::complex;
namespace amp = taper::amp;
namespace autograd = taper::autograd;
namespace cuda = taper::cuda;
namespace data = taper::data;
namespace indexing = taper::indexing;
namespace mps = taper::mps;
namespace nn = taper::nn;
namespace optim = taper::optim;
namespace serialize = taper::serialize;
namespace xpu = taper::xpu;
}  // namespace torch

namespace at {
using namespace taper;
using namespace c10;
using taper::complex;
namespace native {
using namespace taper;
using namespace taper::native;
}  // namespace native
namespace indexing = taper::indexing;
}  // namespace at

namespace caffe2 {
using namespace taper;
}
