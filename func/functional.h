// torch::autograd::functional: products with Jacobians and Hessians, and Jacobians and Hessians as
// tensors, with the names and meanings of Python's torch.autograd.functional.
//
//   const Tensor H = autograd::functional::hessian(
//       [](const Tensor& x) { return x.pow(3).sum(); }, x);
//
// A function takes and returns a tensor, or takes and returns variable_lists. jvp runs two backward
// passes: the first computes v^T J, the second differentiates it with respect to v.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/core/arg.h>
#include <taper/func/core.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd::functional {

/// How Jacobians and Hessians are computed. kReverseMode computes products v^T J, kForwardMode
/// products J v. J is the Jacobian.
enum class Strategy { kReverseMode, kForwardMode };

/// Options of all functions.
struct FunctionalOptions {
  /// If true, the results are recorded, so that they can be differentiated again.
  TAPER_ARG(bool, create_graph) = false;
  /// If true, an output that does not depend on an input throws Error. A constant Jacobian throws
  /// Error if its derivative is needed. If false, these derivatives are zeros.
  TAPER_ARG(bool, strict) = false;
  /// For jacobian and hessian. If true, all rows are computed at once (func/func.h). Otherwise rows
  /// are computed one after the other. If `vectorize` is true, `strict` must be false.
  TAPER_ARG(bool, vectorize) = false;
  /// For jacobian, and for the outer derivative of hessian. kForwardMode needs `vectorize`.
  TAPER_ARG(Strategy, strategy) = Strategy::kReverseMode;
};

using ListFunction = std::function<variable_list(const variable_list&)>;  ///< takes several tensors
using TensorFunction = std::function<Tensor(const Tensor&)>;              ///< takes one tensor
using ListPair = std::pair<variable_list, variable_list>;  ///< the value, and the product
using TensorPair = std::pair<Tensor, Tensor>;              ///< the value, and the product

namespace detail {

/// Returns tensors that require gradients and have the elements of `inputs`. With create_graph, the
/// results keep the history of `inputs`.
inline variable_list leaves_of(const char* name, const variable_list& inputs, bool create_graph) {
  variable_list leaves;
  for (const Tensor& x : inputs) {
    TAPER_CHECK(x.defined(), name, ": expected defined inputs, got an undefined one at index ",
                leaves.size());
    TAPER_CHECK(x.is_floating_point(), name, ": expected floating inputs, got ", x.scalar_type(),
                " at index ", leaves.size());
    leaves.push_back(create_graph && x.requires_grad() ? x.view_as(x)
                                                       : x.detach().requires_grad_());
  }
  return leaves;
}

/// Returns the vectors v, which must have the sizes of `like`. If v is empty, `like` must have a
/// single element, and its vector is 1.
inline variable_list vectors_for(const char* name, const variable_list& v,
                                 const variable_list& like) {
  if (v.empty()) {
    TAPER_CHECK(like.size() == 1 && like[0].numel() == 1, name,
                ": expected a vector v, because the function has more than one element");
    return {ones_like(like[0])};
  }
  TAPER_CHECK(v.size() == like.size(), name, ": expected ", like.size(), " vectors, got ",
              v.size());
  for (size_t i = 0; i < v.size(); ++i)
    TAPER_CHECK(v[i].defined() && v[i].sizes() == like[i].sizes(), name, ": expected vector ", i,
                " of sizes ", like[i].sizes(), ", got ",
                v[i].defined() ? v[i].sizes() : IntArrayRef());
  return v;
}

/// Calls the function and checks its outputs. Recording must be on.
inline variable_list outputs_of(const char* name, const ListFunction& f, const variable_list& x,
                                const FunctionalOptions& options) {
  variable_list y = f(x);
  for (size_t i = 0; i < y.size(); ++i) {
    TAPER_CHECK(y[i].defined(), name, ": the function returned an undefined tensor at index ", i);
    TAPER_CHECK(!options.strict() || y[i].requires_grad(), name, ": output ", i,
                " of the function does not require a gradient. It must depend on the inputs in "
                "strict mode");
  }
  return y;
}

/// Computes gradients. For an unused input, the gradient is zero. With options.strict(), an unused
/// input throws Error.
inline variable_list gradients(const char* name, const variable_list& outputs,
                               const variable_list& inputs, const variable_list& grad_outputs,
                               bool create_graph, const FunctionalOptions& options) {
  variable_list y, g, result;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].requires_grad()) y.push_back(outputs[i]), g.push_back(grad_outputs[i]);
  result.resize(inputs.size());
  if (!y.empty()) result = grad(y, inputs, g, true, create_graph, true);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (result[i].defined()) continue;
    TAPER_CHECK(!options.strict(), name, ": the result is independent of input ", i,
                ". This is an error in strict mode");
    result[i] = zeros_like(inputs[i]);
  }
  return result;
}

