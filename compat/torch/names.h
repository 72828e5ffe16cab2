// The namespaces that LibTorch programs use, as other names of taper.
//
// They are real namespaces with a using-directive, not aliases (`namespace torch = taper;`),
// because programs reopen them: `namespace torch { my helper }` is an error for an alias. Qualified
// lookup goes through a using-directive, so torch::nn::functional::relu, at::add and catch
// (c10::Error&) name taper's own entities; argument-dependent lookup happens in taper, where the
// types are; and `using namespace torch; using namespace at;` together are not ambiguous, as both
// lead to one declaration.
//
// So are the nested ones that programs declare things of their own in (`namespace torch { namespace
// nn { struct MyImpl ...`): what a program declares there is found first, then taper's. A template
// of Taper is specialised in taper's namespace.
#pragma once

namespace taper {
namespace amp {}
namespace autograd {}
namespace cuda {}
namespace data {
namespace datasets {}
namespace samplers {}
namespace transforms {}
}  // namespace data
namespace indexing {}
namespace mps {}
namespace nn {
namespace functional {}
namespace init {}
namespace parallel {}
namespace utils {
namespace rnn {}
}  // namespace utils
}  // namespace nn
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
namespace indexing = taper::indexing;
namespace mps = taper::mps;
namespace xpu = taper::xpu;
namespace autograd {
using namespace taper::autograd;
}
namespace cuda {
using namespace taper::cuda;
}
namespace data {
using namespace taper::data;
namespace datasets {
using namespace taper::data::datasets;
}
namespace samplers {
using namespace taper::data::samplers;
}
namespace transforms {
using namespace taper::data::transforms;
}
}  // namespace data
namespace nn {
using namespace taper::nn;
namespace functional {
using namespace taper::nn::functional;
}
namespace init {
using namespace taper::nn::init;
}
namespace parallel {
using namespace taper::nn::parallel;
}
namespace utils {
using namespace taper::nn::utils;
namespace rnn {
using namespace taper::nn::utils::rnn;
}
}  // namespace utils
}  // namespace nn
namespace optim {
using namespace taper::optim;
}
namespace serialize {
using namespace taper::serialize;
}
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
