// Chains of pointwise kernels in captures of GPUs. Kernels of nvcc do not run here, but those of
// chains do: nvrtc.h has the host's compiler make them, from the very source. So what a replay
// gives is compared with the ops on the CPU, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/capture/graph.h>
#include <taper/framework/cuda/gpu/chain_kernels.h>
#include <taper/framework/fusion/fused_kernels.h>
#include <taper/framework/kernel/op_lists.h>
#include <taper/ops/elementwise/elementwise.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/tensor/tensor.h>

#include "cuda_fake/nvrtc.h"
#include "cuda_fake/util.h"

namespace torch::taper {
namespace {

using testing::in_own_process;
using testing::on_device;
using Tensors = std::vector<Tensor>;

/// Where kernels are kept, until the end of the scope.
class KernelFolder {
 public:
  KernelFolder() { setenv("XDG_CACHE_HOME", (folder_ / "").c_str(), 1); }
  ~KernelFolder() { setenv("XDG_CACHE_HOME", "/proc/nobody", 1); }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all;
    for (const auto& file : std::filesystem::directory_iterator(cuda::chain_kernels_folder()))
      all.push_back(file.path());
    return all;
  }

 private:
  const fake_nvrtc::Folder folder_;
};

const char kSource[] =
    "#include <taper/framework/cuda/chain.h>\n"
    "namespace torch::taper::chains { struct Arguments { long numel; }; }\n"
    "#ifdef __CUDACC__\nextern \"C\" __global__ void taper_chain(taper::chains::Arguments) {}\n"
    "#else\nextern \"C\" void taper_chain(const taper::chains::Arguments&) {}\n#endif\n";
size_t compilations() { return fake_nvrtc::state().sources.size(); }

TEST(FakeCudaChainKernels, AreKeptOnDisk) {
  in_own_process([] {
    fake_nvrtc::state().compiler = fake_nvrtc::Compiler::kNone;
    const KernelFolder folder;
    EXPECT_NE(cuda::chain_kernel(kSource, 0), nullptr) << cuda::why_not_fused();
    EXPECT_NE(cuda::chain_kernel(kSource, 1), nullptr);  // of the same architecture
    EXPECT_EQ(compilations(), 1u);
    ASSERT_EQ(folder.files().size(), 1u);
    const auto compiles_anew = [&] {
      cuda::forget_chain_kernels();
      const size_t before = compilations();
      EXPECT_NE(cuda::chain_kernel(kSource, 0), nullptr);
      EXPECT_EQ(folder.files().size(), 1u);  // and nothing that was begun
      return compilations() > before;
    };
    EXPECT_FALSE(compiles_anew());
    const std::filesystem::path file = folder.files()[0];
    const std::string whole = fake_nvrtc::text_of(file);
    const auto spoil = [&](std::string text) { std::ofstream(file, std::ios::binary) << text; };
    for (const size_t n : {size_t{0}, size_t{5}, size_t{60}, whole.size() - 1}) {
      spoil(whole.substr(0, n));
      EXPECT_TRUE(compiles_anew()) << n;
      EXPECT_FALSE(compiles_anew()) << n;
    }
    for (const size_t at : {size_t{3}, size_t{20}, size_t{100}, whole.size() - 9}) {
      std::string changed = whole;
      ++changed[at];
      spoil(changed);
      EXPECT_TRUE(compiles_anew()) << at;
    }
    spoil(whole + "x");
    EXPECT_TRUE(compiles_anew());
    // What another source would be kept in is another file.
    EXPECT_NE(cuda::chain_kernel(kSource + std::string(" "), 0), nullptr);
    EXPECT_EQ(folder.files().size(), 2u);
  });
}

TEST(FakeCudaChainKernels, NeedNoFolder) {
  in_own_process([] {
    fake_nvrtc::state().compiler = fake_nvrtc::Compiler::kNone;
    for (const char* folder : {"/proc/nobody", "relative", ""}) {
      setenv("XDG_CACHE_HOME", folder, 1);
      setenv("HOME", "/proc/nobody", 1);
      cuda::forget_chain_kernels();
      EXPECT_NE(cuda::chain_kernel(kSource, 0), nullptr) << cuda::why_not_fused();
    }
    EXPECT_EQ(compilations(), 3u);
    EXPECT_EQ(cuda::chain_kernels_folder(), "/proc/nobody/.cache/taper/kernels");
    unsetenv("HOME");
    EXPECT_EQ(cuda::chain_kernels_folder(), "");
  });
}

TEST(FakeCudaChainKernels, ThatCannotBeHadTellWhy) {
  in_own_process([] {
    fake_nvrtc::state().compiler = fake_nvrtc::Compiler::kNone;
    const auto expect_none = [](const char* function, const std::string& why) {
      cuda::forget_chain_kernels();
      const int64_t before = fake_cuda::live_objects("");
      fake_cuda::fail(function, 1, cudaErrorUnknown);
      EXPECT_EQ(cuda::chain_kernel(kSource, 0), nullptr) << function;
      EXPECT_NE(cuda::why_not_fused().find(why), std::string::npos) << cuda::why_not_fused();
      EXPECT_EQ(fake_cuda::live_objects(""), before) << function;
      EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << function;
    };
    for (const char* function :
         {"nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetCUBINSize", "nvrtcGetCUBIN"})
      expect_none(function, "NVRTC: NVRTC_ERROR_INTERNAL_ERROR for sm_90");
    for (const char* function :
         {"cudaDeviceGetAttribute", "cudaLibraryLoadData", "cudaLibraryGetKernel"})
      expect_none(function, std::string("(") + function);
    cuda::forget_chain_kernels();
    fake_nvrtc::state().compiler = fake_nvrtc::Compiler::kHost;
    EXPECT_EQ(cuda::chain_kernel("what is this?", 0), nullptr);
    EXPECT_NE(cuda::why_not_fused().find("NVRTC_ERROR_COMPILATION"), std::string::npos);
    EXPECT_NE(cuda::why_not_fused().find("what"), std::string::npos);  // the compiler's words
  });
}

TEST(FakeCudaChainKernels, AreOfTheVersionThatCompiledTheLibrary) {
  in_own_process([] {
    ++fake_nvrtc::state().minor;
    EXPECT_EQ(cuda::chain_kernel(kSource, 0), nullptr);
    EXPECT_NE(cuda::why_not_fused().find("expected NVRTC"), std::string::npos);
    EXPECT_EQ(compilations(), 0u);
  });
}

#if FAKE_CUDA_KERNELS

bool bits_equal(const Tensor& a, const Tensor& b) {
  const Tensor x = a.contiguous(), y = b.contiguous();
  return x.sizes() == y.sizes() && x.scalar_type() == y.scalar_type() &&
         std::memcmp(x.data_ptr(), y.data_ptr(), static_cast<size_t>(x.nbytes())) == 0;
}
size_t count_of(const std::string& what, const std::string& text) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}
size_t stores_of_last() { return count_of(", V> y", fake_nvrtc::state().sources.back()); }

