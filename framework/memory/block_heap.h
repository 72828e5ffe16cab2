// BlockHeap: an allocator of blocks from large segments of address space. Free neighbours are
// merged, so that freed memory serves blocks of other sizes. For example, memory of a forward pass
// later holds gradients of its backward pass. Not installed.
#pragma once

#include <cstddef>
#include <map>
#include <memory_resource>
#include <set>
#include <utility>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::detail {

/// An allocator that writes nothing to the blocks. It is not thread-safe. release() allocates
/// nothing.
class BlockHeap {
 public:
  struct Form {
    /// Bytes of address space to map at a time. 0: each block has a segment, which is never split.
    /// (The system provides memory at the first touch.)
    size_t segment;
    size_t grain;  ///< offsets and sizes of blocks are multiples of it
    size_t gap;    ///< bytes unused after each block
    size_t huge;   ///< offset in a segment from which on huge pages are used
  };

  explicit BlockHeap(const Form& form) : form_(form) {}
  ~BlockHeap();
  BlockHeap(const BlockHeap&) = delete;
  BlockHeap& operator=(const BlockHeap&) = delete;

  /// Allocates a block in memory that has been in use before. Returns null if there is none.
  void* allocate_resident(size_t nbytes) noexcept { return allocate(nbytes, true); }
  /// Allocates a block. Returns null if the system has no memory.
  void* allocate(size_t nbytes) noexcept { return allocate(nbytes, false); }
  void release(void* block) noexcept;
  /// Returns the requested size, rounded up to grains.
  size_t size_of(const void* block) const;
  /// Returns whether an address is in the heap's memory, in use or free.
  bool holds(const void* p) const;

  /// Returns the bytes of free memory that was used before and not yet returned to the system.
  size_t resident_free() const { return resident_free_; }
  /// Returns the bytes that blocks take, with their gaps.
  size_t in_use() const { return resident_used_; }
  /// Returns the bytes that are or were in use, without the bytes returned to the system.
  size_t resident() const { return resident_used_ + resident_free_; }
  /// Returns up to `nbytes` of the free memory to the system. The grain must be whole pages.
  void give_back(size_t nbytes) noexcept;

 private:
  using Place = std::pair<size_t, char*>;  ///< size and start of a free span
  struct Span {
    size_t nbytes;
    char* segment;
    bool free;
    size_t resident;  ///< of a free span: bytes at its start that have been in use
    std::pmr::set<Place>::node_type place;  ///< of a used span: its node of the set, to be inserted
                                            ///< again
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
  // The nodes come from one resource. Spread over the program's memory, they would fragment it.
  std::pmr::unsynchronized_pool_resource nodes_;
  std::map<char*, size_t> segments_;
  Spans spans_{&nodes_};
  std::pmr::set<Place> free_{&nodes_};
  size_t resident_free_ = 0, resident_used_ = 0;
};

}  // namespace torch::taper::detail
