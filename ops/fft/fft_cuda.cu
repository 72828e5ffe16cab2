// Fourier transforms by cuFFT. Simulated devices run the CPU's.
#include <taper/framework/cuda/launch.h>
#include <taper/ops/fft/fft_kernels.h>

#ifdef __CUDACC__
#include <taper/framework/cuda/gpu/fft_plans.h>
#include <taper/framework/cuda/map.h>
#include <taper/framework/cuda/scratch.h>
#endif

namespace taper::cuda {

#ifdef __CUDACC__
namespace {

// y *= scale, over real numbers.
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

}  // namespace

void fft_complex(Out y, In x, bool inverse, double scale) {
  const int64_t n = x.sizes.back();
  run_fft(in_double(x) ? CUFFT_Z2Z : CUFFT_C2C, n, x.numel / n, const_cast<void*>(x.data), y.data,
          inverse);
  scale_all(y, scale);
}

void fft_real(Out y, In x, double scale) {
  const int64_t n = x.sizes.back();
  run_fft(in_double(x) ? CUFFT_D2Z : CUFFT_R2C, n, x.numel / n, const_cast<void*>(x.data), y.data,
          false);
  scale_all(y, scale);
}

void fft_hermitian(Out y, In x, double scale) {
  const int64_t n = y.sizes.back();
  // It may overwrite what it reads, so it reads a copy.
  const size_t nbytes = static_cast<size_t>(x.numel) * elementSize(x.dtype);
  const Scratch<char> copied(static_cast<int64_t>(nbytes));
  TAPER_CUDA_CHECK(
      cudaMemcpyAsync(copied.get(), x.data, nbytes, cudaMemcpyDeviceToDevice, kernel_stream()));
  run_fft(in_double(x) ? CUFFT_Z2D : CUFFT_C2R, n, y.numel / n, copied.get(), y.data, true);
  scale_all(y, scale);
}
#else
void fft_complex(Out y, In x, bool inverse, double scale) {
  cpu::fft_complex(y, x, inverse, scale);
}
void fft_real(Out y, In x, double scale) { cpu::fft_real(y, x, scale); }
void fft_hermitian(Out y, In x, double scale) { cpu::fft_hermitian(y, x, scale); }
#endif

}  // namespace taper::cuda
