// TensorIterator: an op of a program's own over the elements of several tensors, with LibTorch's
// interface: shapes broadcast, dtypes promoted, outputs made.
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

/// Operands over one index space: outputs first, then inputs. Dimension 0 is the innermost one;
/// dimensions that all operands walk through alike are one.
class TensorIterator {
 public:
  /// data[i] is operand i at the first element, strides[i] its step in bytes along size0,
  /// strides[ntensors() + i] that along size1.
  using Loop2d =
      std::function<void(char** data, const int64_t* strides, int64_t size0, int64_t size1)>;

  /// Number of all operands.
  int ntensors() const { return static_cast<int>(operands_.size()); }
  /// Number of outputs: operands 0 to noutputs() - 1.
  int noutputs() const { return noutputs_; }
  /// Number of inputs, which follow the outputs.
  int ninputs() const { return ntensors() - noutputs_; }
  /// Dimensions of the walk, after those that can be walked as one are joined.
  int ndim() const { return static_cast<int>(shape_.size()); }
  /// Of the walk: innermost first.
  IntArrayRef shape() const { return shape_; }
  /// Number of elements of the walk: of each operand once broadcast.
  int64_t numel() const { return numel_; }
  /// Whether one step per operand leads through all elements.
  bool is_trivial_1d() const { return ndim() <= 1; }
  /// Whether all operands lie without gaps, innermost dimension first.
  bool is_contiguous() const;

  /// The operand as the kernel sees it: of the common dtype where that was asked for.
  const Tensor& tensor(int arg) const { return operands_.at(static_cast<size_t>(arg)).current; }
  /// The tensor that was given, or made for an output.
  const Tensor& output(int arg = 0) const { return operand(arg).original; }
  /// Input `arg`, as the kernel sees it.
  const Tensor& input(int arg = 0) const { return tensor(noutputs_ + arg); }
  /// First element of operand `arg`, as the kernel sees it.
  void* data_ptr(int arg) const { return operand(arg).data; }
  /// Steps of operand `arg` in bytes, one per dimension of the walk.
  IntArrayRef strides(int arg) const { return operand(arg).strides; }
  /// Dtype of operand `arg`, as the kernel sees it.
  ScalarType dtype(int arg = 0) const { return tensor(arg).scalar_type(); }
  /// Dtype of input `arg`, as the kernel sees it.
  ScalarType input_dtype(int arg = 0) const { return dtype(noutputs_ + arg); }
  /// The dtype on which the inputs were promoted; an error if that was not asked for.
  ScalarType common_dtype() const;
  /// Device of operand `arg`.
  Device device(int arg = 0) const { return tensor(arg).device(); }
  /// Kind of device of operand `arg`.
  DeviceType device_type(int arg = 0) const { return device(arg).type(); }
  /// Bytes of an element of operand `arg`, as the kernel sees it.
  int64_t element_size(int arg) const { return tensor(arg).element_size(); }

  /// Calls `loop` for all of the index space, in pieces of at least `grain` elements on the threads
  /// of the pool. For operands of the host.
  void for_each(const Loop2d& loop, int64_t grain = 32768);
  /// The same for the elements [begin, end) on the calling thread.
  void serial_for_each(const Loop2d& loop, int64_t begin, int64_t end) const;
  /// Writes what was computed in the common dtype into outputs of another one. Kernels call it.
  void cast_outputs();

  /// An iterator over one input; `out` may be undefined, and is made then.
  static TensorIterator unary_op(const Tensor& out, const Tensor& a);
  /// The same over two inputs, which broadcast and are promoted.
  static TensorIterator binary_op(const Tensor& out, const Tensor& a, const Tensor& b);
  /// The same over an output alone, for kernels that fill.
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
using TensorIteratorBase = TensorIterator;  ///< as LibTorch's kernels call it

/// What a TensorIterator is to do. Throws where it builds.
class TensorIteratorConfig {
 public:
  /// An undefined output is made, and is then iter.output(i).
  TensorIteratorConfig& add_output(const Tensor& t);
  TensorIteratorConfig& add_owned_output(const Tensor& t) { return add_output(t); }  ///< the same
  TensorIteratorConfig& add_borrowed_output(const Tensor& t) {
    return add_output(t);
  }  ///< the same
  /// An input; kept alive by the iterator.
  TensorIteratorConfig& add_input(const Tensor& t);
  TensorIteratorConfig& add_const_input(const Tensor& t) { return add_input(t); }  ///< the same
  TensorIteratorConfig& add_owned_input(const Tensor& t) { return add_input(t); }  ///< the same
  TensorIteratorConfig& add_owned_const_input(const Tensor& t) {
    return add_input(t);
  }                                                                                   ///< the same
  TensorIteratorConfig& add_borrowed_input(const Tensor& t) { return add_input(t); }  ///< the same

  /// On unless said otherwise: an output that shares memory with itself, or partly with an input,
  /// is an error.
  TensorIteratorConfig& set_check_mem_overlap(bool v) { return set(check_overlap_, v); }
  /// On unless said otherwise: all operands have one dtype, or one on which they are promoted.
  TensorIteratorConfig& check_all_same_dtype(bool v) { return set(same_dtype_, v); }
  /// On unless said otherwise: operands on several devices are an error.
  TensorIteratorConfig& check_all_same_device(bool v) { return set(same_device_, v); }
  /// Kernels see all inputs in the dtype on which they are promoted.
  TensorIteratorConfig& promote_inputs_to_common_dtype(bool v) {
    if (v) same_dtype_ = false;
    return set(promote_, v);
  }
  /// Inputs of whole numbers are promoted to the default dtype.
  TensorIteratorConfig& promote_integer_inputs_to_float(bool v) { return set(to_float_, v); }
  /// Kernels write outputs in the common dtype, and cast_outputs() converts them.
  TensorIteratorConfig& cast_common_dtype_to_outputs(bool v) { return set(cast_outputs_, v); }
  /// A common dtype that an output cannot hold (float in Long) is an error.
  TensorIteratorConfig& enforce_safe_casting_to_output(bool v) { return set(safe_cast_, v); }
  /// Inputs of the CPU without dimensions may stand beside operands of a GPU.
  TensorIteratorConfig& allow_cpu_scalars(bool v) { return set(cpu_scalars_, v); }
  /// On unless said otherwise: outputs of other sizes are resized.
  TensorIteratorConfig& resize_outputs(bool v) { return set(resize_, v); }
  /// The shape of the walk, in place of what the operands broadcast to.
  TensorIteratorConfig& declare_static_shape(IntArrayRef shape);
  /// The dtype of outputs that are made, in place of the common one.
  TensorIteratorConfig& declare_static_dtype(ScalarType t);
  /// The same with the device on which they are made.
  TensorIteratorConfig& declare_static_dtype_and_device(ScalarType t, Device device);

  /// The iterator. Errors: whatever the checks above find.
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
