#include "blocks/watch.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

namespace taper::testing {
namespace {

using cuda::Access;

/// "function at file:line" of an instruction, by binutils' addr2line; its address without it.
std::string line_of(const void* instruction) {
  Dl_info info{};
  if (!dladdr(instruction, &info) || !info.dli_fname) return "an unknown place";
  const auto base = reinterpret_cast<uintptr_t>(info.dli_fbase);
  char command[512];
  // The return address is behind the call.
  std::snprintf(command, sizeof command, "addr2line -Cfpse '%s' %#zx 2>/dev/null", info.dli_fname,
                reinterpret_cast<uintptr_t>(instruction) - base - 1);
  std::string text;
  if (FILE* pipe = popen(command, "r")) {
    char part[512];
    while (std::fgets(part, sizeof part, pipe)) text += part;
    pclose(pipe);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "a place that addr2line does not tell" : text;
}

bool is_ordered(const Moment& a, const Moment& b) {
  if (a.block != b.block) return false;
  if (a.thread == b.thread || a.block_waits != b.block_waits) return true;
  return a.thread / 32 == b.thread / 32 && a.warp_waits != b.warp_waits;
}

bool may_meet(const Use& a, const Use& b) {
  if (!(a.bytes & b.bytes)) return true;
  if (a.access == Access::kRead && b.access == Access::kRead) return true;
  if (a.access == Access::kAtomic && b.access == Access::kAtomic) return true;
  return is_ordered(a.by, b.by);
}

/// Whether all that races with `old` races with `use` as well.
bool replaces(const Use& use, const Use& old) {
  const bool is_stronger = use.access == Access::kWrite || use.access == old.access;
  const bool is_same_thread = use.by.block == old.by.block && use.by.thread == old.by.thread;
  return is_stronger && (use.bytes & old.bytes) == old.bytes &&
         (is_same_thread || is_ordered(use.by, old.by));
}

size_t slot_of(uintptr_t at, size_t size) {
  return (at * uint64_t{0x9E3779B97F4A7C15u} >> 20) & (size - 1);
}

}  // namespace

std::string Site::str() const {
  if (line == 0) return line_of(where);
  const char* const name = static_cast<const char*>(where);
  const char* const base = std::strrchr(name, '/');
  return std::string(base ? base + 1 : name) + ":" + std::to_string(line);
}

Watch::Watch() : words_(size_t{1} << 12) {}

void Watch::begin_launch() {
  ++launch_;
  used_ = 0;
}

// Words of earlier launches count as empty: the table is not cleared.
Watch::Word* Watch::word_at(uintptr_t at) {
  if (used_ * 2 > words_.size()) grow();
  for (size_t i = slot_of(at, words_.size());; i = (i + 1) & (words_.size() - 1)) {
    Word& word = words_[i];
    if (word.launch == launch_ && word.at == at) return &word;
    if (word.launch == launch_) continue;
    ++used_;
    word.at = at;
    word.launch = launch_;
    word.next = 0;
    for (Use& use : word.uses) use.bytes = 0;
    return &word;
  }
}

void Watch::grow() {
  std::vector<Word> old(words_.size() * 2);
  old.swap(words_);
  for (const Word& word : old) {
    if (word.launch != launch_) continue;
    size_t i = slot_of(word.at, words_.size());
    while (words_[i].launch == launch_) i = (i + 1) & (words_.size() - 1);
    words_[i] = word;
  }
}

const Use* Watch::touch_word(Word& word, const Use& use) {
  int place = -1;
  for (int i = 0; i < kUses; ++i) {
    const Use& old = word.uses[i];
    if (!old.bytes) {
      if (place < 0) place = i;
      continue;
    }
    if (!may_meet(old, use)) return &(found_ = old);
    if (replaces(use, old)) {
      word.uses[i].bytes = 0;
      if (place < 0) place = i;
    }
  }
  if (place < 0) place = static_cast<int>(word.next++ % kUses);
  word.uses[place] = use;
  return nullptr;
}

const Use* Watch::touch(const void* p, size_t nbytes, const Use& use) {
  uintptr_t at = reinterpret_cast<uintptr_t>(p);
  const uintptr_t end = at + nbytes;
  Use part = use;
  while (at < end) {
    const uintptr_t word = at / 8, first = at % 8, last = std::min<uintptr_t>(end - word * 8, 8);
    part.bytes = static_cast<uint8_t>((0xffu << first) & (0xffu >> (8 - last)));
    if (const Use* other = touch_word(*word_at(word), part)) return other;
    at = word * 8 + last;
  }
  return nullptr;
}

}  // namespace taper::testing
