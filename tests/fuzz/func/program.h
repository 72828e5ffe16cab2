// What random programs share: constants by formula, and transformations of functions of two
// tensors. generate.py has the same in Python.
#pragma once

#include <torch/func.h>
#include <torch/torch.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <tuple>
#include <vector>

using torch::Tensor;
using Sizes = std::vector<int64_t>;
using Function = std::function<Tensor(const Tensor&, const Tensor&)>;
namespace func = torch::func;

inline uint32_t noise(int64_t k, int64_t i) {
  uint32_t h = static_cast<uint32_t>(i + 1 + 1000 * k) * 2654435761u;
  h ^= h >> 16;
  h *= 2246822519u;
  return h ^ (h >> 13);
}
inline int64_t count(const Sizes& sizes) {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  return n;
}
/// Numbers in [-1, 1).
inline Tensor C(int64_t k, const Sizes& sizes) {
  std::vector<double> v;
  for (int64_t i = 0; i < count(sizes); ++i) v.push_back(noise(k, i) / 2147483648.0 - 1);
  return torch::tensor(v, torch::kDouble).reshape(sizes);
}
/// Indices in [0, n).
inline Tensor I(int64_t k, const Sizes& sizes, int64_t n) {
  std::vector<int64_t> v;
  for (int64_t i = 0; i < count(sizes); ++i) v.push_back(noise(k, i) % n);
  return torch::tensor(v, torch::kLong).reshape(sizes);
}
inline Tensor M(int64_t k, const Sizes& sizes) { return I(k, sizes, 2).eq(1); }
inline Tensor like(int64_t k, const Tensor& t) { return C(k, t.sizes().vec()); }
inline Tensor flat(const Tensor& a, const Tensor& b) {
  return torch::cat({a.reshape({-1}), b.reshape({-1})});
}
inline Tensor flat(const std::tuple<Tensor, Tensor>& t) {
  return flat(std::get<0>(t), std::get<1>(t));
}

/// A function of one element.
inline Function S(const Function& f, int64_t k) {
  return [=](const Tensor& x, const Tensor& w) {
    const Tensor y = f(x, w);
    return (y * like(k, y)).sum();
  };
}

