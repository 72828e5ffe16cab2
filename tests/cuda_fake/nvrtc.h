// NVRTC, and the kernels that are loaded from what it makes. There is no GPU's compiler here: the
// host's compiles the same source, with the same headers, into a library whose kernel a
// graph's launch then calls. Or the real NVRTC is called, or nobody, and nothing runs. To be
// included once in a program.
#pragma once

#include <dlfcn.h>
#include <nvrtc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cuda_fake/state.h"

extern "C" void* __real_dlopen(const char* file, int flags);

namespace fake_nvrtc {

enum class Compiler { kHost, kReal, kNone };

struct State {
  int major = CUDART_VERSION / 1000, minor = CUDART_VERSION % 1000 / 10;
  Compiler compiler = Compiler::kHost;
  std::vector<std::string> sources;  ///< that were compiled
  std::vector<std::string> options;  ///< of the last one
  std::string last_code;             ///< machine code of the last one
};
inline State& state() {
  static State& s = *new State;
  return s;
}

/// A function of the real library.
template <class F>
F* real(const char* name) {
  static void* const library = __real_dlopen(REAL_NVRTC_FILE, RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<F*>(dlsym(library, name)) : nullptr;
}

struct Program {
  std::string source, code, log;
  std::vector<std::string> names, texts;
};
struct Library {
  void* handle = nullptr;  // null: of machine code
  void (*run)(const void*) = nullptr;
  size_t nbytes = 0;  // of its argument
};
constexpr char kHead[] = "code of the host";

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// In a folder that is gone afterwards.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/taper_nvrtc_XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() {
    std::error_code failed;
    std::filesystem::remove_all(path_, failed);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline nvrtcResult compile_on_host(Program& p) {
  const Folder folder;
  for (size_t i = 0; i < p.names.size(); ++i) {  // but what stands for the standard library's
    const std::filesystem::path file = folder / p.names[i].c_str();
    if (p.names[i].find('/') == std::string::npos) continue;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << p.texts[i];
  }
  std::ofstream(folder / "chain.cpp") << p.source
                                      << "extern \"C\" const unsigned long taper_chain_nbytes = "
                                         "sizeof(taper::chains::Arguments);\n";
  const std::string at = (folder / "").string();
  const std::string command =
      HOST_COMPILER " -std=c++20 -O0 -ffp-contract=off -shared -fPIC -w -include string_view -I" +
      at + " -I" TAPER_INCLUDE " -o " + at + "chain.so " + at + "chain.cpp 2> " + at + "log";
  const bool done = std::system(command.c_str()) == 0;
  p.log = text_of(folder / "log");
  const std::string code = text_of(folder / "chain.so");
  if (done) p.code = kHead + std::to_string(code.size()) + "\n" + code;
  return done ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

inline nvrtcResult compile_really(Program& p, int count, const char* const* options) {
  std::vector<const char*> names, texts;
  for (const std::string& name : p.names) names.push_back(name.c_str());
  for (const std::string& text : p.texts) texts.push_back(text.c_str());
  nvrtcProgram made = nullptr;
  size_t size = 0;
  nvrtcResult r = real<decltype(nvrtcCreateProgram)>("nvrtcCreateProgram")(
      &made, p.source.c_str(), "chain.cu", static_cast<int>(names.size()), texts.data(),
      names.data());
  if (r == NVRTC_SUCCESS)
    r = real<decltype(nvrtcCompileProgram)>("nvrtcCompileProgram")(made, count, options);
  real<decltype(nvrtcGetProgramLogSize)>("nvrtcGetProgramLogSize")(made, &size);
  p.log.resize(size);
  real<decltype(nvrtcGetProgramLog)>("nvrtcGetProgramLog")(made, p.log.data());
  if (r == NVRTC_SUCCESS) {
    real<decltype(nvrtcGetCUBINSize)>("nvrtcGetCUBINSize")(made, &size);
    p.code.resize(size);
    real<decltype(nvrtcGetCUBIN)>("nvrtcGetCUBIN")(made, p.code.data());
  }
  real<decltype(nvrtcDestroyProgram)>("nvrtcDestroyProgram")(&made);
  return r;
}

/// A call of NVRTC, counted: it fails where a test has planned that, or does `body`.
template <class Body>
nvrtcResult entry(const char* function, const Body& body) {
  const std::lock_guard<std::recursive_mutex> lock(fake_cuda::state().mutex);
  return fake_cuda::begin(function) == cudaSuccess ? body() : NVRTC_ERROR_INTERNAL_ERROR;
}
inline Program* program_of(nvrtcProgram p) { return reinterpret_cast<Program*>(p); }

}  // namespace fake_nvrtc

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
  return fake_nvrtc::entry("nvrtcVersion", [&] {
    *major = fake_nvrtc::state().major, *minor = fake_nvrtc::state().minor;
    return NVRTC_SUCCESS;
  });
}
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char*, int n,
                               const char* const* texts, const char* const* names) {
  return fake_nvrtc::entry("nvrtcCreateProgram", [&] {
    auto* const made =
        new fake_nvrtc::Program{source, "", "", {names, names + n}, {texts, texts + n}};
    fake_cuda::state().objects[made] = {"program of NVRTC", -1};
    *program = reinterpret_cast<nvrtcProgram>(made);
    return NVRTC_SUCCESS;
  });
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int n, const char* const* options) {
  return fake_nvrtc::entry("nvrtcCompileProgram", [&] {
    fake_nvrtc::Program& p = *fake_nvrtc::program_of(program);
    fake_nvrtc::State& s = fake_nvrtc::state();
    s.sources.push_back(p.source);
    s.options.assign(options, options + n);
    nvrtcResult r = NVRTC_SUCCESS;
    if (s.compiler == fake_nvrtc::Compiler::kReal)
      r = fake_nvrtc::compile_really(p, n, options);
    else if (s.compiler == fake_nvrtc::Compiler::kHost)
      r = fake_nvrtc::compile_on_host(p);
    else
      p.code = "\177ELF of " + p.source;
    s.last_code = p.code;
    return r;
  });
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  return fake_nvrtc::entry("nvrtcDestroyProgram", [&] {
    fake_cuda::state().objects.erase(*program);
    delete fake_nvrtc::program_of(*program);
    *program = nullptr;
    return NVRTC_SUCCESS;
  });
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size) {
  return fake_nvrtc::entry("nvrtcGetCUBINSize", [&] {
    *size = fake_nvrtc::program_of(program)->code.size();
    return NVRTC_SUCCESS;
  });
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* code) {
  return fake_nvrtc::entry("nvrtcGetCUBIN", [&] {
    const std::string& made = fake_nvrtc::program_of(program)->code;
    std::memcpy(code, made.data(), made.size());
    return NVRTC_SUCCESS;
  });
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size) {
  return fake_nvrtc::entry("nvrtcGetProgramLogSize", [&] {
    *size = fake_nvrtc::program_of(program)->log.size() + 1;
    return NVRTC_SUCCESS;
  });
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  return fake_nvrtc::entry("nvrtcGetProgramLog", [&] {
    std::strcpy(log, fake_nvrtc::program_of(program)->log.c_str());
    return NVRTC_SUCCESS;
  });
}
const char* nvrtcGetErrorString(nvrtcResult r) {
  return r == NVRTC_ERROR_COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_INTERNAL_ERROR";
}

