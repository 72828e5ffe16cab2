// Products of small matrices of 16-bit floats by a whole warp (Tensor Cores). For *_cuda.cu files
// only, not installed.
//
// Source: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type". On the host, lanes
// exchange values by shuffles, so that the layout is tested without a GPU.
#pragma once

#include <taper/framework/cuda/architecture.h>
#include <taper/framework/cuda/launch.h>

namespace torch::taper::cuda {

/// The lowest compute capability (8.0) with these products, as compiled_architecture() returns it.
constexpr int kProductArchitecture = 80;

/// Eight neighbouring 16-bit floats, the first in the lower half of the first word.
struct alignas(16) Words {
  uint32_t w[4];
};

/// Packs two 16-bit floats into a word, a in the lower half.
template <class T>
TAPER_DEVICE uint32_t word_of(float a, float b) {
  return static_cast<uint32_t>(T(a).x) | static_cast<uint32_t>(T(b).x) << 16;
}
/// Packs the k-th 16-bit floats of `a` and `b` into a word, that of `a` in the lower half. k is
/// below 8.
TAPER_DEVICE inline uint32_t word_of_both(const Words& a, const Words& b, int k) {
  const uint32_t x = a.w[k / 2], y = b.w[k / 2];
#ifdef __CUDACC__
  return __byte_perm(x, y, k % 2 == 0 ? 0x5410 : 0x7632);  // one instruction, not two
#else
  return k % 2 == 0 ? (x & 0xffffu) | y << 16 : x >> 16 | (y & 0xffff0000u);
#endif
}

/// Position of a lane in its warp: lane t of group g. Each of the 8 groups has four lanes.
struct WarpPlace {
  int g, t;
  TAPER_DEVICE explicit WarpPlace(const Team& warp) : g(warp.rank / 4), t(warp.rank % 4) {}
};

#ifndef __CUDACC__
/// Returns the dot product of the two 16-bit floats of word a with the two of word b.
template <class T>
float product_of_words(uint32_t a, uint32_t b) {
  const auto part = [](uint32_t w) {
    return static_cast<float>(T(static_cast<uint16_t>(w), T::from_bits()));
  };
  return part(a) * part(b) + part(a >> 16) * part(b >> 16);
}
#endif

/// Computes d += a b by a warp, for d of 16 x 8 floats, a of 16 x 16 and b of 16 x 8 elements of T.
/// The lane at (g, t) holds
///   of d: columns 2t and 2t + 1 of row g, and of row g + 8;
///   of a: columns 2t and 2t + 1 of rows g and g + 8, then columns 2t + 8 and 2t + 9 of these rows;
///   of b: rows 2t and 2t + 1, then rows 2t + 8 and 2t + 9, of column g.
/// (Columns of a and rows of b may be permuted, if both have the same permutation.) The kernel must
/// be compiled for Ampere or later: the host checks compiled_architecture() first.
template <class T>
TAPER_DEVICE void multiply_add(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                               [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, BFloat16>)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  __trap();  // rather than return a wrong sum
#endif
#else
  const int g = this_lane() / 4, t = this_lane() % 4;
  const Words own_a{{a[0], a[1], a[2], a[3]}};
  const uint64_t own_b = b0 | static_cast<uint64_t>(b1) << 32;
  for (int s = 0; s < 4; ++s) {  // adds the products of the factors that lanes with t = s hold
    const Words rows = from_lane(own_a, 4 * g + s, here);
    for (int c = 0; c < 2; ++c) {
      const uint64_t column = from_lane(own_b, 4 * (2 * t + c) + s, here);
      const uint32_t low = static_cast<uint32_t>(column),
                     high = static_cast<uint32_t>(column >> 32);
      for (int r = 0; r < 2; ++r)
        d[2 * r + c] +=
            product_of_words<T>(rows.w[r], low) + product_of_words<T>(rows.w[2 + r], high);
    }
  }
#endif
}

/// The number of rows of a tile. Warps go through a matrix one tile after the other.
constexpr int kTile = 16;

/// A matrix of 16-bit floats with `rows` rows and `width` columns. `step` is the distance between
/// rows in elements.
template <class T>
struct Matrix {
  T* data;
  int64_t step, rows, width;
  /// Returns elements e to e + 7 of a row, or zeros if they are outside the matrix. The width must
  /// be a multiple of 8.
  TAPER_DEVICE Words at(int64_t row, int64_t e) const {
    if (row < rows && e < width) return *reinterpret_cast<const Words*>(data + row * step + e);
    return Words{};
  }
  TAPER_DEVICE void put(int64_t row, int64_t e, const Words& words) const {
    if (row < rows && e < width) *reinterpret_cast<Words*>(data + row * step + e) = words;
  }
};

/// Reads the right factor of a product in tiles of 16 rows, one after the other. A tile has C
/// chunks of columns. Each lane reads its elements of R rows: 8 elements of each chunk c < C. With
/// R = 2, for sums over columns, these are rows g and g + 8, columns 32c + 8t to 32c + 8t + 7. With
/// R = 4, for sums over rows, these are rows 2t, 2t + 1, 2t + 8, 2t + 9, columns 64c + 8g to 64c +
/// 8g + 7. If Exact, the matrix has all these columns. Otherwise missing columns are zeros.
template <class T, int C, int R, bool Exact>
class TileReader {
 public:
  using Tile = Words[C][R];
  TAPER_DEVICE TileReader(const Matrix<T>& m, int64_t first, const WarpPlace& at)
      : row_(R == 2 ? at.g : 2 * at.t),
        step_(m.step),
        columns_(m.width - 8 * (R == 2 ? at.t : at.g)),
        from_(m.data + (first + row_) * m.step + 8 * (R == 2 ? at.t : at.g)) {}
  /// Reads the first `rows` rows of the tile. The other rows are zeros. If Whole, ignores `rows`
  /// and reads all 16 rows.
  template <bool Whole>
  TAPER_DEVICE void read(Tile& w, int rows = kTile) const {
    constexpr int kColumns = R == 2 ? 32 : 64;
    for (int r = 0; r < R; ++r) {
      const int below = R == 2 ? 8 * r : r % 2 + 8 * (r / 2);
      for (int c = 0; c < C; ++c) {
        w[c][r] = Words{};
        if ((Whole || row_ + below < rows) && (Exact || kColumns * c < columns_))
          w[c][r] = *reinterpret_cast<const Words*>(from_ + below * step_ + kColumns * c);
      }
    }
  }
  TAPER_DEVICE void next() { from_ += kTile * step_; }

