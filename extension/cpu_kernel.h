// native::cpu_kernel: applies a function of numbers to the elements of a TensorIterator.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include <taper/extension/tensor_iterator.h>

#pragma GCC visibility push(default)

namespace at::native {
using namespace torch::taper;
namespace detail {

/// The argument types and the result type of a callable.
template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class... A>
struct Signature<R (*)(A...)> {
  using Result = R;
  using Args = std::tuple<std::decay_t<A>...>;
  static constexpr int count = sizeof...(A);
};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const> : Signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...)> : Signature<R (*)(A...)> {};

template <class F, class Args, size_t... I>
decltype(auto) call(const F& f, char* const* in, const int64_t* steps, int64_t i,
                    std::index_sequence<I...>) {
  return f(*reinterpret_cast<const std::tuple_element_t<I, Args>*>(in[I] + i * steps[I])...);
}

template <class... R, size_t... I>
void store(char* const* out, const int64_t* steps, int64_t i, const std::tuple<R...>& values,
           std::index_sequence<I...>) {
  ((*reinterpret_cast<R*>(out[I] + i * steps[I]) = std::get<I>(values)), ...);
}

template <class T>
void check_type(const TensorIterator& iter, int arg) {
  TAPER_CHECK(iter.dtype(arg) == CppTypeToScalarType<T>::value, "cpu_kernel: expected ",
              CppTypeToScalarType<T>::value, " for operand ", arg, ", got ", iter.dtype(arg),
              "; dispatch on the iterator's dtype");
}
template <class... T, size_t... I>
void check_types(const TensorIterator& iter, int first, std::tuple<T...>*,
                 std::index_sequence<I...>) {
  (check_type<T>(iter, first + static_cast<int>(I)), ...);
}

/// Calls f for the n elements of one row. `data` points to the first element of each operand.
/// `steps` has the operands' strides in bytes. In both lists, outputs come before inputs.
template <class F>
void run_row(const F& f, char* const* data, const int64_t* steps, int64_t n) {
  using S = Signature<F>;
  using Index = std::make_index_sequence<static_cast<size_t>(S::count)>;
  if constexpr (std::is_void<typename S::Result>::value) {
    for (int64_t i = 0; i < n; ++i) call<F, typename S::Args>(f, data, steps, i, Index());
  } else {
    for (int64_t i = 0; i < n; ++i)
      *reinterpret_cast<typename S::Result*>(data[0] + i * steps[0]) =
          call<F, typename S::Args>(f, data + 1, steps + 1, i, Index());
  }
}

template <class Row>
void for_each_row(TensorIterator& iter, int64_t grain, const Row& row) {
  const auto n = static_cast<size_t>(iter.ntensors());
  iter.for_each(
      [&](char** data, const int64_t* steps, int64_t size0, int64_t size1) {
        for (int64_t r = 0; r < size1; ++r) {
          row(data, steps, size0);
          for (size_t i = 0; i < n; ++i) data[i] += steps[n + i];
        }
      },
      grain);
  iter.cast_outputs();
}

}  // namespace detail

/// Writes f(inputs...) into the single output, for every element. If f returns void, there is no
/// output. Throws Error unless the types of f match the operands' dtypes. A thread gets at least
/// `grain` elements.
template <class F>
void cpu_kernel(TensorIterator& iter, F f, int64_t grain = 32768) {
  using S = detail::Signature<F>;
  constexpr int outputs = std::is_void<typename S::Result>::value ? 0 : 1;
  TAPER_CHECK(iter.noutputs() == outputs && iter.ninputs() == S::count,
              "cpu_kernel: expected an iterator of ", outputs, " outputs and ", S::count,
              " inputs, as the function has, got ", iter.noutputs(), " and ", iter.ninputs());
  detail::check_types(iter, outputs, static_cast<typename S::Args*>(nullptr),
                      std::make_index_sequence<static_cast<size_t>(S::count)>());
  if constexpr (outputs == 1) detail::check_type<typename S::Result>(iter, 0);
  detail::for_each_row(iter, grain, [&f](char** data, const int64_t* steps, int64_t n) {
    detail::run_row(f, data, steps, n);
  });
}

/// Calls f(inputs...), which returns a tuple, for every element. Output i gets value i of the
/// tuple.
template <class F>
void cpu_kernel_multiple_outputs(TensorIterator& iter, F f, int64_t grain = 32768) {
  using S = detail::Signature<F>;
  using Result = typename S::Result;
  constexpr size_t outputs = std::tuple_size<Result>::value;
  TAPER_CHECK(iter.noutputs() == static_cast<int>(outputs) && iter.ninputs() == S::count,
              "cpu_kernel_multiple_outputs: expected an iterator of ", outputs, " outputs and ",
              S::count, " inputs, as the function has, got ", iter.noutputs(), " and ",
              iter.ninputs());
  detail::check_types(iter, 0, static_cast<Result*>(nullptr), std::make_index_sequence<outputs>());
  detail::check_types(iter, static_cast<int>(outputs), static_cast<typename S::Args*>(nullptr),
                      std::make_index_sequence<static_cast<size_t>(S::count)>());
  detail::for_each_row(iter, grain, [&f](char** data, const int64_t* steps, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      detail::store(data, steps, i,
                    detail::call<F, typename S::Args>(
                        f, data + outputs, steps + outputs, i,
                        std::make_index_sequence<static_cast<size_t>(S::count)>()),
                    std::make_index_sequence<outputs>());
  });
}

}  // namespace at::native

#pragma GCC visibility pop
