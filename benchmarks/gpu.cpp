// What Taper does on a GPU, in numbers: "name<TAB>value<TAB>unit". benchmarks/gpu_peer.py measures
// the same with PyTorch, under the same names, and prints both in one table.
//
//   gpu_bench [--small]       --small: sizes for simulated devices, to try the program itself
//   gpu_bench --devices       only says what there is; exit code 3 without a CUDA device
//
// Times of the device lie between two CUDA events, with the L2 cache overwritten before each;
// medians, after a warm-up, on random numbers.
#include <taper/taper.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gpu_cublas.h"

namespace {

namespace nn = taper::nn;
using taper::Tensor;
using taper::TensorOptions;

bool small = false;
const int64_t& pick(const int64_t& large, const int64_t& for_simulation) {
  return small ? for_simulation : large;
}
TensorOptions on_gpu(taper::ScalarType dtype = taper::kFloat) {
  return TensorOptions(taper::kCUDA).dtype(dtype);
}

void report(const std::string& name, double value, const char* unit) {
  std::printf("%s\t%.6g\t%s\n", name.c_str(), value, unit);
  std::fflush(stdout);
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return v[v.size() / 2];
}

double now_s() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// More than any L2 cache holds.
const Tensor& l2_flush() {
  static const Tensor flush = taper::empty({pick(256 << 20, 1 << 16)}, on_gpu(taper::kByte));
  return flush;
}

/// Seconds that the device takes for `work`.
double device_time(const std::function<void()>& work) {
  for (int i = 0; i < 3; ++i) work();
  taper::cuda::synchronize();
  const int count = small ? 2 : 15;
  std::vector<std::pair<taper::cuda::Event, taper::cuda::Event>> marks;
  for (int i = 0; i < count; ++i) {
    l2_flush().zero_();
    auto& [start, end] = marks.emplace_back(taper::cuda::Event(true), taper::cuda::Event(true));
    start.record();
    work();
    end.record();
  }
  taper::cuda::synchronize();
  std::vector<double> times;
  for (const auto& [start, end] : marks) times.push_back(start.elapsed_time(end) * 1e-3);
  return median(times);
}

void bandwidth(const std::string& name, double nbytes, const std::function<void()>& work) {
  report(name, nbytes / device_time(work) * 1e-9, "GB/s");
}
void rate(const std::string& name, double flop, const std::function<void()>& work) {
  report(name, flop / device_time(work) * 1e-12, "TFLOP/s");
}
void time(const std::string& name, const std::function<void()>& work) {
  report(name, device_time(work) * 1e3, "ms");
}

// ---------------------------------------------------------------------- eager ops
// Nanoseconds of the host for one call. The device must not be what the host waits for, so the
// calls come in batches that fit in its queue.
void eager(const std::string& name, const std::function<void()>& work) {
  constexpr int kBatch = 200;
  std::vector<double> times;
  for (int i = 0; i < (small ? 3 : 30); ++i) {
    taper::cuda::synchronize();
    const double start = now_s();
    for (int j = 0; j < kBatch; ++j) work();
    times.push_back((now_s() - start) / kBatch * 1e9);
  }
  taper::cuda::synchronize();
  report("eager." + name, median(times), "ns");
}

void eager_ops() {
  const Tensor a = taper::randn({16}, on_gpu()), b = taper::randn({16}, on_gpu());
  const Tensor m = taper::randn({16, 16}, on_gpu());
  const Tensor w = taper::randn({16}, on_gpu()).requires_grad_();
  {
    const taper::NoGradGuard no_grad;
    eager("add", [&] { a + b; });
    eager("add_in_place", [&] { a.add_(b, 0.001); });
    eager("relu", [&] { a.relu(); });
    eager("sum", [&] { a.sum(); });
    eager("matmul", [&] { m.mm(m); });
  }
  eager("add_recorded", [&] { w + b; });
  eager("mul_sum_backward", [&] { (w * b).sum().backward(); });
}

// ---------------------------------------------------------------------- memory
void pointwise() {
  const taper::NoGradGuard no_grad;
  const int64_t rows = pick(8192, 64), cols = rows;
  const double nbytes = 4.0 * rows * cols;  // 256 MiB
  const Tensor x = taper::randn({rows, cols}, on_gpu()), y = taper::randn({rows, cols}, on_gpu());
  const Tensor half = taper::empty_like(x, on_gpu(taper::kBFloat16));
  Tensor z = taper::empty_like(x);
  bandwidth("memory.copy", 2 * nbytes, [&] { z.copy_(x); });
  bandwidth("memory.fill", nbytes, [&] { z.fill_(1); });
  bandwidth("memory.add", 3 * nbytes, [&] { taper::add_out(z, x, y); });
  bandwidth("memory.exp", 2 * nbytes, [&] { taper::exp_out(z, x); });
  bandwidth("memory.to_bf16", 1.5 * nbytes, [&] { half.copy_(x); });
  bandwidth("memory.transposed_copy", 2 * nbytes, [&] { z.copy_(x.t()); });
  bandwidth("memory.sum", nbytes, [&] { x.sum(); });
  bandwidth("memory.sum_of_rows", nbytes, [&] { x.sum(1); });
  bandwidth("memory.sum_of_columns", nbytes, [&] { x.sum(0); });
  bandwidth("memory.max_of_rows", nbytes, [&] { x.amax(1); });
  bandwidth("memory.softmax", 2 * nbytes, [&] { x.softmax(1); });
  const Tensor weight = taper::ones({cols}, on_gpu()), bias = taper::zeros({cols}, on_gpu());
  bandwidth("memory.layer_norm", 2 * nbytes, [&] { taper::layer_norm(x, {cols}, weight, bias); });
}

// ---------------------------------------------------------------------- matrix products
void products() {
  const taper::NoGradGuard no_grad;
  struct Case {
    const char* name;
    taper::ScalarType dtype;
    bool tf32;
    int64_t side;
  };
  for (const Case& c : {Case{"f32", taper::kFloat, false, pick(4096, 64)},
                        Case{"tf32", taper::kFloat, true, pick(4096, 64)},
                        Case{"bf16", taper::kBFloat16, false, pick(8192, 64)}}) {
    const Tensor a = taper::randn({c.side, c.side}, on_gpu()).to(c.dtype);
    const Tensor b = taper::randn({c.side, c.side}, on_gpu()).to(c.dtype);
    const double flop = 2.0 * c.side * c.side * c.side;
    taper::globalContext().setAllowTF32CuBLAS(c.tf32);
    rate(std::string("matmul.") + c.name, flop, [&] { a.mm(b); });
    const Tensor out = taper::empty_like(a);
    if (gpu_bench::has_cublas())
      rate(std::string("cublas.") + c.name, flop, [&] {
        gpu_bench::cublas_square(out.data_ptr(), a.data_ptr(), b.data_ptr(), c.side,
                                 c.dtype == taper::kBFloat16, c.tf32);
      });
  }
  taper::globalContext().setAllowTF32CuBLAS(false);
}

// ---------------------------------------------------------------------- layers of ResNet-50
struct Conv {
  const char* name;
  int64_t in, out, size, kernel, stride;
};

void convolution(const Conv& c, taper::ScalarType dtype, const char* dtype_name) {
  const int64_t batch = pick(32, 1), size = pick(c.size, 8), pad = c.kernel / 2;
  const Tensor x = taper::randn({batch, c.in, size, size}, on_gpu()).to(dtype).requires_grad_();
  const Tensor w = taper::randn({c.out, c.in, c.kernel, c.kernel}, on_gpu())
                       .mul(0.05)
                       .to(dtype)
                       .requires_grad_();
  const auto forward = [&] { return taper::conv2d(x, w, {}, c.stride, pad); };
  const Tensor gy = taper::randn_like(forward().detach());
  const std::string name = std::string("conv.") + c.name + "." + dtype_name;
  time(name, [&] {
    const taper::NoGradGuard no_grad;
    forward();
  });
  time(name + ".with_backward", [&] { taper::autograd::grad({forward()}, {x, w}, {gy}); });
}

void convolutions() {
  const Conv all[] = {{"7x7_64_224", 3, 64, 224, 7, 2},   {"1x1_256_56", 64, 256, 56, 1, 1},
                      {"3x3_64_56", 64, 64, 56, 3, 1},    {"3x3_128_28", 128, 128, 28, 3, 1},
                      {"3x3_256_14", 256, 256, 14, 3, 1}, {"1x1_1024_14", 256, 1024, 14, 1, 1},
                      {"3x3_512_7", 512, 512, 7, 3, 1}};
  for (const Conv& c : all) {
    convolution(c, taper::kFloat, "f32");
    convolution(c, taper::kBFloat16, "bf16");
  }
}

// Causal attention of bf16, by cuDNN and by own kernels.
void attention() {
  struct Shape {
    const char* name;
    int64_t batch, heads, length, width;
  };
  taper::globalContext().setBenchmarkCuDNN(true);  // cuDNN from the first call on
  for (const Shape& s :
       {Shape{"gpt2_512", 16, 12, 512, 64}, Shape{"long_4096", 2, 16, 4096, 128}}) {
    const auto drawn = [&] {
      return taper::randn({pick(s.batch, 1), pick(s.length, 16), pick(s.heads, 2), s.width},
                          on_gpu(taper::kBFloat16))
          .transpose(1, 2);
    };
    const Tensor q = drawn().requires_grad_(), k = drawn().requires_grad_();
    const Tensor v = drawn().requires_grad_(), gy = drawn();
    const auto forward = [&] {
      return taper::scaled_dot_product_attention(q, k, v, {}, 0, /*is_causal=*/true);
    };
    for (const bool by_cudnn : {true, false}) {
      taper::globalContext().setUserEnabledCuDNN(by_cudnn);
      const std::string name =
          std::string("attention.") + s.name + (by_cudnn ? ".bf16" : ".bf16.own_kernels");
      time(name, [&] {
        const taper::NoGradGuard no_grad;
        forward();
      });
      time(name + ".with_backward", [&] { taper::autograd::grad({forward()}, {q, k, v}, {gy}); });
    }
    taper::globalContext().setUserEnabledCuDNN(true);
  }
  taper::globalContext().setBenchmarkCuDNN(false);
}

void norms() {
  struct Shape {
    const char* name;
    int64_t channels, size;
  };
  for (const Shape& s :
       {Shape{"64_112", 64, 112}, Shape{"256_56", 256, 56}, Shape{"2048_7", 2048, 7}}) {
    const int64_t size = pick(s.size, 4), batch = pick(32, 2), channels = pick(s.channels, 8);
    nn::BatchNorm2d norm(channels);
    norm->to(taper::kCUDA);
    const Tensor x = taper::randn({batch, channels, size, size}, on_gpu()).requires_grad_();
    const Tensor gy = taper::randn_like(x.detach());
    const std::string name = std::string("batch_norm.") + s.name;
    time(name, [&] {
      const taper::NoGradGuard no_grad;
      norm->forward(x);
    });
    time(name + ".with_backward", [&] {
      taper::autograd::grad({norm->forward(x)}, {x, norm->weight, norm->bias}, {gy});
    });
  }
}

void pools() {
  const Tensor x = taper::randn({pick(32, 2), 64, pick(112, 8), pick(112, 8)}, on_gpu());
  const Tensor last = taper::randn({pick(32, 2), pick(2048, 8), 7, 7}, on_gpu());
  const auto both = [](const std::string& name, const Tensor& input, const auto& pool) {
    const Tensor leaf = input.detach().requires_grad_();
    const Tensor gy = taper::ones_like(pool(input));
    time(name, [&] { pool(input); });
    time(name + ".with_backward", [&] { taper::autograd::grad({pool(leaf)}, {leaf}, {gy}); });
  };
  both("max_pool.64_112", x, [](const Tensor& t) { return taper::max_pool2d(t, 3, 2, 1); });
  both("avg_pool.64_112", x, [](const Tensor& t) { return taper::avg_pool2d(t, 3, 2, 1); });
  both("global_avg_pool.2048_7", last,
       [](const Tensor& t) { return taper::adaptive_avg_pool2d(t, 1); });
}

// Two layers of 512 units over 64 steps of 32 sequences.
void recurrent() {
  const int64_t units = pick(512, 8), steps = pick(64, 4), batch = pick(32, 2);
  for (const auto& [suffix, dtype] :
       {std::pair("f32", taper::kFloat), std::pair("f16", taper::kHalf)}) {
    nn::LSTM lstm(nn::LSTMOptions(units, units).num_layers(2));
    lstm->to(taper::kCUDA, dtype);
    const Tensor x = taper::randn({steps, batch, units}, on_gpu(dtype)).requires_grad_();
    const Tensor gy = taper::randn_like(x.detach());
    const std::string name = std::string("lstm.512.") + suffix;
    time(name, [&] {
      const taper::NoGradGuard no_grad;
      lstm->forward(x);
    });
    std::vector<Tensor> inputs = lstm->parameters();
    inputs.push_back(x);
    time(name + ".with_backward",
         [&] { taper::autograd::grad({std::get<0>(lstm->forward(x))}, inputs, {gy}); });
  }
}

// ---------------------------------------------------------------------- a training step
void training(int64_t batch) {
  taper::manual_seed(0);
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(1, 32, 5)), nn::ReLU(), nn::MaxPool2d(2),
                     nn::Conv2d(nn::Conv2dOptions(32, 64, 5)), nn::ReLU(), nn::MaxPool2d(2),
                     nn::Flatten(), nn::Linear(1024, 128), nn::ReLU(), nn::Linear(128, 10));
  net->to(taper::kCUDA);
  taper::optim::SGD sgd(net->parameters(), taper::optim::SGDOptions(0.01).momentum(0.5));
  const Tensor x = taper::randn({batch, 1, 28, 28}, on_gpu());
  const Tensor y = taper::randint(0, 10, {batch}, on_gpu(taper::kLong));
  const auto step = [&] {
    sgd.zero_grad();
    nn::functional::cross_entropy(net->forward(x), y).backward();
    sgd.step();
  };
  const int warm = small ? 1 : 20, count = small ? 2 : 200;
  for (int i = 0; i < warm; ++i) step();
  taper::cuda::synchronize();
  const double start = now_s();
  for (int i = 0; i < count; ++i) step();
  taper::cuda::synchronize();
  report("mnist_cnn.batch_" + std::to_string(batch), count / (now_s() - start), "steps/s");
}

