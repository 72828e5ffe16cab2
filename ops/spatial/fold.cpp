#include <taper/ops/spatial/fold.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/ops/spatial/fold_kernels.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace {

// ---------------------------------------------------------------------- the pair of adjoints
// Images are (N, C, H, W), columns (N, C * kernel elements, windows).
struct Sizes {
  Dims images, columns;
};

Tensor to_images(const Tensor& columns, const Sizes& sizes, const FoldWindows& w);

Tensor to_columns(const Tensor& images, const Sizes& sizes, const FoldWindows& w) {
  Tensor y = detail::make_tensor(sizes.columns, images.scalar_type(), images.device());
  const Tensor x = images.contiguous();
  TAPER_ON_DEVICE(y, im2col, y, x, w);
  if (needs_grad(images))
    record("Im2ColBackward0", y, {images},
           [sizes, w](const Tensor& g) { return to_images(g, sizes, w); });
  return y;
}

Tensor to_images(const Tensor& columns, const Sizes& sizes, const FoldWindows& w) {
  Tensor y = detail::make_tensor(sizes.images, columns.scalar_type(), columns.device());
  const Tensor x = columns.contiguous();
  TAPER_ON_DEVICE(y, col2im, y, x, w);
  if (needs_grad(columns))
    record("Col2ImBackward0", y, {columns},
           [sizes, w](const Tensor& g) { return to_columns(g, sizes, w); });
  return y;
}

// ---------------------------------------------------------------------- checks and shapes
void take_pair(const char* op, const char* what, int64_t (&to)[2], IntArrayRef from) {
  TAPER_CHECK(from.size() == 1 || from.size() == 2, op, ": It is expected ", what,
              " equals to 2, but got size ", from.size());
  for (size_t d = 0; d < 2; ++d) to[d] = from.size() == 1 ? from[0] : from[d];
}

FoldWindows windows_from(const char* op, IntArrayRef kernel, IntArrayRef dilation,
                         IntArrayRef padding, IntArrayRef stride) {
  FoldWindows w{};
  take_pair(op, "kernel_size", w.kernel, kernel);
  take_pair(op, "dilation", w.dilation, dilation);
  take_pair(op, "padding", w.padding, padding);
  take_pair(op, "stride", w.stride, stride);
  const auto check = [op](const char* what, const char* name, const int64_t(&v)[2], int64_t least) {
    TAPER_CHECK(v[0] >= least && v[1] >= least, op, ": ", what, " should be ",
                least ? "greater than zero" : "non-negative", ", but got ", name, "_height: ", v[0],
                " ", name, "_width: ", v[1]);
  };
  check("kernel size", "kernel", w.kernel, 1);
  check("dilation", "dilation", w.dilation, 1);
  check("padding", "pad", w.padding, 0);
  check("stride", "stride", w.stride, 1);
  detail::checked_mul("kernel_size", w.kernel[0], w.kernel[1]);
  return w;
}

std::string pair(const int64_t (&v)[2]) {
  return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ")";
}

void count_windows(const char* op, FoldWindows& w) {
  for (int d = 0; d < 2; ++d) {
    const int64_t padded =
        detail::checked_add(op, w.image[d], detail::checked_mul(op, 2, w.padding[d]));
    const int64_t reach = detail::checked_mul(op, w.dilation[d], w.kernel[d] - 1);
    const int64_t room = padded - reach - 1;
    // No window fits. The quotient is rounded down.
    w.windows[d] = room < 0 ? -((-room - 1) / w.stride[d]) : room / w.stride[d] + 1;
  }
}

bool positive(IntArrayRef sizes) {
  for (int64_t s : sizes)
    if (s == 0) return false;
  return true;
}

