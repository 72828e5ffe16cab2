#include <taper/ops/sequence/rnn_library.h>

#include <tuple>

#include <taper/framework/cuda/gpu/cudnn.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/scratch.h>

namespace torch::taper::cuda {
namespace {

TAPER_CUDNN_DESCRIPTION(RnnDescription, cudnnRNNDescriptor_t, cudnnCreateRNNDescriptor,
                        cudnnDestroyRNNDescriptor)
TAPER_CUDNN_DESCRIPTION(RnnDataDescription, cudnnRNNDataDescriptor_t, cudnnCreateRNNDataDescriptor,
                        cudnnDestroyRNNDataDescriptor)
TAPER_CUDNN_DESCRIPTION(DropoutDescription, cudnnDropoutDescriptor_t, cudnnCreateDropoutDescriptor,
                        cudnnDestroyDropoutDescriptor)

cudnnRNNMode_t cell_of(RnnMode mode) {
  switch (mode) {
    case RnnMode::kLstm:
      return CUDNN_LSTM;
    case RnnMode::kGru:
      return CUDNN_GRU;
    case RnnMode::kTanh:
      return CUDNN_RNN_TANH;
    case RnnMode::kRelu:
      break;
  }
  return CUDNN_RNN_RELU;
}

/// A stack without regard to its batch: its description, and the layout of its weights.
struct RnnPlanOfCudnn {
  DropoutDescription dropout;
  RnnDescription rnn;
  size_t nbytes = 0;  // of the weights, or 0 if cuDNN does not support the stack
  std::vector<RnnSpan> spans;

  RnnPlanOfCudnn(const RnnStack& s, ScalarType dtype) {
    TAPER_LIBRARY_CALL(cudnn, cudnnSetDropoutDescriptor, dropout.get(), cudnn_handle(), 0.0f,
                       nullptr, 0, 0);
    const bool supported = TAPER_CUDNN_SUPPORTS(
        cudnnSetRNNDescriptor_v8, rnn.get(), CUDNN_RNN_ALGO_STANDARD, cell_of(s.mode),
        s.has_biases ? CUDNN_RNN_DOUBLE_BIAS : CUDNN_RNN_NO_BIAS,
        s.bidirectional ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT,
        cudnn_type(dtype), cudnn_compute_type(dtype), cudnn_math(dtype, s.tf32),
        static_cast<int32_t>(s.input), static_cast<int32_t>(s.hidden),
        static_cast<int32_t>(s.output), static_cast<int32_t>(s.num_layers), dropout.get(),
        CUDNN_RNN_PADDED_IO_DISABLED);
    if (!supported) return;
    TAPER_LIBRARY_CALL(cudnn, cudnnGetRNNWeightSpaceSize, cudnn_handle(), rnn.get(), &nbytes);
    find_spans(s, dtype);
  }

 private:
  // cuDNN returns addresses in the weights. Only their distance from the start counts.
  void find_spans(const RnnStack& s, ScalarType dtype) {
    const Scratch<char> weights(static_cast<int64_t>(nbytes));
    const TensorDescription matrix, bias;
    for (const RnnBlock& b : rnn_blocks(s)) {
      void *at_matrix = nullptr, *at_bias = nullptr;
      TAPER_LIBRARY_CALL(cudnn, cudnnGetRNNWeightParams, cudnn_handle(), rnn.get(), b.layer, nbytes,
                         weights.get(), b.linear, matrix.get(), &at_matrix, bias.get(), &at_bias);
      const char* const at = static_cast<const char*>(b.is_bias ? at_bias : at_matrix);
      TAPER_CHECK(at, "rnn: expected cuDNN to have part ", b.linear, " of layer ", b.layer);
      const int64_t to = (at - weights.get()) / static_cast<int64_t>(elementSize(dtype));
      spans.push_back({b.param, b.from, to, b.count});
    }
    spans = joined(spans);
  }
};

RnnPlanOfCudnn& plan_for(const RnnStack& s, ScalarType dtype) {
  return plan_of<RnnPlanOfCudnn>(
      std::tuple(kernel_device(), dtype, s.tf32, s.mode, s.has_biases, s.bidirectional,
                 s.num_layers, s.input, s.hidden, s.output),
      [&] { return std::make_unique<RnnPlanOfCudnn>(s, dtype); });
}

/// The rows and states of one batch. Each call creates it, because lengths hardly repeat.
struct RnnBatch {
  RnnDataDescription x, y;
  TensorDescription h, c;

