#include <taper/framework/core/shape.h>

namespace torch::taper {

int64_t wrap_dim(const char* op, int64_t dim, int64_t rank) {
  if (static_cast<uint64_t>(dim) < static_cast<uint64_t>(rank)) return dim;
  const int64_t n = rank > 0 ? rank : 1;
  TAPER_CHECK_INDEX(dim >= -n && dim < n, op,
                    ": Dimension out of range (expected to be in range of [", -n, ", ", n - 1,
                    "], but got ", dim, ")");
  return dim < 0 ? dim + n : dim;
}

Dims wrap_dims(const char* op, IntArrayRef dims, int64_t rank) {
  TAPER_CHECK(dims.size() <= static_cast<size_t>(kMaxDims), op, ": expected at most ", kMaxDims,
              " dims, got ", dims.size());
  Dims out;
  uint32_t seen = 0;
  for (int64_t d : dims) {
    const int64_t w = wrap_dim(op, d, rank);
    TAPER_CHECK(!(seen >> w & 1), op, ": dim ", w, " appears multiple times in the list of dims");
    seen |= 1u << w;
    out.push_back(w);
  }
  return out;
}

namespace {

// Handles every shape, and raises the errors.
__attribute__((noinline)) Dims infer_any_size(const char* op, IntArrayRef shape, int64_t numel) {
  Dims out(shape);
  int64_t known = 1, unknown = -1;
  bool overflow = false;
  for (int64_t d = 0; d < out.size(); ++d) {
    if (out[d] == -1) {
      TAPER_CHECK(unknown < 0, op, ": only one dimension can be inferred");
      unknown = d;
      continue;
    }
    TAPER_CHECK(out[d] >= 0, op, ": invalid shape dimension ", out[d]);
    overflow |= __builtin_mul_overflow(known, out[d], &known);
  }
  TAPER_CHECK(!overflow, op, ": shape '", shape, "' is invalid for input of size ", numel);
  if (unknown < 0) {
    TAPER_CHECK(known == numel, op, ": shape '", shape, "' is invalid for input of size ", numel);
    return out;
  }
  TAPER_CHECK(known != 0 || numel != 0, op, ": cannot reshape tensor of 0 elements into shape ",
              shape,
              " because the unspecified dimension size -1 can be any value and is ambiguous");
  TAPER_CHECK(known != 0 && numel % known == 0, op, ": shape '", shape,
              "' is invalid for input of size ", numel);
  out[unknown] = numel / known;
  return out;
}

}  // namespace

Dims infer_size(const char* op, IntArrayRef shape, int64_t numel) {
  Dims out;
  out.resize(static_cast<int64_t>(shape.size()));
  int64_t known = 1;
  bool plain = true;  // true for sizes without -1 that multiply up to numel
  for (int64_t d = 0; d < out.size(); ++d) {
    const int64_t size = out[d] = shape[static_cast<size_t>(d)];
    plain &= size >= 0;
    plain &= !__builtin_mul_overflow(known, size, &known);
  }
  if (__builtin_expect(!plain || known != numel, 0)) out = infer_any_size(op, shape, numel);
  return out;
}

int64_t checked_numel(IntArrayRef sizes, const char* op) {
  int64_t n = 1;
  for (int64_t s : sizes) {
    TAPER_CHECK(s >= 0, op, ": Trying to create tensor with negative dimension ", s, ": ", sizes);
    TAPER_CHECK(!__builtin_mul_overflow(n, s, &n), op,
                ": numel: integer multiplication overflow for sizes ", sizes);
  }
  return n;
}

optional<Dims> view_strides(const Dims& sizes, const Dims& strides, const Dims& shape) {
  Dims out(shape.size(), 1);
  int64_t numel = 1;
  for (int64_t s : sizes) numel *= s;
  if (numel == 0 || sizes.empty()) {
    contiguous_strides(shape, out);
    return out;
  }
  // Walks both shapes from the back. A run of dimensions that is contiguous in memory can be split
  // in any way. A new dimension must not cross the border of a run.
  int64_t v = shape.size() - 1;
  int64_t run = 1, viewed = 1, base = strides.back();
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    run *= sizes[d];
    const bool ends = d == 0 || (sizes[d - 1] != 1 && strides[d - 1] != run * base);
    if (!ends) continue;
    while (v >= 0 && (viewed < run || shape[v] == 1)) {
      out[v] = viewed * base;
      viewed *= shape[v];
      --v;
    }
    if (viewed != run) return nullopt;
    if (d > 0) {
      base = strides[d - 1];
      run = viewed = 1;
    }
  }
  return v == -1 ? optional<Dims>(out) : nullopt;
}

Dims channels_last_strides(const char* op, IntArrayRef sizes, MemoryFormat format) {
  const bool three = format == MemoryFormat::ChannelsLast3d;
  const int64_t rank = three ? 5 : 4;
  TAPER_CHECK(sizes.size() == static_cast<size_t>(rank), op, ": required rank ", rank,
              " tensor to use channels_last", three ? "_3d" : "", " format");
  Dims strides(rank, 1);
  int64_t step = sizes[1];
  for (int64_t d = rank - 1; d >= 2; --d) {
    strides[d] = step;
    step *= sizes[static_cast<size_t>(d)];
  }
  strides[0] = step;
  return strides;
}

void check_same_device(const char* op, const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return;
  TAPER_CHECK(a.device() == b.device(), op,
              ": Expected all tensors to be on the same device, but found at least two devices, ",
              a.device(), " and ", b.device(), "!");
}

void check_defined(const char* op, const Tensor& t, const char* argument) {
  TAPER_CHECK(t.defined(), op, ": expected a defined tensor as argument '", argument,
              "', got an undefined one");
}

}  // namespace torch::taper
