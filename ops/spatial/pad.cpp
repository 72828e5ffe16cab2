#include <taper/ops/spatial/pad.h>

#include <algorithm>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view_part.h>

namespace torch::taper {

namespace {

/// Elements to add before and after a dimension.
struct Padding {
  int64_t before, after;
};

Padding padding_of(IntArrayRef pad, int64_t d, int64_t rank) {
  const auto i = static_cast<size_t>(2 * (rank - 1 - d));
  return i + 1 < pad.size() ? Padding{pad[i], pad[i + 1]} : Padding{0, 0};
}

void check_padding(const Tensor& x, IntArrayRef pad) {
  TAPER_CHECK(pad.size() % 2 == 0, "pad: Padding length must be divisible by 2");
  TAPER_CHECK(static_cast<int64_t>(pad.size() / 2) <= x.dim(), "pad: Padding length too large");
}

Dims padded_sizes(const Tensor& x, IntArrayRef pad) {
  Dims size = x.sizes();
  for (int64_t d = 0; d < x.dim(); ++d) {
    const Padding p = padding_of(pad, d, x.dim());
    size[d] = detail::checked_add("pad", detail::checked_add("pad", size[d], p.before), p.after);
    TAPER_CHECK(size[d] >= 0, "pad: The input size ", x.size(d), ", plus negative padding ",
                p.before, " and ", p.after,
                ", resulted in a negative output size, which is invalid. Check dimension ", d,
                " of your input.");
    // Removed elements must exist, even if the other side adds some.
    TAPER_CHECK(std::min(p.before, int64_t{0}) + std::min(p.after, int64_t{0}) >= -x.size(d),
                "pad: narrow(): length must be non-negative. Expected negative padding of at most ",
                x.size(d), " elements of dimension ", d, ", got ", p.before, " and ", p.after);
  }
  return size;
}

// Returns the part of `whole` that padding of the given signs neither adds nor removes.
Tensor kept_part(Tensor whole, IntArrayRef pad, int64_t sign) {
  for (int64_t d = 0; d < whole.dim(); ++d) {
    const Padding p = padding_of(pad, d, whole.dim());
    const int64_t before = std::max<int64_t>(0, sign * p.before);
    const int64_t after = std::max<int64_t>(0, sign * p.after);
    const int64_t length = whole.size(d) - before - after;
    if (length <= 0) return Tensor();
    if (before || after) whole = whole.narrow(d, before, length);
  }
  return whole;
}

}  // namespace

Tensor constant_pad_nd(const Tensor& x, IntArrayRef pad, const Scalar& value) {
  if (auto done = at_door<"constant_pad_nd">(x, pad, value)) return done;
  check_defined("pad", x, "self");
  check_padding(x, pad);
  Tensor y = full(padded_sizes(x, pad), value, x.options());
  {
    NoGradGuard no_grad;
    const Tensor to = kept_part(y, pad, 1), from = kept_part(x.detach(), pad, -1);
    if (to.defined() && from.defined() && to.numel() > 0) to.copy_(from);
  }
  if (needs_grad(x)) {
    std::vector<int64_t> back = pad.vec();
    for (int64_t& p : back) p = -p;
    record("ConstantPadNdBackward0", y, {x},
           [back](const Tensor& gy) { return constant_pad_nd(gy, back, 0); });
  }
  return y;
}

namespace {

enum class Edge { kReflect, kReplicate, kCircular };
// The elements of a dimension of n that negative padding leaves.
struct Kept {
  int64_t first, count;
};

Kept kept_of(int64_t n, Padding p) {
  const int64_t first = std::max<int64_t>(-p.before, 0);
  return {first, n - first - std::max<int64_t>(-p.after, 0)};
}

// Returns the index of x's element for each element of the padded dimension.
Tensor source_indices(int64_t n, Padding p, Edge edge, Device device) {
  const Tensor i = arange(-p.before, n + p.after, TensorOptions(kLong).device(device));
  if (edge == Edge::kReplicate) return i.clamp(0, n - 1);
  const Kept kept = kept_of(n, p);
  if (edge == Edge::kCircular) return (i - kept.first).remainder(kept.count) + kept.first;
  return (n - 1) - ((n - 1) - i.abs()).abs();
}

void check_edges(const Tensor& x, IntArrayRef pad, Edge edge) {
  for (int64_t d = 0; d < x.dim(); ++d) {
    const Padding p = padding_of(pad, d, x.dim());
    if (p.before == 0 && p.after == 0) continue;
    const int64_t n = x.size(d), most = std::max(p.before, p.after);
    TAPER_CHECK(n > 0, "pad: expected a non-empty dimension ", d, " to pad, got sizes ", x.sizes());
    TAPER_CHECK(kept_of(n, p).count > 0,
                "pad: Negative padding value is resulting in an empty "
                "dimension: expected it to leave something of dimension ",
                d, ", got padding (", p.before, ", ", p.after, ") of sizes ", x.sizes());
    if (edge == Edge::kReflect)
      TAPER_CHECK(most < n,
                  "pad: Argument #4: Padding size should be less than the corresponding input "
                  "dimension, but got: padding (",
                  p.before, ", ", p.after, ") at dimension ", d, " of input ", x.sizes());
    if (edge == Edge::kCircular)
      TAPER_CHECK(most <= n, "pad: Padding value causes wrapping around more than once.");
  }
}

Tensor pad_edges(const char* node, const Tensor& x, IntArrayRef pad, Edge edge) {
  check_defined("pad", x, "self");
  check_padding(x, pad);
  const Dims size = padded_sizes(x, pad);
  check_edges(x, pad, edge);
  std::vector<Tensor> sources(static_cast<size_t>(x.dim()));
  Tensor y = x.detach();
  {
    NoGradGuard no_grad;
    for (int64_t d = 0; d < x.dim(); ++d) {
      if (size[d] == x.size(d) && padding_of(pad, d, x.dim()).before == 0) continue;
      sources[d] = source_indices(x.size(d), padding_of(pad, d, x.dim()), edge, x.device());
      y = y.index_select(d, sources[d]);
    }
    if (y.is_alias_of(x)) y = y.clone();
  }
  if (needs_grad(x)) {
    std::vector<autograd::Saved> saved;
    for (const Tensor& s : sources) saved.push_back(autograd::saved_if(s.defined(), s));
    record(node, y, {x}, [saved, sizes = Dims(x.sizes())](const Tensor& gy) {
      Tensor gx = gy;
      for (int64_t d = gy.dim() - 1; d >= 0; --d) {
        if (!saved[d].defined()) continue;
        Dims size = gx.sizes();
        size[d] = sizes[d];
        gx = zeros(size, gx.options()).index_add(d, saved[d].get(), gx);
      }
      return gx;
    });
  }
  return y;
}

// Returns the padding of the dimensions before d only.
Dims padding_before(IntArrayRef pad, int64_t d, int64_t rank) {
  Dims outer(static_cast<int64_t>(pad.size()), 0);
  for (int64_t i = 2 * (rank - d); i < outer.size(); ++i) outer[i] = pad[static_cast<size_t>(i)];
  return outer;
}

// Returns x with edges that repeat the opposite ones. x is copied into the middle. Then the edges
// are filled from there, from the last dimension on.
Tensor wrapped(const Tensor& x, IntArrayRef pad) {
  const int64_t rank = x.dim();
  const Tensor y = detail::make_tensor(padded_sizes(x, pad), x.scalar_type(), x.device());
  if (y.numel() == 0) return y;
  kept_part(y, pad, 1).copy_(x);
  for (int64_t d = rank - 1; d >= 0; --d) {
    const auto [before, after] = padding_of(pad, d, rank);
    const Tensor part = kept_part(y, padding_before(pad, d, rank), 1);
    if (before > 0) part.narrow(d, 0, before).copy_(part.narrow(d, x.size(d), before));
    if (after > 0) part.narrow(d, before + x.size(d), after).copy_(part.narrow(d, before, after));
  }
  return y;
}

// Returns the gradient of wrapped(): gradients of the edges are added to the opposite ones.
Tensor unwrapped(const Tensor& gy, IntArrayRef pad) {
  Tensor gx = gy;
  for (int64_t d = 0; d < gy.dim(); ++d) {
    const auto [before, after] = padding_of(pad, d, gy.dim());
    if (before == 0 && after == 0) continue;
    const int64_t n = gx.size(d) - before - after;
    const Tensor middle = gx.narrow(d, before, n).clone();
    if (before > 0) middle.narrow(d, n - before, before).add_(gx.narrow(d, 0, before));
    if (after > 0) middle.narrow(d, 0, after).add_(gx.narrow(d, before + n, after));
    gx = middle;
  }
  return gx;
}

Tensor pad_circular(const Tensor& x, IntArrayRef pad) {
  const char* node = "CircularPadBackward0";
  if (std::any_of(pad.begin(), pad.end(), [](int64_t p) { return p < 0; }))
    return pad_edges(node, x, pad, Edge::kCircular);
  check_edges(x, pad, Edge::kCircular);
  const Tensor y = [&] {
    const NoGradGuard no_grad;
    return wrapped(x.detach(), pad);
  }();
  if (needs_grad(x))
    record(node, y, {x}, [pad = Dims(pad)](const Tensor& gy) { return unwrapped(gy, pad); });
  return y;
}

// Pads `spatial` dimensions after a batch and a channel dimension, or after a channel dimension.
Tensor pad_spatial(const char* node, const Tensor& x, IntArrayRef pad, int64_t spatial, Edge edge) {
  check_defined("pad", x, "self");
  TAPER_CHECK(static_cast<int64_t>(pad.size()) == 2 * spatial,
              "pad: padding size is expected to be ", 2 * spatial, ", but got: ", pad.size());
  TAPER_CHECK(x.dim() == spatial + 1 || x.dim() == spatial + 2, "pad: Expected ", spatial + 1,
              "D or ", spatial + 2, "D (batch mode) tensor for input, but got: ", x.sizes());
  return pad_edges(node, x, pad, edge);
}

}  // namespace

Tensor reflection_pad1d(const Tensor& x, IntArrayRef padding) {
  if (auto done = at_door<"reflection_pad1d">(x, padding)) return done;
  return pad_spatial("ReflectionPad1DBackward0", x, padding, 1, Edge::kReflect);
}
Tensor reflection_pad2d(const Tensor& x, IntArrayRef padding) {
  if (auto done = at_door<"reflection_pad2d">(x, padding)) return done;
  return pad_spatial("ReflectionPad2DBackward0", x, padding, 2, Edge::kReflect);
}
Tensor reflection_pad3d(const Tensor& x, IntArrayRef padding) {
  if (auto done = at_door<"reflection_pad3d">(x, padding)) return done;
  return pad_spatial("ReflectionPad3DBackward0", x, padding, 3, Edge::kReflect);
}
Tensor replication_pad1d(const Tensor& x, IntArrayRef padding) {
  if (auto done = at_door<"replication_pad1d">(x, padding)) return done;
  return pad_spatial("ReplicationPad1DBackward0", x, padding, 1, Edge::kReplicate);
}
Tensor replication_pad2d(const Tensor& x, IntArrayRef padding) {
  if (auto done = at_door<"replication_pad2d">(x, padding)) return done;
  return pad_spatial("ReplicationPad2DBackward0", x, padding, 2, Edge::kReplicate);
}
Tensor replication_pad3d(const Tensor& x, IntArrayRef padding) {
  if (auto done = at_door<"replication_pad3d">(x, padding)) return done;
  return pad_spatial("ReplicationPad3DBackward0", x, padding, 3, Edge::kReplicate);
}

Tensor pad(const Tensor& x, IntArrayRef pad, std::string_view mode, optional<double> value) {
  if (auto done = at_door<"pad">(x, pad, mode, value)) return done;
  check_defined("pad", x, "self");
  check_padding(x, pad);
  if (mode == "constant") return constant_pad_nd(x, pad, value.value_or(0));
  TAPER_CHECK(!value || *value == 0, "pad: Padding mode \"", mode,
              "\" doesn't take in value argument");
  const int64_t spatial = static_cast<int64_t>(pad.size() / 2);
  TAPER_CHECK_AS(
      NotImplementedError,
      spatial >= 1 && spatial <= 3 && (x.dim() == spatial + 1 || x.dim() == spatial + 2),
      "pad: Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now");
  if (mode == "reflect")
    return spatial == 1   ? reflection_pad1d(x, pad)
           : spatial == 2 ? reflection_pad2d(x, pad)
                          : reflection_pad3d(x, pad);
  if (mode == "replicate")
    return spatial == 1   ? replication_pad1d(x, pad)
           : spatial == 2 ? replication_pad2d(x, pad)
                          : replication_pad3d(x, pad);
  TAPER_CHECK_AS(NotImplementedError, mode == "circular", "pad: Unrecognised padding mode ", mode);
  return pad_circular(x, pad);
}

}  // namespace torch::taper
