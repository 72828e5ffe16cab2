// Recurrent layers by cuDNN: what comes of them is what the host gives, and each rule that the fake
// checks is broken once on purpose.
#include <gtest/gtest.h>

#include <algorithm>

#include <taper/ops/sequence/rnn.h>
#include <taper/ops/sequence/rnn_library.h>

#include "cuda_fake/dnn.h"
#include "cuda_fake/dnn_cases.h"

namespace torch::taper {
namespace {

using fake_cuda::dnn;
using testing::as_launch;
using testing::draw;
using testing::expect_close;
using testing::expect_failure;
using testing::expect_refused;
using testing::in_own_process;
using testing::like;
using testing::there;
using testing::tolerance_of;
using Ints = std::vector<int>;

// ---------------------------------------------------------------------- recurrent layers
RnnStack stack_of(RnnMode mode, bool two, bool biases, int64_t output = 3) {
  return {mode, biases, 2, two, false, 0, {3, 2, 2, 1}, 5, 3, output};
}
/// A stack's inputs, on the host: x, h, c (of an LSTM), then parameters; and gradients of results.
struct Rnn {
  RnnStack stack;
  ScalarType dtype;
  Tensor x, h, c, gy, gh, gc;
  std::vector<Tensor> params;

  Rnn(RnnStack s, ScalarType dtype) : stack(std::move(s)), dtype(dtype) {
    const int64_t count = 2 * stack.directions(), N = stack.sizes[0];
    x = draw({8, stack.input}, dtype), h = draw({count, N, stack.output}, dtype);
    gy = draw({8, stack.directions() * stack.output}, dtype), gh = draw(h.sizes(), dtype);
    if (stack.mode == RnnMode::kLstm)
      c = draw({count, N, stack.hidden}, dtype), gc = draw(c.sizes(), dtype);
    for (const Dims& sizes : rnn_param_sizes(stack))
      params.push_back(draw(sizes.ref(), dtype).mul(0.4));
  }
  /// Results, then the gradients of x, h, c and the parameters, in double.
  std::vector<Tensor> on_host() const {
    std::vector<Tensor> in{x, h};
    if (c.defined()) in.push_back(c);
    const size_t first = in.size();
    in.insert(in.end(), params.begin(), params.end());
    for (Tensor& t : in) t = t.to(kDouble).detach().clone().requires_grad_();
    const RnnOutput out = rnn_layers(stack, in[0], in[1], c.defined() ? in[2] : Tensor(),
                                     TensorList(in.data() + first, in.size() - first));
    std::vector<Tensor> y{out.y, out.h}, g{gy.to(kDouble), gh.to(kDouble)};
    if (c.defined()) y.push_back(out.c), g.push_back(gc.to(kDouble));
    const auto gradients = autograd::grad(y, in, g);
    for (Tensor& t : y) t = t.detach();
    y.insert(y.end(), gradients.begin(), gradients.end());
    return y;
  }
  /// The same by cuDNN's calls alone, without kernels that pack weights.
  std::vector<Tensor> by_cudnn() const {
    const RnnLibrary& library = cuda::cudnn_rnn_library();
    const RnnSpace space = library.space(stack, dtype, Device(kCUDA, 0), true);
    Tensor weights = zeros({space.weights}, dtype);
    pack_weights(weights, space.spans, params);
    weights = there(weights);
    const Device device(kCUDA, 0);
    const Tensor dx = there(x), dh = there(h), dc = there(c), y = like(gy, device),
                 last_h = like(h, device), last_c = like(c, device),
                 reserve = empty({space.reserve}, TensorOptions(kByte).device(device));
    as_launch(0, [&] { library.forward(stack, y, last_h, last_c, reserve, dx, dh, dc, weights); });
    const Tensor gx = like(x, device), gh0 = like(h, device), gc0 = like(c, device),
                 gw = there(zeros({space.weights}, dtype));
    as_launch(0, [&] {
      library.backward(stack, gx, gh0, gc0, gw, reserve, there(gy), there(gh), there(gc), dx, dh,
                       dc, y, weights);
    });
    std::vector<Tensor> all{y, last_h, last_c, gx, gh0, gc0};
    all.erase(std::remove_if(all.begin(), all.end(), [](auto& t) { return !t.defined(); }),
              all.end());
    for (Tensor& t : all) t = t.cpu();
    for (Tensor& t : unpack_weights(gw.cpu(), space.spans, rnn_param_sizes(stack)))
      all.push_back(t);
    return all;
  }
};
void expect_rnn_as_on_host(const RnnStack& stack, ScalarType dtype) {
  const Rnn r(stack, dtype);
  const auto wanted = r.on_host(), got = r.by_cudnn();
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE(i);
    expect_close(got[i], wanted[i], 2 * tolerance_of(dtype));
  }
}

TEST(FakeDnnRnn, IsThatOfTheHost) {
  in_own_process([] {
    for (RnnMode mode : {RnnMode::kTanh, RnnMode::kRelu, RnnMode::kLstm, RnnMode::kGru})
      for (bool two : {false, true})
        for (bool biases : {false, true})
          expect_rnn_as_on_host(stack_of(mode, two, biases), kDouble);
    for (bool two : {false, true})
      expect_rnn_as_on_host(stack_of(RnnMode::kLstm, two, true, 2), kDouble);
    for (ScalarType dtype : {kFloat, kHalf, kBFloat16})
      expect_rnn_as_on_host(stack_of(RnnMode::kLstm, true, true), dtype);
  });
}

TEST(FakeDnnRnn, KeepsNothingWhereNoGradientIsWanted) {
  in_own_process([] {
    const Rnn r(stack_of(RnnMode::kGru, true, true), kDouble);
    const RnnLibrary& library = cuda::cudnn_rnn_library();
    const RnnSpace space = library.space(r.stack, kDouble, Device(kCUDA, 0), false);
    EXPECT_EQ(space.reserve, 0);
    Tensor weights = zeros({space.weights}, kDouble);
    pack_weights(weights, space.spans, r.params);
    weights = there(weights);
    const Tensor x = there(r.x), h = there(r.h), y = like(r.gy, x.device()),
                 last = like(h, x.device());
    as_launch(
        0, [&] { library.forward(r.stack, y, last, Out(), Out(), x, h, In(Tensor()), weights); });
    expect_close(y.cpu(), r.on_host()[0], 1e-10);
  });
}

#if FAKE_CUDA_KERNELS
// Kernels pack the weights, and do not run here: the calls are what can be seen.
TEST(FakeDnnRnn, IsWhatTheOpsCall) {
  in_own_process([] {
    const Rnn r(stack_of(RnnMode::kLstm, true, true), kFloat);
    std::vector<Tensor> params;
    for (const Tensor& t : r.params) params.push_back(there(t));
    const Tensor x = there(draw({4, 3, 5}, kFloat)), h = there(r.h), c = there(r.c);
    const auto run = [&] { lstm(x, {h, c}, params, true, 2, 0.0, true, true, false); };
    run();
    params[0].requires_grad_();
    run();
    EXPECT_EQ(fake_cuda::calls("cudnnRNNForward"), 2u);
    EXPECT_EQ(fake_cuda::calls("cudnnSetRNNDescriptor_v8"), 1u);  // the same stack
  });
}
#endif

// ---------------------------------------------------------------------- what cuDNN does not have
TEST(FakeDnnRnn, WhatIsNotSupportedGoesByLayers) {
  in_own_process([] {
    const auto weights = [](bool two) {
      const RnnStack s = stack_of(RnnMode::kGru, two, true);
      return cuda::cudnn_rnn_library().space(s, kFloat, Device(kCUDA, 0), true).weights;
    };
    dnn().layers = CUDNN_STATUS_NOT_SUPPORTED;
    EXPECT_EQ(weights(true), 0);
    dnn().layers = CUDNN_STATUS_SUCCESS;
    EXPECT_GT(weights(false), 0);
  });
}

TEST(FakeDnnRnn, FailedCallsNameThemselvesAndLeaveNothing) {
  in_own_process([] {
    const Rnn r(stack_of(RnnMode::kLstm, false, true), kFloat);
    as_launch(0, [] { cuda::cudnn_handle(); });
    for (const char* function :
         {"cudnnCreateDropoutDescriptor", "cudnnSetDropoutDescriptor", "cudnnCreateRNNDescriptor",
          "cudnnSetRNNDescriptor_v8", "cudnnGetRNNWeightSpaceSize", "cudnnGetRNNWeightParams"})
      expect_failure(function, {"cuDNN error", function}, [&] { r.by_cudnn(); });
    r.by_cudnn();
    for (const char* function :
         {"cudnnCreateRNNDataDescriptor", "cudnnSetRNNDataDescriptor", "cudnnGetRNNTempSpaceSizes",
          "cudnnRNNForward", "cudnnRNNBackwardData_v8", "cudnnRNNBackwardWeights_v8"})
      expect_failure(function, {"cuDNN error", function}, [&] { r.by_cudnn(); });
    EXPECT_NO_THROW(r.by_cudnn());
  });
}

// ---------------------------------------------------------------------- what the fake refuses
TAPER_CUDNN_DESCRIPTION(RnnDescription, cudnnRNNDescriptor_t, cudnnCreateRNNDescriptor,
                        cudnnDestroyRNNDescriptor)
TAPER_CUDNN_DESCRIPTION(RowsDescription, cudnnRNNDataDescriptor_t, cudnnCreateRNNDataDescriptor,
                        cudnnDestroyRNNDataDescriptor)
TAPER_CUDNN_DESCRIPTION(DropoutDescription, cudnnDropoutDescriptor_t, cudnnCreateDropoutDescriptor,
                        cudnnDestroyDropoutDescriptor)
using cuda::TensorDescription;

TEST(FakeDnnRnn, RefusesDescriptionsAgainstTheRules) {
  const DropoutDescription dropout, none;
  const RnnDescription rnn;
  const RowsDescription rows;
  const auto set = [&](cudnnRNNMode_t mode, int output, cudnnDataType_t type, cudnnMathType_t math,
                       int layers = 1) {
    cudnnSetRNNDescriptor_v8(rnn.get(), CUDNN_RNN_ALGO_STANDARD, mode, CUDNN_RNN_NO_BIAS,
                             CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, type, type, math, 4, 3,
                             output, layers, dropout.get(), 0);
  };
  const auto set_rows = [&](const Ints& lengths, int longest) {
    cudnnSetRNNDataDescriptor(rows.get(), CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED,
                              longest, static_cast<int>(lengths.size()), 4, lengths.data(),
                              nullptr);
  };
  const auto plain = CUDNN_DEFAULT_MATH;
  expect_refused("a dropout that was not", [&] { set(CUDNN_GRU, 3, CUDNN_DATA_FLOAT, plain); });
  as_launch(
      0, [&] { cudnnSetDropoutDescriptor(dropout.get(), cuda::cudnn_handle(), 0, nullptr, 0, 0); });
  expect_refused("dropout, which", [&] {
    cudnnSetDropoutDescriptor(none.get(), cuda::cudnn_handle(), 0.5f, nullptr, 0, 0);
  });
  size_t nbytes = 0;
  expect_refused("a stack that was not described",
                 [&] { cudnnGetRNNWeightSpaceSize(cuda::cudnn_handle(), rnn.get(), &nbytes); });
  expect_refused("a projection", [&] { set(CUDNN_GRU, 2, CUDNN_DATA_FLOAT, plain); });
  expect_refused("arithmetic", [&] { set(CUDNN_GRU, 3, CUDNN_DATA_DOUBLE, CUDNN_TENSOR_OP_MATH); });
  expect_refused("a size below one", [&] { set(CUDNN_GRU, 3, CUDNN_DATA_FLOAT, plain, 0); });
  expect_refused("rows that were not", [&] {
    set(CUDNN_GRU, 3, CUDNN_DATA_FLOAT, plain);
    cudnnGetRNNTempSpaceSizes(cuda::cudnn_handle(), rnn.get(), CUDNN_FWD_MODE_TRAINING, rows.get(),
                              &nbytes, &nbytes);
  });
  expect_refused("lengths of packed rows that grow", [&] { set_rows({1, 2}, 2); });
  expect_refused("beyond the longest", [&] { set_rows({3, 2}, 2); });
  const TensorDescription matrix, bias;
  const Tensor weights = there(zeros({999}));
  void *to = nullptr, *to_bias = nullptr;
  as_launch(0, [&] { cudnnGetRNNWeightSpaceSize(cuda::cudnn_handle(), rnn.get(), &nbytes); });
  const auto part = [&](int layer, int linear, size_t size) {
    cudnnGetRNNWeightParams(cuda::cudnn_handle(), rnn.get(), layer, size, weights.data_ptr(),
                            linear, matrix.get(), &to, bias.get(), &to_bias);
  };
  as_launch(0, [&] { part(0, 5, nbytes); });
  EXPECT_EQ(to_bias, nullptr);
  expect_refused("a layer that", [&] { part(1, 0, nbytes); });
  expect_refused("a matrix that", [&] { part(0, 6, nbytes); });
  expect_refused("another size than was told", [&] { part(0, 0, nbytes + 4); });
}

/// Calls for a layer of three units over two sequences that are right but for what a test changes.
struct RnnCalls {
  DropoutDescription dropout;
  RnnDescription rnn;
  RowsDescription x, y;
  TensorDescription h;
  cudnnRNNAlgo_t algorithm = CUDNN_RNN_ALGO_STANDARD;
  cudnnRNNBiasMode_t biases = CUDNN_RNN_NO_BIAS;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
  cudnnWgradMode_t mode = CUDNN_WGRAD_MODE_ADD;
  int columns = 4, units = 3, length_of_y = 2, width_of_h = 3;
  size_t less_work = 0, less_reserve = 0;
  Tensor memory = there(zeros({4096}));

