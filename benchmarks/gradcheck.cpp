// What gradcheck costs: gradcheck.sh runs this beside Python's on the same functions.
// Prints "name<TAB>milliseconds", the least of several runs.
#include <taper/taper.h>
#include <taper/testing/testing.h>

#include "measure.h"

namespace {

using taper::Tensor;
using taper::autograd::gradcheck;
using taper::autograd::GradcheckOptions;

template <class Body>
double least_ms(int runs, const Body& body) {
  double least = 1e300;
  for (int i = 0; i < runs; ++i) {
    const double start = now_s();
    body();
    least = std::min(least, (now_s() - start) * 1e3);
  }
  return least;
}

Tensor leaf(int64_t n) { return taper::randn({n}, taper::kDouble).requires_grad_(); }
/// 64 inputs, 64 outputs.
Tensor many(const Tensor& x) { return (x.tanh() * x).softmax(0); }
/// Many inputs, one output.
Tensor one(const Tensor& x) { return (x.tanh() * x).logsumexp({0}); }

}  // namespace

int main() {
  taper::manual_seed(0);
  const Tensor small = leaf(64), large = leaf(4096);
  const GradcheckOptions slow, fast = GradcheckOptions().fast_mode(true);
  report("gradcheck 64 slow", least_ms(30, [&] { gradcheck(many, {small}, slow); }), "ms");
  report("gradcheck 64 fast", least_ms(30, [&] { gradcheck(many, {small}, fast); }), "ms");
  report("gradcheck 4096 slow", least_ms(3, [&] { gradcheck(one, {large}, slow); }), "ms");
  report("gradcheck 4096 fast", least_ms(10, [&] { gradcheck(one, {large}, fast); }), "ms");
}
