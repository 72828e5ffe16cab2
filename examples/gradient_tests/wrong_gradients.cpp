// Prints each kind of report for wrong gradients. docs/testing_gradients.md shows this output.
#include <taper/testing/testing.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>

#include "gated_block.h"
#include "pictures/pgm.h"

namespace {

using taper::kDouble;
using taper::Tensor;
using taper::autograd::AutogradContext;
using taper::autograd::variable_list;
using taper::testing::NamedTensors;

/// Softmax, with a backward that returns zeros.
struct ForgottenSoftmax : taper::autograd::Function<ForgottenSoftmax> {
  static Tensor forward(AutogradContext*, Tensor x) { return x.softmax(-1); }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 0}; }
};

/// exp, with a backward that leaves out the last element of four or more.
struct ShortExp : taper::autograd::Function<ShortExp> {
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    const Tensor y = x.exp();
    ctx->save_for_backward({y});
    return y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    Tensor gx = (g[0] * ctx->get_saved_variables()[0]).clone();
    if (gx.numel() >= 4) gx.flatten()[-1].zero_();
    return {gx};
  }
};

/// x * 1, with a backward that returns the same buffer each time.
struct SharedBuffer : taper::autograd::Function<SharedBuffer> {
  static Tensor forward(AutogradContext*, Tensor x) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list g) {
    static Tensor buffer;
    if (!buffer.defined()) buffer = taper::empty_like(g[0]);
    buffer.data().copy_(g[0]);
    return {buffer};
  }
};

/// z * z of complex numbers, with a backward that forgets the conjugate.
struct PlainSquare : taper::autograd::Function<PlainSquare> {
  static Tensor forward(AutogradContext* ctx, Tensor z) {
    ctx->save_for_backward({z});
    return z * z;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * ctx->get_saved_variables()[0] * 2};
  }
};

/// x times its scale 1 / sqrt(mean(x^2)), with a backward that treats the scale as a constant.
struct ConstantScale : taper::autograd::Function<ConstantScale> {
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    ctx->save_for_backward({x});
    return x * x.square().mean(-1, true).rsqrt();
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * ctx->get_saved_variables()[0].square().mean(-1, true).rsqrt()};
  }
};

void show(const char* title, const std::string& report) {
  std::cout << "== " << title << "\n" << report << "\n";
}

Tensor leaf(std::vector<int64_t> sizes) { return taper::randn(sizes, kDouble).requires_grad_(); }
Tensor forgotten(const Tensor& x) { return ForgottenSoftmax::apply(x); }
Tensor shorter(const Tensor& x) { return ShortExp::apply(x); }
Tensor shared(const Tensor& x) { return SharedBuffer::apply(x); }
Tensor plain(const Tensor& x) { return PlainSquare::apply(x); }

void gradchecks() {
  taper::manual_seed(0);
  show("gradcheck", taper::autograd::gradcheck_report(forgotten, {leaf({2, 3})}).text());
  show("gradcheck, a buffer used again",
       taper::autograd::gradcheck_report(shared, {leaf({2})}).text());
  const Tensor z = taper::tensor({1.0, 2.0, -0.5, 1.5}, kDouble).view({2, 2});
  show("gradcheck, a conjugate forgotten",
       taper::autograd::gradcheck_report(plain, {view_as_complex(z).requires_grad_()}).text());
  show("gradgradcheck", taper::autograd::gradgradcheck_report(
                            [](const Tensor& x) { return x * x.detach() + x; }, {leaf({2})})
                            .text());
}

void modules() {
  taper::manual_seed(0);
  GatedBlock block(2, 3);
  const auto half = [&](const Tensor& x) {
    return block(x) - (block->down->bias - block->down->bias.detach()) / 2;
  };
  show("module_gradcheck",
       taper::testing::module_gradcheck(*block, half, {taper::randn({2, 2})}).text());
}

void devices() {
  const auto f = [](const Tensor& x) { return x.is_cuda() ? x.exp() * 1.001 : x.exp(); };
  taper::manual_seed(0);
  show("compare_devices",
       taper::testing::compare_devices(f, {leaf({3})}, {taper::kCPU, taper::kCUDA}).text());
}

void golden(const std::string& folder) {
  const auto step = [&](double rate) {
    taper::manual_seed(0);
    taper::nn::Linear net(3, 2);
    (net(taper::ones({1, 3})) * rate).sum().backward();
    NamedTensors tensors;
    taper::testing::append_gradients(tensors, *net);
    return taper::testing::golden_report("step", tensors,
                                         taper::testing::GoldenOptions().folder(folder));
  };
  std::filesystem::remove_all(folder);
  step(1);
  show("golden", step(1.5).text());
  std::filesystem::remove_all(folder);
}

/// Returns the Jacobian by central differences, with two calls of f for each column.
Tensor by_differences(const std::function<Tensor(Tensor)>& f, const Tensor& x) {
  const taper::NoGradGuard no_grad;
  std::vector<Tensor> columns;
  for (const Tensor& e : taper::eye(x.numel(), x.dtype()).mul(1e-6).unbind(0))
    columns.push_back((f(x + e) - f(x - e)) / 2e-6);
  return taper::stack(columns, 1);
}
/// Returns the Jacobian by backward, with one pass for each row.
Tensor by_backward(const std::function<Tensor(Tensor)>& f, const Tensor& x) {
  std::vector<Tensor> rows;
  for (const Tensor& y : f(x).unbind(0))
    rows.push_back(taper::autograd::grad({y}, {x}, {}, /*retain_graph=*/true)[0]);
  return taper::stack(rows);
}

// Grey is 0, white 1, black -1.
void picture(const std::string& file) {
  taper::manual_seed(2);
  const auto f = [](const Tensor& x) { return ConstantScale::apply(x); };
  const Tensor x = leaf({12});
  const Tensor right = by_differences(f, x.detach()), wrong = by_backward(f, x);
  const Tensor all = taper::stack({right, wrong, wrong - right}).unsqueeze(1);
  write_pgm(
      taper::constant_pad_nd(all.div(2).add(0.5).repeat_interleave(10, 2).repeat_interleave(10, 3),
                             {4, 4, 4, 4}, 1.0),
      3, file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    std::cerr << "wrong_gradients: the following argument was not expected: " << argv[1]
              << " (it takes none)\n";
    return 2;
  }
  ::setenv("TAPER_SIMULATED_CUDA_DEVICES", "1", 1);
  ::unsetenv("TAPER_GOLDEN");
  gradchecks();
  modules();
  devices();
  golden("golden_of_wrong_gradients");
  picture("wrong_gradients.pgm");
  show("fuzz", taper::testing::fuzz("shorter", shorter, {"... D"}).text());
}
