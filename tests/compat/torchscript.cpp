// Must not compile, and must say what to do instead: run.sh looks for the sentence.
#include <torch/script.h>

int main() {
  torch::jit::script::Module module = torch::jit::load("model.pt");
  (void)module;
}
