// Optimizers of complex parameters: the parts are updated as real parameters are.
#include <taper/framework/io/serialize.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/view.h>
#include <taper/optim/optim.h>
#include <taper/testing/gtest.h>

#include <functional>
#include <sstream>

#include "complex_util.h"
#include "harness/devices.h"

namespace torch::taper::testing {
namespace {

using Make = std::function<std::unique_ptr<optim::Optimizer>(const Tensor&)>;

template <class O, class Options>
Make make(Options options) {
  return
      [options](const Tensor& p) { return std::make_unique<O>(std::vector<Tensor>{p}, options); };
}

struct Named {
  const char* name;
  Make make;
};
const std::vector<Named>& optimizers() {
  static const std::vector<Named> list = {
      {"SGD", make<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9).weight_decay(0.1))},
      {"plain SGD", make<optim::SGD>(optim::SGDOptions(0.1))},
      {"Adam", make<optim::Adam>(optim::AdamOptions(0.1))},
      {"amsgrad", make<optim::Adam>(optim::AdamOptions(0.1).amsgrad(true))},
      {"AdamW", make<optim::AdamW>(optim::AdamWOptions(0.1))},
      {"RMSprop", make<optim::RMSprop>(optim::RMSpropOptions(0.1).centered(true).momentum(0.5))},
      {"Adagrad", make<optim::Adagrad>(optim::AdagradOptions(0.1))},
      {"Adadelta", make<optim::Adadelta>(optim::AdadeltaOptions())},
      {"Adamax", make<optim::Adamax>(optim::AdamaxOptions())},
      {"NAdam", make<optim::NAdam>(optim::NAdamOptions())},
      {"RAdam", make<optim::RAdam>(optim::RAdamOptions())},
      {"ASGD", make<optim::ASGD>(optim::ASGDOptions())},
      {"Rprop", make<optim::Rprop>(optim::RpropOptions())}};
  return list;
}

/// |z|^2 + Re(z^2 (1 + 2i)), of the parts.
Tensor loss_of(const Tensor& parts) {
  const Tensor re = parts.select(-1, 0), im = parts.select(-1, 1);
  return (parts * parts).sum() + (re * re - im * im - re * im * 4).sum();
}
Tensor start(Device device = Device()) {
  return view_as_complex(numbers({2, 3, 2}, kFloat).to(device)).clone();
}

void run(optim::Optimizer& o, const std::function<Tensor()>& loss, int steps) {
  for (int i = 0; i < steps; ++i) {
    o.zero_grad();
    loss().backward();
    o.step();
  }
}

void expect_same_path(const Named& of, Device device) {
  const Tensor z = start(device).requires_grad_(),
               parts = view_as_real(start(device)).clone().requires_grad_();
  const auto o = of.make(z), plain = of.make(parts);
  const auto version = z._version();
  run(
      *o, [&] { return loss_of(view_as_real(z)); }, 5);
  run(
      *plain, [&] { return loss_of(parts); }, 5);
  EXPECT_TENSOR_EQUAL(view_as_real(z.detach()), parts.detach()) << of.name;
  EXPECT_GT(z._version(), version) << of.name;
}

TEST(ComplexParameters, AreUpdatedByTheirParts) {
  for (const Named& of : optimizers()) expect_same_path(of, Device());
}

TEST(ComplexParameters, OnDevices) {
  TAPER_NEEDS_DEVICES(1);
  for (const Named& of : optimizers()) expect_same_path(of, device_at(0));
}

// Python's values.
TEST(ComplexParameters, EndWherePythonEnds) {
  const auto path = [](const Make& make) {
    const Tensor z = complex_values({1, 2, 3, -1}, kComplexFloat).clone().requires_grad_();
    const auto o = make(z);
    run(
        *o, [&] { return loss_of(view_as_real(z)); }, 3);
    return z.detach();
  };
  const auto& list = optimizers();
  expect_close(path(list[0].make), {3.2140989, 4.8576779, -1.3513427, 3.0679812}, 1e-5);
  expect_close(path(list[2].make), {1.3000000, 2.3004899, 2.7006235, -0.7003813}, 1e-5);
  expect_close(path(list[4].make), {1.2966939, 2.2941949, 2.6919477, -0.6976975}, 1e-5);
  expect_close(path(list[6].make), {1.2285719, 2.2358630, 2.7758284, -0.7743508}, 1e-5);
}

TEST(ComplexParameters, LBFGS) {
  const Tensor z = start().requires_grad_(), parts = view_as_real(start()).clone().requires_grad_();
  optim::LBFGS o({z}, optim::LBFGSOptions(0.3)), plain({parts}, optim::LBFGSOptions(0.3));
  o.step([&] {
    o.zero_grad();
    const Tensor loss = loss_of(view_as_real(z)).pow(2);
    loss.backward();
    return loss;
  });
  plain.step([&] {
    plain.zero_grad();
    const Tensor loss = loss_of(parts).pow(2);
    loss.backward();
    return loss;
  });
  EXPECT_TENSOR_EQUAL(view_as_real(z.detach()), parts.detach());
  EXPECT_FALSE(z.detach().equal(start()));
}

TEST(ComplexParameters, StatesAreSaved) {
  const Named& adam = optimizers()[2];
  const Tensor z = start().requires_grad_(), w = start().requires_grad_();
  const auto o = adam.make(z), other = adam.make(w);
  run(
      *o, [&] { return loss_of(view_as_real(z)); }, 2);
  std::stringstream file;
  save(*o, file);
  load(*other, file);
  {
    const NoGradGuard no_grad;
    w.copy_(z);
  }
  run(
      *o, [&] { return loss_of(view_as_real(z)); }, 2);
  run(
      *other, [&] { return loss_of(view_as_real(w)); }, 2);
  EXPECT_TENSOR_EQUAL(w.detach(), z.detach());
}

}  // namespace
}  // namespace torch::taper::testing
