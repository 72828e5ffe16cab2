#include <taper/framework/memory/block_heap.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <new>

namespace torch::taper::detail {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

size_t rounded(size_t nbytes, size_t step) { return (nbytes + step - 1) / step * step; }

/// Maps addresses aligned to a huge page. Returns null if there are none.
char* map_segment(size_t nbytes, size_t huge) {
  const size_t all = nbytes + kHugePage;
  void* const p = mmap(nullptr, all, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  char *const first = static_cast<char*>(p), *const end = first + all;
  char* const begin = reinterpret_cast<char*>(rounded(reinterpret_cast<uintptr_t>(p), kHugePage));
  if (begin > first) munmap(first, static_cast<size_t>(begin - first));
  if (end > begin + nbytes) munmap(begin + nbytes, static_cast<size_t>(end - begin) - nbytes);
  // Huge pages cause fewer page faults on first touch, and fewer TLB misses later.
  if (huge < nbytes) madvise(begin + huge, nbytes - huge, MADV_HUGEPAGE);
  return begin;
}

char* make_segment(const BlockHeap::Form& form, size_t nbytes) {
  if (form.segment == 0) return static_cast<char*>(std::aligned_alloc(form.grain, nbytes));
  return map_segment(nbytes, form.huge);
}
void free_segment(const BlockHeap::Form& form, char* segment, size_t nbytes) {
  if (form.segment == 0)
    std::free(segment);
  else
    munmap(segment, nbytes);
}

}  // namespace

BlockHeap::~BlockHeap() {
  for (const auto& [segment, nbytes] : segments_) free_segment(form_, segment, nbytes);
}

// ---------------------------------------------------------------- what is free
/// Finds the smallest free span for `nbytes`, and prefers spans that are resident.
BlockHeap::Spans::iterator BlockHeap::find(size_t nbytes, bool resident) {
  auto untouched = spans_.end();
  for (auto it = free_.lower_bound({nbytes, nullptr}); it != free_.end(); ++it) {
    if (form_.segment == 0 && it->first > nbytes + nbytes / 4) break;
    const auto span = spans_.find(it->second);
    if (span->second.resident >= nbytes) return span;
    if (untouched == spans_.end()) untouched = span;
  }
  return resident ? spans_.end() : untouched;
}

void BlockHeap::insert(Spans::iterator span, std::pmr::set<Place>::node_type place) noexcept {
  place.value() = {span->second.nbytes, span->first};
  free_.insert(std::move(place));
}

bool BlockHeap::is_segment(Spans::const_iterator span) const {
  return span->first == span->second.segment &&
         span->second.nbytes == segments_.at(span->second.segment);
}

// ---------------------------------------------------------------- blocks
BlockHeap::Spans::iterator BlockHeap::add_segment(size_t nbytes) {
  size_t size = std::max(nbytes, form_.segment);
  if (form_.segment) size = rounded(size, kHugePage);
  char* begin = make_segment(form_, size);
  if (!begin && size > nbytes) begin = make_segment(form_, size = rounded(nbytes, kHugePage));
  if (!begin) return spans_.end();
  try {
    segments_.emplace(begin, size);
    free_.insert({size, begin});
    return spans_.emplace(begin, Span{size, begin, true, 0, {}}).first;
  } catch (const std::bad_alloc&) {
    free_.erase({size, begin});
    segments_.erase(begin);
    free_segment(form_, begin, size);
    throw;
  }
}

/// Makes a block of the first bytes of a free span.
void* BlockHeap::cut(Spans::iterator it, size_t nbytes) {
  Span& span = it->second;
  // A rest too short for another block stays with this block.
  const bool whole = form_.segment == 0 || span.nbytes - nbytes < 16 * form_.grain;
  const size_t taken = whole ? span.nbytes : nbytes;
  const size_t resident = std::min(span.resident, taken);
  if (!whole) {
    const Span rest{span.nbytes - nbytes, span.segment, true, span.resident - resident, {}};
    free_.insert({rest.nbytes, it->first + nbytes});
    try {
      spans_.emplace_hint(std::next(it), it->first + nbytes,
                          Span{rest.nbytes, rest.segment, true, rest.resident, {}});
    } catch (const std::bad_alloc&) {
      free_.erase({rest.nbytes, it->first + nbytes});
      throw;
    }
  }
  span.place = free_.extract({span.nbytes, it->first});
  span.nbytes = taken;
  span.free = false;
  resident_free_ -= resident;
  resident_used_ += taken;
  return it->first;
}

void* BlockHeap::allocate(size_t nbytes, bool resident) noexcept {
  if (nbytes > SIZE_MAX / 2) return nullptr;
  const size_t size = rounded(std::max<size_t>(nbytes, 1), form_.grain) + form_.gap;
  try {
    auto span = find(size, resident);
    if (span == spans_.end() && resident) return nullptr;
    if (span == spans_.end()) span = add_segment(size);
    return span == spans_.end() ? nullptr : cut(span, size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void BlockHeap::release(void* block) noexcept {
  auto it = spans_.find(static_cast<char*>(block));
  Span& span = it->second;
  auto place = std::move(span.place);
  span.free = true;
  span.resident = span.nbytes;
  resident_used_ -= span.nbytes;
  resident_free_ += span.nbytes;
  const auto after = std::next(it);
  if (after != spans_.end() && after->second.free && after->second.segment == span.segment) {
    free_.erase({after->second.nbytes, after->first});
    span.resident += after->second.resident;
    span.nbytes += after->second.nbytes;
    spans_.erase(after);
  }
  const auto before = it == spans_.begin() ? it : std::prev(it);
  if (before != it && before->second.free && before->second.segment == span.segment) {
    Span& first = before->second;
    place = free_.extract({first.nbytes, before->first});
    resident_free_ += first.nbytes - first.resident;
    first.resident = first.nbytes + span.resident;
    first.nbytes += span.nbytes;
    spans_.erase(it);
    it = before;
  }
  insert(it, std::move(place));
}

size_t BlockHeap::size_of(const void* block) const {
  return spans_.at(static_cast<char*>(const_cast<void*>(block))).nbytes - form_.gap;
}

bool BlockHeap::holds(const void* p) const {
  char* const at = static_cast<char*>(const_cast<void*>(p));
  const auto behind = segments_.upper_bound(at);
  if (behind == segments_.begin()) return false;
  const auto& [segment, nbytes] = *std::prev(behind);
  return at < segment + nbytes;
}

// ---------------------------------------------------------------- back to the system
void BlockHeap::drop_segment(Spans::iterator span) noexcept {
  resident_free_ -= span->second.resident;
  free_.erase({span->second.nbytes, span->first});
  free_segment(form_, span->first, span->second.nbytes);
  segments_.erase(span->first);
  spans_.erase(span);
}

void BlockHeap::give_back(size_t nbytes) noexcept {
  // The largest spans go first: this takes few calls, and keeps memory near other blocks.
  for (auto it = free_.end(); nbytes > 0 && it != free_.begin();) {
    const auto span = spans_.find(std::prev(it)->second);
    Span& s = span->second;
    const size_t most = std::min(nbytes, s.resident);
    if (s.resident <= nbytes && is_segment(span)) {
      drop_segment(span);
      nbytes -= most;
      continue;
    }
    --it;
    if (most == 0) continue;
    // Gives whole huge pages from the end.
    const auto begin = reinterpret_cast<uintptr_t>(span->first);
    const uintptr_t end = (begin + s.resident - most) / kHugePage * kHugePage;
    const size_t kept = end > begin ? end - begin : 0, given = s.resident - kept;
    madvise(span->first + kept, given, MADV_DONTNEED);
    resident_free_ -= given;
    s.resident = kept;
    nbytes -= std::min(nbytes, given);
  }
}

}  // namespace torch::taper::detail