  RnnBatch(const RnnStack& s, ScalarType dtype) {
    const std::vector<int> lengths = rnn_lengths(s);
    describe_rows(x, s, dtype, s.input, lengths);
    describe_rows(y, s, dtype, s.directions() * s.output, lengths);
    const int count = static_cast<int>(s.num_layers * s.directions());
    const int N = static_cast<int>(lengths.size());
    describe(h, dtype, {count, N, static_cast<int>(s.output)});
    describe(c, dtype, {count, N, static_cast<int>(s.hidden)});
  }

 private:
  static void describe_rows(const RnnDataDescription& rows, const RnnStack& s, ScalarType dtype,
                            int64_t width, const std::vector<int>& lengths) {
    TAPER_LIBRARY_CALL(cudnn, cudnnSetRNNDataDescriptor, rows.get(), cudnn_type(dtype),
                       CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, static_cast<int>(s.sizes.size()),
                       static_cast<int>(lengths.size()), static_cast<int>(width), lengths.data(),
                       nullptr);
  }
};

/// Bytes of workspace, and of the memory kept for backward.
struct TempSizes {
  size_t work = 0, reserve = 0;
  TempSizes(const RnnPlanOfCudnn& p, const RnnBatch& batch, cudnnForwardMode_t mode) {
    TAPER_LIBRARY_CALL(cudnn, cudnnGetRNNTempSpaceSizes, cudnn_handle(), p.rnn.get(), mode,
                       batch.x.get(), &work, &reserve);
  }
};

RnnSpace space_in_launch(const RnnStack& stack, ScalarType dtype, bool training) {
  const RnnPlanOfCudnn& p = plan_for(stack, dtype);
  const int64_t each = static_cast<int64_t>(elementSize(dtype));
  RnnSpace space{(static_cast<int64_t>(p.nbytes) + each - 1) / each, 0, p.spans};
  if (training && p.nbytes != 0)
    space.reserve =
        static_cast<int64_t>(TempSizes(p, RnnBatch(stack, dtype), CUDNN_FWD_MODE_TRAINING).reserve);
  return space;
}

// A launch on a GPU runs at once.
RnnSpace space(const RnnStack& stack, ScalarType dtype, Device device, bool training) {
  RnnSpace found;
  detail::launch_on(device.index(), "rnn_space",
                    [&] { found = space_in_launch(stack, dtype, training); });
  return found;
}

// cuDNN takes the lengths from the descriptions. It no longer reads their copy on the device.
void forward(RnnStack stack, Out y, Out h, Out c, Out reserve, In x, In h0, In c0, In weights) {
  const RnnPlanOfCudnn& p = plan_for(stack, y.dtype);
  const RnnBatch batch(stack, y.dtype);
  const cudnnForwardMode_t mode =
      reserve.defined() ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
  const TempSizes sizes(p, batch, mode);
  const Scratch<char> work(static_cast<int64_t>(sizes.work));
  TAPER_LIBRARY_CALL(cudnn, cudnnRNNForward, cudnn_handle(), p.rnn.get(), mode, nullptr,
                     batch.x.get(), x.data, batch.y.get(), y.data, batch.h.get(), h0.data, h.data,
                     batch.c.get(), c0.data, c.data, p.nbytes, weights.data, sizes.work, work.get(),
                     reserve.defined() ? sizes.reserve : 0, reserve.data);
}

void backward(RnnStack stack, Out gx, Out gh, Out gc, InOut gw, InOut reserve, In gy, In gh_last,
              In gc_last, In x, In h0, In c0, In y, In weights) {
  const RnnPlanOfCudnn& p = plan_for(stack, y.dtype);
  const RnnBatch batch(stack, y.dtype);
  const TempSizes sizes(p, batch, CUDNN_FWD_MODE_TRAINING);
  const Scratch<char> work(static_cast<int64_t>(sizes.work));
  TAPER_LIBRARY_CALL(cudnn, cudnnRNNBackwardData_v8, cudnn_handle(), p.rnn.get(), nullptr,
                     batch.y.get(), y.data, gy.data, batch.x.get(), gx.data, batch.h.get(), h0.data,
                     gh_last.data, gh.data, batch.c.get(), c0.data, gc_last.data, gc.data, p.nbytes,
                     weights.data, sizes.work, work.get(), sizes.reserve, reserve.data);
  if (!gw.defined()) return;
  TAPER_LIBRARY_CALL(cudnn, cudnnRNNBackwardWeights_v8, cudnn_handle(), p.rnn.get(),
                     CUDNN_WGRAD_MODE_ADD, nullptr, batch.x.get(), x.data, batch.h.get(), h0.data,
                     batch.y.get(), y.data, p.nbytes, gw.data, sizes.work, work.get(),
                     sizes.reserve, reserve.data);
}

}  // namespace

const RnnLibrary& cudnn_rnn_library() {
  static constexpr RnnLibrary library{&space, &forward, &backward};
  return library;
}

}  // namespace torch::taper::cuda
