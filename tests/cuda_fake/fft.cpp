// A fake of cuFFT (fft.h), and the tests on it, which break each rule once that it checks.
#include <cufft.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include <taper/framework/capture/graph.h>
#include <taper/framework/cuda/gpu/fft_plans.h>
#include <taper/framework/cuda/stream.h>
#include <taper/ops/fft/fft.h>
#include <taper/ops/reduce/reduce.h>

#include "cuda_fake/fft.h"
#include "cuda_fake/state.h"
#include "cuda_fake/util.h"

using namespace fake_cuda;
using namespace fake_cuda::transforms;

namespace {

constexpr const char* kPlan = "plan of cuFFT";

struct Plans {
  std::map<cufftHandle, std::shared_ptr<Plan>> all;
  cufftHandle last = 0;
};
Plans& plans() {
  static Plans fake;
  return fake;
}
const void* address(cufftHandle handle) {
  return reinterpret_cast<const void*>(static_cast<intptr_t>(handle) * 2 + 1);
}
/// The plan of a handle; it may be used where the call is well.
std::shared_ptr<Plan> plan_of(LibraryCall& call, cufftHandle handle) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  call.object(address(handle), kPlan);
  const auto it = plans().all.find(handle);
  if (!call || it == plans().all.end()) return std::make_shared<Plan>();
  return it->second;
}
cufftResult status(const LibraryCall& call, cufftResult wrong = CUFFT_INVALID_VALUE,
                   cufftResult refused = CUFFT_INTERNAL_ERROR) {
  return call.status(wrong, refused);
}

// ---------------------------------------------------------------------- checks
size_t bytes_of(const Plan& p, const Layout& l, const std::array<int64_t, 3>& sizes, bool real) {
  std::array<int64_t, 3> last{};
  for (int d = 0; d < p.rank; ++d) last[d] = sizes[d] - 1;
  return static_cast<size_t>(l.place(last, p.rank, p.batch - 1) + 1) * (p.in_double() ? 8 : 4) *
         (real ? 1 : 2);
}
// Data of real numbers is aligned as complex ones are.
void check_data(LibraryCall& call, const Plan& p, const void* x, const void* y) {
  const size_t align = p.in_double() ? 16 : 8;
  const size_t in = bytes_of(p, p.in, p.sizes_in(), p.from_real()),
               out = bytes_of(p, p.out, p.sizes_out(), p.to_real());
  call.memory("the input", x, in, align);
  call.memory("the output", y, out, align);
  const auto *const a = static_cast<const char*>(x), *const b = static_cast<const char*>(y);
  call.demand(a == b || a + in <= b || b + out <= a, "an output over a part of the input");
}
/// Each number of the batch has a place of its own.
bool is_injective(const Plan& p, const Layout& l, const std::array<int64_t, 3>& sizes) {
  std::set<int64_t> places;
  for (int64_t b = 0; b < p.batch; ++b)
    for_each_index(sizes, p.rank, [&](const auto& at) { places.insert(l.place(at, p.rank, b)); });
  return static_cast<int64_t>(places.size()) == count_of(sizes, p.rank) * p.batch;
}

/// Dense where `embed` is null, whatever else is said then.
Layout layout_of(const long long* embed, int64_t stride, int64_t dist, int rank,
                 const std::array<int64_t, 3>& sizes) {
  Layout l;
  if (!embed) {
    l.embed = sizes;
    l.dist = count_of(sizes, rank);
    return l;
  }
  std::copy_n(embed, rank, l.embed.begin());
  l.stride = stride;
  l.dist = dist;
  return l;
}
void check_layout(LibraryCall& call, const Layout& l, int rank,
                  const std::array<int64_t, 3>& sizes) {
  call.demand(l.stride > 0 && l.dist > 0, "a stride that is none");
  for (int d = 1; d < rank; ++d)
    call.demand(l.embed[d] >= sizes[d], "memory narrower than the data that is in it");
}

