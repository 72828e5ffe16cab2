// What the fake of cuDNN (dnn.cpp) has of recurrent layers: what is described, asked and passed,
// which is checked. What forward keeps for backward lies where cuDNN says it does, in the caller's
// reserve. To be included once in a program.
#pragma once

#include "cuda_fake/dnn_rnn_pass.h"

namespace fake_cuda::rnn {

using layers::status;

// ---------------------------------------------------------------------- checks
/// How much memory a pass needs: numbers that differ from stack to stack and batch to batch.
struct Room {
  size_t work, reserve;
  Room(const Stack& s, const Rows& x)
      : work(static_cast<size_t>(96 + 8 * x.rows() + 40 * s.count())),
        reserve(Kept::nbytes(s, x.rows()) + static_cast<size_t>(16 * x.batch)) {}
};

/// The memory and descriptions of a pass over a batch.
class Check {
 public:
  Check(LibraryCall& call, cudnnHandle_t handle, const Stack* s, const Rows* x, const Rows* y)
      : call_(call) {
    layers::check_handle(call, handle);
    call.object(s, kDnnPart);
    call.object(x, kDnnPart);
    call.object(y, kDnnPart);
    if (!call) return;
    call.demand(s->is_set(), "a stack that was not described");
    call.demand(x->batch > 0 && y->batch > 0, "rows that were not described");
    call.demand(x->type == s->type && x->width == s->input, "rows of x that are not the stack's");
    call.demand(y->width == s->directions * s->output, "rows of y that are not the stack's");
    call.demand(y->goes_with(*x), "rows of x and y of other lengths or types");
    if (call) s_ = *s, x_ = *x;
  }
  void rows(const char* name, const void* p, int width) { memory(name, p, x_.rows() * width); }
  /// May be null: zeros, or not wanted.
  void states(const char* name, const cudnnTensorStruct* t, const void* p, int width) {
    layers::check_described(call_, t);
    if (call_)
      call_.demand(t->type == s_.type && t->sizes == std::vector{s_.count(), x_.batch, width},
                   std::string(name) + " is not described as a state");
    if (p) memory(name, p, int64_t{s_.count()} * x_.batch * width);
  }
  /// What only an LSTM has.
  void cells(const char* name, const cudnnTensorStruct* t, const void* p) {
    if (s_.mode == CUDNN_LSTM) states(name, t, p, s_.hidden);
  }
  void weights(size_t nbytes, const void* p) {
    const int64_t n = Weights(s_).numel();
    call_.demand(nbytes == static_cast<size_t>(n * bytes_of(s_.type)),
                 "weights of another size than was told");
    memory("the weights", p, n);
  }
  void work(size_t nbytes, void* p) {
    if (!call_) return;
    call_.demand(nbytes >= Room(s_, x_).work, "less working memory than is needed");
    call_.memory("the working memory", p, nbytes, 16);
  }
  void reserve(size_t nbytes, void* p) {
    if (!call_) return;
    call_.demand(nbytes >= Room(s_, x_).reserve, "a reserve that is too small");
    call_.memory("the reserve", p, nbytes, 16);
  }
  const Stack& stack() const { return s_; }
  const Rows& x() const { return x_; }

 private:
  void memory(const char* name, const void* p, int64_t numel) {
    call_.demand(p, std::string(name) + " is missing");
    if (!call_) return;
    const auto each = static_cast<size_t>(bytes_of(s_.type));
    call_.memory(name, p, static_cast<size_t>(numel) * each, each);
  }
  LibraryCall& call_;
  Stack s_;
  Rows x_;
};

/// A state, zeros where there is none.
inline Numbers states(const Stack& s, const Rows& x, const void* p, int width) {
  const int64_t n = int64_t{s.count()} * x.batch * width;
  return p ? numbers_of(s.type, p, n) : Numbers(static_cast<size_t>(n));
}
inline void write_states(const Stack& s, void* to, const Numbers& v) {
  if (to) layers::store(s.type, to, v);
}
/// Whether the reserve is as the last call of this name must have left it.
inline bool is_reserve_of(const char* function, const Pass& p, Kept::State state) {
  if (p.kept.is_in(state)) return true;
  violation(std::string(function) + ": a reserve that is not as the call before has left it",
            cudaErrorInvalidValue);
  return false;
}
/// The arithmetic that a type of numbers may be computed in, and how.
inline bool fits(cudnnDataType_t type, cudnnDataType_t compute, cudnnMathType_t math) {
  if (type == CUDNN_DATA_DOUBLE) return compute == CUDNN_DATA_DOUBLE && math == CUDNN_DEFAULT_MATH;
  if (compute != CUDNN_DATA_FLOAT) return false;
  if (type == CUDNN_DATA_FLOAT) return math == CUDNN_DEFAULT_MATH || math == CUDNN_FMA_MATH;
  return (type == CUDNN_DATA_HALF || type == CUDNN_DATA_BFLOAT16) && math == CUDNN_TENSOR_OP_MATH;
}

}  // namespace fake_cuda::rnn

