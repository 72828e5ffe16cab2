#include <taper/ops/reduce/sort.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/reduce/reduce_kernels.h>
#include <taper/ops/reduce/sort_kernels.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

struct Sorted {
  Tensor values, indices;
};

int64_t length(const Tensor& x, int64_t dim) { return x.dim() == 0 ? 1 : x.size(dim); }

// Runs `kernel(values, indices, rows)` on x with `dim` last, for results of length k along dim.
template <class Kernel>
Sorted along_rows(const Tensor& x, int64_t dim, int64_t k, const Kernel& kernel) {
  NoGradGuard no_grad;
  const bool last = x.dim() == 0 || dim == x.dim() - 1;
  const Tensor rows = (last ? x.detach() : x.detach().transpose(dim, -1)).contiguous();
  Dims size = rows.sizes();
  if (x.dim() > 0) size.back() = k;
  Tensor values = empty(size, x.options()), indices = empty(size, x.options().dtype(kLong));
  if (rows.numel() > 0 && values.numel() > 0) kernel(values, indices, rows);
  if (last) return {values, indices};
  // If the transposed tensor is row-major, contiguous() returns a view of it.
  const auto restored = [&](const Tensor& t) {
    return detail::share_data(t.transpose(dim, -1).contiguous().impl());
  };
  return {restored(values), restored(indices)};
}

// The gradient goes to the elements that the values came from.
void record_selection(const char* name, const Tensor& x, const Sorted& y, int64_t dim) {
  if (!x.is_floating_point() || !autograd::needs_grad(x)) return;
  autograd::record(
      name, y.values, {x},
      [indices = autograd::saved(y.indices), dim, size = Dims(x.sizes())](const Tensor& gy) {
        return zeros(size, gy.options()).scatter(dim, indices.get(), gy);
      });
}

void check_length(const char* op, int64_t n) {
  TAPER_CHECK(n <= INT64_C(0xffffffff), op, ": expected fewer than 2^32 elements along dim, got ",
              n);
}

}  // namespace

namespace {

std::tuple<Tensor, Tensor> sort_as(const char* name, const Tensor& x, int64_t dim,
                                   bool descending) {
  check_defined("sort", x, "self");
  dim = wrap_dim(name, dim, x.dim());
  const int64_t n = length(x, dim);
  check_length("sort", n);
  Sorted y =
      along_rows(x, dim, n, [&](const Tensor& values, const Tensor& indices, const Tensor& rows) {
        TAPER_ON_DEVICE(rows, sort_rows, values, indices, rows, n, descending);
      });
  record_selection(name, x, y, dim);
  return {y.values, y.indices};
}

}  // namespace

std::tuple<Tensor, Tensor> sort(const Tensor& x, int64_t dim, bool descending) {
  if (auto done = at_door<"sort">(x, dim, descending)) return done;
  return sort_as("SortBackward0", x, dim, descending);
}

std::tuple<Tensor, Tensor> sort(const Tensor& x, optional<bool> stable, int64_t dim,
                                bool descending) {
  if (auto done = at_door<"sort">(x, stable, dim, descending)) return done;
  return sort_as("SortBackward1", x, dim, descending);
}

Tensor argsort(const Tensor& x, int64_t dim, bool descending) {
  if (auto done = at_door<"argsort">(x, dim, descending)) return done;
  return std::get<1>(sort(x.detach(), dim, descending));
}

Tensor msort(const Tensor& x) {
  if (auto done = at_door<"msort">(x)) return done;
  return std::get<0>(sort(x, 0));
}

std::tuple<Tensor, Tensor> topk(const Tensor& x, int64_t k, int64_t dim, bool largest,
                                bool sorted) {
  if (auto done = at_door<"topk">(x, k, dim, largest, sorted)) return done;
  check_defined("topk", x, "self");
  dim = wrap_dim("topk", dim, x.dim());
  const int64_t n = length(x, dim);
  TAPER_CHECK(k >= 0 && k <= n, "topk: selected index k out of range");
  if (x.scalar_type() == kBool) detail::unsupported_dtype("topk_cpu", kBool);
  check_length("topk", n);
  if (x.dim() == 0) k = 1;  // a number has no dimension to leave it out of, as in LibTorch
  Sorted y =
      along_rows(x, dim, k, [&](const Tensor& values, const Tensor& indices, const Tensor& rows) {
        TAPER_ON_DEVICE(rows, topk_rows, values, indices, rows, n, k, largest);
      });
  record_selection("TopkBackward0", x, y, dim);
  return {y.values, y.indices};
}

