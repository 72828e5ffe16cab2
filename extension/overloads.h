// Rarely used overloads of LibTorch's functions, which the headers of the ops do not declare. These
// overloads draw random tensors like another tensor from a generator, resample by factors, and
// compute matrix products whose result has another dtype.
#pragma once

#include <taper/ops/elementwise/clamp.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/random/random.h>
#include <taper/ops/shared/out.h>
#include <taper/ops/spatial/upsample.h>
#include <taper/ops/tensor/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Does nothing. Devices are initialized when they are first used.
inline void init() {}

/// Return self.to(dtype), with the dtype in the function's name. These are older functions of
/// LibTorch.
///@{
inline Tensor _cast_Byte(const Tensor& self, bool non_blocking = false) {
  return self.to(kByte, non_blocking);
}
inline Tensor _cast_Char(const Tensor& self, bool non_blocking = false) {
  return self.to(kChar, non_blocking);
}
inline Tensor _cast_Double(const Tensor& self, bool non_blocking = false) {
  return self.to(kDouble, non_blocking);
}
inline Tensor _cast_Float(const Tensor& self, bool non_blocking = false) {
  return self.to(kFloat, non_blocking);
}
inline Tensor _cast_Int(const Tensor& self, bool non_blocking = false) {
  return self.to(kInt, non_blocking);
}
inline Tensor _cast_Long(const Tensor& self, bool non_blocking = false) {
  return self.to(kLong, non_blocking);
}
inline Tensor _cast_Short(const Tensor& self, bool non_blocking = false) {
  return self.to(kShort, non_blocking);
}
inline Tensor _cast_Half(const Tensor& self, bool non_blocking = false) {
  return self.to(kHalf, non_blocking);
}
///@}

/// Throws Error, because there is no bound.
inline Tensor clamp(const Tensor& self) { return clamp(self, optional<Tensor>()); }
/// Throws Error, because there is no bound.
inline Tensor clip(const Tensor& self) { return clamp(self); }

/// Makes a new generator: make_generator<CPUGeneratorImpl>(seed).
template <class Impl, class... Args>
Generator make_generator(Args&&... args) {
  return Generator(make_intrusive<Impl>(std::forward<Args>(args)...));
}

// ---------------------------------------------------------------- options
namespace detail {

/// Combines separate arguments to TensorOptions, for the functions of generated/unpacked_options.h.
inline TensorOptions packed(optional<ScalarType> dtype, optional<Layout> layout,
                            optional<Device> device, optional<bool> pin_memory) {
  return TensorOptions().dtype(dtype).layout(layout).device(device).pinned_memory(pin_memory);
}

}  // namespace detail

// ---------------------------------------------------------------- random tensors like another
namespace detail {

/// Enables an overload if G converts to a generator, and does not convert to TensorOptions.
template <class G>
using IsGenerator = std::enable_if_t<std::is_convertible<const G&, optional<Generator>>::value &&
                                     !std::is_convertible<const G&, TensorOptions>::value>;
/// Returns a tensor like `self`, with `options`, filled by fill(tensor).
template <class Fill>
Tensor filled_like(const Tensor& self, const TensorOptions& options, optional<MemoryFormat> format,
                   const Fill& fill) {
  Tensor y = empty_like(self, options.requires_grad(false), format);
  fill(y);
  return options.requires_grad() ? y.requires_grad_() : y;
}

}  // namespace detail

