#include <taper/ops/spatial/conv/conv_direct.h>

#include <taper/framework/cpu/gemm.h>
#include <taper/framework/kernel/vec.h>
#include <taper/ops/spatial/conv/conv_pool_gradient.h>

#if TAPER_ISA_VARIANTS()
namespace torch::taper::cpu::avx512 {
/// Loads a vector from `low`. Lanes of the bits of `second` come from `high`.
__attribute__((target("avx512f"))) TAPER_INLINE Vec<float> load_joined(const float* low,
                                                                       const float* high,
                                                                       uint16_t second) {
  return (Vec<float>)_mm512_mask_loadu_ps(_mm512_loadu_ps(low), second, high);
}
}  // namespace torch::taper::cpu::avx512
#endif

#define TAPER_ISA_FILE <taper/ops/spatial/conv/conv_direct_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu::direct {
namespace {

// Tests for stride 1 along rows, no padding, and offsets that fit the table of kernel elements.
bool reads_in_place(const ConvShape& s) {
  return s.steps.stride[2] == 1 && s.inside() && s.in_channels * s.in_pixels() < INT32_MAX;
}
bool whole_halves(const ConvShape& s) { return TAPER_BY_ISA(whole_halves, s); }
bool rows_fit(const ConvShape& s) { return TAPER_BY_ISA(rows_fit, s); }
bool pays(const ConvShape& s) { return TAPER_BY_ISA(takes_weight_gradient, s); }
bool rows_pay(const ConvShape& s) { return TAPER_BY_ISA(takes_row_gradient, s); }

}  // namespace

void element_offsets(int32_t* elements, const ConvShape& s) {
  const ConvSteps& c = s.steps;
  for (int64_t channel = 0; channel < s.in_channels; ++channel)
    for (int64_t d = 0; d < s.kernel[0]; ++d)
      for (int64_t h = 0; h < s.kernel[1]; ++h)
        for (int64_t w = 0; w < s.kernel[2]; ++w) {
          const int64_t row = (channel * s.in[0] + d * c.dilation[0]) * s.in[1] + h * c.dilation[1];
          *elements++ = static_cast<int32_t>(row * s.in[2] + w * c.dilation[2]);
        }
}

bool takes_forward(const ConvShape& s) {
  return reads_in_place(s) && !s.pointwise() && whole_halves(s);
}
bool takes_copies(const ConvShape& s) { return reads_in_place(s) && !s.pointwise() && rows_fit(s); }
void pack_weights(float* packed, const float* w, const ConvShape& s) {
  return TAPER_BY_ISA(pack_weights, packed, w, s);
}
void forward_panel(float* y, const float* x, const float* weights, const float* bias,
                   const int32_t* elements, const ConvShape& s, int64_t p, int64_t width) {
  return TAPER_BY_ISA(forward_panel, y, x, weights, bias, elements, s, p, width);
}

bool takes_row_gradient(const ConvShape& s) { return reads_in_place(s) && rows_pay(s); }
bool takes_weight_gradient(const ConvShape& s) {
  return reads_in_place(s) && (pays(s) || rows_pay(s));
}
void weight_gradient(float* sum, const float* x, const float* gy, const int32_t* elements,
                     const ConvShape& s) {
  return TAPER_BY_ISA(weight_gradient, sum, x, gy, elements, s);
}
void row_gradient(float* sum, const float* x, const float* gy, const int32_t* elements,
                  const ConvShape& s) {
  return TAPER_BY_ISA(row_gradient, sum, x, gy, elements, s);
}

}  // namespace torch::taper::cpu::direct

// ---------------------------------------------------------------------- with a relu and maxima
namespace torch::taper::cpu {

bool takes_conv_pool(const ConvShape& s) { return pooled::takes(s); }

#if TAPER_ISA_VARIANTS()
namespace {

pooled::Shape pooled_shape(const Dims& x, const Dims& w, Dims y, const ConvSteps& steps) {
  y[2] *= 2;
  y[3] *= 2;
  return pooled::Shape(conv_shape(x, w, y, steps));
}

/// The public function asks only for f32 and bf16.
template <class Body>
void by_dtype(ScalarType dtype, const Body& body) {
  dtype == kFloat ? body(float()) : body(BFloat16());
}

}  // namespace

void conv_pool_forward(Out y, Out codes, In x, In w, In b, ConvSteps steps) {
  by_dtype(y.dtype, [&]<class T>(T) {
    pooled::forward(y.as<T>(), codes.as<uint8_t>(), x.as<T>(), w.as<T>(),
                    b.defined() ? b.as<T>() : nullptr,
                    pooled_shape(x.sizes, w.sizes, y.sizes, steps));
  });
}
void conv_pool_input_gradient(Out gx, In gy, In codes, In w, ConvSteps steps) {
  by_dtype(gx.dtype, [&]<class T>(T) {
    pooled::input_gradient(gx.as<T>(), gy.as<T>(), codes.as<uint8_t>(), w.as<T>(),
                           pooled_shape(gx.sizes, w.sizes, gy.sizes, steps));
  });
}
void conv_pool_weight_gradient(Out gw, Out gb, In x, In gy, In codes, ConvSteps steps) {
  by_dtype(gw.dtype, [&]<class T>(T) {
    pooled::weight_gradient(gw.as<T>(), gb.defined() ? gb.as<T>() : nullptr, x.as<T>(), gy.as<T>(),
                            codes.as<uint8_t>(), pooled_shape(x.sizes, gw.sizes, gy.sizes, steps));
  });
}
#else
// takes_conv_pool accepts no shape here.
void conv_pool_forward(Out, Out, In, In, In, ConvSteps) {}
void conv_pool_input_gradient(Out, In, In, In, ConvSteps) {}
void conv_pool_weight_gradient(Out, Out, In, In, In, ConvSteps) {}
#endif

}  // namespace torch::taper::cpu
