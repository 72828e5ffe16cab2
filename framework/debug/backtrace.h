// Finds the line of the user's program that called an op.
#pragma once

#include <string>
#include <vector>

#include <taper/framework/core/check.h>

namespace torch::taper::detail {

/// Returns the return addresses of the calling functions, innermost first. It stops at the function
/// that is the `outside`-th outside Taper: a longer walk would cost more than most ops.
std::vector<void*> capture_stack(size_t outside = 6);
/// Returns the first address outside Taper, or null if there is none.
void* first_outside_caller(const std::vector<void*>& stack);
/// Returns "function at file.cpp:12" for the innermost functions outside Taper, at most `count`. An
/// inlined function comes before its caller. Without debug information it names the object file.
std::vector<std::string> source_lines(const std::vector<void*>& stack, size_t count = 6);
/// Returns source_lines joined, each after "\n  at ".
std::string describe_stack(const std::vector<void*>& stack, size_t count = 6);

/// Returns the C++ name for typeid(x).name() or a symbol.
TAPER_EXPORTED std::string demangled(const char* name);

}  // namespace torch::taper::detail
