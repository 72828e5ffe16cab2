#include <taper/distributed/process_group.h>

#include <taper/framework/check.h>

namespace taper::distributed {

ProcessGroup::ProcessGroup(int rank, int size) : rank_(rank), size_(size) {
  TAPER_CHECK_VALUE(size > 0 && rank >= 0 && rank < size,
                    "ProcessGroup: expected 0 <= rank < size, got rank ", rank, " of ", size);
}

}  // namespace taper::distributed