/// Returns the tensors without history. With create_graph, returns them unchanged.
inline variable_list finished(variable_list list, bool create_graph) {
  for (Tensor& t : list)
    if (!create_graph) t = t.detach();
  return list;
}

inline ListFunction as_list(const TensorFunction& f) {
  return [f](const variable_list& x) { return variable_list{f(x[0])}; };
}
inline variable_list as_list(const Tensor& v) {
  return v.defined() ? variable_list{v} : variable_list();
}
inline TensorPair first_of(const ListPair& p) { return {p.first[0], p.second[0]}; }

/// Returns zeros like the tensors. Gradients can be computed with respect to these zeros.
inline variable_list zero_leaves(const variable_list& like) {
  variable_list zeros;
  for (const Tensor& t : like) zeros.push_back(zeros_like(t.detach()).requires_grad_());
  return zeros;
}
inline Tensor single_output(const char* name, const variable_list& y) {
  TAPER_CHECK(y.size() == 1 && y[0].numel() == 1, name,
              ": expected a function with one element as its output, got ", y.size(),
              " tensors, the first of sizes ", y.empty() ? IntArrayRef() : y[0].sizes());
  return y[0];
}
/// Returns the gradient of a function whose output has one element. The gradient has a graph. If
/// `value` is not null, sets it to the output.
inline variable_list gradient_of(const char* name, const ListFunction& f, const variable_list& x,
                                 const FunctionalOptions& options, variable_list* value = nullptr) {
  const variable_list y = outputs_of(name, f, x, options);
  const Tensor one = single_output(name, y);
  if (value) *value = finished(y, options.create_graph());
  return gradients(name, {one}, x, {ones_like(one)}, true, options);
}

/// Computes the Jacobian. All products with unit vectors are computed at once.
inline std::vector<variable_list> jacobian_at_once(const ListFunction& f, const variable_list& x,
                                                   const FunctionalOptions& options) {
  TAPER_CHECK(!options.strict(), "jacobian: strict cannot be combined with vectorize");
  const auto outputs = [&](const variable_list& in) {
    variable_list y = f(in);
    const size_t count = y.size();
    return func::detail::Outputs{std::move(y), count};
  };
  variable_list constant;  // without create_graph, the result has no history
  for (const Tensor& t : x) constant.push_back(options.create_graph() ? t : t.detach());
  std::vector<size_t> all(x.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::vector<variable_list> J =
      options.strategy() == Strategy::kForwardMode
          ? func::detail::jacfwd(outputs, constant, all, func::Randomness::kSame, 0).jacobians
          : func::detail::jacrev(outputs, constant, all, 0).jacobians;
  for (variable_list& row : J) row = finished(std::move(row), options.create_graph());
  return J;
}

}  // namespace detail

/// Returns the outputs of `f` and v^T J for each input. J is the Jacobian at the inputs. `v` has
/// the sizes of the outputs. It may be omitted if there is one output of one element.
inline ListPair vjp(const ListFunction& f, const variable_list& inputs, const variable_list& v = {},
                    const FunctionalOptions& options = {}) {
  const AutoGradMode recording(true);
  const variable_list x = detail::leaves_of("vjp", inputs, options.create_graph());
  const variable_list y = detail::outputs_of("vjp", f, x, options);
  const variable_list along = detail::vectors_for("vjp", v, y);
  variable_list g = detail::gradients("vjp", y, x, along, options.create_graph(), options);
  return {detail::finished(y, options.create_graph()),
          detail::finished(std::move(g), options.create_graph())};
}
/// Computes vjp of a function of one tensor.
inline TensorPair vjp(const TensorFunction& f, const Tensor& input, const Tensor& v = {},
                      const FunctionalOptions& options = {}) {
  return detail::first_of(
      vjp(detail::as_list(f), variable_list{input}, detail::as_list(v), options));
}

/// Returns the outputs of `f` and J v for each output. `v` has the sizes of the inputs. It may be
/// omitted if there is one input of one element.
inline ListPair jvp(const ListFunction& f, const variable_list& inputs, const variable_list& v = {},
                    const FunctionalOptions& options = {}) {
  const AutoGradMode recording(true);
  const variable_list x = detail::leaves_of("jvp", inputs, options.create_graph());
  const variable_list along = detail::vectors_for("jvp", v, x);
  const variable_list y = detail::outputs_of("jvp", f, x, options);
  const variable_list u = detail::zero_leaves(y);
  const variable_list g = detail::gradients("jvp", y, x, u, true, options);
  variable_list result = detail::gradients("jvp", g, u, along, options.create_graph(), options);
  return {detail::finished(y, options.create_graph()),
          detail::finished(std::move(result), options.create_graph())};
}
/// Computes jvp of a function of one tensor.
inline TensorPair jvp(const TensorFunction& f, const Tensor& input, const Tensor& v = {},
                      const FunctionalOptions& options = {}) {
  return detail::first_of(
      jvp(detail::as_list(f), variable_list{input}, detail::as_list(v), options));
}

