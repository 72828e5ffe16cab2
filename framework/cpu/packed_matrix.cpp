#include <taper/framework/cpu/packed_matrix.h>

#include <taper/framework/cpu/pack_panel.h>

namespace torch::taper::cpu {
namespace {

// Calls f(p, depth, j, width, offset of the panel) for every panel of a k x n matrix.
template <class F>
void for_each_panel(int64_t k, int64_t n, const F& f) {
  int64_t offset = 0;
  for (int64_t p = 0; p < k; p += kPanelDepth) {
    const int64_t depth = std::min(kPanelDepth, k - p);
    for (int64_t j = 0; j < n; j += kPanelWidth, offset += depth * kPanelWidth)
      f(p, depth, j, std::min(kPanelWidth, n - j), offset);
  }
}

}  // namespace

template <class T>
PackedMatrix<T>::PackedMatrix(MatrixIn<T> b, int64_t k, int64_t n)
    : k_(k), n_(n), panels_(k * ((n + kPanelWidth - 1) / kPanelWidth) * kPanelWidth) {
  for_each_panel(k, n, [&](int64_t p, int64_t depth, int64_t j, int64_t width, int64_t offset) {
    pack_panel(panels_.get() + offset, b, p, depth, j, width);
  });
}

template <class T>
void PackedMatrix<T>::multiply(int64_t m, const T* a, int64_t lda, bool add, T* c,
                               int64_t ldc) const {
  for_each_panel(k_, n_, [&](int64_t p, int64_t depth, int64_t j, int64_t width, int64_t offset) {
    gemm_panel(GemmPanel<T>{m, width, depth, a + p, lda, 1, panels_.get() + offset, kPanelWidth,
                            c + j, ldc, T(1), add || p > 0});
  });
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;

}  // namespace torch::taper::cpu
