// Gathers a text from each rank, so that all ranks can compare them. Not installed.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <taper/distributed/process_group.h>
#include <taper/framework/runtime/devices.h>
#include <taper/ops/reduce/reduce_minmax.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::distributed::detail {

/// Returns the texts of all ranks, by rank.
inline std::vector<std::string> gather_texts(ProcessGroup& group, const std::string& own) {
  const int size = group.getSize();
  Tensor length = full({1}, static_cast<int64_t>(own.size()), kLong),
         lengths = zeros({size}, kLong);
  group._allgather_base(lengths, length)->wait();
  const int64_t most = lengths.max().item<int64_t>();
  if (most == 0) return std::vector<std::string>(static_cast<size_t>(size));
  Tensor text = zeros({most}, kByte), texts = zeros({size, most}, kByte);
  std::memcpy(text.data_ptr(), own.data(), own.size());
  group._allgather_base(texts, text)->wait();
  std::vector<std::string> all;
  for (int r = 0; r < size; ++r) {
    const auto* begin = static_cast<const char*>(texts.data_ptr()) + r * most;
    all.emplace_back(begin, begin + lengths[r].item<int64_t>());
  }
  return all;
}

/// Returns the first line of `a` that differs from the corresponding line of `b`.
inline std::string first_line_that_differs(const std::string& a, const std::string& b) {
  size_t begin = 0;
  for (size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i)
    if (a[i] == '\n') begin = i + 1;
  const std::string line = a.substr(begin, a.find('\n', begin) - begin);
  return line.empty() ? "nothing" : line;
}

/// Returns the device of the first tensor, or nullopt if there are no tensors. check_same_texts()
/// makes this device current, because NCCL may send CPU data through the current device.
inline optional<Device> device_of(const std::vector<Tensor>& tensors) {
  return tensors.empty() ? nullopt : optional<Device>(tensors[0].device());
}

/// Throws Error unless all ranks pass the same text `own`. Lines of `own` describe `tensors`. The
/// message has the first differing line of the first rank that differs, and the line of rank 0.
inline void check_same_texts(const char* op, const char* what, ProcessGroup& group,
                             const std::string& own, const std::vector<Tensor>& tensors) {
  const cuda::OptionalDeviceGuard on(device_of(tensors));
  const std::vector<std::string> all = gather_texts(group, own);
  for (size_t r = 1; r < all.size(); ++r)
    TAPER_CHECK(all[r] == all[0], op, ": expected all ranks to have the same ", what, ", but rank ",
                r, " has ", first_line_that_differs(all[r], all[0]), " where rank 0 has ",
                first_line_that_differs(all[0], all[r]));
}

}  // namespace torch::taper::distributed::detail
