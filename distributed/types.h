// Arguments of process groups' functions, with LibTorch's names.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// A reduction of ranks' elements.
struct ReduceOp {
  /// The kinds of reductions. BAND, BOR and BXOR combine bits.
  enum RedOpType : uint8_t {
    SUM = 0,
    AVG = 1,
    PRODUCT = 2,
    MIN = 3,
    MAX = 4,
    BAND = 5,
    BOR = 6,
    BXOR = 7,
    PREMUL_SUM = 8,  ///< sum over ranks of (element * factor), see makePreMulSum()
    UNUSED = 9
  };
  ReduceOp() = default;
  /// Selects a reduction.
  ReduceOp(RedOpType op) : op_(op) {}
  /// Returns the reduction's kind.
  operator RedOpType() const { return op_; }

  RedOpType op_ = SUM;  ///< kind of reduction
  double factor = 1;    ///< factor of PREMUL_SUM
};
/// Makes a PREMUL_SUM with the given factor.
inline ReduceOp makePreMulSum(double factor) {
  ReduceOp op(ReduceOp::PREMUL_SUM);
  op.factor = factor;
  return op;
}
/// Makes a PREMUL_SUM whose factor is the value of a tensor with one element. The host waits for
/// this value.
inline ReduceOp makePreMulSum(const Tensor& factor) { return makePreMulSum(factor.item<double>()); }

/// The timeout that selects the group's time limit.
constexpr std::chrono::milliseconds kUnsetTimeout(-1);

/// Options of broadcast().
struct BroadcastOptions {
  int64_t rootRank = 0;                               ///< the source or target of the data
  int64_t rootTensor = 0;                             ///< as in LibTorch, ignored here
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< time limit
  bool asyncOp = true;                                ///< as in LibTorch, ignored here
};
/// Options of allreduce().
struct AllreduceOptions {
  ReduceOp reduceOp = ReduceOp::SUM;                  ///< reduction
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< time limit
  bool asyncOp = true;                                ///< as in LibTorch, ignored here
};
/// Options of allreduce_coalesced().
struct AllreduceCoalescedOptions : AllreduceOptions {};
/// Options of reduce().
struct ReduceOptions {
  ReduceOp reduceOp = ReduceOp::SUM;                  ///< reduction
  int64_t rootRank = 0;                               ///< the source or target of the data
  int64_t rootTensor = 0;                             ///< as in LibTorch, ignored here
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< time limit
  bool asyncOp = true;                                ///< as in LibTorch, ignored here
};
/// Options of allgather().
struct AllgatherOptions {
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< time limit
  bool asyncOp = true;                                ///< as in LibTorch, ignored here
};
/// Options of gather().
struct GatherOptions {
  int64_t rootRank = 0;                               ///< the source or target of the data
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< time limit
  bool asyncOp = true;                                ///< as in LibTorch, ignored here
};
/// Options of scatter().
struct ScatterOptions {
  int64_t rootRank = 0;                               ///< the source or target of the data
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< time limit
  bool asyncOp = true;                                ///< as in LibTorch, ignored here
};
/// Options of reduce_scatter().
struct ReduceScatterOptions {
  ReduceOp reduceOp = ReduceOp::SUM;                  ///< reduction
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< time limit
  bool asyncOp = true;                                ///< as in LibTorch, ignored here
};
/// Options of alltoall().
struct AllToAllOptions {
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< time limit
  bool asyncOp = true;                                ///< as in LibTorch, ignored here
};
/// Options of barrier().
struct BarrierOptions {
  std::vector<int64_t> device_ids;                    ///< as in LibTorch, ignored here
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< time limit
  bool asyncOp = true;                                ///< as in LibTorch, ignored here
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
