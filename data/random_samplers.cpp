#include <taper/data/random_samplers.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include <taper/framework/io/archive.h>
#include <taper/framework/random/random.h>
#include <taper/ops/random/rand.h>

namespace torch::taper::data::samplers {
namespace {

/// PyTorch's sampler draws this many numbers at once. The chunk size changes the numbers.
constexpr size_t kChunk = 32;

std::vector<size_t> indices_of(const Tensor& t) {
  const int64_t* p = t.data_ptr<int64_t>();
  return {p, p + t.numel()};
}

/// Returns a generator seeded by the default generator.
Generator seeded_generator() {
  const Tensor seed = taper::detail::make_tensor(IntArrayRef{}, kLong, Device());
  seed.random_();
  return taper::detail::createCPUGenerator(static_cast<uint64_t>(seed.item<int64_t>()));
}

}  // namespace

// ---------------------------------------------------------------------- what all share
void DrawnSampler::reset(optional<size_t> new_size) {
  indices_ = draw(new_size);
  index_ = 0;
}

optional<std::vector<size_t>> DrawnSampler::next(size_t batch_size) {
  const size_t count = std::min(batch_size, indices_.size() - index_);
  if (count == 0) return nullopt;
  const auto first = indices_.begin() + static_cast<std::ptrdiff_t>(index_);
  index_ += count;
  return std::vector<size_t>(first, first + static_cast<std::ptrdiff_t>(count));
}

void DrawnSampler::save(serialize::OutputArchive& archive) const {
  archive.write("index", IValue(static_cast<int64_t>(index_)));
  archive.write("indices", IValue(std::vector<int64_t>(indices_.begin(), indices_.end())));
}

void DrawnSampler::load(serialize::InputArchive& archive) {
  IValue index, indices;
  archive.read("index", index);
  archive.read("indices", indices);
  const std::vector<int64_t>& list = indices.toIntVector();
  const bool fits = std::all_of(list.begin(), list.end(), [](int64_t i) { return i >= 0; }) &&
                    index.toInt() >= 0 && static_cast<size_t>(index.toInt()) <= list.size();
  TAPER_CHECK(fits, "Sampler: expected a list of indices and a place in it, got something else");
  indices_.assign(list.begin(), list.end());
  index_ = static_cast<size_t>(index.toInt());
}

// ---------------------------------------------------------------------- with replacement
ReplacementSampler::ReplacementSampler(size_t size, optional<size_t> num_samples,
                                       optional<Generator> generator)
    : size_(size), num_samples_(num_samples), generator_(std::move(generator)) {
  TAPER_CHECK_VALUE(num_samples.value_or(size) > 0 && size > 0,
                    "num_samples should be a positive integer value, but got num_samples=",
                    num_samples.value_or(size));
  DrawnSampler::reset();
}

std::vector<size_t> ReplacementSampler::draw(optional<size_t> new_size) {
  if (new_size) size_ = *new_size;
  const Generator generator = generator_ ? *generator_ : seeded_generator();
  const size_t count = num_samples_.value_or(size_);
  std::vector<size_t> indices;
  while (indices.size() < count) {
    const auto n = static_cast<int64_t>(std::min(kChunk, count - indices.size()));
    const Tensor some = randint(static_cast<int64_t>(size_), {n}, generator, kLong);
    for (size_t i : indices_of(some)) indices.push_back(i);
  }
  return indices;
}

// ---------------------------------------------------------------------- a list
SubsetRandomSampler::SubsetRandomSampler(std::vector<size_t> indices, optional<Generator> generator)
    : all_(std::move(indices)), generator_(std::move(generator)) {
  DrawnSampler::reset();
}

std::vector<size_t> SubsetRandomSampler::draw(optional<size_t>) {
  std::vector<size_t> indices = indices_of(randperm(static_cast<int64_t>(all_.size()), generator_));
  for (size_t& i : indices) i = all_[i];
  return indices;
}

// ---------------------------------------------------------------------- by weight
WeightedRandomSampler::WeightedRandomSampler(std::vector<double> weights, size_t num_samples,
                                             bool replacement, optional<Generator> generator)
    : weights_(std::move(weights)),
      num_samples_(num_samples),
      replacement_(replacement),
      generator_(std::move(generator)) {
  TAPER_CHECK_VALUE(
      num_samples > 0,
      "num_samples should be a positive integer value, but got num_samples=", num_samples);
  DrawnSampler::reset();
}

std::vector<size_t> WeightedRandomSampler::draw(optional<size_t>) {
  const auto count = static_cast<int64_t>(weights_.size());
  const Tensor weights = taper::detail::make_tensor({count}, kDouble, Device());
  if (count > 0) std::memcpy(weights.data_ptr(), weights_.data(), weights_.size() * sizeof(double));
  return indices_of(
      multinomial(weights, static_cast<int64_t>(num_samples_), replacement_, generator_));
}

// ---------------------------------------------------------------------- for one of several ranks
DistributedDrawnSampler::DistributedDrawnSampler(size_t size, size_t num_replicas, size_t rank,
                                                 bool shuffle, uint64_t seed, bool drop_last)
    : size_(size),
      num_replicas_(num_replicas),
      rank_(rank),
      seed_(seed),
      shuffle_(shuffle),
      drop_last_(drop_last) {
  TAPER_CHECK_VALUE(rank < num_replicas, "DistributedDrawnSampler: expected a rank below ",
                    num_replicas, ", got ", rank);
  DrawnSampler::reset();
}

std::vector<size_t> DistributedDrawnSampler::draw(optional<size_t> new_size) {
  if (new_size) size_ = *new_size;
  std::vector<size_t> all(size_);
  std::iota(all.begin(), all.end(), size_t{0});
  if (shuffle_)
    all = indices_of(
        randperm(static_cast<int64_t>(size_), taper::detail::createCPUGenerator(seed_ + epoch_)));
  const size_t count = (size_ + (drop_last_ ? 0 : num_replicas_ - 1)) / num_replicas_;
  std::vector<size_t> mine;
  for (size_t i = 0; i < count; ++i) mine.push_back(all[(rank_ + i * num_replicas_) % size_]);
  return mine;
}

}  // namespace torch::taper::data::samplers
