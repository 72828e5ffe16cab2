// The namespace of Taper: an inline namespace of torch, so that LibTorch's names and Taper's are
// one.
//
// A program may reopen `namespace torch { namespace nn {`, write `using namespace torch;` and then
// `nn::Module`, or call everything taper: each path leads to one entity (CWG 2061). The symbols
// keep clear of LibTorch's, as their names hold both. Every header with a namespace includes this
// one before it opens it, since the first declaration must say `inline`. The nested namespaces that
// programs reopen are declared here, so that they are found however little else is included.
#pragma once

#if defined(__clang__)
// C++17 cannot say `inline` in `namespace torch::taper {`, and need not.
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

/// All of Taper, by its own name.
namespace taper = torch::taper;

#pragma GCC visibility pop
