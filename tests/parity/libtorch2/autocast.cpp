// Training under autocast on the CPU: a multi-layer perceptron, a convolutional network and a small
// GPT for 100 steps, in bf16, and in f16 with a scaler that meets infinite gradients. Losses are
// compared within 16 bits' rounding, which grows with the steps.
//
// It needs LibTorch 2 (1.13's layer_norm takes no bf16 beside weights of f32), so it is not among
// the programs that CI compares. By hand, LIBTORCH being the folder torch/ of PyTorch's wheel:
//
//   LIBTORCH=... python3 tests/parity/run.py --taper-include build/include --taper-include compat
//     --taper-lib build/lib/libtaper.so --work /tmp/parity tests/parity/libtorch2/autocast.cpp
//
// With an argument it prints every tenth loss as tests/autograd/autocast_test.cpp has them.
#include "mixed_precision.h"
#include "parity.h"

using namespace mixed_precision;

void print_table(const char* name, const std::vector<double>& losses, double scale) {
  std::printf("    {\"%s\", {", name);
  for (size_t i = 0; i < losses.size(); i += 10) std::printf("%.6g, ", losses[i]);
  std::printf("%.6g}, %g},\n", losses.back(), scale);
}
void show(const std::string& name, const std::vector<double>& losses, double scale, bool table) {
  if (table) return print_table(name.c_str(), losses, scale);
  for (size_t i = 0; i < losses.size(); ++i)
    parity::curve(name, static_cast<int>(i), losses[i], 1e-2, 1.02);
  parity::show(name + ".scale", scale);
}

int main(int argc, char**) {
  for (int network = 0; network < 3; ++network) {
    const std::string name = name_of(network);
    NoScaler none;
    show(name + ", bf16", train(task_of(network), torch::kBFloat16, none, 100, false), 1, argc > 1);
    ScalerOfOps scaler(4096, 20);
    const auto losses = train(task_of(network), torch::kHalf, scaler, 100, true);
    show(name + ", f16", losses, scaler.get_scale(), argc > 1);
  }
}
