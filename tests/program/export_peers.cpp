// Writes programs of several modules as .pt2 and .onnx, with inputs and results, for
// export_peers.py.
//
//   export_peers FOLDER
#include <taper/framework/io/pt.h>
#include <taper/program/export.h>
#include <taper/program/onnx.h>
#include <taper/taper.h>

#include <filesystem>
#include <functional>
#include <iostream>

#include "export_models.h"

using namespace torch;
using namespace torch::taper::testing;

namespace {

std::string folder;

/// Flattens results, as PyTorch does.
void flatten(const Tensor& y, std::vector<Tensor>& all) { all.push_back(y); }
void flatten(const std::vector<Tensor>& y, std::vector<Tensor>& all) {
  all.insert(all.end(), y.begin(), y.end());
}
template <class... T>
void flatten(const std::tuple<T...>& y, std::vector<Tensor>& all) {
  std::apply([&](const auto&... each) { (flatten(each, all), ...); }, y);
}

/// Returns a list of Python's.
IValue list_of(const std::vector<Tensor>& all) {
  return GenericList(std::vector<IValue>(all.begin(), all.end()));
}

/// Writes the program of a call, with the results of the call for several inputs. The first are
/// the example.
template <class Callable>
void write(const std::string& name, Callable f, const std::vector<Tensor>& inputs,
           const std::vector<taper::DynamicSize>& dynamic = {}, bool writes_onnx = true) {
  const auto program = taper::export_program(f, {inputs[0]}, dynamic);
  const std::string path = folder + "/" + name;
  taper::save_program(path + ".pt2", program);
  if (writes_onnx)
    for (const int64_t opset : {18, 20})
      taper::save_onnx(path + "_" + std::to_string(opset) + ".onnx", program,
                       taper::OnnxOptions().opset(opset).metadata({{"model", name}}));
  std::vector<Tensor> results;
  NoGradGuard no_grad;
  size_t count = 0;
  for (const Tensor& x : inputs) {
    std::vector<Tensor> all;
    if constexpr (taper::program::detail::IsModule<Callable>::value)
      flatten(f->forward(x), all);
    else
      flatten(f(x), all);
    count = all.size();
    results.insert(results.end(), all.begin(), all.end());
  }
  taper::save_pt(path + ".pt", ivalue::Tuple::create({list_of(inputs), list_of(results),
                                                      IValue(static_cast<int64_t>(count))}));
  std::cout << name << '\n';
}

template <class Module>
Module evaluated(Module module) {
  module->eval();
  return module;
}

Tensor tokens(int64_t rows, int64_t columns, int64_t count) {
  return randint(0, count, {rows, columns}, kLong);
}

/// Convolutions and norms with weights made here.
struct LayersImpl : nn::Module {
  LayersImpl() {
    up = register_module(
        "up", nn::ConvTranspose2d(
                  nn::ConvTranspose2dOptions(4, 6, 3).stride(2).padding(1).output_padding(1)));
    group = register_module("group", nn::GroupNorm(nn::GroupNormOptions(2, 6)));
    instance =
        register_module("instance", nn::InstanceNorm2d(nn::InstanceNorm2dOptions(6).affine(true)));
    slope = register_module("slope", nn::PReLU());
    wide = register_module(
        "wide",
        nn::Conv2d(nn::Conv2dOptions(6, 4, 3).dilation(2).padding(2).padding_mode(kReflect)));
  }
  Tensor forward(Tensor x) {
    x = slope(instance(group(up(x))));
    x = nn::functional::interpolate(x, nn::functional::InterpolateFuncOptions()
                                           .scale_factor(std::vector<double>{2, 2})
                                           .mode(kBilinear)
                                           .align_corners(false));
    x = nn::functional::interpolate(
        x,
        nn::functional::InterpolateFuncOptions().size(std::vector<int64_t>{9, 9}).mode(kNearest));
    return pixel_shuffle(wide(x), 2);
  }
  nn::ConvTranspose2d up{nullptr};
  nn::GroupNorm group{nullptr};
  nn::InstanceNorm2d instance{nullptr};
  nn::PReLU slope{nullptr};
  nn::Conv2d wide{nullptr};
};
TAPER_MODULE(Layers);

Tensor math(const Tensor& x) {
  Tensor y =
      (x.abs() + 0.5).log() + x.sin() * 2 - x.tanh() / 3 + x.pow(2).sqrt() + x.sigmoid().exp();
  y = where(x > 0.2, y, -x).clamp(-1, 4) + (x * 7).floor().remainder(3) + x.softmax(-1).log1p();
  y = y + silu(x) + softplus(x) + elu(x) + hardtanh(x) + (x * x + 1).rsqrt();
  return y + x.var(1, true, true) + x.logsumexp(1, true) + x.amax(1, true) + x.mean() +
         x.norm(2, 1, true);
}
Tensor moved(const Tensor& x) {  // (N, 4, 6)
  Tensor y = stack({x, x.flip({1})}, 1).permute({0, 2, 3, 1}).flatten(2);
  y = cat({y, y.narrow(2, 0, 2)}, 2).index_select(2, torch::tensor({0, 3, 5, 1}, kLong));
  const auto parts = y.chunk(2, 1);
  y = parts[0].transpose(1, 2).matmul(parts[1]) +
      x.slice(1, 0, 4, 1).select(2, 1).unsqueeze(2).tril();
  return y.roll(1, 1).cumsum(1).repeat({1, 2, 1}).expand_as(y.repeat({1, 2, 1})).squeeze(0);
}
Tensor written(const Tensor& x) {
  Tensor y = x.clone();
  y.narrow(1, 1, 2).mul_(3);
  y.select(1, 0).zero_();
  return y.relu_();
}
/// The largest elements with their indices.
std::tuple<Tensor, Tensor> largest(const Tensor& x) { return x.topk(3, 1); }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: export_peers FOLDER\n";
    return 2;
  }
  folder = argv[1];
  std::filesystem::create_directories(folder);
  manual_seed(1);
  const std::vector<taper::DynamicSize> batch = {{0, 0, "batch"}};
  write("mlp", evaluated(make_mlp()), {rand({4, 6}), rand({1, 6}), rand({9, 6})}, batch);
  write("cnn", evaluated(Cnn()), {rand({2, 3, 20, 20}), rand({5, 3, 20, 20})}, batch);
  write("resnet", evaluated(ResNet()), {rand({2, 3, 9, 11}), rand({3, 3, 16, 6})},
        {{0, 0, "batch"}, {0, 2, "height"}, {0, 3, "width"}});
  write("lstm", evaluated(Recurrent()), {rand({2, 3, 5}), rand({4, 7, 5})},
        {{0, 0, "batch"}, {0, 1, "length"}});
  write("gru", evaluated(Gru()), {rand({3, 2, 4}), rand({5, 4, 4})},
        {{0, 0, "length"}, {0, 1, "batch"}});
  write("encoder", evaluated(Encoder()), {tokens(5, 2, 20), tokens(8, 3, 20)},
        {{0, 0, "length"}, {0, 1, "batch"}});
  write("gpt", evaluated(Gpt()), {tokens(2, 5, 30), tokens(3, 12, 30)},
        {{0, 0, "batch"}, {0, 1, "length", 1, 12}});
  write("layers", evaluated(Layers()), {rand({2, 4, 5, 5}), rand({3, 4, 5, 5})}, batch);
  write("math", &math, {randn({3, 8}), randn({6, 8})}, batch);
  write("moved", &moved, {randn({3, 4, 6}), randn({5, 4, 6})}, batch);
  write("written", &written, {randn({3, 4}), randn({5, 4})}, batch);
  write("largest", &largest, {randn({3, 8}), randn({5, 8})}, batch);
  for (const auto& [name, dtype] : {std::pair("half", kHalf), std::pair("bfloat16", kBFloat16)}) {
    auto net = evaluated(make_mlp());
    net->to(dtype);
    write(name, net, {rand({4, 6}).to(dtype), rand({9, 6}).to(dtype)}, batch);
  }
}