/// Returns a tensor like `self`, uniform in [0, 1), drawn from the generator.
template <class G, class = detail::IsGenerator<G>>
Tensor rand_like(const Tensor& self, const G& generator, TensorOptions options = {},
                 optional<MemoryFormat> memory_format = nullopt) {
  return detail::filled_like(self, options, memory_format,
                             [&](const Tensor& y) { y.uniform_(0, 1, generator); });
}
/// Returns a tensor like `self` of normal numbers, drawn from the generator.
template <class G, class = detail::IsGenerator<G>>
Tensor randn_like(const Tensor& self, const G& generator, TensorOptions options = {},
                  optional<MemoryFormat> memory_format = nullopt) {
  return detail::filled_like(self, options, memory_format,
                             [&](const Tensor& y) { y.normal_(0, 1, generator); });
}
/// Returns a tensor like `self` of integers in [0, high), drawn from the generator.
template <class G, class = detail::IsGenerator<G>>
Tensor randint_like(const Tensor& self, int64_t high, const G& generator,
                    TensorOptions options = {}, optional<MemoryFormat> memory_format = nullopt) {
  return detail::filled_like(self, options, memory_format,
                             [&](const Tensor& y) { y.random_(0, high, generator); });
}
/// Returns a tensor like `self` of integers in [low, high), drawn from the generator.
template <class G, class = detail::IsGenerator<G>>
Tensor randint_like(const Tensor& self, int64_t low, int64_t high, const G& generator,
                    TensorOptions options = {}, optional<MemoryFormat> memory_format = nullopt) {
  return detail::filled_like(self, options, memory_format,
                             [&](const Tensor& y) { y.random_(low, high, generator); });
}
/// Returns a tensor like `self` of integers in [0, high). `high` has one element. The host waits
/// for its value.
inline Tensor randint_like(const Tensor& self, const Tensor& high, TensorOptions options = {},
                           optional<MemoryFormat> memory_format = nullopt) {
  return randint_like(self, high.item<int64_t>(), options, memory_format);
}
/// Returns a tensor like `self` of integers in [0, high), drawn from the generator.
template <class G, class = detail::IsGenerator<G>>
Tensor randint_like(const Tensor& self, const Tensor& high, const G& generator,
                    TensorOptions options = {}, optional<MemoryFormat> memory_format = nullopt) {
  return randint_like(self, high.item<int64_t>(), generator, options, memory_format);
}

// ---------------------------------------------------------------- resampling by factors
namespace detail {

/// An output size, or nullopt if factors are given. A braced list does not convert to this class. A
/// call with a braced list therefore selects the functions of upsample.h, which take sizes.
class MaybeSize {
 public:
  MaybeSize(nullopt_t) {}
  /// Converts from an optional.
  template <class O,
            class = std::enable_if_t<std::is_same<O, OptionalIntArrayRef>::value ||
                                     std::is_same<O, optional<IntArrayRef>>::value ||
                                     std::is_same<O, optional<std::vector<int64_t>>>::value>>
  MaybeSize(const O& size) {
    if (size.has_value()) size_ = IntArrayRef(*size).vec();
  }
  const optional<std::vector<int64_t>>& value() const { return size_; }

 private:
  optional<std::vector<int64_t>> size_;
};
using Factors = optional<ArrayRef<double>>;

/// Arguments for the functions of upsample.h: the output size, and an optional factor for each
/// dimension.
struct Resampled {
  std::vector<int64_t> size;
  std::vector<optional<double>> factors;
};
inline Resampled resampled(const char* op, const Tensor& input, const MaybeSize& size,
                           const Factors& factors, size_t dims) {
  TAPER_CHECK(size.value().has_value() != factors.has_value(), op,
              ": Must specify exactly one of output_size and scale_factors");
  TAPER_CHECK(input.dim() == static_cast<int64_t>(dims) + 2, op, ": expected an input of ",
              dims + 2, " dimensions, got ", input.dim());
  if (size.value()) return {*size.value(), std::vector<optional<double>>(dims)};
  TAPER_CHECK(factors->size() == dims, op, ": expected ", dims, " scale_factors, got ",
              factors->size());
  Resampled r;
  for (size_t i = 0; i < dims; ++i) {
    const double factor = (*factors)[i];
    const auto length = static_cast<double>(input.size(static_cast<int64_t>(i) + 2));
    r.size.push_back(static_cast<int64_t>(length * factor));
    r.factors.emplace_back(factor);
  }
  return r;
}

}  // namespace detail

