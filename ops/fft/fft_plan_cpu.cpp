#include <taper/ops/fft/fft_plan.h>

#include <cmath>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

#include <taper/framework/kernel/vec.h>

#define TAPER_ISA_FILE <taper/ops/fft/fft_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

template <class T>
void fft_pass(const FftPass<T>& pass, Split<T> x, Split<T> y) {
  return TAPER_BY_ISA(fft_pass, pass, x, y);
}
template <class T>
void fft_take_apart(Split<T> to, const T* from, int64_t n) {
  return TAPER_BY_ISA(take_apart, to, from, n);
}
template <class T>
void fft_put_together(T* to, Split<T> from, int64_t n, T scale) {
  return TAPER_BY_ISA(put_together, to, from, n, scale);
}
template <class T>
void fft_real_values(T* to, Split<T> z, const Roots<T>& w, int64_t h, int64_t lanes, T scale) {
  return TAPER_BY_ISA(real_values, to, z, w.re.data(), w.im.data(), h, lanes, scale);
}
template <class T>
void fft_real_pairs(Split<T> to, const T* from, const Roots<T>& w, int64_t h, int64_t lanes) {
  return TAPER_BY_ISA(real_pairs, to, from, w.re.data(), w.im.data(), h, lanes);
}

#define TAPER_INSTANTIATE(T)                                                         \
  template void fft_take_apart(Split<T>, const T*, int64_t);                         \
  template void fft_put_together(T*, Split<T>, int64_t, T);                          \
  template void fft_real_values(T*, Split<T>, const Roots<T>&, int64_t, int64_t, T); \
  template void fft_real_pairs(Split<T>, const T*, const Roots<T>&, int64_t, int64_t);
TAPER_INSTANTIATE(float)
TAPER_INSTANTIATE(double)
#undef TAPER_INSTANTIATE

// Uses angles of at most an eighth of a turn, for which sine and cosine are as exact as their
// results.
RootOfUnity::RootOfUnity(int64_t k, int64_t n) {
  constexpr double kTurn = 6.28318530717958647692;
  const int64_t eighths = (k %= n) * 8 / n, quarter = (eighths + 1) / 2;
  // k / n = quarter / 4 + rest / (4 n)
  const double rest = static_cast<double>(4 * k - quarter * n) / (4 * static_cast<double>(n));
  const double c = std::cos(kTurn * rest), s = -std::sin(kTurn * rest);
  switch (quarter % 4) {
    case 0:
      re = c, im = s;
      break;
    case 1:
      re = s, im = -c;
      break;
    case 2:
      re = -c, im = -s;
      break;
    default:
      re = -s, im = c;
  }
}

namespace {

// Returns the factors in the order of the passes, and the remaining factor without small divisors.
std::pair<std::vector<int64_t>, int64_t> factors_of(int64_t n) {
  std::vector<int64_t> factors;
  // Two passes of 4 replace 8 and 2.
  for (; n % 8 == 0 && n != 16; n /= 8) factors.push_back(8);
  for (const int64_t radix : {4, 2, 3, 5, 7, 11, 13})
    for (; n % radix == 0; n /= radix) factors.push_back(radix);
  return {factors, n};
}

// Returns the least power of two, or three times a power of two, that is at least n.
int64_t fast_length(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power / 4 * 3 >= n ? power / 4 * 3 : power;
}

template <class T>
void multiply(Split<T> x, const Roots<T>& by, int64_t n, int64_t lanes) {
  const T *re = by.re.data(), *im = by.im.data();
  const auto turn = [=](int64_t k, int64_t i) {
    const T r = x.re[k], m = x.im[k];
    x.re[k] = r * re[i] - m * im[i];
    x.im[k] = r * im[i] + m * re[i];
  };
  if (lanes == 1) {
    for (int64_t i = 0; i < n; ++i) turn(i, i);
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = i * lanes; k < (i + 1) * lanes; ++k) turn(k, i);
}

}  // namespace

// Since j k = (j^2 + k^2 - (j - k)^2) / 2, a transform is a convolution with exp(pi i k^2 / n). It
// is computed by transforms of a suitable length.
template <class T>
struct FftPlan<T>::Bluestein {
  int64_t n, m;
  std::shared_ptr<const FftPlan<T>> sub;
  Roots<T> chirp;   // exp(-pi i k^2 / n)
  Roots<T> filter;  // the transform of chirp's conjugate, over m

