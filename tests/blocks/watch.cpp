#include "blocks/watch.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

namespace torch::taper::testing {
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

constexpr int kLaunchBits = 20;  // and an address has 47, of which words leave out 3
constexpr uint64_t kLaunches = uint64_t{1} << kLaunchBits;

}  // namespace

std::string Site::str() const {
  if (line == 0) return line_of(where);
  const char* const name = static_cast<const char*>(where);
  const char* const base = std::strrchr(name, '/');
  return std::string(base ? base + 1 : name) + ":" + std::to_string(line);
}

Site Use::site() const {
  Site site(reinterpret_cast<const void*>(where_ & ((uint64_t{1} << kWhereBits) - 1)));
  site.line = static_cast<uint32_t>(where_ >> kWhereBits);
  return site;
}

void Watch::begin_launch() {
  launch_ = (launch_ + 1) % kLaunches;
  if (launch_ == 0) tables_.clear(), launch_ = 1;
  if (tables_.empty()) tables_.emplace_back(size_t{1} << 10);
  table_ = used_ = 0;
}

/// Where the key is, or is to be put.
inline size_t Watch::Table::place_of(uint64_t key) const {
  const uint64_t word = key >> kLaunchBits, mask = keys.size() - 1;
  for (size_t i = ((word >> 3) * 0x9E3779B97F4A7C15u >> 29 & ~uint64_t{7}) + (word & 7);; ++i) {
    const uint64_t other = keys[i & mask];
    if (other == key || (other ^ key) % kLaunches != 0) return i & mask;
  }
}

inline Watch::Uses& Watch::uses_of(uint64_t word) {
  const uint64_t key = word << kLaunchBits | launch_;
  Table* table = &tables_[table_];
  size_t i = table->place_of(key);
  if (table->keys[i] == key) return table->uses[i];
  if (++used_ * 2 > table->keys.size()) {
    grow();
    table = &tables_[table_];
    i = table->place_of(key);
  }
  table->keys[i] = key;
  return table->uses[i] = Uses();
}

void Watch::grow() {
  if (++table_ == tables_.size()) tables_.emplace_back(tables_.back().keys.size() * 4);
  const Table& from = tables_[table_ - 1];
  Table& to = tables_[table_];
  for (size_t i = 0; i < from.keys.size(); ++i) {
    if (from.keys[i] % kLaunches != launch_) continue;
    const size_t place = to.place_of(from.keys[i]);
    to.keys[place] = from.keys[i];
    to.uses[place] = from.uses[i];
  }
}

inline const Use* Watch::touch_word(Uses& uses, const Use& use) {
  int place = -1;
  for (int i = 0; i < kUses; ++i) {
    Use& old = uses.of[i];
    if (old.is_none()) {
      if (place < 0) place = i;
      continue;
    }
    if (old.is_same_but_for_site(use)) return nullptr;
    if (!old.may_meet(use)) return &(found_ = old);
    if (use.replaces(old)) {
      old = Use();
      if (place < 0) place = i;
    }
  }
  if (place < 0) place = next_++ % kUses;
  uses.of[place] = use;
  return nullptr;
}

const Use* Watch::touch(const void* p, size_t nbytes, const Use& use) {
  uintptr_t at = reinterpret_cast<uintptr_t>(p);
  const uintptr_t end = at + nbytes;
  while (at < end) {
    const uintptr_t word = at / 8, first = at % 8, last = std::min<uintptr_t>(end - word * 8, 8);
    const Use part = use.of((0xffu << first) & (0xffu >> (8 - last)));
    if (const Use* other = touch_word(uses_of(word), part)) return other;
    at = word * 8 + last;
  }
  return nullptr;
}

}  // namespace torch::taper::testing
