// Discrete Fourier transforms of f32 and f64. GPUs use cuFFT.
//
// A transform along a dimension of n points is X[k] = scale * sum_j x[j] exp(-+ 2 pi i j k / n).
// The sign is - for forward transforms (fft, rfft, ihfft) and + for the others. `norm` selects the
// direction that divides by n: "backward" (the default), "forward", or "ortho" (both, by sqrt(n)).
// The input is cropped, or padded with zeros at the end, to `n` points. For several dimensions, `s`
// holds the numbers of points. -1 in s keeps a size. `dim` lists distinct dimensions. Without
// `dim`, all dimensions are transformed, or the last ones if `s` is given. Complex transforms
// convert real and integral inputs.
// Errors: "Invalid number of data points (0) specified", "Invalid normalization mode", "FFT dims
// must be unique", "Unsupported dtype Half", and other messages of PyTorch.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::fft {

using Norm = optional<std::string_view>;  ///< "forward", "ortho" or "backward" (also nullopt)

// ---------------------------------------------------------------- one dimension
/// Transforms complex numbers to complex numbers.
Tensor fft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
           Norm norm = nullopt);
Tensor ifft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
            Norm norm = nullopt);
/// Transforms real numbers to the first n / 2 + 1 of n complex numbers. The others are their
/// conjugates.
Tensor rfft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
            Norm norm = nullopt);
/// Inverts rfft. Returns n real numbers. n defaults to 2 (size - 1).
Tensor irfft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
             Norm norm = nullopt);
/// Computes irfft (hfft) or rfft (ihfft) with the opposite sign. These are for a signal that is
/// Hermitian in time.
Tensor hfft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
            Norm norm = nullopt);
Tensor ihfft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
             Norm norm = nullopt);

// ---------------------------------------------------------------- more dimensions
/// Transforms complex numbers to complex numbers.
Tensor fftn(const Tensor& self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt,
            Norm norm = nullopt);
Tensor ifftn(const Tensor& self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt,
             Norm norm = nullopt);
/// Transforms real numbers to complex numbers (rfftn), or complex numbers to real numbers (irfftn).
/// The last of the dimensions is transformed as by rfft or irfft.
Tensor rfftn(const Tensor& self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt,
             Norm norm = nullopt);
Tensor irfftn(const Tensor& self, OptionalIntArrayRef s = nullopt,
              OptionalIntArrayRef dim = nullopt, Norm norm = nullopt);
/// Computes hfft or ihfft over several dimensions. The default is the last two dimensions, as in
/// LibTorch. In Python, the default is all dimensions.
Tensor hfftn(const Tensor& self, OptionalIntArrayRef s = nullopt,
             OptionalIntArrayRef dim = IntArrayRef({-2, -1}), Norm norm = nullopt);
Tensor ihfftn(const Tensor& self, OptionalIntArrayRef s = nullopt,
              OptionalIntArrayRef dim = IntArrayRef({-2, -1}), Norm norm = nullopt);
/// Transforms the last two dimensions by default.
inline Tensor fft2(const Tensor& self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1},
                   Norm norm = nullopt) {
  return fftn(self, s, OptionalIntArrayRef(dim), norm);
}
inline Tensor ifft2(const Tensor& self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1},
                    Norm norm = nullopt) {
  return ifftn(self, s, OptionalIntArrayRef(dim), norm);
}
inline Tensor rfft2(const Tensor& self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1},
                    Norm norm = nullopt) {
  return rfftn(self, s, OptionalIntArrayRef(dim), norm);
}
inline Tensor irfft2(const Tensor& self, OptionalIntArrayRef s = nullopt,
                     IntArrayRef dim = {-2, -1}, Norm norm = nullopt) {
  return irfftn(self, s, OptionalIntArrayRef(dim), norm);
}
inline Tensor hfft2(const Tensor& self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1},
                    Norm norm = nullopt) {
  return hfftn(self, s, OptionalIntArrayRef(dim), norm);
}
inline Tensor ihfft2(const Tensor& self, OptionalIntArrayRef s = nullopt,
                     IntArrayRef dim = {-2, -1}, Norm norm = nullopt) {
  return ihfftn(self, s, OptionalIntArrayRef(dim), norm);
}

