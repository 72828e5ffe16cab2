// What ops refuse, and in which words: arguments that no case of theirs names.
#include <taper/framework/random/random.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/embedding.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/index/scatter_reduce.h>
#include <taper/ops/linalg/linalg_exp.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_matrix.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/nn/attention.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/nn/loss.h>
#include <taper/ops/nn/loss_nll.h>
#include <taper/ops/nn/loss_pointwise.h>
#include <taper/ops/nn/norm.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/covariance.h>
#include <taper/ops/reduce/gradient.h>
#include <taper/ops/reduce/histogram.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/statistics.h>
#include <taper/ops/reduce/trapezoid.h>
#include <taper/ops/spatial/conv/conv.h>
#include <taper/ops/spatial/fold.h>
#include <taper/ops/spatial/grid_sample.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/spatial/pool.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/flip.h>
#include <taper/ops/tensor/meshgrid.h>
#include <taper/ops/tensor/repeat.h>
#include <taper/ops/tensor/split.h>
#include <taper/ops/tensor/triangle.h>
#include <taper/ops/tensor/view.h>
#include <taper/ops/tensor/view_scatter.h>

#include "harness/check.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

/// Each throws exactly its type, with its words, behind the name of an op or in a message that
/// begins with one of `ops`.
void expect_errors(const std::vector<std::string>& ops, std::vector<ErrorCase> errors) {
  OpCase c;
  c.covers = ops;
  c.errors = std::move(errors);
  for (const std::string& failure : check_errors(c)) ADD_FAILURE() << failure;
}
Tensor longs(std::vector<double> v) { return values(std::move(v), kLong); }

TEST(OpErrors, Elementwise) {
  const Tensor x = numbers({2}), whole = longs({1, 2});
  expect_errors(
      {"div", "glu"},
      {error<Error>("approximate argument must be either none or tanh.", [=] { gelu(x, "erf"); }),
       error<Error>("lambda must be greater or equal to 0, but found to be -1",
                    [=] { softshrink(x, -1); }),
       error<Error>("ZeroDivisionError: alpha cannot be 0 for CELU", [=] { celu(x, 0); }),
       error<Error>("glu does not support 0-dimensional tensors", [] { glu(numbers({})); }),
       error<Error>(
           "For integral input tensors, argument alpha must not be a floating point number.",
           [=] { add(whole, whole, 1.5); }),
       error<Error>("Boolean alpha only supported for Boolean results.",
                    [=] { add(whole, whole, true); }),
       error<Error>("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                    "'ceil'",
                    [=] { div(x, x, "ceil"); }),
       error<Error>("Integers to negative integer powers are not allowed.",
                    [=] { pow(whole, -1); })});
}

TEST(OpErrors, Losses) {
  const Tensor x = numbers({2, 3}), t = longs({0, 1});
  expect_errors(
      {"huber_loss", "smooth_l1_loss"},
      {error<Error>("smooth_l1_loss does not support negative values for beta.",
                    [=] { smooth_l1_loss(x, x, Reduction::Mean, -1); }),
       error<Error>("huber_loss does not support non-positive values for delta.",
                    [=] { huber_loss(x, x, Reduction::Mean, 0); }),
       error<Error>(
           "weight tensor should be defined either for all 3 classes or no classes but got "
           "weight tensor of shape: [2]",
           [=] { nll_loss(x, t, numbers({2})); }),
       error<Error>("size mismatch (got input: [2, 3], target: [3])",
                    [=] {
                      nll_loss(x, longs({0, 1, 2}));
                    }),
       error<Error>("input tensor should be 1D or 2D",
                    [=] {
                      nll_loss(numbers({2, 3, 2, 2, 2}), t);
                    }),
       error<Error>("nll_loss2d: expected input [N, C, H, W] and target [N, H, W], got",
                    [=] { nll_loss2d(x, t); }),
       error<Error>("label_smoothing must be between 0.0 and 1.0. Got: 2",
                    [=] { cross_entropy_loss(x, t, {}, Reduction::Mean, -100, 2); }),
       error<Error>("ignore_index is not supported for floating point target",
                    [=] { cross_entropy_loss(x, x, {}, Reduction::Mean, 1); })});
}

