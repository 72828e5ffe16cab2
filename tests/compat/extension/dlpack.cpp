// DLPack: tensors handed out and taken back, and what is refused. As a shared library it is the
// other side of tests/compat/dlpack_numpy.py.
#include <torch/extension.h>

#include <ATen/DLConvertor.h>

#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

std::vector<torch::ScalarType> dtypes() {
  return {torch::kUInt8,      torch::kInt8,     torch::kInt16,        torch::kInt32,
          torch::kInt64,      torch::kFloat16,  torch::kFloat32,      torch::kFloat64,
          torch::kBool,       torch::kBFloat16, torch::kComplexFloat, torch::kComplexDouble,
          torch::kUInt16,     torch::kUInt32,   torch::kUInt64,       torch::kFloat8_e4m3fn,
          torch::kFloat8_e5m2};
}

/// A tensor over memory that counts how often it is freed.
torch::Tensor counted(int& freed, std::vector<float>& memory) {
  return torch::from_blob(memory.data(), {2, 3}, [&freed](void*) { ++freed; });
}

/// By either structure and back.
torch::Tensor there_and_back(const torch::Tensor& x, bool versioned) {
  if (versioned) return at::fromDLPackVersioned(at::toDLPackVersioned(x));
  return at::fromDLPack(at::toDLPack(x));
}

void expect_same(const torch::Tensor& x, const torch::Tensor& y) {
  EXPECT(y.scalar_type() == x.scalar_type() && y.device() == x.device());
  EXPECT(y.sizes() == x.sizes() && torch::equal(x, y));
  EXPECT(x.numel() == 0 || y.data_ptr() == x.data_ptr());
}

void round_trips() {
  for (const bool versioned : {false, true}) {
    for (const torch::ScalarType dtype : dtypes()) {
      const torch::Tensor of_dtype = torch::arange(24).view({2, 3, 4}).to(dtype);
      expect_same(of_dtype, there_and_back(of_dtype, versioned));
    }
    const torch::Tensor x = torch::arange(24.0).view({2, 3, 4});
    for (const torch::Tensor& view :
         {x, x.transpose(0, 2), x.slice(1, 1, 3), x.select(2, 3), x[1][2][3], x.slice(0, 0, 0),
          x.select(0, 0).unsqueeze(1).expand({3, 5, 4}), torch::empty({0, 4})}) {
      const torch::Tensor y = there_and_back(view, versioned);
      expect_same(view, y);
      for (int64_t d = 0; d < view.dim(); ++d)
        EXPECT(y.stride(d) ==
               (view.size(d) < 2 || view.numel() == 0 ? y.stride(d) : view.stride(d)));
    }
    there_and_back(x, versioned).fill_(7);
    EXPECT(x.eq(7).all().item<bool>());
  }
}

