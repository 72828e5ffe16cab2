// torch::func: derivatives of functions, and functions of batches, with the names and meanings of
// Python's torch.func.
//
//   auto f = [](const Tensor& x) { return x.sin().sum(); };
//   const Tensor g = func::grad(f)(x);                       // cos(x)
//   const auto [y, dy] = func::jvp(f, x, v);
//   const Tensor H = func::hessian(f)(x);
//   const Tensor each = func::vmap(func::grad(f))(X);        // for each row of X
//
// Functions take and return tensors, or vectors, arrays, tuples, pairs and maps of these. Other
// arguments are passed to the function unchanged. Transformations may be nested to any depth. They
// do not change the arguments.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/check.h>
#include <taper/func/core.h>
#include <taper/func/tree.h>
#include <taper/ops/tensor/cat.h>

#pragma GCC visibility push(default)

namespace torch::taper::func {

/// The type of has_aux. As an argument, it means that `f` returns a pair (or a tuple of two): its
/// output, and further values. The further values are returned, but not differentiated.
struct HasAux {};
constexpr HasAux has_aux{};  ///< the argument to pass

namespace detail {

template <class T>
using Own = std::decay_t<T>;
template <class F, class... Args>
using ResultOf = std::decay_t<std::invoke_result_t<const F&, Own<Args>&...>>;

/// A call of `f` with `args`, as a function from a list of tensors to a list of tensors.
template <bool kAux, class F, class... Args>
class Call {
 public:
  using Result = ResultOf<F, Args...>;
  Call(const F& f, const Args&... args) : f_(f), args_(args...) {
    std::apply([this](const auto&... each) { (this->add(each), ...); }, args_);
  }
  const variable_list& inputs() const { return inputs_; }
  /// Returns the indices of the tensors of argument i.
  std::vector<size_t> tensors_of(size_t i) const {
    std::vector<size_t> all;
    for (size_t k = starts_.at(i); k < (i + 1 < starts_.size() ? starts_[i + 1] : inputs_.size());
         ++k)
      all.push_back(k);
    return all;
  }
  ListFunction function() {
    return [this](const variable_list& x) {
      std::tuple<Own<Args>...> own = with_tensors(args_, x.data());
      result_.emplace(std::apply(f_, own));
      Outputs y;
      if constexpr (kAux) {
        list_tensors(std::get<0>(*result_), y.tensors);
        y.count = y.tensors.size();
        list_tensors(std::get<1>(*result_), y.tensors);
      } else {
        list_tensors(*result_, y.tensors);
        y.count = y.tensors.size();
      }
      return y;
    };
  }
  /// Returns the value that `f` has returned, with `tensors` in place of its tensors.
  Result result(const variable_list& tensors) const {
    return with_tensors(*result_, tensors.data());
  }
  /// Returns the differentiated part of this value, with `tensors` in place of its tensors.
  auto output(const variable_list& tensors) const {
    if constexpr (kAux)
      return with_tensors(std::get<0>(*result_), tensors.data());
    else
      return with_tensors(*result_, tensors.data());
  }
  /// Returns the part of this value that is not differentiated, with `tensors` in place of the
  /// value's tensors.
  auto aux(const variable_list& tensors) const {
    const size_t before = tensors_in(std::get<0>(*result_)).size();
    return with_tensors(std::get<1>(*result_), tensors.data() + before);
  }
  /// Returns argument i with `tensors` in place of its tensors.
  template <size_t i>
  auto argument(const Tensor* tensors) const {
    return with_tensors(std::get<i>(args_), tensors);
  }

