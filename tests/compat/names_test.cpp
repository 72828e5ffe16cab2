// LibTorch's names mean taper's things, however a program reaches them.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/Logging.h>
#include <c10/util/Optional.h>
#include <c10/util/StringUtil.h>
#include <c10/util/complex.h>
#include <c10/util/flat_hash_map.h>
#include <c10/util/irange.h>
#include <c10/util/tempfile.h>
#include <torch/csrc/autograd/functions/comm.h>
#include <torch/csrc/cuda/comm.h>
#include <torch/csrc/utils/tensor_flatten.h>
#include <torch/csrc/utils/variadic.h>
#include <torch/detail/static.h>
#include <torch/nn/parallel/data_parallel.h>
#include <torch/script.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <future>
#include <map>
#include <set>
#include <sstream>
#include <type_traits>
#include <vector>

#include "harness/devices.h"

namespace torch {
/// A program's own helper: the namespace can be reopened.
inline int64_t rows_of(const Tensor& t) { return t.size(0); }
}  // namespace torch

namespace {

namespace nested {
// Both at once, as programs do, are not ambiguous.
using namespace torch;
using namespace at;
using Same = Tensor;
using Index = indexing::TensorIndex;
}  // namespace nested

static_assert(std::is_same_v<torch::Tensor, taper::Tensor>);
static_assert(std::is_same_v<at::Tensor, taper::Tensor>);
static_assert(std::is_same_v<nested::Same, taper::Tensor>);
static_assert(std::is_same_v<c10::Error, taper::Error>);
static_assert(std::is_same_v<c10::optional<int>, std::optional<int>>);
static_assert(std::is_same_v<c10::string_view, std::string_view>);
static_assert(std::is_same_v<c10::ArrayRef<int>, taper::ArrayRef<int>>);
static_assert(std::is_same_v<caffe2::TypeMeta, taper::TypeMeta>);
static_assert(std::is_same_v<at::scalar_value_type<c10::complex<float>>::type, float>);
static_assert(std::is_same_v<at::scalar_value_type<std::complex<double>>::type, double>);
static_assert(std::is_same_v<c10::scalar_value_type<at::Half>::type, at::Half>);
static_assert(torch::kFloat == at::kFloat && c10::kCPU == torch::kCPU);
static_assert(TORCH_VERSION_MAJOR == 1 && TORCH_VERSION_MINOR == 13);

template <class E, class F>
std::string thrown(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing";
}

struct Vocabulary : torch::CustomClassHolder {
  explicit Vocabulary(bool* gone) : gone(gone) {}
  ~Vocabulary() override { *gone = true; }
  bool* gone;
};

TEST(CompatNames, AProgramsOwnClassIsHeldIntrusively) {
  bool gone = false;
  auto words = c10::make_intrusive<Vocabulary>(&gone);
  c10::intrusive_ptr<torch::CustomClassHolder> held = words;
  words.reset();
  EXPECT_FALSE(gone);
  EXPECT_EQ(held.use_count(), 1u);
  held.reset();
  EXPECT_TRUE(gone);
}

// What LibTorch answers for one; what needs a tensor throws.
TEST(CompatNames, AnUndefinedTensorAnswersWhatItIs) {
  const torch::Tensor none;
  EXPECT_EQ(none.numel(), 0);
  EXPECT_EQ(torch::numel(none), 0);
  EXPECT_EQ(none.dim(), 1);
  EXPECT_EQ(none.size(0), 0);
  EXPECT_EQ(none.size(-1), 0);
  EXPECT_THROW(none.size(1), c10::IndexError);
  EXPECT_EQ(none.sizes(), torch::IntArrayRef({0}));
  EXPECT_TRUE(none.is_contiguous());
  EXPECT_EQ(none.storage_offset(), 0);
  EXPECT_EQ(none._version(), 0);
  EXPECT_THROW(none.strides(), c10::Error);
  EXPECT_FALSE(none.requires_grad() || none.is_cuda() || none.is_cpu() || none.is_inference());
  EXPECT_THROW(none.device(), c10::Error);
  EXPECT_THROW(none.sum(), c10::Error);
  EXPECT_THROW(none + torch::ones({1}), c10::Error);
  EXPECT_THROW(torch::cat({none, none}), c10::Error);
}

TEST(CompatNames, OptionalListsAndBacktraces) {
  const std::vector<int64_t> rows{1};
  const c10::OptionalArrayRef<int64_t> dim = rows;
  EXPECT_EQ(torch::ones({4, 2}).sum(dim).sizes(), torch::IntArrayRef({4}));
  const c10::OptionalArrayRef<double> weights;
  EXPECT_FALSE(weights.has_value());
  try {
    torch::ones({2}).view({3});
    FAIL() << "a view of another size";
  } catch (const c10::Error& e) {
    EXPECT_TRUE(e.backtrace().empty());  // without TAPER_SHOW_CALLER
  }
}

TEST(CompatNames, GradModeIsOneOfAutogradToo) {
  torch::autograd::GradMode::set_enabled(false);
  EXPECT_FALSE(at::GradMode::is_enabled());
  torch::autograd::GradMode::set_enabled(true);
  EXPECT_TRUE(torch::ones({1}, torch::requires_grad()).mul(2).requires_grad());
}

TEST(CompatNames, DataParallelHasLibTorchsNames) {
  TAPER_NEEDS_DEVICES(2);
  torch::nn::Linear linear(2, 1);
  const std::vector<torch::Device> devices{{torch::kCUDA, 0}, {torch::kCUDA, 1}};
  const torch::Tensor x = torch::ones({4, 2});
  const torch::Tensor y = torch::nn::parallel::data_parallel(linear, x, devices);
  EXPECT_EQ(y.sizes(), torch::IntArrayRef({4, 1}));
  torch::autograd::Scatter scatter(devices, torch::nullopt, 0);
  torch::autograd::variable_list parts = scatter.apply({x});
  EXPECT_EQ(torch::autograd::Gather(devices[1]).apply(std::move(parts)).front().get_device(), 1);
  EXPECT_EQ(torch::cuda::broadcast_coalesced({x.cuda()}, {0, 1}, 1024)[1][0].get_device(), 1);
}

TEST(CompatNames, CudaHasLibTorchsNames) {
  TAPER_NEEDS_DEVICES(3);
  ASSERT_TRUE(torch::cuda::is_available());
  EXPECT_EQ(c10::cuda::device_count(), torch::cuda::device_count());
  const c10::cuda::CUDAStream before = at::cuda::getCurrentCUDAStream();
  {
    c10::cuda::CUDAGuard device(1);
    c10::cuda::CUDAStreamGuard guard(at::cuda::getStreamFromPool(true, 2));
    EXPECT_EQ(c10::cuda::current_device(), 2);
    at::cuda::CUDAEvent event;
    event.record();
    event.block(at::cuda::getDefaultCUDAStream(1));
    event.synchronize();
  }
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), before);
  c10::cuda::device_synchronize();
  c10::cuda::CUDACachingAllocator::emptyCache();
}

