#include <taper/framework/core/warning.h>

#include <cstdio>
#include <cstring>
#include <ostream>

#include <taper/framework/core/check.h>

namespace torch::taper {
namespace {

WarningHandler& to_stderr() {
  static WarningHandler handler;
  return handler;
}

thread_local WarningHandler* thread_handler = nullptr;
std::atomic<bool> warn_always{false};

/// Returns the file's name without its folders, which belong to the machine that compiled it.
const char* without_folders(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const SourceLocation& place) {
  return out << place.function << " at " << place.file << ':' << place.line;
}

void WarningUtils::set_warning_handler(WarningHandler* handler) noexcept {
  thread_handler = handler;
}
WarningHandler* WarningUtils::get_warning_handler() noexcept {
  return thread_handler ? thread_handler : &to_stderr();
}
void WarningUtils::set_warnAlways(bool always) noexcept { warn_always = always; }
bool WarningUtils::get_warnAlways() noexcept { return warn_always; }

void Warning::warn(const SourceLocation& place, const std::string& text, bool verbatim) {
  taper::warn(Warning(UserWarning(), place, text, verbatim));
}

void warn(const Warning& warning) { WarningUtils::get_warning_handler()->process(warning); }

WarningHandler::~WarningHandler() = default;

void WarningHandler::process(const Warning& warning) {
  process(warning.source_location(), warning.msg(), warning.verbatim());
}

void WarningHandler::process(const SourceLocation& place, const std::string& text, bool) {
  // One call writes the whole line, so that the lines of several threads do not mix.
  const std::string line =
      detail::concat("[W ", without_folders(place.file), ":", place.line, "] Warning: ", text,
                     " (function ", place.function, ")\n");
  std::fputs(line.c_str(), stderr);
}

bool detail::is_first(std::atomic<bool>& given) { return !given.exchange(true) || warn_always; }

void detail::warn_user(const std::string& text, const SourceLocation& place) {
  taper::warn(Warning(UserWarning(), place, text, /*verbatim=*/false));
}

}  // namespace torch::taper