/// Captures a step on the device, and replays it: its results and the inputs, which it may change,
/// are those of the step on the CPU.
template <class Step>
void expect_fused(const char* name, const Step& step, const Tensors& inputs, uint64_t chains = 1) {
  const NoGradGuard values_only;
  Tensors device, host;
  for (const Tensor& x : inputs) device.push_back(on_device(x)), host.push_back(x.clone());
  const uint64_t before = cuda::fused_kernels();
  Graph graph(Device(kCUDA, 0));
  Tensors results;
  {
    const GraphGuard guard(graph);
    results = step(device);
  }
  EXPECT_EQ(cuda::fused_kernels() - before, chains) << name << ": " << cuda::why_not_fused();
  graph.replay();
  const Tensors wanted = step(host);
  ASSERT_EQ(results.size(), wanted.size());
  for (size_t k = 0; k < wanted.size(); ++k)
    EXPECT_TRUE(bits_equal(results[k].cpu(), wanted[k])) << name << ": result " << k;
  for (size_t k = 0; k < host.size(); ++k)
    EXPECT_TRUE(bits_equal(device[k].cpu(), host[k])) << name << ": input " << k;
}

Tensor numbers(IntArrayRef sizes, ScalarType dtype = kFloat) { return randn(sizes).to(dtype); }

