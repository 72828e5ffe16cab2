#include <taper/ops/spatial/conv/conv_onednn_parts.h>

#include <algorithm>

namespace torch::taper::cpu::onednn {
namespace {

// Returns the dimension that is split: groups or channels.
int64_t& result_channels(ConvShape& s, ConvPass kind) {
  if (s.groups > 1) return s.groups;
  return kind == ConvPass::kInputGradient ? s.in_channels : s.out_channels;
}

}  // namespace

int64_t image_bytes(const ConvShape& s) {
  const int64_t elements = s.in_channels * s.in_pixels() + s.out_channels * s.out_pixels();
  return std::max<int64_t>(1, s.groups * elements * static_cast<int64_t>(sizeof(float)));
}

int64_t image_work(const ConvShape& s) {
  return std::max<int64_t>(1, s.groups * s.out_channels * s.depth() * s.out_pixels());
}

int64_t most_parts(ConvShape s, ConvPass kind) {
  const int64_t unit = s.groups > 1 ? 1 : channel_block();
  return std::max<int64_t>(1, result_channels(s, kind) / unit);
}

Channels channels_of(const ConvShape& s, ConvPass kind, int64_t part, int64_t parts) {
  Channels c{s};
  int64_t& count = result_channels(c.shape, kind);
  const int64_t unit = s.groups > 1 ? 1 : channel_block(), units = ceil_div(count, unit);
  const int64_t begin = units * part / parts * unit;
  count = std::min(count, units * (part + 1) / parts * unit) - begin;
  if (s.groups > 1) {
    c.x = begin * s.in_channels * s.in_pixels();
    c.b = begin * s.out_channels;
  } else if (kind == ConvPass::kInputGradient) {
    c.x = begin * s.in_pixels();
    c.w = begin * s.kernel_elements();
    return c;
  } else {
    c.b = begin;
  }
  c.y = c.b * s.out_pixels();
  c.w = c.b * s.depth();
  return c;
}

Inner::Inner(const Operand& o, const void* plain)
    : copy_(o.same() ? 0 : o.inner_bytes()), data_(o.same() ? plain : copy_.get()) {
  if (!o.same()) Plan::convert(o, plain, copy_.get());
}

}  // namespace torch::taper::cpu::onednn
