// What a tensor is: geometry, options, access, memory.
#include <gmock/gmock.h>

#include <random>
#include <thread>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TensorHandle, ThatIsUndefinedSaysSo) {
  Tensor t;
  EXPECT_FALSE(t.defined());
  EXPECT_EQ(t.scalar_type(), ScalarType::Undefined);
  EXPECT_THAT(t.sizes().vec(), ElementsAre(0));
  EXPECT_THROW(t.strides(), Error);
  EXPECT_THROW(t.device(), Error);
  EXPECT_THROW(t + t, Error);
  EXPECT_THROW(t.item<float>(), Error);
}

TEST(TensorHandle, CountsItsUses) {
  Tensor a = counting({2});
  EXPECT_EQ(a.use_count(), 1u);
  Tensor b = a;
  EXPECT_EQ(a.use_count(), 2u);
  EXPECT_TRUE(a.is_same(b));
  b.reset();
  EXPECT_EQ(a.use_count(), 1u);
}

TEST(Geometry, HasDenseDimensionsOnly) {
  EXPECT_EQ(counting({2, 3, 4}).dense_dim(), 3);
  EXPECT_EQ(counting({2, 3, 4}).sparse_dim(), 0);
  EXPECT_EQ(counting({}).dense_dim(), 0);
  EXPECT_EQ(Tensor().dense_dim(), 1);
  EXPECT_EQ(Tensor().sparse_dim(), 0);
}

TEST(Geometry, OfANewTensorIsRowMajor) {
  const Tensor t = counting({2, 3, 4});
  EXPECT_EQ(t.dim(), 3);
  EXPECT_THAT(t.sizes().vec(), ElementsAre(2, 3, 4));
  EXPECT_THAT(t.strides().vec(), ElementsAre(12, 4, 1));
  EXPECT_EQ(t.numel(), 24);
  EXPECT_EQ(t.nbytes(), 96u);
  EXPECT_TRUE(t.is_contiguous());
  EXPECT_EQ(t.size(-1), 4);
  EXPECT_EQ(t.stride(-3), 12);
  EXPECT_THAT(message_of<IndexError>([&] { t.size(3); }),
              HasSubstr("Dimension out of range (expected to be in range of [-3, 2], but got 3)"));
  EXPECT_THAT(counting({0, 3}).strides().vec(), ElementsAre(3, 1));
  EXPECT_EQ(counting({}).dim(), 0);
  EXPECT_EQ(counting({}).numel(), 1);
}

TEST(Geometry, ContiguityLooksOnlyAtDimensionsThatMatter) {
  const Tensor t = counting({1, 4, 1});
  EXPECT_TRUE(t.as_strided({1, 4, 1}, {99, 1, 7}).is_contiguous());
  EXPECT_FALSE(counting({4, 2}).t().is_contiguous());
  EXPECT_TRUE(counting({4, 1}).t().is_contiguous());
  EXPECT_TRUE(counting({0, 5}).t().is_contiguous());
  EXPECT_TRUE(counting({4, 2}).t().is_non_overlapping_and_dense());
  EXPECT_FALSE(counting({1}).expand({3}).is_non_overlapping_and_dense());
  const Tensor c = counting({4, 2}).t();
  EXPECT_EQ(to_array(c.contiguous()).v, to_array(c).v);
  EXPECT_TRUE(t.contiguous().is_same(t));
}

TEST(Options, CollectAndMerge) {
  const TensorOptions o = dtype(kDouble).requires_grad(true);
  EXPECT_EQ(o.dtype(), kDouble);
  EXPECT_TRUE(o.requires_grad());
  EXPECT_FALSE(o.has_device());
  EXPECT_TRUE(o.device().is_cpu());
  const TensorOptions merged = o.merge_in(TensorOptions(kLong).device(kCPU));
  EXPECT_EQ(merged.dtype(), kLong);
  EXPECT_TRUE(merged.requires_grad());
  EXPECT_EQ(TensorOptions().dtype(), kFloat);
}

TEST(Options, OfATensorMakeItsLike) {
  const Tensor t = counting({2}, kShort);
  EXPECT_EQ(t.options().dtype(), kShort);
  EXPECT_EQ(t.new_zeros({3}).scalar_type(), kShort);
  EXPECT_EQ(t.new_ones({3}, dtype(kDouble)).scalar_type(), kDouble);
}