TEST(FakeCudaChains, GiveTheBitsOfTheOps) {
  in_own_process([] {
    for (const int64_t n : {3, 1003, 4096}) {
      expect_fused("arithmetic",
                   [](const Tensors& x) {
                     const Tensor kept = x[0] * x[1] + x[2];
                     return Tensors{(kept.relu() - x[0] * 3).div(x[1]), kept};
                   },
                   {numbers({n}), numbers({n}), numbers({n})});
      EXPECT_EQ(stores_of_last(), 2u);
    }
    expect_fused("f64 and integers",
                 [](const Tensors& x) {
                   const Tensor bits = x[0] > x[1];
                   return Tensors{where(bits, x[0] * x[1], x[1] - 2).neg(), bits.logical_not(),
                                  (x[2] + x[2]).bitwise_xor(x[2])};
                 },
                 {numbers({50, 7}, kDouble), numbers({50, 7}, kDouble), arange(350).view({50, 7})});
    // Each op rounds to 16 bits.
    for (const ScalarType t : {kHalf, kBFloat16})
      expect_fused("16 bits",
                   [](const Tensors& x) {
                     const Tensor product = x[0] * x[1] + x[1];
                     return Tensors{product.to(kFloat) * x[2], product.mul(1.7).clamp(-1, 2)};
                   },
                   {numbers({999}, t), numbers({999}, t), numbers({999})});
  });
}

TEST(FakeCudaChains, BroadcastAndStride) {
  in_own_process([] {
    const auto scaled = [](const Tensors& x) {
      return Tensors{((x[0] + x[1]) * x[2] - x[3]).relu()};
    };
    for (const int64_t cols : {64, 30})
      expect_fused("rows", scaled,
                   {numbers({5, 6, cols}), numbers({cols}), numbers({5, 1, 1}), numbers({})});
    expect_fused("channels", scaled,
                 {numbers({5, 6, 4, 4}), numbers({6, 1, 1}), numbers({5, 6, 4, 4}), numbers({1})});
    expect_fused("gaps",
                 [](const Tensors& x) {
                   const Tensor inside = x[0].narrow(1, 4, 8);
                   inside.add_(x[1]).mul_(inside);
                   return Tensors{inside.sub(x[1])};
                 },
                 {numbers({16, 20}), numbers({16, 8})});
    // Not of 16 bytes: packs are shorter.
    expect_fused("unaligned",
                 [](const Tensors& x) {
                   return Tensors{x[0].slice(0, 1) * x[1].slice(0, 2, 102) - x[1].slice(0, 2, 102)};
                 },
                 {numbers({101}), numbers({102})});
  });
}

TEST(FakeCudaChains, WriteWhatOthersSeeAndOnlyOnce) {
  in_own_process([] {
    expect_fused("in place",
                 [](const Tensors& x) {
                   x[0].add_(x[1]).mul_(x[1]).relu_();
                   return Tensors{};
                 },
                 {numbers({100}), numbers({100})});
    EXPECT_EQ(stores_of_last(), 1u);
    // The memory of what dies is another one's at once.
    expect_fused("memory that is used again",
                 [](const Tensors& x) {
                   Tensor y = x[0];
                   for (int i = 0; i < 8; ++i) y = y * x[1] + 1;
                   return Tensors{y};
                 },
                 {numbers({300}), numbers({300})});
    EXPECT_EQ(stores_of_last(), 1u);
    const auto long_one = [](const Tensors& x) {
      Tensor y = x[0];
      for (int i = 0; i < 40; ++i) y = y + x[1];
      return Tensors{y};
    };
    expect_fused("two kernels", long_one, {numbers({64}), numbers({64})}, 2);
  });
}

/// What comes before the chain is a copy, and what comes behind it another one.
TEST(FakeCudaChains, StandWhereTheirLaunchesStood) {
  in_own_process([] {
    const Tensor x = on_device(numbers({64})), to = on_device(zeros({64}));
    const Tensor host = numbers({64});
    const cuda::Stream side(Device(kCUDA, 0));
    const Tensor pinned = host.pin_memory();
    Graph graph(Device(kCUDA, 0));
    Tensor y;
    {
      const GraphGuard guard(graph);
      x.copy_(pinned, true);
      side.wait_stream(cuda::current_stream(0));
      {
        const cuda::StreamGuard on_side(side);
        y = x * x + x;
        to.copy_(y);
      }
      cuda::current_stream(0).wait_stream(side);
    }
    EXPECT_EQ(cuda::fused_kernels(), 1u) << cuda::why_not_fused();
    graph.replay();
    EXPECT_TRUE(bits_equal(y.cpu(), host * host + host));
  });
}