// ---------------------------------------------------------------------- cuDNN's names
extern "C" {

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* d) {
  return fake_cuda::layers::create("cudnnCreateDropoutDescriptor", d);
}
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t d) {
  return fake_cuda::layers::destroy("cudnnDestroyDropoutDescriptor", d);
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t d, cudnnHandle_t handle,
                                        float dropout, void* states, size_t nbytes,
                                        unsigned long long) {
  fake_cuda::LibraryCall call("cudnnSetDropoutDescriptor");
  call.object(handle, fake_cuda::layers::kDnnHandle);
  call.object(d, fake_cuda::kDnnPart);
  call.demand(dropout == 0 && !states && nbytes == 0, "dropout, which the fake does not have");
  if (call) d->is_set = true;
  return fake_cuda::rnn::status(call);
}

// ---------------------------------------------------------------------- descriptions
cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* d) {
  return fake_cuda::layers::create("cudnnCreateRNNDescriptor", d);
}
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t d) {
  return fake_cuda::layers::destroy("cudnnDestroyRNNDescriptor", d);
}
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t d, cudnnRNNAlgo_t algorithm,
                                       cudnnRNNMode_t mode, cudnnRNNBiasMode_t biases,
                                       cudnnDirectionMode_t directions, cudnnRNNInputMode_t input,
                                       cudnnDataType_t type, cudnnDataType_t compute,
                                       cudnnMathType_t math, int32_t columns, int32_t hidden,
                                       int32_t output, int32_t layers,
                                       cudnnDropoutDescriptor_t dropout, uint32_t flags) {
  fake_cuda::LibraryCall call("cudnnSetRNNDescriptor_v8");
  call.object(d, fake_cuda::kDnnPart);
  call.object(dropout, fake_cuda::kDnnPart);
  if (call) call.demand(dropout->is_set, "a dropout that was not described");
  call.demand(columns > 0 && hidden > 0 && output > 0 && layers > 0, "a size below one");
  call.demand(output == hidden || (output < hidden && mode == CUDNN_LSTM),
              "a projection that only an LSTM has, to fewer columns");
  call.demand(algorithm == CUDNN_RNN_ALGO_STANDARD && input == CUDNN_LINEAR_INPUT && flags == 0,
              "an algorithm, input or layout that the fake does not have");
  call.demand(biases == CUDNN_RNN_NO_BIAS || biases == CUDNN_RNN_DOUBLE_BIAS,
              "biases that the fake does not have");
  call.demand(fake_cuda::rnn::fits(type, compute, math), "arithmetic that the type does not have");
  if (call && fake_cuda::dnn().layers != CUDNN_STATUS_SUCCESS) return fake_cuda::dnn().layers;
  if (call)
    *d = {mode,
          biases == CUDNN_RNN_DOUBLE_BIAS,
          directions == CUDNN_BIDIRECTIONAL ? 2 : 1,
          columns,
          hidden,
          output,
          layers,
          type};
  return fake_cuda::rnn::status(call);
}
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* d) {
  return fake_cuda::layers::create("cudnnCreateRNNDataDescriptor", d);
}
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t d) {
  return fake_cuda::layers::destroy("cudnnDestroyRNNDataDescriptor", d);
}
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t d, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int longest, int batch,
                                        int width, const int* lengths, void*) {
  fake_cuda::LibraryCall call("cudnnSetRNNDataDescriptor");
  call.object(d, fake_cuda::kDnnPart);
  call.demand(layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, "rows that are not packed");
  call.demand(longest > 0 && batch > 0 && width > 0, "a size below one");
  if (!call) return fake_cuda::rnn::status(call);
  const cudnnRNNDataStruct rows{type, longest, batch, width, {lengths, lengths + batch}};
  call.demand(std::is_sorted(rows.lengths.rbegin(), rows.lengths.rend()),
              "lengths of packed rows that grow");
  call.demand(rows.lengths.back() >= 0 && rows.lengths[0] <= longest,
              "a length that is negative or beyond the longest");
  if (call) *d = rows;
  return fake_cuda::rnn::status(call);
}

