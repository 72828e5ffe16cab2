// Windows, and short-time Fourier transforms: transforms of frames by fft_rows.h.
#include <taper/ops/fft/stft.h>

#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/fft/fft_rows.h>
#include <taper/ops/fft/window.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {
namespace {

/// The geometry of the frames, after the defaults.
struct Frames {
  int64_t n_fft, hop, win;
  Frames(int64_t n, optional<int64_t> hop_length, optional<int64_t> win_length)
      : n_fft(n), hop(hop_length.value_or(n / 4)), win(win_length.value_or(n)) {}
};

// Returns the window padded to n_fft points, or ones without a window.
Tensor whole_window(const Frames& f, const optional<Tensor>& window, const Tensor& like) {
  const bool given = window && window->defined();
  const Tensor w =
      given ? *window
            : ones({f.win},
                   like.options().dtype(toRealValueType(like.scalar_type())).requires_grad(false));
  const int64_t left = (f.n_fft - f.win) / 2;
  return constant_pad_nd(w, {left, f.n_fft - f.win - left});
}

bool is_complex(const optional<Tensor>& window) {
  return window && window->defined() && window->is_complex();
}

double scale_of(bool normalized, int64_t n) {
  return normalized ? 1 / std::sqrt(static_cast<double>(n)) : 1;
}

void check_window(const char* op, const Frames& f, const optional<Tensor>& window,
                  const Tensor& self) {
  if (!window || !window->defined()) return;
  check_same_device(op, self, *window);
  TAPER_CHECK(window->dim() == 1 && window->size(0) == f.win, op,
              ": expected a 1D window tensor of size equal to win_length=", f.win,
              ", but got window with size ", window->sizes());
}

void check_signal(const Frames& f, const Tensor& x, const optional<Tensor>& window) {
  TAPER_CHECK(isFloatingOrComplexType(x.scalar_type()),
              "stft: expected a tensor of floating point or complex values");
  TAPER_CHECK(x.dim() == 1 || x.dim() == 2, "stft: expected a 1D or 2D tensor");
  TAPER_CHECK(f.hop > 0, "stft: expected hop_length > 0, but got hop_length=", f.hop);
  TAPER_CHECK(f.win > 0 && f.win <= f.n_fft,
              "stft: expected 0 < win_length <= n_fft, but got win_length=", f.win);
  check_window("stft", f, window, x);
}

// Returns the signal (B, L) with n_fft / 2 more points on both sides.
Tensor padded(const Tensor& x, int64_t n_fft, std::string_view mode) {
  const int64_t by = n_fft / 2;
  return pad(x.unsqueeze(0), {by, by}, std::string(mode)).squeeze(0);
}

}  // namespace

Tensor stft(const Tensor& self, int64_t n_fft, optional<int64_t> hop_length,
            optional<int64_t> win_length, const optional<Tensor>& window, bool center,
            std::string_view pad_mode, bool normalized, optional<bool> onesided,
            optional<bool> return_complex) {
  if (auto done = at_door<"stft">(self, n_fft, hop_length, win_length, window, center, pad_mode,
                                  normalized, onesided, return_complex))
    return done;
  check_defined("stft", self, "self");
  const Frames f(n_fft, hop_length, win_length);
  check_signal(f, self, window);
  const bool complex_values = self.is_complex() || is_complex(window);
  const bool half = onesided.value_or(!complex_values);
  TAPER_CHECK(!half || !complex_values,
              "stft: Cannot have onesided output if window or input is complex");
  Tensor x = self.dim() == 1 ? self.unsqueeze(0) : self;
  TAPER_CHECK(n_fft > 0 && n_fft <= x.size(1) + (center ? n_fft / 2 * 2 : 0),
              "stft: expected 0 < n_fft < ", x.size(1), ", but got n_fft=", n_fft);
  if (center) x = padded(x, n_fft, pad_mode);
  x = x.unfold(1, n_fft, f.hop);  // (B, frames, n_fft)
  if (window && window->defined()) x = x.mul(whole_window(f, window, x));
  const double scale = scale_of(normalized, n_fft);
  Tensor y = half ? detail::fft_r2c(x, {2}, scale)
                  : detail::fft_c2c(x.to(toComplexType(x.scalar_type())), {2}, false, scale);
  y = y.transpose(1, 2);
  if (self.dim() == 1) y = y.squeeze(0);
  return return_complex.value_or(complex_values) ? y : view_as_real(y);
}

