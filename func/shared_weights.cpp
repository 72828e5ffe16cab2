// Products and convolutions of batches with a weight that all examples share. One call computes the
// values, and the gradient with respect to the weight has a batch. Groups or a loop would read the
// weight once for each example.
#include <taper/func/batch_rules.h>

#include <algorithm>

#include <taper/framework/autograd/record.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/spatial/conv/conv.h>
#include <taper/ops/spatial/pad.h>

namespace torch::taper::func::detail {

using autograd::Grads;
using autograd::needs_grad;
using autograd::record;
using autograd::saved_if;

bool is_shared(const Tensor& batch, const Tensor& other) {
  const bool plain = !note_of(batch) && !note_of(other) && batch.dtype() == other.dtype();
  return plain && batch.size(0) > 1 && batch.stride(0) == 0 && batch.is_floating_point();
}

namespace {

/// Returns f() without a history, and not as a view.
template <class F>
Tensor value_of(const F& f) {
  const NoGradGuard values_only;
  return taper::detail::share_data(f().impl());
}

}  // namespace

// ---------------------------------------------------------------- products
Tensor shared_product(const Tensor& x, const Tensor& w) {
  const Tensor y = value_of([&] { return x.matmul(w.select(0, 0)); });
  if (needs_grad(x, w))
    record("SharedProductBackward0", y, {x, w},
           [xs = saved_if(w.requires_grad(), x), ws = saved_if(x.requires_grad(), w)](Grads& g) {
             std::array<Tensor, 2> r;
             if (g.needs(0)) r[0] = shared_product(g[0], ws.get().transpose(1, 2));
             if (g.needs(1)) {
               const Tensor x = xs.get();
               const int64_t n = x.size(0);
               r[1] = x.reshape({n, -1, x.size(-1)})
                          .transpose(1, 2)
                          .matmul(g[0].reshape({n, -1, g[0].size(-1)}));
             }
             return r;
           });
  return y;
}

// ---------------------------------------------------------------- convolutions
namespace {

/// Returns the product of a list from index `first` on.
int64_t product_from(IntArrayRef sizes, size_t first) {
  int64_t n = 1;
  for (size_t i = first; i < sizes.size(); ++i) n *= sizes[i];
  return n;
}

/// Pads images behind as far as windows reach, which may be less than the padding.
Tensor padded_images(const Tensor& x, IntArrayRef w_sizes, IntArrayRef y_sizes,
                     const Convolution& c) {
  Sizes pads;
  for (size_t d = c.stride.size(); d-- > 0;) {
    const int64_t reach = (y_sizes[d + 2] - 1) * c.stride[d] + c.dilation[d] * (w_sizes[d + 2] - 1);
    pads.push_back(c.padding[d]);
    pads.push_back(reach + 1 - x.sizes()[d + 3] - c.padding[d]);
  }
  return constant_pad_nd(x, pads).contiguous();
}

/// Returns the windows of images x (B, N, C, ...): (B, groups, C / groups * kernel, N * positions).
Tensor windows(const Tensor& x, IntArrayRef w_sizes, IntArrayRef y_sizes, const Convolution& c) {
  const Tensor p = padded_images(x, w_sizes, y_sizes, c);
  const int64_t channels = w_sizes[1];
  Sizes sizes{p.size(0), c.groups, channels};
  Sizes strides{p.stride(0), channels * p.stride(2), p.stride(2)};
  const auto add = [&](int64_t size, int64_t stride) {
    sizes.push_back(size);
    strides.push_back(stride);
  };
  for (size_t d = 0; d < c.stride.size(); ++d)
    add(w_sizes[d + 2], p.strides()[d + 3] * c.dilation[d]);
  add(p.size(1), p.stride(1));
  for (size_t d = 0; d < c.stride.size(); ++d)
    add(y_sizes[d + 2], p.strides()[d + 3] * c.stride[d]);
  return p.as_strided(sizes, strides).reshape({p.size(0), c.groups, product_from(w_sizes, 1), -1});
}

/// Returns the gradient of each example's weight for images x (B, N, C, ...) and gradients
/// y (B, N, O, ...) of the result.
Tensor weight_gradients(const Tensor& x, const Tensor& y, IntArrayRef w_sizes,
                        const Convolution& c) {
  constexpr int64_t kMost = int64_t{1} << 23;  // elements of windows in memory
  const int64_t n = x.size(0), each = product_from(w_sizes, 1) * c.groups * y.numel() /
                                      std::max<int64_t>(1, n * y.size(2));
  const int64_t step = std::clamp<int64_t>(kMost / std::max<int64_t>(1, each), 1, n);
  variable_list all;
  for (int64_t first = 0; first < n; first += step) {
    const int64_t count = std::min(step, n - first);
    const Tensor xs = x.narrow(0, first, count), ys = y.narrow(0, first, count);
    const Tensor columns = windows(xs, w_sizes, ys.sizes().slice(1), c);
    const Tensor rows = ys.unflatten(2, {c.groups, -1})
                            .flatten(4)
                            .permute({0, 2, 3, 1, 4})
                            .reshape({count, c.groups, w_sizes[0] / c.groups, -1});
    Sizes sizes = w_sizes.vec();
    sizes.insert(sizes.begin(), count);
    all.push_back(rows.matmul(columns.transpose(2, 3)).reshape(sizes));
  }
  return all.size() == 1 ? all[0] : cat(all);
}

/// Returns the gradient of images with sizes (B, N, C, ...).
Tensor image_gradients(const Tensor& y, const Tensor& w, const Sizes& x_sizes,
                       const Convolution& c) {
  Sizes beyond;  // the reach of the windows
  for (size_t d = 0; d < c.stride.size(); ++d)
    beyond.push_back(x_sizes[d + 3] + 2 * c.padding[d] - (y.sizes()[d + 3] - 1) * c.stride[d] -
                     c.dilation[d] * (w.sizes()[d + 3] - 1) - 1);
  const Tensor x = value_of([&] {
    return unfolded(convolution(folded(y), w.select(0, 0), Tensor(), c.stride, c.padding,
                                c.dilation, true, beyond, c.groups),
                    y.size(0));
  });
  if (needs_grad(y, w))
    record("SharedConvolutionBackward1", x, {y, w},
           [ys = saved_if(w.requires_grad(), y), ws = saved_if(y.requires_grad(), w),
            w_sizes = w.sizes().slice(1).vec(), c](Grads& g) {
             std::array<Tensor, 2> r;
             if (g.needs(0)) r[0] = shared_convolution(g[0], ws.get(), c);
             if (g.needs(1)) r[1] = weight_gradients(g[0], ys.get(), w_sizes, c);
             return r;
           });
  return x;
}

}  // namespace

Tensor shared_convolution(const Tensor& x, const Tensor& w, const Convolution& c) {
  const Tensor y = value_of([&] {
    const Sizes none(c.stride.size(), 0);
    return unfolded(convolution(folded(x), w.select(0, 0), Tensor(), c.stride, c.padding,
                                c.dilation, false, none, c.groups),
                    x.size(0));
  });
  if (needs_grad(x, w))
    record("SharedConvolutionBackward0", y, {x, w},
           [xs = saved_if(w.requires_grad(), x), ws = saved_if(x.requires_grad(), w),
            x_sizes = x.sizes().vec(), w_sizes = w.sizes().slice(1).vec(), c](Grads& g) {
             std::array<Tensor, 2> r;
             if (g.needs(0)) r[0] = image_gradients(g[0], ws.get(), x_sizes, c);
             if (g.needs(1)) r[1] = weight_gradients(xs.get(), g[0], w_sizes, c);
             return r;
           });
  return y;
}

}  // namespace torch::taper::func::detail
