// Texts of tensors against those that LibTorch 1.13 and PyTorch 1.13 write.
#include <cmath>
#include <iomanip>
#include <sstream>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/core/tensor.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Shape = std::vector<int64_t>;

struct PrintCase {
  ScalarType dtype;
  int64_t linesize;
  Shape sizes;
  std::vector<double> values;
  std::string libtorch;
  std::string python;
};

std::vector<PrintCase> cases() {
  return {
#include "framework/core/print_cases.inc"
  };
}

Tensor ramp(Shape sizes, ScalarType dtype = kFloat, double scale = 1, double start = 0) {
  Array a(std::move(sizes));
  for (size_t i = 0; i < a.v.size(); ++i) a.v[i] = start + scale * static_cast<double>(i);
  return to_tensor(a, dtype);
}

template <class T>
std::string printed(const T& v) {
  std::ostringstream out;
  out << v;
  return out.str();
}

TEST(PrintTest, LibTorchText) {
  for (const PrintCase& c : cases()) {
    std::ostringstream out;
    print(out, tensor_of(c.sizes, c.values, c.dtype), c.linesize);
    EXPECT_EQ(out.str(), c.libtorch);
  }
}

TEST(PrintTest, StridedTensors) {
  EXPECT_EQ(printed(ramp({2, 3}).t()), " 0  3\n 1  4\n 2  5\n[ CPUFloatType{3,2} ]");
}

TEST(PrintTest, UndefinedAndEmpty) {
  EXPECT_EQ(printed(Tensor()), "[ Tensor (undefined) ]");
  EXPECT_EQ(printed(ramp({0})), "[ CPUFloatType{0} ]");
  EXPECT_EQ(printed(ramp({2, 0})), "[ CPUFloatType{2,0} ]");
  EXPECT_EQ(printed(ramp({2, 0, 3}, kLong)), "[ CPULongType{2,0,3} ]");
}

TEST(PrintTest, RestoresTheStream) {
  std::ostringstream out;
  out << std::setprecision(3) << std::scientific;
  out << tensor_of({1}, {0.5}, kFloat) << ' ' << 1.23456;
  EXPECT_EQ(out.str(), " 0.5000\n[ CPUFloatType{1} ] 1.235e+00");
}

TEST(PrintTest, NarrowLinesHoldOneColumn) {
  std::ostringstream out;
  print(out, ramp({1, 2}), 1);
  EXPECT_EQ(out.str(), "Columns 1 to 1 0\n\nColumns 2 to 2 1\n[ CPUFloatType{1,2} ]");
}

TEST(PrintTest, NamesOfTypes) {
  EXPECT_EQ(ramp({1}).toString(), "CPUFloatType");
  EXPECT_EQ(ramp({1}, kBFloat16).toString(), "CPUBFloat16Type");
  EXPECT_EQ(Tensor().toString(), "UndefinedType");
  EXPECT_EQ(printed(kStrided), "Strided");
  EXPECT_EQ(printed(MemoryFormat::ChannelsLast), "ChannelsLast");
  EXPECT_EQ(printed(MemoryFormat::Contiguous), "Contiguous");
}

TEST(PrintTest, Options) {
  const auto text = [](const TensorOptions& o) {
    std::ostringstream out;
    out << o;
    return out.str();
  };
  EXPECT_EQ(
      text({}),
      "TensorOptions(dtype=float (default), device=cpu (default), layout=Strided (default), "
      "requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))");
  EXPECT_EQ(text(dtype(kLong).device(kCPU).requires_grad(true).pinned_memory(false).memory_format(
                MemoryFormat::ChannelsLast)),
            "TensorOptions(dtype=long int, device=cpu, layout=Strided (default), "
            "requires_grad=true, pinned_memory=false, memory_format=ChannelsLast)");
}

TEST(PrintTest, SixteenBitFloats) {
  std::ostringstream out;
  out << Half(1.5f) << ' ' << BFloat16(-2.0f);
  EXPECT_EQ(out.str(), "1.5 -2");
}

TEST(ReprTest, PythonText) {
  for (const PrintCase& c : cases())
    EXPECT_EQ(repr(tensor_of(c.sizes, c.values, c.dtype)), c.python);
}

TEST(ReprTest, SummarisesLargeTensors) {
  EXPECT_EQ(repr(ramp({1001}, kLong)), "tensor([   0,    1,    2,  ...,  998,  999, 1000])");
  EXPECT_EQ(repr(ramp({30, 40})),
            "tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 3.7000e+01, 3.8000e+01,\n"
            "         3.9000e+01],\n"
            "        [4.0000e+01, 4.1000e+01, 4.2000e+01,  ..., 7.7000e+01, 7.8000e+01,\n"
            "         7.9000e+01],\n"
            "        [8.0000e+01, 8.1000e+01, 8.2000e+01,  ..., 1.1700e+02, 1.1800e+02,\n"
            "         1.1900e+02],\n"
            "        ...,\n"
            "        [1.0800e+03, 1.0810e+03, 1.0820e+03,  ..., 1.1170e+03, 1.1180e+03,\n"
            "         1.1190e+03],\n"
            "        [1.1200e+03, 1.1210e+03, 1.1220e+03,  ..., 1.1570e+03, 1.1580e+03,\n"
            "         1.1590e+03],\n"
            "        [1.1600e+03, 1.1610e+03, 1.1620e+03,  ..., 1.1970e+03, 1.1980e+03,\n"
            "         1.1990e+03]])");
}

TEST(ReprTest, WrapsLongVectors) {
  EXPECT_EQ(repr(ramp({10}, kFloat, 1.5, 0.375).mul(1)),
            "tensor([ 0.3750,  1.8750,  3.3750,  4.8750,  6.3750,  7.8750,  9.3750, 10.8750,\n"
            "        12.3750, 13.8750])");
}

TEST(ReprTest, Suffixes) {
  Tensor x = tensor_of({2}, {1, 2}, kFloat).requires_grad_();
  const Tensor one = tensor_of({}, {1}, kFloat);
  EXPECT_EQ(repr(x), "tensor([1., 2.], requires_grad=True)");
  EXPECT_EQ(repr(x.add(one)), "tensor([2., 3.], grad_fn=<AddBackward0>)");
  EXPECT_EQ(repr(ramp({3}, kInt)), "tensor([0, 1, 2], dtype=torch.int32)");
  EXPECT_EQ(repr(ramp({10}, kFloat, 1.5, 0.375).requires_grad_().mul(one)),
            "tensor([ 0.3750,  1.8750,  3.3750,  4.8750,  6.3750,  7.8750,  9.3750, 10.8750,\n"
            "        12.3750, 13.8750], grad_fn=<MulBackward0>)");
}

TEST(ReprTest, EmptyTensors) {
  EXPECT_EQ(repr(ramp({0})), "tensor([])");
  EXPECT_EQ(repr(ramp({2, 0}, kLong)), "tensor([], size=(2, 0), dtype=torch.int64)");
  EXPECT_EQ(repr(ramp({0}, kLong)), "tensor([], dtype=torch.int64)");
  EXPECT_EQ(repr(ramp({3, 0}, kDouble).requires_grad_()),
            "tensor([], size=(3, 0), dtype=torch.float64, requires_grad=True)");
}

}  // namespace
}  // namespace torch::taper::testing
