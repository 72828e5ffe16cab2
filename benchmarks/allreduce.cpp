// Time of allreduce of f32 over Gloo, by c10d's names: one program for LibTorch and for Taper.
//
//   allreduce RANK SIZE FILE [ROUNDS [MOST]]     FILE: where the ranks meet, new for each run; up
//   to MOST bytes
//
// Rank 0 prints bytes and milliseconds of a call, the least of the rounds. (allreduce.sh runs it.)
#include <torch/torch.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Clock = std::chrono::steady_clock;

/// Of a call, in the mean of some behind each other where one is short: rank 0 leaves a barrier
/// last, when the others have sent, and the next call has no such start.
double milliseconds_of(c10d::ProcessGroupGloo& group, std::vector<torch::Tensor>& tensors) {
  const int calls = tensors[0].nbytes() <= size_t{1} << 20 ? 10 : 1;
  group.barrier()->wait();
  const auto begun = Clock::now();
  for (int i = 0; i < calls; ++i) group.allreduce(tensors)->wait();
  return std::chrono::duration<double, std::milli>(Clock::now() - begun).count() / calls;
}

int main(int argc, char** argv) {
  if (argc < 4) return std::fprintf(stderr, "usage: allreduce RANK SIZE FILE [ROUNDS [MOST]]\n"), 2;
  const int rank = std::atoi(argv[1]), size = std::atoi(argv[2]),
            rounds = argc > 4 ? std::atoi(argv[4]) : 20;
  const int64_t most = argc > 5 ? std::atoll(argv[5]) : int64_t{1} << 28;
  torch::set_num_threads(1);
  auto store = c10::make_intrusive<c10d::FileStore>(argv[3], size);
  auto options = c10d::ProcessGroupGloo::Options::create();
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForInterface("lo"));
  auto group = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, options);
  for (const int64_t bytes : {4, 1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 28}) {
    if (bytes > most) break;
    std::vector<torch::Tensor> tensors = {torch::ones({bytes / 4})};
    const int times = bytes <= 1 << 24 ? rounds : std::max(rounds / 5, 1);
    double least = 1e9;
    for (int i = 0; i < times; ++i) least = std::min(least, milliseconds_of(*group, tensors));
    if (rank == 0) std::printf("%lld %.4f\n", static_cast<long long>(bytes), least);
    if (rank == 0) std::fflush(stdout);
  }
  group->barrier()->wait();
}