// What one group throws does not keep the others from their turn.
bool measured(const char* group, const std::function<void()>& measure) {
  try {
    measure();
    return true;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "gpu_bench: %s: %s\n", group, e.what());
    return false;
  }
}

void list_devices() {
  for (taper::DeviceIndex i = 0; i < taper::cuda::device_count(); ++i) {
    const taper::DeviceProperties p = taper::cuda::get_device_properties(i);
    std::printf("device %d: %s, %zu MiB, sm_%d%d, %d multiprocessors\n", int{i}, p.name.c_str(),
                p.total_memory >> 20, p.major, p.minor, p.multi_processor_count);
  }
}

bool measure_all() {
  taper::globalContext().setAllowTF32CuDNN(false);  // f32 is f32, as in gpu_peer.py
  bool all = measured("eager ops", eager_ops);
  all &= measured("memory", pointwise);
  all &= measured("matrix products", products);
  all &= measured("training", [] {
    training(small ? 8 : 64);
    if (!small) training(1024);
  });
  all &= measured("attention", attention);
  all &= measured("batch norms", norms);
  all &= measured("pools", pools);
  all &= measured("recurrent layers", recurrent);
  all &= measured("convolutions", convolutions);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string flag = argc > 1 ? argv[1] : "";
  small = flag == "--small";
  if (argc > 2 || (argc == 2 && !small && flag != "--devices")) {
    std::fprintf(stderr, "usage: gpu_bench [--small | --devices]\n");
    return 2;
  }
  if (!taper::cuda::is_available()) {
    const std::string why = taper::cuda::why_unavailable();
    std::fprintf(stderr, "gpu_bench: no CUDA device is found: %s\n", why.c_str());
    return 3;
  }
  if (flag == "--devices") {
    list_devices();
    return 0;
  }
  return measure_all() ? 0 : 1;
}