/// Resamples to `output_size`, or by `scale_factors`.
inline Tensor upsample_nearest1d(const Tensor& input, const detail::MaybeSize& output_size,
                                 const detail::Factors& scale_factors) {
  const detail::Resampled r =
      detail::resampled("upsample_nearest1d", input, output_size, scale_factors, 1);
  return upsample_nearest1d(input, r.size, r.factors[0]);
}
/// Resamples to `output_size`, or by `scale_factors`.
inline Tensor upsample_nearest2d(const Tensor& input, const detail::MaybeSize& output_size,
                                 const detail::Factors& scale_factors) {
  const detail::Resampled r =
      detail::resampled("upsample_nearest2d", input, output_size, scale_factors, 2);
  return upsample_nearest2d(input, r.size, r.factors[0], r.factors[1]);
}
/// Resamples to `output_size`, or by `scale_factors`.
inline Tensor upsample_nearest3d(const Tensor& input, const detail::MaybeSize& output_size,
                                 const detail::Factors& scale_factors) {
  const detail::Resampled r =
      detail::resampled("upsample_nearest3d", input, output_size, scale_factors, 3);
  return upsample_nearest3d(input, r.size, r.factors[0], r.factors[1], r.factors[2]);
}
/// Resamples to `output_size`, or by `scale_factors`.
inline Tensor _upsample_nearest_exact1d(const Tensor& input, const detail::MaybeSize& output_size,
                                        const detail::Factors& scale_factors) {
  const detail::Resampled r =
      detail::resampled("_upsample_nearest_exact1d", input, output_size, scale_factors, 1);
  return _upsample_nearest_exact1d(input, r.size, r.factors[0]);
}
/// Resamples to `output_size`, or by `scale_factors`.
inline Tensor _upsample_nearest_exact2d(const Tensor& input, const detail::MaybeSize& output_size,
                                        const detail::Factors& scale_factors) {
  const detail::Resampled r =
      detail::resampled("_upsample_nearest_exact2d", input, output_size, scale_factors, 2);
  return _upsample_nearest_exact2d(input, r.size, r.factors[0], r.factors[1]);
}
/// Resamples to `output_size`, or by `scale_factors`.
inline Tensor _upsample_nearest_exact3d(const Tensor& input, const detail::MaybeSize& output_size,
                                        const detail::Factors& scale_factors) {
  const detail::Resampled r =
      detail::resampled("_upsample_nearest_exact3d", input, output_size, scale_factors, 3);
  return _upsample_nearest_exact3d(input, r.size, r.factors[0], r.factors[1], r.factors[2]);
}
/// Resamples to `output_size`, or by `scale_factors`.
inline Tensor upsample_linear1d(const Tensor& input, const detail::MaybeSize& output_size,
                                bool align_corners, const detail::Factors& scale_factors) {
  const detail::Resampled r =
      detail::resampled("upsample_linear1d", input, output_size, scale_factors, 1);
  return upsample_linear1d(input, r.size, align_corners, r.factors[0]);
}
/// Resamples to `output_size`, or by `scale_factors`.
inline Tensor upsample_bilinear2d(const Tensor& input, const detail::MaybeSize& output_size,
                                  bool align_corners, const detail::Factors& scale_factors) {
  const detail::Resampled r =
      detail::resampled("upsample_bilinear2d", input, output_size, scale_factors, 2);
  return upsample_bilinear2d(input, r.size, align_corners, r.factors[0], r.factors[1]);
}
/// Resamples to `output_size`, or by `scale_factors`.
inline Tensor upsample_trilinear3d(const Tensor& input, const detail::MaybeSize& output_size,
                                   bool align_corners, const detail::Factors& scale_factors) {
  const detail::Resampled r =
      detail::resampled("upsample_trilinear3d", input, output_size, scale_factors, 3);
  return upsample_trilinear3d(input, r.size, align_corners, r.factors[0], r.factors[1],
                              r.factors[2]);
}
/// Resamples to `output_size`, or by `scale_factors`.
inline Tensor upsample_bicubic2d(const Tensor& input, const detail::MaybeSize& output_size,
                                 bool align_corners, const detail::Factors& scale_factors) {
  const detail::Resampled r =
      detail::resampled("upsample_bicubic2d", input, output_size, scale_factors, 2);
  return upsample_bicubic2d(input, r.size, align_corners, r.factors[0], r.factors[1]);
}
/// Resamples to `output_size`, or by `scale_factors`.
inline Tensor _upsample_bilinear2d_aa(const Tensor& input, const detail::MaybeSize& output_size,
                                      bool align_corners, const detail::Factors& scale_factors) {
  const detail::Resampled r =
      detail::resampled("_upsample_bilinear2d_aa", input, output_size, scale_factors, 2);
  return _upsample_bilinear2d_aa(input, r.size, align_corners, r.factors[0], r.factors[1]);
}
/// Resamples to `output_size`, or by `scale_factors`.
inline Tensor _upsample_bicubic2d_aa(const Tensor& input, const detail::MaybeSize& output_size,
                                     bool align_corners, const detail::Factors& scale_factors) {
  const detail::Resampled r =
      detail::resampled("_upsample_bicubic2d_aa", input, output_size, scale_factors, 2);
  return _upsample_bicubic2d_aa(input, r.size, align_corners, r.factors[0], r.factors[1]);
}

