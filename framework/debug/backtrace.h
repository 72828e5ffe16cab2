// Finds the line of the user's program that called an op.
#pragma once

#include <string>
#include <vector>

#include <taper/framework/core/check.h>

namespace torch::taper::detail {

/// Returns the return addresses of the calling functions, innermost first. It stops after `outside`
/// functions outside Taper, because a longer walk would take more time than most ops.
std::vector<void*> capture_stack(size_t outside = 6);
/// Returns the first address of `stack` that is outside Taper, or null if there is none.
void* first_outside_caller(const std::vector<void*>& stack);
/// Returns "function at file.cpp:12" for the innermost functions outside Taper, at most `count`. An
/// inlined function comes before its caller. Without debug information, the text names the object
/// file.
std::vector<std::string> source_lines(const std::vector<void*>& stack, size_t count = 6);
/// Returns the lines of source_lines() as one text. "\n at " stands before each line.
std::string describe_stack(const std::vector<void*>& stack, size_t count = 6);

/// Returns the C++ name for `name`: a symbol, or the result of typeid(x).name().
TAPER_EXPORTED std::string demangled(const char* name);

}  // namespace torch::taper::detail
