#include <taper/framework/random/random.h>

#define TAPER_ISA_FILE <taper/framework/random/random_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper {
namespace cpu {
namespace {

void next_block(uint32_t* words) { return TAPER_BY_ISA(mt19937_next_block, words); }
void temper(uint32_t* to, const uint32_t* from, int64_t n) {
  return TAPER_BY_ISA(mt19937_temper, to, from, n);
}

}  // namespace
}  // namespace cpu

void Mt19937::next_block() {
  cpu::next_block(words_);
  left_ = kWords;
  next_ = 0;
}

void Mt19937::fill(uint32_t* to, int64_t n) {
  while (n > 0) {
    if (left_ == 1) {
      next_block();
      ++left_;  // next_block counts the word that operator() is about to take
    }
    const int64_t m = n < left_ - 1 ? n : left_ - 1;
    cpu::temper(to, words_ + next_, m);
    next_ += static_cast<uint32_t>(m);
    left_ -= static_cast<int32_t>(m);
    to += m;
    n -= m;
  }
}

}  // namespace torch::taper
