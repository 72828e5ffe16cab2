// Fourier transforms with gradients, short-time transforms, windows, complex numbers.
#include <parity.h>

using namespace parity;
using torch::Tensor;
using List = std::vector<Tensor>;
using Dims = std::vector<int64_t>;
namespace fft = torch::fft;

// Complex results and inputs as their parts.
static Tensor parts(const Tensor& y) {
  return y.is_complex() ? torch::view_as_real(y.resolve_conj()) : y;
}
template <class F>
static void of_real(const std::string& key, const Dims& sizes, const F& f) {
  with_gradients(key, {numbers(sizes, 1, torch::kDouble)}, [&](List& t) { return parts(f(t[0])); });
}
template <class F>
static void of_complex(const std::string& key, Dims sizes, const F& f) {
  sizes.push_back(2);
  with_gradients(key + ".complex", {numbers(sizes, 2, torch::kDouble)},
                 [&](List& t) { return parts(f(torch::view_as_complex(t[0]))); });
}

#define OF_BOTH(name, sizes, ...)                                              \
  of_real(name, sizes, [](const Tensor& x) -> Tensor { return __VA_ARGS__; }); \
  of_complex(name, sizes, [](const Tensor& x) -> Tensor { return __VA_ARGS__; })
#define OF_REAL(name, sizes, ...) \
  of_real(name, sizes, [](const Tensor& x) -> Tensor { return __VA_ARGS__; })

static void one_dimension() {
  const Dims sizes = {2, 6, 5};
  OF_BOTH("fft", sizes, fft::fft(x));
  OF_BOTH("fft.n", sizes, fft::fft(x, 8, 1, "ortho"));
  OF_BOTH("fft.short", sizes, fft::fft(x, 3, -1, "forward"));
  OF_BOTH("ifft", sizes, fft::ifft(x));
  OF_BOTH("ifft.n", sizes, fft::ifft(x, 4, 1, "ortho"));
  OF_REAL("rfft", sizes, fft::rfft(x));
  OF_REAL("rfft.n", sizes, fft::rfft(x, 9, 0, "forward"));
  OF_REAL("ihfft", sizes, fft::ihfft(x, 6));
  OF_BOTH("irfft", sizes, fft::irfft(x));
  OF_BOTH("irfft.n", sizes, fft::irfft(x, 7, 1, "ortho"));
  OF_BOTH("hfft", sizes, fft::hfft(x));
  OF_BOTH("hfft.n", sizes, fft::hfft(x, 5, 1, "forward"));
}

static void several_dimensions() {
  const Dims sizes = {3, 4, 5};
  OF_BOTH("fft2", sizes, fft::fft2(x));
  OF_BOTH("ifft2", sizes, fft::ifft2(x, c10::nullopt, {0, 1}, "ortho"));
  OF_REAL("rfft2", sizes, fft::rfft2(x, Dims{5, 4}));
  OF_BOTH("irfft2", sizes, fft::irfft2(x));
  OF_BOTH("hfft2", sizes, fft::hfft2(x));
  OF_REAL("ihfft2", sizes, fft::ihfft2(x));
  OF_BOTH("fftn", sizes, fft::fftn(x));
  OF_BOTH("fftn.dims", sizes, fft::fftn(x, Dims{2, 6}, Dims{2, 0}, "forward"));
  OF_BOTH("ifftn", sizes, fft::ifftn(x, Dims{4, 4}));
  OF_REAL("rfftn", sizes, fft::rfftn(x));
  OF_BOTH("irfftn", sizes, fft::irfftn(x, c10::nullopt, Dims{0, 1}));
  OF_BOTH("hfftn", sizes, fft::hfftn(x));
  OF_REAL("ihfftn", sizes, fft::ihfftn(x, c10::nullopt, Dims{1, 2}, "ortho"));
  OF_BOTH("fftshift", sizes, fft::fftshift(x, Dims{0, 2}));
  OF_BOTH("ifftshift", sizes, fft::ifftshift(x));
  show("fftfreq", fft::fftfreq(7, 0.5, torch::kDouble));
  show("fftfreq.even", fft::fftfreq(8));
  show("rfftfreq", fft::rfftfreq(7, 0.5, torch::kDouble));
  const Tensor whole = torch::arange(6);
  show("fft.long", parts(fft::rfft(whole)));
  error("fft.n0", [&] { fft::fft(whole, 0); });
  error("fft.dim", [&] { fft::fft(whole, c10::nullopt, 1); });
  error("fft.norm", [&] { fft::fft(whole, c10::nullopt, -1, "wrong"); });
  error("fft.twice", [&] { fft::fftn(numbers({2, 2}), c10::nullopt, Dims{0, 0}); });
  error("fft.sizes", [&] { fft::fftn(numbers({2, 2}), Dims{2, 3}, Dims{0}); });
  error("rfft.complex", [&] { fft::rfft(torch::complex(numbers({4}), numbers({4}))); });
}

