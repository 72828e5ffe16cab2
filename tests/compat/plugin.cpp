// A plug-in that computes with Taper, for a host that knows nothing of it (plugin_host.cpp).
#include <taper/taper.h>

extern "C" double sum_of_squares(int n) {
  taper::Tensor x = taper::arange(n, taper::kDouble).requires_grad_();
  const taper::Tensor y = (x * x).sum();
  y.backward();
  return y.item<double>() + x.grad().sum().item<double>();
}
