// FlatLayout: many tensors as a few flat ones, so that they reach another device in one copy for
// each dtype.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::parallel {

/// Where each tensor of a list lies in flat buffers. A buffer holds tensors of one dtype, in their
/// order, each aligned to 64 bytes.
class FlatLayout {
 public:
  FlatLayout() = default;
  /// A buffer takes tensors until it has `buffer_nbytes`, and at least one.
  explicit FlatLayout(TensorList tensors, size_t buffer_nbytes = SIZE_MAX);

  /// The values of `tensors`, of the list's dtypes and sizes, as flat buffers on `device`, where
  /// they are. An undefined tensor counts as zeros. Differentiable.
  std::vector<Tensor> join(TensorList tensors, Device device) const;
  /// Uninitialised buffers.
  std::vector<Tensor> make_buffers(Device device) const;
  /// The tensors of the list as views of the buffers. Differentiable.
  std::vector<Tensor> split(const std::vector<Tensor>& buffers) const;
  /// The tensors of the list in the memory of the buffers: no views to autograd, each with a
  /// version of its own.
  std::vector<Tensor> alias(const std::vector<Tensor>& buffers) const;

  size_t size() const { return items_.size(); }  ///< tensors, not buffers
  /// The same dtypes, sizes and places: buffers of the one are buffers of the other.
  friend bool operator==(const FlatLayout& a, const FlatLayout& b) { return a.items_ == b.items_; }

 private:
  struct Item {
    Dims sizes;
    int64_t numel = 0;
    ScalarType dtype = ScalarType::Undefined;
    size_t buffer = 0;
    int64_t offset = 0;  // in elements
    friend bool operator==(const Item& a, const Item& b) {
      return a.sizes == b.sizes && a.dtype == b.dtype && a.buffer == b.buffer &&
             a.offset == b.offset;
    }
  };
  struct Buffer {
    ScalarType dtype = ScalarType::Undefined;
    int64_t numel = 0;
  };
  Buffer& buffer_for(ScalarType dtype, size_t buffer_nbytes);

  std::vector<Item> items_;
  std::vector<Buffer> buffers_;
};

}  // namespace torch::taper::nn::parallel

#pragma GCC visibility pop