TEST(OpErrors, Shapes) {
  const Tensor x = numbers({2, 3}), v = numbers({3});
  expect_errors(
      {"diff", "meshgrid", "pixel_unshuffle", "repeat_interleave", "tensor_split"},
      {error<Error>("diff expects prepend or append to be the same dimension as input",
                    [=] { diff(x, 1, -1, v); }),
       error<Error>("x must be a one-dimensional tensor.", [=] { vander(x); }),
       error<Error>("N must be non-negative.", [=] { vander(v, -1); }),
       error<Error>("Expect a non-negative number, but got -1", [=] { combinations(v, -1); }),
       error<Error>("tensor_split expected tensor_indices_or_sections to have dtype of long, but "
                    "got Float",
                    [=] { tensor_split(v, v); }),
       error<Error>("Input must be >= 2-d.", [=] { fliplr(v); }),
       error<Error>("Input must be >= 1-d.", [] { flipud(numbers({})); }),
       error<Error>("expected total rotation dims == 2, but got dims = 1",
                    [=] { rot90(x, 1, {0}); }),
       error<Error>("expected total dims >= 2, but got total dims = 1",
                    [=] {
                      rot90(v, 1, {0, 1});
                    }),
       error<Error>("input tensor must have at least 2 dimensions", [=] { tril(v); }),
       error<Error>("Padding value causes wrapping around more than once.",
                    [=] {
                      pad(x, {4, 4}, "circular");
                    }),
       error<Error>("doesn't take in value argument",
                    [=] {
                      pad(x, {1, 1}, "reflect", 2.0);
                    }),
       error<NotImplementedError>(
           "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now",
           [=] {
             pad(v, {1, 1}, "reflect");
           }),
       error<Error>("Number of dimensions of repeat dims can not be smaller than number of "
                    "dimensions of tensor",
                    [=] { repeat(x, {2}); }),
       error<Error>("repeat_interleave only accept 1D vector as repeat",
                    [=] {
                      repeat_interleave(longs({1, 2}).view({1, 2}));
                    }),
       error<Error>("meshgrid expects a non-empty TensorList", [] { meshgrid({}); }),
       error<Error>("torch.meshgrid expects all tensors to have the same dtype",
                    [=] {
                      meshgrid({v, longs({1})});
                    }),
       error<Error>("diag_embed: expected a tensor with dimensions, got a 0-dim one",
                    [] { diag_embed(numbers({})); }),
       error<Error>("pixel_unshuffle expects a positive downscale_factor, but got 0", [] {
         pixel_unshuffle(numbers({1, 2, 2}), 0);
       })});
}

TEST(OpErrors, Indices) {
  const Tensor x = numbers({2, 3}), at = longs({0});
  expect_errors(
      {},
      {error<Error>("index_add_(): Expected dtype int32/int64 for index but got: Float",
                    [=] {
                      x.index_add(0, numbers({1}), numbers({1, 3}));
                    }),
       error<IndexError>("index_fill_(): Expected dtype int64 for index.",
                         [=] { x.index_fill(0, numbers({1}), 1); }),
       error<Error>("Index tensor must have the same number of dimensions as input tensor",
                    [=] { x.gather(0, at); }),
       error<Error>("Index tensor must have the same number of dimensions as self tensor",
                    [=] { scatter_reduce(x, 0, at, x, "sum"); }),
       error<Error>("gather: expected sparse_grad=false",
                    [=] {
                      gather(x, 0, at.view({1, 1}), true);
                    }),
       error<Error>("embedding_dense_backward: expected grad_output of indices' shape [1] with one "
                    "more dimension, got [3]",
                    [=] { embedding_dense_backward(numbers({3}), at, 2, -1, false); }),
       error<IndexError>("index out of range in self", [=] {
         embedding_dense_backward(numbers({1, 3}), longs({2}), 2, -1, false);
       })});
}

TEST(OpErrors, LinearAlgebra) {
  const Tensor x = numbers({2, 3}), v = numbers({3});
  expect_errors(
      {},
      {error<Error>("addr: Expected 1-D argument vec2, but got 2-D", [=] { addr(x, v, x); }),
       error<Error>("outer: Expected 1-D argument vec2, but got 2-D", [=] { outer(v, x); }),
       error<Error>("vector + matrix @ vector expected", [=] { addmv(v, v, v); }),
       error<Error>("linalg.matrix_exp: expected finite numbers, got a matrix with infinite ones",
                    [] {
                      linalg::matrix_exp(full({2, 2}, INFINITY));
                    }),
       error<Error>("multi_dot(): the first tensor must be 1D or 2D but got 3D",
                    [=] {
                      linalg::multi_dot({numbers({2, 2, 2}), x});
                    }),
       error<Error>("linalg.norm: If dim is specified, it must be of length 1 or 2. Got [0, 1, 2]",
                    [] {
                      linalg::norm(numbers({2, 2, 2}), 2, IntArrayRef({0, 1, 2}));
                    }),
       error<Error>("linear: expected a weight of 2 dimensions (out x in), or 1 (in), got",
                    [=] {
                      linear(x, numbers({2, 2, 3}));
                    }),
       error<Error>("The QR decomposition is not differentiable when mode='complete' and nrows > "
                    "ncols.",
                    [] {
                      const Tensor a = numbers({3, 2}).requires_grad_();
                      std::get<0>(linalg::qr(a, "complete")).sum().backward();
                    }),
       error<Error>(
           "The derivative of linalg.qr depends on Q, which is not computed when mode='r'.", [] {
             const Tensor a = numbers({3, 2}).requires_grad_();
             std::get<1>(linalg::qr(a, "r")).sum().backward();
           })});
}