cufftResult run(const char* function, cufftHandle handle, cufftType type, const void* x, void* y,
                int sign) {
  LibraryCall call(function);
  const std::shared_ptr<Plan> p = plan_of(call, handle);
  call.demand(p->rank > 0, "a plan that was not made");
  call.demand(p->type == type, "a plan of another type");
  call.demand(sign == CUFFT_FORWARD || sign == CUFFT_INVERSE, "a direction that is none");
  if (!call) return status(call, CUFFT_INVALID_VALUE, CUFFT_EXEC_FAILED);
  call.stream(p->stream);
  if (!p->brings_room) call.memory("the work area", p->room, p->room_nbytes, 16);
  check_data(call, *p, x, y);
  // A graph uses what belongs to the plan, such as its roots of unity, at each replay.
  call.run([=, weak = std::weak_ptr<Plan>(p), plan = *p, name = std::string(function)] {
    if (weak.expired()) violation(name + " of a plan that has ended", cudaErrorInvalidValue);
    if (!plan.brings_room) spoil(plan.room, plan.room_nbytes);
    execute(plan, x, y, sign);
    if (plan.to_real() && x != y)
      spoil(const_cast<void*>(x), bytes_of(plan, plan.in, plan.sizes_in(), false));
  });
  return status(call, CUFFT_INVALID_VALUE, CUFFT_EXEC_FAILED);
}

}  // namespace

extern "C" {

// ---------------------------------------------------------------------- plans
cufftResult cufftCreate(cufftHandle* handle) {
  LibraryCall call("cufftCreate");
  call.allocates();
  if (!call) return status(call, CUFFT_SETUP_FAILED);
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  *handle = ++plans().last;
  plans().all[*handle] = std::make_shared<Plan>();
  call.make_object(address(*handle), kPlan, call.device());
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle handle) {
  LibraryCall call("cufftDestroy");
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  call.object(address(handle), kPlan);
  call.allocates();
  if (call) run_device(call.device());  // it frees memory, which waits
  if (call.end_object(address(handle), kPlan)) plans().all.erase(handle);
  return status(call, CUFFT_INVALID_PLAN);
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int automatic) {
  LibraryCall call("cufftSetAutoAllocation");
  const std::shared_ptr<Plan> p = plan_of(call, handle);
  call.demand(p->rank == 0, "who brings memory, said after the plan was made");
  if (call) p->brings_room = automatic != 0;
  return status(call);
}
cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long* n, long long* inembed,
                                long long istride, long long idist, long long* onembed,
                                long long ostride, long long odist, cufftType type, long long batch,
                                size_t* nbytes) {
  LibraryCall call("cufftMakePlanMany64");
  const std::shared_ptr<Plan> made = plan_of(call, handle);
  call.allocates();
  call.demand(made->rank == 0, "a plan that was made already");
  call.demand(rank >= 1 && rank <= 3 && n, "a rank that is not 1 to 3");
  call.demand(batch > 0, "a batch of none");
  call.demand(!inembed == !onembed, "only one of the two embeddings");
  call.demand(type == CUFFT_C2C || type == CUFFT_R2C || type == CUFFT_C2R || type == CUFFT_Z2Z ||
                  type == CUFFT_D2Z || type == CUFFT_Z2D,
              "a type that is none");
  for (int d = 0; call && d < rank; ++d) call.demand(n[d] > 0, "a size that is none");
  if (!call) return status(call, CUFFT_INVALID_SIZE);
  Plan p = *made;
  p.rank = rank;
  std::copy_n(n, rank, p.n.begin());
  p.type = type;
  p.batch = batch;
  p.in = layout_of(inembed, istride, idist, rank, p.sizes_in());
  p.out = layout_of(onembed, ostride, odist, rank, p.sizes_out());
  check_layout(call, p.in, rank, p.sizes_in());
  check_layout(call, p.out, rank, p.sizes_out());
  if (call) call.demand(is_injective(p, p.out, p.sizes_out()), "outputs that overlap each other");
  *nbytes = p.room_nbytes = static_cast<size_t>(count_of(p.n, rank) * batch) * 16 + 700;
  if (call) *made = p;
  return status(call);
}
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  LibraryCall call("cufftSetStream");
  const std::shared_ptr<Plan> p = plan_of(call, handle);
  call.stream(stream);
  if (call) p->stream = stream;
  return status(call);
}
cufftResult cufftSetWorkArea(cufftHandle handle, void* room) {
  LibraryCall call("cufftSetWorkArea");
  const std::shared_ptr<Plan> p = plan_of(call, handle);
  call.demand(p->rank > 0, "memory for a plan that was not made");
  call.memory("the work area", room, p->room_nbytes, 16);
  if (call) p->room = room;
  return status(call);
}

