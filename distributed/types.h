// What the functions of process groups take: LibTorch's names.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper::distributed {

/// How elements of ranks become one.
struct ReduceOp {
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
  ReduceOp(RedOpType op) : op_(op) {}
  operator RedOpType() const { return op_; }

  RedOpType op_ = SUM;
  double factor = 1;  ///< of PREMUL_SUM
};
inline ReduceOp makePreMulSum(double factor) {
  ReduceOp op(ReduceOp::PREMUL_SUM);
  op.factor = factor;
  return op;
}

/// The group's own time limit.
constexpr std::chrono::milliseconds kUnsetTimeout(-1);

struct BroadcastOptions {
  int64_t rootRank = 0;
  int64_t rootTensor = 0;
  std::chrono::milliseconds timeout = kUnsetTimeout;
};
struct AllreduceOptions {
  ReduceOp reduceOp = ReduceOp::SUM;
  std::chrono::milliseconds timeout = kUnsetTimeout;
};
struct AllreduceCoalescedOptions : AllreduceOptions {};
struct ReduceOptions {
  ReduceOp reduceOp = ReduceOp::SUM;
  int64_t rootRank = 0;
  int64_t rootTensor = 0;
  std::chrono::milliseconds timeout = kUnsetTimeout;
};
struct AllgatherOptions {
  std::chrono::milliseconds timeout = kUnsetTimeout;
};
struct GatherOptions {
  int64_t rootRank = 0;
  std::chrono::milliseconds timeout = kUnsetTimeout;
};
struct ScatterOptions {
  int64_t rootRank = 0;
  std::chrono::milliseconds timeout = kUnsetTimeout;
};
struct ReduceScatterOptions {
  ReduceOp reduceOp = ReduceOp::SUM;
  std::chrono::milliseconds timeout = kUnsetTimeout;
};
struct AllToAllOptions {
  std::chrono::milliseconds timeout = kUnsetTimeout;
};
struct BarrierOptions {
  std::vector<int64_t> device_ids;
  std::chrono::milliseconds timeout = kUnsetTimeout;
};

}  // namespace taper::distributed

#pragma GCC visibility pop
