// Many tensors for one launch. Not installed.
//
// A model has hundreds of small tensors. An optimizer's kernel on one tensor ends before the next
// launch is made. So one launch processes a list of tensors. Kernels get TensorLists by value, and
// GatheredLaunches fills them.
#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// Entries of up to kMostOperands row-major tensors each. The tensors of an entry have equal
/// numbers of elements, and all have one dtype. The elements of an entry are cut into chunks. Chunk
/// numbers count through all entries. In numbered lists each entry has 8 bytes more: a number, or a
/// pointer to a number.
class TensorLists {
 public:
  static constexpr int kMostOperands = 5;
  static constexpr int64_t kChunk = 8192;
  /// Number of 8-byte slots. A launch takes at most 4 KiB of arguments. The kernel's other
  /// arguments need the rest.
  static constexpr int kSlots = 464;

  TensorLists() = default;
  /// Bit k of `used` is set if the entries have operand k of the kernel. Bit k of `reads` is set if
  /// the kernel only reads operand k.
  TensorLists(ScalarType dtype, unsigned used, unsigned reads, bool numbered = false)
      : dtype_(dtype),
        used_(used),
        reads_(reads),
        operands_(__builtin_popcount(used)),
        numbers_(numbered ? 1 : 0) {}

  ScalarType dtype() const { return dtype_; }
  bool uses(int operand) const { return used_ >> operand & 1; }
  int operands() const { return operands_; }
  TAPER_HD int size() const { return count_; }
  TAPER_HD int64_t chunks() const { return chunks_; }
  bool is_full() const { return (count_ + 1) * width() > kSlots; }
  void clear() { count_ = 0, chunks_ = 0; }
  /// Adds an entry, unless numel is 0. data[k] is the memory of the entry's k-th tensor, and
  /// `number` is the entry's extra 8 bytes. is_full() must be false.
  void add(int64_t numel, void* const* data, uint64_t number = 0) {
    if (numel == 0) return;
    uint64_t* const slot = slots_ + count_++ * width();
    slot[0] = static_cast<uint64_t>(numel);
    slot[1] = static_cast<uint64_t>(chunks_);
    for (int k = 0; k < operands_; ++k) slot[2 + k] = reinterpret_cast<uintptr_t>(data[k]);
    if (numbers_) slot[2 + operands_] = number;
    chunks_ += (numel + kChunk - 1) / kChunk;
  }

  TAPER_HD int64_t numel(int i) const { return static_cast<int64_t>(slots_[i * width()]); }
  TAPER_HD char* data(int i, int k) const {
    return reinterpret_cast<char*>(static_cast<uintptr_t>(slots_[i * width() + 2 + k]));
  }
  /// Returns the extra 8 bytes of an entry in numbered lists, as a trivial type.
  template <class N>
  TAPER_HD N number(int i) const {
    static_assert(sizeof(N) == sizeof(uint64_t));
    N number;
    std::memcpy(&number, slots_ + i * width() + 2 + operands_, sizeof(N));
    return number;
  }
  /// Returns the entry that a chunk belongs to.
  TAPER_HD int entry_of(int64_t chunk) const {
    int first = 0;
    for (int last = count_; last - first > 1;) {
      const int middle = (first + last) / 2;
      (first_chunk(middle) <= chunk ? first : last) = middle;
    }
    return first;
  }
  TAPER_HD int64_t first_chunk(int i) const {
    return static_cast<int64_t>(slots_[i * width() + 1]);
  }

  /// Appends the kernel's accesses to `all`, for the race detector (see dispatch.h).
  friend void add_accesses(std::vector<detail::Access>& all, const TensorLists& lists) {
    for (int i = 0; i < lists.size(); ++i)
      for (int k = 0, operand = 0; k < lists.operands(); ++k, ++operand) {
        while (!lists.uses(operand)) ++operand;
        const bool writes = !(lists.reads_ >> operand & 1);
        all.push_back(
            {lists.data(i, k), elementSize(lists.dtype()), {lists.numel(i)}, {1}, writes});
      }
  }

 private:
  // Number of elements, first chunk, pointers, extra number.
  TAPER_HD int width() const { return operands_ + 2 + numbers_; }

  ScalarType dtype_ = ScalarType::Undefined;
  unsigned used_ = 0, reads_ = 0;
  int operands_ = 0, numbers_ = 0, count_ = 0;
  int64_t chunks_ = 0;
  uint64_t slots_[kSlots];
};

/// Gathers entries of equal device, dtype, operands and `numbers` (further arguments of the
/// kernel). Calls launch(where, lists, numbers) for each full list. `where` is a tensor on the
/// list's device. The method launch() launches the remaining lists.
template <class Numbers, class Launch>
class GatheredLaunches {
 public:
  /// The kernel only reads the operands whose bit in `reads` is set.
  GatheredLaunches(unsigned reads, Launch launch, bool numbered = false)
      : reads_(reads), numbered_(numbered), launch_(std::move(launch)) {}

  /// Returns whether the tensor may be part of a list.
  static bool takes(const Tensor& t) { return !t.defined() || t.is_contiguous(); }
  /// Adds an entry with the defined tensors of `operands`. The first must be defined. The launch
  /// gets `numbers`. `number` is the entry's extra number in numbered lists.
  template <size_t N>
  void add(const Numbers& numbers, const Tensor* const (&operands)[N], uint64_t number = 0) {
    static_assert(N <= TensorLists::kMostOperands);
    void* data[N];
    unsigned used = 0;
    int count = 0;
    for (size_t k = 0; k < N; ++k) {
      if (!operands[k]->defined()) continue;
      used |= 1u << k;
      data[count++] = operands[k]->impl_ptr()->data;
    }
    Pending& to = pending_for(*operands[0], used, numbers);
    if (to.lists.is_full()) launch(to);
    to.lists.add(operands[0]->numel(), data, number);
  }
  void launch() {
    for (Pending& p : pending_) launch(p);
    pending_.clear();
  }

 private:
  struct Pending {
    Tensor where;
    unsigned used;
    Numbers numbers;
    TensorLists lists;
  };
  Pending& pending_for(const Tensor& where, unsigned used, const Numbers& numbers) {
    for (auto p = pending_.rbegin(); p != pending_.rend(); ++p)
      if (p->used == used && p->where.scalar_type() == where.scalar_type() &&
          p->where.device() == where.device() && p->numbers == numbers)
        return *p;
    pending_.push_back(
        {where, used, numbers, TensorLists(where.scalar_type(), used, reads_, numbered_)});
    return pending_.back();
  }
  void launch(Pending& p) {
    if (p.lists.size() > 0) launch_(p.where, std::as_const(p.lists), p.numbers);
    p.lists.clear();
  }

  unsigned reads_;
  bool numbered_;
  Launch launch_;
  std::vector<Pending> pending_;
};

}  // namespace torch::taper