void check_columns(const Tensor& x, const FoldWindows& w) {
  const int64_t rows = x.size(-2), columns = x.size(-1);
  TAPER_CHECK(rows % w.kernel_elements() == 0,
              "col2im: Expected size of input's dimension 1 to be divisible by the "
              "product of kernel_size, but got input.size(1)=",
              rows, " and kernel_size=", pair(w.kernel), ".");
  TAPER_CHECK(w.windows[0] > 0 && w.windows[1] > 0 && columns == w.columns(),
              "col2im: Given output_size=", pair(w.image), ", kernel_size=", pair(w.kernel),
              ", dilation=", pair(w.dilation), ", padding=", pair(w.padding),
              ", stride=", pair(w.stride),
              ", expected size of input's dimension 2 to match the calculated number of sliding "
              "blocks ",
              w.windows[0], " * ", w.windows[1], " = ", w.columns(),
              ", but got input.size(2)=", columns, ".");
}

void check_floats(const char* op, const Tensor& x) {
  if (!x.is_floating_point()) detail::unsupported_dtype(op, x.scalar_type());
}

}  // namespace

Tensor im2col(const Tensor& self, IntArrayRef kernel_size, IntArrayRef dilation,
              IntArrayRef padding, IntArrayRef stride) {
  if (auto done = at_door<"im2col">(self, kernel_size, dilation, padding, stride)) return done;
  check_defined("im2col", self, "input");
  FoldWindows w = windows_from("im2col", kernel_size, dilation, padding, stride);
  const bool batch = self.dim() == 4;
  TAPER_CHECK(
      (batch || self.dim() == 3) && positive(self.sizes().slice(batch ? 1 : 0)),
      "im2col: Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
      "dimensions for input, but got: ",
      self.sizes());
  if (!batch) return im2col(self.unsqueeze(0), kernel_size, dilation, padding, stride).squeeze(0);
  if (self.is_complex())
    return detail::of_parts(
        self, [&](const Tensor& x) { return im2col(x, kernel_size, dilation, padding, stride); });
  check_floats("im2col_out_cpu", self);
  w.planes = self.size(0) * self.size(1);
  for (int d = 0; d < 2; ++d) w.image[d] = self.size(d + 2);
  count_windows("im2col", w);
  TAPER_CHECK(w.windows[0] > 0 && w.windows[1] > 0, "im2col: Given input with spatial size ",
              pair(w.image), ", kernel_size=", pair(w.kernel), ", dilation=", pair(w.dilation),
              ", padding=", pair(w.padding),
              ", calculated shape of the array of sliding blocks as ", pair(w.windows),
              ", but its components must be at least one.");
  return to_columns(
      self,
      {self.sizes(),
       {self.size(0), detail::checked_mul("im2col", self.size(1), w.kernel_elements()),
        detail::checked_mul("im2col", w.windows[0], w.windows[1])}},
      w);
}

Tensor col2im(const Tensor& self, IntArrayRef output_size, IntArrayRef kernel_size,
              IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
  if (auto done = at_door<"col2im">(self, output_size, kernel_size, dilation, padding, stride))
    return done;
  check_defined("col2im", self, "input");
  FoldWindows w = windows_from("col2im", kernel_size, dilation, padding, stride);
  take_pair("col2im", "output_size", w.image, output_size);
  const bool batch = self.dim() == 3;
  TAPER_CHECK(
      (batch || self.dim() == 2) && positive(self.sizes().slice(batch ? 1 : 0)),
      "col2im: Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
      "non-zero dimensions for input, but got: ",
      self.sizes());
  count_windows("col2im", w);
  check_columns(self, w);
  if (self.is_complex())
    return detail::of_parts(self, [&](const Tensor& x) {
      return col2im(x, output_size, kernel_size, dilation, padding, stride);
    });
  check_floats("col2im_out_cpu", self);
  if (!batch)
    return col2im(self.unsqueeze(0), output_size, kernel_size, dilation, padding, stride)
        .squeeze(0);
  const int64_t channels = self.size(1) / w.kernel_elements();
  w.planes = self.size(0) * channels;
  return to_images(self, {{self.size(0), channels, w.image[0], w.image[1]}, self.sizes()}, w);
}

