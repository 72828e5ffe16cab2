#include <taper/framework/cuda/gpu/chain_kernels.h>

#include <dlfcn.h>
#include <nvrtc.h>
#include <unistd.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>

#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/fusion/fused_kernels.h>

namespace torch::taper::cuda {
namespace {

// ---------------------------------------------------------------------- what NVRTC is given
/// Names a header as sources include it, and holds its text.
struct Header {
  const char *name, *text;
};
const Header kHeaders[] = {
#include TAPER_KERNEL_HEADERS
    {"cmath", "#include <type_traits>"},
    {"cstdint", "#include <type_traits>"},
    {"cstring", "#include <type_traits>"},
    {"iosfwd", "#include <type_traits>"},
    {"limits", "#include <type_traits>"},
    {"utility", "#include <type_traits>"},
    // These headers declare host functions only.
    {"taper/framework/core/check.h", ""},
    {"taper/framework/kernel/dispatch.h", "#define TAPER_KERNEL(...)\n"}};

/// Returns nvcc's default options, so that NVRTC compiles as nvcc compiles the library's kernels.
std::vector<std::string> options_for(const std::string& architecture) {
  return {"--gpu-architecture=" + architecture,
          "--std=c++20",
          "--fmad=true",
          "--ftz=false",
          "--prec-div=true",
          "--prec-sqrt=true",
          "--device-as-default-execution-space",  // standard functions have no marks
          "--diag-suppress=161"};                 // the headers have GCC's pragmas
}

/// Computes the hash FNV-1a.
uint64_t hash_of(const std::string& text, uint64_t h = 14695981039346656037u) {
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}
uint64_t hash_of_headers() {
  static const uint64_t known = [] {
    uint64_t h = hash_of("");
    for (const Header& header : kHeaders) h = hash_of(header.text, hash_of(header.name, h));
    return h;
  }();
  return known;
}

/// Returns everything that the machine code depends on.
std::string key_of(const std::string& source, const std::string& architecture) {
  std::string key = "NVRTC " + std::to_string(CUDART_VERSION);
  for (const std::string& option : options_for(architecture)) key += " " + option;
  return key + " headers " + std::to_string(hash_of_headers()) + "\n" + source;
}

// ---------------------------------------------------------------------- why not
struct Reason {
  std::mutex mutex;
  std::string text;
};
Reason& reason() {
  static Reason& r = *new Reason;
  return r;
}
void note_reason(std::string text) {
  const std::lock_guard<std::mutex> lock(reason().mutex);
  reason().text = std::move(text);
}

// ---------------------------------------------------------------------- NVRTC
struct Nvrtc {
  decltype(&nvrtcVersion) version = nullptr;
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcGetCUBINSize) code_size = nullptr;
  decltype(&nvrtcGetCUBIN) code = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetErrorString) words = nullptr;
  std::string why_not;
};

template <class F>
bool find(void* library, const char* name, F& f) {
  f = reinterpret_cast<F>(dlsym(library, name));
  return f != nullptr;
}

/// Opens exactly the version that compiled the library's kernels. Another version may compute
/// functions and choose fused multiply-adds differently.
Nvrtc open_nvrtc() {
  Nvrtc n;
  const std::string file = "libnvrtc.so." + std::to_string(CUDART_VERSION / 1000);
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const words = dlerror();
    n.why_not = detail::concat("expected ", file, ", which compiles kernels at run time: ",
                               words ? words : "it could not be loaded",
                               "; install it, or add its folder to LD_LIBRARY_PATH");
    return n;
  }
  int major = 0, minor = 0;
  if (!(find(library, "nvrtcVersion", n.version) && find(library, "nvrtcCreateProgram", n.create) &&
        find(library, "nvrtcCompileProgram", n.compile) &&
        find(library, "nvrtcDestroyProgram", n.destroy) &&
        find(library, "nvrtcGetCUBINSize", n.code_size) && find(library, "nvrtcGetCUBIN", n.code) &&
        find(library, "nvrtcGetProgramLogSize", n.log_size) &&
        find(library, "nvrtcGetProgramLog", n.log) &&
        find(library, "nvrtcGetErrorString", n.words)))
    n.why_not = detail::concat(file, " lacks a function that Taper calls");
  else if (n.version(&major, &minor) != NVRTC_SUCCESS ||
           major * 1000 + minor * 10 != CUDART_VERSION)
    n.why_not = detail::concat("expected NVRTC ", CUDART_VERSION / 1000, ".",
                               CUDART_VERSION % 1000 / 10, ", by which bits are those of the ",
                               "library's kernels, got ", major, ".", minor);
  return n;
}
const Nvrtc& nvrtc() {
  static const Nvrtc& found = *new Nvrtc(open_nvrtc());
  return found;
}

/// Compiles a source. Returns the machine code, or an empty text.
std::string compiled(const std::string& source, const std::string& architecture) {
  const Nvrtc& n = nvrtc();
  if (!n.why_not.empty()) return note_reason(n.why_not), "";
  std::vector<const char*> names, texts, options;
  for (const Header& h : kHeaders) names.push_back(h.name), texts.push_back(h.text);
  const std::vector<std::string> all = options_for(architecture);
  for (const std::string& option : all) options.push_back(option.c_str());
  nvrtcProgram program = nullptr;
  nvrtcResult status = n.create(&program, source.c_str(), "taper_chain.cu",
                                static_cast<int>(names.size()), texts.data(), names.data());
  std::string log, code;
  size_t size = 0;
  if (status == NVRTC_SUCCESS) {
    status = n.compile(program, static_cast<int>(options.size()), options.data());
    if (status != NVRTC_SUCCESS && n.log_size(program, &size) == NVRTC_SUCCESS) {
      log.resize(size);
      if (n.log(program, log.data()) != NVRTC_SUCCESS) log.clear();
      log.resize(std::strlen(log.c_str()));
    }
    if (status == NVRTC_SUCCESS) status = n.code_size(program, &size);
    if (status == NVRTC_SUCCESS) {
      code.resize(size);
      status = n.code(program, code.data());
    }
    (void)n.destroy(&program);
  }
  if (status == NVRTC_SUCCESS && !code.empty()) return code;
  note_reason(detail::concat("NVRTC: ", n.words(status), " for ", architecture, "\n", log));
  return "";
}

