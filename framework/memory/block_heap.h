// BlockHeap: an allocator of blocks from large segments of address space. Neighbouring free blocks
// are merged, so that freed memory can serve blocks of other sizes. For example, memory of a
// forward pass later holds gradients of its backward pass. Not installed.
#pragma once

#include <cstddef>
#include <map>
#include <memory_resource>
#include <set>
#include <utility>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::detail {

/// An allocator that does not write to the blocks. It is not thread-safe. release() allocates no
/// memory.
class BlockHeap {
 public:
  struct Form {
    /// Size of a segment in bytes of address space. 0: each block has a separate segment, which is
    /// never split. (The system provides a segment's memory when it is first accessed.)
    size_t segment;
    size_t grain;  ///< offsets and sizes of blocks are multiples of `grain`
    size_t gap;    ///< number of unused bytes after each block
    size_t huge;   ///< huge pages are used after this offset in a segment
  };

  explicit BlockHeap(const Form& form) : form_(form) {}
  ~BlockHeap();
  BlockHeap(const BlockHeap&) = delete;
  BlockHeap& operator=(const BlockHeap&) = delete;

  /// Allocates a block in memory that has been in use before. Returns null if no free span of such
  /// memory is large enough.
  void* allocate_resident(size_t nbytes) noexcept { return allocate(nbytes, true); }
  /// Allocates a block. Returns null if the system has no memory.
  void* allocate(size_t nbytes) noexcept { return allocate(nbytes, false); }
  void release(void* block) noexcept;
  /// Returns the size with which the block was allocated, rounded up to a multiple of the grain.
  size_t size_of(const void* block) const;
  /// Returns whether p is in the heap's memory, in use or free.
  bool holds(const void* p) const;

  /// Returns the bytes of free memory that has been in use and was not returned to the system.
  size_t resident_free() const { return resident_free_; }
  /// Returns the bytes that blocks and the gaps after them take.
  size_t in_use() const { return resident_used_; }
  /// Returns the bytes that are or have been in use, without the bytes that were returned to the
  /// system.
  size_t resident() const { return resident_used_ + resident_free_; }
  /// Gives up to `nbytes` bytes of the free memory back to the system. The grain must be a multiple
  /// of the page size.
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
  // The nodes come from one resource, because nodes all over the program's memory would fragment
  // it.
  std::pmr::unsynchronized_pool_resource nodes_;
  std::map<char*, size_t> segments_;
  Spans spans_{&nodes_};
  std::pmr::set<Place> free_{&nodes_};
  size_t resident_free_ = 0, resident_used_ = 0;
};

}  // namespace torch::taper::detail