TEST(Devices, AreParsedAndPrinted) {
  EXPECT_EQ(Device("cuda:1").index(), 1);
  EXPECT_EQ(Device("cpu").str(), "cpu");
  EXPECT_EQ(Device(kCUDA, 2).str(), "cuda:2");
  EXPECT_THROW(Device("gpu"), Error);
  EXPECT_THROW(Device("cuda:x"), Error);
  EXPECT_EQ(counting({1}).device(), Device(kCPU));
}

TEST(Access, ByTypedPointer) {
  const Tensor t = counting({3}, kInt);
  EXPECT_EQ(t.data_ptr<int32_t>()[2], 2);
  EXPECT_EQ(message_of([&] { t.data_ptr<float>(); }),
            "data_ptr: expected scalar type Float but found Int; ask for the tensor's type, or "
            "convert it "
            "with to(kFloat)");
}

TEST(Access, ByAccessor) {
  const Tensor t = counting({2, 3}).t();
  const auto a = t.accessor<float, 2>();
  EXPECT_EQ(a.size(0), 3);
  EXPECT_EQ(a[2][1], 5);
  a[2][1] = 50;
  EXPECT_EQ(to_array(t).v[5], 50);
  EXPECT_THROW((t.accessor<float, 1>()), Error);
  EXPECT_THROW((t.accessor<double, 2>()), Error);
}

TEST(Access, ByItem) {
  EXPECT_EQ(counting({1, 1}).add(3).item<float>(), 3.0f);
  EXPECT_EQ(counting({}, kLong).item<int64_t>(), 0);
  EXPECT_TRUE(counting({1}, kBool).item().isBoolean());
  EXPECT_EQ(counting({}).item().type(), kDouble);
  EXPECT_THAT(message_of([&] { counting({2}).item(); }), HasSubstr("Scalar"));
  EXPECT_THROW(counting({0}).item(), Error);
}

TEST(FromBlob, SharesTheMemoryAndCallsTheDeleterOnce) {
  std::vector<float> memory = {1, 2, 3, 4, 5, 6};
  int deleted = 0;
  {
    Tensor t = from_blob(memory.data(), {2, 3}, [&](void* p) {
      ++deleted;
      EXPECT_EQ(p, memory.data());
    });
    const Tensor v = t.select(0, 1);
    t = Tensor();
    EXPECT_EQ(deleted, 0);
    memory[3] = 40;
    EXPECT_THAT(to_array(v).v, ElementsAre(40, 5, 6));
    v.mul_(2);
  }
  EXPECT_EQ(deleted, 1);
  EXPECT_EQ(memory[5], 12);
  const Tensor strided = from_blob(memory.data(), {2}, {3});
  EXPECT_THAT(to_array(strided).v, ElementsAre(1, 80));
  std::vector<int64_t> longs = {7};
  EXPECT_EQ(from_blob(longs.data(), {1}, kLong).item<int64_t>(), 7);
}

// ---------------------------------------------------------------------- memory

TEST(Memory, IsAlignedTo64Bytes) {
  for (int64_t n : {1, 2, 3, 17, 1000, 100000, 3000000}) {
    const Tensor t = detail::make_tensor({n}, kChar, Device());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.data_ptr()) % 64, 0u) << n;
  }
}

TEST(Memory, IsReusedAndGivenBack) {
#if defined(TAPER_NO_POOL)
  GTEST_SKIP() << "this build has no memory pool: sanitizers see every block by itself";
#endif
  empty_host_cache();  // other tests' blocks may be all that it keeps
  { const Tensor big = detail::make_tensor({1 << 22}, kFloat, Device()); }
  const size_t cached = cached_host_memory();
  EXPECT_GE(cached, size_t{1} << 24);
  const Tensor again = detail::make_tensor({1 << 22}, kFloat, Device());
  EXPECT_LT(cached_host_memory(), cached);
  empty_host_cache();
  EXPECT_EQ(cached_host_memory(), 0u);
}

Tensor block_of(int64_t mebibytes) {
  return detail::make_tensor({mebibytes << 18}, kFloat, Device());
}

