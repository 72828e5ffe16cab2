// Short-time Fourier transforms.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The transforms of frames of n_fft points of x (B, L) or (L), hop_length (n_fft / 4) apart:
/// (B, n_fft / 2 + 1 or, not `onesided`, n_fft, frames). Each is multiplied by `window`
/// (win_length points, padded on both sides; ones without). With `center` frames are around their
/// time, and x is padded by n_fft / 2 on both sides in pad_mode. `onesided` is true for real x and
/// window. Not `return_complex`: real, with a last dimension of 2.
Tensor stft(const Tensor& self, int64_t n_fft, optional<int64_t> hop_length,
            optional<int64_t> win_length, const optional<Tensor>& window, bool center,
            std::string_view pad_mode = "reflect", bool normalized = false,
            optional<bool> onesided = nullopt, optional<bool> return_complex = nullopt);
/// The same without centering.
Tensor stft(const Tensor& self, int64_t n_fft, optional<int64_t> hop_length = nullopt,
            optional<int64_t> win_length = nullopt, const optional<Tensor>& window = {},
            bool normalized = false, optional<bool> onesided = nullopt,
            optional<bool> return_complex = nullopt);
/// The signal whose stft is nearest to `self` (which may have a last dimension of 2 in place of
/// complex numbers), `length` points of it. Throws where the windows do not cover the signal.
Tensor istft(const Tensor& self, int64_t n_fft, optional<int64_t> hop_length = nullopt,
             optional<int64_t> win_length = nullopt, const optional<Tensor>& window = {},
             bool center = true, bool normalized = false, optional<bool> onesided = nullopt,
             optional<int64_t> length = nullopt, bool return_complex = false);

}  // namespace torch::taper

#pragma GCC visibility pop
