#include <taper/framework/debug/race_detector.h>

#include <cstdlib>
#include <sstream>

#include <taper/framework/capture/capture.h>
#include <taper/framework/debug/backtrace.h>
#include <taper/framework/debug/race_watch.h>
#include <taper/framework/debug/simulated.h>
#include <taper/framework/debug/simulated_memory.h>
#include <taper/framework/debug/watched_runtime.h>

namespace torch::taper {

// ---------------------------------------------------------------------- in words
namespace races {
namespace {

void print(std::ostream& out, const cuda::RaceAccess& a) {
  out << "\n  '" << a.op << "' " << (a.writes ? "writes" : "reads") << " on " << a.stream;
  for (const std::string& line : a.where) out << "\n    at " << line;
}

std::string advice(const cuda::RaceReport& r) {
  if (r.second.stream == "the host")
    return "Let the host wait before it touches pinned memory that a copy still uses: "
           "event.synchronize(), stream.synchronize() or cuda::synchronize(); or use another "
           "pinned tensor meanwhile.";
  if (r.reused)
    return "The tensor that '" + r.first.op +
           "' used was freed too early, and its memory was given out again: call "
           "tensor.record_stream(s), s being " +
           r.first.stream + ", before it is freed.";
  return "Let " + r.second.stream + " wait before '" + r.second.op +
         "' is queued: s.wait_stream(other), or event.record(other) behind '" + r.first.op +
         "' and then event.wait(s), s being the waiting cuda::Stream and other " + r.first.stream +
         ".";
}

}  // namespace

std::string text_of(const cuda::RaceReport& r) {
  std::ostringstream out;
  out << "Race: '" << r.first.op << "' and '" << r.second.op
      << "' use the same memory, and nothing orders them.";
  print(out, r.first);
  print(out, r.second);
  out << "\n  " << advice(r);
  return out.str();
}

void enable_from_environment() {
  const char* text = std::getenv("TAPER_RACE_DETECTOR");
  const std::string mode = text ? text : "";
  TAPER_CHECK_VALUE(mode.empty() || mode == "0" || mode == "1" || mode == "throw",
                    "TAPER_RACE_DETECTOR: expected 0, 1 or throw, got '", mode, "'");
  if (mode.empty() || mode == "0") return;
  detector().reset(mode == "throw");
  detail::launch_observers |= 1;
}

}  // namespace races

// ---------------------------------------------------------------------- kernels
namespace detail {

std::atomic<uint32_t> launch_observers{0};

namespace {

// Reports a kernel that uses unreachable host memory, as a GPU would. A real GPU reports it itself.
void check_reachable(const char* name, Device device, const std::vector<Access>& accesses) {
  for (const Access& a : accesses)
    if (!races::Extent(a).empty() && !simulated::is_reachable(a.data))
      throw Error(concat("CUDA error: an illegal memory access was encountered (kernel '", name,
                         "' on ", device, a.writes ? " writes" : " reads",
                         " memory of the host that is not pinned)",
                         describe_stack(capture_stack(), 3)));
}

}  // namespace

void watch_kernel(const char* name, Device device, const std::vector<Access>& accesses) {
  if (watches_races() && !device.is_cpu() && cuda::is_simulated())
    check_reachable(name, device, accesses);
  StreamImpl* stream = device.is_cpu() ? nullptr : current_stream_of(device.index());
  if (Capture* capture = stream ? stream->capture.load() : host_capture())
    capture->note(stream, name, accesses);
  else if (watches_races())
    races::detector().launch(stream, name, accesses);
}

}  // namespace detail

// ---------------------------------------------------------------------- on and off
namespace cuda {

void enable_race_detector(bool enabled, bool throws) {
  enabled = enabled && cuda_runtime();
  races::detector().reset(throws);
  if (enabled)
    detail::launch_observers |= 1;
  else
    detail::launch_observers &= ~1u;
}
bool race_detector_enabled() { return detail::watches_races(); }
std::vector<RaceReport> race_reports() { return races::detector().reports(); }
void clear_race_reports() { races::detector().set_reports({}); }

RaceDetectorGuard::RaceDetectorGuard(bool throws)
    : enabled_before_(race_detector_enabled()),
      threw_before_(races::detector().throws()),
      reports_before_(race_reports()) {
  enable_race_detector(true, throws);
  clear_race_reports();
}

RaceDetectorGuard::~RaceDetectorGuard() {
  enable_race_detector(enabled_before_, threw_before_);
  races::detector().set_reports(std::move(reports_before_));
}

}  // namespace cuda
}  // namespace torch::taper