// ---------------------------------------------------------------------- shuffles
namespace {

void check_images(const char* op, const Tensor& x) {
  check_defined(op, x, "input");
  TAPER_CHECK(x.dim() >= 3, op, " expects input to have at least 3 dimensions, but got input with ",
              x.dim(), " dimension(s)");
}

// Views x's last three dimensions as `parts`, permutes them, and views them as `last`. The first of
// the order is the third last dimension.
Tensor regroup(const Tensor& x, const Dims& parts, std::initializer_list<int64_t> order,
               const Dims& last) {
  const IntArrayRef lead = x.sizes().slice(0, static_cast<size_t>(x.dim() - 3));
  Dims seen = lead, places = lead, result = lead;
  for (int64_t d = 0; d < places.size(); ++d) places[d] = d;
  for (int64_t p : parts) seen.push_back(p);
  for (int64_t o : order) places.push_back(x.dim() - 3 + o);
  for (int64_t s : last) result.push_back(s);
  // Copies even if nothing moves, because callers write into the result.
  return _unsafe_view(x.reshape(seen).permute(places).clone(MemoryFormat::Contiguous), result);
}

}  // namespace

Tensor pixel_shuffle(const Tensor& self, int64_t upscale_factor) {
  if (auto done = at_door<"pixel_shuffle">(self, upscale_factor)) return done;
  check_images("pixel_shuffle", self);
  const int64_t r = upscale_factor, h = self.size(-2), w = self.size(-1);
  TAPER_CHECK(r > 0, "pixel_shuffle expects a positive upscale_factor, but got ", r);
  // Divides by r twice, because its square may overflow.
  TAPER_CHECK(self.size(-3) % r == 0 && self.size(-3) / r % r == 0,
              "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
              "of upscale_factor, but input.size(-3)=",
              self.size(-3), " is not divisible by ",
              static_cast<uint64_t>(r) * static_cast<uint64_t>(r));
  const int64_t c = self.size(-3) / r / r;
  return regroup(self, {c, r, r, h, w}, {0, 3, 1, 4, 2}, {c, h * r, w * r});
}

Tensor pixel_unshuffle(const Tensor& self, int64_t downscale_factor) {
  if (auto done = at_door<"pixel_unshuffle">(self, downscale_factor)) return done;
  check_images("pixel_unshuffle", self);
  const int64_t r = downscale_factor, c = self.size(-3);
  TAPER_CHECK(r > 0, "pixel_unshuffle expects a positive downscale_factor, but got ", r);
  TAPER_CHECK(self.size(-2) % r == 0,
              "pixel_unshuffle expects height to be divisible by "
              "downscale_factor, but input.size(-2)=",
              self.size(-2), " is not divisible by ", r);
  TAPER_CHECK(self.size(-1) % r == 0,
              "pixel_unshuffle expects width to be divisible by "
              "downscale_factor, but input.size(-1)=",
              self.size(-1), " is not divisible by ", r);
  const int64_t h = self.size(-2) / r, w = self.size(-1) / r;
  return regroup(self, {c, h, r, w, r}, {0, 2, 4, 1, 3}, {c * r * r, h, w});
}

Tensor channel_shuffle(const Tensor& self, int64_t groups) {
  if (auto done = at_door<"channel_shuffle">(self, groups)) return done;
  check_defined("channel_shuffle", self, "input");
  TAPER_CHECK(self.dim() > 2,
              "channel_shuffle expects input with > 2 dims, but got input with "
              "sizes ",
              self.sizes());
  TAPER_CHECK(groups > 0,
              "channel_shuffle: Number of groups to divide channels in must be positive. Value of "
              "groups:",
              groups);
  const int64_t c = self.size(1);
  TAPER_CHECK(c % groups == 0,
              "channel_shuffle: Number of channels must be divisible by groups. Got ", c,
              " channels and ", groups, " groups.");
  Dims seen{self.size(0), groups, c / groups};
  for (int64_t d = 2; d < self.dim(); ++d) seen.push_back(self.size(d));
  const Tensor shuffled = self.reshape(seen).transpose(1, 2).clone(MemoryFormat::Contiguous);
  return _unsafe_view(shuffled, self.sizes());
}

}  // namespace torch::taper