TEST(OpErrors, ConvolutionsPoolsAndNorms) {
  const Tensor x = numbers({1, 2, 4}), w = numbers({3, 2, 2}), none;
  expect_errors(
      {},
      {error<Error>("non-positive groups is not supported",
                    [=] { conv1d(x, w, none, 1, 0, 1, 0); }),
       error<Error>("Input type (CPUFloatType) and bias type (CPUDoubleType) should be the same",
                    [=] { conv1d(x, w, numbers({3}, kDouble)); }),
       error<Error>("Invalid padding string: 'full'; expected 'same' or 'valid'",
                    [=] { conv1d(x, w, none, 1, "full"); }),
       error<Error>("dilation should be greater than zero, but got dilation 0",
                    [=] { max_pool1d(x, 2, 2, 0, 0); }),
       error<Error>("pad must be non-negative, but got pad: -1", [=] { max_pool1d(x, 2, 2, -1); }),
       error<Error>("expected an output_size of 1 or 2 values",
                    [] {
                      adaptive_avg_pool2d(numbers({1, 2, 4, 4}), {2, 2, 2});
                    }),
       error<Error>("expected a non-negative output_size, got [2, -1]",
                    [] {
                      adaptive_avg_pool2d(numbers({1, 2, 4, 4}), {2, -1});
                    }),
       error<Error>("Expected num groups to be greater than 0, got 0", [=] { group_norm(x, 0); }),
       error<Error>("Expected number of channels to be greater than 0, got 0",
                    [] {
                      group_norm(ones({2, 0, 3}), 1);
                    }),
       error<Error>("Expected HxW to be greater than 0, got 0",
                    [] {
                      group_norm(ones({2, 4, 0}), 2);
                    }),
       error<Error>("running_var must be defined in evaluation mode",
                    [=] { batch_norm(x, none, none, numbers({2}), none, false, 0.1, 1e-5); }),
       error<Error>("Expected running_mean and running_var to be defined when use_input_stats is "
                    "false",
                    [=] { instance_norm(x, none, none, none, none, false, 0.1, 1e-5); }),
       error<Error>("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.",
                    [] {
                      affine_grid_generator(numbers({1, 2, 3}), {1, 1, 2}, false);
                    }),
       error<Error>("grid_sampler: expected an interpolation mode and a padding mode of 0, 1 or 2",
                    [] {
                      grid_sampler(numbers({1, 1, 2, 2}), numbers({1, 2, 2, 2}), 3, 0, false);
                    })});
}

TEST(OpErrors, Statistics) {
  const Tensor x = numbers({2, 3}), whole = longs({1, 2});
  Tensor doubles = numbers({3}, kDouble);
  expect_errors(
      {"multinomial"},
      {error<Error>("minlength should be >= 0", [=] { bincount(whole, {}, -1); }),
       error<Error>("weights should be 1-d and have the same length as input",
                    [=] { bincount(whole, numbers({3})); }),
       error<Error>("q must be a scalar or 1D tensor", [=] { quantile(x, x); }),
       error<Error>("q tensor must be same dtype as the input tensor",
                    [=] { quantile(x, numbers({}, kDouble)); }),
       error<Error>("quantile() q must be in the range [0, 1] but got 1.5",
                    [=] { quantile(x, 1.5); }),
       error<Error>("quantile() q values must be in the range [0, 1]",
                    [=] {
                      quantile(x, values({0.5, -0.5}));
                    }),
       error<Error>(
           "nanmean(): expected input to have floating point or complex dtype but got Long",
           [=] { nanmean(whole); }),
       error<Error>(
           "aminmax(): cannot compute aminmax over an empty dimension as the operation has "
           "no identity.",
           [] { aminmax(numbers({0})); }),
       error<Error>("cov(): bool dtype is not supported for input", [=] { cov(x.to(kBool)); }),
       error<Error>("trapezoid: received a bool input for `y`, but bool is not supported",
                    [=] { trapezoid(x.to(kBool)); }),
       error<Error>(
           "Expected the dtype for input and out to match, but got Float for input's dtype "
           "and Double for out's dtype.",
           [=]() mutable { amax_out(doubles, x); }),
       error<Error>("multinomial only supports floating-point dtypes for input, got: Long",
                    [=] { multinomial(whole, 1); }),
       error<Error>("cannot sample n_sample <= 0 samples", [=] { multinomial(x.abs(), 0); }),
       error<Error>("cannot sample n_sample > prob_dist.size(-1) samples without replacement",
                    [=] { multinomial(x.abs(), 4); })});
}

}  // namespace
}  // namespace torch::taper::testing