 private:
  template <class T>
  void add(const T& argument) {
    starts_.push_back(inputs_.size());
    list_tensors(argument, inputs_);
  }
  const F& f_;
  std::tuple<Own<Args>...> args_;
  variable_list inputs_;
  std::vector<size_t> starts_;
  std::optional<Result> result_;
};

/// Indices of the arguments that are differentiated: the first one by default.
template <int... k>
struct Arguments {
  template <class C>
  static std::vector<size_t> wanted(const C& call) {
    std::vector<size_t> all;
    const auto add = [&](size_t i) {
      for (const size_t at : call.tensors_of(i)) all.push_back(at);
    };
    (add(static_cast<size_t>(k)), ...);
    return all;
  }
  /// Returns the differentiated arguments with `tensors` in place of their tensors. Several
  /// arguments are returned as a tuple.
  template <class C>
  static auto like(const C& call, const variable_list& tensors) {
    const Tensor* next = tensors.data();
    const auto one = [&](auto index) {
      const Tensor* const from = next;
      next += call.tensors_of(index()).size();
      return call.template argument<index()>(from);
    };
    if constexpr (sizeof...(k) == 1)
      return one(std::integral_constant<size_t, static_cast<size_t>(k)...>());
    else
      return std::tuple{one(std::integral_constant<size_t, static_cast<size_t>(k)>())...};
  }
};
template <>
struct Arguments<> : Arguments<0> {};
/// Returns all arguments of a call with `tensors` in place of their tensors. Several arguments are
/// returned as a tuple.
template <class C, size_t... i>
auto all_like(const C& call, const variable_list& tensors, std::index_sequence<i...>) {
  return Arguments<static_cast<int>(i)...>::like(call, tensors);
}

template <bool kAux, bool kValue, class Which, class F>
struct Gradient {
  F f;
  template <class... Args>
  auto operator()(const Args&... args) const {
    Call<kAux, F, Args...> call(f, args...);
    ValueAndGrads r = detail::grad("grad", call.function(), call.inputs(), Which::wanted(call));
    auto g = Which::like(call, r.grads);
    if constexpr (kValue && kAux)
      return std::pair{std::move(g), call.result(r.outputs)};
    else if constexpr (kValue)
      return std::pair{std::move(g), call.output(r.outputs)};
    else if constexpr (kAux)
      return std::pair{std::move(g), call.aux(r.outputs)};
    else
      return g;
  }
};

template <bool kAux, bool kForward, class Which, class F>
struct JacobianOf {
  F f;
  int64_t chunk_size;
  Randomness randomness;
  template <class... Args>
  auto operator()(const Args&... args) const {
    Call<kAux, F, Args...> call(f, args...);
    const std::vector<size_t> wanted = Which::wanted(call);
    OutputsAndJacobians r =
        kForward ? jacfwd(call.function(), call.inputs(), wanted, randomness, chunk_size)
                 : jacrev(call.function(), call.inputs(), wanted, chunk_size);
    auto J = rows(call, r, call.output(r.outputs));
    if constexpr (kAux)
      return std::pair{std::move(J), call.aux(r.outputs)};
    else
      return J;
  }

