// Functions that create tensors: filled with one value, a sequence or given numbers, or
// uninitialised.
//
// `options` sets dtype, device, memory format and requires_grad. Unset options take the defaults
// (default_dtype(), get_default_device()). requires_grad with an integral dtype throws. A negative
// size throws.
#pragma once

#include <functional>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

// ---------------------------------------------------------------- filled with one value
/// Returns uninitialised memory of shape `size`.
Tensor empty(IntArrayRef size, TensorOptions options = {}, optional<MemoryFormat> format = nullopt);
Tensor& empty_out(Tensor& out, IntArrayRef size, optional<MemoryFormat> format = nullopt);
/// Returns uninitialised memory with the given non-negative strides, in elements.
Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TensorOptions options = {});
/// Returns uninitialised dense memory. physical_layout lists the dimensions in memory order,
/// outermost first. Throws unless it is a permutation of the dimensions.
Tensor empty_permuted(IntArrayRef size, IntArrayRef physical_layout, TensorOptions options = {});
Tensor zeros(IntArrayRef size, TensorOptions options = {});
Tensor& zeros_out(Tensor& out, IntArrayRef size);
Tensor ones(IntArrayRef size, TensorOptions options = {});
Tensor& ones_out(Tensor& out, IntArrayRef size);
/// Returns a tensor filled with `value`. If `options` has no dtype, the type of `value` determines
/// the dtype: kBool, kLong, the default dtype or its complex dtype.
Tensor full(IntArrayRef size, const Scalar& value, TensorOptions options = {});
Tensor& full_out(Tensor& out, IntArrayRef size, const Scalar& value);
/// Returns a 0-dim tensor, of the default dtype unless `options` has one.
Tensor scalar_tensor(const Scalar& value, TensorOptions options = {});
/// Returns the n x m matrix with ones on its diagonal. m defaults to n.
Tensor eye(int64_t n, TensorOptions options = {});
Tensor eye(int64_t n, int64_t m, TensorOptions options = {});
Tensor& eye_out(Tensor& out, int64_t n);
Tensor& eye_out(Tensor& out, int64_t n, int64_t m);

/// Return a new tensor with the shape, dtype and device of `like`, and its strides if it is dense.
/// Settings in `options` take precedence.
Tensor empty_like(const Tensor& like, TensorOptions options = {},
                  optional<MemoryFormat> format = nullopt);
Tensor zeros_like(const Tensor& like, TensorOptions options = {},
                  optional<MemoryFormat> format = nullopt);
Tensor ones_like(const Tensor& like, TensorOptions options = {},
                 optional<MemoryFormat> format = nullopt);
Tensor full_like(const Tensor& like, const Scalar& value, TensorOptions options = {},
                 optional<MemoryFormat> format = nullopt);

// ---------------------------------------------------------------- sequences
/// Returns the vector of start, start + step and so on, without `end`. The vector has ceil((end -
/// start) / step) values. It is kLong if all arguments are integral, else of the default dtype.
/// Throws if `step` is 0 or has the wrong sign, and for infinite numbers and NaN.
Tensor arange(const Scalar& end, TensorOptions options = {});
Tensor arange(const Scalar& start, const Scalar& end, TensorOptions options = {});
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
              TensorOptions options = {});
Tensor& arange_out(Tensor& out, const Scalar& end);
Tensor& arange_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step = 1);
/// Returns the numbers of arange and also `end`, if a step reaches it. Without `options`, the
/// result has the default dtype.
Tensor range(const Scalar& start, const Scalar& end, TensorOptions options = {});
Tensor range(const Scalar& start, const Scalar& end, const Scalar& step,
             TensorOptions options = {});
Tensor& range_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step = 1);
/// Returns `steps` evenly spaced values from `start` to `end`, both included.
Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps = 100,
                TensorOptions options = {});
/// Calls linspace with the elements of the 0-dim tensors `start` and `end`, after synchronizing
/// with their device. Throws for tensors with dimensions.
Tensor linspace(const Tensor& start, const Tensor& end, int64_t steps, TensorOptions options = {});
Tensor linspace(const Tensor& start, const Scalar& end, int64_t steps, TensorOptions options = {});
Tensor linspace(const Scalar& start, const Tensor& end, int64_t steps, TensorOptions options = {});
Tensor& linspace_out(Tensor& out, const Scalar& start, const Scalar& end, int64_t steps);
/// Returns base to the power of linspace(start, end, steps).
Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps = 100, double base = 10.0,
                TensorOptions options = {});
Tensor logspace(const Tensor& start, const Tensor& end, int64_t steps, double base = 10.0,
                TensorOptions options = {});
Tensor logspace(const Tensor& start, const Scalar& end, int64_t steps, double base = 10.0,
                TensorOptions options = {});
Tensor logspace(const Scalar& start, const Tensor& end, int64_t steps, double base = 10.0,
                TensorOptions options = {});
Tensor& logspace_out(Tensor& out, const Scalar& start, const Scalar& end, int64_t steps,
                     double base = 10.0);
/// Returns the row indices and column indices (2 x count, kLong) of the elements on and below
/// diagonal `offset` of a row x col matrix, in row-major order.
Tensor tril_indices(int64_t row, int64_t col, int64_t offset = 0, TensorOptions options = kLong);
/// Returns the row indices and column indices of the elements on and above diagonal `offset`, like
/// tril_indices.
Tensor triu_indices(int64_t row, int64_t col, int64_t offset = 0, TensorOptions options = kLong);