void structures() {
  const torch::Tensor x = torch::arange(6, torch::kShort).view({2, 3}).t();
  DLManagedTensorVersioned* const m = at::toDLPackVersioned(x);
  const DLTensor& t = m->dl_tensor;
  EXPECT(m->version.major == 1 && m->flags == 0 && t.data == x.data_ptr() && t.byte_offset == 0);
  EXPECT(t.device.device_type == kDLCPU && t.device.device_id == 0 && t.ndim == 2);
  EXPECT(t.dtype.code == kDLInt && t.dtype.bits == 16 && t.dtype.lanes == 1);
  EXPECT(t.shape[0] == 3 && t.shape[1] == 2 && t.strides[0] == 1 && t.strides[1] == 3);
  m->deleter(m);
  DLManagedTensorVersioned* const fixed = at::toDLPackVersionedReadOnly(x);
  EXPECT(fixed->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
  fixed->deleter(fixed);
  DLTensor borrowed;
  at::toDLPackNonOwning(x, &borrowed);
  EXPECT(borrowed.data == x.data_ptr() && borrowed.strides[1] == 3);
  // Dimensions of one element have strides that others accept.
  DLManagedTensor* const one = at::toDLPack(torch::empty_strided({1, 2}, {77, 1}));
  EXPECT(one->dl_tensor.strides[0] == 1);
  one->deleter(one);
  EXPECT(at::getDLDataType(x).bits == 16 && at::getDLContext(x, 3).device_id == 0);
  EXPECT(std::string(at::DLPackTraits<DLManagedTensor>::capsule) == "dltensor");
  EXPECT(at::DLPackTraits<DLManagedTensorVersioned>::fromDLPack(at::toDLPackVersioned(x), {})
             .equal(x));
}

/// A structure made by hand, as another library does.
struct Foreign {
  std::vector<float> memory = {0, 1, 2, 3, 4, 5, 6, 7};
  int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  int freed = 0;
  DLManagedTensorVersioned m{};
  Foreign() {
    m.version = {DLPACK_MAJOR_VERSION, 0};
    m.manager_ctx = this;
    m.deleter = [](DLManagedTensorVersioned* self) {
      ++static_cast<Foreign*>(self->manager_ctx)->freed;
    };
    m.dl_tensor = {memory.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
  }
  DLTensor& tensor() { return m.dl_tensor; }
};

void offsets_and_missing_strides() {
  Foreign f;
  f.tensor().byte_offset = 2 * sizeof(float);
  f.tensor().strides = nullptr;
  const torch::Tensor x = at::fromDLPackVersioned(&f.m);
  EXPECT(x.is_contiguous() && x.data_ptr() == f.memory.data() + 2 && x[1][2].item<float>() == 7);
  Foreign pinned;
  pinned.tensor().device = {kDLCUDAHost, 0};
  EXPECT(at::fromDLPackVersioned(&pinned.m).is_cpu());
  EXPECT(pinned.freed == 1);
}

void freed_once() {
  Foreign f;
  {
    torch::Tensor x = at::fromDLPackVersioned(&f.m);
    const torch::Tensor view = x[1];
    x = torch::Tensor();
    EXPECT(f.freed == 0 && view[2].item<float>() == 5);
  }
  EXPECT(f.freed == 1);
  void* given = nullptr;
  at::fromDLPackVersioned(&f.m, [&given](void* p) { given = p; });
  EXPECT(f.freed == 1 && given == f.memory.data());
  // Nothing to free with, and nothing that has memory.
  f.m.deleter = nullptr;
  at::fromDLPackVersioned(&f.m);
  Foreign empty;
  empty.shape[0] = 0;
  empty.tensor().data = nullptr;
  EXPECT(at::fromDLPackVersioned(&empty.m).numel() == 0);
  EXPECT(empty.freed == 1);
}

void the_memory_outlives_its_tensor() {
  int freed = 0;
  std::vector<float> memory(6);
  DLManagedTensor* const m = at::toDLPack(counted(freed, memory));
  EXPECT(freed == 0);
  m->deleter(m);
  EXPECT(freed == 1);
}

void threads_free_it() {
  int freed = 0;
  std::vector<float> memory(6, 1);
  constexpr int kThreads = 4, kRounds = 500;
  {
    const torch::Tensor x = counted(freed, memory);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&x] {
        for (int r = 0; r < kRounds; ++r) {
          const torch::Tensor y = there_and_back(x, r % 2 == 0);
          EXPECT(y.data_ptr() == x.data_ptr());
        }
      });
    for (std::thread& t : threads) t.join();
    EXPECT(freed == 0);
    // The last one to go is another thread's.
    DLManagedTensor* const m = at::toDLPack(x);
    std::thread([m] { m->deleter(m); }).join();
  }
  EXPECT(freed == 1);
}

template <class Change>
void refused(const char* text, const Change& change) {
  Foreign f;
  change(f);
  EXPECT(has(thrown<c10::Error>([&] { at::fromDLPackVersioned(&f.m); }), text));
  EXPECT(f.freed == 0);  // it is still the caller's
}

void refuses() {
  const torch::Tensor leaf = torch::ones({2}).requires_grad_();
  for (const torch::Tensor& x : {leaf, leaf * 2}) {
    EXPECT(has(thrown<c10::Error>([&] { at::toDLPack(x); }), "requires it; use detach()"));
    EXPECT(has(thrown<c10::Error>([&] { at::toDLPackVersioned(x); }), "use detach()"));
  }
  EXPECT(has(thrown<c10::Error>([] { at::toDLPack(torch::Tensor()); }), "an undefined one"));
  EXPECT(has(thrown<c10::Error>([] { at::fromDLPack(nullptr); }), "got a null pointer"));
  const int64_t huge = int64_t{1} << 62;
  refused("not negative, got [-1, 3]", [](Foreign& f) { f.shape[0] = -1; });
  refused("less than 2^63 elements", [&](Foreign& f) { f.shape[0] = f.shape[1] = huge; });
  refused("less than 2^63 bytes", [&](Foreign& f) { f.strides[1] = huge; });
  refused("less than 2^63 bytes", [&](Foreign& f) { f.strides[0] = huge; });
  refused("strides that are not negative, got [-3, 1]", [](Foreign& f) { f.strides[0] = -3; });
  refused("expected 0 to 12 dimensions, got 13", [](Foreign& f) { f.tensor().ndim = 13; });
  refused("expected 0 to 12 dimensions, got -1", [](Foreign& f) { f.tensor().ndim = -1; });
  refused("a shape of 2 sizes", [](Foreign& f) { f.tensor().shape = nullptr; });
  refused("a data pointer for 6 elements", [](Foreign& f) { f.tensor().data = nullptr; });
  refused("aligned to its elements of 4 bytes", [](Foreign& f) { f.tensor().byte_offset = 2; });
  refused("one lane, got 4", [](Foreign& f) { f.tensor().dtype.lanes = 4; });
  refused("code 2 of 128 bits", [](Foreign& f) { f.tensor().dtype.bits = 128; });
  refused("code 15 of 6 bits", [](Foreign& f) { f.tensor().dtype = {kDLFloat6_e2m3fn, 6, 1}; });
  refused("device type 10", [](Foreign& f) { f.tensor().device = {kDLROCM, 0}; });
  refused("device", [](Foreign& f) { f.tensor().device = {kDLCUDA, 256}; });
  refused("expected DLPack's version 1, got 2.0", [](Foreign& f) { f.m.version.major = 2; });
}

