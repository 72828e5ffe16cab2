#include <taper/framework/autograd/anomaly.h>

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>

namespace taper::autograd {
namespace {

std::string demangle(const char* name) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                              std::free);
  return status == 0 ? text.get() : name;
}

// What binutils' addr2line knows of one address: "function at file:line", or nothing.
std::string source_line(const char* object, uintptr_t offset) {
  char command[4096];
  const int n = std::snprintf(command, sizeof command, "addr2line -Cfpse '%s' 0x%zx 2>/dev/null",
                              object, offset);
  if (n <= 0 || n >= static_cast<int>(sizeof command)) return "";
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command, "r"), pclose);
  char line[1024];
  if (!pipe || !std::fgets(line, sizeof line, pipe.get())) return "";
  std::string text = line;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.find("??:") == std::string::npos ? text : "";
}

bool inside_taper(const Dl_info& frame) {
  static const void* own_base = [] {
    Dl_info own;
    return dladdr(reinterpret_cast<void*>(&describe_stack), &own) ? own.dli_fbase : nullptr;
  }();
  return frame.dli_fbase == own_base;
}

std::string describe_frame(void* address, const Dl_info& info) {
  // The return address lies behind the call; one byte back is inside it.
  const uintptr_t at = reinterpret_cast<uintptr_t>(address) - 1;
  std::string text = source_line(info.dli_fname, at - reinterpret_cast<uintptr_t>(info.dli_fbase));
  if (text.empty()) text = source_line(info.dli_fname, at);  // a program at fixed addresses
  if (!text.empty()) return text;
  std::ostringstream out;
  out << (info.dli_sname ? demangle(info.dli_sname) : "unknown function") << " in "
      << info.dli_fname << " (build with -g to see the source line)";
  return out.str();
}

}  // namespace

std::vector<void*> capture_stack() {
  std::vector<void*> frames(64);
  frames.resize(static_cast<size_t>(backtrace(frames.data(), static_cast<int>(frames.size()))));
  return frames;
}

std::string describe_stack(const std::vector<void*>& stack) {
  std::ostringstream out;
  int shown = 0;
  for (void* address : stack) {
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname || inside_taper(info)) continue;
    out << "\n  at " << describe_frame(address, info);
    if (++shown == 6) break;
  }
  return out.str();
}

}  // namespace taper::autograd