// ---------------------------------------------------------------------- questions
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t d,
                                         size_t* nbytes) {
  using namespace fake_cuda::rnn;
  fake_cuda::LibraryCall call("cudnnGetRNNWeightSpaceSize");
  call.object(handle, fake_cuda::layers::kDnnHandle);
  call.object(d, fake_cuda::kDnnPart);
  if (call) call.demand(d->is_set(), "a stack that was not described");
  if (call) *nbytes = static_cast<size_t>(Weights(*d).numel() * bytes_of(d->type));
  return status(call);
}
// Nothing is read: the addresses alone count.
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t d, int32_t layer,
                                      size_t nbytes, const void* weights, int32_t linear,
                                      cudnnTensorDescriptor_t matrix, void** at_matrix,
                                      cudnnTensorDescriptor_t bias, void** at_bias) {
  using namespace fake_cuda::rnn;
  fake_cuda::LibraryCall call("cudnnGetRNNWeightParams");
  call.object(handle, fake_cuda::layers::kDnnHandle);
  call.object(d, fake_cuda::kDnnPart);
  call.object(matrix, fake_cuda::kDnnPart);
  call.object(bias, fake_cuda::kDnnPart);
  if (call) call.demand(d->is_set(), "a stack that was not described");
  if (!call) return status(call);
  call.demand(layer >= 0 && layer < d->count(), "a layer that the stack does not have");
  call.demand(linear >= 0 && linear < d->linears(), "a matrix that the layer does not have");
  call.demand(nbytes == static_cast<size_t>(Weights(*d).numel() * bytes_of(d->type)),
              "weights of another size than was told");
  if (!call) return status(call);
  const Weights place(*d);
  const auto tell = [&](const Piece& p, cudnnTensorStruct& to, void** at) {
    to =
        p.rows
            ? cudnnTensorStruct{d->type, {1, p.rows, p.columns}, {p.rows * p.columns, p.columns, 1}}
            : cudnnTensorStruct{};
    *at = p.rows ? static_cast<char*>(const_cast<void*>(weights)) + p.at * bytes_of(d->type)
                 : nullptr;
  };
  tell(place.matrix(layer, linear), *matrix, at_matrix);
  tell(place.bias(layer, linear), *bias, at_bias);
  return status(call);
}
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t d,
                                        cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t x,
                                        size_t* work, size_t* reserve) {
  using namespace fake_cuda::rnn;
  fake_cuda::LibraryCall call("cudnnGetRNNTempSpaceSizes");
  call.object(handle, fake_cuda::layers::kDnnHandle);
  call.object(d, fake_cuda::kDnnPart);
  call.object(x, fake_cuda::kDnnPart);
  if (call) call.demand(d->is_set() && x->batch > 0, "a stack or rows that were not described");
  if (!call) return status(call);
  const Room room(*d, *x);
  *work = room.work;
  if (reserve) *reserve = mode == CUDNN_FWD_MODE_TRAINING ? room.reserve : 0;
  return status(call);
}