  explicit Bluestein(int64_t n_) : n(n_), m(fast_length(2 * n - 1)), sub(FftPlan<T>::of(m)) {
    for (int64_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), ++k)
      chirp.append(square, 2 * n);
    std::vector<T> b(static_cast<size_t>(2 * m)), work(static_cast<size_t>(sub->work_size()));
    const Split<T> x{b.data(), b.data() + m};
    for (int64_t k = 0; k < n; ++k)
      for (const int64_t at : {k, (m - k) % m}) {
        x.re[at] = chirp.re[static_cast<size_t>(k)] / static_cast<T>(m);
        x.im[at] = -chirp.im[static_cast<size_t>(k)] / static_cast<T>(m);
      }
    const Split<T> y = sub->run(x, work.data());
    filter.re.assign(y.re, y.re + m);
    filter.im.assign(y.im, y.im + m);
  }

  int64_t work_size() const { return 2 * m + sub->work_size(); }

  void run(Split<T> x, T* work, int64_t lanes) const {
    const int64_t points = m * lanes, given = n * lanes;
    const Split<T> a{work, work + points};
    multiply(x, chirp, n, lanes);
    for (int64_t i = 0; i < points; ++i) {
      a.re[i] = i < given ? x.re[i] : T(0);
      a.im[i] = i < given ? x.im[i] : T(0);
    }
    const Split<T> spectrum = sub->run(a, work + 2 * points, lanes);
    multiply(spectrum, filter, m, lanes);
    // The half of the ping-pong buffer without the result.
    const bool moved = spectrum.re != a.re;
    const Split<T> y =
        sub->run(spectrum.swapped(), moved ? work : work + 2 * points, lanes).swapped();
    multiply(y, chirp, n, lanes);
    for (int64_t i = 0; i < given; ++i) {
      x.re[i] = y.re[i];
      x.im[i] = y.im[i];
    }
  }
};

template <class T>
void FftPlan<T>::add_pass(int64_t radix, int64_t left, int64_t stride) {
  const int64_t count = left / radix;
  auto roots = std::make_unique<Roots<T>>(), own = std::make_unique<Roots<T>>();
  for (int64_t j = 1; j < radix; ++j)
    for (int64_t p = 0; p < count; ++p) roots->append(p * j, left);
  for (int64_t k = 0; radix > 5 && k < radix; ++k) own->append(k, radix);
  passes_.push_back(
      {radix, count, stride, roots->re.data(), roots->im.data(), own->re.data(), own->im.data()});
  roots_.push_back(std::move(roots));
  roots_.push_back(std::move(own));
}

template <class T>
FftPlan<T>::FftPlan(int64_t n) : n_(n) {
  for (int64_t k = 0; k <= n; ++k) half_roots_.append(k, 2 * n);
  const auto [factors, rest] = factors_of(n);
  if (rest > 1) {
    bluestein_ = std::make_unique<Bluestein>(n);
    return;
  }
  int64_t left = n, stride = 1;
  for (const int64_t radix : factors) {
    add_pass(radix, left, stride);
    left /= radix;
    stride *= radix;
  }
}

template <class T>
FftPlan<T>::~FftPlan() = default;

template <class T>
int64_t FftPlan<T>::work_size() const {
  return bluestein_ ? bluestein_->work_size() : 2 * n_;
}

template <class T>
bool FftPlan<T>::fast_alone() const {
  if (bluestein_) return bluestein_->sub->fast_alone();
  return n_ >= 256 && passes_[0].radix % 2 == 0 && passes_[0].count % 16 == 0;
}

template <class T>
Split<T> FftPlan<T>::run(Split<T> x, T* work, int64_t lanes) const {
  if (bluestein_) {
    bluestein_->run(x, work, lanes);
    return x;
  }
  Split<T> y{work, work + n_ * lanes};
  for (FftPass<T> pass : passes_) {
    pass.stride *= lanes;
    fft_pass(pass, x, y);
    std::swap(x, y);
  }
  return x;
}

template <class T>
std::shared_ptr<const FftPlan<T>> FftPlan<T>::of(int64_t n) {
  constexpr size_t kMostPlans = 64;
  static std::mutex mutex;
  static std::map<int64_t, std::shared_ptr<const FftPlan>> plans;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto it = plans.find(n);
    if (it != plans.end()) return it->second;
  }
  // Outside the lock, because Bluestein's plans ask for other plans.
  auto made = std::make_shared<const FftPlan>(n);
  const std::lock_guard<std::mutex> lock(mutex);
  if (plans.size() >= kMostPlans) plans.clear();
  return plans.emplace(n, std::move(made)).first->second;
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace torch::taper::cpu
