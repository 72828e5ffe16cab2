#include <taper/framework/cuda/launch.h>
#include <taper/ops/reduce/count_kernels.h>

namespace torch::taper::cuda {
namespace {

template <class T>
struct Count {
  int64_t* counts;
  const T* x;
  int64_t first;
  TAPER_DEVICE void operator()(int64_t i) const { atomic_add(counts + (x[i] - first), int64_t{1}); }
};

/// Counts few distinct values: each block counts a piece in shared memory. In global memory,
/// additions to one number would run one after the other.
template <class T>
struct CountPiece {
  static constexpr int64_t kPiece = 1 << 14;
  static constexpr int kMostKinds = Shared<uint32_t>::kSize;
  int64_t* counts;
  const T* x;
  int64_t first, n, kinds;
  TAPER_DEVICE void operator()(const Team& team, int64_t piece) const {
    const Shared<uint32_t> here = team.shared<uint32_t>();
    team.each(kinds, [&](int64_t k) { here.put(k, 0); });
    team.sync();
    const int64_t begin = piece * kPiece, rest = n - begin;
    team.each(rest < kPiece ? rest : kPiece,
              [&](int64_t i) { here.add(static_cast<int64_t>(x[begin + i]) - first, 1); });
    team.sync();
    team.each(kinds, [&](int64_t k) {
      if (const uint32_t count = here.get(k)) atomic_add(counts + k, int64_t{count});
    });
    team.sync();
  }
};

}  // namespace

void count_values(InOut counts, In x, int64_t first) {
  switch_dtype<dtypes::Integral>(x.dtype, "count", [&]<class scalar_t>() {
    using Piece = CountPiece<scalar_t>;
    if (counts.numel <= Piece::kMostKinds && x.numel > Piece::kPiece)
      return for_each_row(
          (x.numel + Piece::kPiece - 1) / Piece::kPiece, kThreads,  // one block per piece, with its
                                                                    // slots
          Piece{counts.as<int64_t>(), x.as<scalar_t>(), first, x.numel, counts.numel});
    for_each(x.numel, Count<scalar_t>{counts.as<int64_t>(), x.as<scalar_t>(), first});
  });
}

}  // namespace torch::taper::cuda
