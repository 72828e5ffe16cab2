#include <taper/framework/capture/capture.h>

#include <algorithm>

#include <taper/framework/capture/step_state.h>
#include <taper/framework/fusion/cpu/fusion.h>

namespace torch::taper::detail {
namespace {

thread_local Capture* here = nullptr;  // the calling thread's capture

uint64_t next_id() {
  static std::atomic<uint64_t> ids{0};
  return ++ids;
}

[[noreturn]] void throw_not_permitted(const char* what, bool on_device) {
  throw Error(concat(on_device ? "CUDA error: operation not permitted when stream is capturing"
                               : "operation not permitted when the CPU is capturing",
                     ": ", what,
                     " needs values now, and while a graph is captured nothing runs. Do it before "
                     "or after the capture."));
}

}  // namespace

// ---------------------------------------------------------------------- who captures
Capture* thread_capture() { return here; }
Capture* host_capture() { return here && !here->origin() ? here : nullptr; }
// taper::distributed calls it too.
TAPER_EXPORTED bool captures_host() { return host_capture() != nullptr; }

Capture* capture_of(Device device) {
  if (device.is_cpu()) return host_capture();
  return current_stream_of(existing_index(device.index()))->capture;
}

bool is_captured(Device device) { return observes_launches() && capture_of(device); }

void record_launch(const char* name, std::shared_ptr<const Launch> launch) {
  host_capture()->add(name, std::move(launch));
}

void record_on_host(const char* name, std::function<void()> work) {
  host_capture()->add(name, std::move(work));
}

void throw_if_capturing(const char* what, Device device) {
  if (capture_of(device)) throw_not_permitted(what, device.is_cuda());
}

void check_may_wait(const char* what) {
  if (here && here->origin()) throw_not_permitted(what, true);
}

// ---------------------------------------------------------------------- what a step changes
namespace {
thread_local StepState* state_here = nullptr;
}

StepState::StepState(bool called_again)
    : before_(std::exchange(state_here, this)), called_again_(called_again) {}
StepState::~StepState() { state_here = before_; }
StepState* StepState::current() { return state_here; }

bool StepState::note(const void* object, std::function<void()> put_back) {
  const auto is_it = [object](const Change& c) { return c.object == object; };
  if (std::any_of(all_.begin(), all_.end(), is_it)) return false;
  all_.push_back({object, std::move(put_back)});
  return true;
}
void StepState::forget(const void* object) {
  std::erase_if(all_, [object](const Change& c) { return c.object == object; });
}
void StepState::put_back() {
  const std::vector<Change> all = std::exchange(all_, {});
  for (const Change& c : all) c.put_back();
}

CaptureSuspension::CaptureSuspension() : before_(here) {
  if (captures_host()) here = nullptr;
}
CaptureSuspension::~CaptureSuspension() { here = before_; }

// ---------------------------------------------------------------------- begin and end
Capture::Capture(StreamImpl* origin, std::shared_ptr<GraphPool> pool)
    : id_(next_id()), origin_(origin), thread_(std::this_thread::get_id()), pool_(std::move(pool)) {
  if (watches_races()) {
    order_ = std::make_unique<races::Detector>();
    order_->reset(races::detector().throws());
  }
  log().begin();
  recording_ = origin ? require_cuda().begin_capture(origin) : std::make_shared<LaunchList>();
  if (origin) {
    index_of(origin);
    origin->capture = this;
  }
  here = this;
  goes_on_ = true;
  launch_observers += 4;
}

Capture::~Capture() {
  if (!goes_on_) return;
  leave();
  log().take();
  try {
    if (origin_) require_cuda().end_capture(origin_, *recording_);
  } catch (const Error&) {  // the recording is discarded
  }
}

// Restores the streams and threads, whatever the runtime reports next.
void Capture::leave() {
  goes_on_ = false;
  launch_observers -= 4;
  if (here == this) here = nullptr;
  for (StreamImpl* s : streams_) s->capture = nullptr;
  if (order_) races::detector().add_reports(order_->reports());
}

void Capture::end() {
  TAPER_CHECK(
      std::this_thread::get_id() == thread_,
      "Capture must end on the same thread it began on: attempt to terminate a thread-local "
      "capture sequence from another thread");
  TAPER_CHECK(!origin_ || current_stream_of(origin_->device) == origin_,
              "Capture must end on the same stream it began on.");
  const bool joined = is_joined();
  leave();
  if (origin_) require_cuda().end_capture(origin_, *recording_);
  TAPER_CHECK(joined,
              "CUDA error: capturing stream has unjoined work: let the stream that captures wait "
              "for the streams that joined it, with wait_stream or an event, before the capture "
              "ends");
  if (origin_) return;
  const auto blocks = log().take().value_or(std::vector<BlockLifetime>());
  memory_ = memory_of(blocks, pool_->host_nbytes());
  static_cast<LaunchList&>(*recording_).fuse(blocks);
}

// ---------------------------------------------------------------------- what is recorded
void Capture::add(const char* name, std::function<void()> work) {
  const std::lock_guard<std::mutex> lock(mutex_);
  LaunchList& list = static_cast<LaunchList&>(*recording_);
  list.add(name, std::move(work));
  log().note_step(list.size());
}

void Capture::add(const char* name, std::shared_ptr<const Launch> launch) {
  const std::lock_guard<std::mutex> lock(mutex_);
  LaunchList& list = static_cast<LaunchList&>(*recording_);
  list.add(name, std::move(launch));
  log().note_step(list.size());
}

void LaunchList::replay(StreamImpl*) {
  for (const Step& step : steps_)
    if (step.launch)
      step.launch->run();
    else
      step.work();
}

namespace {
cpu::Prepared prepared_of(const Launch& launch) {
  return launch.info && launch.info->prepare ? launch.info->prepare(launch) : nullptr;
}
}  // namespace

// Prepares the launches outside of chains whose kernels support it.
void LaunchList::fuse(const std::vector<BlockLifetime>& lifetimes) {
  std::vector<std::shared_ptr<const Launch>> launches;
  for (const Step& step : steps_) launches.push_back(step.launch);
  std::vector<Step> steps;
  size_t next = 0;
  const auto keep_until = [&](size_t end) {
    for (; next < end; ++next) {
      Step& step = steps.emplace_back(std::move(steps_[next]));
      cpu::Prepared ready = step.launch ? prepared_of(*step.launch) : nullptr;
      if (ready) step.work = std::move(ready), step.launch = nullptr;
    }
  };
  for (const cpu::FoundChain& found : cpu::find_chains(launches, lifetimes)) {
    keep_until(found.begin);
    steps.push_back({"chain", [chain = found.chain] { chain->run(); }, nullptr});
    next = found.end;
  }
  keep_until(steps_.size());
  steps_ = std::move(steps);
}

void Capture::note(StreamImpl* stream, const char* name, std::vector<Access> accesses) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (order_) order_->launch(stream, name, accesses);
  if (stream) {
    const uint32_t i = index_of(stream);
    clocks_[i].set(i, clocks_[i][i] + 1);
  }
  watched_.push_back({name, std::move(accesses)});
}

