// The namespace of Taper: an inline namespace of torch, so that LibTorch's names and Taper's names
// are the same entities.
//
// A program may reopen `namespace torch { namespace nn {`. It may write `using namespace torch;`
// and then `nn::Module`, or use the name taper. All three name one entity (CWG 2061). Symbols do
// not clash with LibTorch's, because their names contain both namespaces. Every header with a
// namespace includes this one first, because the first declaration must say `inline`. Nested
// namespaces that programs reopen are declared here, so that they exist with every set of headers.
#pragma once

#if defined(__clang__)
// C++17 cannot say `inline` in `namespace torch::taper {`, and does not need it.
#pragma clang diagnostic ignored "-Winline-namespace-reopened-noninline"
#endif

#pragma GCC visibility push(default)

namespace torch {
inline namespace taper {

namespace amp {}
namespace autograd {
namespace profiler {}
}  // namespace autograd
namespace backends {}
namespace cuda {}
namespace data {
namespace datasets {}
namespace samplers {}
namespace transforms {}
}  // namespace data
namespace detail {}
namespace distributed {}
namespace fft {}
namespace indexing {}
namespace jit {}
namespace linalg {}
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
namespace profiler {}
namespace serialize {}
namespace special {}
namespace testing {}
namespace train {}
namespace xpu {}

}  // namespace taper
}  // namespace torch

/// Taper's short name.
namespace taper = torch::taper;

#pragma GCC visibility pop
