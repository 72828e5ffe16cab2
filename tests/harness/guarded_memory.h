// Tensors between two pages of memory that nobody may touch: a kernel that reads or writes an
// element too many ends the program. Builds with sanitizers see one instruction set only, and
// nothing of what lies between a pool's blocks; this sees what the CPU at hand runs.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include <taper/ops/tensor/factory.h>

#include "harness/check_shared.h"

namespace torch::taper::testing {

/// Which end of a tensor lies at the edge.
enum class Edge { kFront, kBack };

/// Whole pages between two that may not be touched. They are kept for the next tensor: asking the
/// system for them takes longer than most calls that are looked at.
class GuardedPages {
 public:
  static GuardedPages& all() {
    static GuardedPages pages;
    return pages;
  }
  size_t page() const { return page_; }
  /// Where `room` bytes begin.
  char* take(size_t room) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<char*>& free = free_[room];
    if (free.empty()) return map(room);
    char* const first = free.back();
    free.pop_back();
    return first;
  }
  void give(char* first, size_t room) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_[room].push_back(first);
  }

 private:
  char* map(size_t room) const {
    void* const begin =
        mmap(nullptr, room + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char* const first = static_cast<char*>(begin) + page_;
    const bool done =
        begin != MAP_FAILED && (room == 0 || mprotect(first, room, PROT_READ | PROT_WRITE) == 0);
    TAPER_CHECK(done, "at_edge: expected ", room, " bytes of memory, got: ", std::strerror(errno));
    return first;
  }
  const size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::mutex mutex_;
  std::map<size_t, std::vector<char*>> free_;
};

/// `t` in memory of its own, row-major, with its values.
inline Tensor at_edge(const Tensor& t, Edge edge) {
  GuardedPages& pages = GuardedPages::all();
  const size_t nbytes = t.nbytes(), page = pages.page(), room = (nbytes + page - 1) / page * page;
  char* const first = pages.take(room);
  char* const begin = edge == Edge::kFront ? first : first + room - nbytes;
  const Tensor row_major = t.detach().contiguous();
  if (nbytes > 0) std::memcpy(begin, row_major.data_ptr(), nbytes);
  const auto give = [first, room](void*) { GuardedPages::all().give(first, room); };
  return from_blob(begin, t.sizes(), give, t.scalar_type());
}

inline Args at_edge(const Args& args, Edge edge) {
  Args moved = args;
  for (Tensor& t : moved.t) t = at_edge(t, edge);
  return moved;
}

/// While it lives, a program that ends for touching what it may not says which case did.
class CrashesNameTheCase {
 public:
  explicit CrashesNameTheCase(const std::string& name) {
    std::snprintf(text(), kLength, "%s: reads or writes beyond a tensor's memory\n", name.c_str());
#if !defined(__SANITIZE_ADDRESS__)
    struct sigaction action = {};
    action.sa_handler = &say;
    action.sa_flags = SA_RESETHAND;
    sigaction(SIGSEGV, &action, &before_);
#endif
  }
  ~CrashesNameTheCase() {
#if !defined(__SANITIZE_ADDRESS__)
    sigaction(SIGSEGV, &before_, nullptr);
#endif
  }
  CrashesNameTheCase(const CrashesNameTheCase&) = delete;
  CrashesNameTheCase& operator=(const CrashesNameTheCase&) = delete;

 private:
  static constexpr size_t kLength = 256;
  static char* text() {
    static char text[kLength];
    return text;
  }
  static void say(int) { [[maybe_unused]] const auto n = write(2, text(), std::strlen(text())); }
  struct sigaction before_ = {};
};

}  // namespace torch::taper::testing
