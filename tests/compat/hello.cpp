// A program in Taper's own words.
#include <taper/taper.h>

#include <iostream>

int main() {
  taper::Tensor x = taper::ones({2, 2}, taper::requires_grad());
  (x * x).sum().backward();
  std::cout << x.grad().sum().item<float>() << '\n';
}