TEST(Memory, OfOneSizeServesAnother) {
#if defined(TAPER_NO_POOL)
  GTEST_SKIP() << "this build has no memory pool: sanitizers see every block by itself";
#endif
  empty_host_cache();
  {
    std::vector<Tensor> many;  // no page of it is touched
    for (int i = 0; i < 16; ++i) many.push_back(block_of(30));
  }
  const size_t cached = cached_host_memory(), mebibyte = size_t{1} << 20;
  EXPECT_GE(cached, 480 * mebibyte);
  const Tensor large = block_of(400);
  EXPECT_LE(cached_host_memory(), cached - 399 * mebibyte);
  const Tensor rest = block_of(70);
  EXPECT_LE(cached_host_memory(), cached - 469 * mebibyte);
  empty_host_cache();
}

// What is freed is one place with what is free beside it: later blocks of another size lie there,
// and leave large places to large ones.
TEST(Memory, OfManyIsOnePlaceForOthers) {
#if defined(TAPER_NO_POOL)
  GTEST_SKIP() << "this build has no memory pool: sanitizers see every block by itself";
#endif
  empty_host_cache();
  std::vector<Tensor> few;
  for (int i = 0; i < 16; ++i) few.push_back(block_of(1));
  Tensor large = block_of(20);
  const Tensor end = block_of(1);
  large.reset();
  const Tensor other = block_of(21);  // does not fit there
  few.clear();
  for (int i = 0; i < 16; ++i)
    few.push_back(detail::make_tensor({int64_t{3} << 16}, kFloat, Device()));
  large = block_of(20);
  // Of the 16 MiB that were free four are left, and a page beside each block.
  EXPECT_LE(cached_host_memory(), (size_t{4} << 20) + (size_t{1} << 17));
  few.clear();
  empty_host_cache();
}

TEST(Memory, TheCacheKeepsWhatWasInUseAtOnce) {
#if defined(TAPER_NO_POOL)
  GTEST_SKIP() << "this build has no memory pool: sanitizers see every block by itself";
#endif
  empty_host_cache();
  const auto make = [](size_t blocks) {  // of 200 MiB each, whose pages are not touched
    std::vector<Tensor> all;
    for (size_t i = 0; i < blocks; ++i) all.push_back(block_of(200));
    return all;
  };
  constexpr size_t kBlock = size_t{200} << 20, kSlack = kBlock / 10;
  make(9);
  EXPECT_GE(cached_host_memory(), 9 * kBlock);
  {
    const auto first = make(4);  // taken from there
    EXPECT_LT(cached_host_memory(), 5 * kBlock + kSlack);
    const Tensor other = block_of(600);
  }
  EXPECT_LT(cached_host_memory(), 9 * kBlock + kSlack);  // no more than before
  empty_host_cache();
  EXPECT_EQ(cached_host_memory(), 0u);
  for (int i = 0; i < 9; ++i) make(1);
  make(4);
  make(6);
  EXPECT_GE(cached_host_memory(), 6 * kBlock);
  EXPECT_LT(cached_host_memory(), 6 * kBlock + kSlack);
  empty_host_cache();
}

// More than 1 GiB is kept only where as much was in use.
TEST(Memory, TheCacheHasALimit) {
#if defined(TAPER_NO_POOL)
  GTEST_SKIP() << "this build has no memory pool: sanitizers see every block by itself";
#endif
  empty_host_cache();
  for (int64_t mebibytes = 20; mebibytes < 300; mebibytes += 20) {
    { const Tensor t = block_of(mebibytes); }
    EXPECT_LE(cached_host_memory(), size_t{1} << 30);
  }
  std::vector<Tensor> many;
  for (int i = 0; i < 40; ++i) many.push_back(block_of(60));
  const size_t most = size_t{41 * 60} << 20;
  for (Tensor& t : many) {
    t = Tensor();
    EXPECT_LE(cached_host_memory(), most);
  }
  empty_host_cache();
  EXPECT_EQ(cached_host_memory(), 0u);
}

