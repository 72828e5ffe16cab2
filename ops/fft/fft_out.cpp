#include <taper/ops/fft/fft_out.h>

#include <taper/ops/shared/out_define.h>

namespace taper {

#define TAPER_DEFINE_FFT_OUT(name)                                                        \
  TAPER_OUT(fft_##name, fft_##name(self, n, dim, norm), (self), const Tensor& self,       \
            optional<int64_t> n, int64_t dim, fft::Norm norm)                             \
  TAPER_OUT(fft_##name##2, fft_##name##2(self, s, dim, norm), (self), const Tensor& self, \
            OptionalIntArrayRef s, IntArrayRef dim, fft::Norm norm)                       \
  TAPER_OUT(fft_##name##n, fft_##name##n(self, s, dim, norm), (self), const Tensor& self, \
            OptionalIntArrayRef s, OptionalIntArrayRef dim, fft::Norm norm)
TAPER_DEFINE_FFT_OUT(fft)
TAPER_DEFINE_FFT_OUT(ifft)
TAPER_DEFINE_FFT_OUT(rfft)
TAPER_DEFINE_FFT_OUT(irfft)
TAPER_DEFINE_FFT_OUT(hfft)
TAPER_DEFINE_FFT_OUT(ihfft)

}  // namespace taper
