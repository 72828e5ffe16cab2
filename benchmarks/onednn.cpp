// Products and convolutions of bf16, with their gradients, beside oneDNN called directly, in turns
// and on one thread: prints "name<TAB>seconds of Taper<TAB>of oneDNN". oneDNN's primitives are made
// before; products are of matrices as they lie, convolutions in the layouts that oneDNN chooses for
// them, with the reorders from and to rows of pixels that these take.
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <unordered_map>
#include <vector>

using torch::Tensor;

namespace {

double used_s() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
template <class Body>
void keep_least(double& least, const Body& body) {
  const double start = used_s();
  body();
  least = std::min(least, used_s() - start);
}

dnnl::engine& engine() {
  static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}
dnnl::stream& queue() {
  static dnnl::stream s(engine());
  return s;
}
using Arguments = std::unordered_map<int, dnnl::memory>;
constexpr auto kBf16 = dnnl::memory::data_type::bf16;

/// Memory of a tensor as it lies.
dnnl::memory memory_of(const Tensor& t) {
  const std::vector<int64_t> sizes(t.sizes().begin(), t.sizes().end());
  const std::vector<int64_t> strides(t.strides().begin(), t.strides().end());
  return {{sizes, kBf16, strides}, engine(), t.data_ptr()};
}
/// Of a layout that oneDNN may choose.
dnnl::memory::desc any_like(const dnnl::memory& m) {
  return {m.get_desc().dims(), kBf16, dnnl::memory::format_tag::any};
}

/// Both in turns, for a second or so; results have to agree.
template <class Taper, class OneDnn>
void compare(const std::string& name, const Taper& taper, const OneDnn& onednn,
             const Tensor& result) {
  double ours = 1e30, theirs = 1e30;
  for (int i = 0; i < 3; ++i) taper(), onednn();
  const Tensor y = taper();
  TORCH_CHECK(torch::allclose(y.to(torch::kFloat), result.to(torch::kFloat), 0.02, 0.02), name,
              ": results differ");
  const double end = used_s() + 0.8;
  for (int left = 5; left > 0 || used_s() < end; --left) {
    keep_least(ours, [&] { taper(); });
    keep_least(theirs, onednn);
  }
  std::printf("%s\t%.6g\t%.6g\n", name.c_str(), ours, theirs);
  std::fflush(stdout);
}

void product(const std::string& name, const Tensor& a, const Tensor& b) {
  const Tensor c = torch::empty_like(a.matmul(b));
  const Arguments arguments = {
      {DNNL_ARG_SRC, memory_of(a)}, {DNNL_ARG_WEIGHTS, memory_of(b)}, {DNNL_ARG_DST, memory_of(c)}};
  const dnnl::matmul::desc what(memory_of(a).get_desc(), memory_of(b).get_desc(),
                                memory_of(c).get_desc());
  const dnnl::matmul run(dnnl::matmul::primitive_desc(what, engine()));
  const auto onednn = [&] {
    run.execute(queue(), arguments);
    queue().wait();
  };
  compare(
      name, [&] { return a.matmul(b); }, onednn, c);
}

/// What a primitive takes in place of `user`: that itself where the layout is the same.
class InLayout {
 public:
  InLayout(const dnnl::memory& user, const dnnl::memory::desc& wanted)
      : user_(user), own_(user.get_desc() == wanted ? user : dnnl::memory(wanted, engine())) {}
  const dnnl::memory& get() const { return own_; }
  void read() const { copy(user_, own_); }
  void write() const { copy(own_, user_); }

 private:
  static void copy(dnnl::memory from, dnnl::memory to) {
    if (from.get_desc() != to.get_desc()) dnnl::reorder(from, to).execute(queue(), from, to);
  }
  dnnl::memory user_, own_;
};

/// One of the three maps of a convolution: its primitive, and the operands in the layouts that it
/// chose. The result is written last.
class Map {
 public:
  template <class Plan>
  Map(const Plan& plan, std::vector<std::pair<int, InLayout>> operands, int result)
      : run_(plan), operands_(std::move(operands)), result_(result) {
    for (const auto& [argument, operand] : operands_) arguments_[argument] = operand.get();
  }
  void operator()() const {
    for (const auto& [argument, operand] : operands_)
      if (argument != result_) operand.read();
    run_.execute(queue(), arguments_);
    for (const auto& [argument, operand] : operands_)
      if (argument == result_) operand.write();
    queue().wait();
  }

 private:
  dnnl::primitive run_;
  std::vector<std::pair<int, InLayout>> operands_;
  int result_;
  Arguments arguments_;
};

/// A convolution of x with w to y, and as its gradients those of these sizes.
struct Convolution {
  dnnl::memory x, w, y;
  dnnl::memory::dims stride, padding;
  using Forward = dnnl::convolution_forward;
  using InputGradient = dnnl::convolution_backward_data;
  using WeightGradient = dnnl::convolution_backward_weights;
  static constexpr auto kDirect = dnnl::algorithm::convolution_direct;