// A kernel of the program's reads a tensor which is gone afterwards.
TEST(FakeCudaChains, LeaveMemoryToKernelsOfTheProgram) {
  in_own_process([] {
    fake_nvrtc::state().compiler = fake_nvrtc::Compiler::kNone;
    const Tensor x = on_device(numbers({64}));
    for (const bool own : {false, true}) {
      Graph graph(Device(kCUDA, 0));
      Tensor y;
      {
        const GraphGuard guard(graph);
        Tensor seen = x * 2;
        y = seen + 1;
        if (own) {
          const auto stream = static_cast<cudaStream_t>(cuda::current_stream(0).native_handle());
          ASSERT_EQ(cudaLaunchKernel(&stream, dim3(1), dim3(32), nullptr, 0, stream), cudaSuccess);
        }
        seen = Tensor();
        y = y * 3;
      }
      EXPECT_EQ(stores_of_last(), own ? 2u : 1u);
    }
    EXPECT_EQ(cuda::fused_kernels(), 2u) << cuda::why_not_fused();
  });
}

TEST(FakeCudaChains, AreNotMadeWhereNobodyWantsThem) {
  in_own_process([] {
    fake_nvrtc::state().compiler = fake_nvrtc::Compiler::kNone;
    const Tensor x = on_device(numbers({64}));
    const auto capture = [&] {
      Graph graph(Device(kCUDA, 0));
      Tensor y;
      const GraphGuard guard(graph);
      y = x * 2 + 1;
    };
    cuda::set_fuses_pointwise(false);
    capture();
    EXPECT_EQ(fake_cuda::calls("cudaStreamGetCaptureInfo"), 0u);
    cuda::set_fuses_pointwise(true);
    EXPECT_THROW(
        {
          Graph graph(Device(kCUDA, 0));
          const GraphGuard guard(graph);
          (x * 2 + 1).cpu();
        },
        Error);
    EXPECT_EQ(compilations(), 0u);
    const auto expect_launches = [&](const char* function, int n) {
      cuda::forget_chain_kernels();
      fake_cuda::fail(function, n, cudaErrorUnknown);
      capture();
      EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << function;
      EXPECT_EQ(cuda::fused_kernels(), 0u) << function;
    };
    for (const char* function : {"cudaStreamGetCaptureInfo", "cudaGraphGetNodes",
                                 "cudaGraphNodeGetDependencies", "cudaGraphNodeGetDependentNodes"})
      for (const int n : {1, 2}) expect_launches(function, n);
    for (const char* function : {"cudaGraphKernelNodeSetParams", "cudaLibraryLoadData"})
      expect_launches(function, 1);
    cuda::forget_chain_kernels();
    capture();
    EXPECT_EQ(cuda::fused_kernels(), 1u) << cuda::why_not_fused();
    EXPECT_EQ(fake_cuda::live().graphs, 0);
  });
}

TEST(FakeCudaChains, AGraphThatIsHalfChangedIsNoGraph) {
  in_own_process([] {
    fake_nvrtc::state().compiler = fake_nvrtc::Compiler::kNone;
    const Tensor x = on_device(numbers({64}));
    const auto capture = [&] {
      Graph graph(Device(kCUDA, 0));
      const GraphGuard guard(graph);
      x.copy_(x.clone());
      (void)(x * 2 + 1);
    };
    fake_cuda::fail("cudaGraphDestroyNode", 1, cudaErrorUnknown);
    const std::string message = testing::message_of(capture);
    EXPECT_NE(message.find("cudaGraphDestroyNode"), std::string::npos) << message;
    EXPECT_EQ(fake_cuda::live().graphs, 0);
    EXPECT_EQ(fake_cuda::live().graph_execs, 0);
  });
}

// ---------------------------------------------------------------------- by the real NVRTC
/// The instructions of machine code; empty where nobody can read it.
std::string instructions_of(const std::string& code) {
  const char* const tool = std::getenv("CUOBJDUMP");
  const fake_nvrtc::Folder folder;
  std::ofstream(folder / "chain.cubin", std::ios::binary) << code;
  const std::string command = std::string(tool ? tool : "cuobjdump") + " -sass " +
                              (folder / "chain.cubin").string() + " > " +
                              (folder / "sass").string() + " 2> " + (folder / "log").string();
  return std::system(command.c_str()) == 0 ? fake_nvrtc::text_of(folder / "sass") : "";
}

/// The step's launches become kernels of the real NVRTC.
template <class Step>
void expect_compiled(const char* name, const Step& step, const Tensors& inputs) {
  const uint64_t before = cuda::fused_kernels();
  Tensors device, results;
  for (const Tensor& x : inputs) device.push_back(on_device(x).requires_grad_(x.requires_grad()));
  Graph graph(Device(kCUDA, 0));
  {
    const GraphGuard guard(graph);
    results = step(device);
  }
  EXPECT_GT(cuda::fused_kernels(), before) << name;
  EXPECT_EQ(cuda::why_not_fused(), "") << name;
}

