// A tool for NVTX in the program itself, which is the library without a name that the first range
// is told to look into: it keeps the names of ranges. To be included once in a program.
#pragma once

#ifdef TAPER_WITH_NVTX
#include <nvtx3/nvToolsExt.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace {
const int is_told = ::setenv("NVTX_INJECTION64_PATH", "", 1);
std::mutex nvtx_mutex;
std::vector<std::string> nvtx_ranges;
int push_range(const char* name) {
  const std::lock_guard<std::mutex> lock(nvtx_mutex);
  nvtx_ranges.push_back(name);
  return 0;
}
int pop_range() { return push_range("end"); }
}  // namespace
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  NvtxFunctionTable functions = nullptr;
  unsigned size = 0;
  static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS))
      ->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &size);
  *functions[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push_range);
  *functions[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop_range);
  return 1;
}
#endif
