// Fourier transforms by cuFFT. Simulated devices run the CPU's kernels.
#include <taper/framework/cuda/launch.h>
#include <taper/ops/fft/fft_kernels.h>

#ifdef __CUDACC__
#include <taper/framework/cuda/gpu/fft_plans.h>
#include <taper/framework/cuda/map.h>
#include <taper/framework/cuda/scratch.h>
#else
#include <complex>
#include <vector>

#include <taper/ops/tensor/copy_kernels.h>
#endif

namespace torch::taper::cuda {

#ifdef __CUDACC__
namespace {

// Computes y *= scale, over real numbers.
template <class T>
struct Scale {
  T* y;
  T scale;
  TAPER_DEVICE void operator()(int64_t i) const { y[i] *= scale; }
};

void scale_all(const Out& y, double scale) {
  if (scale == 1) return;
  const int64_t n = y.numel * (isComplexType(y.dtype) ? 2 : 1);
  switch_dtype<dtypes::Float>(toRealValueType(y.dtype), "fft", [&]<class scalar_t>() {
    for_each(n, Scale<scalar_t>{y.as<scalar_t>(), static_cast<scalar_t>(scale)});
  });
}

bool in_double(const In& x) { return toRealValueType(x.dtype) == kDouble; }

/// Returns the boxes of the last `rank` dimensions.
FftBoxes boxes_of(const Dims& sizes, int64_t rank, bool interleaved) {
  FftBoxes boxes{{}, 1, interleaved};
  const int64_t others = sizes.size() - rank;
  for (int64_t d = 0; d < others; ++d) boxes.count *= sizes[d];
  for (int64_t d = others; d < sizes.size(); ++d) boxes.n.push_back(sizes[d]);
  return boxes;
}

}  // namespace

void fft_complex(Out y, In x, int64_t rank, bool inverse, double scale) {
  run_fft(in_double(x) ? CUFFT_Z2Z : CUFFT_C2C, boxes_of(x.sizes, rank, !x.contiguous),
          const_cast<void*>(x.data), y.data, inverse);
  scale_all(y, scale);
}

void fft_real(Out y, In x, int64_t rank, double scale) {
  run_fft(in_double(x) ? CUFFT_D2Z : CUFFT_R2C, boxes_of(x.sizes, rank, false),
          const_cast<void*>(x.data), y.data, false);
  scale_all(y, scale);
}

void fft_hermitian(Out y, In x, double scale) {
  // cuFFT may overwrite its input here, so it gets a copy.
  const size_t nbytes = static_cast<size_t>(x.numel) * elementSize(x.dtype);
  const Scratch<char> copied(static_cast<int64_t>(nbytes));
  TAPER_CUDA_CHECK(
      cudaMemcpyAsync(copied.get(), x.data, nbytes, cudaMemcpyDeviceToDevice, kernel_stream()));
  run_fft(in_double(x) ? CUFFT_Z2D : CUFFT_C2R, boxes_of(y.sizes, 1, false), copied.get(), y.data,
          true);
  scale_all(y, scale);
}
#else
namespace {

In as_input(const Out& y) {
  In x;
  x.data = y.data, x.dtype = y.dtype, x.contiguous = y.contiguous;
  x.numel = y.numel, x.sizes = y.sizes, x.strides = y.strides;
  return x;
}
/// Returns v with dimension d and the last one exchanged.
template <class View>
View with_last(View v, int64_t d) {
  std::swap(v.sizes[d], v.sizes.back());
  std::swap(v.strides[d], v.strides.back());
  v.contiguous = v.contiguous && d == v.sizes.size() - 1;
  return v;
}
/// Returns dense memory of x's size.
Out dense(std::vector<std::complex<double> >& memory, const In& x) {
  memory.resize(static_cast<size_t>(x.numel));
  Out y;
  y.data = memory.data(), y.dtype = x.dtype, y.numel = x.numel, y.sizes = x.sizes;
  y.strides = Dims(x.sizes.size(), 1);
  for (int64_t d = x.sizes.size() - 1; d > 0; --d) y.strides[d - 1] = y.strides[d] * y.sizes[d];
  return y;
}
void transform_along(int64_t d, const Out& y, const In& x, bool inverse, double scale) {
  const In from = with_last(x, d);
  std::vector<std::complex<double> > a, b;
  const Out rows = dense(a, from), result = dense(b, from);
  cpu::copy(rows, from);
  cpu::fft_complex(result, as_input(rows), 1, inverse, scale);
  cpu::copy(with_last(y, d), as_input(result));
}

}  // namespace

void fft_complex(Out y, In x, int64_t rank, bool inverse, double scale) {
  const int64_t last = x.sizes.size() - 1;
  transform_along(last, y, x, inverse, scale);
  for (int64_t d = last - 1; d > last - rank; --d) transform_along(d, y, as_input(y), inverse, 1);
}
void fft_real(Out y, In x, int64_t rank, double scale) {
  cpu::fft_real(y, x, 1, scale);
  const int64_t last = x.sizes.size() - 1;
  for (int64_t d = last - 1; d > last - rank; --d) transform_along(d, y, as_input(y), false, 1);
}
void fft_hermitian(Out y, In x, double scale) { cpu::fft_hermitian(y, x, scale); }
#endif

}  // namespace torch::taper::cuda