// ---------------------------------------------------------------------- passes
cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t d, cudnnForwardMode_t mode,
                              const int32_t*, cudnnRNNDataDescriptor_t xd, const void* x,
                              cudnnRNNDataDescriptor_t yd, void* y, cudnnTensorDescriptor_t hd,
                              const void* h0, void* h, cudnnTensorDescriptor_t cd, const void* c0,
                              void* c, size_t weights_nbytes, const void* weights,
                              size_t work_nbytes, void* work, size_t reserve_nbytes,
                              void* reserve) {
  using namespace fake_cuda::rnn;
  fake_cuda::LibraryCall call("cudnnRNNForward");
  Check check(call, handle, d, xd, yd);
  const Stack& s = check.stack();
  check.rows("x", x, s.input);
  check.rows("y", y, s.directions * s.output);
  check.states("the first state", hd, h0, s.output);
  check.states("the last state", hd, h, s.output);
  check.cells("the first cell", cd, c0);
  check.cells("the last cell", cd, c);
  if (call) check.weights(weights_nbytes, weights);
  check.work(work_nbytes, work);
  const bool keeps = mode == CUDNN_FWD_MODE_TRAINING;
  if (keeps) check.reserve(reserve_nbytes, reserve);
  call.run([=, rows = check.x(), s = check.stack()] {
    Numbers own(keeps ? 0 : Kept::nbytes(s, rows.rows()) / sizeof(double));
    Pass p(s, rows, keeps ? static_cast<double*>(reserve) : own.data());
    p.weights = numbers_of(s.type, weights, p.place.numel());
    p.x = numbers_of(s.type, x, rows.rows() * s.input);
    p.h = states(s, rows, h0, s.output), p.c = states(s, rows, c0, s.hidden);
    fake_cuda::spoil(work, work_nbytes);
    p.forward();
    fake_cuda::layers::store(s.type, y, p.outputs());
    write_states(s, h, p.h);
    if (s.mode == CUDNN_LSTM) write_states(s, c, p.c);
  });
  return status(call);
}
cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t d, const int32_t*,
                                      cudnnRNNDataDescriptor_t yd, const void* y, const void* gy,
                                      cudnnRNNDataDescriptor_t xd, void* gx,
                                      cudnnTensorDescriptor_t hd, const void* h0,
                                      const void* gh_last, void* gh, cudnnTensorDescriptor_t cd,
                                      const void* c0, const void* gc_last, void* gc,
                                      size_t weights_nbytes, const void* weights,
                                      size_t work_nbytes, void* work, size_t reserve_nbytes,
                                      void* reserve) {
  using namespace fake_cuda::rnn;
  fake_cuda::LibraryCall call("cudnnRNNBackwardData_v8");
  Check check(call, handle, d, xd, yd);
  const Stack& s = check.stack();
  check.rows("y", y, s.directions * s.output);
  check.rows("gy", gy, s.directions * s.output);
  check.rows("gx", gx, s.input);
  check.states("the first state", hd, h0, s.output);
  check.states("the last state's gradient", hd, gh_last, s.output);
  check.states("the first state's gradient", hd, gh, s.output);
  check.cells("the first cell", cd, c0);
  check.cells("the last cell's gradient", cd, gc_last);
  check.cells("the first cell's gradient", cd, gc);
  if (call) check.weights(weights_nbytes, weights);
  check.work(work_nbytes, work);
  check.reserve(reserve_nbytes, reserve);
  call.run([=, rows = check.x(), s = check.stack()] {
    Pass p(s, rows, static_cast<double*>(reserve));
    if (!is_reserve_of("cudnnRNNBackwardData_v8", p, Kept::kForward)) return;
    p.weights = numbers_of(s.type, weights, p.place.numel());
    p.y = numbers_of(s.type, y, rows.rows() * s.directions * s.output);
    p.h = states(s, rows, h0, s.output), p.c = states(s, rows, c0, s.hidden);
    Numbers g_h = states(s, rows, gh_last, s.output), g_c = states(s, rows, gc_last, s.hidden);
    fake_cuda::spoil(work, work_nbytes);
    const Numbers from = numbers_of(s.type, gy, rows.rows() * s.directions * s.output);
    fake_cuda::layers::store(s.type, gx, p.backward(from, g_h, g_c));
    write_states(s, gh, g_h);
    if (s.mode == CUDNN_LSTM) write_states(s, gc, g_c);
  });
  return status(call);
}
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t d,
                                         cudnnWgradMode_t mode, const int32_t*,
                                         cudnnRNNDataDescriptor_t xd, const void* x,
                                         cudnnTensorDescriptor_t hd, const void* h0,
                                         cudnnRNNDataDescriptor_t yd, const void* y,
                                         size_t weights_nbytes, void* gw, size_t work_nbytes,
                                         void* work, size_t reserve_nbytes, void* reserve) {
  using namespace fake_cuda::rnn;
  fake_cuda::LibraryCall call("cudnnRNNBackwardWeights_v8");
  Check check(call, handle, d, xd, yd);
  const Stack& s = check.stack();
  check.rows("x", x, s.input);
  check.rows("y", y, s.directions * s.output);
  check.states("the first state", hd, h0, s.output);
  call.demand(mode == CUDNN_WGRAD_MODE_ADD, "gradients that are not added");
  if (call) check.weights(weights_nbytes, gw);
  check.work(work_nbytes, work);
  check.reserve(reserve_nbytes, reserve);
  call.run([=, rows = check.x(), s = check.stack()] {
    Pass p(s, rows, static_cast<double*>(reserve));
    if (!is_reserve_of("cudnnRNNBackwardWeights_v8", p, Kept::kBackward)) return;
    p.x = numbers_of(s.type, x, rows.rows() * s.input);
    p.y = numbers_of(s.type, y, rows.rows() * s.directions * s.output);
    p.h = states(s, rows, h0, s.output);
    Numbers sums = numbers_of(s.type, gw, p.place.numel());
    fake_cuda::spoil(work, work_nbytes);
    p.add_weights(sums);
    fake_cuda::layers::store(s.type, gw, sums);
  });
  return status(call);
}

}  // extern "C"
