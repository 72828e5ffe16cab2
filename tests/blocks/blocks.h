// Blocks of real threads for the CUDA kernels that are compiled for the host: each thread is a
// fiber (Boost.Context); barriers and shuffles switch between them; between waits they run in an
// order that a seed gives. What CUDA leaves undefined is an error that names file and line:
//
//   threads of a warp or block that wait at different places, or some while others have left;
//   shared memory that is read before this block has written it;
//   memory that two threads use, one of them writing, with no barrier between. Of shared memory
//   always; of all memory in a program whose kernels are compiled with -fsanitize=thread, for
//   accesses.cpp, which stands in for that sanitizer's runtime.
//
// In the environment TAPER_TEST_BLOCKS=seed installs them for the whole program.
#pragma once

#include <cstdint>
#include <memory>

#include <taper/framework/cuda/block.h>

namespace torch::taper::testing {

struct BlockOptions {
  uint64_t seed = 1;
  /// A launch gets up to so many blocks, so that their threads stride through the rest.
  int most_blocks = 3;
  /// Teams get other sizes than on a GPU, by the width of their rows.
  bool other_teams = true;
};

/// Installs them until the end of the scope, when nothing runs on any device.
class FiberBlocks {
 public:
  explicit FiberBlocks(const BlockOptions& options = {});
  ~FiberBlocks();
  FiberBlocks(const FiberBlocks&) = delete;
  FiberBlocks& operator=(const FiberBlocks&) = delete;

 private:
  std::unique_ptr<cuda::BlockRunner> runner_;
  cuda::BlockRunner* before_;
};

/// Whether all accesses of this program's kernels are seen, not only those to shared memory.
bool sees_all_accesses();

}  // namespace torch::taper::testing
