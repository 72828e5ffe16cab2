// The smallest program: its run is start-up, its compilation is the header.
#include <torch/torch.h>

int main() { return torch::ones({2}).sum().item<float>() == 2 ? 0 : 1; }
