#include <taper/extension/tensor_iterator.h>

#include <algorithm>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/ops/elementwise/binary.h>

namespace torch::taper {

// ---------------------------------------------------------------- the walk
void TensorIterator::plan(IntArrayRef sizes) {
  const int n = ntensors();
  std::vector<detail::Operand> list;
  for (const Operand& o : operands_) {
    const TensorImpl& t = o.current.impl();
    list.push_back({t.data, &t.sizes, &t.strides, static_cast<int64_t>(t.itemsize())});
  }
  numel_ = 1;
  for (int64_t s : sizes) numel_ *= s;
  int64_t planned[kMaxDims];
  std::vector<int64_t> strides(static_cast<size_t>(kMaxDims) * static_cast<size_t>(n));
  const int rank = detail::make_plan(Dims(sizes), list.data(), n, planned, strides.data());
  shape_.assign(planned, planned + rank);
  for (int i = 0; i < n; ++i) {
    Operand& o = operands_[static_cast<size_t>(i)];
    o.data = static_cast<char*>(o.current.data_ptr());
    o.strides.clear();
    for (int d = 0; d < rank; ++d) o.strides.push_back(strides[static_cast<size_t>(d * n + i)]);
  }
}

bool TensorIterator::is_contiguous() const {
  if (numel_ == 1) return true;
  if (ndim() != 1) return false;
  for (int i = 0; i < ntensors(); ++i)
    if (operand(i).strides[0] != element_size(i)) return false;
  return true;
}

ScalarType TensorIterator::common_dtype() const {
  TAPER_CHECK(common_dtype_ != ScalarType::Undefined,
              "TensorIterator::common_dtype: expected operands with a common dtype, got none; call "
              "promote_inputs_to_common_dtype(true)");
  return common_dtype_;
}

void TensorIterator::serial_for_each(const Loop2d& loop, int64_t begin, int64_t end) const {
  if (begin >= end) return;
  const size_t n = operands_.size(), rank = shape_.size();
  std::vector<int64_t> steps(2 * n), index(rank);
  std::vector<char*> at(n), data(n);
  for (size_t i = 0; i < n; ++i) {
    at[i] = operands_[i].data;
    if (rank > 0) steps[i] = operands_[i].strides[0];
    if (rank > 1) steps[n + i] = operands_[i].strides[1];
  }
  const auto move = [&](size_t d, int64_t by) {
    index[d] += by;
    for (size_t i = 0; i < n; ++i) at[i] += by * operands_[i].strides[d];
  };
  for (size_t d = 0, rest = static_cast<size_t>(begin); d < rank; ++d) {
    const auto size = static_cast<size_t>(shape_[d]);
    move(d, static_cast<int64_t>(rest % size));
    rest /= size;
  }
  for (int64_t left = end - begin; left > 0;) {
    const int64_t in_row = rank > 0 ? std::min(left, shape_[0] - index[0]) : 1;
    const bool whole = rank > 1 && in_row == shape_[0];
    const int64_t rows = whole ? std::min(left / in_row, shape_[1] - index[1]) : 1;
    data = at;
    loop(data.data(), steps.data(), in_row, rows);
    left -= in_row * rows;
    if (left == 0) return;
    move(0, -index[0]);  // to the start of the next row
    move(1, rows);
    for (size_t d = 1; d + 1 < rank && index[d] == shape_[d]; ++d) {
      move(d, -shape_[d]);
      move(d + 1, 1);
    }
  }
}

void TensorIterator::for_each(const Loop2d& loop, int64_t grain) {
  TAPER_CHECK(operands_.empty() || device().is_cpu(),
              "TensorIterator::for_each: expected operands of the CPU, got ", device());
  parallel_for(0, numel_, grain, [&](int64_t b, int64_t e) { serial_for_each(loop, b, e); });
}

void TensorIterator::cast_outputs() {
  const NoGradGuard no_history;
  for (int i = 0; i < noutputs_; ++i) {
    Operand& o = operands_[static_cast<size_t>(i)];
    if (!o.current.is_same(o.original)) o.original.copy_(o.current);
  }
}

TensorIterator TensorIterator::unary_op(const Tensor& out, const Tensor& a) {
  return TensorIteratorConfig()
      .cast_common_dtype_to_outputs(true)
      .enforce_safe_casting_to_output(true)
      .add_output(out)
      .add_input(a)
      .build();
}
TensorIterator TensorIterator::binary_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  return TensorIteratorConfig()
      .promote_inputs_to_common_dtype(true)
      .cast_common_dtype_to_outputs(true)
      .enforce_safe_casting_to_output(true)
      .allow_cpu_scalars(true)
      .add_output(out)
      .add_input(a)
      .add_input(b)
      .build();
}
TensorIterator TensorIterator::nullary_op(const Tensor& out) {
  return TensorIteratorConfig()
      .check_all_same_dtype(false)
      .resize_outputs(false)
      .add_output(out)
      .build();
}