TEST(CompatNames, ChecksThrowLibTorchsTypesWithTheGivenText) {
  EXPECT_EQ(thrown<c10::Error>([] { TORCH_CHECK(1 == 2, "a", 3); }), "a3");
  EXPECT_EQ(thrown<c10::Error>([] { TORCH_CHECK(1 == 2); }),
            "Expected 1 == 2 to be true, but got false.");
  EXPECT_EQ(thrown<c10::IndexError>([] { TORCH_CHECK_INDEX(false, "i"); }), "i");
  EXPECT_EQ(thrown<c10::ValueError>([] { TORCH_CHECK_VALUE(false, "v"); }), "v");
  EXPECT_EQ(thrown<c10::TypeError>([] { TORCH_CHECK_TYPE(false, "t"); }), "t");
  EXPECT_EQ(thrown<c10::NotImplementedError>([] { TORCH_CHECK_NOT_IMPLEMENTED(false, "n"); }), "n");
  EXPECT_EQ(thrown<c10::Error>([] { AT_ERROR("e", 1); }), "e1");
  EXPECT_NE(thrown<c10::Error>([] {
              TORCH_INTERNAL_ASSERT(1 == 2, "why");
            }).find("1 == 2 INTERNAL ASSERT FAILED"),
            std::string::npos);
  EXPECT_NO_THROW(TORCH_CHECK(true, "unused"));
}

