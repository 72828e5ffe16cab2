// Ops that move elements or add them up do to complex numbers what they do to both parts: the cases
// of real numbers, whose references are taken for each part.
#include <taper/ops/elementwise/complex.h>
#include <taper/testing/gradcheck.h>

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/check_shared.h"

namespace torch::taper::testing {
namespace {

constexpr const char* kLinear[] = {
    // joining, repeating, rearranging
    "cat", "stack", "hstack", "vstack", "dstack", "column_stack", "repeat", "repeat_interleave",
    "flip", "roll", "rot90", "tril", "triu", "diag", "diag_embed", "trace", "block_diag",
    "meshgrid", "pad_constant", "pad_reflect", "pad_replicate", "pad_circular", "pixel_shuffle",
    "pixel_unshuffle", "channel_shuffle", "cartesian_prod", "combinations",
    // by index
    "index", "index_select", "index_add", "index_copy", "index_put", "gather", "scatter",
    "scatter_add", "take", "put", "take_along_dim", "masked_select", "masked_scatter", "where",
    "select_scatter", "slice_scatter", "diagonal_scatter", "as_strided_scatter",
    // sums
    "sum", "mean", "cumsum", "diff", "sum_to_size", "cumulative_trapezoid", "add", "sub", "neg",
    "im2col", "col2im", "fft_fftshift", "lerp_number", "copy", "clone"};

Array half_reversed(Array x) {
  std::reverse(x.v.begin(), x.v.end());
  for (double& v : x.v) v *= 0.5;
  return x;
}

/// The arguments of a call with complex numbers, and those of its imaginary parts.
struct Both {
  Args whole, imaginary;
};
Both complex_arguments(const Args& a) {
  Both b{a, a};
  for (size_t k = 0; k < a.t.size(); ++k) {
    if (!a.t[k].is_floating_point()) continue;
    b.imaginary.t[k] = to_tensor(half_reversed(to_array(a.t[k])), kDouble);
    b.whole.t[k] = taper::complex(a.t[k], b.imaginary.t[k]);
  }
  return b;
}

Array part_of_result(const Tensor& y, bool imaginary) {
  Array a = read(y);
  if (imaginary) a.v = a.im.empty() ? std::vector<double>(a.v.size(), 0) : a.im;
  a.im.clear();
  return a;
}

void check_values(const OpCase& c, const Args& args, Log& log) {
  const Both b = complex_arguments(args);
  const Arrays re = c.reference(read(args)), im = c.reference(read(b.imaginary));
  for (const Layout layout :
       {+[](const Tensor& t) { return t; }, &transposed, &offset_and_spread}) {
    Args laid = b.whole;
    for (Tensor& t : laid.t) t = layout(t);
    const Results got = c.call(laid);
    if (got.size() != re.size()) return log.add("expected ", re.size(), " results");
    for (size_t k = 0; k < got.size(); ++k) {
      if (!got[k].is_complex()) log.add("expected a complex result, got ", got[k].scalar_type());
      log.compare("real part", part_of_result(got[k], false), re[k], {1e-9, 1e-10});
      log.compare("imaginary part", part_of_result(got[k], true), im[k], {1e-9, 1e-10});
    }
  }
}

/// Gradients with respect to all complex arguments.
void check_gradients(const OpCase& c, const Args& args, Log& log) {
  const Args whole = complex_arguments(args).whole;
  std::vector<size_t> which;
  std::vector<Tensor> leaves;
  for (size_t k = 0; k < whole.t.size(); ++k)
    if (whole.t[k].is_complex()) {
      which.push_back(k);
      leaves.push_back(whole.t[k].detach().clone().requires_grad_());
    }
  const auto f = [&](const std::vector<Tensor>& x) {
    Args own = whole;
    for (size_t k = 0; k < which.size(); ++k) own.t[which[k]] = x[k];
    return std::vector<Tensor>(c.call(own));
  };
  const auto report =
      autograd::gradcheck_report(f, leaves, autograd::GradcheckOptions().allow_constant(true));
  for (const auto& failure : report.failures) log.add("gradient: ", failure.message);
}

class ComplexMoves : public ::testing::TestWithParam<const char*> {};

TEST_P(ComplexMoves, DoTheSameToBothParts) {
  const OpCase& c = find_case(GetParam());
  Failures failures;
  Log log(failures);
  for (const Args& args : c.samples(kDouble)) {
    if (numel_of(args) > 3000) continue;
    log.sample(args);
    log.guarded([&] { check_values(c, args, log); });
  }
  for (const Args& args : gradient_samples(c)) {
    if (numel_of(args) == 0 || numel_of(args) > 24) continue;
    log.sample(args);
    log.guarded([&] { check_gradients(c, args, log); });
  }
  for (const std::string& f : failures) ADD_FAILURE() << f;
}

INSTANTIATE_TEST_SUITE_P(Ops, ComplexMoves, ::testing::ValuesIn(kLinear),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace torch::taper::testing