inline Function grad0(Function f, int64_t k) { return func::grad(S(f, k)); }
inline Function grad1(Function f, int64_t k) { return func::grad<1>(S(f, k)); }
inline Function grad01(Function f, int64_t k) {
  return [=](const Tensor& x, const Tensor& w) { return flat(func::grad<0, 1>(S(f, k))(x, w)); };
}
inline Function grad_and_value(Function f, int64_t k) {
  return [=](const Tensor& x, const Tensor& w) {
    const auto [g, y] = func::grad_and_value(S(f, k))(x, w);
    return flat(g, y);
  };
}
inline Function grad_aux(Function f, int64_t k) {
  return [=](const Tensor& x, const Tensor& w) {
    const std::function<std::pair<Tensor, Tensor>(const Tensor&, const Tensor&)> both =
        [=](const Tensor& x, const Tensor& w) {
          const Tensor y = f(x, w);
          return std::pair{(y * like(k, y)).sum(), y};
        };
    const auto [g, y] = func::grad(both, func::has_aux)(x, w);
    return flat(g, y);
  };
}
inline Function jacrev0(Function f, int64_t) { return func::jacrev(f); }
inline Function jacrev1(Function f, int64_t) { return func::jacrev<1>(f); }
inline Function jacrev_chunks(Function f, int64_t) { return func::jacrev(f, 2); }
inline Function jacrev01(Function f, int64_t) {
  return [=](const Tensor& x, const Tensor& w) { return flat(func::jacrev<0, 1>(f)(x, w)); };
}
inline Function jacfwd0(Function f, int64_t) { return func::jacfwd(f); }
inline Function jacfwd1(Function f, int64_t) { return func::jacfwd<1>(f); }
inline Function jacfwd_chunks(Function f, int64_t) { return func::jacfwd(f, 2); }
inline Function jacfwd01(Function f, int64_t) {
  return [=](const Tensor& x, const Tensor& w) { return flat(func::jacfwd<0, 1>(f)(x, w)); };
}
inline Function hessian0(Function f, int64_t k) { return func::hessian(S(f, k)); }
inline Function hessian1(Function f, int64_t k) { return func::hessian<1>(S(f, k)); }
inline Function hessian_all(Function f, int64_t) { return func::hessian(f); }
inline Function jvp(Function f, int64_t k) {
  return [=](const Tensor& x, const Tensor& w) {
    return func::jvp(f, std::tuple{x, w}, std::tuple{like(k, x), like(k + 1, w)}).second;
  };
}
inline Function jvp_both(Function f, int64_t k) {
  return [=](const Tensor& x, const Tensor& w) {
    const auto [y, dy] = func::jvp(f, std::tuple{x, w}, std::tuple{like(k, x), like(k + 1, w)});
    return flat(y, dy);
  };
}
inline Function jvp0(Function f, int64_t k) {
  return [=](const Tensor& x, const Tensor& w) {
    return func::jvp(std::function<Tensor(const Tensor&)>([=](const Tensor& x) { return f(x, w); }),
                     x, like(k, x))
        .second;
  };
}
inline Function jvp1(Function f, int64_t k) {
  return [=](const Tensor& x, const Tensor& w) {
    return func::jvp(std::function<Tensor(const Tensor&)>([=](const Tensor& w) { return f(x, w); }),
                     w, like(k, w))
        .second;
  };
}
inline Function vjp(Function f, int64_t k) {
  return [=](const Tensor& x, const Tensor& w) {
    const auto [y, pull] = func::vjp(f, x, w);
    return flat(pull(like(k, y)));
  };
}
inline Function vjp_both(Function f, int64_t k) {
  return [=](const Tensor& x, const Tensor& w) {
    const auto [y, pull] = func::vjp(
        std::function<Tensor(const Tensor&)>([=](const Tensor& x) { return f(x, w); }), x);
    return flat(flat(y, pull(like(k, y))), pull(like(k + 1, y)));
  };
}
inline Function linearize(Function f, int64_t k) {
  return [=](const Tensor& x, const Tensor& w) {
    const auto [y, push] = func::linearize(f, std::tuple{x, w});
    return flat(flat(y, push(std::tuple{like(k, x), like(k + 1, w)})),
                push(std::tuple{like(k + 2, x), like(k + 3, w)}));
  };
}
/// For a batch of tangents.
inline Function jvp_batch(Function f, int64_t k) {
  return [=](const Tensor& x, const Tensor& w) {
    const std::function<Tensor(const Tensor&)> one = [=](const Tensor& t) {
      return func::jvp(
                 std::function<Tensor(const Tensor&)>([=](const Tensor& x) { return f(x, w); }), x,
                 t)
          .second;
    };
    Sizes sizes = x.sizes().vec();
    sizes.insert(sizes.begin(), 3);
    return func::vmap(one)(C(k, sizes));
  };
}
/// For a batch of cotangents.
inline Function vjp_batch(Function f, int64_t k) {
  return [=](const Tensor& x, const Tensor& w) {
    const auto [y, pull] = func::vjp(f, x, w);
    const auto all = pull;
    const std::function<Tensor(const Tensor&)> one = [=](const Tensor& v) { return flat(all(v)); };
    Sizes sizes = y.sizes().vec();
    sizes.insert(sizes.begin(), 3);
    return func::vmap(one)(C(k, sizes));
  };
}
inline Function vmap(Function f, torch::optional<int64_t> x, torch::optional<int64_t> w,
                     int64_t out, int64_t chunk) {
  return func::vmap(f, func::VmapOptions().in_dims({x, w}).out_dims({out}).chunk_size(chunk));
}

/// Prints the number of a program, and the sizes and the elements of its result.
template <class Make>
void show(int number, const Make& make) {
  try {
    const Tensor y = make().detach().to(torch::kDouble).contiguous();
    std::printf("%d ok", number);
    for (const int64_t size : y.sizes()) std::printf(" %lld", static_cast<long long>(size));
    std::printf(" |");
    for (int64_t i = 0; i < y.numel(); ++i) std::printf(" %.17g", y.data_ptr<double>()[i]);
  } catch (const std::exception& e) {
    std::printf("%d throws ", number);
    for (const char* c = e.what(); *c && *c != '\n'; ++c) std::putchar(*c);
  }
  std::printf("\n");
  std::fflush(stdout);
}