TEST(CompatNames, WarningsGoToStderrAndOnceMeansOnce) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) TORCH_WARN_ONCE("number ", i);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("Warning: number 0"), std::string::npos) << text;
  EXPECT_EQ(text.find("number 1"), std::string::npos) << text;
}

TEST(CompatNames, DispatchNamesTheElementType) {
  auto size = [](at::ScalarType t) {
    return AT_DISPATCH_ALL_TYPES_AND(at::kHalf, t, "size", [&] { return sizeof(scalar_t); });
  };
  EXPECT_EQ(size(at::kByte), 1u);
  EXPECT_EQ(size(at::kHalf), 2u);
  EXPECT_EQ(size(at::kDouble), 8u);
  EXPECT_EQ(thrown<c10::Error>([&] { size(at::kBool); }),
            "size: \"size\" not implemented for 'Bool'");
  auto square = [](const at::Tensor& t) {
    return AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(
        at::kHalf, at::kBool, t.scalar_type(), "square", [&] {
          const scalar_t z = *t.data_ptr<scalar_t>();
          return c10::complex<double>(z) * c10::complex<double>(z);
        });
  };
  const at::Tensor z = torch::complex(torch::zeros({1}), torch::full({1}, 3.0f));
  EXPECT_EQ(square(z), c10::complex<double>(-9, 0));
  EXPECT_EQ(square(z.to(at::kComplexDouble)), c10::complex<double>(-9, 0));
  EXPECT_EQ(square(torch::full({1}, 3, at::kInt)), c10::complex<double>(9, 0));
  auto parts = [](at::ScalarType t) {
    return AT_DISPATCH_COMPLEX_TYPES(t, "parts", [] { return sizeof(scalar_t::value_type); });
  };
  EXPECT_EQ(parts(at::kComplexFloat), 4u);
  EXPECT_EQ(thrown<c10::Error>([&] { parts(at::kFloat); }),
            "parts: \"parts\" not implemented for 'Float'");
  EXPECT_EQ(z.item<c10::complex<float>>().imag(), 3);
  EXPECT_EQ(z.item().toComplexDouble(), c10::complex<double>(0, 3));
  EXPECT_EQ(AT_DISPATCH_INDEX_TYPES(at::kLong, "index", [&] { return sizeof(index_t); }), 8u);
}

TEST(CompatNames, ComplexNumbersHaveTheFunctionsOfTheLibrary) {
  const c10::complex<double> z(3, 4);
  EXPECT_EQ(std::real(z), 3);
  EXPECT_EQ(std::imag(z), 4);
  EXPECT_EQ(std::abs(z), 5);
  EXPECT_EQ(std::norm(z), 25);
  EXPECT_EQ(std::arg(c10::complex<float>(0, 1)), static_cast<float>(M_PI / 2));
  EXPECT_EQ(std::conj(z), c10::complex<double>(3, -4));
  EXPECT_NEAR(std::abs(std::sqrt(z) - c10::complex<double>(2, 1)), 0, 1e-15);
  EXPECT_NEAR(std::abs(std::exp(std::log(z)) - z), 0, 1e-14);
  EXPECT_NEAR(std::abs(std::pow(z, 2.0) - z * z), 0, 1e-13);
  EXPECT_NEAR(std::abs(c10::polar(2.0, 0.0) - c10::complex<double>(2)), 0, 1e-15);
}