 private:
  /// Used if the function returns a tensor. The result has the structure of the arguments.
  template <class C>
  static auto rows(const C& call, const OutputsAndJacobians& r, const Tensor&) {
    return Which::like(call, r.jacobians.at(0));
  }
  /// Used if the function returns several tensors. The result is a list with one Jacobian per
  /// output.
  template <class C, class T>
  static auto rows(const C& call, const OutputsAndJacobians& r, const T&) {
    std::vector<decltype(Which::like(call, r.jacobians[0]))> all;
    for (const variable_list& one : r.jacobians) all.push_back(Which::like(call, one));
    return all;
  }
};

/// Calls a function with a value, or with the elements of a tuple.
template <class F, class T>
decltype(auto) call_with(const F& f, T& x) {
  if constexpr (std::is_invocable_v<const F&, T&>)
    return f(x);
  else
    return std::apply(f, x);
}

}  // namespace detail

// ---------------------------------------------------------------- reverse mode
/// Returns a function that computes the gradient of `f`, whose output has one element, with respect
/// to its first argument. grad<1>(f) differentiates with respect to the second argument. grad<0,
/// 1>(f) returns a tuple of both gradients. A gradient has the structure of its argument. The
/// function throws Error if the output is not a floating scalar. With has_aux, it returns a pair of
/// the gradient and the further values.
///@{
template <int... kArguments, class F>
auto grad(F f) {
  return detail::Gradient<false, false, detail::Arguments<kArguments...>, F>{std::move(f)};
}
template <int... kArguments, class F>
auto grad(F f, HasAux) {
  return detail::Gradient<true, false, detail::Arguments<kArguments...>, F>{std::move(f)};
}
///@}

/// Returns a function like grad(f). It returns a pair: the gradient, and the value that `f`
/// returned.
///@{
template <int... kArguments, class F>
auto grad_and_value(F f) {
  return detail::Gradient<false, true, detail::Arguments<kArguments...>, F>{std::move(f)};
}
template <int... kArguments, class F>
auto grad_and_value(F f, HasAux) {
  return detail::Gradient<true, true, detail::Arguments<kArguments...>, F>{std::move(f)};
}
///@}

/// Calls `f`. Returns a pair: its output, and a function of `v` that returns v^T J. J is the
/// Jacobian at the arguments. `v` has the structure of the output. v^T J has the structure of the
/// argument, or is a tuple for several arguments. The returned function can be called several
/// times.
template <class F, class... Args>
auto vjp(const F& f, const Args&... args) {
  static_assert(sizeof...(Args) > 0, "expected an argument of the function");
  auto call = std::make_shared<detail::Call<false, F, Args...>>(f, args...);
  const detail::CallWithProduct pull = detail::vjp(call->function(), call->inputs());
  auto y = call->output(pull.outputs);
  auto product = [call, pull](const decltype(y)& v) {
    return detail::all_like(*call, pull.product(detail::tensors_in(v)),
                            std::index_sequence_for<Args...>());
  };
  return std::pair{std::move(y), std::move(product)};
}

// ---------------------------------------------------------------- forward mode
/// Calls `f` with x, or with the elements of a tuple x. Returns a pair: its output, and J v. J is
/// the Jacobian at x. `v` has the structure of x. Memory does not grow with the depth of `f`.
template <class F, class X>
auto jvp(const F& f, const X& x, const X& v) {
  const auto of_one = [&f](X& own) { return detail::call_with(f, own); };
  detail::Call<false, decltype(of_one), X> call(of_one, x);
  detail::OutputsAndTangents r =
      detail::jvp("jvp", call.function(), call.inputs(), detail::tensors_in(v));
  auto y = call.output(r.outputs);
  auto dy = call.output(r.tangents);
  return std::pair{std::move(y), std::move(dy)};
}
/// Computes jvp of an `f` that returns its output and further values. Returns (output, J v, further
/// values).
template <class F, class X>
auto jvp(const F& f, const X& x, const X& v, HasAux) {
  const auto of_one = [&f](X& own) { return detail::call_with(f, own); };
  detail::Call<true, decltype(of_one), X> call(of_one, x);
  detail::OutputsAndTangents r =
      detail::jvp("jvp", call.function(), call.inputs(), detail::tensors_in(v));
  auto y = call.output(r.outputs);
  auto dy = call.output(r.tangents);
  return std::tuple{std::move(y), std::move(dy), call.aux(r.outputs)};
}

/// Calls `f` with x, or with the elements of a tuple x. Returns a pair: the output of `f`, and a
/// function of v that returns J v. Unlike jvp, linearize keeps the derivative, so `f` is called
/// only once for many v.
template <class F, class X>
auto linearize(const F& f, const X& x) {
  const auto of_one = [own_f = std::decay_t<F>(f)](X& own) {
    return detail::call_with(own_f, own);
  };
  auto call = std::make_shared<detail::Call<false, decltype(of_one), X>>(of_one, x);
  const detail::CallWithProduct push = detail::linearize(call->function(), call->inputs());
  auto y = call->output(push.outputs);
  auto product = [call, push](const X& v) {
    return call->output(push.product(detail::tensors_in(v)));
  };
  return std::pair{std::move(y), std::move(product)};
}

/// Differentiates the curve y(t) = f(x(t)). `derivatives` holds x'(0), x''(0) and so on. Returns a
/// pair: the value y(0), and as many derivatives y'(0), y''(0) and so on. For n derivatives along
/// one direction v, pass {v, Tensor(), ..., Tensor()}. An undefined derivative is zero. The cost
/// grows with the square of the number of derivatives. (With nested jvp, each further derivative
/// doubles the cost. The method is Taylor mode: Griewank and Walther, Evaluating Derivatives,
/// chapter 13.) f must take one tensor and return one tensor. Throws Error if sizes or dtypes of
/// the derivatives differ from x's, and if there are no derivatives.
template <class F>
std::pair<Tensor, std::vector<Tensor>> jet(const F& f, const Tensor& x,
                                           const std::vector<Tensor>& derivatives) {
  const auto of_one = [&f](const detail::variable_list& in) {
    return detail::Outputs{{f(in[0])}, 1};
  };
  detail::OutputsAndSeries r = detail::jet(of_one, {x}, {derivatives});
  return {std::move(r.outputs[0]), std::move(r.series[0])};
}

// ---------------------------------------------------------------- Jacobians
/// Returns a function that computes the Jacobian of `f`. It computes v^T J for all unit vectors v
/// at once, or for `chunk_size` of them. The Jacobian has the sizes of the output, followed by the
/// sizes of the argument. jacrev<1>(f) differentiates with respect to the second argument.
/// jacrev<0, 1>(f) returns a tuple of both Jacobians. If `f` returns several tensors, the function
/// returns a vector of Jacobians. Prefer jacrev if the output is smaller than the argument.
///@{
template <int... kArguments, class F>
auto jacrev(F f, int64_t chunk_size = 0) {
  return detail::JacobianOf<false, false, detail::Arguments<kArguments...>, F>{
      std::move(f), chunk_size, Randomness::kError};
}
template <int... kArguments, class F>
auto jacrev(F f, HasAux, int64_t chunk_size = 0) {
  return detail::JacobianOf<true, false, detail::Arguments<kArguments...>, F>{
      std::move(f), chunk_size, Randomness::kError};
}
///@}

/// Returns a function like jacrev(f), but computes the Jacobian by products J v. Prefer jacfwd if
/// the output is larger than the argument.
///@{
template <int... kArguments, class F>
auto jacfwd(F f, int64_t chunk_size = 0, Randomness randomness = Randomness::kError) {
  return detail::JacobianOf<false, true, detail::Arguments<kArguments...>, F>{
      std::move(f), chunk_size, randomness};
}
template <int... kArguments, class F>
auto jacfwd(F f, HasAux, int64_t chunk_size = 0, Randomness randomness = Randomness::kError) {
  return detail::JacobianOf<true, true, detail::Arguments<kArguments...>, F>{
      std::move(f), chunk_size, randomness};
}
///@}

/// Returns a function that computes the Hessian of `f` with respect to argument `kArgument`, by
/// default the first. The Hessian has the sizes of the output, followed twice by the sizes of the
/// argument.
template <int kArgument = 0, class F>
auto hessian(F f) {
  return jacrev<kArgument>(jacrev<kArgument>(std::move(f)));
}

// ---------------------------------------------------------------- batches
/// Options of vmap.
struct VmapOptions {
  /// One element per argument: the dimension of the batch in all tensors of the argument. nullopt
  /// means that all examples share the argument. The default is dimension 0 for all arguments.
  TAPER_ARG(std::vector<optional<int64_t>>, in_dims);
  /// The dimension of the batch in each tensor of the result. One element applies to all tensors.
  TAPER_ARG(std::vector<optional<int64_t>>, out_dims) = {optional<int64_t>(0)};
  /// How random ops behave.
  TAPER_ARG(Randomness, randomness) = Randomness::kError;
  /// The number of examples that are computed at once. 0 means all.
  TAPER_ARG(int64_t, chunk_size) = 0;
};

namespace detail {

template <class F>
struct Mapped {
  F f;
  VmapOptions options;

