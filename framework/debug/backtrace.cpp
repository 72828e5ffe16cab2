#include <taper/framework/debug/backtrace.h>

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>

namespace torch::taper::detail {
namespace {

using Lines = std::vector<std::string>;

// Turns a line of addr2line into "function at file:line".
std::string cleaned(std::string text) {
  constexpr std::string_view inlined = " (inlined by) ";
  if (text.rfind(inlined, 0) == 0) text.erase(0, inlined.size());
  return text.substr(0, text.find(" (discriminator"));
}

// Asks addr2line of binutils for one address. Returns the line of the function, then the line of
// each function that it is inlined into. Returns nothing without debug information.
Lines lines_at(const char* object, uintptr_t offset) {
  char command[4096];
  const int n = std::snprintf(command, sizeof command, "addr2line -Cfpsie '%s' 0x%zx 2>/dev/null",
                              object, offset);
  if (n <= 0 || n >= static_cast<int>(sizeof command)) return {};
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command, "r"), pclose);
  if (!pipe) return {};
  std::stringstream text;
  char part[1024];
  while (std::fgets(part, sizeof part, pipe.get())) text << part;
  Lines lines;
  for (std::string line; std::getline(text, line);) lines.push_back(cleaned(line));
  const bool known = !lines.empty() && lines[0].find("??:") == std::string::npos;
  return known ? lines : Lines();
}

// Holds the address range of Taper's code. dladdr would search its thousands of symbols for each
// address.
struct OwnCode {
  uintptr_t begin = 0, end = 0;
  OwnCode() { dl_iterate_phdr(&look_at, this); }
  bool contains(uintptr_t address) const { return begin <= address && address < end; }

  static int look_at(dl_phdr_info* object, size_t, void* result) {
    OwnCode code(object);
    const bool found = code.contains(reinterpret_cast<uintptr_t>(&describe_stack));
    if (found) *static_cast<OwnCode*>(result) = code;
    return found;
  }

 private:
  explicit OwnCode(const dl_phdr_info* object) {
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto& segment = object->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      const uintptr_t first = object->dlpi_addr + segment.p_vaddr;
      begin = end == 0 ? first : std::min(begin, first);
      end = std::max(end, first + segment.p_memsz);
    }
  }
};

bool is_own(const void* address) {
  static const OwnCode own;
  return own.contains(reinterpret_cast<uintptr_t>(address));
}

// Returns whether the address is known to lie outside of Taper. Fills `frame`.
bool is_outside(const void* address, Dl_info& frame) {
  return !is_own(address) && dladdr(address, &frame) && frame.dli_fname;
}

// Walks up the stack, through at most 64 frames, and stops after `outside` frames outside of Taper.
struct Walk {
  size_t outside;
  std::vector<void*> frames = {};

  static _Unwind_Reason_Code step(_Unwind_Context* context, void* walk_) {
    Walk& walk = *static_cast<Walk*>(walk_);
    void* const address = reinterpret_cast<void*>(_Unwind_GetIP(context));
    if (!address) return _URC_END_OF_STACK;
    walk.frames.push_back(address);
    if (!is_own(address)) --walk.outside;
    return walk.outside == 0 || walk.frames.size() == 64 ? _URC_END_OF_STACK : _URC_NO_REASON;
  }
};

Lines find_frame(void* address, const Dl_info& info) {
  // The return address lies after the call. One byte before it is inside the call.
  const uintptr_t at = reinterpret_cast<uintptr_t>(address) - 1;
  Lines lines = lines_at(info.dli_fname, at - reinterpret_cast<uintptr_t>(info.dli_fbase));
  if (lines.empty()) lines = lines_at(info.dli_fname, at);  // for a program at fixed addresses
  if (!lines.empty()) return lines;
  std::ostringstream out;
  out << (info.dli_sname ? demangled(info.dli_sname) : "unknown function") << " in "
      << info.dli_fname << " (build with -g to see the source line)";
  return {out.str()};
}

// A query starts a process, and programs repeat the same lines, so the results are cached.
Lines describe_frame(void* address, const Dl_info& info) {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<void*, Lines>;
  const std::lock_guard<std::mutex> lock(mutex);
  Lines& lines = known[address];
  if (lines.empty()) lines = find_frame(address, info);
  return lines;
}

}  // namespace

std::string demangled(const char* name) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                              std::free);
  return status == 0 ? text.get() : name;
}

std::vector<void*> capture_stack(size_t outside) {
  Walk walk{outside};
  _Unwind_Backtrace(&Walk::step, &walk);
  return std::move(walk.frames);
}

void* first_outside_caller(const std::vector<void*>& stack) {
  Dl_info info;
  for (void* address : stack)
    if (is_outside(address, info)) return address;
  return nullptr;
}

std::vector<std::string> source_lines(const std::vector<void*>& stack, size_t count) {
  std::vector<std::string> lines;
  Dl_info info;
  for (void* address : stack) {
    if (lines.size() >= count) break;
    if (!is_outside(address, info)) continue;
    for (std::string& line : describe_frame(address, info)) lines.push_back(std::move(line));
  }
  const auto main = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.rfind("main at ", 0) == 0;  // its callers belong to the C library
  });
  if (main != lines.end()) lines.erase(main + 1, lines.end());
  lines.resize(std::min(lines.size(), count));
  return lines;
}

std::string describe_stack(const std::vector<void*>& stack, size_t count) {
  std::string text;
  for (const std::string& line : source_lines(stack, count)) text += "\n  at " + line;
  return text;
}

}  // namespace torch::taper::detail