static void short_time() {
  const Tensor window = torch::hann_window(8, torch::kDouble);
  show("stft",
       parts(torch::stft(numbers({2, 30}, 3, torch::kDouble), 8, 3, 8, window, false, true, true)));
  with_gradients("stft.gradient", {numbers({20}, 4, torch::kDouble)}, [&](List& t) {
    return parts(
        torch::stft(t[0], 8, 4, 6, window.slice(0, 1, 7), true, "reflect", false, true, true));
  });
  with_gradients("istft", {numbers({5, 6, 2}, 5, torch::kDouble)}, [&](List& t) {
    return torch::istft(torch::view_as_complex(t[0]), 8, 3, 8, window);
  });
  throws("stft.n", [&] { torch::stft(numbers({4}), 8, 2, 8, {}, false, true, true); });
  for (const bool periodic : {false, true}) {
    const std::string key = periodic ? "window.periodic." : "window.";
    show(key + "hann", torch::hann_window(7, periodic));
    show(key + "hamming", torch::hamming_window(7, periodic, 0.5, 0.4));
    show(key + "blackman", torch::blackman_window(6, periodic));
    show(key + "bartlett", torch::bartlett_window(6, periodic));
    show(key + "kaiser", torch::kaiser_window(6, periodic, 9));
  }
  error("window.size", [] { torch::hann_window(-1); });
}

static void numbers_of_two_parts() {
  const Dims sizes = {2, 3};
  OF_BOTH("exp", sizes, x.exp());
  OF_BOTH("log", sizes, (x + 2.5).log());
  OF_BOTH("sqrt", sizes, (x + 2.5).sqrt());
  OF_BOTH("tanh", sizes, x.tanh());
  OF_BOTH("square", sizes, x * x.conj());
  OF_BOTH("pow", sizes, x.pow(3));
  OF_BOTH("reciprocal", sizes, (x + 2).reciprocal());
  OF_BOTH("angle", sizes, x.angle());
  OF_BOTH("sgn", sizes, x.sgn() * x);
  OF_BOTH("cumprod", sizes, x.cumprod(1));
  OF_BOTH("matmul", sizes, x.matmul(x.mH()));
  OF_BOTH("var", sizes, x.var());
  of_complex("abs", sizes, [](const Tensor& x) { return x.abs(); });
  of_complex("imag", sizes, [](const Tensor& x) { return torch::imag(x) * torch::real(x); });
  OF_REAL("polar", sizes, torch::polar(x + 2, x));
  OF_REAL("complex", sizes, torch::complex(x, x.flip(0)));
  error("complex.dtypes", [] { torch::complex(numbers({2}), numbers({2}, 1, torch::kDouble)); });
  throws("complex.less", [] {
    const Tensor z = torch::complex(numbers({2}), numbers({2}));
    z < z;
  });
}

int main() {
  one_dimension();
  several_dimensions();
  short_time();
  numbers_of_two_parts();
}
