// The factories with options one by one (dtype, layout, device, pin_memory), as LibTorch's
// functions have them: for kernels of a program that get their arguments so.
#pragma once

#include <taper/extension/overloads.h>
#include <taper/ops/fft/fft.h>
#include <taper/ops/random/random.h>
#include <taper/ops/tensor/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace detail {
/// The options in one.
inline TensorOptions packed(optional<ScalarType> dtype, optional<Layout> layout,
                            optional<Device> device, optional<bool> pin_memory) {
  return TensorOptions().dtype(dtype).layout(layout).device(device).pinned_memory(pin_memory);
}
}  // namespace detail

/// The same as with TensorOptions.
inline Tensor arange(const Scalar& end, optional<ScalarType> dtype, optional<Layout> layout,
                     optional<Device> device, optional<bool> pin_memory) {
  return arange(end, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor arange(const Scalar& start, const Scalar& end, optional<ScalarType> dtype,
                     optional<Layout> layout, optional<Device> device, optional<bool> pin_memory) {
  return arange(start, end, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
                     optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                     optional<bool> pin_memory) {
  return arange(start, end, step, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor bartlett_window(int64_t window_length, optional<ScalarType> dtype,
                              optional<Layout> layout, optional<Device> device,
                              optional<bool> pin_memory) {
  return bartlett_window(window_length, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor bartlett_window(int64_t window_length, bool periodic, optional<ScalarType> dtype,
                              optional<Layout> layout, optional<Device> device,
                              optional<bool> pin_memory) {
  return bartlett_window(window_length, periodic,
                         detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor blackman_window(int64_t window_length, optional<ScalarType> dtype,
                              optional<Layout> layout, optional<Device> device,
                              optional<bool> pin_memory) {
  return blackman_window(window_length, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor blackman_window(int64_t window_length, bool periodic, optional<ScalarType> dtype,
                              optional<Layout> layout, optional<Device> device,
                              optional<bool> pin_memory) {
  return blackman_window(window_length, periodic,
                         detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor empty(IntArrayRef size, optional<ScalarType> dtype, optional<Layout> layout,
                    optional<Device> device, optional<bool> pin_memory,
                    optional<MemoryFormat> memory_format) {
  return empty(size, detail::packed(dtype, layout, device, pin_memory), memory_format);
}
/// The same as with TensorOptions.
inline Tensor empty_like(const Tensor& self, optional<ScalarType> dtype, optional<Layout> layout,
                         optional<Device> device, optional<bool> pin_memory,
                         optional<MemoryFormat> memory_format) {
  return empty_like(self, detail::packed(dtype, layout, device, pin_memory), memory_format);
}
/// The same as with TensorOptions.
inline Tensor empty_permuted(IntArrayRef size, IntArrayRef physical_layout,
                             optional<ScalarType> dtype, optional<Layout> layout,
                             optional<Device> device, optional<bool> pin_memory) {
  return empty_permuted(size, physical_layout, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor empty_strided(IntArrayRef size, IntArrayRef stride, optional<ScalarType> dtype,
                            optional<Layout> layout, optional<Device> device,
                            optional<bool> pin_memory) {
  return empty_strided(size, stride, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor eye(int64_t n, optional<ScalarType> dtype, optional<Layout> layout,
                  optional<Device> device, optional<bool> pin_memory) {
  return eye(n, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor eye(int64_t n, int64_t m, optional<ScalarType> dtype, optional<Layout> layout,
                  optional<Device> device, optional<bool> pin_memory) {
  return eye(n, m, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor fft_fftfreq(int64_t n, double d, optional<ScalarType> dtype, optional<Layout> layout,
                          optional<Device> device, optional<bool> pin_memory) {
  return fft_fftfreq(n, d, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor fft_rfftfreq(int64_t n, double d, optional<ScalarType> dtype, optional<Layout> layout,
                           optional<Device> device, optional<bool> pin_memory) {
  return fft_rfftfreq(n, d, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor from_file(std::string_view filename, optional<bool> shared, optional<int64_t> size,
                        optional<ScalarType> dtype, optional<Layout> layout,
                        optional<Device> device, optional<bool> pin_memory) {
  return from_file(filename, shared, size, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor full(IntArrayRef size, const Scalar& fill_value, optional<ScalarType> dtype,
                   optional<Layout> layout, optional<Device> device, optional<bool> pin_memory) {
  return full(size, fill_value, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor full_like(const Tensor& self, const Scalar& fill_value, optional<ScalarType> dtype,
                        optional<Layout> layout, optional<Device> device, optional<bool> pin_memory,
                        optional<MemoryFormat> memory_format) {
  return full_like(self, fill_value, detail::packed(dtype, layout, device, pin_memory),
                   memory_format);
}
/// The same as with TensorOptions.
inline Tensor hamming_window(int64_t window_length, optional<ScalarType> dtype,
                             optional<Layout> layout, optional<Device> device,
                             optional<bool> pin_memory) {
  return hamming_window(window_length, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor hamming_window(int64_t window_length, bool periodic, optional<ScalarType> dtype,
                             optional<Layout> layout, optional<Device> device,
                             optional<bool> pin_memory) {
  return hamming_window(window_length, periodic, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor hamming_window(int64_t window_length, bool periodic, double alpha,
                             optional<ScalarType> dtype, optional<Layout> layout,
                             optional<Device> device, optional<bool> pin_memory) {
  return hamming_window(window_length, periodic, alpha,
                        detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor hamming_window(int64_t window_length, bool periodic, double alpha, double beta,
                             optional<ScalarType> dtype, optional<Layout> layout,
                             optional<Device> device, optional<bool> pin_memory) {
  return hamming_window(window_length, periodic, alpha, beta,
                        detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor hann_window(int64_t window_length, optional<ScalarType> dtype,
                          optional<Layout> layout, optional<Device> device,
                          optional<bool> pin_memory) {
  return hann_window(window_length, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor hann_window(int64_t window_length, bool periodic, optional<ScalarType> dtype,
                          optional<Layout> layout, optional<Device> device,
                          optional<bool> pin_memory) {
  return hann_window(window_length, periodic, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor kaiser_window(int64_t window_length, optional<ScalarType> dtype,
                            optional<Layout> layout, optional<Device> device,
                            optional<bool> pin_memory) {
  return kaiser_window(window_length, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor kaiser_window(int64_t window_length, bool periodic, optional<ScalarType> dtype,
                            optional<Layout> layout, optional<Device> device,
                            optional<bool> pin_memory) {
  return kaiser_window(window_length, periodic, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor kaiser_window(int64_t window_length, bool periodic, double beta,
                            optional<ScalarType> dtype, optional<Layout> layout,
                            optional<Device> device, optional<bool> pin_memory) {
  return kaiser_window(window_length, periodic, beta,
                       detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps,
                       optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                       optional<bool> pin_memory) {
  return linspace(start, end, steps, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor linspace(const Tensor& start, const Tensor& end, int64_t steps,
                       optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                       optional<bool> pin_memory) {
  return linspace(start, end, steps, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor linspace(const Tensor& start, const Scalar& end, int64_t steps,
                       optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                       optional<bool> pin_memory) {
  return linspace(start, end, steps, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor linspace(const Scalar& start, const Tensor& end, int64_t steps,
                       optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                       optional<bool> pin_memory) {
  return linspace(start, end, steps, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base,
                       optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                       optional<bool> pin_memory) {
  return logspace(start, end, steps, base, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor logspace(const Tensor& start, const Tensor& end, int64_t steps, double base,
                       optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                       optional<bool> pin_memory) {
  return logspace(start, end, steps, base, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor logspace(const Tensor& start, const Scalar& end, int64_t steps, double base,
                       optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                       optional<bool> pin_memory) {
  return logspace(start, end, steps, base, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor logspace(const Scalar& start, const Tensor& end, int64_t steps, double base,
                       optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                       optional<bool> pin_memory) {
  return logspace(start, end, steps, base, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor normal(double mean, double std, IntArrayRef size, optional<Generator> generator,
                     optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                     optional<bool> pin_memory) {
  return normal(mean, std, size, generator, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor ones(IntArrayRef size, optional<ScalarType> dtype, optional<Layout> layout,
                   optional<Device> device, optional<bool> pin_memory) {
  return ones(size, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor ones_like(const Tensor& self, optional<ScalarType> dtype, optional<Layout> layout,
                        optional<Device> device, optional<bool> pin_memory,
                        optional<MemoryFormat> memory_format) {
  return ones_like(self, detail::packed(dtype, layout, device, pin_memory), memory_format);
}
/// The same as with TensorOptions.
inline Tensor rand(IntArrayRef size, optional<ScalarType> dtype, optional<Layout> layout,
                   optional<Device> device, optional<bool> pin_memory) {
  return rand(size, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor rand(IntArrayRef size, optional<Generator> generator, optional<ScalarType> dtype,
                   optional<Layout> layout, optional<Device> device, optional<bool> pin_memory) {
  return rand(size, generator, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor rand_like(const Tensor& self, optional<ScalarType> dtype, optional<Layout> layout,
                        optional<Device> device, optional<bool> pin_memory,
                        optional<MemoryFormat> memory_format) {
  return rand_like(self, detail::packed(dtype, layout, device, pin_memory), memory_format);
}
/// The same as with TensorOptions.
inline Tensor rand_like(const Tensor& self, optional<Generator> generator,
                        optional<ScalarType> dtype, optional<Layout> layout,
                        optional<Device> device, optional<bool> pin_memory,
                        optional<MemoryFormat> memory_format) {
  return rand_like(self, generator, detail::packed(dtype, layout, device, pin_memory),
                   memory_format);
}
/// The same as with TensorOptions.
inline Tensor randint(int64_t high, IntArrayRef size, optional<ScalarType> dtype,
                      optional<Layout> layout, optional<Device> device, optional<bool> pin_memory) {
  return randint(high, size, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor randint(int64_t high, IntArrayRef size, optional<Generator> generator,
                      optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                      optional<bool> pin_memory) {
  return randint(high, size, generator, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor randint(int64_t low, int64_t high, IntArrayRef size, optional<ScalarType> dtype,
                      optional<Layout> layout, optional<Device> device, optional<bool> pin_memory) {
  return randint(low, high, size, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor randint(int64_t low, int64_t high, IntArrayRef size, optional<Generator> generator,
                      optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                      optional<bool> pin_memory) {
  return randint(low, high, size, generator, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor randint_like(const Tensor& self, int64_t high, optional<ScalarType> dtype,
                           optional<Layout> layout, optional<Device> device,
                           optional<bool> pin_memory, optional<MemoryFormat> memory_format) {
  return randint_like(self, high, detail::packed(dtype, layout, device, pin_memory), memory_format);
}
/// The same as with TensorOptions.
inline Tensor randint_like(const Tensor& self, int64_t high, optional<Generator> generator,
                           optional<ScalarType> dtype, optional<Layout> layout,
                           optional<Device> device, optional<bool> pin_memory,
                           optional<MemoryFormat> memory_format) {
  return randint_like(self, high, generator, detail::packed(dtype, layout, device, pin_memory),
                      memory_format);
}
/// The same as with TensorOptions.
inline Tensor randint_like(const Tensor& self, const Tensor& high, optional<ScalarType> dtype,
                           optional<Layout> layout, optional<Device> device,
                           optional<bool> pin_memory, optional<MemoryFormat> memory_format) {
  return randint_like(self, high, detail::packed(dtype, layout, device, pin_memory), memory_format);
}
/// The same as with TensorOptions.
inline Tensor randint_like(const Tensor& self, const Tensor& high, optional<Generator> generator,
                           optional<ScalarType> dtype, optional<Layout> layout,
                           optional<Device> device, optional<bool> pin_memory,
                           optional<MemoryFormat> memory_format) {
  return randint_like(self, high, generator, detail::packed(dtype, layout, device, pin_memory),
                      memory_format);
}
/// The same as with TensorOptions.
inline Tensor randint_like(const Tensor& self, int64_t low, int64_t high,
                           optional<ScalarType> dtype, optional<Layout> layout,
                           optional<Device> device, optional<bool> pin_memory,
                           optional<MemoryFormat> memory_format) {
  return randint_like(self, low, high, detail::packed(dtype, layout, device, pin_memory),
                      memory_format);
}
/// The same as with TensorOptions.
inline Tensor randint_like(const Tensor& self, int64_t low, int64_t high,
                           optional<Generator> generator, optional<ScalarType> dtype,
                           optional<Layout> layout, optional<Device> device,
                           optional<bool> pin_memory, optional<MemoryFormat> memory_format) {
  return randint_like(self, low, high, generator, detail::packed(dtype, layout, device, pin_memory),
                      memory_format);
}
/// The same as with TensorOptions.
inline Tensor randn(IntArrayRef size, optional<ScalarType> dtype, optional<Layout> layout,
                    optional<Device> device, optional<bool> pin_memory) {
  return randn(size, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor randn(IntArrayRef size, optional<Generator> generator, optional<ScalarType> dtype,
                    optional<Layout> layout, optional<Device> device, optional<bool> pin_memory) {
  return randn(size, generator, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor randn_like(const Tensor& self, optional<ScalarType> dtype, optional<Layout> layout,
                         optional<Device> device, optional<bool> pin_memory,
                         optional<MemoryFormat> memory_format) {
  return randn_like(self, detail::packed(dtype, layout, device, pin_memory), memory_format);
}
/// The same as with TensorOptions.
inline Tensor randn_like(const Tensor& self, optional<Generator> generator,
                         optional<ScalarType> dtype, optional<Layout> layout,
                         optional<Device> device, optional<bool> pin_memory,
                         optional<MemoryFormat> memory_format) {
  return randn_like(self, generator, detail::packed(dtype, layout, device, pin_memory),
                    memory_format);
}
/// The same as with TensorOptions.
inline Tensor randperm(int64_t n, optional<ScalarType> dtype, optional<Layout> layout,
                       optional<Device> device, optional<bool> pin_memory) {
  return randperm(n, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor randperm(int64_t n, optional<Generator> generator, optional<ScalarType> dtype,
                       optional<Layout> layout, optional<Device> device,
                       optional<bool> pin_memory) {
  return randperm(n, generator, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor range(const Scalar& start, const Scalar& end, const Scalar& step,
                    optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                    optional<bool> pin_memory) {
  return range(start, end, step, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor range(const Scalar& start, const Scalar& end, optional<ScalarType> dtype,
                    optional<Layout> layout, optional<Device> device, optional<bool> pin_memory) {
  return range(start, end, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor scalar_tensor(const Scalar& s, optional<ScalarType> dtype, optional<Layout> layout,
                            optional<Device> device, optional<bool> pin_memory) {
  return scalar_tensor(s, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor tril_indices(int64_t row, int64_t col, int64_t offset, optional<ScalarType> dtype,
                           optional<Layout> layout, optional<Device> device,
                           optional<bool> pin_memory) {
  return tril_indices(row, col, offset, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor triu_indices(int64_t row, int64_t col, int64_t offset, optional<ScalarType> dtype,
                           optional<Layout> layout, optional<Device> device,
                           optional<bool> pin_memory) {
  return triu_indices(row, col, offset, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor zeros(IntArrayRef size, optional<ScalarType> dtype, optional<Layout> layout,
                    optional<Device> device, optional<bool> pin_memory) {
  return zeros(size, detail::packed(dtype, layout, device, pin_memory));
}
/// The same as with TensorOptions.
inline Tensor zeros_like(const Tensor& self, optional<ScalarType> dtype, optional<Layout> layout,
                         optional<Device> device, optional<bool> pin_memory,
                         optional<MemoryFormat> memory_format) {
  return zeros_like(self, detail::packed(dtype, layout, device, pin_memory), memory_format);
}

}  // namespace torch::taper

#pragma GCC visibility pop
