#include <taper/framework/cuda/gpu/cudnn_graph.h>

#include <algorithm>
#include <limits>

#include <taper/framework/core/context.h>
#include <taper/framework/cuda/cudnn_shape.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/framework/cuda/stream.h>

namespace torch::taper::cuda {
namespace {

// Limits the engines whose times are compared.
constexpr size_t kMostMeasured = 12;

/// Wraps an event that measures time.
class Clock {
 public:
  Clock() { TAPER_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDefault)); }
  ~Clock() { (void)cudaEventDestroy(event_); }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  void record() const { TAPER_CUDA_CHECK(cudaEventRecord(event_, kernel_stream())); }
  float milliseconds_since(const Clock& start) const {
    float ms = 0;
    TAPER_CUDA_CHECK(cudaEventSynchronize(event_));
    TAPER_CUDA_CHECK(cudaEventElapsedTime(&ms, start.event_, event_));
    return ms;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

std::vector<int64_t> wide(const std::vector<int>& values) { return {values.begin(), values.end()}; }

GraphPart finished_graph(cudnnHandle_t handle, const std::vector<GraphPart>& operations) {
  GraphPart graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  std::vector<cudnnBackendDescriptor_t> parts;
  for (const GraphPart& o : operations) {
    graph.needs(o);
    parts.push_back(o.get());
  }
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle)
      .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
           static_cast<int64_t>(parts.size()), parts.data())
      .finish();
  return graph;
}

}  // namespace

GraphPart& GraphPart::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                          int64_t count, const void* values) {
  is_supported_ = is_supported_ &&
                  TAPER_CUDNN_SUPPORTS(cudnnBackendSetAttribute, d_, name, type, count, values);
  return *this;
}

GraphPart& GraphPart::finish() {
  is_supported_ = is_supported_ && TAPER_CUDNN_SUPPORTS(cudnnBackendFinalize, d_);
  return *this;
}

int64_t GraphPart::get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                       int64_t count, void* values) const {
  int64_t there = 0;
  TAPER_LIBRARY_CALL(cudnn, cudnnBackendGetAttribute, d_, name, type, count, &there, values);
  return there;
}

GraphPart graph_tensor(int64_t id, cudnnDataType_t type, const GraphLayout& layout,
                       int64_t alignment, GraphPlace place) {
  GraphPart t(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  t.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id)
      .set(CUDNN_ATTR_TENSOR_DATA_TYPE, type)
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, layout.sizes)
      .set(CUDNN_ATTR_TENSOR_STRIDES, layout.strides)
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignment)
      .set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, place == GraphPlace::kVirtual)
      .set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, place == GraphPlace::kHost)
      .finish();
  return t;
}

GraphPart graph_tensor(int64_t id, cudnnDataType_t type, const std::vector<int>& sizes,
                       int64_t alignment, GraphPlace place) {
  return graph_tensor(id, type, {wide(sizes), wide(cudnn_strides(sizes))}, alignment, place);
}

GraphPart graph_operation(const GraphFormula& f, const std::vector<const GraphPart*>& x,
                          const GraphPart& y) {
  constexpr cudnnBackendAttributeName_t kOperands[] = {CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                                                       CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                                                       CUDNN_ATTR_OPERATION_POINTWISE_TDESC};
  GraphPart how(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  how.set(CUDNN_ATTR_POINTWISE_MODE, f.mode).set(CUDNN_ATTR_POINTWISE_MATH_PREC, f.type);
  if (f.axis >= 0) how.set(CUDNN_ATTR_POINTWISE_AXIS, f.axis);
  how.finish();
  GraphPart p(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  p.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
  for (size_t i = 0; i < x.size(); ++i) p.set(kOperands[i], *x[i]);
  p.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  return p;
}

int64_t graph_alignment(const void* p) {
  const auto address = reinterpret_cast<uintptr_t>(p) | 16;
  return static_cast<int64_t>(address & (~address + 1));
}

EngineRules EngineRules::current(ScalarType dtype) {
  EngineRules r;
  r.only_deterministic = cudnn_is_deterministic();
  r.only_full_f32 = dtype == ScalarType::Float && !globalContext().allowTF32CuDNN();
  r.measures = globalContext().benchmarkCuDNN();
  return r;
}

EnginePlans::EnginePlans(cudnnHandle_t handle, const std::vector<GraphPart>& operations,
                         EngineRules rules)
    : handle_(handle), rules_(rules), graph_(finished_graph(handle, operations)) {
  if (!graph_.is_supported()) return;
  if (rules.has_fallback) modes_.push_back(CUDNN_HEUR_MODE_FALLBACK);
  modes_.push_back(CUDNN_HEUR_MODE_A);
}

/// Returns the engines that cuDNN proposes. Its first choice comes last.
std::vector<GraphPart> EnginePlans::configs_of(cudnnBackendHeurMode_t mode) const {
  GraphPart heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph_)
      .set(CUDNN_ATTR_ENGINEHEUR_MODE, mode)
      .finish();
  std::vector<GraphPart> configs;
  if (!heuristics.is_supported()) return configs;
  constexpr auto kName = CUDNN_ATTR_ENGINEHEUR_RESULTS;
  constexpr auto kType = CUDNN_TYPE_BACKEND_DESCRIPTOR;
  std::vector<cudnnBackendDescriptor_t> to;
  for (int64_t n = heuristics.get(kName, kType, 0, nullptr); n > 0; --n)
    to.push_back(configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).get());
  if (to.empty()) return configs;
  const int64_t most = static_cast<int64_t>(to.size());
  const int64_t count = std::min(most, heuristics.get(kName, kType, most, to.data()));
  configs.erase(configs.begin() + count, configs.end());
  std::reverse(configs.begin(), configs.end());
  return configs;
}

