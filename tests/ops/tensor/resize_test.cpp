// Tensors described step by step over given memory.
#include <fstream>

#include <gtest/gtest.h>

#include <taper/ops/tensor/copy.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/for_blob.h>
#include <taper/ops/tensor/resize.h>
#include <taper/taper.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

TEST(ForBlob, TakesGeometryAndOptions) {
  float data[] = {0, 1, 2, 3, 4, 5, 6};
  expect_values(for_blob(data, {2, 3}).make_tensor(), {2, 3}, {0, 1, 2, 3, 4, 5});
  const Tensor x = for_blob(data, {3, 2})
                       .strides(IntArrayRef({1, 3}))
                       .storage_offset(1)
                       .options(TensorOptions().requires_grad(true))
                       .make_tensor();
  expect_values(x, {3, 2}, {1, 4, 2, 5, 3, 6});
  EXPECT_EQ(x.storage_offset(), 1);
  EXPECT_EQ(x.storage().nbytes(), sizeof(data));
  EXPECT_EQ(x.data_ptr<float>(), data + 1);
  EXPECT_TRUE(x.requires_grad() && x.is_leaf() && !x.is_view());
}

TEST(ForBlob, TellsTheOwnerOnce) {
  int64_t data[] = {1, 2};
  int freed = 0;
  {
    const Tensor x = for_blob(data, {2})
                         .options(kLong)
                         .target_device(kCPU)
                         .deleter([&](void* p) { freed += p == data; })
                         .make_tensor();
    const Tensor part = x[1];
    EXPECT_EQ(part.item<int64_t>(), 2);
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 1);
  for_blob(data, {1}).context(&freed, [](void* p) { *static_cast<int*>(p) += 10; }).make_tensor();
  EXPECT_EQ(freed, 11);
}

TEST(ForBlob, RefusesWhatHasNoMemory) {
  float data[2] = {};
  EXPECT_THROW(for_blob(nullptr, {1}).make_tensor(), Error);
  EXPECT_THROW(for_blob(data, {2}).storage_offset(-1).make_tensor(), Error);
  EXPECT_THROW(for_blob(data, {2}).strides(IntArrayRef({1, 1})).make_tensor(), Error);
  EXPECT_EQ(for_blob(nullptr, {0}).make_tensor().numel(), 0);
}

TEST(FromFile, IsSharedOrCopied) {
  const TemporaryFolder folder;
  const std::string path = folder.path("numbers");
  const float numbers_in_file[] = {1, 2, 3};
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(numbers_in_file), 12);
  Tensor copy = from_file(path, false, 3);
  expect_values(copy, {3}, {1, 2, 3});
  copy.fill_(0);
  {
    Tensor shared = from_file(path, true, 2);
    shared[1].fill_(7);
  }
  expect_values(from_file(path, nullopt, 3), {3}, {1, 7, 3});
  expect_error("to have at least 16 bytes, got 12", [&] { from_file(path, false, 4); });
  expect_error("cannot be opened", [&] { from_file(folder.path("none"), false, 4); });
}

// Tensors that get other sizes or other memory.

TEST(SetAndResize, TakeOverMemory) {
  Tensor a = counting({6}), b = counting({4}, kFloat, 10);
  a.set_(b);
  EXPECT_TRUE(a.is_set_to(b));
  a[0].fill_(1);
  EXPECT_EQ(b[0].item<float>(), 1);
  a.set_(b.storage(), 1, {3});
  expect_values(a, {3}, {11, 12, 13});
  a.set_();
  EXPECT_EQ(a.numel(), 0);
  Tensor c = counting({6});
  as_strided_(c, {2, 2}, {1, 2}, 1);
  expect_values(c, {2, 2}, {1, 3, 2, 4});
  resize_as_(c, zeros({3}));
  EXPECT_EQ(c.sizes(), IntArrayRef({3}));
  EXPECT_THROW(a.set_(b.storage(), 2, {9}), std::exception);
  expect_error("set_: expected a source of dtype Float, got Long",
               [&] { a.set_(arange(3, kLong)); });
  Tensor leaf = ones({2}).requires_grad_();
  expect_error("expected a tensor that does not require a gradient", [&] { leaf.set_(b); });
  expect_error("expected a tensor that does not require a gradient",
               [&] { leaf.as_strided_({1}, {1}); });
}

TEST(SetAndResize, MemoryFormats) {
  Tensor x = zeros({2, 3, 4, 5});
  x.resize_({1, 2, 3, 4}, MemoryFormat::ChannelsLast);
  EXPECT_EQ(x.strides(), IntArrayRef({24, 1, 8, 2}));
  const Tensor like = empty({2, 3, 4, 5}, {}, MemoryFormat::ChannelsLast);
  EXPECT_EQ(zeros({1}).resize_as_(like, MemoryFormat::Preserve).strides(), like.strides());
  EXPECT_TRUE(zeros({1}).resize_as_(like).is_contiguous());
  EXPECT_EQ(resize(zeros({1}), {2, 3, 4, 5}, MemoryFormat::ChannelsLast).strides(), like.strides());
  EXPECT_EQ(resize_as(zeros({1}), like, MemoryFormat::ChannelsLast).strides(), like.strides());
  EXPECT_TRUE(clone(like, MemoryFormat::Contiguous).is_contiguous());
  const Tensor y = zeros({2, 3, 4, 5}).to(like, false, true, MemoryFormat::ChannelsLast);
  EXPECT_EQ(y.strides(), like.strides());
  expect_error("required rank 4 tensor to use channels_last format", [&] {
    x.resize_({2, 3}, MemoryFormat::ChannelsLast);
  });
  EXPECT_EQ(x.sizes(), IntArrayRef({1, 2, 3, 4}));
}

TEST(SetAndResize, ToItsOwnSizesKeepsTheLayout) {
  const Tensor across = counting({2, 3}).t(), wide = values({7}).expand({3});
  across.resize_({3, 2});
  EXPECT_EQ(across.strides(), IntArrayRef({1, 3}));
  expect_values(across, {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_values(wide.resize_({3}), {3}, {7, 7, 7});
  EXPECT_TRUE(across.resize_({3, 2}, MemoryFormat::Contiguous).is_contiguous());
}

TEST(SetAndResize, OfStorages) {
  const Tensor memory = counting({6});
  Tensor x = zeros({1});
  x.set_(memory, 1, {2, 2}, {2, 1});
  expect_values(x, {2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(x.is_alias_of(memory));
  expect_values(set(zeros({1}), memory.storage(), 2, {2}), {2}, {2, 3});
  EXPECT_EQ(set(memory).numel(), 0);
  EXPECT_EQ(set(zeros({1}), memory.storage()).numel(), 6);
  expect_error("set_: expected a source of dtype", [&] { x.set_(memory.to(kLong), 0, {1}); });
}

}  // namespace
}  // namespace torch::taper::testing