// ---------------------------------------------------------------------- transforms
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* x, cufftComplex* y, int sign) {
  return run("cufftExecC2C", plan, CUFFT_C2C, x, y, sign);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* x, cufftDoubleComplex* y, int sign) {
  return run("cufftExecZ2Z", plan, CUFFT_Z2Z, x, y, sign);
}
#define FAKE_TRANSFORM(Kind, In, Out, sign)                        \
  cufftResult cufftExec##Kind(cufftHandle plan, In* x, Out* y) {   \
    return run("cufftExec" #Kind, plan, CUFFT_##Kind, x, y, sign); \
  }
FAKE_TRANSFORM(R2C, cufftReal, cufftComplex, CUFFT_FORWARD)
FAKE_TRANSFORM(D2Z, cufftDoubleReal, cufftDoubleComplex, CUFFT_FORWARD)
FAKE_TRANSFORM(C2R, cufftComplex, cufftReal, CUFFT_INVERSE)
FAKE_TRANSFORM(Z2D, cufftDoubleComplex, cufftDoubleReal, CUFFT_INVERSE)

}  // extern "C"

namespace torch::taper {
namespace {

using testing::as_launch;
using testing::draw;
using testing::expect_close;
using testing::expect_failure;
using testing::expect_violation;
using testing::in_own_process;
using testing::on_device;

void run_fft(cufftType type, int64_t n, int64_t rows, const Tensor& x, const Tensor& y,
             bool inverse) {
  as_launch(x.get_device(), [&] {
    cuda::run_fft(type, {{n}, rows}, x.data_ptr(), y.data_ptr(), inverse);
  });
}

void expect_transforms(int64_t n, int64_t rows, bool in_double) {
  const double tolerance = in_double ? 1e-12 : 2e-5;
  const auto results = [&](int64_t width, ScalarType dtype) {
    return empty({rows, width}, TensorOptions(Device(kCUDA, 0)).dtype(dtype));
  };
  const Tensor z = draw({rows, n}, in_double ? kComplexDouble : kComplexFloat), dz = on_device(z);
  for (bool inverse : {false, true}) {
    const Tensor y = results(n, z.scalar_type());
    run_fft(in_double ? CUFFT_Z2Z : CUFFT_C2C, n, rows, dz, y, inverse);
    expect_close(y.cpu(), inverse ? fft::ifft(z, nullopt, -1, "forward") : fft::fft(z), tolerance);
  }
  const Tensor x = draw({rows, n}, in_double ? kDouble : kFloat), half = fft::rfft(x);
  const Tensor to = results(n / 2 + 1, half.scalar_type()), back = results(n, x.scalar_type());
  run_fft(in_double ? CUFFT_D2Z : CUFFT_R2C, n, rows, on_device(x), to, false);
  expect_close(to.cpu(), half, tolerance);
  run_fft(in_double ? CUFFT_Z2D : CUFFT_C2R, n, rows, to, back, true);
  expect_close(back.cpu(), x.mul(n), 10 * tolerance);
}

TEST(FakeCudaFft, TransformsAreThoseOfTheHost) {
  in_own_process([] {
    for (int64_t n : {1, 2, 6, 7})
      for (int64_t rows : {1, 3})
        for (bool in_double : {false, true}) expect_transforms(n, rows, in_double);
    const int64_t plans = fake_cuda::live_objects("cuFFT");
    expect_transforms(7, 3, true);
    EXPECT_EQ(fake_cuda::live_objects("cuFFT"), plans);
  });
}

/// `count` boxes on the device, as run_fft takes them, and their transform as they lie.
void expect_boxes(const std::vector<int64_t>& n, int64_t count, bool interleaved) {
  std::vector<int64_t> sizes = n, dims;
  sizes.insert(interleaved ? sizes.end() : sizes.begin(), count);
  for (size_t d = 0; d < n.size(); ++d) dims.push_back(static_cast<int64_t>(d) + !interleaved);
  const cuda::FftBoxes boxes{IntArrayRef(n), count, interleaved};
  const auto run = [&](cufftType type, const Tensor& x, const Tensor& y, bool inverse) {
    as_launch(0, [&] { cuda::run_fft(type, boxes, x.data_ptr(), y.data_ptr(), inverse); });
  };
  const Tensor z = draw(sizes, kComplexDouble), y = on_device(zeros_like(z));
  run(CUFFT_Z2Z, on_device(z), y, true);
  expect_close(y.cpu(), fft::ifftn(z, nullopt, dims, "forward"), 1e-12);
  if (interleaved) return;
  const Tensor x = draw(sizes, kFloat), half = fft::rfftn(x, nullopt, dims);
  const Tensor to = on_device(zeros_like(half));
  run(CUFFT_R2C, on_device(x), to, false);
  expect_close(to.cpu(), half, 2e-5);
}

TEST(FakeCudaFft, BoxesMayBeInterleaved) {
  in_own_process([] {
    for (const std::vector<int64_t>& n : {std::vector<int64_t>{5}, {3, 4}, {2, 3, 5}})
      for (int64_t count : {1, 4})
        for (bool interleaved : {false, true}) expect_boxes(n, count, interleaved);
    EXPECT_EQ(fake_cuda::live_objects("cuFFT"), 18);  // each of these is a plan of its own
  });
}

TEST(FakeCudaFft, IsInTheStreamOfTheLaunch) {
  in_own_process([] {
    const Tensor z = draw({8}, kComplexFloat), from = on_device(z), x = empty({8}, from.options());
    const Tensor y = on_device(zeros({8}, kComplexFloat));
    const cuda::Stream side(Device(kCUDA, 0));
    const fake_cuda::Lazy lazy;
    const cuda::StreamGuard guard(side);
    detail::copy_on(side.impl(), x.data_ptr(), from.data_ptr(), x.nbytes());
    run_fft(CUFFT_C2C, 8, 1, x, y, false);
    side.synchronize();
    expect_close(y.cpu(), fft::fft(z), 1e-5);
  });
}

// cuFFT takes real numbers only where complex ones could lie.
TEST(FakeCudaFft, RealNumbersMayLieAnywhere) {
  in_own_process([] {
    for (ScalarType dtype : {kFloat, kDouble}) {
      const bool in_double = dtype == kDouble;
      const Tensor all = draw({7}, dtype), x = on_device(all).narrow(0, 1, 6);
      const Tensor half = fft::rfft(all.narrow(0, 1, 6));
      const Tensor y = empty({4}, x.options().dtype(half.scalar_type()));
      run_fft(in_double ? CUFFT_D2Z : CUFFT_R2C, 6, 1, x, y, false);
      expect_close(y.cpu(), half, 1e-5);
      const Tensor back = on_device(zeros({8}, dtype));
      run_fft(in_double ? CUFFT_Z2D : CUFFT_C2R, 6, 1, y, back.narrow(0, 1, 6), true);
      expect_close(back.cpu().narrow(0, 1, 6), all.narrow(0, 1, 6).mul(6), 1e-5);
      EXPECT_EQ(back.cpu()[0].item<double>(), 0);
      EXPECT_EQ(back.cpu()[7].item<double>(), 0);
    }
  });
}

/// cuFFT's arguments for a plan, which may have several dimensions and strides.
struct PlanCall {
  std::vector<long long> n{4, 6}, in, out;
  long long stride_in = 1, dist_in = 0, stride_out = 1, dist_out = 0, batch = 1;
  cufftType type = CUFFT_C2C;
  cufftHandle plan = 0;

