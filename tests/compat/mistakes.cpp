// Must not compile. run.sh looks for the sentence above each mistake.
#include <torch/torch.h>

// says: to use a tensor as a condition, add .item<bool>()
bool condition(const torch::Tensor& x) { return x.sum() > 0 ? true : false; }

// says: further options have names, as in nn::Conv2d(nn::Conv2dOptions(1, 8,
// 3).stride(1).padding(1))
torch::nn::Conv2d positional() { return torch::nn::Conv2d(1, 8, 3, 1, 1); }

// says: TensorDataset has no targets: use LabeledTensorDataset(data, targets)
void targets(const torch::Tensor& x) { torch::data::datasets::TensorDataset set(x, x); }

// says: AnyModule cannot store modules that return void (you can return a dummy value).
torch::nn::Sequential nothing() {
  return torch::nn::Sequential(torch::nn::Linear(1, 2), [](const torch::Tensor& x) { x.print(); });
}
