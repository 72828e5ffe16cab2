// BlockHeap: blocks cut from large pieces of address space, in which free neighbours become one, so
// that memory of one size serves another: what a forward pass kept holds the gradients of its
// backward pass. Not installed.
#pragma once

#include <cstddef>
#include <map>
#include <memory_resource>
#include <set>
#include <utility>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::detail {

/// Not safe for threads. Nothing is written to the blocks, and release() allocates nothing.
class BlockHeap {
 public:
  struct Form {
    /// Addresses that are asked for at once; 0: a piece for each block, which is never cut. (The
    /// system gives memory with the first touch.)
    size_t segment;
    size_t grain;  ///< blocks begin at multiples of it, and are as long
    size_t gap;    ///< left behind each block
    size_t huge;   ///< huge pages from this place of a segment on
  };

  explicit BlockHeap(const Form& form) : form_(form) {}
  ~BlockHeap();
  BlockHeap(const BlockHeap&) = delete;
  BlockHeap& operator=(const BlockHeap&) = delete;

  /// A block in memory that has been in use before, or null.
  void* allocate_resident(size_t nbytes) noexcept { return allocate(nbytes, true); }
  /// A block; null when the system has no memory.
  void* allocate(size_t nbytes) noexcept { return allocate(nbytes, false); }
  void release(void* block) noexcept;
  /// What was asked for, rounded up to grains.
  size_t size_of(const void* block) const;
  /// Whether an address is of the heap's memory, in use or free.
  bool holds(const void* p) const;

  /// Free memory that has been in use, which the system has not got back.
  size_t resident_free() const { return resident_free_; }
  /// What blocks take, with what is beside them.
  size_t in_use() const { return resident_used_; }
  /// All that is or has been in use, less what the system got back.
  size_t resident() const { return resident_used_ + resident_free_; }
  /// Gives so much of the free memory back to the system, or all there is. The grain must be whole
  /// pages.
  void give_back(size_t nbytes) noexcept;

 private:
  using Place = std::pair<size_t, char*>;  ///< size and begin of what is free
  struct Span {
    size_t nbytes;
    char* segment;
    bool free;
    size_t resident;  ///< of what is free: bytes at its begin that have been in use
    std::pmr::set<Place>::node_type place;  ///< of what is in use: its node, for later
  };
  using Spans = std::pmr::map<char*, Span>;

  void* allocate(size_t nbytes, bool resident) noexcept;
  Spans::iterator find(size_t nbytes, bool resident);
  Spans::iterator add_segment(size_t nbytes);
  void* cut(Spans::iterator span, size_t nbytes);
  void insert(Spans::iterator span, std::pmr::set<Place>::node_type place) noexcept;
  bool is_segment(Spans::const_iterator span) const;
  void drop_segment(Spans::iterator span) noexcept;

  const Form form_;
  // Beside each other: among other memory of the program they would keep its free parts apart.
  std::pmr::unsynchronized_pool_resource nodes_;
  std::map<char*, size_t> segments_;
  Spans spans_{&nodes_};
  std::pmr::set<Place> free_{&nodes_};
  size_t resident_free_ = 0, resident_used_ = 0;
};

}  // namespace torch::taper::detail
