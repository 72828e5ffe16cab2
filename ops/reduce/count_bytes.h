// Counts the nonzero bytes of a mask. Not installed.
#pragma once

#include <cstdint>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::cpu {

/// Returns how many of the n bytes at p are nonzero.
int64_t count_bytes(const uint8_t* p, int64_t n);

}  // namespace torch::taper::cpu

#pragma GCC visibility pop