TEST(CompatNames, SmallHelpers) {
  std::vector<int64_t> seen;
  for (auto i : c10::irange(2, 5)) seen.push_back(i);
  EXPECT_EQ(seen, (std::vector<int64_t>{2, 3, 4}));
  for (auto i : c10::irange(-3)) ADD_FAILURE() << "an empty range gave " << i;
  EXPECT_EQ(c10::str("a", 1, 2.5), "a12.5");
  EXPECT_EQ(torch::str("a", at::str(1)), "a1");
  EXPECT_EQ(c10::Join(", ", std::vector<int>{1, 2}), "1, 2");
  EXPECT_GE(at::get_num_threads(), 1);
}

TEST(CompatNames, ContainersAndNodesPrint) {
  const auto text = [](const auto& value) {
    std::ostringstream out;
    out << value;
    return out.str();
  };
  EXPECT_EQ(text(std::vector<int>{1, 2}), "1 2");
  EXPECT_EQ(text(std::vector<float>{}), "");
  EXPECT_EQ(text(std::vector<int>(101, 7)).substr(196), "7 7 ...");
  EXPECT_EQ(text(std::map<std::string, int>{{"a", 1}, {"b", 2}}), "(a, 1) (b, 2)");
  EXPECT_EQ(text(std::set<int>{4, 3}), "3 4");
  const torch::Tensor x = torch::ones({1}).requires_grad_();
  EXPECT_EQ(text(x.grad_fn()), "0");
  EXPECT_EQ(text((x * 2).grad_fn()).substr(0, 2), "0x");
}

TEST(CompatNames, ANamespaceCanBeReopened) { EXPECT_EQ(torch::rows_of(torch::zeros({3, 2})), 3); }

TEST(Compat, TypesAreADtypeAndAKindOfDevice) {
  const torch::Tensor x = torch::ones({2}, torch::kDouble);
  at::DeprecatedTypeProperties& type = x.type();
  EXPECT_EQ(&type, &torch::CPU(torch::kDouble));
  EXPECT_NE(type, at::CUDA(at::kDouble));
  EXPECT_EQ(type.scalarType(), torch::kDouble);
  EXPECT_EQ(type.device_type(), torch::kCPU);
  EXPECT_FALSE(type.is_cuda() || type.is_sparse());
  EXPECT_EQ(type.toString(), "CPUDoubleType");
  EXPECT_EQ(type.cuda().toScalarType(at::kInt).toString(), "CUDAIntType");
  EXPECT_EQ(torch::Tensor().type().toString(), "UndefinedType");
  EXPECT_EQ(torch::zeros({3}, type).scalar_type(), torch::kDouble);
  std::ostringstream out;
  out << type;
  EXPECT_EQ(out.str(), x.toString());
  EXPECT_EQ(AT_DISPATCH_FLOATING_TYPES(x.type(), "size", [] { return sizeof(scalar_t); }), 8u);
  EXPECT_THROW(torch::Tensor().type().options(), c10::Error);
  EXPECT_THROW(type.options(torch::Device(torch::kCUDA, 0)), c10::Error);
}

TEST(Compat, AnswersOfTensorsThatAreDenseAndOnKnownDevices) {
  const torch::Tensor x = torch::ones({2, 3, 4, 5});
  EXPECT_FALSE(x.is_sparse_csr() || x.is_mkldnn() || x.is_xpu() || x.is_nested() || x.has_names());
  EXPECT_EQ(x.suggest_memory_format(), torch::MemoryFormat::Contiguous);
  EXPECT_EQ(x.contiguous(torch::MemoryFormat::ChannelsLast).suggest_memory_format(),
            torch::MemoryFormat::ChannelsLast);
  EXPECT_EQ(x.transpose(0, 1).suggest_memory_format(), torch::MemoryFormat::Contiguous);
  EXPECT_EQ(torch::getNumGPUs(), static_cast<size_t>(torch::cuda::device_count()));
  EXPECT_TRUE(torch::arange(4).flip(0).msort().equal(torch::arange(4)));
  EXPECT_EQ(x.unsafe_chunk(2, 3)[1].size(3), 2);
  EXPECT_EQ(x.unsafe_split(2, 1)[1].size(1), 1);
  EXPECT_EQ(x.unsafe_split_with_sizes({1, 4}, 3)[1].size(3), 4);
}

