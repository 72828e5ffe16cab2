// Convolutions, pooling, padding, resampling and folding: values and gradients.
#include <parity.h>

using namespace parity;
using torch::Tensor;
using List = std::vector<Tensor>;
namespace nn = torch::nn;
namespace F = torch::nn::functional;

static void convolutions() {
  const Tensor x1 = numbers({2, 4, 9}, 1), x2 = numbers({2, 4, 7, 6}, 2);
  const Tensor x3 = numbers({1, 2, 5, 4, 5}, 3);
  with_gradients("conv1d", {x1, numbers({6, 2, 3}, 4), numbers({6}, 5)},
                 [](List& t) { return torch::conv1d(t[0], t[1], t[2], 2, 1, 1, 2); });
  with_gradients("conv1d.same", {x1, numbers({3, 4, 4}, 6)}, [](List& t) {
    return F::conv1d(t[0], t[1], F::Conv1dFuncOptions().padding(torch::kSame).dilation(2));
  });
  with_gradients("conv2d", {x2, numbers({4, 4, 3, 2}, 7), numbers({4}, 8)}, [](List& t) {
    return torch::conv2d(t[0], t[1], t[2], {2, 1}, {1, 2}, {1, 2});
  });
  with_gradients("conv2d.depthwise", {x2, numbers({8, 1, 3, 3}, 9)},
                 [](List& t) { return torch::conv2d(t[0], t[1], {}, 1, 1, 1, 4); });
  with_gradients("conv3d", {x3, numbers({3, 2, 2, 3, 2}, 10), numbers({3}, 11)}, [](List& t) {
    return torch::conv3d(t[0], t[1], t[2], {1, 2, 1}, {0, 1, 1});
  });
  with_gradients("conv_t1d", {x1, numbers({4, 3, 3}, 12), numbers({3}, 13)},
                 [](List& t) { return torch::conv_transpose1d(t[0], t[1], t[2], 2, 1, 1); });
  with_gradients("conv_t2d", {x2, numbers({4, 2, 3, 3}, 14), numbers({4}, 15)},
                 [](List& t) { return torch::conv_transpose2d(t[0], t[1], t[2], 2, 1, 1, 2); });
  with_gradients("conv_t3d", {x3, numbers({2, 2, 2, 2, 2}, 16)},
                 [](List& t) { return torch::conv_transpose3d(t[0], t[1], {}, 1, 0, 0, 1, 2); });
  for (const auto& mode : {nn::Conv2dOptions::padding_mode_t(torch::kReflect),
                           nn::Conv2dOptions::padding_mode_t(torch::kReplicate),
                           nn::Conv2dOptions::padding_mode_t(torch::kCircular)}) {
    torch::manual_seed(1);
    nn::Conv2d conv(nn::Conv2dOptions(4, 2, 3).padding(1).padding_mode(mode));
    with_gradients("conv2d.mode" + std::to_string(mode.index()), {x2},
                   [&](List& t) { return conv(t[0]); });
  }
}

