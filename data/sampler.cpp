#include <taper/data/sampler.h>
#include <taper/framework/io/archive.h>
#include <taper/ops/random/rand.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace torch::taper::data::samplers {
namespace {

void write_number(serialize::OutputArchive& archive, const char* name, size_t value) {
  archive.write(name, IValue(static_cast<int64_t>(value)));
}

size_t read_number(serialize::InputArchive& archive, const char* name) {
  IValue value;
  archive.read(name, value);
  TAPER_CHECK(value.toInt() >= 0, "Sampler: expected ", name, " of at least 0, got ",
              value.toInt());
  return static_cast<size_t>(value.toInt());
}

}  // namespace

// ---------------------------------------------------------------------- sequential
void SequentialSampler::reset(optional<size_t> new_size) {
  if (new_size) size_ = *new_size;
  index_ = 0;
}

optional<std::vector<size_t>> SequentialSampler::next(size_t batch_size) {
  const size_t count = std::min(batch_size, size_ - std::min(index_, size_));
  if (count == 0) return nullopt;
  std::vector<size_t> batch(count);
  std::iota(batch.begin(), batch.end(), index_);
  index_ += count;
  return batch;
}

void SequentialSampler::save(serialize::OutputArchive& archive) const {
  write_number(archive, "index", index_);
}
void SequentialSampler::load(serialize::InputArchive& archive) {
  index_ = read_number(archive, "index");
}

// ---------------------------------------------------------------------- random
RandomSampler::RandomSampler(int64_t size, Dtype index_dtype)
    : indices_(randperm(size, TensorOptions(index_dtype).device(kCPU))) {}

RandomSampler::~RandomSampler() = default;

void RandomSampler::reset(optional<size_t> new_size) {
  const int64_t size = new_size ? static_cast<int64_t>(*new_size) : indices_.numel();
  indices_ = randperm(size, indices_.options());
  index_ = 0;
}

optional<std::vector<size_t>> RandomSampler::next(size_t batch_size) {
  const int64_t left = indices_.numel() - index_;
  const int64_t count =
      left < static_cast<int64_t>(batch_size) ? left : static_cast<int64_t>(batch_size);
  if (count <= 0) return nullopt;
  std::vector<size_t> batch(static_cast<size_t>(count));
  switch_dtype<dtypes::Integral>(indices_.scalar_type(), "RandomSampler", [&]<class scalar_t>() {
    const scalar_t* from = indices_.data_ptr<scalar_t>() + index_;
    for (size_t i = 0; i < batch.size(); ++i) batch[i] = static_cast<size_t>(from[i]);
  });
  index_ += count;
  return batch;
}

void RandomSampler::save(serialize::OutputArchive& archive) const {
  write_number(archive, "index", index());
  archive.write("indices", indices_, /*is_buffer=*/true);
}
void RandomSampler::load(serialize::InputArchive& archive) {
  const size_t index = read_number(archive, "index");
  Tensor indices;
  archive.read("indices", indices, /*is_buffer=*/true);
  TAPER_CHECK(isIntegralType(indices.scalar_type(), false) && indices.dim() == 1,
              "RandomSampler: expected a list of indices, got a tensor of dtype ",
              indices.scalar_type(), " and sizes ", indices.sizes());
  indices_ = indices.contiguous();
  index_ = static_cast<int64_t>(index);
}

// ---------------------------------------------------------------------- stream
void StreamSampler::reset(optional<size_t> new_size) {
  if (new_size) epoch_size_ = *new_size;
  examples_retrieved_so_far_ = 0;
}

optional<BatchSize> StreamSampler::next(size_t batch_size) {
  if (examples_retrieved_so_far_ >= epoch_size_) return nullopt;
  const size_t count = std::min(batch_size, epoch_size_ - examples_retrieved_so_far_);
  examples_retrieved_so_far_ += count;
  return BatchSize(count);
}

void StreamSampler::save(serialize::OutputArchive& archive) const {
  write_number(archive, "examples_retrieved_so_far", examples_retrieved_so_far_);
}
void StreamSampler::load(serialize::InputArchive& archive) {
  examples_retrieved_so_far_ = read_number(archive, "examples_retrieved_so_far");
}

// ---------------------------------------------------------------------- distributed
void DistributedListSampler::reset(optional<size_t> new_size) {
  if (new_size) size_ = *new_size;
  const size_t local = local_sample_count();
  all_indices_.resize(num_replicas_ == 1 ? size_ : local * num_replicas_);
  for (size_t i = 0; i < all_indices_.size(); ++i) all_indices_[i] = size_ ? i % size_ : 0;
  order(all_indices_);
  begin_index_ = sample_index_ = rank_ * local;
  end_index_ = begin_index_ + local;
}

optional<std::vector<size_t>> DistributedListSampler::next(size_t batch_size) {
  const size_t count = std::min(batch_size, end_index_ - sample_index_);
  if (count == 0) return nullopt;
  const auto first = all_indices_.begin() + static_cast<std::ptrdiff_t>(sample_index_);
  sample_index_ += count;
  return std::vector<size_t>(first, first + static_cast<std::ptrdiff_t>(count));
}

void DistributedListSampler::save(serialize::OutputArchive& archive) const {
  write_number(archive, "sample_index", sample_index_);
  write_number(archive, "epoch", epoch_);
}
void DistributedListSampler::load(serialize::InputArchive& archive) {
  const size_t epoch = read_number(archive, "epoch");
  const size_t index = read_number(archive, "sample_index");
  TAPER_CHECK(index >= begin_index_ && index <= end_index_,
              "DistributedSampler: expected a place from ", begin_index_, " to ", end_index_,
              ", got ", index, "; the archive is of another replica or data set");
  set_epoch(epoch);
  reset();
  sample_index_ = index;
}

DistributedRandomSampler::DistributedRandomSampler(size_t size, size_t num_replicas, size_t rank,
                                                   bool allow_duplicates)
    : DistributedListSampler(size, num_replicas, rank, allow_duplicates) {
  reset();
}

void DistributedRandomSampler::order(std::vector<size_t>& indices) const {
  std::mt19937 random(static_cast<uint32_t>(epoch_));
  std::shuffle(indices.begin(), indices.end(), random);
}

DistributedSequentialSampler::DistributedSequentialSampler(size_t size, size_t num_replicas,
                                                           size_t rank, bool allow_duplicates)
    : DistributedListSampler(size, num_replicas, rank, allow_duplicates) {
  reset();
}

void DistributedSequentialSampler::order(std::vector<size_t>&) const {}

}  // namespace torch::taper::data::samplers
