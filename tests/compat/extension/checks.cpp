// Checks, logging, containers and memory of programs with ops of their own.
#include <torch/extension.h>

#include <ATen/DimVector.h>
#include <ATen/TensorUtils.h>
#include <c10/core/Allocator.h>
#include <c10/util/Logging.h>
#include <c10/util/SmallVector.h>
#include <c10/util/accumulate.h>
#include <c10/util/intrusive_ptr.h>
#include <c10/util/irange.h>

#include <vector>

#include "expect.h"

namespace {

template <class F>
std::string error(F f) {
  return thrown<c10::Error>(f);
}

void checks_of_tensors() {
  const auto forgets_a_semicolon = [](bool holds) {
    TORCH_CHECK(holds, "it does not hold")
    return 1;
  };
  EXPECT(forgets_a_semicolon(true) == 1);
  EXPECT(has(error([&] { forgets_a_semicolon(false); }), "it does not hold"));
  const torch::Tensor x = torch::ones({2, 3}), y = torch::ones({3, 2}, torch::kDouble), none;
  const torch::Tensor w = torch::ones({2}), q = x.t();
  const at::TensorArg a{x, "x", 1}, b{y, "y", 2}, c{w, "w", 2}, d{none, "none", 3}, e{q, "q", 1};
  at::checkDim("f", a, 2);
  EXPECT(error([&] { at::checkDim("f", a, 3); }) ==
         "Expected 3-dimensional tensor, but got 2-dimensional tensor for argument #1 'x' (while "
         "checking arguments for f)");
  EXPECT(has(error([&] { at::checkDimRange("f", a, 3, 5); }),
             "Expected 3 to 4 dimensions, but got "
             "2-dimensional tensor"));
  EXPECT(has(error([&] { at::checkSameDim("f", a, c); }), "; but 2 does not equal 1"));
  at::checkContiguous("f", a);
  EXPECT(
      has(error([&] { at::checkContiguous("f", e); }), "got non-contiguous tensor for argument"));
  at::checkSize("f", a, {2, 3});
  EXPECT(has(error([&] {
               at::checkSize("f", a, {3, 3});
             }),
             "Expected tensor of size [3, 3], but got "
             "tensor of size [2, 3]"));
  EXPECT(has(error([&] { at::checkSize("f", a, 1, 5); }),
             "to have size 5 at dimension 1, but got "
             "size 3"));
  EXPECT(
      has(error([&] { at::checkNumel("f", a, 5); }), "to have 5 elements; but it actually has 6"));
  EXPECT(has(error([&] { at::checkSameNumel("f", a, c); }), "but 6 does not equal 2"));
  EXPECT(has(error([&] { at::checkScalarType("f", a, at::kLong); }),
             "to have scalar type Long; but got CPUFloatType instead"));
  at::checkScalarTypes("f", a, {at::kLong, at::kFloat});
  EXPECT(has(error([&] {
               at::checkScalarTypes("f", a, {at::kLong, at::kInt});
             }),
             "one of the following scalar types: Long, Int; but got CPUFloatType instead"));
  EXPECT(has(error([&] { at::checkSameGPU("f", a, b); }),
             "Tensor for argument #2 'y' is on CPU, but "
             "expected it to be on GPU"));
  EXPECT(has(error([&] {
               at::checkAllSameType("f", {a, d, b});
             }),
             "but type CPUFloatType does not equal CPUDoubleType"));
  EXPECT(has(error([&] { at::checkAllSameSize("f", {a, b}); }), "[2, 3] does not equal [3, 2]"));
  EXPECT(has(error([&] {
               at::checkAllDefined("f", {a, d});
             }),
             "argument #3 'none' to be non-null"));
  EXPECT(has(error([&] { at::checkDeviceType("f", {x}, at::kCUDA); }), "to have cuda DeviceType"));
  EXPECT(has(error([&] { at::check_dim_size(x, 2, 1, 7); }), "tensor.size[1] == 7 but got"));
  const at::TensorGeometry turned = at::TensorGeometry(x).transpose(0, 1);
  EXPECT(turned.size(0) == 3 && turned.stride(0) == 1 && !turned.is_contiguous());
}

void logging() {
  std::vector<std::pair<int, std::string>> lines;
  taper::set_log_handler(
      [&](int severity, const std::string& line) { lines.emplace_back(severity, line); });
  LOG(INFO) << "not written";
  LOG(WARNING) << "hello " << 3;
  if (lines.empty())
    LOG(ERROR) << "an if around it";
  else
    VLOG(1) << "not this one";
  EXPECT(lines.size() == 1 && has(lines[0].second, "checks.cpp:") &&
         has(lines[0].second, "] hello 3\n"));
  taper::set_log_threshold(-2);
  VLOG(2) << "verbose";
  VLOG(3) << "too verbose";
  EXPECT(lines.size() == 2 && VLOG_IS_ON(2) && !VLOG_IS_ON(3));
  TORCH_CHECK_EQ(1, 1) << "holds";
  EXPECT(
      has(error([] { TORCH_CHECK_EQ(1, 2) << "more"; }), "Check failed: 1 == 2 (1 vs. 2). more"));
  EXPECT(has(error([] { TORCH_CHECK_LT(3, 2); }), "Check failed: 3 < 2 (3 vs. 2). "));
  int* null = nullptr;
  EXPECT(has(error([&] { TORCH_CHECK_NOTNULL(null); }), "'null' must be non NULL"));
  CHECK(true) << "not evaluated";
  EXPECT(has(error([] { TORCH_CHECK_ARG(false, 2, "why"); }), "invalid argument 2: why"));
  taper::set_log_handler({});
}

struct Counted : c10::intrusive_ptr_target {
  explicit Counted(int* gone) : gone(gone) {}
  ~Counted() override { ++*gone; }
  int* gone;
};

void containers_and_pointers() {
  c10::SmallVector<std::string, 2> words{"a", "b"};
  words.push_back(words[0]);  // grows while the argument lies inside
  words.insert(words.begin() + 1, "c");
  EXPECT(words.size() == 4 && words[1] == "c" && words.back() == "a");
  words.erase(words.begin());
  const c10::SmallVector<std::string, 2> copy = words;
  words.clear();
  EXPECT(copy.size() == 3 && copy.front() == "c" && words.empty());
  at::DimVector sizes{2, 3};
  EXPECT(torch::zeros(sizes).numel() == 6 && c10::multiply_integers(sizes) == 6);
  int64_t sum = 0;
  for (const auto i : c10::irange(1, 4)) sum += i;
  EXPECT(sum == 6);

  int gone = 0;
  auto owner = c10::make_intrusive<Counted>(&gone);
  const taper::weak_intrusive_ptr<Counted> weak(owner);
  EXPECT(weak.lock() == owner);
  EXPECT(owner.unique());
  Counted* const raw = owner.release();
  owner = c10::intrusive_ptr<Counted>::reclaim(raw);
  owner.reset();
  EXPECT(gone == 1 && weak.expired() && !weak.lock());
}

void memory() {
  const torch::Tensor x = torch::arange(4, torch::kFloat);
  EXPECT(x.data<float>()[3] == 3 && x.storage().data_ptr().get() == x.data_ptr());
  c10::DataPtr p = c10::GetAllocator(c10::kCPU)->allocate(8);
  EXPECT(p && p.get() == p.get_context() && p.device().is_cpu());
  static int freed = 0;
  int n = 0;
  {
    c10::DataPtr own(
        &n, &n, [](void*) { ++freed; }, c10::kCPU);
    const c10::Storage storage = taper::make_storage(std::move(own), sizeof n);
    EXPECT(storage.data() == &n && freed == 0);
  }
  EXPECT(freed == 1);
  const auto a = x.view({2, 2}).packed_accessor32<float, 2, torch::RestrictPtrTraits>();
  const auto turned = a.transpose(0, 1);
  const torch::TensorAccessor<float, 1, torch::RestrictPtrTraits, int32_t> row = turned[1];
  EXPECT(row[1] == 3 && turned[1][0] == 1 && a.size(0) == 2);
  EXPECT(has(thrown<c10::IndexError>([&] { a.transpose(0, 2); }), "not within bounds"));
}

}  // namespace

int main() {
  checks_of_tensors();
  logging();
  containers_and_pointers();
  memory();
}
