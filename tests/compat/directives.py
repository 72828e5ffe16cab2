#!/usr/bin/env python3
"""Compiles every combination of using-directives that LibTorch programs write, with names that are half qualified.

usage: directives.py WORK COMPILER... -- FLAG...

Each combination is a namespace of one program, which each compiler checks without making code. directives.inc beside this file
holds what follows them: reopened namespaces, forward declarations, aliases. A compiler that is not installed is an error.
"""
import itertools
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

OF_TORCH = """
struct Net : nn::Module {
  Tensor forward(Tensor x) { return nn::functional::relu(fc(x)); }
  nn::Linear fc{nn::LinearOptions(2, 3)};
};
inline void use() {
  Tensor x = torch::ones({2, 2});
  Net net;
  optim::SGD sgd(net.parameters(), optim::SGDOptions(0.1));
  data::Example<> example;
  data::DataLoaderOptions loading(4);
  data::samplers::RandomSampler random(10);
  data::transforms::Stack<> stack;
  autograd::Variable variable = x;
  serialize::OutputArchive archive;
  nn::init::zeros_(x);
  nn::utils::clip_grad_norm_(net.parameters(), 1.0);
  (void)sizeof(nn::utils::rnn::PackedSequence);
  nn::functional::detail::relu(x, false);
  nn::parallel::data_parallel(nn::Linear(2, 2), x);
  (void)sizeof(data::datasets::MNIST);
  (void)sizeof(jit::IValue);
  (void)cuda::is_available();
  (void)linalg::det(x);
  (void)fft::fft(x);
  (void)x.index({indexing::Slice(), indexing::None});
  Device device(kCPU);
  TensorOptions options = TensorOptions().dtype(kFloat);
  ScalarType type = kQInt8;
  (void)type;
}
"""

# What each directive brings, beside fully qualified names, which every combination uses.
USES = {
    "torch": OF_TORCH,
    "at": OF_TORCH,
    "c10": OF_TORCH,
    "taper": OF_TORCH,
    "torch::nn": """
struct Part : Module {
  Linear fc{LinearOptions(2, 3)};
};
inline void use_nn(torch::Tensor x) {
  functional::relu(x);
  init::ones_(x);
  utils::clip_grad_value_({x}, 1.0);
  (void)sizeof(utils::rnn::PackedSequence);
  parallel::data_parallel(Linear(2, 2), x);
  Sequential layers(Linear(2, 3), Functional(torch::relu));
}
""",
    "torch::optim": """
inline void use_optim(torch::Tensor x) {
  Adam adam({x}, AdamOptions(1e-3));
  StepLR schedule(adam, 1, 0.5);
}
""",
    "torch::data": """
inline void use_data() {
  samplers::SequentialSampler order(3);
  transforms::Stack<> stack;
  (void)sizeof(datasets::MNIST);
  DataLoaderOptions loading;
}
""",
    "torch::nn::utils": """
inline void use_utils(torch::Tensor x) {
  clip_grad_norm_({x}, 1.0);
  (void)sizeof(rnn::PackedSequence);
}
""",
    "torch::indexing": """
inline void use_indexing(torch::Tensor x) { (void)x.index({Slice(0, 1), Ellipsis}); }
""",
}

QUALIFIED = """
inline void use_whole() {
  torch::Tensor a = at::ones({2}) + taper::ones({2});
  c10::IntArrayRef sizes = a.sizes();
  torch::nn::Linear fc(2, 2);
  torch::nn::functional::relu(taper::nn::functional::relu(a));
  torch::optim::SGD sgd(fc->parameters(), torch::optim::SGDOptions(0.1));
  at::Tensor b = torch::nn::functional::detail::relu(a, false);
  (void)at::indexing::Slice();
  (void)sizes;
}
"""


def program():
    parts = ['#include <torch/torch.h>\n#include "%s/directives.inc"\n' % HERE]
    names = list(USES)
    combinations = [c for n in range(len(names) + 1) for c in itertools.combinations(names, n)]
    for i, chosen in enumerate(combinations):
        bodies = dict.fromkeys(USES[name] for name in chosen)
        parts.append("namespace directives_%d {\n%s%s%s}\n" % (
            i, "".join("using namespace %s;\n" % name for name in chosen), "".join(bodies), QUALIFIED))
    parts.append("int main() {}\n")
    return "\n".join(parts), len(combinations)


def main():
    work, rest = sys.argv[1], sys.argv[2:]
    compilers, flags = rest[:rest.index("--")], rest[rest.index("--") + 1:]
    os.makedirs(work, exist_ok=True)
    path = os.path.join(work, "directives.cpp")
    text, count = program()
    with open(path, "w") as f:
        f.write(text)
    for compiler in compilers:
        subprocess.run([compiler, "-std=c++17", "-fsyntax-only", *flags, path], check=True)
    print("directives: %d combinations, %d compilers" % (count, len(compilers)))


if __name__ == "__main__":
    main()
