// Cases of the Fourier transforms, from the sum that defines them.
#include <taper/ops/fft/fft_transform.h>

#include <cmath>
#include <complex>

#include <taper/ops/tensor/factory.h>

#include "ops/shared/factory_cases.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Z = std::complex<double>;

// ---------------------------------------------------------------------- the definition
/// x with n points along dim: cut off, or zeros at the end.
Array resized(const Array& x, int64_t dim, int64_t n) {
  Sizes sizes = x.sizes;
  sizes[static_cast<size_t>(dim)] = n;
  Array y(sizes);
  for_each_index(sizes, [&](const Sizes& index) {
    if (index[static_cast<size_t>(dim)] < x.size(dim))
      y.set_z(y.position(index), x.z(x.position(index)));
  });
  return y;
}
/// scale * sum_j x[j] exp(sign 2 pi i j k / n) along dim.
Array transformed(const Array& x, int64_t dim, double sign, double scale) {
  const int64_t n = x.size(dim);
  Array y(x.sizes);
  for_each_index(x.sizes, [&](const Sizes& to) {
    Z sum = 0;
    Sizes from = to;
    for (int64_t j = 0; j < n; ++j) {
      from[static_cast<size_t>(dim)] = j;
      const double turn = double(j * to[static_cast<size_t>(dim)] % n) / double(n);
      sum += x.z(x.position(from)) * std::polar(1.0, sign * 2 * M_PI * turn);
    }
    y.set_z(y.position(to), scale * sum);
  });
  return y;
}
/// All n points of a signal of which the first n / 2 + 1 are given: y[n - k] is the conjugate of
/// y[k] in all `dims`, of which `dim` is the halved one. Where k = n - k the imaginary part is left
/// out in one dimension only, so several dimensions are transformed before this.
Array completed(const Array& x, int64_t dim, int64_t n) {
  Sizes sizes = x.sizes;
  sizes[static_cast<size_t>(dim)] = n;
  Array y(sizes);
  for_each_index(sizes, [&](const Sizes& index) {
    Sizes from = index;
    int64_t& k = from[static_cast<size_t>(dim)];
    const bool mirrored = k > n / 2;
    if (mirrored) k = n - k;
    const Z v = k < x.size(dim) ? x.z(x.position(from)) : Z(0);
    const bool is_own_mirror = (n - k) % n == k;
    y.set_z(y.position(index), is_own_mirror ? Z(v.real()) : mirrored ? std::conj(v) : v);
  });
  return y;
}
Array real_parts(Array x) {
  x.im.clear();
  return x;
}

// ---------------------------------------------------------------------- cases
/// Numbers: the dimension, how many points.
std::vector<Args> along_one(ScalarType t) {
  return {sample_of({{2, 5}}, t, {-2, 2}, {1, 5}), sample_of({{2, 6}}, t, {-2, 2}, {1, 4}),
          sample_of({{3, 4}}, t, {-2, 2}, {0, 6}), sample_of({{7}}, t, {-2, 2}, {0, 7}),
          sample_of({{2, 1}}, t, {-2, 2}, {1, 1}), sample_of({{2, 34}}, t, {-2, 2}, {1, 33})};
}
ScalarType complex_result(ScalarType t) {
  return t == kFloat || t == kComplexFloat ? kComplexFloat : kComplexDouble;
}
ScalarType real_result(ScalarType t) { return t == kComplexFloat ? kFloat : kDouble; }

struct Kind {
  const char* name;
  Tensor (*op)(const Tensor&, optional<int64_t>, int64_t, fft::Norm);
  bool of_real, to_real;
  double sign;
  bool divides;  ///< by n, in the default norm
};

Array one_dimension(const Kind& kind, const Array& given, int64_t dim, int64_t n) {
  const double scale = kind.divides ? 1 / double(n) : 1;
  if (kind.to_real) return real_parts(transformed(completed(given, dim, n), dim, kind.sign, scale));
  const Array y = transformed(resized(given, dim, n), dim, kind.sign, scale);
  return kind.of_real ? resized(y, dim, n / 2 + 1) : y;
}

OpCase case_of(const Kind& kind) {
  OpCase c;
  c.name = std::string("fft_") + kind.name;
  c.dtypes = kind.of_real ? std::vector<ScalarType>{kFloat, kDouble}
                          : std::vector<ScalarType>{kComplexFloat, kComplexDouble};
  c.samples = &along_one;
  c.result_dtype = kind.to_real ? &real_result : &complex_result;
  c.call = [kind](const Args& a) { return kind.op(a.t[0], a.i[1], a.i[0], nullopt); };
  c.reference = [kind](const ArrayArgs& a) {
    return Arrays{one_dimension(kind, a.t[0], a.i[0], a.i[1])};
  };
  c.tolerance = 10;
  c.errors = {error<Error>("Invalid number of data points (0) specified",
                           [kind] { kind.op(numbers({4}), 0, -1, nullopt); }),
              error<IndexError>("Dimension out of range",
                                [kind] { kind.op(numbers({4}), nullopt, 1, nullopt); }),
              error<Error>("Invalid normalization mode: \"wrong\"",
                           [kind] { kind.op(numbers({4}), nullopt, -1, "wrong"); })};
  return c;
}

TAPER_OP_CASES(rows, {
  std::vector<OpCase> list;
  for (const Kind& kind : {Kind{"fft", &fft::fft, false, false, -1, false},
                           Kind{"ifft", &fft::ifft, false, false, 1, true},
                           Kind{"rfft", &fft::rfft, true, false, -1, false},
                           Kind{"ihfft", &fft::ihfft, true, false, 1, true},
                           Kind{"irfft", &fft::irfft, false, true, 1, true},
                           Kind{"hfft", &fft::hfft, false, true, -1, false}})
    list.push_back(case_of(kind));
  return list;
});