// ---------------------------------------------------------------- helpers
/// Returns the frequencies of fft's n values for a sample spacing d: 0, 1, ..., -2, -1,
/// each divided by n * d.
Tensor fftfreq(int64_t n, double d, const TensorOptions& options = {});
inline Tensor fftfreq(int64_t n, const TensorOptions& options = {}) {
  return fftfreq(n, 1, options);
}
/// Returns the frequencies of rfft: 0, 1, ..., n / 2, each divided by n * d.
Tensor rfftfreq(int64_t n, double d, const TensorOptions& options = {});
inline Tensor rfftfreq(int64_t n, const TensorOptions& options = {}) {
  return rfftfreq(n, 1, options);
}
/// Moves frequency 0 to the middle of the dimensions (default: all). ifftshift is the inverse.
Tensor fftshift(const Tensor& x, OptionalIntArrayRef dim = nullopt);
Tensor ifftshift(const Tensor& x, OptionalIntArrayRef dim = nullopt);

}  // namespace torch::taper::fft

namespace torch::taper {

/// Calls the function of namespace fft that has the name without `fft_`. fft_hfftn and fft_ihfftn
/// transform all dimensions by default. generated/fft_names.h has the other functions of fft.
///@{
inline Tensor fft_hfftn(const Tensor& self, OptionalIntArrayRef s = nullopt,
                        OptionalIntArrayRef dim = nullopt, fft::Norm norm = nullopt) {
  return fft::hfftn(self, s, dim, norm);
}
inline Tensor fft_ihfftn(const Tensor& self, OptionalIntArrayRef s = nullopt,
                         OptionalIntArrayRef dim = nullopt, fft::Norm norm = nullopt) {
  return fft::ihfftn(self, s, dim, norm);
}
inline Tensor fft_fftfreq(int64_t n, double d = 1.0, const TensorOptions& options = {}) {
  return fft::fftfreq(n, d, options);
}
inline Tensor fft_rfftfreq(int64_t n, double d = 1.0, const TensorOptions& options = {}) {
  return fft::rfftfreq(n, d, options);
}
///@}

// ---------------------------------------------------------------- out forms
/// Writes the result into `out`: complex numbers for fft, ifft and ihfft, real numbers for the
/// others.
Tensor& fft_fft_out(Tensor& out, const Tensor& self, optional<int64_t> n = nullopt,
                    int64_t dim = -1, fft::Norm norm = nullopt);
Tensor& fft_fft2_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s = nullopt,
                     IntArrayRef dim = {-2, -1}, fft::Norm norm = nullopt);
Tensor& fft_fftn_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s = nullopt,
                     OptionalIntArrayRef dim = nullopt, fft::Norm norm = nullopt);
Tensor& fft_ifft_out(Tensor& out, const Tensor& self, optional<int64_t> n = nullopt,
                     int64_t dim = -1, fft::Norm norm = nullopt);
Tensor& fft_ifft2_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s = nullopt,
                      IntArrayRef dim = {-2, -1}, fft::Norm norm = nullopt);
Tensor& fft_ifftn_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s = nullopt,
                      OptionalIntArrayRef dim = nullopt, fft::Norm norm = nullopt);
Tensor& fft_rfft_out(Tensor& out, const Tensor& self, optional<int64_t> n = nullopt,
                     int64_t dim = -1, fft::Norm norm = nullopt);
Tensor& fft_rfft2_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s = nullopt,
                      IntArrayRef dim = {-2, -1}, fft::Norm norm = nullopt);
Tensor& fft_rfftn_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s = nullopt,
                      OptionalIntArrayRef dim = nullopt, fft::Norm norm = nullopt);
Tensor& fft_irfft_out(Tensor& out, const Tensor& self, optional<int64_t> n = nullopt,
                      int64_t dim = -1, fft::Norm norm = nullopt);
Tensor& fft_irfft2_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s = nullopt,
                       IntArrayRef dim = {-2, -1}, fft::Norm norm = nullopt);
Tensor& fft_irfftn_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s = nullopt,
                       OptionalIntArrayRef dim = nullopt, fft::Norm norm = nullopt);
Tensor& fft_hfft_out(Tensor& out, const Tensor& self, optional<int64_t> n = nullopt,
                     int64_t dim = -1, fft::Norm norm = nullopt);
Tensor& fft_hfft2_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s = nullopt,
                      IntArrayRef dim = {-2, -1}, fft::Norm norm = nullopt);
Tensor& fft_hfftn_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s = nullopt,
                      OptionalIntArrayRef dim = nullopt, fft::Norm norm = nullopt);
Tensor& fft_ihfft_out(Tensor& out, const Tensor& self, optional<int64_t> n = nullopt,
                      int64_t dim = -1, fft::Norm norm = nullopt);
Tensor& fft_ihfft2_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s = nullopt,
                       IntArrayRef dim = {-2, -1}, fft::Norm norm = nullopt);
Tensor& fft_ihfftn_out(Tensor& out, const Tensor& self, OptionalIntArrayRef s = nullopt,
                       OptionalIntArrayRef dim = nullopt, fft::Norm norm = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