  cufftResult make() {
    size_t nbytes = 0;
    cufftCreate(&plan);
    return cufftMakePlanMany64(
        plan, static_cast<int>(n.size()), n.data(), in.empty() ? nullptr : in.data(), stride_in,
        dist_in, out.empty() ? nullptr : out.data(), stride_out, dist_out, type, batch, &nbytes);
  }
  void end() { cufftDestroy(std::exchange(plan, 0)); }
  ~PlanCall() {
    if (plan) end();
  }
};

TEST(FakeCudaFft, OfSeveralDimensionsAreThoseOfTheHost) {
  in_own_process([] {
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{2, 3}, {2, 3, 4}, {3, 2, 5}}) {
      PlanCall call;
      call.n = {sizes.begin(), sizes.end()};
      ASSERT_EQ(call.make(), CUFFT_SUCCESS);
      const Tensor z = draw(sizes, kComplexFloat), dz = on_device(z);
      cufftExecC2C(call.plan, static_cast<cufftComplex*>(dz.data_ptr()),
                   static_cast<cufftComplex*>(dz.data_ptr()), CUFFT_FORWARD);  // in its place
      expect_close(dz.cpu(), fft::fftn(z), 1e-5);

      const Tensor x = draw(sizes, kDouble), half = fft::rfftn(x), dx = on_device(x);
      const Tensor to = empty(half.sizes(), dz.options().dtype(kComplexDouble));
      PlanCall forward;
      forward.n = call.n;
      forward.type = CUFFT_D2Z;
      ASSERT_EQ(forward.make(), CUFFT_SUCCESS);
      cufftExecD2Z(forward.plan, dx.data_ptr<double>(),
                   static_cast<cufftDoubleComplex*>(to.data_ptr()));
      expect_close(to.cpu(), half, 1e-12);
      PlanCall back;
      back.n = call.n;
      back.type = CUFFT_Z2D;
      ASSERT_EQ(back.make(), CUFFT_SUCCESS);
      cufftExecZ2D(back.plan, static_cast<cufftDoubleComplex*>(to.data_ptr()),
                   dx.data_ptr<double>());
      expect_close(dx.cpu(), x.mul(x.numel()), 1e-11);
      EXPECT_TRUE(to.cpu().isnan().any().item<bool>());  // it was working memory
    }
  });
}

