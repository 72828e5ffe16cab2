// Indices of t.index({...}): integers, slices, None, "...", bools and tensors. The names and the
// meaning are LibTorch's (and NumPy's).
#pragma once

#include <iosfwd>
#include <limits>
#include <type_traits>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace indexing {

/// Inserts a new dimension of size 1.
constexpr nullopt_t None = nullopt;

/// Selects all of each dimension that the other indices do not index.
struct EllipsisIndexType {};
constexpr EllipsisIndexType Ellipsis{};  ///< the index "..."

/// The least and the greatest bound of a slice.
///@{
constexpr int64_t INDEX_MIN = std::numeric_limits<int64_t>::min();
constexpr int64_t INDEX_MAX = std::numeric_limits<int64_t>::max();
///@}

/// Selects start, start + step, ... below stop. Negative bounds count from the end. Missing bounds
/// (None) mean the whole dimension (0 and INDEX_MAX). Bounds beyond the ends are clipped.
class Slice {
 public:
  /// Throws ValueError unless `step` is positive.
  Slice(optional<int64_t> start = nullopt, optional<int64_t> stop = nullopt,
        optional<int64_t> step = nullopt);
  /// Returns the start as given, 0 if missing. A negative start is returned unchanged.
  int64_t start() const { return start_; }
  /// Returns the stop as given, INDEX_MAX if missing. The slice ends before this index.
  int64_t stop() const { return stop_; }
  int64_t step() const { return step_; }  ///< as given, 1 if missing

 private:
  int64_t start_, stop_, step_;
};

/// The kinds of a TensorIndex.
enum class TensorIndexType { None, Ellipsis, Integer, Boolean, Slice, Tensor };

/// One index of any of these kinds. Each kind converts to it.
class TensorIndex {
 public:
  /// Convert from every kind of index. bool gives Boolean, other integers Integer. A text must be
  /// "...", else ValueError is thrown. A tensor is shared, not copied.
  ///@{
  TensorIndex(nullopt_t) : type_(TensorIndexType::None) {}
  TensorIndex(EllipsisIndexType) : type_(TensorIndexType::Ellipsis) {}
  // A template, so that the number 0 does not convert as a null pointer.
  template <class T, std::enable_if_t<std::is_same<T, const char*>::value, int> = 0>
  TensorIndex(T dots) : type_(TensorIndexType::Ellipsis) {
    check_dots(dots);
  }
  template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
  TensorIndex(T v)
      : integer_(static_cast<int64_t>(v)),
        type_(std::is_same<T, bool>::value ? TensorIndexType::Boolean : TensorIndexType::Integer) {}
  TensorIndex(Slice s) : slice_(s), type_(TensorIndexType::Slice) {}
  TensorIndex(Tensor t) : tensor_(std::move(t)), type_(TensorIndexType::Tensor) {}
  ///@}

  /// Return the kind, or whether the index is of a kind.
  ///@{
  TensorIndexType type() const { return type_; }
  bool is_none() const { return type_ == TensorIndexType::None; }
  bool is_ellipsis() const { return type_ == TensorIndexType::Ellipsis; }
  bool is_integer() const { return type_ == TensorIndexType::Integer; }
  bool is_boolean() const { return type_ == TensorIndexType::Boolean; }
  bool is_slice() const { return type_ == TensorIndexType::Slice; }
  bool is_tensor() const { return type_ == TensorIndexType::Tensor; }
  ///@}
  /// Returns the integer, which may be negative. Returns 1 or 0 for a Boolean, and 0 for other
  /// kinds.
  int64_t integer() const { return integer_; }
  /// Returns the value of a Boolean.
  bool boolean() const { return integer_ != 0; }
  /// Returns the slice, or for other kinds a slice of the whole dimension.
  const Slice& slice() const { return slice_; }
  /// Returns the tensor, undefined for other kinds.
  const Tensor& tensor() const { return tensor_; }

 private:
  static void check_dots(const char* text);

  int64_t integer_ = 0;
  Slice slice_;
  Tensor tensor_;
  TensorIndexType type_;
};

/// Print `1:5:2`. A missing stop is printed as the largest int64_t, as in LibTorch.
std::ostream& operator<<(std::ostream& out, const Slice& s);
std::ostream& operator<<(std::ostream& out, const TensorIndex& i);

}  // namespace indexing
}  // namespace torch::taper

#pragma GCC visibility pop