/// Returns the Jacobian. Element [i][j] has the sizes of output i, followed by the sizes of input
/// j.
inline std::vector<variable_list> jacobian(const ListFunction& f, const variable_list& inputs,
                                           const FunctionalOptions& options = {}) {
  const AutoGradMode recording(true);
  const bool graph = options.create_graph();
  const variable_list x = detail::leaves_of("jacobian", inputs, graph);
  TAPER_CHECK(options.vectorize() || options.strategy() == Strategy::kReverseMode,
              "jacobian: strategy kForwardMode needs vectorize(true)");
  if (options.vectorize()) return detail::jacobian_at_once(f, x, options);
  std::vector<variable_list> result;
  for (const Tensor& y : detail::outputs_of("jacobian", f, x, options)) {
    const Tensor flat = y.reshape(-1);
    std::vector<variable_list> rows(x.size());
    for (int64_t e = 0; e < flat.numel(); ++e) {
      const Tensor one = flat[e];
      variable_list g = detail::gradients("jacobian", {one}, x, {ones_like(one)}, graph, options);
      for (size_t j = 0; j < x.size(); ++j) rows[j].push_back(g[j]);
    }
    variable_list of_output;
    for (size_t j = 0; j < x.size(); ++j) {
      std::vector<int64_t> sizes = y.sizes().vec();
      for (const int64_t n : x[j].sizes()) sizes.push_back(n);
      of_output.push_back(rows[j].empty() ? zeros(sizes, x[j].options())
                                          : stack(rows[j]).reshape(sizes));
    }
    result.push_back(detail::finished(std::move(of_output), graph));
  }
  return result;
}
/// Returns the Jacobian of a function of one tensor. The Jacobian has the sizes of the output,
/// followed by the sizes of the input.
inline Tensor jacobian(const TensorFunction& f, const Tensor& input,
                       const FunctionalOptions& options = {}) {
  return jacobian(detail::as_list(f), variable_list{input}, options)[0][0];
}

/// Returns the Hessian of a function whose output has one element. Element [i][j] has the sizes of
/// input i, followed by the sizes of input j.
inline std::vector<variable_list> hessian(const ListFunction& f, const variable_list& inputs,
                                          const FunctionalOptions& options = {}) {
  const auto gradient = [&](const variable_list& x) {
    if (!options.vectorize()) return detail::gradient_of("hessian", f, x, options);
    std::vector<size_t> all(x.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    const auto outputs = [&](const variable_list& in) { return func::detail::Outputs{f(in), 1}; };
    return func::detail::grad("hessian", outputs, x, all).grads;
  };
  return jacobian(gradient, inputs, options);
}
/// Returns the Hessian of a function of one tensor. The Hessian has the sizes of the input, twice.
inline Tensor hessian(const TensorFunction& f, const Tensor& input,
                      const FunctionalOptions& options = {}) {
  return hessian(detail::as_list(f), variable_list{input}, options)[0][0];
}

/// Returns the output of `f`, which has one element, and v^T H for each input. H is the Hessian at
/// the inputs. vhp needs one backward pass less than hvp.
inline ListPair vhp(const ListFunction& f, const variable_list& inputs, const variable_list& v = {},
                    const FunctionalOptions& options = {}) {
  const AutoGradMode recording(true);
  const bool graph = options.create_graph();
  const variable_list x = detail::leaves_of("vhp", inputs, graph);
  const variable_list along = detail::vectors_for("vhp", v, x);
  variable_list value;
  const variable_list g = detail::gradient_of("vhp", f, x, options, &value);
  variable_list result = detail::gradients("vhp", g, x, along, graph, options);
  return {std::move(value), detail::finished(std::move(result), graph)};
}
/// Computes vhp of a function of one tensor.
inline TensorPair vhp(const TensorFunction& f, const Tensor& input, const Tensor& v = {},
                      const FunctionalOptions& options = {}) {
  return detail::first_of(
      vhp(detail::as_list(f), variable_list{input}, detail::as_list(v), options));
}

/// Returns the output of `f`, which has one element, and H v for each input. Prefer vhp: for
/// functions with continuous second derivatives the results are equal.
inline ListPair hvp(const ListFunction& f, const variable_list& inputs, const variable_list& v = {},
                    const FunctionalOptions& options = {}) {
  variable_list value;
  const auto gradient = [&](const variable_list& x) {
    return detail::gradient_of("hvp", f, x, options, &value);
  };
  variable_list result = jvp(gradient, inputs, v, options).second;
  return {std::move(value), std::move(result)};
}
/// Computes hvp of a function of one tensor.
inline TensorPair hvp(const TensorFunction& f, const Tensor& input, const Tensor& v = {},
                      const FunctionalOptions& options = {}) {
  return detail::first_of(
      hvp(detail::as_list(f), variable_list{input}, detail::as_list(v), options));
}

}  // namespace torch::taper::autograd::functional

#pragma GCC visibility pop