static void pooling() {
  const Tensor x1 = numbers({2, 3, 9}, 20), x2 = numbers({2, 3, 7, 6}, 21);
  const Tensor x3 = numbers({1, 2, 5, 6, 5}, 22);
  const auto pool = [](const std::string& key, const Tensor& x,
                       const std::function<Tensor(const Tensor&)>& f) {
    with_gradients("pool." + key, {x}, [&](List& t) { return f(t[0]); });
  };
  pool("max1", x1, [](const Tensor& x) { return torch::max_pool1d(x, 3, 2, 1); });
  pool("max2", x2, [](const Tensor& x) { return torch::max_pool2d(x, {3, 2}, {2, 1}, 1); });
  pool("max2.dilated", x2, [](const Tensor& x) {
    return F::max_pool2d(x, F::MaxPool2dFuncOptions(2).dilation(2).stride(1).ceil_mode(true));
  });
  pool("max3", x3, [](const Tensor& x) { return torch::max_pool3d(x, 2, 2, 1, 1, true); });
  pool("avg1", x1, [](const Tensor& x) { return torch::avg_pool1d(x, 3, 2, 1, true, false); });
  pool("avg2", x2, [](const Tensor& x) { return torch::avg_pool2d(x, 3, 2, 1, true, true, 5); });
  pool("avg3", x3, [](const Tensor& x) { return torch::avg_pool3d(x, 2, {1, 2, 2}, 1); });
  pool("lp1", x1.abs(),
       [](const Tensor& x) { return F::lp_pool1d(x, F::LPPool1dFuncOptions(2, 3).stride(2)); });
  pool("lp2", x2.abs(),
       [](const Tensor& x) { return F::lp_pool2d(x, F::LPPool2dFuncOptions(3, 2)); });
  pool("adaptive.max1", x1,
       [](const Tensor& x) { return std::get<0>(torch::adaptive_max_pool1d(x, 4)); });
  pool("adaptive.max2", x2, [](const Tensor& x) {
    return std::get<0>(torch::adaptive_max_pool2d(x, {3, 4}));
  });
  pool("adaptive.max3", x3, [](const Tensor& x) {
    return std::get<0>(torch::adaptive_max_pool3d(x, {2, 4, 3}));
  });
  pool("adaptive.avg1", x1, [](const Tensor& x) { return torch::adaptive_avg_pool1d(x, 4); });
  pool("adaptive.avg2", x2, [](const Tensor& x) { return torch::adaptive_avg_pool2d(x, {3, 4}); });
  pool("adaptive.avg3", x3, [](const Tensor& x) {
    return torch::adaptive_avg_pool3d(x, {2, 4, 3});
  });
  pool("unpool", x2, [](const Tensor& x) {
    const auto [y, where] = F::max_pool2d_with_indices(x, F::MaxPool2dFuncOptions(2));
    return F::max_unpool2d(
        y, where, F::MaxUnpool2dFuncOptions(2).output_size(std::vector<int64_t>{2, 3, 7, 6}));
  });
  torch::manual_seed(2);
  pool("fractional2", x2, [](const Tensor& x) {
    return F::fractional_max_pool2d(x, F::FractionalMaxPool2dFuncOptions(2).output_size(3));
  });
  pool("fractional3", x3, [](const Tensor& x) {
    return F::fractional_max_pool3d(x, F::FractionalMaxPool3dFuncOptions(2).output_ratio(
                                           torch::ExpandingArray<3, double>(0.5)));
  });
}

static void padding() {
  const Tensor x2 = numbers({2, 3, 5, 6}, 30), x3 = numbers({1, 2, 4, 5, 3}, 31);
  const auto pad = [](const std::string& key, const Tensor& x, std::vector<int64_t> amount,
                      const F::PadFuncOptions::mode_t& mode) {
    with_gradients("pad." + key, {x}, [&](List& t) {
      return F::pad(t[0], F::PadFuncOptions(amount).mode(mode).value(0));
    });
  };
  pad("constant", x2, {1, 2, -1, 3}, torch::kConstant);
  pad("reflect1", x2[0], {2, 1}, torch::kReflect);
  pad("reflect2", x2, {2, 1, 0, 3}, torch::kReflect);
  pad("reflect3", x3, {2, 1, 0, 3, 1, 1}, torch::kReflect);
  pad("replicate1", x2[0], {2, 4}, torch::kReplicate);
  pad("replicate2", x2, {2, 4, 1, 0}, torch::kReplicate);
  pad("replicate3", x3, {0, 1, 2, 3, 1, 1}, torch::kReplicate);
  pad("circular1", x2[0], {2, 4}, torch::kCircular);
  pad("circular2", x2, {2, 4, 1, 0}, torch::kCircular);
  pad("circular3", x3, {0, 1, 2, 3, 1, 1}, torch::kCircular);
  with_gradients("pad.module", {x2}, [](List& t) {
    return nn::ConstantPad2d(nn::ConstantPad2dOptions({1, 0, 2, 1}, 3.5))(t[0]) +
           nn::ZeroPad2d(nn::ZeroPad2dOptions({1, 0, 2, 1}))(t[0]);
  });
}

