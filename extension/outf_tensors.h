// The `out` forms of functions that move and map elements,
// with the results last, as LibTorch's ..._outf have them.
// Written by cmake/out_forms.py.
#pragma once

#include <taper/extension/out_forms_tensors.h>

#pragma GCC visibility push(default)

// clang-format off
namespace torch::taper {

/// ..._out with the results last, and without default values.
///@{
inline Tensor& as_strided_scatter_outf(const Tensor& self, const Tensor& src, IntArrayRef size,
                                       IntArrayRef stride, optional<int64_t> storage_offset,
                                       Tensor& out) {
  return as_strided_scatter_out(out, self, src, size, stride, storage_offset);
}
inline Tensor& block_diag_outf(TensorList tensors, Tensor& out) {
  return block_diag_out(out, tensors);
}
inline Tensor& clone_outf(const Tensor& self, optional<MemoryFormat> memory_format, Tensor& out) {
  return clone_out(out, self, memory_format);
}
inline Tensor& concatenate_outf(TensorList tensors, int64_t dim, Tensor& out) {
  return concatenate_out(out, tensors, dim);
}
inline Tensor& conj_physical_outf(const Tensor& self, Tensor& out) {
  return conj_physical_out(out, self);
}
inline Tensor& convolution_outf(const Tensor& input, const Tensor& weight,
                                const optional<Tensor>& bias, IntArrayRef stride,
                                IntArrayRef padding, IntArrayRef dilation, bool transposed,
                                IntArrayRef output_padding, int64_t groups, Tensor& out) {
  return convolution_out(out, input, weight, bias, stride, padding, dilation, transposed,
                         output_padding, groups);
}
inline Tensor& copy_outf(const Tensor& self, const Tensor& src, bool non_blocking, Tensor& out) {
  return copy_out(out, self, src, non_blocking);
}
inline Tensor& diag_embed_outf(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2,
                               Tensor& out) {
  return diag_embed_out(out, self, offset, dim1, dim2);
}
inline Tensor& diagonal_scatter_outf(const Tensor& self, const Tensor& src, int64_t offset,
                                     int64_t dim1, int64_t dim2, Tensor& out) {
  return diagonal_scatter_out(out, self, src, offset, dim1, dim2);
}
inline Tensor& embedding_outf(const Tensor& weight, const Tensor& indices, int64_t padding_idx,
                              bool scale_grad_by_freq, bool sparse, Tensor& out) {
  return embedding_out(out, weight, indices, padding_idx, scale_grad_by_freq, sparse);
}
inline Tensor& embedding_renorm_outf(const Tensor& self, const Tensor& indices, double max_norm,
                                     double norm_type, Tensor& out) {
  return embedding_renorm_out(out, self, indices, max_norm, norm_type);
}
inline Tensor& empty_like_outf(const Tensor& self, optional<MemoryFormat> memory_format,
                               Tensor& out) {
  return empty_like_out(out, self, memory_format);
}
inline Tensor& empty_strided_outf(IntArrayRef size, IntArrayRef stride, Tensor& out) {
  return empty_strided_out(out, size, stride);
}
inline Tensor& flip_outf(const Tensor& self, IntArrayRef dims, Tensor& out) {
  return flip_out(out, self, dims);
}
inline std::tuple<Tensor&, Tensor&> frexp_outf(const Tensor& self, Tensor& mantissa,
                                               Tensor& exponent) {
  return frexp_out(mantissa, exponent, self);
}
inline Tensor& from_file_outf(std::string_view filename, optional<bool> shared,
                              optional<int64_t> size, Tensor& out) {
  return from_file_out(out, filename, shared, size);
}
inline Tensor& full_like_outf(const Tensor& self, const Scalar& fill_value,
                              optional<MemoryFormat> memory_format, Tensor& out) {
  return full_like_out(out, self, fill_value, memory_format);
}
inline Tensor& index_fill_outf(const Tensor& self, int64_t dim, const Tensor& index,
                               const Scalar& value, Tensor& out) {
  return index_fill_out(out, self, dim, index, value);
}
inline Tensor& index_fill_outf(const Tensor& self, int64_t dim, const Tensor& index,
                               const Tensor& value, Tensor& out) {
  return index_fill_out(out, self, dim, index, value);
}
inline Tensor& index_outf(const Tensor& self, const List<optional<Tensor>>& indices, Tensor& out) {
  return index_out(out, self, indices);
}
inline Tensor& index_put_outf(const Tensor& self, const List<optional<Tensor>>& indices,
                              const Tensor& values, bool accumulate, Tensor& out) {
  return index_put_out(out, self, indices, values, accumulate);
}
inline Tensor& index_reduce_outf(const Tensor& self, int64_t dim, const Tensor& index,
                                 const Tensor& source, std::string_view reduce, bool include_self,
                                 Tensor& out) {
  return index_reduce_out(out, self, dim, index, source, reduce, include_self);
}
inline Tensor& isinf_outf(const Tensor& self, Tensor& out) { return isinf_out(out, self); }
inline Tensor& isnan_outf(const Tensor& self, Tensor& out) { return isnan_out(out, self); }
inline Tensor& isneginf_outf(const Tensor& self, Tensor& out) { return isneginf_out(out, self); }
inline Tensor& isposinf_outf(const Tensor& self, Tensor& out) { return isposinf_out(out, self); }
inline Tensor& masked_fill_outf(const Tensor& self, const Tensor& mask, const Scalar& value,
                                Tensor& out) {
  return masked_fill_out(out, self, mask, value);
}
inline Tensor& masked_fill_outf(const Tensor& self, const Tensor& mask, const Tensor& value,
                                Tensor& out) {
  return masked_fill_out(out, self, mask, value);
}
inline Tensor& masked_scatter_outf(const Tensor& self, const Tensor& mask, const Tensor& source,
                                   Tensor& out) {
  return masked_scatter_out(out, self, mask, source);
}
inline Tensor& new_empty_outf(const Tensor& self, IntArrayRef size, Tensor& out) {
  return new_empty_out(out, self, size);
}
inline Tensor& new_empty_strided_outf(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                                      Tensor& out) {
  return new_empty_strided_out(out, self, size, stride);
}
inline Tensor& new_full_outf(const Tensor& self, IntArrayRef size, const Scalar& fill_value,
                             Tensor& out) {
  return new_full_out(out, self, size, fill_value);
}
inline Tensor& new_ones_outf(const Tensor& self, IntArrayRef size, Tensor& out) {
  return new_ones_out(out, self, size);
}
inline Tensor& new_zeros_outf(const Tensor& self, IntArrayRef size, Tensor& out) {
  return new_zeros_out(out, self, size);
}
inline Tensor& ones_like_outf(const Tensor& self, optional<MemoryFormat> memory_format,
                              Tensor& out) {
  return ones_like_out(out, self, memory_format);
}
inline Tensor& repeat_interleave_outf(const Tensor& repeats, optional<int64_t> output_size,
                                      Tensor& out) {
  return repeat_interleave_out(out, repeats, output_size);
}
inline Tensor& repeat_outf(const Tensor& self, IntArrayRef repeats, Tensor& out) {
  return repeat_out(out, self, repeats);
}
inline Tensor& roll_outf(const Tensor& self, IntArrayRef shifts, IntArrayRef dims, Tensor& out) {
  return roll_out(out, self, shifts, dims);
}
inline Tensor& rot90_outf(const Tensor& self, int64_t k, IntArrayRef dims, Tensor& out) {
  return rot90_out(out, self, k, dims);
}
inline Tensor& row_stack_outf(TensorList tensors, Tensor& out) {
  return row_stack_out(out, tensors);
}
inline Tensor& scalar_tensor_outf(const Scalar& s, Tensor& out) {
  return scalar_tensor_out(out, s);
}
inline Tensor& scatter_reduce_outf(const Tensor& self, int64_t dim, const Tensor& index,
                                   const Tensor& src, std::string_view reduce, bool include_self,
                                   Tensor& out) {
  return scatter_reduce_out(out, self, dim, index, src, reduce, include_self);
}
inline Tensor& select_scatter_outf(const Tensor& self, const Tensor& src, int64_t dim,
                                   int64_t index, Tensor& out) {
  return select_scatter_out(out, self, src, dim, index);
}
inline Tensor& slice_scatter_outf(const Tensor& self, const Tensor& src, int64_t dim,
                                  optional<int64_t> start, optional<int64_t> end, int64_t step,
                                  Tensor& out) {
  return slice_scatter_out(out, self, src, dim, start, end, step);
}
inline Tensor& trace_outf(const Tensor& self, Tensor& out) { return trace_out(out, self); }
inline Tensor& tril_indices_outf(int64_t row, int64_t col, int64_t offset, Tensor& out) {
  return tril_indices_out(out, row, col, offset);
}
inline Tensor& triu_indices_outf(int64_t row, int64_t col, int64_t offset, Tensor& out) {
  return triu_indices_out(out, row, col, offset);
}
inline void unsafe_split_outf(const Tensor& self, int64_t split_size, int64_t dim, TensorList out) {
  unsafe_split_out(out, self, split_size, dim);
}
inline void unsafe_split_with_sizes_outf(const Tensor& self, IntArrayRef split_sizes, int64_t dim,
                                         TensorList out) {
  unsafe_split_with_sizes_out(out, self, split_sizes, dim);
}
inline Tensor& zero_outf(const Tensor& self, Tensor& out) { return zero_out(out, self); }
inline Tensor& zeros_like_outf(const Tensor& self, optional<MemoryFormat> memory_format,
                               Tensor& out) {
  return zeros_like_out(out, self, memory_format);
}
///@}

}  // namespace torch::taper
// clang-format on

#pragma GCC visibility pop