TEST(Memory, BlocksOfAllSizesComeAndGo) {
  std::mt19937 random(0);
  struct Block {
    Tensor t;
    int64_t n;
    double value;
  };
  std::vector<Block> live;
  for (int i = 0; i < 3000; ++i) {
    if (i % 500 == 499) empty_host_cache();
    if (live.size() > 40 || (random() % 3 == 0 && !live.empty())) {
      std::swap(live[random() % live.size()], live.back());
      Block& b = live.back();
      // First and last element, and one between: blocks that overlap differ somewhere.
      for (const int64_t k : {int64_t{0}, b.n / 2, b.n - 1})
        EXPECT_EQ(b.t.data_ptr<float>()[k], static_cast<float>(b.value));
      live.pop_back();
    }
    const int64_t n = int64_t{1} << (8 + random() % 12);
    const int64_t size = n + static_cast<int64_t>(random()) % n;
    live.push_back({full({size}, i, kFloat), size, static_cast<double>(i)});
  }
  for (const Block& b : live) EXPECT_TRUE(b.t.eq(b.value).all().item<bool>());
}

TEST(Memory, SmallBlocksOfEachSizeLieApart) {
  const auto byte = [](size_t i) { return static_cast<double>(i % 251); };
  std::vector<Tensor> all;
  for (const int64_t around : {0, 64, 128, 640, 960, 1024, 1152, 4032, 4096})
    for (int64_t n = std::max<int64_t>(around - 1, 0); n <= around + 1; ++n)
      for (int copies = 0; copies < 3; ++copies) all.push_back(full({n}, byte(all.size()), kByte));
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(all[i].eq(byte(i)).all().item<bool>()) << all[i].numel() << " bytes";
    if (all[i].numel() > 0) EXPECT_EQ(reinterpret_cast<uintptr_t>(all[i].data_ptr()) % 64, 0u);
  }
}

TEST(Memory, AListThatIsFullGivesAway) {
  for (int round = 0; round < 2; ++round) {
    std::vector<Tensor> many;  // more than a list of free blocks holds
    for (int i = 0; i < 6000; ++i) many.push_back(full({3}, i, kFloat));
    for (int i = 0; i < 6000; ++i)
      EXPECT_EQ(testing::get_element(many[static_cast<size_t>(i)], 2), i);
    if (round == 0) std::thread([&] { many.clear(); }).join();
  }
}

TEST(Memory, BlocksOfMiddleSizeLieBesideEachOther) {
  std::vector<Tensor> all;
  const auto fill = [&](size_t i) {
    const int64_t n = 16000 + 41000 * static_cast<int64_t>(i % 23);
    all[i] = full({n}, static_cast<double>(i), kFloat);
  };
  const auto check = [&](const char* when) {
    for (size_t i = 0; i < all.size(); ++i)
      EXPECT_TRUE(all[i].eq(static_cast<double>(i)).all().item<bool>()) << i << ' ' << when;
  };
  all.resize(60);
  for (size_t i = 0; i < 60; ++i) fill(i);
  check("at first");
  for (size_t i = 0; i < 60; i += 2) all[i] = Tensor();
  empty_host_cache();  // half of them, but no chunk
  for (size_t i = 0; i < 60; i += 2) fill(i);
  check("after others were given back");
  all.clear();
  empty_host_cache();
  EXPECT_EQ(full({100000}, 3.0, kFloat).sum().item<float>(), 300000);
}

TEST(Memory, LargeRequestsFailWithAnErrorNotAnAbort) {
  const int64_t huge = int64_t{1} << 60;
  EXPECT_THROW(detail::make_tensor({huge}, kFloat, Device()), Error);
  EXPECT_THROW(detail::make_tensor({huge, huge}, kFloat, Device()), Error);
  EXPECT_THROW(detail::make_tensor({-1}, kFloat, Device()), Error);
  EXPECT_THROW(detail::make_tensor({0, -1}, kFloat, Device()), Error);
  EXPECT_THROW(detail::make_tensor(std::vector<int64_t>(13, 1), kFloat, Device()), Error);
  // Sizes are multiplied in their order: where one is 0 the product may overflow before it.
  EXPECT_THROW(detail::make_tensor({huge, huge, 0}, kFloat, Device()), Error);
  EXPECT_EQ(detail::make_tensor({0, huge, huge}, kFloat, Device()).numel(), 0);
  EXPECT_EQ(counting({3}).numel(), 3);
}