namespace {

Sorted kth_along(const Tensor& x, int64_t n, int64_t k, int64_t dim) {
  return along_rows(x, dim, 1,
                    [&](const Tensor& values, const Tensor& indices, const Tensor& rows) {
                      TAPER_ON_DEVICE(rows, kth_value, values, indices, rows, n, k);
                    });
}

// Computes kthvalue for a small k by topk, whose heap passes over most elements.
Sorted last_of_topk(const Tensor& x, int64_t k, int64_t dim) {
  const NoGradGuard no_grad;
  const auto [values, indices] = topk(x, k, dim, false);
  return {values.narrow(dim, k - 1, 1).clone(), indices.narrow(dim, k - 1, 1).clone()};
}

}  // namespace

std::tuple<Tensor, Tensor> kthvalue(const Tensor& x, int64_t k, int64_t dim, bool keepdim) {
  if (auto done = at_door<"kthvalue">(x, k, dim, keepdim)) return done;
  check_defined("kthvalue", x, "self");
  dim = wrap_dim("kthvalue", dim, x.dim());
  const int64_t n = length(x, dim);
  TAPER_CHECK(k >= 1 && k <= n, "kthvalue(): selected number k out of range for dimension ", dim);
  if (x.scalar_type() == kBool) detail::unsupported_dtype("kthvalue_cpu", kBool);
  check_length("kthvalue", n);
  const Sorted y = k <= 64 && k * 16 <= n ? last_of_topk(x, k, dim) : kth_along(x, n, k, dim);
  record_selection("KthvalueBackward0", x, y, dim);
  if (keepdim || x.dim() == 0) return {y.values, y.indices};
  return {y.values.squeeze(dim), y.indices.squeeze(dim)};
}

// ---------------------------------------------------------------- methods
std::tuple<Tensor, Tensor> Tensor::sort(int64_t dim, bool descending) const {
  return taper::sort(*this, dim, descending);
}
std::tuple<Tensor, Tensor> Tensor::sort(optional<bool> stable, int64_t dim, bool descending) const {
  return taper::sort(*this, stable, dim, descending);
}
Tensor Tensor::argsort(int64_t dim, bool descending) const {
  return taper::argsort(*this, dim, descending);
}
Tensor Tensor::msort() const { return taper::msort(*this); }
std::tuple<Tensor, Tensor> Tensor::kthvalue(int64_t k, int64_t dim, bool keepdim) const {
  return taper::kthvalue(*this, k, dim, keepdim);
}
std::tuple<Tensor, Tensor> Tensor::topk(int64_t k, int64_t dim, bool largest, bool sorted) const {
  return taper::topk(*this, k, dim, largest, sorted);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(msort, (out, self), msort(self), (self), const Tensor& self)
TAPER_OUT_PAIR(kthvalue, (values, indices, self, k, dim, keepdim), values, indices,
               kthvalue(self, k, dim, keepdim), const Tensor& self, int64_t k, int64_t dim,
               bool keepdim)
TAPER_OUT_PAIR(topk, (values, indices, self, k, dim, largest, sorted), values, indices,
               topk(self, k, dim, largest, sorted), const Tensor& self, int64_t k, int64_t dim,
               bool largest, bool sorted)
TAPER_OUT_PAIR(sort, (values, indices, self, dim, descending), values, indices,
               sort(self, dim, descending), const Tensor& self, int64_t dim, bool descending)
TAPER_OUT_PAIR(sort, (values, indices, self, stable, dim, descending), values, indices,
               sort(self, stable, dim, descending), const Tensor& self, optional<bool> stable,
               int64_t dim, bool descending)

}  // namespace torch::taper