// Every second number of rows that are longer than the transform, batch inside.
TEST(FakeCudaFft, StridesAreFollowed) {
  in_own_process([] {
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    PlanCall call;
    call.n = {2, 3};
    call.batch = 2;
    call.in = {2, 5}, call.stride_in = 2, call.dist_in = 1;
    call.out = {2, 3}, call.stride_out = 1, call.dist_out = 6;
    ASSERT_EQ(call.make(), CUFFT_SUCCESS);
    const Tensor all = draw({2, 5, 2}, kComplexFloat), x = on_device(all);
    const Tensor y = empty({2, 2, 3}, x.options());
    cufftExecC2C(call.plan, static_cast<cufftComplex*>(x.data_ptr()),
                 static_cast<cufftComplex*>(y.data_ptr()), CUFFT_FORWARD);
    expect_close(y.cpu(), fft::fft2(all.narrow(1, 0, 3).permute({2, 0, 1})), 1e-5);
  });
}

TEST(FakeCudaFft, WhatFailsIsThrownAndLeavesNothing) {
  in_own_process([] {
    const Tensor z = draw({8}, kComplexFloat), x = on_device(z), y = empty({8}, x.options());
    const auto transform = [&] { run_fft(CUFFT_C2C, 8, 1, x, y, false); };
    for (const char* function : {"cufftCreate", "cufftSetAutoAllocation", "cufftMakePlanMany64"})
      expect_failure(function, {"cuFFT error: CUFFT_INTERNAL_ERROR", function}, transform);
    EXPECT_NO_THROW(transform());
    for (const char* function : {"cufftSetStream", "cufftSetWorkArea"})
      expect_failure(function, {"cuFFT error: CUFFT_INTERNAL_ERROR", function}, transform);
    expect_failure("cufftExecC2C", {"cuFFT error: CUFFT_EXEC_FAILED", "cufftExecC2C"}, transform);
    transform();
    expect_close(y.cpu(), fft::fft(z), 1e-5);
  });
}