/// Returns whether the rules allow the engine.
bool EnginePlans::allows(const GraphPart& config) const {
  GraphPart engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t to = engine.get();
  config.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &to);
  cudnnBackendNumericalNote_t notes[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
  const int64_t count =
      std::min<int64_t>(engine.get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                   CUDNN_NUMERICAL_NOTE_TYPE_COUNT, notes),
                        CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  return std::none_of(notes, notes + count, [&](cudnnBackendNumericalNote_t note) {
    if (note == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC) return rules_.only_deterministic;
    return rules_.only_full_f32 && (note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE ||
                                    note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
  });
}

/// Returns the last of configs_ that is allowed, or null.
const GraphPart* EnginePlans::next_config() {
  for (;;) {
    while (configs_.empty()) {
      if (modes_.empty()) return nullptr;
      configs_ = configs_of(modes_.back());
      modes_.pop_back();
    }
    if (allows(configs_.back())) return &configs_.back();
    configs_.pop_back();
  }
}

std::optional<EnginePlans::Plan> EnginePlans::plan_of(const GraphPart& config) const {
  Plan plan{GraphPart(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)};
  plan.part.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle_)
      .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config)
      .finish();
  if (!plan.part.is_supported()) return std::nullopt;
  plan.part.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &plan.nbytes);
  return plan;
}

/// Returns the next plan with little workspace. After all of them it returns the one with the least
/// workspace.
std::optional<EnginePlans::Plan> EnginePlans::next_plan() {
  const RelaxedCapture relaxed;  // making a plan may load or compile code
  while (const GraphPart* const config = next_config()) {
    std::optional<Plan> plan = plan_of(*config);
    configs_.pop_back();
    if (!plan) continue;
    if (plan->nbytes <= kMostBytes) return plan;
    large_.push_back(std::move(*plan));
  }
  if (large_.empty()) return std::nullopt;
  const auto least = std::min_element(large_.begin(), large_.end(),
                                      [](auto& a, auto& b) { return a.nbytes < b.nbytes; });
  std::optional<Plan> plan(std::move(*least));
  large_.erase(least);
  return plan;
}

bool EnginePlans::execute(const Plan& plan, const GraphMemory& memory) const {
  const Scratch<char> room(std::max<int64_t>(plan.nbytes, 1));
  GraphPart pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, memory.ids)
      .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, memory.data)
      .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, static_cast<void*>(room.get()))
      .finish();
  return pack.is_supported() &&
         TAPER_CUDNN_SUPPORTS(cudnnBackendExecute, handle_, plan.part.get(), pack.get());
}

/// Returns the time of the second run in milliseconds. It is infinite if the plan does not run.
float EnginePlans::time_of(const Plan& plan, const GraphMemory& memory) const {
  constexpr float kNever = std::numeric_limits<float>::infinity();
  if (plan.nbytes > kMostBytes || !execute(plan, memory)) return kNever;
  const Clock start, end;
  start.record();
  if (!execute(plan, memory)) return kNever;
  end.record();
  return end.milliseconds_since(start);
}

void EnginePlans::measure(const GraphMemory& memory) {
  for (Plan& p : plans_) p.ms = time_of(p, memory);
  while (plans_.size() < kMostMeasured) {
    std::optional<Plan> plan = next_plan();
    if (!plan) break;
    plans_.push_back(std::move(*plan));
    plans_.back().ms = time_of(plans_.back(), memory);
  }
  std::reverse(plans_.begin(), plans_.end());  // the last plan is used first
  std::stable_sort(plans_.begin(), plans_.end(), [](auto& a, auto& b) { return a.ms > b.ms; });
}

bool EnginePlans::run(const GraphMemory& memory) {
  if (rules_.measures && !is_measured_ && !is_capturing(kernel_stream())) {
    is_measured_ = true;
    measure(memory);
  }
  for (;;) {
    if (plans_.empty()) {
      std::optional<Plan> plan = next_plan();
      if (!plan) return false;
      plans_.push_back(std::move(*plan));
    }
    if (execute(plans_.back(), memory)) return true;
    plans_.pop_back();
  }
}

}  // namespace torch::taper::cuda