Tensor stft(const Tensor& self, int64_t n_fft, optional<int64_t> hop_length,
            optional<int64_t> win_length, const optional<Tensor>& window, bool normalized,
            optional<bool> onesided, optional<bool> return_complex) {
  if (auto done = at_door<"stft">(self, n_fft, hop_length, win_length, window, normalized, onesided,
                                  return_complex))
    return done;
  return stft(self, n_fft, hop_length, win_length, window, false, "constant", normalized, onesided,
              return_complex);
}

// ---------------------------------------------------------------- the way back
namespace {

void check_spectrum(const Frames& f, const Tensor& x, bool half, const optional<Tensor>& window) {
  TAPER_CHECK(x.numel() > 0, "istft: input tensor cannot be empty.");
  TAPER_CHECK(x.dim() == 3 || x.dim() == 4,
              "istft: expected a tensor with 3 or 4 dimensions, but got ", x.dim());
  TAPER_CHECK(x.size(-1) == 2,
              "istft: expected the last dimension to be 2 (corresponding to real and imaginary "
              "parts), but got ",
              x.size(-1));
  const int64_t rows = x.size(-3);
  TAPER_CHECK(!half || rows == f.n_fft / 2 + 1,
              "istft: expected the frequency dimension (3rd to the last) of the input tensor to "
              "match n_fft / 2 + 1 when onesided=True, but got ",
              rows);
  TAPER_CHECK(half || rows == f.n_fft,
              "istft: expected the frequency dimension (3rd to the last) of the input tensor to "
              "match n_fft when onesided=False, but got ",
              rows);
  TAPER_CHECK(f.hop > 0 && f.hop <= f.win, "istft: expected 0 < hop_length <= win_length");
  TAPER_CHECK(f.win > 0 && f.win <= f.n_fft, "istft: expected 0 < win_length <= n_fft");
  if (!window || !window->defined()) return;
  check_same_device("istft", x, *window);
  TAPER_CHECK(window->dim() == 1 && window->size(0) == f.win,
              "istft: Invalid window shape. window has to be 1D and length of `win_length`");
}

// Adds frames (B, frames, n), hop apart, to (B, length).
Tensor overlap_add(const Tensor& frames, int64_t hop, int64_t length) {
  const auto numbers = frames.options().dtype(kLong).requires_grad(false);
  const Tensor starts = arange(frames.size(1), numbers).mul(hop).unsqueeze(1);
  const Tensor at = starts.add(arange(frames.size(2), numbers)).flatten();
  return frames.new_zeros({frames.size(0), length}).index_add(1, at, frames.flatten(1));
}

// Returns the frames of spectra (B, frames, rows).
Tensor frames_of(const Tensor& spectra, int64_t n_fft, bool half, bool as_complex, double scale) {
  if (as_complex) return detail::fft_c2c(spectra, {2}, true, scale);
  return detail::fft_c2r(half ? spectra : spectra.narrow(2, 0, n_fft / 2 + 1), {2}, n_fft, scale);
}

}  // namespace

Tensor istft(const Tensor& self, int64_t n_fft, optional<int64_t> hop_length,
             optional<int64_t> win_length, const optional<Tensor>& window, bool center,
             bool normalized, optional<bool> onesided, optional<int64_t> length,
             bool return_complex) {
  if (auto done = at_door<"istft">(self, n_fft, hop_length, win_length, window, center, normalized,
                                   onesided, length, return_complex))
    return done;
  check_defined("istft", self, "self");
  const Frames f(n_fft, hop_length, win_length);
  const Tensor parts = self.is_complex() ? view_as_real(self) : self;
  const bool half = onesided.value_or(parts.dim() >= 3 && parts.size(-3) != n_fft);
  check_spectrum(f, parts, half, window);
  TAPER_CHECK(!return_complex || !half,
              "istft: Cannot have onesided output if window or input is complex");
  TAPER_CHECK(return_complex || !is_complex(window),
              "istft: Complex windows are incompatible with return_complex=False");
  const Tensor batch = parts.dim() == 3 ? parts.unsqueeze(0) : parts;
  const Tensor spectra = view_as_complex(batch.transpose(1, 2).contiguous());
  const int64_t count = spectra.size(1), whole = n_fft + f.hop * (count - 1);

  const double scale = 1 / (static_cast<double>(n_fft) * scale_of(normalized, n_fft));
  const Tensor frames = frames_of(spectra, n_fft, half, return_complex, scale);
  const Tensor w = whole_window(f, window, frames);
  const Tensor sum = overlap_add(frames.mul(w), f.hop, whole);
  const Tensor weight = overlap_add(w.mul(w).expand({1, count, n_fft}), f.hop, whole);

  const int64_t start = center ? n_fft / 2 : 0;
  const int64_t end = length ? start + *length : whole - start;
  const Tensor covered = weight.slice(1, start, end);
  TAPER_CHECK(covered.numel() == 0 || !covered.abs().min().lt(1e-11).item<bool>(),
              "istft: window overlap add min: 1");
  Tensor y = sum.slice(1, start, end).div(covered);
  if (end > whole) y = constant_pad_nd(y, {0, end - whole});
  return parts.dim() == 3 ? y.squeeze(0) : y;
}

