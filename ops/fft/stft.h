// Short-time Fourier transforms.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Transforms frames of n_fft points of self: B signals of L points (B, L), or one signal (L).
/// Frames start hop_length (default: n_fft / 4) points apart. The result is (B, n_fft / 2 + 1,
/// frames), or (B, n_fft, frames) if `onesided` is false. Each frame is multiplied by `window`,
/// which has win_length points and is padded with zeros on both sides. The default window is all
/// ones. With `center`, frame t is centred at point t * hop_length. self is then padded by n_fft /
/// 2 points on both sides, in pad_mode. `onesided` defaults to true if self and `window` are real.
/// Without `return_complex`, the result is real, with a last dimension of size 2.
Tensor stft(const Tensor& self, int64_t n_fft, optional<int64_t> hop_length,
            optional<int64_t> win_length, const optional<Tensor>& window, bool center,
            std::string_view pad_mode = "reflect", bool normalized = false,
            optional<bool> onesided = nullopt, optional<bool> return_complex = nullopt);
/// Calls stft with `center` false.
Tensor stft(const Tensor& self, int64_t n_fft, optional<int64_t> hop_length = nullopt,
            optional<int64_t> win_length = nullopt, const optional<Tensor>& window = {},
            bool normalized = false, optional<bool> onesided = nullopt,
            optional<bool> return_complex = nullopt);
/// Returns the signal of `length` points whose stft is nearest to `self`. self is complex, or real
/// with a last dimension of size 2. Throws if the sum of the squared windows is 0 at a point of the
/// signal.
Tensor istft(const Tensor& self, int64_t n_fft, optional<int64_t> hop_length = nullopt,
             optional<int64_t> win_length = nullopt, const optional<Tensor>& window = {},
             bool center = true, bool normalized = false, optional<bool> onesided = nullopt,
             optional<int64_t> length = nullopt, bool return_complex = false);

}  // namespace torch::taper

#pragma GCC visibility pop
