// Datasets of tensors, of chunks, and of parts of other datasets.
#include <cmath>
#include <cstring>
#include <numeric>

#include <taper/data/datasets/chunk.h>
#include <taper/data/datasets/parts.h>
#include <taper/data/datasets/tensor.h>
#include <taper/framework/runtime/access.h>
#include <taper/ops/random/rand.h>

// ---------------------------------------------------------------------- tensor
namespace torch::taper::data::datasets {

Tensor detail::rows_at(const char* name, const Tensor& x, ArrayRef<size_t> indices) {
  taper::detail::check_not_capturing(name, Device());
  const auto count = static_cast<int64_t>(indices.size());
  Tensor rows = taper::detail::make_tensor({count}, kLong, Device(kCPU));
  static_assert(sizeof(size_t) == sizeof(int64_t), "indices are copied as they are");
  if (count) std::memcpy(rows.data_ptr(), indices.data(), indices.size() * sizeof(int64_t));
  return x.index_select(0, rows.to(x.device()));
}

TensorDataset::TensorDataset(const std::vector<Tensor>& tensors)
    : TensorDataset(transforms::detail::stack(tensors)) {}

TensorDataset::TensorDataset(Tensor t) : tensor(std::move(t)) {
  TAPER_CHECK(tensor.dim() > 0,
              "TensorDataset: expected a tensor of at least one dimension, got a 0-dim tensor");
}

TensorExample TensorDataset::get(size_t index) {
  return tensor.select(0, static_cast<int64_t>(index));
}

TensorExample TensorDataset::get_stacked(ArrayRef<size_t> indices) {
  return detail::rows_at("TensorDataset", tensor, indices);
}

}  // namespace torch::taper::data::datasets

// ---------------------------------------------------------------------- chunk
namespace torch::taper::data::datasets {

ChunkDatasetOptions::ChunkDatasetOptions(size_t preloader_count, size_t batch_size,
                                         size_t cache_size, size_t cross_chunk_shuffle_count)
    : preloader_count_(preloader_count),
      batch_size_(batch_size),
      cache_size_(cache_size),
      cross_chunk_shuffle_count_(cross_chunk_shuffle_count) {
  TAPER_CHECK(preloader_count > 0,
              "Preloader count is 0. At least one preloader needs to be specified.");
  TAPER_CHECK(batch_size > 0, "Batch size is 0. A positive batch size needs to be specified.");
  TAPER_CHECK(cache_size > 0, "Cache size is 0. A positive cache size needs to be specified.");
  TAPER_CHECK(cache_size >= batch_size,
              "Cache size is less than batch size. Cache needs to be large enough to hold at least "
              "one batch.");
  TAPER_CHECK(cross_chunk_shuffle_count > 0,
              "cross_chunk_shuffle_count needs to be greater than 0.");
}

}  // namespace torch::taper::data::datasets

// ---------------------------------------------------------------------- parts
namespace torch::taper::data::datasets::detail {

std::vector<std::vector<size_t>> random_parts(size_t count, const std::vector<size_t>& lengths,
                                              const optional<Generator>& generator) {
  const size_t sum = std::accumulate(lengths.begin(), lengths.end(), size_t{0});
  TAPER_CHECK_VALUE(sum == count,
                    "random_split: Sum of input lengths does not equal the length of the input "
                    "dataset! Got ",
                    sum, " for ", count, " examples");
  const Tensor order = randperm(static_cast<int64_t>(count), generator);
  const int64_t* at = order.data_ptr<int64_t>();
  std::vector<std::vector<size_t>> parts;
  for (size_t n : lengths) {
    parts.emplace_back(at, at + n);
    at += n;
  }
  return parts;
}

std::vector<size_t> lengths_of(size_t count, const std::vector<double>& fractions) {
  double sum = 0;
  for (double f : fractions) {
    TAPER_CHECK_VALUE(f >= 0 && f <= 1, "random_split: expected fractions between 0 and 1, got ",
                      f);
    sum += f;
  }
  TAPER_CHECK_VALUE(std::fabs(sum - 1) <= 1e-9,
                    "random_split: expected fractions that add up to 1, got ", sum);
  std::vector<size_t> lengths;
  size_t given = 0;
  for (double f : fractions) {
    lengths.push_back(static_cast<size_t>(std::floor(static_cast<double>(count) * f)));
    given += lengths.back();
  }
  for (size_t i = 0; given < count; ++i, ++given) ++lengths[i % lengths.size()];
  return lengths;
}

}  // namespace torch::taper::data::datasets::detail
