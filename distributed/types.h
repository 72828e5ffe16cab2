// What the functions of process groups take: LibTorch's names.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// How elements of ranks become one.
struct ReduceOp {
  /// Sum, mean, product, least, greatest, bits in all, in any, in an odd number of ranks.
  enum RedOpType : uint8_t {
    SUM = 0,
    AVG = 1,
    PRODUCT = 2,
    MIN = 3,
    MAX = 4,
    BAND = 5,
    BOR = 6,
    BXOR = 7,
    PREMUL_SUM = 8,  ///< of elements times a factor (makePreMulSum)
    UNUSED = 9
  };
  ReduceOp() = default;
  /// One of them.
  ReduceOp(RedOpType op) : op_(op) {}
  /// Which one.
  operator RedOpType() const { return op_; }

  RedOpType op_ = SUM;  ///< which one
  double factor = 1;    ///< of PREMUL_SUM
};
/// PREMUL_SUM with a factor.
inline ReduceOp makePreMulSum(double factor) {
  ReduceOp op(ReduceOp::PREMUL_SUM);
  op.factor = factor;
  return op;
}
/// The same with a tensor of one element, which the host reads.
inline ReduceOp makePreMulSum(const Tensor& factor) { return makePreMulSum(factor.item<double>()); }

/// The group's own time limit.
constexpr std::chrono::milliseconds kUnsetTimeout(-1);

/// Of broadcast().
struct BroadcastOptions {
  int64_t rootRank = 0;                               ///< who has, or gets, the whole
  int64_t rootTensor = 0;                             ///< which tensor of it; there is one
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< how long it may take
  bool asyncOp = true;                                ///< as in LibTorch; without meaning here
};
/// Of allreduce().
struct AllreduceOptions {
  ReduceOp reduceOp = ReduceOp::SUM;                  ///< how elements become one
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< how long it may take
  bool asyncOp = true;                                ///< as in LibTorch; without meaning here
};
/// Of allreduce_coalesced().
struct AllreduceCoalescedOptions : AllreduceOptions {};
/// Of reduce().
struct ReduceOptions {
  ReduceOp reduceOp = ReduceOp::SUM;                  ///< how elements become one
  int64_t rootRank = 0;                               ///< who has, or gets, the whole
  int64_t rootTensor = 0;                             ///< which tensor of it; there is one
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< how long it may take
  bool asyncOp = true;                                ///< as in LibTorch; without meaning here
};
/// Of allgather().
struct AllgatherOptions {
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< how long it may take
  bool asyncOp = true;                                ///< as in LibTorch; without meaning here
};
/// Of gather().
struct GatherOptions {
  int64_t rootRank = 0;                               ///< who has, or gets, the whole
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< how long it may take
  bool asyncOp = true;                                ///< as in LibTorch; without meaning here
};
/// Of scatter().
struct ScatterOptions {
  int64_t rootRank = 0;                               ///< who has, or gets, the whole
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< how long it may take
  bool asyncOp = true;                                ///< as in LibTorch; without meaning here
};
/// Of reduce_scatter().
struct ReduceScatterOptions {
  ReduceOp reduceOp = ReduceOp::SUM;                  ///< how elements become one
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< how long it may take
  bool asyncOp = true;                                ///< as in LibTorch; without meaning here
};
/// Of alltoall().
struct AllToAllOptions {
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< how long it may take
  bool asyncOp = true;                                ///< as in LibTorch; without meaning here
};
/// Of barrier().
struct BarrierOptions {
  std::vector<int64_t> device_ids;                    ///< of NCCL; without meaning here
  std::chrono::milliseconds timeout = kUnsetTimeout;  ///< how long it may take
  bool asyncOp = true;                                ///< as in LibTorch; without meaning here
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
