// The `out` forms of Fourier transforms, under the rules of out_forms.h. fft, ifft and ihfft give
// complex numbers, irfft and hfft real ones.
#pragma once

#include <taper/ops/fft/fft_transform.h>

#pragma GCC visibility push(default)

namespace taper {

#define TAPER_DECLARE_FFT_OUT(name)                                                            \
  Tensor& fft_##name##_out(Tensor& out, const Tensor& self, optional<int64_t> n = nullopt,     \
                           int64_t dim = -1, fft::Norm norm = nullopt);                        \
  Tensor& fft_##name##2_out(Tensor & out, const Tensor& self, OptionalIntArrayRef s = nullopt, \
                            IntArrayRef dim = {-2, -1}, fft::Norm norm = nullopt);             \
  Tensor& fft_##name##n_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s = nullopt,  \
                            OptionalIntArrayRef dim = nullopt, fft::Norm norm = nullopt);
TAPER_DECLARE_FFT_OUT(fft)
TAPER_DECLARE_FFT_OUT(ifft)
TAPER_DECLARE_FFT_OUT(rfft)
TAPER_DECLARE_FFT_OUT(irfft)
TAPER_DECLARE_FFT_OUT(hfft)
TAPER_DECLARE_FFT_OUT(ihfft)
#undef TAPER_DECLARE_FFT_OUT

}  // namespace taper

#pragma GCC visibility pop