Tensors functions_of_one(const Tensors& in) {
#define FUNCTION(name, kind) in[0].name(),
  return {TAPER_UNARY_OPS(FUNCTION) in[0].clamp(-1, 1)};
#undef FUNCTION
}
Tensors functions_of_several(const Tensors& in) {
  const Tensor &a = in[0], &b = in[1];
  return {where(a > b, a, b),
          a + b,
          a - b,
          a * b,
          a / b,
          a.div(b, "trunc"),
          a.div(b, "floor"),
          a.remainder(b),
          a.fmod(b),
          a.pow(b),
          a.pow(3),
          a.pow(-2),
          a.atan2(b),
          a.copysign(b),
          a.maximum(b),
          a.minimum(b),
          a.logical_and(b),
          a.logical_or(b),
          a == b,
          a<b, a>
              b,
          a >= b,
          a.add(b, 2),
          a.lerp(b, 0.3),
          a.lerp(b, a),
          addcmul(a, a, b, 2),
          addcdiv(a, a, b, 2),
          a.clamp(b, a)};
}
/// Activations, and what goes back through them.
Tensors activations(const Tensors& in) {
  const Tensor &x = in[0], &g = in[1];
  const Tensors y = {leaky_relu(x),      elu(x),         gelu(x),
                     gelu(x, "tanh"),    silu(x),        mish(x),
                     softplus(x),        hardtanh(x),    hardsigmoid(x),
                     hardswish(x),       hardshrink(x),  softshrink(x),
                     threshold(x, 1, 2), log_sigmoid(x), logit(x, 0.1)};
  Tensors all = y;
  for (const Tensor& one : y) all.push_back(autograd::grad({one}, {x}, {g})[0]);
  return all;
}

TEST(FakeCudaChains, OfAllFunctorsAreCompiledByTheRealNvrtc) {
  if (!fake_nvrtc::real<decltype(nvrtcVersion)>("nvrtcVersion"))
    GTEST_SKIP() << "not run: there is no " << REAL_NVRTC_FILE;
  in_own_process([] {
    fake_nvrtc::state().compiler = fake_nvrtc::Compiler::kReal;
    const Tensor a = numbers({4096}), b = numbers({4096});
    {
      const NoGradGuard values_only;
      expect_compiled("arithmetic",
                      [](const Tensors& x) { return Tensors{(x[0] * x[1] + x[0]) * x[1] - x[0]}; },
                      {a, b});
      const std::string sass = instructions_of(fake_nvrtc::state().last_code);
      if (sass.empty()) {
        std::fprintf(stderr, "not read: machine code, cuobjdump is not installed\n");
      } else {
        EXPECT_EQ(count_of("LDG.E.128", sass), 2u) << sass;
        EXPECT_EQ(count_of("STG.E.128", sass), 1u) << sass;
        EXPECT_EQ(count_of("FFMA", sass), 0u) << sass;  // a product and a sum round twice
        EXPECT_EQ(count_of("FMUL", sass), 2u * 5) << sass;
      }
      expect_compiled("functions of one", functions_of_one, {a});
      expect_compiled("functions of several", functions_of_several, {a, b});
      expect_compiled("16 bits", functions_of_several, {a.to(kBFloat16), b.to(kBFloat16)});
    }
    expect_compiled("activations", activations, {a.clone().requires_grad_(), b});
    std::string all;
    for (const std::string& source : fake_nvrtc::state().sources) all += source;
    for (const char* functor : {"exp",
                                "expm1",
                                "log1p",
                                "rsqrt",
                                "asin",
                                "atanh",
                                "erfc",
                                "relu",
                                "neg",
                                "frac",
                                "reciprocal",
                                "sigmoid",
                                "isinf",
                                "Clamp<float>",
                                "div_trunc",
                                "div_floor",
                                "remainder",
                                "pow",
                                "power_3",
                                "power_minus_2",
                                "copysign",
                                "minimum",
                                "logical_or",
                                "ge",
                                "add_scaled<float>",
                                "lerp_number<float>",
                                "lerp",
                                "addcmul<float>",
                                "addcdiv<float>",
                                "clamp_between",
                                "Choose",
                                "Value<torch::taper::functor::Gelu<float> >",
                                "Slope<torch::taper::functor::Gelu<float> >",
                                "Slope<torch::taper::functor::Logit<float> >"})
      EXPECT_NE(all.find("torch::taper::functor::" + std::string(functor)), std::string::npos)
          << functor;
  });
}

#endif

}  // namespace
}  // namespace torch::taper
