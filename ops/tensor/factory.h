// Making tensors: filled with a value, with a sequence, from given numbers, or not filled at all.
//
// `options` states dtype, device, memory format and requires_grad; anything unset takes the default
// (default_dtype(), get_default_device()). requires_grad throws for integral dtypes. A negative
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
/// Uninitialised memory of shape `size`.
Tensor empty(IntArrayRef size, TensorOptions options = {}, optional<MemoryFormat> format = nullopt);
Tensor& empty_out(Tensor& out, IntArrayRef size, optional<MemoryFormat> format = nullopt);
/// Uninitialised memory with the given strides (not negative), in elements.
Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TensorOptions options = {});
/// Uninitialised and dense: physical_layout lists the dimensions as they lie in memory, the
/// outermost first. Throws unless it is a permutation of 0 to the number of dimensions less one.
Tensor empty_permuted(IntArrayRef size, IntArrayRef physical_layout, TensorOptions options = {});
Tensor zeros(IntArrayRef size, TensorOptions options = {});
Tensor& zeros_out(Tensor& out, IntArrayRef size);
Tensor ones(IntArrayRef size, TensorOptions options = {});
Tensor& ones_out(Tensor& out, IntArrayRef size);
/// Without a dtype in `options` it follows the value: bool, kLong, the default dtype or the complex
/// dtype of that.
Tensor full(IntArrayRef size, const Scalar& value, TensorOptions options = {});
Tensor& full_out(Tensor& out, IntArrayRef size, const Scalar& value);
/// A 0-dim tensor; the default dtype unless `options` has one.
Tensor scalar_tensor(const Scalar& value, TensorOptions options = {});
/// The matrix with ones on its diagonal, n x m (m = n).
Tensor eye(int64_t n, TensorOptions options = {});
Tensor eye(int64_t n, int64_t m, TensorOptions options = {});
Tensor& eye_out(Tensor& out, int64_t n);
Tensor& eye_out(Tensor& out, int64_t n, int64_t m);

/// Shape, dtype and device of `like`, its strides too when it is dense; `options` overrides.
Tensor empty_like(const Tensor& like, TensorOptions options = {},
                  optional<MemoryFormat> format = nullopt);
Tensor zeros_like(const Tensor& like, TensorOptions options = {},
                  optional<MemoryFormat> format = nullopt);
Tensor ones_like(const Tensor& like, TensorOptions options = {},
                 optional<MemoryFormat> format = nullopt);
Tensor full_like(const Tensor& like, const Scalar& value, TensorOptions options = {},
                 optional<MemoryFormat> format = nullopt);

// ---------------------------------------------------------------- sequences
/// start, start + step, ... below `end` (above it for a negative step): a vector of
/// ceil((end - start) / step) values. kLong when all numbers are integral, else the default dtype.
/// Throws for step 0, for a step away from `end`, and for numbers that are not finite.
Tensor arange(const Scalar& end, TensorOptions options = {});
Tensor arange(const Scalar& start, const Scalar& end, TensorOptions options = {});
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
              TensorOptions options = {});
Tensor& arange_out(Tensor& out, const Scalar& end);
Tensor& arange_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step = 1);
/// Like arange, but `end` belongs to it, and the default dtype is used always.
Tensor range(const Scalar& start, const Scalar& end, TensorOptions options = {});
Tensor range(const Scalar& start, const Scalar& end, const Scalar& step,
             TensorOptions options = {});
Tensor& range_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step = 1);
/// `steps` values from `start` to `end`, both included, evenly spaced.
Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps = 100,
                TensorOptions options = {});
/// Ends in 0-dim tensors, which are waited for. Throws for tensors of more dimensions.
Tensor linspace(const Tensor& start, const Tensor& end, int64_t steps, TensorOptions options = {});
Tensor linspace(const Tensor& start, const Scalar& end, int64_t steps, TensorOptions options = {});
Tensor linspace(const Scalar& start, const Tensor& end, int64_t steps, TensorOptions options = {});
Tensor& linspace_out(Tensor& out, const Scalar& start, const Scalar& end, int64_t steps);
/// base to the power of linspace(start, end, steps).
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
/// Rows and columns (2 x count, kLong) of the entries on and below diagonal `offset` of a row x col
/// matrix, in row-major order.
Tensor tril_indices(int64_t row, int64_t col, int64_t offset = 0, TensorOptions options = kLong);
/// The same on and above the diagonal.
Tensor triu_indices(int64_t row, int64_t col, int64_t offset = 0, TensorOptions options = kLong);

// ---------------------------------------------------------------- from memory and numbers
/// A tensor over memory of the caller, who keeps it alive, or gives a `deleter` that is called with
/// `data` when the last tensor over it is gone. `strides` (row-major without) are in elements.
Tensor from_blob(void* data, IntArrayRef sizes, TensorOptions options = {});
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, TensorOptions options = {});
Tensor from_blob(void* data, IntArrayRef sizes, const std::function<void(void*)>& deleter,
                 TensorOptions options = {});
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 const std::function<void(void*)>& deleter, TensorOptions options = {});

namespace detail {

/// The argument of tensor(): a number, a list of such arguments, or an array of numbers. Lists are
/// referred to, so it lives no longer than the call.
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

  /// What it is. LibTorch's is_tensor() is an array of numbers.
  ///@{
  bool is_scalar() const { return kind_ == Kind::kNumber; }
  bool is_init_list() const { return kind_ == Kind::kList; }
  bool is_tensor() const { return kind_ == Kind::kArray; }
  ///@}
  /// The number, the list, the array. Throws Error for another kind.
  ///@{
  const Scalar& scalar() const;
  ArrayRef<TensorDataContainer> init_list() const;
  const Tensor& tensor() const;
  ///@}
  /// The sizes that the tensor will have, by the first of each list.
  std::vector<int64_t> sizes() const;
  /// The dtype of the first number; the default one without numbers.
  ScalarType scalar_type() const { return dtype(); }
  /// Writes the numbers in braces: "{{1, 2}, {3, 4}}".
  friend TAPER_EXPORTED std::ostream& operator<<(std::ostream& out,
                                                 const TensorDataContainer& data);
  Tensor to_tensor(const TensorOptions& options) const;
  Tensor to_host_tensor(const TensorOptions& options) const;

 private:
  enum class Kind : uint8_t { kNumber, kList, kArray };
  TensorDataContainer(const void* values, size_t count, ScalarType dtype);
  // Integers as wide as int64_t, but of another type, count as it.
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

/// A tensor of the given numbers: tensor(1.5), tensor({1, 2}), tensor({{1, 2}, {3, 4}}), or of a
/// std::vector or ArrayRef. int and int64_t give kLong, float and double the default dtype, others
/// their own; `options` overrides. All numbers must be of one type and all sub-lists of one shape.
/// x.new_tensor(data) is the same with the dtype and the device of x.
Tensor tensor(const detail::TensorDataContainer& data, const TensorOptions& options = {});

}  // namespace torch::taper

#pragma GCC visibility pop
