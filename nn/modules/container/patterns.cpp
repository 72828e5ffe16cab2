#include <taper/nn/modules/container/patterns.h>

#include <algorithm>

#include <taper/framework/debug/run_observer.h>
#include <taper/framework/kernel/ways.h>
#include <taper/nn/any_module.h>
#include <taper/nn/modules/activation.h>
#include <taper/nn/modules/conv.h>
#include <taper/nn/modules/linear.h>
#include <taper/nn/modules/pooling.h>
#include <taper/ops/nn/linear_relu.h>
#include <taper/ops/spatial/conv/conv_relu_pool.h>

namespace torch::taper::nn::detail {

namespace {

/// The modules of a container that come next, and their input. A pattern replaces the input by its
/// result.
struct Modules {
  const AnyModule* next;
  size_t left;
  Tensor& x;
};

/// A pattern of `length` modules. `run` returns the result, or an undefined tensor if the modules
/// differ or if no kernel computes the case.
struct Pattern {
  std::string_view name;
  size_t length;
  Tensor (*run)(const Modules& m);
};

template <class M>
bool is_plain(const AnyModule& m) {
  return m.maps_tensor() && m.type_info() == typeid(M) && !m.ptr()->has_hooks();
}

template <size_t D>
bool all(const ExpandingArray<D>& a, int64_t value) {
  return std::all_of(a->begin(), a->end(), [value](int64_t v) { return v == value; });
}

/// Returns whether the windows are 2 x 2, side by side.
bool halves(const MaxPool2dOptions& o) {
  return all(o.kernel_size(), 2) && all(o.stride(), 2) && all(o.padding(), 0) &&
         all(o.dilation(), 1);
}

/// Runs a convolution, then a relu and max pooling of 2 x 2 in either order.
Tensor conv_relu_pool(const Modules& m) {
  if (m.x.dim() != 4 || !is_plain<Conv2dImpl>(m.next[0])) return {};
  const AnyModule& pool = m.next[is_plain<ReLUImpl>(m.next[1]) ? 2 : 1];
  if (!is_plain<MaxPool2dImpl>(pool) || !is_plain<ReLUImpl>(m.next[&pool == &m.next[1] ? 2 : 1]))
    return {};
  const auto& conv = m.next[0].get<Conv2dImpl>();
  const auto* padding = std::get_if<ExpandingArray<2>>(&conv.options.padding());
  if (!padding || conv.options.padding_mode().index() != 0 || conv.options.groups() != 1 ||
      !all(conv.options.stride(), 1) || !all(conv.options.dilation(), 1) ||
      !halves(pool.get<MaxPool2dImpl>().options) ||
      !taper::detail::takes_conv_relu_max_pool(m.x, conv.weight, conv.bias, *padding))
    return {};
  const ModuleScope recorded(conv);  // relu and pooling are not timed separately
  return taper::detail::conv_relu_max_pool(m.x, conv.weight, conv.bias, *padding);
}

/// Runs a linear layer and a relu. Profiles and graphs of a run show both modules, so an observed
/// run calls them apart.
Tensor linear_relu(const Modules& m) {
  if (taper::detail::observes_run()) return {};
  if (m.x.dim() != 2 || !is_plain<LinearImpl>(m.next[0]) || !is_plain<ReLUImpl>(m.next[1]))
    return {};
  const auto& linear = m.next[0].get<LinearImpl>();
  if (!taper::detail::takes_linear_relu(m.x, linear.weight, linear.bias)) return {};
  return taper::detail::linear_relu(m.x, linear.weight, linear.bias);
}

/// The table of patterns. The first one that matches is used.
constexpr Pattern kPatterns[] = {{"conv_relu_pool", 3, conv_relu_pool},
                                 {"linear_relu", 2, linear_relu}};

/// The name that allows no pattern.
constexpr Pattern kOff[] = {{"off", 0, nullptr}};
taper::detail::ForcedWay forced("TAPER_PATTERNS");

/// Returns whether the environment, or a test, allows a pattern.
bool is_allowed(const Pattern& p) {
  if (!forced.is_set()) return true;
  forced.check(kPatterns, kOff);
  return forced.name() == p.name;
}

}  // namespace

size_t run_pattern(const AnyModule* next, size_t left, Tensor& x) {
  if (!x.defined()) return 0;
  for (const Pattern& p : kPatterns) {
    if (left < p.length) continue;
    if (!is_allowed(p)) continue;
    if (Tensor y = p.run({next, left, x}); y.defined()) {
      x = std::move(y);
      return p.length;
    }
  }
  return 0;
}

void force_pattern(const char* name) {
  forced.set(name);
  forced.check(kPatterns, kOff);
}

}  // namespace torch::taper::nn::detail
