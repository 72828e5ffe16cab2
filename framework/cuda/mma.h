// Products of small matrices of 16-bit floats by the threads of a warp together (Tensor Cores). For
// *_cuda.cu files only; not installed.
//
// Source: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type". On the host lanes
// ask each other by shuffles, so that the places of elements are tested without a GPU.
#pragma once

#include <taper/framework/cuda/launch.h>

namespace taper::cuda {

/// Eight neighbouring 16-bit floats, the first in the lower half of the first word.
struct alignas(16) Words {
  uint32_t w[4];
};

/// Two 16-bit floats as a word, a in the lower half.
template <class T>
TAPER_DEVICE uint32_t word_of(float a, float b) {
  return static_cast<uint32_t>(T(a).x) | static_cast<uint32_t>(T(b).x) << 16;
}
/// The k-th (below 8) 16-bit floats of a and of b as a word.
TAPER_DEVICE inline uint32_t word_of_both(const Words& a, const Words& b, int k) {
  const uint32_t x = a.w[k / 2], y = b.w[k / 2];
  return k % 2 == 0 ? (x & 0xffffu) | y << 16 : x >> 16 | (y & 0xffff0000u);
}

/// Where a lane stands: in group g (below 8) of four lanes, which have the numbers t.
struct WarpPlace {
  int g, t;
  TAPER_DEVICE explicit WarpPlace(const Team& warp) : g(warp.rank / 4), t(warp.rank % 4) {}
};

#ifndef __CUDACC__
/// The product of two words of 16-bit floats.
template <class T>
float product_of_words(uint32_t a, uint32_t b) {
  const auto part = [](uint32_t w) {
    return static_cast<float>(T(static_cast<uint16_t>(w), T::from_bits()));
  };
  return part(a) * part(b) + part(a >> 16) * part(b >> 16);
}
#endif

/// d += a b by a warp, for d of 16 x 8 floats, a of 16 x 16 and b of 16 x 8 elements of T. The lane
/// at (g, t) holds
///   of d: columns 2t and 2t + 1 of row g, and of row g + 8;
///   of a: columns 2t and 2t + 1 of row g, of row g + 8, columns 2t + 8 and 2t + 9 of both;
///   of b: rows 2t and 2t + 1, 2t + 8 and 2t + 9 of column g.
/// (Columns of a and rows of b may be numbered in any way, if in the same.) Of GPUs from Ampere on.
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
#endif
#else
  const int g = this_lane() / 4, t = this_lane() % 4;
  const Words own_a{{a[0], a[1], a[2], a[3]}};
  const uint64_t own_b = b0 | static_cast<uint64_t>(b1) << 32;
  for (int s = 0; s < 4; ++s) {  // the part of the sum whose elements lanes with number s hold
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

}  // namespace taper::cuda
