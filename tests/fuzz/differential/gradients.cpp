// What a program does with the tape: gradients on the way, hooks, custom Functions, detached parts.
#include "program.h"

namespace fuzz {
namespace {

using torch::autograd::AutogradContext;

// x * y + y, with its own derivative.
struct ProductAndSum : torch::autograd::Function<ProductAndSum> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& y) {
    ctx->save_for_backward({x, y});
    return x * y + y;
  }
  static Tensors backward(AutogradContext* ctx, Tensors g) {
    const Tensors saved = ctx->get_saved_variables();
    return {g[0] * saved[1], g[0] * (saved[0] + 1)};
  }
};

// Adds 1 to its argument, in place, and hands it on.
struct AddOne : torch::autograd::Function<AddOne> {
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    x.add_(1);
    ctx->mark_dirty({x});
    return x;
  }
  static Tensors backward(AutogradContext*, Tensors g) { return {g[0] * 2}; }
};

void custom_function(Program& p) {
  const Item x = p.pick(differentiable), y = p.fresh(x.t.sizes().vec(), x.t.scalar_type());
  if (x.t.is_complex()) return;
  if (p.maybe(3)) {
    Tensor t = x.t * 1;
    return p.made("custom in place", add_bits(x.bits, 1), [&] { return AddOne::apply(t); });
  }
  p.made("custom function", kInexact, [&] { return ProductAndSum::apply(x.t, y.t); });
}

Tensor scalar_of(const Tensor& t) {
  return (t.is_complex() ? at::view_as_real(t) : t).to(at::kDouble).sum();
}

// Gradients of an item, which join the pool where they can be differentiated again.
void gradient_on_the_way(Program& p) {
  const Item x = p.pick(differentiable), y = p.pick(differentiable);
  const bool again = p.maybe(2);
  p.made(again ? "grad with create_graph" : "grad", kInexact, [&] {
    Tensor g = torch::autograd::grad({scalar_of(y.t)}, {x.t}, {}, true, again, p.maybe(2))[0];
    // What does not depend on x may say so or not, and a gradient may be a view of another.
    return g.defined() ? (again ? g + 0 * x.t : g.clone()) : g;
  });
}

void hooked(Program& p) {
  const Item x = p.pick(differentiable);
  switch (p.random().below(3)) {
    case 0:
      return p.made("hook", x.bits, [&] {
        Tensor t = x.t.alias();
        t.register_hook([](const Tensor& g) { return g * 2; });
        return t.clone();
      });
    case 1:
      return p.made("hook of a copy", x.bits, [&] {
        Tensor t = x.t * 1;
        t.register_hook([](const Tensor& g) { return g.clone(); });
        return t;
      });
    default:
      return p.seen("retain_grad", [&] {
        Tensor t = x.t * 2;
        t.retain_grad();
        scalar_of(t).backward({}, true, false, {t});
        return Tensors{t.grad()};
      });
  }
}

void stopped(Program& p) {
  const Item x = p.pick(differentiable), y = p.partner(x, differentiable);
  switch (p.random().below(4)) {
    case 0:
      return p.made("no_grad", add_bits(x.bits, y.bits), [&] {
        torch::NoGradGuard guard;
        return x.t * y.t;
      });
    case 1:
      return p.made("detached factor", add_bits(x.bits, y.bits),
                    [&] { return x.t * y.t.detach(); });
    case 2:
      return p.made("requires_grad_ of a copy", x.bits,
                    [&] { return x.t.detach().clone().requires_grad_() * 1; });
    default:
      return p.made("grad mode within no_grad", x.bits, [&] {
        torch::NoGradGuard off;
        torch::AutoGradMode on(true);
        return x.t * 1;
      });
  }
}

// backward() adds to what .grad holds.
void accumulated(Program& p) {
  const Item x = p.fresh(p.shape(1, 2), at::kDouble, false);
  const Item y = p.pick(differentiable);
  p.seen("backward twice", [&] {
    Tensor leaf = x.t.detach().clone().requires_grad_();
    const Tensor loss = (leaf * leaf).sum() + scalar_of(y.t.detach());
    loss.backward({}, true);
    loss.backward();
    return Tensors{leaf.grad()};
  });
}

void flags(Program& p) {
  const Item x = p.pick();
  p.seen("flags", [&] {
    const Tensor& t = x.t;
    return Tensors{at::tensor(
        std::vector<int64_t>{t.requires_grad(), t.is_leaf(), t.dim(), t.numel(), t.element_size(),
                             t.is_floating_point(), t.is_complex(), t.is_signed()})};
  });
}

}  // namespace

void add_gradients(Steps& steps) {
  steps.add(2, custom_function);
  steps.add(3, gradient_on_the_way);
  steps.add(2, hooked);
  steps.add(2, stopped);
  steps.add(1, accumulated);
  steps.add(1, flags);
}

}  // namespace fuzz