// ---------------------------------------------------------------- products with another dtype
namespace detail {

/// Returns operand `x` for a product whose result has `out_dtype`. If `out_dtype` is f32, f16 and
/// bf16 are converted to f32.
inline Tensor product_operand(const char* op, const Tensor& x, ScalarType out_dtype) {
  const ScalarType dtype = x.scalar_type();
  TAPER_CHECK(dtype == out_dtype || (out_dtype == kFloat && (dtype == kHalf || dtype == kBFloat16)),
              op,
              ": expected an out_dtype that is the same as the operands' or fp32 for fp16/bf16 ",
              "inputs, got ", out_dtype, " for ", dtype);
  return x.to(out_dtype);
}
/// Stores make() in `out`, which must have `dtype`.
template <class Make>
Tensor& store_product(const char* op, Tensor& out, ScalarType dtype, Operands inputs,
                      const Make& make) {
  check_out_gradient(op, out, inputs);
  if (out.defined()) check_out_dtype(op, out, dtype);
  const NoGradGuard values_only;
  return store_out(op, out, make(), inputs);
}

}  // namespace detail

/// Computes mm with a result of `out_dtype`. `out_dtype` is the operands' dtype, or f32 for
/// operands of f16 or bf16. The f32 result is not rounded to 16 bits.
inline Tensor mm(const Tensor& self, const Tensor& mat2, ScalarType out_dtype) {
  return mm(detail::product_operand("mm", self, out_dtype),
            detail::product_operand("mm", mat2, out_dtype));
}
/// Computes bmm with a result of `out_dtype`.
inline Tensor bmm(const Tensor& self, const Tensor& mat2, ScalarType out_dtype) {
  return bmm(detail::product_operand("bmm", self, out_dtype),
             detail::product_operand("bmm", mat2, out_dtype));
}
/// Computes addmm with a result of `out_dtype`. `self` may have `out_dtype` or the dtype of the
/// matrices.
inline Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                    ScalarType out_dtype, const Scalar& beta = 1, const Scalar& alpha = 1) {
  return addmm(detail::product_operand("addmm", self, out_dtype),
               detail::product_operand("addmm", mat1, out_dtype),
               detail::product_operand("addmm", mat2, out_dtype), beta, alpha);
}
/// Computes baddbmm with a result of `out_dtype`.
inline Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                      ScalarType out_dtype, const Scalar& beta = 1, const Scalar& alpha = 1) {
  return baddbmm(detail::product_operand("baddbmm", self, out_dtype),
                 detail::product_operand("baddbmm", batch1, out_dtype),
                 detail::product_operand("baddbmm", batch2, out_dtype), beta, alpha);
}
/// Computes mm into `out`, which has `out_dtype`.
inline Tensor& mm_out(Tensor& out, const Tensor& self, const Tensor& mat2, ScalarType out_dtype) {
  return detail::store_product("mm", out, out_dtype, {self, mat2},
                               [&] { return mm(self, mat2, out_dtype); });
}
/// Computes bmm into `out`, which has `out_dtype`.
inline Tensor& bmm_out(Tensor& out, const Tensor& self, const Tensor& mat2, ScalarType out_dtype) {
  return detail::store_product("bmm", out, out_dtype, {self, mat2},
                               [&] { return bmm(self, mat2, out_dtype); });
}
/// Computes addmm into `out`, which has `out_dtype`.
inline Tensor& addmm_out(Tensor& out, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                         ScalarType out_dtype, const Scalar& beta = 1, const Scalar& alpha = 1) {
  return detail::store_product("addmm", out, out_dtype, {self, mat1, mat2},
                               [&] { return addmm(self, mat1, mat2, out_dtype, beta, alpha); });
}
/// Computes baddbmm into `out`, which has `out_dtype`.
inline Tensor& baddbmm_out(Tensor& out, const Tensor& self, const Tensor& batch1,
                           const Tensor& batch2, ScalarType out_dtype, const Scalar& beta = 1,
                           const Scalar& alpha = 1) {
  return detail::store_product("baddbmm", out, out_dtype, {self, batch1, batch2}, [&] {
    return baddbmm(self, batch1, batch2, out_dtype, beta, alpha);
  });
}
}  // namespace torch::taper

#pragma GCC visibility pop