// Boxes: numbers are the dimensions; all but the last are transformed in full.
struct Box {
  const char* name;
  Tensor (*op)(const Tensor&, OptionalIntArrayRef, OptionalIntArrayRef, fft::Norm);
  bool of_real, to_real;
  double sign;
};

Array of_box(const Box& box, Array x, const Sizes& dims) {
  const int64_t last = dims.back();
  double points = 1;
  const auto full = [&](int64_t d) {
    points *= double(x.size(d));
    x = transformed(x, d, box.sign, 1);
  };
  if (box.of_real) {
    full(last);
    x = resized(x, last, x.size(last) / 2 + 1);
  }
  for (size_t i = 0; i + 1 < dims.size(); ++i) full(dims[i]);
  if (box.to_real) {
    x = completed(x, last, 2 * (x.size(last) - 1));
    full(last);
  } else if (!box.of_real) {
    full(last);
  }
  for (double& v : x.v) v /= std::sqrt(points);
  for (double& v : x.im) v /= std::sqrt(points);
  return box.to_real ? real_parts(x) : x;
}

OpCase case_of(const Box& box) {
  OpCase c;
  c.name = std::string("fft_") + box.name;
  c.dtypes = box.of_real ? std::vector<ScalarType>{kFloat, kDouble}
                         : std::vector<ScalarType>{kComplexFloat, kComplexDouble};
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3, 4}}, t, {-2, 2}, {0, 1}),
                             sample_of({{2, 3, 5}}, t, {-2, 2}, {0, 1, 2}),
                             sample_of({{5, 2, 3}}, t, {-2, 2}, {2, 0}),
                             sample_of({{2, 3, 2}}, t, {-2, 2}, {0, 1}),
                             sample_of({{2, 3, 2, 2}}, t, {-2, 2}, {1, 2}),
                             sample_of({{2, 3, 2, 2}}, t, {-2, 2}, {3, 1, 0, 2})};
  };
  c.result_dtype = box.to_real ? &real_result : &complex_result;
  c.call = [box](const Args& a) { return box.op(a.t[0], nullopt, IntArrayRef(a.i), "ortho"); };
  c.reference = [box](const ArrayArgs& a) { return Arrays{of_box(box, a.t[0], a.i)}; };
  c.tolerance = 10;
  c.errors = {error<Error>("FFT dims must be unique", [box] {
    box.op(numbers({4, 3}), nullopt, IntArrayRef({0, 0}), nullopt);
  })};
  return c;
}

TAPER_OP_CASES(boxes, {
  std::vector<OpCase> list;
  for (const Box& box :
       {Box{"fftn", &fft::fftn, false, false, -1}, Box{"ifftn", &fft::ifftn, false, false, 1},
        Box{"rfftn", &fft::rfftn, true, false, -1}, Box{"ihfftn", &fft::ihfftn, true, false, 1},
        Box{"irfftn", &fft::irfftn, false, true, 1}, Box{"hfftn", &fft::hfftn, false, true, -1}})
    list.push_back(case_of(box));
  return list;
});

// ---------------------------------------------------------------------- rearranged
TAPER_OP_CASES(shifts, {
  std::vector<OpCase> list;
  for (const bool forth : {true, false}) {
    OpCase c;
    c.name = forth ? "fft_fftshift" : "fft_ifftshift";
    c.dtypes = {kFloat, kDouble, kLong};
    c.samples = [](ScalarType t) {
      return std::vector<Args>{sample_of({{5}}, t, {}, {0}), sample_of({{3, 4}}, t, {}, {0, 1}),
                               sample_of({{2, 3, 3}}, t, {}, {2})};
    };
    c.call = [forth](const Args& a) {
      const IntArrayRef dims(a.i);
      return forth ? fft::fftshift(a.t[0], dims) : fft::ifftshift(a.t[0], dims);
    };
    c.reference = [forth](const ArrayArgs& a) {
      Array y(a.t[0].sizes);
      for_each_index(y.sizes, [&](const Sizes& from) {
        Sizes to = from;
        for (int64_t d : a.i) {
          const int64_t n = y.size(d), half = forth ? n / 2 : n - n / 2;
          to[static_cast<size_t>(d)] = (from[static_cast<size_t>(d)] + half) % n;
        }
        y.at(to) = a.t[0].at(from);
      });
      return y;
    };
    list.push_back(c);
  }
  return list;
});

// Numbers: how many points; d: the distance of two.
TAPER_OP_CASES(frequencies, {
  const std::vector<Numbers> samples = {{{6}, {1}}, {{7}, {0.5}}, {{1}, {2}}, {{33}, {0.1}}};
  OpCase all = made_case(
      "fft_fftfreq", samples,
      [](const Args& a) { return fft::fftfreq(a.i[0], a.d[0], options_of(a)); },
      [](const Sizes& i, const std::vector<double>& d) {
        return sequence(i[0], [&](double k) {
          const auto n = static_cast<double>(i[0]);
          return (k < n / 2 ? k : k - n) / (n * d[0]);
        });
      });
  OpCase half = made_case(
      "fft_rfftfreq", samples,
      [](const Args& a) { return fft::rfftfreq(a.i[0], a.d[0], options_of(a)); },
      [](const Sizes& i, const std::vector<double>& d) {
        return sequence(i[0] / 2 + 1,
                        [&](double k) { return k / (static_cast<double>(i[0]) * d[0]); });
      });
  return std::vector<OpCase>{all, half};
});

}  // namespace
}  // namespace torch::taper::testing