static void resampling() {
  const Tensor x1 = numbers({2, 2, 5}, 40), x2 = numbers({2, 2, 4, 5}, 41);
  const Tensor x3 = numbers({1, 2, 3, 4, 3}, 42);
  using Options = F::InterpolateFuncOptions;
  const auto resize = [](const std::string& key, const Tensor& x, const Options& options) {
    with_gradients("resize." + key, {x}, [&](List& t) { return F::interpolate(t[0], options); });
  };
  const auto to = [](std::vector<int64_t> size) { return Options().size(size); };
  const auto by = [](std::vector<double> factor) { return Options().scale_factor(factor); };
  resize("nearest1", x1, to({8}).mode(torch::kNearest));
  resize("nearest2", x2, by({1.7, 0.6}).mode(torch::kNearest));
  resize("nearest3", x3, to({5, 3, 7}).mode(torch::kNearest));
  resize("linear", x1, to({9}).mode(torch::kLinear).align_corners(false));
  resize("linear.corners", x1, to({3}).mode(torch::kLinear).align_corners(true));
  resize("bilinear", x2, by({1.5, 2.3}).mode(torch::kBilinear).align_corners(false));
  resize("bilinear.recompute", x2,
         by({1.5, 2.3}).mode(torch::kBilinear).align_corners(false).recompute_scale_factor(true));
  resize("bilinear.corners", x2, to({3, 9}).mode(torch::kBilinear).align_corners(true));
  resize("bicubic", x2, to({6, 3}).mode(torch::kBicubic).align_corners(false));
  resize("bicubic.corners", x2, to({3, 8}).mode(torch::kBicubic).align_corners(true));
  resize("trilinear", x3, to({5, 3, 6}).mode(torch::kTrilinear).align_corners(false));
  resize("area", x2, to({3, 2}).mode(torch::kArea));
  const Tensor grid = numbers({2, 3, 4, 2}, 43) * 1.4;
  int n = 0;
  for (const auto& mode : {F::GridSampleFuncOptions::mode_t(torch::kBilinear),
                           F::GridSampleFuncOptions::mode_t(torch::kNearest)})
    for (const auto& border : {F::GridSampleFuncOptions::padding_mode_t(torch::kZeros),
                               F::GridSampleFuncOptions::padding_mode_t(torch::kBorder),
                               F::GridSampleFuncOptions::padding_mode_t(torch::kReflection)})
      for (bool corners : {false, true})
        with_gradients("grid_sample." + std::to_string(n++), {x2, grid.clone()}, [&](List& t) {
          return F::grid_sample(
              t[0], t[1],
              F::GridSampleFuncOptions().mode(mode).padding_mode(border).align_corners(corners));
        });
  with_gradients("affine_grid", {numbers({2, 2, 3}, 44)}, [](List& t) {
    return F::affine_grid(t[0], {2, 1, 3, 4}, false);
  });
}

static void folding() {
  const Tensor x = numbers({2, 4, 6, 6}, 50);
  with_gradients("unfold", {x}, [](List& t) {
    return F::unfold(t[0], F::UnfoldFuncOptions({3, 2}).padding(1).stride({2, 1}).dilation({1, 2}));
  });
  with_gradients("fold", {numbers({2, 12, 12}, 51)}, [](List& t) {
    return F::fold(t[0], F::FoldFuncOptions({4, 5}, {2, 2}));
  });
  with_gradients("pixel_shuffle", {x},
                 [](List& t) { return F::pixel_shuffle(t[0], F::PixelShuffleFuncOptions(2)); });
  with_gradients("pixel_unshuffle", {x},
                 [](List& t) { return F::pixel_unshuffle(t[0], F::PixelUnshuffleFuncOptions(3)); });
  show("channel_shuffle", torch::channel_shuffle(x, 2));
  with_gradients("tensor.unfold", {x}, [](List& t) { return t[0].unfold(2, 3, 2); });
  with_gradients("lrn", {x}, [](List& t) {
    return F::local_response_norm(t[0], F::LocalResponseNormFuncOptions(3).alpha(0.1).k(2));
  });
}

int main() {
  convolutions();
  pooling();
  padding();
  resampling();
  folding();
}
