// Discrete Fourier transforms, f32 and f64: on the CPU own kernels, on GPUs cuFFT.
//
// A transform along a dimension of n points is X[k] = scale * sum_j x[j] exp(-+ 2 pi i j k / n),
// with
// - for the forward ones (fft, rfft, ihfft) and + for the others. `norm` says which direction
// divides by n: "backward" (the default), "forward", or "ortho" (both, by sqrt(n)). `n`, or `s` for
// several dimensions, crops the input or pads it with zeros at the end; -1 in s keeps a size. `dim`
// are the dimensions, none twice; without it all of them, or as many of the last as s has. Real and
// integral inputs of complex transforms are converted. Errors: "Invalid number of data points (0)
// specified", "Invalid normalization mode", "FFT dims must be unique", "Unsupported dtype Half",
// and more of PyTorch's.
#pragma once

#include <string_view>

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper::fft {

using Norm = optional<std::string_view>;

// ---------------------------------------------------------------- one dimension
/// Complex to complex.
Tensor fft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
           Norm norm = nullopt);
Tensor ifft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
            Norm norm = nullopt);
/// Real to the first n / 2 + 1 of n complex numbers; the others are their conjugates.
Tensor rfft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
            Norm norm = nullopt);
/// The inverse of rfft: to n real numbers, 2 (size - 1) unless given.
Tensor irfft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
             Norm norm = nullopt);
/// As irfft and rfft, with the other direction: of a signal that is Hermitian in time.
Tensor hfft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
            Norm norm = nullopt);
Tensor ihfft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
             Norm norm = nullopt);

// ---------------------------------------------------------------- more dimensions
Tensor fftn(const Tensor& self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt,
            Norm norm = nullopt);
Tensor ifftn(const Tensor& self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt,
             Norm norm = nullopt);
/// Real in the last of the dimensions.
Tensor rfftn(const Tensor& self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt,
             Norm norm = nullopt);
Tensor irfftn(const Tensor& self, OptionalIntArrayRef s = nullopt,
              OptionalIntArrayRef dim = nullopt, Norm norm = nullopt);
/// Along the last two dimensions, as in LibTorch, where Python has all of them.
Tensor hfftn(const Tensor& self, OptionalIntArrayRef s = nullopt,
             OptionalIntArrayRef dim = IntArrayRef({-2, -1}), Norm norm = nullopt);
Tensor ihfftn(const Tensor& self, OptionalIntArrayRef s = nullopt,
              OptionalIntArrayRef dim = IntArrayRef({-2, -1}), Norm norm = nullopt);
/// The same with the last two dimensions for a default.
#define TAPER_FFT2(name)                                                     \
  inline Tensor name##2(const Tensor& self, OptionalIntArrayRef s = nullopt, \
                        IntArrayRef dim = {-2, -1}, Norm norm = nullopt) {   \
    return name##n(self, s, OptionalIntArrayRef(dim), norm);                 \
  }
TAPER_FFT2(fft)
TAPER_FFT2(ifft)
TAPER_FFT2(rfft)
TAPER_FFT2(irfft)
TAPER_FFT2(hfft)
TAPER_FFT2(ihfft)
#undef TAPER_FFT2

// ---------------------------------------------------------------- helpers
/// The frequencies of fft's n values for a sample spacing d: 0, 1, ..., -2, -1, over n d.
Tensor fftfreq(int64_t n, double d, const TensorOptions& options = {});
inline Tensor fftfreq(int64_t n, const TensorOptions& options = {}) {
  return fftfreq(n, 1, options);
}
/// Those of rfft: 0, 1, ..., n / 2, over n d.
Tensor rfftfreq(int64_t n, double d, const TensorOptions& options = {});
inline Tensor rfftfreq(int64_t n, const TensorOptions& options = {}) {
  return rfftfreq(n, 1, options);
}
/// Moves frequency 0 to the middle of the dimensions (all of them unless given); and back.
Tensor fftshift(const Tensor& x, OptionalIntArrayRef dim = nullopt);
Tensor ifftshift(const Tensor& x, OptionalIntArrayRef dim = nullopt);

}  // namespace taper::fft

namespace taper {

// ---------------------------------------------------------------- LibTorch's second names
#define TAPER_FFT_NAMES(name)                                                                   \
  inline Tensor fft_##name(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1, \
                           fft::Norm norm = nullopt) {                                          \
    return fft::name(self, n, dim, norm);                                                       \
  }                                                                                             \
  inline Tensor fft_##name##2(const Tensor& self, OptionalIntArrayRef s = nullopt,              \
                              IntArrayRef dim = {-2, -1}, fft::Norm norm = nullopt) {           \
    return fft::name##2(self, s, dim, norm);                                                    \
  }                                                                                             \
  inline Tensor fft_##name##n(const Tensor& self, OptionalIntArrayRef s = nullopt,              \
                              OptionalIntArrayRef dim = nullopt, fft::Norm norm = nullopt) {    \
    return fft::name##n(self, s, dim, norm);                                                    \
  }
TAPER_FFT_NAMES(fft)
TAPER_FFT_NAMES(ifft)
TAPER_FFT_NAMES(rfft)
TAPER_FFT_NAMES(irfft)
TAPER_FFT_NAMES(hfft)
TAPER_FFT_NAMES(ihfft)
#undef TAPER_FFT_NAMES
inline Tensor fft_fftfreq(int64_t n, double d = 1.0, const TensorOptions& options = {}) {
  return fft::fftfreq(n, d, options);
}
inline Tensor fft_rfftfreq(int64_t n, double d = 1.0, const TensorOptions& options = {}) {
  return fft::rfftfreq(n, d, options);
}
inline Tensor fft_fftshift(const Tensor& x, OptionalIntArrayRef dim = nullopt) {
  return fft::fftshift(x, dim);
}
inline Tensor fft_ifftshift(const Tensor& x, OptionalIntArrayRef dim = nullopt) {
  return fft::ifftshift(x, dim);
}

// ---------------------------------------------------------------- out forms
/// Of fft, ifft and ihfft complex numbers, of the others real ones.
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