// ---------------------------------------------------------------- methods
Tensor Tensor::stft(int64_t n_fft, optional<int64_t> hop_length, optional<int64_t> win_length,
                    const optional<Tensor>& window, bool center, std::string_view pad_mode,
                    bool normalized, optional<bool> onesided, optional<bool> return_complex) const {
  return taper::stft(*this, n_fft, hop_length, win_length, window, center, pad_mode, normalized,
                     onesided, return_complex);
}
Tensor Tensor::stft(int64_t n_fft, optional<int64_t> hop_length, optional<int64_t> win_length,
                    const optional<Tensor>& window, bool normalized, optional<bool> onesided,
                    optional<bool> return_complex) const {
  return taper::stft(*this, n_fft, hop_length, win_length, window, normalized, onesided,
                     return_complex);
}
Tensor Tensor::istft(int64_t n_fft, optional<int64_t> hop_length, optional<int64_t> win_length,
                     const optional<Tensor>& window, bool center, bool normalized,
                     optional<bool> onesided, optional<int64_t> length, bool return_complex) const {
  return taper::istft(*this, n_fft, hop_length, win_length, window, center, normalized, onesided,
                      length, return_complex);
}

}  // namespace torch::taper

namespace torch::taper {
namespace {

// Returns formula(n / (N - 1)) at N points, or at the first N - 1 of them.
template <class Formula>
Tensor window(const char* op, int64_t length, bool periodic, const TensorOptions& options,
              const Formula& formula) {
  TAPER_CHECK(length >= 0, op, " requires non-negative window_length, got window_length=", length);
  const ScalarType dtype = typeMetaToScalarType(options.dtype());
  TAPER_CHECK(isFloatingType(dtype), op, " expects floating point dtypes, got: ", toString(dtype));
  NoGradGuard no_grad;
  if (length <= 1) return ones({length}, options);
  const int64_t last = length - !periodic;
  const Tensor at = arange(length, options.dtype(kDouble).requires_grad(false)).div(last);
  const Tensor y = formula(at).to(dtype);
  return options.requires_grad() ? y.set_requires_grad(true) : y;
}

Tensor cosine(const Tensor& at, double turns) { return cos(at * (2 * M_PI * turns)); }

}  // namespace

Tensor bartlett_window(int64_t length, bool periodic, TensorOptions options) {
  if (auto done = at_door<"bartlett_window">(length, periodic, options)) return done;
  return window("bartlett_window", length, periodic, options,
                [](const Tensor& at) { return 1 - (at * 2 - 1).abs(); });
}

Tensor hann_window(int64_t length, bool periodic, TensorOptions options) {
  if (auto done = at_door<"hann_window">(length, periodic, options)) return done;
  return window("hann_window", length, periodic, options,
                [](const Tensor& at) { return 0.5 - cosine(at, 1) * 0.5; });
}

Tensor hamming_window(int64_t length, bool periodic, double alpha, double beta,
                      TensorOptions options) {
  if (auto done = at_door<"hamming_window">(length, periodic, alpha, beta, options)) return done;
  return window("hamming_window", length, periodic, options,
                [=](const Tensor& at) { return alpha - cosine(at, 1) * beta; });
}

Tensor blackman_window(int64_t length, bool periodic, TensorOptions options) {
  if (auto done = at_door<"blackman_window">(length, periodic, options)) return done;
  return window("blackman_window", length, periodic, options,
                [](const Tensor& at) { return 0.42 - cosine(at, 1) * 0.5 + cosine(at, 2) * 0.08; });
}

Tensor kaiser_window(int64_t length, bool periodic, double beta, TensorOptions options) {
  if (auto done = at_door<"kaiser_window">(length, periodic, beta, options)) return done;
  return window("kaiser_window", length, periodic, options, [beta](const Tensor& at) {
    const Tensor x = at * 2 - 1;
    const Tensor under = (1 - x * x).clamp_min(0).sqrt() * beta;
    return i0(under) / i0(scalar_tensor(beta, TensorOptions(kDouble).device(at.device())));
  });
}

}  // namespace torch::taper
