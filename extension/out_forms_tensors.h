// `out` forms of what moves and maps elements whose own headers have none: see out_forms.h.
#pragma once

#include <taper/extension/overloads.h>
#include <taper/extension/store_results.h>
#include <taper/framework/io/ivalue.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/index/index.h>
#include <taper/ops/reduce/reduce.h>
#include <taper/ops/shared/shared.h>
#include <taper/ops/tensor/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// as_strided_scatter into `out`.
inline Tensor& as_strided_scatter_out(Tensor& out, const Tensor& self, const Tensor& src,
                                      IntArrayRef size, IntArrayRef stride,
                                      optional<int64_t> storage_offset = nullopt) {
  const detail::OutScope scope("as_strided_scatter", {out}, {self, src});
  return store_out("as_strided_scatter", out,
                   as_strided_scatter(self, src, size, stride, storage_offset), {self, src});
}
/// block_diag into `out`.
inline Tensor& block_diag_out(Tensor& out, TensorList tensors) {
  const detail::OutScope scope("block_diag", {out}, {});
  return store_out("block_diag", out, block_diag(tensors), {});
}
/// clone into `out`.
inline Tensor& clone_out(Tensor& out, const Tensor& self,
                         optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("clone", {out}, {self});
  return store_out("clone", out, memory_format ? self.clone(*memory_format) : self.clone(), {self});
}
/// concatenate into `out`.
inline Tensor& concatenate_out(Tensor& out, TensorList tensors, int64_t dim = 0) {
  const detail::OutScope scope("concatenate", {out}, {});
  return store_out("concatenate", out, concatenate(tensors, dim), {});
}
/// conj_physical into `out`.
inline Tensor& conj_physical_out(Tensor& out, const Tensor& self) {
  const detail::OutScope scope("conj_physical", {out}, {self});
  return store_out("conj_physical", out, conj_physical(self), {self});
}
/// convolution into `out`.
inline Tensor& convolution_out(Tensor& out, const Tensor& input, const Tensor& weight,
                               const optional<Tensor>& bias, IntArrayRef stride,
                               IntArrayRef padding, IntArrayRef dilation, bool transposed,
                               IntArrayRef output_padding, int64_t groups) {
  const detail::OutScope scope("convolution", {out}, {input, weight});
  return store_out("convolution", out,
                   convolution(input, weight, bias, stride, padding, dilation, transposed,
                               output_padding, groups),
                   {input, weight});
}
/// copy into `out`.
inline Tensor& copy_out(Tensor& out, const Tensor& self, const Tensor& src,
                        bool non_blocking = false) {
  const detail::OutScope scope("copy", {out}, {self, src});
  return store_out("copy", out, copy(self, src, non_blocking), {self, src});
}
/// diag_embed into `out`.
inline Tensor& diag_embed_out(Tensor& out, const Tensor& self, int64_t offset = 0,
                              int64_t dim1 = -2, int64_t dim2 = -1) {
  const detail::OutScope scope("diag_embed", {out}, {self});
  return store_out("diag_embed", out, diag_embed(self, offset, dim1, dim2), {self});
}
/// diagonal_scatter into `out`.
inline Tensor& diagonal_scatter_out(Tensor& out, const Tensor& self, const Tensor& src,
                                    int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) {
  const detail::OutScope scope("diagonal_scatter", {out}, {self, src});
  return store_out("diagonal_scatter", out, diagonal_scatter(self, src, offset, dim1, dim2),
                   {self, src});
}
/// embedding into `out`.
inline Tensor& embedding_out(Tensor& out, const Tensor& weight, const Tensor& indices,
                             int64_t padding_idx = -1, bool scale_grad_by_freq = false,
                             bool sparse = false) {
  const detail::OutScope scope("embedding", {out}, {weight, indices});
  return store_out("embedding", out,
                   embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse),
                   {weight, indices});
}
/// embedding_renorm into `out`.
inline Tensor& embedding_renorm_out(Tensor& out, const Tensor& self, const Tensor& indices,
                                    double max_norm, double norm_type) {
  const detail::OutScope scope("embedding_renorm", {out}, {self, indices});
  return store_out("embedding_renorm", out, embedding_renorm(self, indices, max_norm, norm_type),
                   {self, indices});
}
/// empty_like into `out`.
inline Tensor& empty_like_out(Tensor& out, const Tensor& self,
                              optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("empty_like", {out}, {self});
  return store_out("empty_like", out, empty_like(self, TensorOptions(), memory_format), {self});
}
/// empty_strided into `out`.
inline Tensor& empty_strided_out(Tensor& out, IntArrayRef size, IntArrayRef stride) {
  const detail::OutScope scope("empty_strided", {out}, {});
  return store_out("empty_strided", out,
                   empty_strided(size, stride, detail::options_of_result(out)), {});
}
/// flip into `out`.
inline Tensor& flip_out(Tensor& out, const Tensor& self, IntArrayRef dims) {
  const detail::OutScope scope("flip", {out}, {self});
  return store_out("flip", out, flip(self, dims), {self});
}
/// frexp into the first arguments.
inline std::tuple<Tensor&, Tensor&> frexp_out(Tensor& mantissa, Tensor& exponent,
                                              const Tensor& self) {
  const detail::OutScope scope("frexp", {mantissa, exponent}, {self});
  return detail::store_results("frexp", std::tie(mantissa, exponent), frexp(self), {self});
}
/// from_file into `out`.
inline Tensor& from_file_out(Tensor& out, std::string_view filename,
                             optional<bool> shared = nullopt, optional<int64_t> size = 0) {
  const detail::OutScope scope("from_file", {out}, {});
  return store_out("from_file", out,
                   from_file(filename, shared, size, detail::options_of_result(out)), {});
}
/// full_like into `out`.
inline Tensor& full_like_out(Tensor& out, const Tensor& self, const Scalar& fill_value,
                             optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("full_like", {out}, {self});
  return store_out("full_like", out, full_like(self, fill_value, TensorOptions(), memory_format),
                   {self});
}
/// index_fill into `out`.
inline Tensor& index_fill_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                              const Scalar& value) {
  const detail::OutScope scope("index_fill", {out}, {self, index});
  return store_out("index_fill", out, index_fill(self, dim, index, value), {self, index});
}
/// index_fill into `out`.
inline Tensor& index_fill_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                              const Tensor& value) {
  const detail::OutScope scope("index_fill", {out}, {self, index, value});
  return store_out("index_fill", out, index_fill(self, dim, index, value), {self, index, value});
}
/// index into `out`.
inline Tensor& index_out(Tensor& out, const Tensor& self, const List<optional<Tensor>>& indices) {
  const detail::OutScope scope("index", {out}, {self});
  return store_out("index", out, index(self, indices), {self});
}
/// index_put into `out`.
inline Tensor& index_put_out(Tensor& out, const Tensor& self, const List<optional<Tensor>>& indices,
                             const Tensor& values, bool accumulate = false) {
  const detail::OutScope scope("index_put", {out}, {self, values});
  return store_out("index_put", out, index_put(self, indices, values, accumulate), {self, values});
}
/// index_reduce into `out`.
inline Tensor& index_reduce_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                                const Tensor& source, std::string_view reduce,
                                bool include_self = true) {
  const detail::OutScope scope("index_reduce", {out}, {self, index, source});
  return store_out("index_reduce", out,
                   index_reduce(self, dim, index, source, reduce, include_self),
                   {self, index, source});
}
/// isinf into `out`.
inline Tensor& isinf_out(Tensor& out, const Tensor& self) {
  const detail::OutScope scope("isinf", {out}, {self});
  return store_out("isinf", out, isinf(self), {self});
}
/// isnan into `out`.
inline Tensor& isnan_out(Tensor& out, const Tensor& self) {
  const detail::OutScope scope("isnan", {out}, {self});
  return store_out("isnan", out, isnan(self), {self});
}
/// isneginf into `out`.
inline Tensor& isneginf_out(Tensor& out, const Tensor& self) {
  const detail::OutScope scope("isneginf", {out}, {self});
  return store_out("isneginf", out, isneginf(self), {self});
}
/// isposinf into `out`.
inline Tensor& isposinf_out(Tensor& out, const Tensor& self) {
  const detail::OutScope scope("isposinf", {out}, {self});
  return store_out("isposinf", out, isposinf(self), {self});
}
/// masked_fill into `out`.
inline Tensor& masked_fill_out(Tensor& out, const Tensor& self, const Tensor& mask,
                               const Scalar& value) {
  const detail::OutScope scope("masked_fill", {out}, {self, mask});
  return store_out("masked_fill", out, masked_fill(self, mask, value), {self, mask});
}
/// masked_fill into `out`.
inline Tensor& masked_fill_out(Tensor& out, const Tensor& self, const Tensor& mask,
                               const Tensor& value) {
  const detail::OutScope scope("masked_fill", {out}, {self, mask, value});
  return store_out("masked_fill", out, masked_fill(self, mask, value), {self, mask, value});
}
/// masked_scatter into `out`.
inline Tensor& masked_scatter_out(Tensor& out, const Tensor& self, const Tensor& mask,
                                  const Tensor& source) {
  const detail::OutScope scope("masked_scatter", {out}, {self, mask, source});
  return store_out("masked_scatter", out, masked_scatter(self, mask, source), {self, mask, source});
}
/// new_empty into `out`.
inline Tensor& new_empty_out(Tensor& out, const Tensor& self, IntArrayRef size) {
  const detail::OutScope scope("new_empty", {out}, {self});
  return store_out("new_empty", out, self.new_empty(size), {self});
}
/// new_empty_strided into `out`.
inline Tensor& new_empty_strided_out(Tensor& out, const Tensor& self, IntArrayRef size,
                                     IntArrayRef stride) {
  const detail::OutScope scope("new_empty_strided", {out}, {self});
  return store_out("new_empty_strided", out, self.new_empty_strided(size, stride), {self});
}
/// new_full into `out`.
inline Tensor& new_full_out(Tensor& out, const Tensor& self, IntArrayRef size,
                            const Scalar& fill_value) {
  const detail::OutScope scope("new_full", {out}, {self});
  return store_out("new_full", out, self.new_full(size, fill_value), {self});
}
/// new_ones into `out`.
inline Tensor& new_ones_out(Tensor& out, const Tensor& self, IntArrayRef size) {
  const detail::OutScope scope("new_ones", {out}, {self});
  return store_out("new_ones", out, self.new_ones(size), {self});
}
/// new_zeros into `out`.
inline Tensor& new_zeros_out(Tensor& out, const Tensor& self, IntArrayRef size) {
  const detail::OutScope scope("new_zeros", {out}, {self});
  return store_out("new_zeros", out, self.new_zeros(size), {self});
}
/// ones_like into `out`.
inline Tensor& ones_like_out(Tensor& out, const Tensor& self,
                             optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("ones_like", {out}, {self});
  return store_out("ones_like", out, ones_like(self, TensorOptions(), memory_format), {self});
}
/// repeat_interleave into `out`.
inline Tensor& repeat_interleave_out(Tensor& out, const Tensor& repeats,
                                     optional<int64_t> output_size = nullopt) {
  const detail::OutScope scope("repeat_interleave", {out}, {repeats});
  return store_out("repeat_interleave", out, repeat_interleave(repeats, output_size), {repeats});
}
/// repeat into `out`.
inline Tensor& repeat_out(Tensor& out, const Tensor& self, IntArrayRef repeats) {
  const detail::OutScope scope("repeat", {out}, {self});
  return store_out("repeat", out, self.repeat(repeats), {self});
}
/// roll into `out`.
inline Tensor& roll_out(Tensor& out, const Tensor& self, IntArrayRef shifts,
                        IntArrayRef dims = {}) {
  const detail::OutScope scope("roll", {out}, {self});
  return store_out("roll", out, roll(self, shifts, dims), {self});
}
/// rot90 into `out`.
inline Tensor& rot90_out(Tensor& out, const Tensor& self, int64_t k = 1,
                         IntArrayRef dims = {0, 1}) {
  const detail::OutScope scope("rot90", {out}, {self});
  return store_out("rot90", out, rot90(self, k, dims), {self});
}
/// row_stack into `out`.
inline Tensor& row_stack_out(Tensor& out, TensorList tensors) {
  const detail::OutScope scope("row_stack", {out}, {});
  return store_out("row_stack", out, row_stack(tensors), {});
}
/// scalar_tensor into `out`.
inline Tensor& scalar_tensor_out(Tensor& out, const Scalar& s) {
  const detail::OutScope scope("scalar_tensor", {out}, {});
  return store_out("scalar_tensor", out, scalar_tensor(s, detail::options_of_result(out)), {});
}
/// scatter_reduce into `out`.
inline Tensor& scatter_reduce_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                                  const Tensor& src, std::string_view reduce,
                                  bool include_self = true) {
  const detail::OutScope scope("scatter_reduce", {out}, {self, index, src});
  return store_out("scatter_reduce", out,
                   scatter_reduce(self, dim, index, src, reduce, include_self), {self, index, src});
}
/// select_scatter into `out`.
inline Tensor& select_scatter_out(Tensor& out, const Tensor& self, const Tensor& src, int64_t dim,
                                  int64_t index) {
  const detail::OutScope scope("select_scatter", {out}, {self, src});
  return store_out("select_scatter", out, select_scatter(self, src, dim, index), {self, src});
}
/// slice_scatter into `out`.
inline Tensor& slice_scatter_out(Tensor& out, const Tensor& self, const Tensor& src,
                                 int64_t dim = 0, optional<int64_t> start = nullopt,
                                 optional<int64_t> end = nullopt, int64_t step = 1) {
  const detail::OutScope scope("slice_scatter", {out}, {self, src});
  return store_out("slice_scatter", out, slice_scatter(self, src, dim, start, end, step),
                   {self, src});
}
/// trace into `out`.
inline Tensor& trace_out(Tensor& out, const Tensor& self) {
  const detail::OutScope scope("trace", {out}, {self});
  return store_out("trace", out, trace(self), {self});
}
/// tril_indices into `out`.
inline Tensor& tril_indices_out(Tensor& out, int64_t row, int64_t col, int64_t offset = 0) {
  const detail::OutScope scope("tril_indices", {out}, {});
  return store_out("tril_indices", out,
                   tril_indices(row, col, offset, detail::options_of_result(out)), {});
}
/// triu_indices into `out`.
inline Tensor& triu_indices_out(Tensor& out, int64_t row, int64_t col, int64_t offset = 0) {
  const detail::OutScope scope("triu_indices", {out}, {});
  return store_out("triu_indices", out,
                   triu_indices(row, col, offset, detail::options_of_result(out)), {});
}
/// unsafe_split into `out`.
inline void unsafe_split_out(TensorList out, const Tensor& self, int64_t split_size,
                             int64_t dim = 0) {
  const detail::OutScope scope("unsafe_split", {}, {self});
  detail::store_list("unsafe_split", out, unsafe_split(self, split_size, dim), {self});
}
/// unsafe_split_with_sizes into `out`.
inline void unsafe_split_with_sizes_out(TensorList out, const Tensor& self, IntArrayRef split_sizes,
                                        int64_t dim = 0) {
  const detail::OutScope scope("unsafe_split_with_sizes", {}, {self});
  detail::store_list("unsafe_split_with_sizes", out,
                     unsafe_split_with_sizes(self, split_sizes, dim), {self});
}
/// zero into `out`.
inline Tensor& zero_out(Tensor& out, const Tensor& self) {
  const detail::OutScope scope("zero", {out}, {self});
  return store_out("zero", out, zero(self), {self});
}
/// zeros_like into `out`.
inline Tensor& zeros_like_out(Tensor& out, const Tensor& self,
                              optional<MemoryFormat> memory_format = nullopt) {
  const detail::OutScope scope("zeros_like", {out}, {self});
  return store_out("zeros_like", out, zeros_like(self, TensorOptions(), memory_format), {self});
}

}  // namespace torch::taper

#pragma GCC visibility pop
