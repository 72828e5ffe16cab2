#include <taper/extension/logging.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <mutex>

#include <taper/framework/core/check.h>

namespace torch::taper {
namespace {

int threshold_of_environment() {
  const char* text = std::getenv("TORCH_CPP_LOG_LEVEL");
  if (!text || !*text) return GLOG_WARNING;
  constexpr const char* kNames[] = {"INFO", "WARNING", "ERROR", "FATAL"};
  for (int i = 0; i < 4; ++i)
    if (std::strcmp(text, kNames[i]) == 0) return i;
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  return end != text ? static_cast<int>(number) : GLOG_WARNING;
}
std::atomic<int>& threshold() {
  static std::atomic<int> value{threshold_of_environment()};
  return value;
}

struct Handler {
  std::mutex mutex;
  std::function<void(int, const std::string&)> call;
};
Handler& handler() {
  static auto& h = *new Handler;
  return h;
}

void write(int severity, const std::string& line) {
  Handler& h = handler();
  const std::lock_guard<std::mutex> lock(h.mutex);
  if (h.call) return h.call(severity, line);
  std::cerr << line << std::flush;
}

char letter_of(int severity) { return severity < 0 ? 'V' : "IWEF"[severity > 3 ? 3 : severity]; }

const char* without_folders(const char* file) {
  const char* slash = std::strrchr(file, '/');
  return slash ? slash + 1 : file;
}

}  // namespace

int log_threshold() { return threshold().load(std::memory_order_relaxed); }
void set_log_threshold(int severity) { threshold() = severity; }
void set_log_handler(std::function<void(int, const std::string&)> call) {
  const std::lock_guard<std::mutex> lock(handler().mutex);
  handler().call = std::move(call);
}

MessageLogger::MessageLogger(const SourceLocation& place, int severity, bool exit_on_fatal)
    : severity_(severity), exit_on_fatal_(exit_on_fatal) {
  std::timespec now{};
  std::timespec_get(&now, TIME_UTC);
  std::tm local{};
  localtime_r(&now.tv_sec, &local);
  char time[32];
  std::strftime(time, sizeof time, "%m%d %H:%M:%S", &local);
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%09ld", now.tv_nsec);
  text_ << '[' << letter_of(severity) << time << fraction << ' ' << without_folders(place.file)
        << ':' << place.line << "] ";
}

MessageLogger::~MessageLogger() noexcept(false) {
  text_ << '\n';
  if (severity_ >= log_threshold() || severity_ == GLOG_FATAL) write(severity_, text_.str());
  if (severity_ != GLOG_FATAL) return;
  if (exit_on_fatal_) std::abort();
  throw Error(text_.str());
}

void detail::check_not_null(bool is_null, const SourceLocation& place, const char* expression,
                            bool fatal) {
  if (is_null)
    MessageLogger(place, GLOG_FATAL, fatal).stream()
        << "Check failed: '" << expression << "' must be non NULL. ";
}

}  // namespace torch::taper