// ---------------------------------------------------------------- what to do
TensorIteratorConfig& TensorIteratorConfig::add_output(const Tensor& t) {
  TAPER_CHECK(inputs_.empty(),
              "TensorIteratorConfig: expected outputs before inputs: add_output after add_input");
  outputs_.push_back(t);
  return *this;
}
TensorIteratorConfig& TensorIteratorConfig::add_input(const Tensor& t) {
  TAPER_CHECK(t.defined(), "TensorIteratorConfig::add_input: expected a defined tensor");
  inputs_.push_back(t);
  return *this;
}
TensorIteratorConfig& TensorIteratorConfig::declare_static_shape(IntArrayRef shape) {
  shape_ = shape.vec();
  resize_ = false;
  return *this;
}
TensorIteratorConfig& TensorIteratorConfig::declare_static_dtype(ScalarType t) {
  dtype_ = t;
  return *this;
}
TensorIteratorConfig& TensorIteratorConfig::declare_static_dtype_and_device(ScalarType t,
                                                                            Device device) {
  device_ = device;
  return declare_static_dtype(t);
}

namespace {

/// Works as in LibTorch, which only checks tensors without gaps.
void check_no_partial_overlap(const Tensor& y, const Tensor& x) {
  if (!y.is_alias_of(x) || !y.is_non_overlapping_and_dense() || !x.is_non_overlapping_and_dense())
    return;
  if (y.data_ptr() == x.data_ptr() && y.nbytes() == x.nbytes()) return;
  const auto* a = static_cast<const char*>(y.data_ptr());
  const auto* b = static_cast<const char*>(x.data_ptr());
  TAPER_CHECK(a + y.nbytes() <= b || b + x.nbytes() <= a,
              "unsupported operation: some elements of the input tensor and the written-to tensor "
              "refer to a single memory location. Please clone() the tensor before performing the "
              "operation.");
}

/// Promotes the dtypes of all inputs. Tensors with dimensions have priority over those without.
ScalarType promoted(const std::vector<Tensor>& inputs) {
  bool any_dims = false;
  for (const Tensor& t : inputs) any_dims = any_dims || t.dim() > 0;
  ScalarType result = ScalarType::Undefined;
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t j = i; j < inputs.size(); ++j) {
      if (any_dims && inputs[i].dim() == 0 && inputs[j].dim() == 0) continue;
      const ScalarType both = result_type(inputs[i], inputs[j]);
      result = result == ScalarType::Undefined ? both : promoteTypes(result, both);
    }
  return result;
}

}  // namespace

void TensorIteratorConfig::choose_dtype(TensorIterator& iter) const {
  ScalarType common = ScalarType::Undefined;
  if (dtype_) {
    common = *dtype_;
  } else if (promote_) {
    common = promoted(inputs_);
    if (to_float_ && isIntegralType(common, true)) common = default_dtype();
  } else if (!inputs_.empty()) {
    common = inputs_[0].scalar_type();
  } else if (!outputs_.empty() && outputs_[0].defined()) {
    common = outputs_[0].scalar_type();
  }
  if (same_dtype_ && !dtype_) {
    for (const std::vector<Tensor>* list : {&inputs_, &outputs_})
      for (const Tensor& t : *list)
        TAPER_CHECK(
            !t.defined() || t.scalar_type() == common || (cast_outputs_ && list == &outputs_),
            "Found dtype ", t.scalar_type(), " but expected ", common);
  }
  iter.common_dtype_ = common;
}

