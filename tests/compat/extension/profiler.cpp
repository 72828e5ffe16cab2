// LibTorch's profiler by its names. The program is also right with LibTorch 2.15.
#include <torch/torch.h>

#include <torch/csrc/autograd/profiler.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "expect.h"

using namespace torch::autograd::profiler;

namespace {

void work() {
  const torch::Tensor x = torch::rand({64, 32}).requires_grad_();
  RECORD_USER_SCOPE("my part");
  torch::mm(x.exp(), torch::rand({32, 8})).sum().backward();
}

std::string contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Whether a name ends so: LibTorch says "aten::exp".
bool ends_with(const std::string& name, const std::string& end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

void kineto() {
  const std::set<ActivityType> activities = {ActivityType::CPU};
  const ProfilerConfig config(ProfilerState::KINETO, /*report_input_shapes=*/true,
                              /*profile_memory=*/true);
  EXPECT(!profilerEnabled());
  prepareProfiler(config, activities);
  enableProfiler(config, activities);
  EXPECT(profilerEnabled());
  EXPECT(getProfilerConfig().report_input_shapes);
  work();
  const std::unique_ptr<ProfilerResult> result = disableProfiler();
  EXPECT(!profilerEnabled());
  int exps = 0, parts = 0, memory = 0;
  for (const KinetoEvent& e : result->events()) {
    EXPECT(e.endNs() >= e.startNs());
    if (ends_with(e.name(), "exp")) {
      ++exps;
      EXPECT(e.startNs() >= result->trace_start_ns());
      EXPECT(e.durationNs() > 0);
      EXPECT(e.hasShapes() && e.shapes()[0] == std::vector<int64_t>({64, 32}));
      EXPECT(e.deviceType() == c10::DeviceType::CPU);
    }
    parts += e.name() == "my part";
    memory += e.name() == "[memory]" && e.nBytes() >= 64 * 32 * 4;
  }
  EXPECT(exps == 1);
  EXPECT(parts == 1);
  EXPECT(memory > 0);
  result->save("profiler_kineto.json");
  EXPECT(contents("profiler_kineto.json").find("my part") != std::string::npos);
}

void guards() {
  {
    const RecordProfile guard("profiler_guard.json");
    work();
  }
  EXPECT(contents("profiler_guard.json").find("my part") != std::string::npos);
  std::ostringstream out;
  {
    const RecordProfile guard(out);
    work();
  }
  EXPECT(out.str().find("exp") != std::string::npos);

  thread_event_lists lists;
  {
    const TLSLegacyProfilerGuard guard(ProfilerConfig(ProfilerState::CPU, true, true),
                                       [&](const thread_event_lists& seen) { lists = seen; });
    work();
  }
  EXPECT(!lists.empty());
  int open = 0, pushes = 0;
  for (const auto& list : lists)
    for (const LegacyEvent& e : list) {
      open += e.kind() == EventKind::PushRange ? 1 : e.kind() == EventKind::PopRange ? -1 : 0;
      EXPECT(open >= 0);
      if (e.kindStr() == "push" && ends_with(e.name(), "exp")) {
        ++pushes;
        EXPECT(e.shapes()[0] == std::vector<int64_t>({64, 32}));
      }
    }
  EXPECT(open == 0);
  EXPECT(pushes == 1);
  EXPECT(std::string(lists[0][0].name()) == "__start_profile");
}

}  // namespace

int main() {
  kineto();
  guards();
  return 0;
}
