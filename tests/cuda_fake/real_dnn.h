// The real cuDNN, which tests ask without a GPU whether it has engines for a graph.
#pragma once

#include <cudnn.h>
#include <dlfcn.h>

#include <map>
#include <string>
#include <vector>

#include "cuda_fake/dnn_graph.h"

namespace torch::taper::testing {

/// cuDNN, beside its fake: in a namespace of the dynamic linker of its own, with the toolkit's
/// stand-in of a driver. Without a device it knows engines by a description of one.
class RealCudnn {
 public:
  RealCudnn() {
    void* const driver = dlmopen(LM_ID_NEWLM, STUB_DRIVER_FILE, RTLD_NOW);
    if (!driver) {
      missing_ = dlerror();
      return;
    }
    Lmid_t space{};
    dlinfo(driver, RTLD_DI_LMID, &space);
    library_ = dlmopen(space, REAL_CUDNN_FILE, RTLD_NOW);
    if (!library_) missing_ = dlerror();
  }
  const std::string& missing() const { return missing_; }

  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(dlsym(library_, name));
  }
  std::string last_error() const {
    char text[512] = "";
    function<decltype(cudnnGetLastErrorString)>("cudnnGetLastErrorString")(text, sizeof text);
    return text;
  }

 private:
  void* library_ = nullptr;
  std::string missing_;
};
#define REAL(name, ...) real_.function<decltype(name)>(#name)(__VA_ARGS__)

/// What the fake was told of a graph, told to the real library, and how many engines it has for it.
class RealGraph {
 public:
  explicit RealGraph(const RealCudnn& real) : real_(real) {}
  ~RealGraph() {
    for (cudnnBackendDescriptor_t d : all_) REAL(cudnnBackendDestroyDescriptor, d);
  }
  RealGraph(const RealGraph&) = delete;
  RealGraph& operator=(const RealGraph&) = delete;

  int64_t engines(const fake_cuda::graphs::Part& graph, const std::string& device) {
    cudnnBackendDescriptor_t where = make(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR), g = tell(graph);
    set(where, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
        static_cast<int64_t>(device.size()), device.data());
    finish(where);
    cudnnBackendDescriptor_t h = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    const auto mode = CUDNN_HEUR_MODE_A;
    set(h, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &g);
    set(h, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    set(h, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &where);
    finish(h);
    return error_.empty() ? supported(h) : 0;
  }
  const std::string& error() const { return error_; }

 private:
  /// Heuristics give what is then checked: of 16 at most those that the device can have.
  int64_t supported(cudnnBackendDescriptor_t heuristics) {
    std::vector<cudnnBackendDescriptor_t> to(16);
    for (cudnnBackendDescriptor_t& d : to) d = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    int64_t count = 0;
    check(REAL(cudnnBackendGetAttribute, heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
               CUDNN_TYPE_BACKEND_DESCRIPTOR, 16, &count, to.data()));
    return count;
  }
  cudnnBackendDescriptor_t tell(const fake_cuda::graphs::Part& part) {
    if (const auto known = told_.find(&part); known != told_.end()) return known->second;
    cudnnBackendDescriptor_t d = make(part.type);
    for (const auto& [name, v] : part.values) {
      if (v.type == CUDNN_TYPE_HANDLE) continue;
      std::vector<cudnnBackendDescriptor_t> parts;
      for (const auto& p : v.parts) parts.push_back(tell(*p));
      set(d, static_cast<cudnnBackendAttributeName_t>(name), v.type, v.count,
          parts.empty() ? static_cast<const void*>(v.bytes.data()) : parts.data());
    }
    finish(d);
    return told_[&part] = d;
  }
  cudnnBackendDescriptor_t make(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t d = nullptr;
    check(REAL(cudnnBackendCreateDescriptor, type, &d));
    all_.push_back(d);
    return d;
  }
  void set(cudnnBackendDescriptor_t d, cudnnBackendAttributeName_t name,
           cudnnBackendAttributeType_t type, int64_t count, const void* values) {
    check(REAL(cudnnBackendSetAttribute, d, name, type, count, values));
  }
  void finish(cudnnBackendDescriptor_t d) { check(REAL(cudnnBackendFinalize, d)); }
  void check(cudnnStatus_t status) {
    if (status != CUDNN_STATUS_SUCCESS && error_.empty()) error_ = real_.last_error();
  }

  const RealCudnn& real_;
  std::vector<cudnnBackendDescriptor_t> all_;
  std::map<const fake_cuda::graphs::Part*, cudnnBackendDescriptor_t> told_;
  std::string error_;
};

/// An NVIDIA H100, as cuDNN writes devices down, or one of another capability.
inline std::string device_of(int capability) {
  const int shared = capability == 800 ? 166912 : capability == 1200 ? 101376 : 232448;
  return R"({"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],)"
         R"("regsPerBlock":65536,"multiProcessorCount":132,"warpSize":32,)"
         R"("maxSharedMemoryPerBlock":49152,"maxSharedMemoryPerBlockOptin":)" +
         std::to_string(shared) +
         R"(,"reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,"maxCtasPerSM":32,)"
         R"("maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,"pciDeviceId":0,"isTccDriver":0,)"
         R"("supportCoopLaunch":1,"totalGlobalMem":85000000000,"smClockRateKHz":1980000,)"
         R"("memClockRateKHz":2619000,"l2CacheSize":52428800,"cudaDeviceId":0,"deviceVer":)" +
         std::to_string(capability) + R"(,"driverVer":13000,"deviceName":"a GPU"})";
}

}  // namespace torch::taper::testing
