// Tensors described step by step over given memory.
#include <taper/ops/tensor/for_blob.h>

#include <gtest/gtest.h>

#include <fstream>

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

}  // namespace
}  // namespace torch::taper::testing