// ---------------------------------------------------------------------- loaded kernels
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned, cudaLibraryOption*, void**, unsigned) {
  return fake_cuda::entry("cudaLibraryLoadData", [&] {
    auto* const made = new fake_nvrtc::Library;
    const char* const bytes = static_cast<const char*>(code);
    if (!std::strncmp(bytes, fake_nvrtc::kHead, std::strlen(fake_nvrtc::kHead))) {
      char* end = nullptr;
      const size_t n = std::strtoul(bytes + std::strlen(fake_nvrtc::kHead), &end, 10);
      const fake_nvrtc::Folder folder;
      std::ofstream(folder / "chain.so", std::ios::binary).write(end + 1, static_cast<long>(n));
      made->handle = __real_dlopen((folder / "chain.so").c_str(), RTLD_NOW | RTLD_LOCAL);
      made->run = reinterpret_cast<void (*)(const void*)>(dlsym(made->handle, "taper_chain"));
      made->nbytes = *static_cast<unsigned long*>(dlsym(made->handle, "taper_chain_nbytes"));
    } else if (std::strncmp(bytes, "\177ELF", 4) != 0) {
      delete made;
      return cudaErrorInvalidKernelImage;
    }
    fake_cuda::state().objects[made] = {"library of kernels", -1};
    *library = reinterpret_cast<cudaLibrary_t>(made);
    return cudaSuccess;
  });
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return fake_cuda::entry("cudaLibraryUnload", [&] {
    if (!fake_cuda::state().objects.erase(library))
      return fake_cuda::violation("the end of no library of kernels", cudaErrorInvalidValue);
    delete reinterpret_cast<fake_nvrtc::Library*>(library);
    return cudaSuccess;
  });
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return fake_cuda::entry("cudaLibraryGetKernel", [&] {
    if (std::string(name) != "taper_chain") return cudaErrorSymbolNotFound;
    *kernel = reinterpret_cast<cudaKernel_t>(library);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  return fake_cuda::entry("cudaGraphKernelNodeSetParams", [&] {
    if (!node->is_kernel || !fake_cuda::state().objects.count(p->func) || p->gridDim.x == 0)
      return fake_cuda::violation("a node of no kernel", cudaErrorInvalidValue);
    const auto* const library = static_cast<const fake_nvrtc::Library*>(p->func);
    const char* const bytes = static_cast<const char*>(p->kernelParams[0]);
    node->run = [run = library->run, argument = std::vector<char>(bytes, bytes + library->nbytes)] {
      if (run) run(argument.data());
    };
    return cudaSuccess;
  });
}

}  // extern "C"
