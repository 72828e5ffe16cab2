// Who has used which memory in a launch, and whether a barrier lies between two uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/cuda/block.h>

namespace taper::testing {

/// A line of the source, as the compiler tells it or as the address of an instruction.
struct Site {
  const void* where = nullptr;  // the file's name, or the instruction where line is 0
  uint32_t line = 0;
  Site() = default;
  explicit Site(const void* instruction) : where(instruction) {}
  explicit Site(const cuda::Here& here) : where(here.file_name()), line(here.line()) {}
  std::string str() const;
};

/// A thread, and how many barriers of its block and of its warp it has passed.
struct Moment {
  int block = 0, thread = 0;
  uint32_t block_waits = 0, warp_waits = 0;
};

struct Use {
  Site site;
  Moment by;
  uint8_t bytes = 0;  // a bit for each byte of the word
  cuda::Access access = cuda::Access::kRead;
};

/// For each word of 8 bytes the last few uses in this launch. What many threads have used keeps
/// only some of them: a race there is found by most of the orders in which threads run.
class Watch {
 public:
  Watch();
  void begin_launch();
  /// An earlier use that this one races with; null when there is none. Notes this one.
  const Use* touch(const void* p, size_t nbytes, const Use& use);

 private:
  static constexpr int kUses = 4;
  struct Word {
    uintptr_t at = 0;
    uint32_t launch = 0;
    uint32_t next = 0;
    Use uses[kUses];
  };
  Word* word_at(uintptr_t at);
  const Use* touch_word(Word& word, const Use& use);
  void grow();

  std::vector<Word> words_;
  size_t used_ = 0;
  uint32_t launch_ = 0;
  Use found_;
};

}  // namespace taper::testing