template <class Change>
void expect_no_plan(const std::string& rule, const Change& change) {
  PlanCall call;
  change(call);
  expect_violation(rule, [&] { EXPECT_NE(call.make(), CUFFT_SUCCESS); });
}

TEST(FakeCudaFft, PlansAgainstTheRulesAreRefused) {
  in_own_process([] {
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    expect_no_plan("a rank", [](PlanCall& c) { c.n = {2, 2, 2, 2}; });
    expect_no_plan("a size", [](PlanCall& c) { c.n = {2, 0}; });
    expect_no_plan("a batch", [](PlanCall& c) { c.batch = 0; });
    expect_no_plan("a type", [](PlanCall& c) { c.type = static_cast<cufftType>(7); });
    expect_no_plan("only one", [](PlanCall& c) { c.in = {4, 6}; });
    const auto with_strides = [](PlanCall& c, std::vector<long long> in, long long dist) {
      c.in = std::move(in), c.out = {4, 6};
      c.dist_in = 24, c.dist_out = dist, c.batch = 2;
    };
    expect_no_plan("memory narrower", [&](PlanCall& c) { with_strides(c, {4, 5}, 24); });
    expect_no_plan("a stride", [&](PlanCall& c) { with_strides(c, {4, 6}, 0); });
    expect_no_plan("outputs that overlap", [&](PlanCall& c) { with_strides(c, {4, 6}, 7); });
  });
}

TEST(FakeCudaFft, CallsAgainstTheRulesAreRefused) {
  in_own_process([] {
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    const Tensor x = on_device(draw({64}, kComplexFloat)), y = empty({64}, x.options());
    auto* const from = static_cast<cufftComplex*>(x.data_ptr());
    auto* const to = static_cast<cufftComplex*>(y.data_ptr());
    PlanCall call;
    ASSERT_EQ(call.make(), CUFFT_SUCCESS);
    const auto run = [&](cufftComplex* p, cufftComplex* q) {
      cufftExecC2C(call.plan, p, q, CUFFT_FORWARD);
    };
    run(from, to);
    EXPECT_TRUE(fake_cuda::violations().empty());
    expect_violation("an output over a part", [&] { run(from, from + 1); });
    expect_violation("the input is not aligned",
                     [&] { run(reinterpret_cast<cufftComplex*>(&from->y), to); });
    expect_violation("the output has", [&] { run(from, to + 60); });
    expect_violation("the input is no memory", [&] { run(nullptr, to); });
    expect_violation("a direction", [&] { cufftExecC2C(call.plan, from, to, 2); });
    expect_violation("a plan of another type", [&] { cufftExecR2C(call.plan, &from->x, to); });
    expect_violation("a plan of cuFFT of another device",
                     [&] { as_launch(1, [&] { run(from, to); }); });
    const auto make_again = [](cufftHandle plan) {
      size_t nbytes = 0;
      long long n = 4;
      cufftMakePlanMany64(plan, 1, &n, nullptr, 1, 1, nullptr, 1, 1, CUFFT_C2C, 1, &nbytes);
      return static_cast<int64_t>(nbytes);
    };
    expect_violation("a plan that was made already", [&] { make_again(call.plan); });

    cufftHandle own = 0;
    ASSERT_EQ(cufftCreate(&own), CUFFT_SUCCESS);
    const auto run_own = [&] { return cufftExecC2C(own, from, to, CUFFT_FORWARD); };
    expect_violation("a plan that was not made", run_own);
    cufftSetAutoAllocation(own, 0);
    const int64_t nbytes = make_again(own);
    expect_violation("who brings memory", [&] { cufftSetAutoAllocation(own, 1); });
    expect_violation("the work area is no memory", run_own);
    {
      const Tensor room = empty({nbytes}, x.options().dtype(kByte));
      EXPECT_EQ(cufftSetWorkArea(own, room.data_ptr()), CUFFT_SUCCESS);
      EXPECT_EQ(run_own(), CUFFT_SUCCESS);
    }
    expect_violation("the work area is memory that was given back", run_own);
    expect_violation("the work area has", [&] { cufftSetWorkArea(own, to + 60); });
    cufftDestroy(own);
    expect_violation("what is no plan of cuFFT", [&] { cufftDestroy(own); });
  });
}