  Forward::primitive_desc plan(dnnl::prop_kind kind) const {
    const Forward::desc what(kind, kDirect, any_like(x), any_like(w), any_like(y), stride, padding,
                             padding);
    return {what, engine()};
  }
  Map forward() const {
    const auto p = plan(dnnl::prop_kind::forward_inference);
    return {Forward(p),
            {{DNNL_ARG_SRC, {x, p.src_desc()}},
             {DNNL_ARG_WEIGHTS, {w, p.weights_desc()}},
             {DNNL_ARG_DST, {y, p.dst_desc()}}},
            DNNL_ARG_DST};
  }
  Map input_gradient() const {
    const InputGradient::desc what(kDirect, any_like(x), any_like(w), any_like(y), stride, padding,
                                   padding);
    const InputGradient::primitive_desc p(what, engine(), plan(dnnl::prop_kind::forward_training));
    return {InputGradient(p),
            {{DNNL_ARG_DIFF_SRC, {x, p.diff_src_desc()}},
             {DNNL_ARG_WEIGHTS, {w, p.weights_desc()}},
             {DNNL_ARG_DIFF_DST, {y, p.diff_dst_desc()}}},
            DNNL_ARG_DIFF_SRC};
  }
  Map weight_gradient() const {
    const WeightGradient::desc what(kDirect, any_like(x), any_like(w), any_like(y), stride, padding,
                                    padding);
    const WeightGradient::primitive_desc p(what, engine(), plan(dnnl::prop_kind::forward_training));
    return {WeightGradient(p),
            {{DNNL_ARG_SRC, {x, p.src_desc()}},
             {DNNL_ARG_DIFF_WEIGHTS, {w, p.diff_weights_desc()}},
             {DNNL_ARG_DIFF_DST, {y, p.diff_dst_desc()}}},
            DNNL_ARG_DIFF_WEIGHTS};
  }
};

/// The gradient of `of` in conv2d(x, w), which it takes part in, from that of its result.
std::function<Tensor()> gradient(const Tensor& x, const Tensor& w, const Tensor& of,
                                 const Tensor& gy, int64_t stride, int64_t padding) {
  const torch::AutoGradMode with_graph(true);
  const Tensor leaf = of.detach().requires_grad_();
  const bool image = of.is_same(x);
  const Tensor y = torch::conv2d(image ? leaf : x, image ? w : leaf, {}, stride, padding);
  return [=] { return torch::autograd::grad({y}, {leaf}, {gy}, /*retain_graph=*/true)[0]; };
}

void convolution(const std::string& name, const Tensor& x, const Tensor& w, int64_t stride,
                 int64_t padding) {
  const auto op = [&] { return torch::conv2d(x, w, {}, stride, padding); };
  const Tensor y = torch::empty_like(op());
  const auto with = [&](const Tensor& a, const Tensor& b, const Tensor& c) {
    return Convolution{
        memory_of(a), memory_of(b), memory_of(c), {stride, stride}, {padding, padding}};
  };
  compare(name, op, with(x, w, y).forward(), y);
  const double terms = static_cast<double>(y.numel() / y.size(1));
  const Tensor gy = torch::randn_like(y), gx = torch::empty_like(x), gw = torch::empty_like(w);
  compare(name + ", gradient of the input", gradient(x, w, x, gy, stride, padding),
          with(gx, w, gy).input_gradient(), gx);
  const Tensor small = gy / std::sqrt(terms);
  compare(name + ", of the weight", gradient(x, w, w, small, stride, padding),
          with(x, gw, small).weight_gradient(), gw);
}

void products(const torch::TensorOptions& bf16) {
  for (const int64_t n : {64, 256, 1024}) {
    const Tensor a = torch::randn({n, n}, bf16) / 8, b = torch::randn({n, n}, bf16) / 8;
    product("mm of " + std::to_string(n), a, b);
    product("mm of " + std::to_string(n) + ", second one transposed", a, b.t());
  }
  const Tensor x = torch::randn({1024, 768}, bf16) / 8, w = torch::randn({3072, 768}, bf16) / 8;
  product("linear of 1024 x 768 x 3072", x, w.t());
  const Tensor gy = torch::randn({1024, 3072}, bf16) / 32;
  product("linear of 1024 x 768 x 3072, gradient of the input", gy, w);
  product("linear of 1024 x 768 x 3072, of the weight", gy.t(), x);
  const Tensor q = torch::randn({64, 128, 64}, bf16) / 4, p = torch::rand({64, 128, 128}, bf16);
  product("64 products of 128 x 64 x 128, scores", q, q.transpose(1, 2));
  product("64 products of 128 x 128 x 64, values", p, q);
}

struct Shape {
  int64_t batch, in, size, out, kernel, stride;
};
void convolutions(const torch::TensorOptions& bf16) {
  const Shape shapes[] = {{8, 3, 224, 64, 7, 2},    {16, 64, 56, 64, 3, 1},
                          {8, 128, 28, 256, 3, 2},  {8, 256, 56, 64, 1, 1},
                          {16, 256, 14, 256, 3, 1}, {16, 512, 7, 512, 3, 1}};
  for (const Shape& s : shapes) {
    const Tensor x = torch::randn({s.batch, s.in, s.size, s.size}, bf16);
    const Tensor w = torch::randn({s.out, s.in, s.kernel, s.kernel}, bf16) /
                     std::sqrt(static_cast<double>(s.in * s.kernel * s.kernel));
    char name[80];
    std::snprintf(name, sizeof name, "%d x %d to %d, %d x %d, %d x %d, stride %d",
                  static_cast<int>(s.batch), static_cast<int>(s.in), static_cast<int>(s.out),
                  static_cast<int>(s.size), static_cast<int>(s.size), static_cast<int>(s.kernel),
                  static_cast<int>(s.kernel), static_cast<int>(s.stride));
    convolution(name, x, w, s.stride, s.kernel / 2);
  }
}

}  // namespace

int main() {
  torch::set_num_threads(1);
  torch::manual_seed(0);
  const torch::NoGradGuard no_grad;
  products(torch::kBFloat16);
  convolutions(torch::kBFloat16);
}
