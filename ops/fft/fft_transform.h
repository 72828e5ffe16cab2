// Discrete Fourier transforms of f32 and f64. GPUs use cuFFT.
//
// A transform along a dimension of n points is X[k] = scale * sum_j x[j] exp(-+ 2 pi i j k / n).
// The sign is - for forward transforms (fft, rfft, hfft) and + for inverse transforms (ifft, irfft,
// ihfft). `norm` selects the scale. "backward", the default, divides inverse transforms by n.
// "forward" divides forward transforms by n. "ortho" divides both by sqrt(n). The input is cropped,
// or padded with zeros at the end, to `n` points. For several dimensions, `s` holds one number of
// points per dimension. -1 in `s` keeps the size. `dim` lists distinct dimensions. Without `dim`,
// all dimensions are transformed. If `s` is given, these are only the last dimensions, as many as
// `s` has numbers. Complex transforms convert real and integral inputs. Errors: "Invalid number of
// data points (0) specified", "Invalid normalization mode", "FFT dims must be unique", "Unsupported
// dtype Half", and other messages of PyTorch.
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
/// Transforms n real numbers to n complex numbers, and returns the first n / 2 + 1. The other
/// complex numbers are conjugates of these.
Tensor rfft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
            Norm norm = nullopt);
/// Inverts rfft. Returns n real numbers. n defaults to 2 (size - 1).
Tensor irfft(const Tensor& self, optional<int64_t> n = nullopt, int64_t dim = -1,
             Norm norm = nullopt);
/// hfft computes irfft with the sign -. ihfft computes rfft with the sign +. Use them for a signal
/// that is Hermitian in time.
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
/// The last transformed dimension is transformed like rfft or irfft.
Tensor rfftn(const Tensor& self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt,
             Norm norm = nullopt);
Tensor irfftn(const Tensor& self, OptionalIntArrayRef s = nullopt,
              OptionalIntArrayRef dim = nullopt, Norm norm = nullopt);
/// Compute hfft or ihfft over several dimensions. By default these are the last two dimensions, as
/// in LibTorch. In Python, the default is all dimensions.
Tensor hfftn(const Tensor& self, OptionalIntArrayRef s = nullopt,
             OptionalIntArrayRef dim = IntArrayRef({-2, -1}), Norm norm = nullopt);
Tensor ihfftn(const Tensor& self, OptionalIntArrayRef s = nullopt,
              OptionalIntArrayRef dim = IntArrayRef({-2, -1}), Norm norm = nullopt);
/// These functions call fftn, ifftn, rfftn, irfftn, hfftn and ihfftn. By default, they transform
/// the last two dimensions.
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
/// Moves frequency 0 from the start to the middle of each dimension in `dim` (default: all).
/// ifftshift is the inverse.
Tensor fftshift(const Tensor& x, OptionalIntArrayRef dim = nullopt);
Tensor ifftshift(const Tensor& x, OptionalIntArrayRef dim = nullopt);

}  // namespace torch::taper::fft

namespace torch::taper {

/// Call the functions of namespace fft whose names have no `fft_`. fft_hfftn and fft_ihfftn
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
/// Write the result into `out`. `out` is real for irfft and hfft and their forms of several
/// dimensions. For other functions it is complex.
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
