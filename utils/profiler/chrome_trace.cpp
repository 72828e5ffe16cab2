// Writes a profile to files that other programs display.
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include <taper/utils/profiler/profiler.h>

namespace torch::taper::utils::profiler {
namespace {

using Json = nlohmann::ordered_json;

const char* category(EventKind kind) {
  switch (kind) {
    case EventKind::kOp:
      return "cpu_op";
    case EventKind::kBackwardNode:
    case EventKind::kBackward:
      return "backward";
    case EventKind::kOptimizer:
      return "optimizer";
    case EventKind::kModule:
      return "module";
    case EventKind::kData:
      return "data";
    case EventKind::kCopy:
      return "copy";
    case EventKind::kScope:
      break;
  }
  return "user_annotation";
}

double us(int64_t ns) { return static_cast<double>(ns) / 1000; }

/// Returns the process number of a device. The host is number 0.
int process_of(Device device) { return device.is_cuda() ? device.index() + 1 : 0; }

/// Writes one event of Chrome's format for each call.
class TraceFile {
 public:
  explicit TraceFile(std::ostream& out) : out_(out) {
    out_ << "{\"schemaVersion\": 1, \"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  }
  void add(const Json& event) {
    out_ << (first_ ? "\n" : ",\n") << event.dump(-1, ' ', false, Json::error_handler_t::replace);
    first_ = false;
  }
  void label(const char* what, int pid, int64_t tid, const std::string& name) {
    add({{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}});
  }
  void close() { out_ << "\n]}\n"; }

 private:
  std::ostream& out_;
  bool first_ = true;
};

Json arguments_of(const Event& e) {
  Json args = Json::object();
  if (!e.operands.empty()) {
    Json sizes = Json::array(), dtypes = Json::array();
    for (const Operand& o : e.operands) {
      sizes.push_back(o.sizes);
      dtypes.push_back(toString(o.dtype));
    }
    args["Operand dims"] = sizes;
    args["Operand dtypes"] = dtypes;
  }
  if (e.sequence_nr) args["Sequence number"] = e.sequence_nr;
  if (e.device.is_cuda()) args["Device"] = e.device.str();
  if (e.allocated) args["Bytes allocated"] = e.allocated;
  if (e.freed) args["Bytes freed"] = e.freed;
  return args;
}

void add_host(TraceFile& file, const std::vector<Event>& events) {
  std::set<int64_t> threads;
  for (const Event& e : events) {
    if (threads.insert(e.thread).second)
      file.label("thread_name", 0, e.thread, "thread " + std::to_string(e.thread));
    file.add({{"ph", "X"},
              {"cat", category(e.kind)},
              {"name", e.name},
              {"pid", 0},
              {"tid", e.thread},
              {"ts", us(e.begin_ns)},
              {"dur", us(e.duration_ns())},
              {"args", arguments_of(e)}});
  }
}

// Adds arrows from ops to their nodes. The op's sequence number is that of the next node, so the
// last op with a number has made the node.
void add_arrows(TraceFile& file, const std::vector<Event>& events) {
  std::map<uint64_t, const Event*> forward;
  for (const Event& e : events)
    if (e.kind == EventKind::kOp) forward[e.sequence_nr] = &e;
  for (const Event& e : events) {
    if (e.kind != EventKind::kBackwardNode) continue;
    const auto found = forward.find(e.sequence_nr);
    if (found == forward.end() || found->second->begin_ns > e.begin_ns) continue;
    const auto end = [&](const char* ph, const Event& at) {
      Json arrow{{"ph", ph}, {"id", e.sequence_nr}, {"cat", "fwdbwd"},      {"name", "fwdbwd"},
                 {"pid", 0}, {"tid", at.thread},    {"ts", us(at.begin_ns)}};
      if (*ph == 'f') arrow["bp"] = "e";
      file.add(arrow);
    };
    end("s", *found->second);
    end("f", e);
  }
}

void add_devices(TraceFile& file, const std::vector<cuda::TimelineEvent>& events) {
  std::set<std::pair<int, int>> named;
  for (const cuda::TimelineEvent& e : events) {
    const Device device(kCUDA, e.device);
    const int pid = process_of(device);
    if (named.insert({pid, -1}).second) file.label("process_name", pid, 0, device.str());
    if (named.insert({pid, e.stream}).second)
      file.label("thread_name", pid, e.stream,
                 e.stream < 0 ? "other streams" : "stream " + std::to_string(e.stream));
    Json slice{{"ph", "X"},
               {"cat", e.name == "memcpy" ? "gpu_memcpy" : "kernel"},
               {"name", e.kernel.empty() ? e.name : e.kernel},
               {"pid", pid},
               {"tid", e.stream},
               {"ts", us(e.begin_ns)},
               {"dur", us(e.end_ns - e.begin_ns)}};
    if (!e.kernel.empty()) slice["args"] = {{"Op", e.name}};
    file.add(slice);
  }
}

void add_memory(TraceFile& file, const std::vector<MemoryEvent>& events) {
  std::map<int, int64_t> in_use;
  for (const MemoryEvent& e : events) {
    const int pid = process_of(e.device);
    file.add({{"ph", "C"},
              {"name", "bytes of tensors"},
              {"pid", pid},
              {"ts", us(e.time_ns)},
              {"args", {{"bytes since the start", in_use[pid] += e.nbytes}}}});
  }
}

/// Returns "outer;inner" for each event.
std::vector<std::string> stacks_of(const std::vector<Event>& events) {
  std::vector<std::string> stacks;
  for (const Event& e : events) {
    std::string name = e.name;
    std::replace(name.begin(), name.end(), ';', ':');
    stacks.push_back(e.parent < 0 ? "thread " + std::to_string(e.thread) + ";" + name
                                  : stacks[static_cast<size_t>(e.parent)] + ";" + name);
  }
  return stacks;
}

}  // namespace

void Profile::export_chrome_trace(const std::string& path) const {
  std::ofstream out(path);
  export_chrome_trace(out);
  out.close();
  TAPER_CHECK(out.good(), "export_chrome_trace: ", path, " could not be written");
}

void Profile::export_chrome_trace(std::ostream& out) const {
  TraceFile file(out);
  file.label("process_name", 0, 0, "host");
  add_host(file, events_);
  add_arrows(file, events_);
  add_devices(file, device_events_);
  add_memory(file, memory_);
  file.close();
}

void Profile::export_stacks(const std::string& path) const {
  std::vector<int64_t> self;
  for (const Event& e : events_) {
    self.push_back(e.duration_ns());
    if (e.parent >= 0) self[static_cast<size_t>(e.parent)] -= e.duration_ns();
  }
  const std::vector<std::string> stacks = stacks_of(events_);
  std::map<std::string, int64_t> sums;
  for (size_t i = 0; i < stacks.size(); ++i) sums[stacks[i]] += self[i];
  std::ofstream out(path);
  for (const auto& [stack, ns] : sums)
    out << stack << ' ' << std::max<int64_t>(0, ns / 1000) << '\n';
  out.close();
  TAPER_CHECK(out.good(), "export_stacks: ", path, " could not be written");
}

}  // namespace torch::taper::utils::profiler
