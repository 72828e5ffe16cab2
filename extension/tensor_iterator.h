// TensorIterator: iterates over the elements of several tensors, for a program's op, with
// LibTorch's interface. It broadcasts shapes, promotes dtypes and makes outputs.
//
//   Tensor y;
//   auto iter = TensorIteratorConfig().add_output(y).add_input(a).add_input(b).build();
//   native::cpu_kernel(iter, [](float a, float b) { return a * b + 1; });
//   return iter.output();
#pragma once

#include <functional>
#include <vector>

#include <taper/extension/small_vector.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

class TensorIteratorConfig;

/// Holds the operands of an op, outputs first, then inputs. All operands are broadcast to one index
/// space. Its dimension 0 is the innermost. Dimensions of size 1 are dropped. Two neighbouring
/// dimensions are merged if the outer stride of every operand is its inner stride times the inner
/// size.
class TensorIterator {
 public:
  /// A loop over size0 * size1 elements. data[i] points to the first element of operand i.
  /// strides[i] is the operand's stride, in bytes, along the inner dimension of size size0.
  /// strides[ntensors() + i] is its stride along the outer dimension of size size1.
  using Loop2d =
      std::function<void(char** data, const int64_t* strides, int64_t size0, int64_t size1)>;

  /// Returns the number of all operands.
  int ntensors() const { return static_cast<int>(operands_.size()); }
  /// Returns the number of outputs: operands 0 to noutputs() - 1.
  int noutputs() const { return noutputs_; }
  /// Returns the number of inputs, which follow the outputs.
  int ninputs() const { return ntensors() - noutputs_; }
  /// Returns the number of dimensions of the index space, after merging.
  int ndim() const { return static_cast<int>(shape_.size()); }
  /// Returns the sizes of the index space, innermost first.
  IntArrayRef shape() const { return shape_; }
  /// Returns the number of elements of the index space, to which operands broadcast.
  int64_t numel() const { return numel_; }
  /// Returns whether the index space has at most one dimension after merging.
  bool is_trivial_1d() const { return ndim() <= 1; }
  /// Returns whether all operands are contiguous in the order of the index space.
  bool is_contiguous() const;

  /// Returns the tensor that the kernel gets for operand `arg`. If promotion was requested, this
  /// tensor has the common dtype.
  const Tensor& tensor(int arg) const { return operands_.at(static_cast<size_t>(arg)).current; }
  /// Returns output `arg`: the caller's tensor, or the tensor that the iterator made.
  const Tensor& output(int arg = 0) const { return operand(arg).original; }
  /// Returns input `arg`, as the kernel gets it.
  const Tensor& input(int arg = 0) const { return tensor(noutputs_ + arg); }
  /// Returns a pointer to the first element of tensor(arg).
  void* data_ptr(int arg) const { return operand(arg).data; }
  /// Returns the strides of operand `arg` in bytes, one per dimension of the index space.
  IntArrayRef strides(int arg) const { return operand(arg).strides; }
  /// Returns the dtype of tensor(arg).
  ScalarType dtype(int arg = 0) const { return tensor(arg).scalar_type(); }
  /// Returns the dtype of input(arg).
  ScalarType input_dtype(int arg = 0) const { return dtype(noutputs_ + arg); }
  /// Returns the dtype to which the inputs were promoted. Throws Error if promotion was not
  /// requested.
  ScalarType common_dtype() const;
  /// Returns the device of operand `arg`.
  Device device(int arg = 0) const { return tensor(arg).device(); }
  /// Returns the kind of device of operand `arg`.
  DeviceType device_type(int arg = 0) const { return device(arg).type(); }
  /// Returns the number of bytes of an element of tensor(arg).
  int64_t element_size(int arg) const { return tensor(arg).element_size(); }

  /// Calls `loop` for parts of the index space, on the threads of the pool. Each part has at least
  /// `grain` elements. All operands must be on the CPU.
  void for_each(const Loop2d& loop, int64_t grain = 32768);
  /// Calls `loop` for the elements [begin, end) on the calling thread.
  void serial_for_each(const Loop2d& loop, int64_t begin, int64_t end) const;
  /// Copies results in the common dtype to outputs of another dtype. A kernel must call this
  /// function at its end. native::cpu_kernel does so.
  void cast_outputs();

  /// Makes an iterator over one input. If `out` is undefined, the iterator makes the output.
  static TensorIterator unary_op(const Tensor& out, const Tensor& a);
  /// Makes an iterator over two inputs, which are broadcast and promoted.
  static TensorIterator binary_op(const Tensor& out, const Tensor& a, const Tensor& b);
  /// Makes an iterator over one output and no inputs, for kernels that fill it.
  static TensorIterator nullary_op(const Tensor& out);