TEST(CompatNames, AtTensorKeepsTheTypeOfItsNumbers) {
  EXPECT_EQ(at::tensor(5).scalar_type(), at::kInt);
  EXPECT_EQ(torch::tensor(5).scalar_type(), torch::kLong);
  EXPECT_EQ(at::tensor(5).sizes(), (std::vector<int64_t>{1}));
  EXPECT_EQ(torch::tensor(5).dim(), 0);
  EXPECT_EQ(at::tensor({1, 2}).scalar_type(), at::kInt);
  EXPECT_EQ(torch::tensor({1, 2}).scalar_type(), torch::kLong);
  EXPECT_EQ(at::tensor(std::vector<double>{1, 2}).scalar_type(), at::kDouble);
  EXPECT_EQ(torch::tensor(std::vector<double>{1, 2}).scalar_type(), torch::kFloat);
  EXPECT_EQ(at::tensor(int64_t{5}).scalar_type(), at::kLong);
  EXPECT_EQ(at::tensor(5.f).scalar_type(), at::kFloat);
  EXPECT_EQ(at::tensor(c10::complex<float>(1, 2)).scalar_type(), at::kComplexFloat);
  const at::Tensor z = at::tensor(1.0, at::kComplexFloat);
  EXPECT_EQ(z.scalar_type(), at::kComplexFloat);
  EXPECT_EQ(z[0].item<c10::complex<float>>(), c10::complex<float>(1, 0));
  EXPECT_EQ(at::tensor({1, 2}, at::kDouble)[1].item<double>(), 2);
  try {
    at::tensor(c10::complex<float>(1, 2), at::kFloat);
    ADD_FAILURE() << "no error";
  } catch (const c10::Error& e) {
    EXPECT_NE(std::string(e.what()).find("\"tensor_cpu\" not implemented for 'Float'"),
              std::string::npos);
  }
  EXPECT_EQ(at::tensor(5, at::device(at::kCPU)).scalar_type(), at::kFloat);  // as in LibTorch
  EXPECT_EQ(at::tensor(c10::ArrayRef<int16_t>({7, 8}))[1].item<int>(), 8);
}

TEST(CompatNames, DeviceTypesThatTaperLacksAreNames) {
  static_assert(std::is_same<torch::Device::Type, c10::DeviceType>::value, "");
  EXPECT_EQ(torch::Device("cuda:1").type(), at::Device::Type::CUDA);
  const std::vector<std::pair<c10::DeviceType, const char*>> names = {
      {c10::DeviceType::MKLDNN, "mkldnn"},
      {c10::DeviceType::OPENGL, "opengl"},
      {c10::DeviceType::OPENCL, "opencl"},
      {c10::DeviceType::IDEEP, "ideep"},
      {torch::kFPGA, "fpga"},
      {torch::kHPU, "hpu"},
      {torch::kLazy, "lazy"},
      {torch::kIPU, "ipu"},
      {torch::kMTIA, "mtia"},
      {torch::kPrivateUse1, "privateuseone"}};
  for (const auto& [type, name] : names) {
    EXPECT_EQ(c10::str(type), name);
    EXPECT_NE(torch::Device("cpu").type(), type);
    EXPECT_THROW((void)torch::Device(type), c10::Error);
    EXPECT_THROW((void)torch::Device(name), c10::Error);
  }
  EXPECT_EQ(c10::COMPILE_TIME_MAX_DEVICE_TYPES, 21);
}

