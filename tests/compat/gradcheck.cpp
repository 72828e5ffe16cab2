// A program that checks gradients without GoogleTest.
#include <taper/taper.h>
#include <taper/testing/testing.h>

#include <iostream>

int main() {
  const taper::Tensor x = taper::ones({3}, taper::kDouble).requires_grad_();
  std::cout << taper::autograd::gradcheck([](const taper::Tensor& a) { return a.exp(); }, {x})
            << '\n';
}