void Capture::keep(std::shared_ptr<const void> object) {
  const std::lock_guard<std::mutex> lock(mutex_);
  kept_.push_back(std::move(object));
}

// ---------------------------------------------------------------------- order
uint32_t Capture::index_of(StreamImpl* stream) {
  for (uint32_t i = 0; i < streams_.size(); ++i)
    if (streams_[i] == stream) return i;
  streams_.push_back(stream);
  clocks_.emplace_back();
  return static_cast<uint32_t>(streams_.size() - 1);
}

bool Capture::is_joined() const {
  for (uint32_t i = 1; i < streams_.size(); ++i)
    if (clocks_[0][i] < clocks_[i][i]) return false;
  return true;
}

void Capture::record(EventImpl& event, StreamImpl* stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (order_) order_->record(&event, stream);
  event.point = std::make_shared<CapturedPoint>(CapturedPoint{id_, clocks_[index_of(stream)]});
}

void Capture::wait(StreamImpl* stream, EventImpl& event) {
  TAPER_CHECK(event.point,
              "CUDA error: dependency created on uncaptured work in another stream: a captured "
              "stream cannot wait for what was queued outside of the capture; let it wait before "
              "the capture begins");
  TAPER_CHECK(event.point->capture == id_,
              "CUDA error: operation not permitted on an event last recorded in a capturing "
              "stream: the event is of another capture");
  TAPER_CHECK(stream->id != 0 || stream->capture,
              "CUDA error: operation would make the legacy stream depend on a capturing blocking "
              "stream: a default stream cannot be captured");
  const std::lock_guard<std::mutex> lock(mutex_);
  if (order_) order_->wait(stream, &event);
  clocks_[index_of(stream)].join(event.point->clock);
  stream->capture = this;
}

}  // namespace torch::taper::detail