 private:
  friend class TensorIteratorConfig;
  struct Operand {
    Tensor original, current;
    char* data = nullptr;
    std::vector<int64_t> strides;  ///< in bytes
  };
  const Operand& operand(int arg) const { return operands_.at(static_cast<size_t>(arg)); }
  void plan(IntArrayRef sizes);

  std::vector<Operand> operands_;
  int noutputs_ = 0;
  std::vector<int64_t> shape_;
  int64_t numel_ = 1;
  ScalarType common_dtype_ = ScalarType::Undefined;
};
using TensorIteratorBase = TensorIterator;  ///< the name in LibTorch's kernels

/// Options of a TensorIterator. build() checks them.
class TensorIteratorConfig {
 public:
  /// Adds an output. If `t` is undefined, the iterator makes the output, and iter.output(i) returns
  /// it.
  TensorIteratorConfig& add_output(const Tensor& t);
  TensorIteratorConfig& add_owned_output(const Tensor& t) { return add_output(t); }     ///< alias
  TensorIteratorConfig& add_borrowed_output(const Tensor& t) { return add_output(t); }  ///< alias
  /// Adds an input. The iterator keeps the tensor alive.
  TensorIteratorConfig& add_input(const Tensor& t);
  TensorIteratorConfig& add_const_input(const Tensor& t) { return add_input(t); }        ///< alias
  TensorIteratorConfig& add_owned_input(const Tensor& t) { return add_input(t); }        ///< alias
  TensorIteratorConfig& add_owned_const_input(const Tensor& t) { return add_input(t); }  ///< alias
  TensorIteratorConfig& add_borrowed_input(const Tensor& t) { return add_input(t); }     ///< alias

  /// Sets whether overlapping memory is an error. Elements of an output must not overlap each
  /// other. An output and an input may overlap only completely. True by default.
  TensorIteratorConfig& set_check_mem_overlap(bool v) { return set(check_overlap_, v); }
  /// Sets whether all operands must have the same dtype, unless they are promoted. True by default.
  TensorIteratorConfig& check_all_same_dtype(bool v) { return set(same_dtype_, v); }
  /// Sets whether it is an error if operands are on different devices. True by default.
  TensorIteratorConfig& check_all_same_device(bool v) { return set(same_device_, v); }
  /// Sets whether kernels get all inputs in the dtype to which they are promoted.
  TensorIteratorConfig& promote_inputs_to_common_dtype(bool v) {
    if (v) same_dtype_ = false;
    return set(promote_, v);
  }
  /// Sets whether integral inputs are promoted to the default dtype.
  TensorIteratorConfig& promote_integer_inputs_to_float(bool v) { return set(to_float_, v); }
  /// Sets whether kernels write outputs in the common dtype, which cast_outputs() then converts.
  TensorIteratorConfig& cast_common_dtype_to_outputs(bool v) { return set(cast_outputs_, v); }
  /// Sets whether it is an error if an output cannot hold the common dtype (a float in kLong).
  TensorIteratorConfig& enforce_safe_casting_to_output(bool v) { return set(safe_cast_, v); }
  /// Sets whether 0-dim inputs on the CPU may be combined with operands on a GPU.
  TensorIteratorConfig& allow_cpu_scalars(bool v) { return set(cpu_scalars_, v); }
  /// Sets whether outputs with wrong sizes are resized. True by default.
  TensorIteratorConfig& resize_outputs(bool v) { return set(resize_, v); }
  /// Sets the shape of the index space, instead of the broadcast shape.
  TensorIteratorConfig& declare_static_shape(IntArrayRef shape);
  /// Sets the dtype of the outputs that the iterator makes, instead of the common dtype.
  TensorIteratorConfig& declare_static_dtype(ScalarType t);
  /// Sets the dtype and the device of the outputs that the iterator makes.
  TensorIteratorConfig& declare_static_dtype_and_device(ScalarType t, Device device);

  /// Makes the iterator. Throws Error if one of the checks selected by the functions above fails.
  TensorIterator build();

 private:
  TensorIteratorConfig& set(bool& flag, bool v) {
    flag = v;
    return *this;
  }
  void choose_dtype(TensorIterator& iter) const;
  void choose_device(TensorIterator& iter);
  void make_outputs(TensorIterator& iter, IntArrayRef shape) const;
  void cast_operands(TensorIterator& iter) const;

  std::vector<Tensor> outputs_, inputs_;
  optional<std::vector<int64_t>> shape_;
  optional<ScalarType> dtype_;
  optional<Device> device_;
  bool check_overlap_ = true, same_dtype_ = true, same_device_ = true, promote_ = false;
  bool to_float_ = false, cast_outputs_ = false, safe_cast_ = false, cpu_scalars_ = false;
  bool resize_ = true;
};

}  // namespace torch::taper

#pragma GCC visibility pop