TEST(FakeCudaFft, AReplayWithoutThePlanIsRefused) {
  in_own_process([] {
    const Tensor x = on_device(draw({4}, kComplexFloat)), y = empty({4}, x.options());
    auto* const to = static_cast<cufftComplex*>(y.data_ptr());
    PlanCall call;
    call.n = {4};
    as_launch(0, [&] { call.make(); });
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      as_launch(0, [&] {
        cufftSetStream(call.plan, cuda::kernel_stream());
        cufftExecC2C(call.plan, static_cast<cufftComplex*>(x.data_ptr()), to, CUFFT_FORWARD);
      });
    }
    graph.replay();
    EXPECT_TRUE(fake_cuda::violations().empty());
    as_launch(0, [&] { call.end(); });
    expect_violation("a plan that has ended", [&] { graph.replay(); });
  });
}

#if FAKE_CUDA_KERNELS
/// Expects of f on the device so many transforms of cuFFT and, besides, launches of kernels.
template <class F>
Tensor expect_calls(const Tensor& host, uint64_t transforms, uint64_t kernels, const F& f) {
  const Tensor x = on_device(host);
  const auto count = [](std::initializer_list<const char*> functions) {
    uint64_t n = 0;
    for (const char* function : functions) n += fake_cuda::calls(function);
    return n;
  };
  const auto of_cufft = [&] { return count({"cufftExecC2C", "cufftExecR2C", "cufftExecC2R"}); };
  const uint64_t before = of_cufft(), launches = count({"cudaLaunchKernel"});
  const Tensor y = f(x);
  EXPECT_EQ(of_cufft() - before, transforms);
  EXPECT_EQ(count({"cudaLaunchKernel"}) - launches, kernels);
  return y.cpu();
}

// A kernel would be a copy to another layout. (What is not scaled is computed here.)
TEST(FakeCudaFft, UpToThreeDimensionsAreOneTransform) {
  in_own_process([] {
    const Tensor z = draw({2, 3, 4, 5}, kComplexFloat), x = real(z).contiguous();
    const auto expect = [&](const std::vector<int64_t>& dims, uint64_t transforms) {
      const auto forward = [&](const Tensor& t) { return fft::fftn(t, nullopt, dims); };
      expect_close(expect_calls(z, transforms, 0, forward), forward(z), 1e-4);
    };
    for (const auto& dims :
         {std::vector<int64_t>{3}, {2, 3}, {3, 2}, {1, 2, 3}, {0}, {0, 1}, {2, 0, 1}})
      expect(dims, 1);
    expect({0, 1, 2, 3}, 2);
    const std::vector<int64_t> middle{1, 2};
    expect_calls(z, 1, 1, [&](const Tensor& t) { return fft::fftn(t, nullopt, middle); });

    const auto of_real = [](const Tensor& t) { return fft::rfftn(t); };
    expect_close(expect_calls(x, 2, 0, of_real), of_real(x), 1e-4);
    const auto to_real = [](const Tensor& t) {
      return fft::irfftn(t, nullopt, nullopt, "forward");
    };
    expect_close(expect_calls(z, 2, 0, to_real), to_real(z), 1e-4);
  });
}
#endif

}  // namespace
}  // namespace torch::taper
