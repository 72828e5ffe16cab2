#include <taper/ops/shared/foreach_norm.h>

#include <cmath>
#include <functional>

#include <taper/framework/kernel/iterate.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/shared/foreach_kernels.h>
#include <taper/ops/tensor/cat.h>

namespace torch::taper::detail {
namespace {

using Launcher = std::function<void(const Tensor&, const TensorLists&, NoNumbers)>;

/// Norms by list kernels: two launches per list compute their sums of parts.
class ListedNorms {
 public:
  ListedNorms(size_t count, double order, bool root)
      : count_(count), order_(order), root_(root), gathered_(1, launcher(), /*numbered=*/true) {}
  void add(const Tensor& x, size_t i) {
    norms_on(x.device());
    gathered_.add({}, {&x}, i);
  }
  void finish() { gathered_.launch(); }
  Tensor result(const Tensor& x, size_t i) {
    for (const Tensor& made : converted_)
      if (made.device() == x.device() && made.scalar_type() == x.scalar_type())
        return made.select(0, static_cast<int64_t>(i)).detach();
    converted_.push_back(norms_on(x.device()).to(x.scalar_type()));
    return result(x, i);
  }

 private:
  const Tensor& norms_on(Device device) {
    for (const Tensor& t : norms_)
      if (t.device() == device) return t;
    norms_.push_back(make_tensor({static_cast<int64_t>(count_)}, kDouble, device));
    norms_.back().zero_();
    return norms_.back();
  }
  Launcher launcher() {
    return
        [this](const Tensor& where, const TensorLists& lists, NoNumbers) { launch(where, lists); };
  }
  void launch(const Tensor& where, const TensorLists& lists) {
    const Tensor parts = make_tensor({lists.chunks()}, kDouble, where.device());
    TAPER_ON_DEVICE(where, foreach_norm_parts, parts, lists, order_);
    TAPER_ON_DEVICE(where, foreach_norm_join, norms_on(where.device()), parts, lists, order_,
                    root_);
  }

  size_t count_;
  double order_;
  bool root_;
  std::vector<Tensor> norms_, converted_;
  GatheredLaunches<NoNumbers, Launcher> gathered_;
};

/// Joins all parts of a device.
Tensor join(const std::vector<Tensor>& parts, bool largest) {
  const Tensor all = parts.size() == 1 ? parts[0] : stack(parts);
  return largest ? all.max() : all.sum();
}

Tensor one_norm(const Tensor& x, const Scalar& order, optional<ScalarType> dtype, bool root) {
  if (root) return linalg_vector_norm(x, order, nullopt, false, dtype);
  const Tensor values = dtype ? x.to(*dtype) : x;
  return values.abs().pow(order).sum();
}

}  // namespace

std::vector<Tensor> foreach_norms(TensorList self, const Scalar& order, optional<ScalarType> dtype,
                                  bool root) {
  const char* const name = root ? "_foreach_norm" : "_foreach_powsum";
  TAPER_CHECK(!self.empty(), name, ": Tensor list must have at least one tensor.");
  for (const Tensor& t : self) check_defined(name, t, "self");
  const double p = order.toDouble();
  const bool listed = !dtype && (p == 1 || p == 2 || (std::isinf(p) && p > 0 && root));
  ListedNorms norms(self.size(), p, root);
  const auto fits_list = [&](const Tensor& x) { return listed && x.numel() > 0 && lists_take(x); };
  for (size_t i = 0; i < self.size(); ++i)
    if (fits_list(self[i])) norms.add(self[i], i);
  norms.finish();
  std::vector<Tensor> made;
  for (size_t i = 0; i < self.size(); ++i)
    made.push_back(fits_list(self[i]) ? norms.result(self[i], i)
                                      : one_norm(self[i], order, dtype, root));
  return made;
}

Tensor norm_of_all(TensorList self, double order) {
  const bool largest = std::isinf(order);
  std::vector<Tensor> norms;
  const auto launch = [&](const Tensor& where, const TensorLists& lists, NoNumbers) {
    const Tensor parts = make_tensor({lists.chunks()}, kDouble, where.device());
    TAPER_ON_DEVICE(where, foreach_norm_parts, parts, lists, order);
    norms.push_back(join({parts}, largest).to(self[0].device()));
  };
  std::vector<Tensor> dense;  // lives until everything is launched
  GatheredLaunches<NoNumbers, decltype(launch)> gathered(1, launch);
  for (const Tensor& t : self) dense.push_back(t.contiguous());
  for (const Tensor& t : dense) gathered.add({}, {&t});
  gathered.launch();
  if (norms.empty()) return make_tensor({}, kDouble, self[0].device()).zero_();
  const Tensor all = join(norms, largest);
  return order == 2 ? all.sqrt() : all;
}

}  // namespace torch::taper::detail