TEST(CompatNames, StatesOfAnOptimizerByTheirMapsName) {
  using States =
      ska::flat_hash_map<std::string, std::unique_ptr<torch::optim::OptimizerParamState>>;
  using StatesOf2 = ska::flat_hash_map<void*, std::unique_ptr<torch::optim::OptimizerParamState>>;
  const torch::Tensor p = torch::ones({2}, torch::requires_grad());
  torch::optim::Adagrad optimizer({p});
  const States& states = optimizer.state();
  StatesOf2& same = optimizer.state();
  const std::string key = c10::guts::to_string(p.unsafeGetTensorImpl());
  EXPECT_EQ(key, c10::to_string(p.unsafeGetTensorImpl()));
  EXPECT_EQ(states.at(key), same.at(p.unsafeGetTensorImpl()));
  ska::flat_hash_map<std::string, int> plain;
  plain["a"] = 1;
  EXPECT_EQ(plain.at("a"), 1);
  EXPECT_EQ(c10::to_string(12) + c10::guts::to_string(2.5), "122.500000");
  EXPECT_EQ(c10::stoi("7"), 7);
}

// A handler as LibTorch 1.13 declares it, for its own test programs and others.
struct Texts : torch::WarningHandler {
  Texts() : before_(torch::Warning::get_warning_handler()) {
    torch::Warning::set_warning_handler(this);
  }
  ~Texts() override { torch::Warning::set_warning_handler(before_); }
  void process(const c10::SourceLocation& place, const std::string& text,
               const bool verbatim) override {
    all += c10::str(text, "@", place.function, verbatim, ";");
  }
  std::string all;

 private:
  c10::WarningHandler* before_;
};

TEST(CompatNames, WarningsReachTheProgramsHandler) {
  Texts texts;
  TORCH_WARN("plain ", 3);
  TORCH_WARN_DEPRECATION("old");
  for (int i = 0; i < 2; ++i) TORCH_WARN_ONCE("once");
  {
    const c10::Warning::WarnAlways always(true);
    for (int i = 0; i < 2; ++i) TORCH_WARN_ONCE("each time");
  }
  EXPECT_EQ(texts.all,
            "plain 3@TestBody0;old@TestBody0;once@TestBody0;each time@TestBody0;each "
            "time@TestBody0;");
}

TEST(CompatNames, TheOldGuardOfInferenceWarns) {
  Texts texts;
  const c10::Warning::WarnAlways always(true);
  {
    const at::AutoNonVariableTypeMode guard(true);
    EXPECT_FALSE(torch::GradMode::is_enabled());
    const torch::AutoNonVariableTypeMode off(false);
    EXPECT_FALSE(torch::GradMode::is_enabled());
  }
  EXPECT_TRUE(torch::GradMode::is_enabled());
  EXPECT_EQ(texts.all.find("AutoNonVariableTypeMode is deprecated"), 0u);
}

TEST(CompatNames, InferenceModeIsInAutogradToo) {
  static_assert(std::is_same<torch::autograd::InferenceMode, c10::InferenceMode>::value, "");
  const c10::InferenceMode guard;
  EXPECT_TRUE(torch::autograd::InferenceMode::is_enabled());
  EXPECT_FALSE(torch::autograd::GradMode::is_enabled());
  EXPECT_EQ(*torch::make_unique<int>(3), 3);
}