/// Keeps what is warned of.
struct Warned : c10::WarningHandler {
  std::string text;
  void process(const c10::Warning& w) override { text += w.msg(); }
};

void warns_of_memory_that_is_not_to_be_written() {
  Foreign f;
  f.m.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  Warned warned;
  const c10::WarningUtils::WarningHandlerGuard guard(&warned);
  at::fromDLPackVersioned(&f.m);
  EXPECT(has(warned.text, "must not be written") && f.freed == 1);
}

void devices() {
  const torch::Tensor x = torch::arange(6.0).view({2, 3}).to(torch::Device(torch::kCUDA, 1));
  for (const bool versioned : {false, true}) expect_same(x, there_and_back(x.t(), versioned).t());
  DLManagedTensor* const m = at::toDLPack(x);
  EXPECT(m->dl_tensor.device.device_type == kDLCUDA && m->dl_tensor.device.device_id == 1);
  m->deleter(m);
  const torch::Tensor pinned = torch::ones({4}).pin_memory();
  DLManagedTensor* const p = at::toDLPack(pinned);
  EXPECT(p->dl_tensor.device.device_type == kDLCUDAHost);
  EXPECT(at::fromDLPack(p).data_ptr() == pinned.data_ptr());
  EXPECT(at::torchDeviceToDLDevice(x.device()).device_id == 1);
  EXPECT(at::dlDeviceToTorchDevice(kDLCUDA, 1) == x.device());
  EXPECT(at::maybeCopyTensor(x, DLDevice{kDLCPU, 0}, c10::nullopt).is_cpu());
  EXPECT(at::maybeCopyTensor(x, c10::nullopt, false).data_ptr() == x.data_ptr());
  EXPECT(at::maybeCopyTensor(x, c10::nullopt, true).data_ptr() != x.data_ptr());
  EXPECT(has(thrown<c10::ValueError>([&] {
               at::maybeCopyTensor(x, DLDevice{kDLCUDA, 0}, false);
             }),
             "allow a copy"));
}

// ---------------------------------------------------------------- for Python
int freed_by_numpy = 0;
torch::Tensor taken;
std::string answer;

template <class F>
const char* answered(const F& f) {
  try {
    answer = f();
  } catch (const std::exception& e) {
    answer = e.what();
  }
  return answer.c_str();
}

/// 0 to 5, {2, 3} as the i-th dtype, transposed, over memory that counts.
torch::Tensor sample(int dtype) {
  const torch::Tensor x =
      torch::arange(6).view({2, 3}).to(dtypes()[static_cast<size_t>(dtype)]).contiguous();
  return torch::from_blob(
             x.data_ptr(), x.sizes(), [x](void*) { ++freed_by_numpy; }, x.options())
      .t();
}

}  // namespace

extern "C" {

int dtype_count() { return static_cast<int>(dtypes().size()); }
const char* dtype_name(int i) { return torch::toString(dtypes()[static_cast<size_t>(i)]); }
int freed_count() { return freed_by_numpy; }
void* give(int dtype, int versioned) {
  if (versioned) return at::toDLPackVersioned(sample(dtype));
  return at::toDLPack(sample(dtype));
}
void* give_shape(int64_t rows, int64_t cols) {
  return at::toDLPack(torch::arange(rows * cols).view({rows, cols}));
}
/// Takes an array; answers its dtype, strides and values, or the error.
const char* take(void* managed, int versioned) {
  return answered([&] {
    taken = versioned ? at::fromDLPackVersioned(static_cast<DLManagedTensorVersioned*>(managed))
                      : at::fromDLPack(static_cast<DLManagedTensor*>(managed));
    return c10::str(taken.scalar_type(), " ", taken.strides(), " ", taper::repr(taken));
  });
}
void add_one() { taken.add_(1); }
void drop() { taken = torch::Tensor(); }

}  // extern "C"

int main() {
  round_trips();
  structures();
  offsets_and_missing_strides();
  freed_once();
  the_memory_outlives_its_tensor();
  threads_free_it();
  refuses();
  warns_of_memory_that_is_not_to_be_written();
  devices();
  std::cout << "dlpack: as expected\n";
}
