// FlatLayout: joins many tensors into a few flat buffers, so that a buffer of tensors is copied
// between devices at once.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::parallel {

/// Holds the position of each tensor of a list in flat buffers. A buffer holds tensors of one
/// dtype, in order, each aligned to 64 bytes.
class FlatLayout {
 public:
  FlatLayout() = default;
  /// Assigns the tensors to buffers, in order. A buffer that has `buffer_nbytes` or more gets no
  /// further tensors.
  explicit FlatLayout(TensorList tensors, size_t buffer_nbytes = SIZE_MAX);

  /// Copies `tensors` into flat buffers on `device`. The tensors must be on `device`, with the
  /// sizes and dtypes of the constructor's tensors. An undefined tensor means zeros. This function
  /// is differentiable.
  std::vector<Tensor> join(TensorList tensors, Device device) const;
  /// Returns uninitialized buffers on `device`.
  std::vector<Tensor> make_buffers(Device device) const;
  /// Returns the tensors as views of the buffers. This function is differentiable.
  std::vector<Tensor> split(const std::vector<Tensor>& buffers) const;
  /// Returns the tensors in the memory of the buffers. For autograd, these tensors are not views,
  /// and each has a separate version counter.
  std::vector<Tensor> alias(const std::vector<Tensor>& buffers) const;

  size_t size() const { return items_.size(); }  ///< number of tensors, not of buffers
  /// Returns whether the dtypes, sizes and positions of all tensors are equal. Such layouts can
  /// share buffers.
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