// ---------------------------------------------------------------- from memory and numbers
/// Returns a tensor over memory of the caller. The caller keeps the memory alive, or passes a
/// `deleter`. deleter(data) is called after the last use of the memory. `strides` (default:
/// row-major) are in elements.
Tensor from_blob(void* data, IntArrayRef sizes, TensorOptions options = {});
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, TensorOptions options = {});
Tensor from_blob(void* data, IntArrayRef sizes, const std::function<void(void*)>& deleter,
                 TensorOptions options = {});
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 const std::function<void(void*)>& deleter, TensorOptions options = {});

namespace detail {

/// The argument of tensor(): a number, a braced list of such arguments, or an array of numbers. It
/// only refers to lists, so it must not outlive the call.
class TensorDataContainer {
 public:
  TensorDataContainer();
  template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  TensorDataContainer(T v) : kind_(Kind::kNumber), dtype_(dtype_of<T>()), number_(v) {}
  TensorDataContainer(Half v) : kind_(Kind::kNumber), dtype_(kHalf), number_(v) {}
  TensorDataContainer(BFloat16 v) : kind_(Kind::kNumber), dtype_(kBFloat16), number_(v) {}
  template <class T>
  TensorDataContainer(numbers::complex<T> v)
      : kind_(Kind::kNumber), dtype_(CppTypeToScalarType<numbers::complex<T>>::value), number_(v) {}
  TensorDataContainer(std::initializer_list<TensorDataContainer> list)
      : kind_(Kind::kList), count_(list.size()) {
    list_ = list.begin();  // an argument's list lives until the end of the full expression
  }
  template <class T>
  TensorDataContainer(ArrayRef<T> values)
      : TensorDataContainer(values.data(), values.size(), dtype_of<T>()) {}
  template <class T>
  TensorDataContainer(const std::vector<T>& values)
      : TensorDataContainer(values.data(), values.size(), dtype_of<T>()) {}
  TensorDataContainer(const std::vector<bool>& values);
  template <class T, size_t N>
  TensorDataContainer(const std::array<T, N>& values)
      : TensorDataContainer(values.data(), N, dtype_of<T>()) {}
  template <class Span, size_t = Span::extent>
  TensorDataContainer(const Span& values)
      : TensorDataContainer(values.data(), values.size(), dtype_of<typename Span::value_type>()) {}

  /// Return whether the argument is a number, a list or an array of numbers. The names are
  /// LibTorch's.
  ///@{
  bool is_scalar() const { return kind_ == Kind::kNumber; }
  bool is_init_list() const { return kind_ == Kind::kList; }
  bool is_tensor() const { return kind_ == Kind::kArray; }
  ///@}
  /// Return the number, the list or the array. Throw Error if the argument is of another kind.
  ///@{
  const Scalar& scalar() const;
  ArrayRef<TensorDataContainer> init_list() const;
  const Tensor& tensor() const;
  ///@}
  /// Returns the sizes that the tensor will have. The first element of each list determines them.
  std::vector<int64_t> sizes() const;
  /// Returns the dtype of the first number, or the default dtype if there are no numbers.
  ScalarType scalar_type() const { return dtype(); }
  /// Prints the numbers in braces: "{{1, 2}, {3, 4}}".
  friend TAPER_EXPORTED std::ostream& operator<<(std::ostream& out,
                                                 const TensorDataContainer& data);
  Tensor to_tensor(const TensorOptions& options) const;
  Tensor to_host_tensor(const TensorOptions& options) const;

 private:
  enum class Kind : uint8_t { kNumber, kList, kArray };
  TensorDataContainer(const void* values, size_t count, ScalarType dtype);
  // Types of integers that have the width of int64_t are treated as int64_t.
  template <class T>
  static constexpr ScalarType dtype_of() {
    if constexpr (std::is_integral<T>::value && !std::is_same<T, bool>::value)
      return sizeof(T) == 8             ? kLong
             : sizeof(T) == 4           ? kInt
             : sizeof(T) == 2           ? kShort
             : std::is_signed<T>::value ? kChar
                                        : kByte;
    else
      return CppTypeToScalarType<T>::value;
  }
  ScalarType dtype() const;
  void append_sizes(Dims& sizes) const;
  void check_uniform() const;
  std::string text() const;
  template <class T>
  void write(T*& to) const;

  Kind kind_;
  ScalarType dtype_ = ScalarType::Undefined;
  Scalar number_;
  const TensorDataContainer* list_ = nullptr;
  size_t count_ = 0;
  Tensor array_;
};

}  // namespace detail

/// Returns a tensor of the given numbers: tensor(1.5), tensor({1, 2}), tensor({{1, 2}, {3, 4}}).
/// `data` may also be a vector, array, span or ArrayRef. int and int64_t give kLong. float and
/// double give the default dtype. Other types give their dtype. A dtype in `options` takes
/// precedence. All numbers must have one type, and all sub-lists one shape. x.new_tensor(data) uses
/// the dtype and the device of x.
Tensor tensor(const detail::TensorDataContainer& data, const TensorOptions& options = {});

/// Returns a span over the elements of a contiguous tensor on the CPU. The tensor must outlive the
/// span. `Span` is the class of a C++20 span. Throws Error if its element type is not the tensor's.
template <class Span>
Span as_span(const Tensor& x) {
  TAPER_CHECK(x.is_cpu() && x.is_contiguous(),
              "as_span: expected a contiguous tensor on the CPU, got one on ", x.device(),
              " with sizes ", x.sizes(), " and strides ", x.strides(),
              "; call cpu() or contiguous() first");
  return Span(x.data_ptr<typename Span::value_type>(), static_cast<size_t>(x.numel()));
}
template <class Span>
Span as_span(Tensor&& x) = delete;

}  // namespace torch::taper

#pragma GCC visibility pop
