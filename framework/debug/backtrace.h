// Which line of the user's program called an op.
#pragma once

#include <string>
#include <vector>

#include <taper/framework/core/check.h>

namespace torch::taper::detail {

/// Return addresses of the calling functions, innermost first, up to the one that is the
/// `outside`-th outside of Taper: walking further costs more than most ops.
std::vector<void*> capture_stack(size_t outside = 6);
/// The first of them that is outside of Taper; null when there is none.
void* first_outside_caller(const std::vector<void*>& stack);
/// "function at file.cpp:12" for the innermost functions outside of Taper, at most `count`. An
/// inlined function comes before its caller. Names the object file if there is no debug
/// information.
std::vector<std::string> source_lines(const std::vector<void*>& stack, size_t count = 6);
/// The same, each on a line of its own behind "\n  at ".
std::string describe_stack(const std::vector<void*>& stack, size_t count = 6);

/// The C++ name that typeid(x).name() or a symbol stands for.
TAPER_EXPORTED std::string demangled(const char* name);

}  // namespace torch::taper::detail