  void set_rows(const RowsDescription& d, int width, int length) const {
    const int lengths[] = {2, length};
    cudnnSetRNNDataDescriptor(d.get(), CUDNN_DATA_FLOAT, layout, 2, 2, width, lengths, nullptr);
  }
  void run(bool backward = false) const {
    const cudnnHandle_t handle = cuda::cudnn_handle();
    cudnnSetDropoutDescriptor(dropout.get(), handle, 0, nullptr, 0, 0);
    cudnnSetRNNDescriptor_v8(rnn.get(), algorithm, CUDNN_RNN_TANH, biases, CUDNN_UNIDIRECTIONAL,
                             CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                             CUDNN_DEFAULT_MATH, 4, 3, 3, 1, dropout.get(), 0);
    if (fake_cuda::violations().empty()) set_rows(x, columns, 2);
    if (fake_cuda::violations().empty()) set_rows(y, units, length_of_y);
    if (!fake_cuda::violations().empty()) return;
    testing::set_tensor(h, {1, 2, width_of_h});
    size_t nbytes = 0, work = 0, reserve = 0;
    cudnnGetRNNWeightSpaceSize(handle, rnn.get(), &nbytes);
    cudnnGetRNNTempSpaceSizes(handle, rnn.get(), CUDNN_FWD_MODE_TRAINING, x.get(), &work, &reserve);
    void* const p = memory.data_ptr();
    if (backward)
      cudnnRNNBackwardWeights_v8(handle, rnn.get(), mode, nullptr, x.get(), p, h.get(), p, y.get(),
                                 p, nbytes, p, work, p, reserve, p);
    else
      cudnnRNNForward(handle, rnn.get(), CUDNN_FWD_MODE_TRAINING, nullptr, x.get(), p, y.get(), p,
                      h.get(), p, p, nullptr, nullptr, nullptr, nbytes, p, work - less_work, p,
                      reserve - less_reserve, p);
  }
};
TEST(FakeDnnRnn, RefusesPassesAgainstTheRules) {
  const auto refused = [](const char* rule, const std::function<void(RnnCalls&)>& change) {
    expect_refused(rule, [&] {
      RnnCalls c;
      change(c);
      c.run(c.mode != CUDNN_WGRAD_MODE_ADD);
    });
  };
  as_launch(0, [] { RnnCalls().run(); });
  refused("an algorithm", [](RnnCalls& c) { c.algorithm = CUDNN_RNN_ALGO_PERSIST_STATIC; });
  refused("biases that", [](RnnCalls& c) { c.biases = CUDNN_RNN_SINGLE_INP_BIAS; });
  refused("not packed", [](RnnCalls& c) { c.layout = CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED; });
  refused("rows of x that", [](RnnCalls& c) { c.columns = 5; });
  refused("rows of y that", [](RnnCalls& c) { c.units = 6; });
  refused("of other lengths", [](RnnCalls& c) { c.length_of_y = 1; });
  refused("described as a state", [](RnnCalls& c) { c.width_of_h = 4; });
  refused("less working memory", [](RnnCalls& c) { c.less_work = 1; });
  refused("a reserve that is too small", [](RnnCalls& c) { c.less_reserve = 1; });
  refused("not added", [](RnnCalls& c) { c.mode = CUDNN_WGRAD_MODE_SET; });
}

TEST(FakeDnnRnn, RefusesMemoryAgainstTheRules) {
  const Rnn r({RnnMode::kTanh, true, 2, false, false, 0, {3, 2, 2, 1}, 50, 30, 30}, kFloat);
  const RnnLibrary& library = cuda::cudnn_rnn_library();
  const RnnSpace space = library.space(r.stack, kFloat, Device(kCUDA, 0), true);
  const Tensor x = there(r.x), h = there(r.h), y = there(r.gy), few = there(zeros({1})),
               weights = there(zeros({space.weights})), gx = there(r.x), gh = there(r.h),
               reserve = there(zeros({space.reserve}, kByte));
  const In none{Tensor()};
  const auto forward = [&](const Tensor& x, const Tensor& h, const Tensor& weights,
                           const Tensor& reserve) {
    EXPECT_THROW(library.forward(r.stack, y, h, Out(), reserve, x, h, none, weights), Error);
  };
  const auto backward = [&] {
    library.backward(r.stack, gx, gh, Out(), InOut(), reserve, y, none, none, x, h, none, y,
                     weights);
  };
  expect_refused("x has", [&] { forward(few, h, weights, reserve); });
  expect_refused("the first state has", [&] { forward(x, few, weights, reserve); });
  expect_refused("the weights has", [&] { forward(x, h, few, reserve); });
  expect_refused("the reserve has", [&] { forward(x, h, weights, few); });
  expect_refused("x is no memory of a device", [&] { forward(r.x, h, weights, reserve); });
  as_launch(0, [&] { library.forward(r.stack, y, h, Out(), reserve, x, h, none, weights); });
  as_launch(0, backward);
  expect_refused("as the call before has left it", backward);  // which is what it is copied for
}

}  // namespace
}  // namespace torch::taper