// ---------------------------------------------------------------------- on disk
constexpr char kHeadOfFile[] = "taper kernel 1 %zu %zu %016" PRIx64 "\n";

std::filesystem::path file_of(const std::string& key) {
  const std::string folder = chain_kernels_folder();
  if (folder.empty()) return {};
  char name[48];
  std::snprintf(name, sizeof name, "%016" PRIx64 "%016" PRIx64, hash_of(key),
                hash_of(key, hash_of("taper")));
  return std::filesystem::path(folder) / name;
}

/// Reads the machine code for the key. Returns an empty text if the file has another key, or is cut
/// or damaged.
std::string read_code(const std::filesystem::path& path, const std::string& key) {
  std::ifstream file(path, std::ios::binary);
  std::string head;
  if (!file || !std::getline(file, head)) return "";
  size_t key_size = 0, code_size = 0;
  uint64_t hash = 0;
  if (std::sscanf((head + "\n").c_str(), "taper kernel 1 %zu %zu %" SCNx64, &key_size, &code_size,
                  &hash) != 3)
    return "";
  const std::string rest{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (key_size != key.size() || rest.size() - key_size != code_size || code_size == 0 ||
      rest.compare(0, key_size, key) != 0)
    return "";
  const std::string code = rest.substr(key_size);
  return hash_of(code) == hash ? code : "";
}

/// Writes a file completely or not at all, because other processes may read or write it. If the
/// folder cannot be written, the next process compiles again.
void write_code(const std::filesystem::path& path, const std::string& key,
                const std::string& code) {
  static std::atomic<int> written{0};
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  const std::filesystem::path part = detail::concat(path.string(), ".", getpid(), ".", ++written);
  char head[96];
  std::snprintf(head, sizeof head, kHeadOfFile, key.size(), code.size(), hash_of(code));
  {
    std::ofstream file(part, std::ios::binary);
    file << head << key << code;
    file.close();
    if (file) std::filesystem::rename(part, path, failed);
    if (file && !failed) return;
  }
  std::filesystem::remove(part, failed);
}

std::string machine_code(const std::string& source, const std::string& architecture) {
  const std::string key = key_of(source, architecture);
  const std::filesystem::path path = file_of(key);
  std::string code = path.empty() ? "" : read_code(path, key);
  if (!code.empty()) return code;
  code = compiled(source, architecture);
  if (!code.empty() && !path.empty()) write_code(path, key, code);
  return code;
}

// ---------------------------------------------------------------------- loaded kernels
struct Loaded {
  std::mutex mutex;
  std::map<std::string, cudaKernel_t> kernels;  // by architecture and source; null if unusable
};
Loaded& loaded() {
  static Loaded& all = *new Loaded;
  return all;
}

/// Notes the text of `status`, and clears an error of CUDA that no one else would query.
bool is_well(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return true;
  (void)cudaGetLastError();
  note_reason(detail::concat("CUDA error: ", cudaGetErrorString(status), " (", call, ")"));
  return false;
}

std::string architecture_of(DeviceIndex device) {
  int major = 0, minor = 0;
  const bool known =
      is_well(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
              "cudaDeviceGetAttribute") &&
      is_well(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
              "cudaDeviceGetAttribute");
  return known ? detail::concat("sm_", major, minor) : "";
}

cudaKernel_t load(const std::string& code) {
#if CUDART_VERSION >= 12080
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  if (!is_well(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
               "cudaLibraryLoadData"))
    return nullptr;
  if (is_well(cudaLibraryGetKernel(&kernel, library, "taper_chain"), "cudaLibraryGetKernel"))
    return kernel;
  (void)cudaLibraryUnload(library);
#else
  (void)code;
  note_reason("expected a build with CUDA 12.8 or later, which can load kernels at run time");
#endif
  return nullptr;
}

}  // namespace

cudaKernel_t chain_kernel(const std::string& source, DeviceIndex device) {
  const std::string architecture = architecture_of(device);
  if (architecture.empty()) return nullptr;
  Loaded& all = loaded();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto known = all.kernels.find(architecture + source);
  if (known != all.kernels.end()) return known->second;
  const std::string code = machine_code(source, architecture);
  const RelaxedCapture relaxed;
  cudaKernel_t const kernel = code.empty() ? nullptr : load(code);
  return all.kernels[architecture + source] = kernel;
}

std::string why_not_fused() {
  const std::lock_guard<std::mutex> lock(reason().mutex);
  return reason().text;
}

std::string chain_kernels_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && cache[0] == '/')
    return std::string(cache) + "/taper/kernels";
  if (const char* home = std::getenv("HOME"); home && home[0] == '/')
    return std::string(home) + "/.cache/taper/kernels";
  return "";
}

void forget_chain_kernels() {
  const std::lock_guard<std::mutex> lock(loaded().mutex);
  loaded().kernels.clear();
  note_reason("");
}

}  // namespace torch::taper::cuda