TEST(Memory, TravelsBetweenThreads) {
  std::vector<Tensor> made(200);
  std::thread([&] {
    for (size_t i = 0; i < made.size(); ++i)
      made[i] = counting({static_cast<int64_t>(i * 17 + 1)}).exp();
  }).join();
  for (size_t i = 0; i < made.size(); ++i)
    ASSERT_EQ(made[i].numel(), static_cast<int64_t>(i * 17 + 1));
  made.clear();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 2000; ++i) {
        const Tensor x = counting({i % 50 + 1});
        ASSERT_EQ(testing::get_element(x, i % 50), i % 50);
      }
    });
  for (std::thread& t : threads) t.join();
}

TEST(Memory, OfAViewIsItsBases) {
  const Tensor t = counting({4, 4});
  EXPECT_TRUE(t.select(0, 1).is_alias_of(t));
  EXPECT_FALSE(t.clone().is_alias_of(t));
  EXPECT_EQ(t.select(0, 1).storage_offset(), 4);
  EXPECT_EQ(t.storage().nbytes(), 64u);
}

TEST(Dims, HoldAtMostTwelve) {
  EXPECT_NO_THROW(counting(std::vector<int64_t>(12, 1)));
  EXPECT_THROW(counting(std::vector<int64_t>(13, 1)), Error);
}

struct Counted : intrusive_ptr_target {
  explicit Counted(int* count) : count(count) { ++*count; }
  ~Counted() override { --*count; }
  int* count;
};

TEST(Access, IntrusivePointersAndAccessors) {
  int alive = 0;
  {
    auto p = make_intrusive<Counted>(&alive);
    const intrusive_ptr<Counted> other = p;
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(p.use_count(), 2u);
  }
  EXPECT_EQ(alive, 0);
  const Tensor x = counting({2, 3});
  const PackedTensorAccessor32<float, 2, RestrictPtrTraits> a =
      x.packed_accessor32<float, 2, RestrictPtrTraits>();
  EXPECT_EQ(a[1][2], 5);
  EXPECT_EQ((x.packed_accessor64<float, 2>()[1][0]), 3);
  const autograd::AutoGradMode off(false);
  EXPECT_FALSE(GradMode::is_enabled());
  init_num_threads();
}

struct Derived : intrusive_ptr_target {};

TEST(Access, WeakPointersAndConversionsOfPointers) {
  using Base = intrusive_ptr_target;
  EXPECT_TRUE((std::is_convertible_v<const intrusive_ptr<Derived>&, intrusive_ptr<Base>>));
  EXPECT_FALSE((std::is_convertible_v<const intrusive_ptr<Base>&, intrusive_ptr<Derived>>));
  EXPECT_FALSE((std::is_convertible_v<intrusive_ptr<Base>, intrusive_ptr<Derived>>));
  auto p = make_intrusive<Derived>();
  const weak_intrusive_ptr<Derived> weak(p);
  EXPECT_EQ(weak.use_count(), 1u);
  const intrusive_ptr<Base> other = p;
  EXPECT_EQ(weak.use_count(), 2u);
  EXPECT_EQ(weak_intrusive_ptr<Derived>().use_count(), 0u);
  std::thread([&weak, dropped = std::move(p)]() mutable {
    const auto locked = weak.lock();
    dropped.reset();
  }).join();
  EXPECT_EQ(weak.use_count(), 1u);
  const_cast<intrusive_ptr<Base>&>(other).reset();
  EXPECT_TRUE(weak.expired());
}

TEST(Access, SlicesOfListsAreWithinThem) {
  const std::vector<int64_t> v{1, 2, 3};
  const IntArrayRef a(v);
  EXPECT_EQ(a.slice(1), (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(a.slice(3).empty() && a.slice(3, 0).empty());
  expect_error<IndexError>("exceeds length 3", [&] { a.slice(4); });
  expect_error<IndexError>("exceeds length 3", [&] { a.slice(2, 2); });
  expect_error<IndexError>("exceeds length 3", [&] { a.slice(1, SIZE_MAX); });
}

}  // namespace
}  // namespace torch::taper::testing