  template <class... Args>
  auto operator()(const Args&... args) const {
    Call<false, F, Args...> call(f, args...);
    const auto& given = options.in_dims();
    TAPER_CHECK(given.empty() || given.size() == sizeof...(Args), "vmap: expected ",
                sizeof...(Args), " in_dims, one for each argument, got ", given.size());
    BatchDims dims(call.inputs().size(), optional<int64_t>(0));
    for (size_t i = 0; i < given.size(); ++i)
      for (const size_t k : call.tensors_of(i)) dims[k] = given[i];
    const auto out_dims = [this](size_t count) {
      const auto& given = options.out_dims();
      TAPER_CHECK(given.size() == 1 || given.size() == count, "vmap: expected one out_dim, or ",
                  count, " of them, got ", given.size());
      return given.size() == 1 ? BatchDims(count, given[0]) : given;
    };
    const variable_list y = detail::vmap(call.function(), call.inputs(), dims, out_dims,
                                         options.randomness(), options.chunk_size());
    return call.result(y);
  }
};

}  // namespace detail

/// Returns a function of batches, which calls `f` for all examples at once. `f` gets tensors
/// without the dimension of the batch. Each op of `f` is called once, with the whole batch. The
/// function throws Error if the sizes of the batches differ, if `f` reads the values of a tensor
/// with a batch, or if `f` changes a tensor that all examples share. It also throws for random ops
/// if `randomness` is kError.
///@{
template <class F>
auto vmap(F f, VmapOptions options = {}) {
  return detail::Mapped<F>{std::move(f), std::move(options)};
}
template <class F>
auto vmap(F f, std::vector<optional<int64_t>> in_dims,
          std::vector<optional<int64_t>> out_dims = {optional<int64_t>(0)}) {
  return detail::Mapped<F>{std::move(f),
                           VmapOptions().in_dims(std::move(in_dims)).out_dims(std::move(out_dims))};
}
///@}

// ---------------------------------------------------------------- modules
/// Parameters or buffers of a module, by name.
using NamedTensors = std::map<std::string, Tensor>;

namespace detail {

template <class Net, class = void>
struct HasArrow : std::false_type {};
template <class Net>
struct HasArrow<Net, std::void_t<decltype(std::declval<Net&>().operator->())>> : std::true_type {};
/// Returns the module that `net` refers to. `net` is a holder, a pointer or a reference.
template <class Net>
auto& module_of(Net& net) {
  if constexpr (HasArrow<Net>::value || std::is_pointer_v<Net>)
    return *net;
  else
    return net;
}

inline void add_named(NamedTensors& all, const NamedTensors& more) {
  all.insert(more.begin(), more.end());
}
template <class Dict>
NamedTensors named(const Dict& dict) {
  NamedTensors all;
  for (const auto& each : dict) all.emplace(each.key(), each.value());
  return all;
}

}  // namespace detail

/// Calls a module's forward with `tensors` in place of its parameters and buffers of these names.
/// For all other names it uses the module's tensors. Throws Error for an unknown name, and for a
/// tensor of another size. The module is not changed. In-place updates of a buffer change the given
/// tensor.
template <class Net, class... Args>
auto functional_call(Net&& net, const NamedTensors& tensors, Args&&... args) {
  auto& module = detail::module_of(net);
  NamedTensors own = detail::named(module.named_parameters());
  detail::add_named(own, detail::named(module.named_buffers()));
  detail::Substitution with;
  for (const auto& [name, t] : tensors) {
    const auto found = own.find(name);
    TAPER_CHECK(found != own.end(),
                "functional_call: the module has no parameter or buffer named '", name, "'");
    with.add(found->second, t);
  }
  with.start();
  return module.forward(std::forward<Args>(args)...);
}

/// Returns the parameters of a module by name. They share the module's memory and have no history.
template <class Net>
NamedTensors parameters_of(Net&& net) {
  NamedTensors all = detail::named(detail::module_of(net).named_parameters());
  for (auto& [name, t] : all) t = t.detach();
  return all;
}

/// Stacks the parameters and buffers of modules of one kind. Returns parameters and buffers by
/// name, for vmap over functional_call. The first dimension of each returned tensor is the index of
/// the module. The parameters are leaves that require a gradient. Throws Error for an empty list
/// and for modules of different kinds.
template <class Net>
std::pair<NamedTensors, NamedTensors> stack_module_state(const std::vector<Net>& nets) {
  TAPER_CHECK(!nets.empty(), "stack_module_state: Expected at least one model, got 0.");
  const auto stacked = [&](const auto& named_of) {
    std::map<std::string, std::vector<Tensor>> each;
    for (const Net& net : nets)
      for (const auto& [name, t] : detail::named(named_of(detail::module_of(net))))
        each[name].push_back(t.detach());
    NamedTensors all;
    for (const auto& [name, list] : each) {
      TAPER_CHECK(list.size() == nets.size(), "stack_module_state: ", list.size(), " of ",
                  nets.size(), " modules have '", name, "'");
      all.emplace(name, stack(list));
    }
    return all;
  };
  NamedTensors parameters = stacked([](auto& net) { return net.named_parameters(); });
  for (auto& [name, t] : parameters) t.requires_grad_();
  return {std::move(parameters), stacked([](auto& net) { return net.named_buffers(); })};
}

}  // namespace torch::taper::func

#pragma GCC visibility pop