 private:
  int row_;
  int64_t step_, columns_;
  const T* from_;
};

/// A lane's elements of a left factor of 16 rows and 32 columns, in the order of two calls of
/// multiply_add.
using LeftWords = uint32_t[2][4];
TAPER_DEVICE inline void put_in_order(LeftWords& to, const Words& top, const Words& bottom) {
  for (int k = 0; k < 4; ++k) {
    to[k / 2][k % 2 * 2] = top.w[k];
    to[k / 2][k % 2 * 2 + 1] = bottom.w[k];
  }
}
/// A lane's elements of a left factor of 16 rows: C chunks of 32 columns.
template <class T, int C>
struct LeftRows {
  LeftWords a[C];
  TAPER_DEVICE LeftRows(const Matrix<T>& m, int64_t first, const WarpPlace& at) {
    // This is always 0, but the compiler cannot know it. If it did, it would keep the words as they
    // were read, and copy them before each product.
    const auto zero = static_cast<uint32_t>(at.g / 8);
    for (int c = 0; c < C; ++c) {
      const int64_t row = first + at.g, column = 32 * c + 8 * at.t;
      put_in_order(a[c], m.at(row, column), m.at(row + 8, column));
      for (int k = 0; k < 8; ++k) a[c][k / 4][k % 4] ^= zero;
    }
  }
  TAPER_DEVICE void get(int c, LeftWords& to) const {
    for (int k = 0; k < 8; ++k) to[k / 4][k % 4] = a[c][k / 4][k % 4];
  }
};

/// 16 x 16 sums: s[0] holds columns 0 to 7 and s[1] columns 8 to 15, in the layout of d in
/// multiply_add.
struct Square {
  float s[2][4] = {};
  /// Calls f(value, r, column) for each value of this lane. The value is in row g + 8 r.
  template <class F>
  TAPER_DEVICE void each(const WarpPlace& at, const F& f) {
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 4; ++k) f(s[j][k], k / 2, 8 * j + 2 * at.t + k % 2);
  }
};

/// Adds `left` times the transpose of `right` to s: dot products of rows of `left` with rows of
/// `right`.
template <class T, class Left, int C>
TAPER_DEVICE void multiply_rows(Square& s, const Left& left, const Words (&right)[C][2]) {
  for (int c = 0; c < C; ++c) {
    LeftWords a;
    left.get(c, a);
    for (int half = 0; half < 2; ++half)
      for (int j = 0; j < 2; ++j)
        multiply_add<T>(s.s[j], a[half], right[c][j].w[2 * half], right[c][j].w[2 * half + 1]);
  }
}

/// f32 sums of 16 rows and G groups of 64 columns. The lane at (g, t) has columns 16t to 16t + 15
/// of each group, in rows g and g + 8.
template <class T, int G>
struct WideRows {
  float s[G][8][4] = {};
  /// Adds p, rounded to T, times `right`.
  TAPER_DEVICE void add(const Square& p, const Words (&right)[G][4]) {
    const uint32_t a[4] = {word_of<T>(p.s[0][0], p.s[0][1]), word_of<T>(p.s[0][2], p.s[0][3]),
                           word_of<T>(p.s[1][0], p.s[1][1]), word_of<T>(p.s[1][2], p.s[1][3])};
    for (int group = 0; group < G; ++group) {
      const Words(&m)[4] = right[group];
      for (int k = 0; k < 8; ++k)
        multiply_add<T>(s[group][k], a, word_of_both(m[0], m[1], k), word_of_both(m[2], m[3], k));
    }
  }
  /// Multiplies row g by factor[0] and row g + 8 by factor[1].
  TAPER_DEVICE void scale(const float (&factor)[2]) {
    for (int group = 0; group < G; ++group)
      for (int k = 0; k < 8; ++k)
        for (int v = 0; v < 4; ++v) s[group][k][v] *= factor[v / 2];
  }
  TAPER_DEVICE void store(const Matrix<T>& m, int64_t first, const WarpPlace& at) const {
    for (int group = 0; group < G; ++group)
      for (int v = 0; v < 4; ++v) {
        Words words;
        for (int k = 0; k < 4; ++k)
          words.w[k] = word_of<T>(s[group][2 * k][v], s[group][2 * k + 1][v]);
        m.put(first + at.g + 8 * (v / 2), 64 * group + 16 * at.t + 8 * (v % 2), words);
      }
  }
};

}  // namespace torch::taper::cuda
