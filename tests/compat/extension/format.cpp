// std::format of tensors. extension.sh gives it the folder format/ if the compiler has no <format>.
#include <taper/framework/core/format.h>
#include <torch/torch.h>

#include <sstream>

#include "expect.h"

int main() {
  const torch::Tensor x = torch::ones({2, 3});
  std::ostringstream printed;
  printed << x;
  EXPECT(std::format("x = {}.", x) == "x = " + printed.str() + ".");
  EXPECT(std::format("{}", x.sizes()) == "[2, 3]");
  EXPECT(std::format("{:>8}", x.sizes()) == "  [2, 3]");
  EXPECT(std::format("{}", x.scalar_type()) == "Float");
  EXPECT(std::format("{}", x.device()) == "cpu");
}