void TensorIteratorConfig::choose_device(TensorIterator&) {
  if (!device_)
    for (const std::vector<Tensor>* list : {&outputs_, &inputs_})
      for (const Tensor& t : *list)
        if (t.defined() && (!device_ || (cpu_scalars_ && device_->is_cpu()))) device_ = t.device();
  if (!device_) device_ = Device();
  for (Tensor& t : inputs_)
    if (cpu_scalars_ && t.is_cpu() && t.dim() == 0) t = t.to(*device_);
  if (!same_device_) return;
  for (const std::vector<Tensor>* list : {&outputs_, &inputs_})
    for (const Tensor& t : *list)
      TAPER_CHECK(!t.defined() || t.device() == *device_,
                  "Expected all tensors to be on the same device, but found at least two devices, ",
                  *device_, " and ", t.device(), "!");
}

void TensorIteratorConfig::make_outputs(TensorIterator& iter, IntArrayRef shape) const {
  for (const Tensor& given : outputs_) {
    Tensor y = given;
    if (!y.defined()) {
      TAPER_CHECK(iter.common_dtype_ != ScalarType::Undefined,
                  "TensorIteratorConfig: expected a dtype for the output; declare_static_dtype");
      y = detail::make_tensor(shape, iter.common_dtype_, *device_);
    }
    TAPER_CHECK(!safe_cast_ || canCast(iter.common_dtype_, y.scalar_type()), "result type ",
                iter.common_dtype_, " can't be cast to the desired output type ", y.scalar_type());
    if (y.sizes() != shape) {
      TAPER_CHECK(resize_, "output with shape ", y.sizes(), " doesn't match the broadcast shape ",
                  shape);
      y.resize_(shape);
    }
    if (check_overlap_) {
      autograd::check_no_internal_overlap("TensorIterator", y);
      for (const Tensor& x : inputs_) check_no_partial_overlap(y, x);
    }
    iter.operands_.push_back({y, y, nullptr, {}});
  }
}

/// Replaces operands of another dtype by copies.
void TensorIteratorConfig::cast_operands(TensorIterator& iter) const {
  if (!promote_ && !cast_outputs_) return;
  for (size_t i = 0; i < iter.operands_.size(); ++i) {
    auto& o = iter.operands_[i];
    const bool is_output = i < outputs_.size();
    if (o.current.scalar_type() == iter.common_dtype_ || !(is_output ? cast_outputs_ : promote_))
      continue;
    o.current = is_output ? detail::make_like(o.original, iter.common_dtype_)
                          : o.original.detach().to(iter.common_dtype_);
  }
}

TensorIterator TensorIteratorConfig::build() {
  TensorIterator iter;
  iter.noutputs_ = static_cast<int>(outputs_.size());
  choose_device(iter);
  choose_dtype(iter);
  Dims shape;
  if (shape_) {
    shape = Dims(IntArrayRef(*shape_));
  } else {
    bool first = true;
    for (const Tensor& t : inputs_) {
      shape = first ? Dims(t.sizes()) : broadcast_shapes("TensorIterator", shape, t.sizes());
      first = false;
    }
    for (const Tensor& t : outputs_)
      if (t.defined() && (!resize_ || first)) {
        shape = first ? Dims(t.sizes()) : broadcast_shapes("TensorIterator", shape, t.sizes());
        first = false;
      }
  }
  make_outputs(iter, shape);
  for (const Tensor& t : inputs_) iter.operands_.push_back({t, t, nullptr, {}});
  cast_operands(iter);
  iter.plan(shape);
  return iter;
}

}  // namespace torch::taper