TEST(CompatNames, NumbersOfATensorAsData) {
  using Data = torch::detail::TensorDataContainer;
  EXPECT_EQ(c10::str(Data(1.5)), "1.5");
  EXPECT_EQ(c10::str(Data({{1, 2}, {3, 4}})), "{{1, 2}, {3, 4}}");
  EXPECT_EQ(c10::str(Data(std::vector<double>{1.5, 2.5})), "{1.5, 2.5}");
  EXPECT_EQ(Data(7).scalar().toInt(), 7);
  EXPECT_EQ(Data({{1, 2}, {3, 4}}).sizes(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(Data({1, 2}).init_list().size(), 2u);
  EXPECT_EQ(Data(std::vector<double>{1, 2}).tensor().numel(), 2);
  EXPECT_THROW(Data(1.5).init_list(), c10::Error);
  EXPECT_THROW(Data({1, 2}).tensor(), c10::Error);
  EXPECT_THROW(Data({1, 2}).scalar(), c10::Error);
}

TEST(CompatNames, LaunchedWorkRunsWithTheCallersModes) {
  std::promise<bool> recorded;
  {
    const torch::NoGradGuard values_only;
    at::launch([&] { recorded.set_value(torch::GradMode::is_enabled()); });
  }
  EXPECT_FALSE(recorded.get_future().get());
  std::atomic<int> count{0};
  std::promise<void> all;
  for (int i = 0; i < 100; ++i)
    at::launch([&] {
      if (++count == 100) all.set_value();
    });
  all.get_future().get();
  EXPECT_EQ(count, 100);
}

TEST(CompatNames, TemporaryFilesAreGoneWithTheirObjects) {
  std::string file, folder;
  {
    c10::TempFile a = c10::make_tempfile("taper-"), b = std::move(a);
    const c10::TempDir dir = c10::make_tempdir();
    file = b.name, folder = dir.name;
    EXPECT_TRUE(a.name.empty());
    EXPECT_EQ(access(file.c_str(), F_OK), 0);
    EXPECT_EQ(access(folder.c_str(), F_OK), 0);
  }
  EXPECT_NE(access(file.c_str(), F_OK), 0);
  EXPECT_NE(access(folder.c_str(), F_OK), 0);
}

struct Chars : torch::nn::Module {
  char forward(int) { return 'a'; }
};

TEST(CompatNames, QuestionsAboutTypes) {
  static_assert(torch::detail::is_module<Chars>::value, "");
  static_assert(torch::detail::has_forward<Chars>::value, "");
  static_assert(!torch::detail::has_forward<torch::nn::Module>::value, "");
  static_assert(std::is_same<torch::detail::return_type_of_forward_t<Chars, int>, char>::value, "");
  static_assert(torch::detail::check_not_lvalue_references<int, const int&>(), "");
  static_assert(!torch::detail::check_not_lvalue_references<int&>(), "");
  static_assert(torch::all_of<true, true>::value && !torch::any_of<>::value, "");
  static_assert(std::is_same<c10::SymInt, int64_t>::value, "");
}

TEST(CompatNames, OlderAndOtherNames) {
  const torch::Tensor x = torch::ones({2, 3}, torch::requires_grad()), y = x * 2;
  const std::shared_ptr<torch::autograd::Node> node = y.grad_fn();
  EXPECT_EQ(node->name(), y.grad_fn()->name());
  const std::shared_ptr<torch::autograd::Node> leaf = node->next_edge(0).function;
  EXPECT_EQ(leaf->name(), "torch::autograd::AccumulateGrad");
  EXPECT_EQ(std::shared_ptr<torch::autograd::Node>(x.grad_fn()), nullptr);
  EXPECT_EQ(at::_cast_Int(x).scalar_type(), at::kInt);
  EXPECT_FALSE(at::hasMAGMA());
  EXPECT_EQ(at::internal::GRAIN_SIZE, 32768);
  EXPECT_EQ(torch::utils::flatten_dense_tensors({x, x}).numel(), 12);
  EXPECT_EQ(c10::str(torch::kQInt8), "QInt8");
  EXPECT_NE(x.scalar_type(), torch::kBits16);
  EXPECT_THROW(torch::zeros({2}, torch::kQUInt8), c10::Error);
  EXPECT_TRUE(torch::nn::functional::detail::max_pool1d(x.detach(), 2, 1, 0, 1, false)
                  .equal(torch::ones({2, 2})));
  c10::DeviceGuard guard(torch::kCPU);
}

}  // namespace
