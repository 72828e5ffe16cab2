#include <taper/framework/core/float8.h>
#include <taper/framework/kernel/iterate.h>

#include <algorithm>

namespace torch::taper {

Dims broadcast_shapes(const char* op, IntArrayRef a, IntArrayRef b) {
  const int64_t na = static_cast<int64_t>(a.size()), nb = static_cast<int64_t>(b.size());
  Dims out(std::max(na, nb), 1);
  for (int64_t i = 1; i <= out.size(); ++i) {
    const int64_t sa = i <= na ? a[na - i] : 1, sb = i <= nb ? b[nb - i] : 1;
    TAPER_CHECK(sa == sb || sa == 1 || sb == 1, op, ": The size of tensor a (", sa,
                ") must match the size of tensor b (", sb, ") at non-singleton dimension ",
                out.size() - i);
    out[out.size() - i] = sa == 1 ? sb : sa;
  }
  return out;
}

namespace detail {
namespace {

// Returns the step of an operand along dimension d of the full shape. It is 0 if the operand
// broadcasts.
int64_t step(const Operand& o, int64_t d, int64_t rank) {
  const int64_t own = d - (rank - o.sizes->size());
  if (own < 0 || (*o.sizes)[own] == 1) return 0;
  return (*o.strides)[own] * o.itemsize;
}

// Returns whether `inner_size` steps along `inner` equal one step along `outer`, for all operands.
bool mergeable(const int64_t* inner, int64_t inner_size, const int64_t* outer, int n) {
  for (int i = 0; i < n; ++i)
    if (inner[i] * inner_size != outer[i]) return false;
  return true;
}

// Orders dimensions inner first: by smaller steps of the written operand, then of the others.
bool inner_to(const int64_t* a, const int64_t* b, int n) {
  for (int i = 0; i < n; ++i) {
    if (a[i] == 0 || b[i] == 0) continue;
    if (a[i] != b[i]) return std::abs(a[i]) < std::abs(b[i]);
  }
  return false;
}

}  // namespace

int make_plan(const Dims& shape, const Operand* operands, int n, int64_t* sizes, int64_t* strides) {
  int rank = 0;
  // Sorts by insertion, from the last dimension to the first. Dimensions of size 1 are skipped.
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    if (shape[d] == 1) continue;
    int64_t steps[8];
    for (int i = 0; i < n; ++i) steps[i] = step(operands[i], d, shape.size());
    int at = rank;
    while (at > 0 && inner_to(steps, strides + (at - 1) * n, n)) --at;
    for (int k = rank; k > at; --k) {
      sizes[k] = sizes[k - 1];
      std::copy_n(strides + (k - 1) * n, n, strides + k * n);
    }
    sizes[at] = shape[d];
    std::copy_n(steps, n, strides + at * n);
    ++rank;
  }
  int merged = 0;
  for (int d = 0; d < rank; ++d) {
    if (merged > 0 &&
        mergeable(strides + (merged - 1) * n, sizes[merged - 1], strides + d * n, n)) {
      sizes[merged - 1] *= sizes[d];
      continue;
    }
    sizes[merged] = sizes[d];
    std::copy_n(strides + d * n, n, strides + merged * n);
    ++merged;
  }
  if (merged == 0) {  // a single element
    sizes[0] = 1;
    std::fill_n(strides, n, 0);
    merged = 1;
  }
  return merged;
}

template <int N>
void walk_rows(const Plan<N>& plan, int64_t begin, int64_t end, RowCall call, const void* row) {
  for_each_block(plan, begin, end, [&](const Block<N>& b) {
    char* p[N];
    for (int i = 0; i < N; ++i) p[i] = b.pointers[i];
    for (int64_t r = 0;;) {
      call(row, p, b.strides, b.count);
      if (++r == b.rows) return;
      for (int i = 0; i < N; ++i) p[i] += b.row_strides[i];
    }
  });
}
template void walk_rows(const Plan<1>&, int64_t, int64_t, RowCall, const void*);
template void walk_rows(const Plan<2>&, int64_t, int64_t, RowCall, const void*);
template void walk_rows(const Plan<3>&, int64_t, int64_t, RowCall, const void*);
template void walk_rows(const Plan<4>&, int64_t, int64_t, RowCall, const void*);
template void walk_rows(const Plan<5>&, int64_t, int64_t, RowCall, const void*);

}  // namespace detail

namespace {

typedef uint64_t Words __attribute__((vector_size(16)));

/// Returns the bytes of an element in a register.
template <class T>
Words bytes_of(const T& value) {
  constexpr size_t kSize = sizeof(T);
  std::conditional_t<
      kSize == 1, uint8_t,
      std::conditional_t<kSize == 2, uint16_t, std::conditional_t<kSize == 4, uint32_t, uint64_t>>>
      bits;
  static_assert(sizeof bits == kSize);
  __builtin_memcpy(&bits, &value, kSize);
  return Words{bits, 0};
}
Words bytes_of(const numbers::complex<double>& z) {
  return Words{bytes_of(z.real())[0], bytes_of(z.imag())[0]};
}

}  // namespace

In In::number(const Scalar& v, ScalarType dtype) {
  // Writes all bytes at once. A reader of the whole would otherwise wait for a part still in the
  // store queue.
  Words bytes = {};
  switch_dtype<dtypes::Joined<dtypes::Any, dtypes::Stored>>(
      dtype, "number", [&]<class scalar_t>() { bytes = bytes_of(v.cast<scalar_t>()); });
  In x;
  x.dtype = dtype;
  __builtin_memcpy(x.immediate, &bytes, sizeof bytes);
  return x;
}

}  // namespace torch::taper
