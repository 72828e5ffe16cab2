// The state of a run, and how a Trainer's checkpoint stores it.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/check.h>
#include <taper/framework/io/archive.h>
#include <taper/framework/random/generator_states.h>
#include <taper/framework/random/random.h>
#include <taper/framework/runtime/devices.h>
#include <taper/ops/tensor/factory.h>

#pragma GCC visibility push(default)

namespace torch::taper::train {

/// The results of an epoch.
struct EpochResult {
  int64_t epoch = 0;  ///< number of the epoch, from 1
  double loss = 0;    ///< mean over the training samples
  /// Mean over the validation samples, NaN without validation.
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> metrics;  ///< metrics of the validation, in the order of add_metric()
};

namespace detail {

/// Returns a row for each epoch: losses, then metrics.
inline Tensor rows_of(const std::vector<EpochResult>& results, size_t num_metrics) {
  const auto width = static_cast<int64_t>(2 + num_metrics);
  Tensor rows = zeros({static_cast<int64_t>(results.size()), width}, kDouble);
  double* number = rows.data_ptr<double>();
  for (const EpochResult& r : results) {
    *number++ = r.loss;
    *number++ = r.validation_loss;
    for (size_t i = 0; i < num_metrics; ++i)
      *number++ = i < r.metrics.size() ? r.metrics[i] : std::nan("");
  }
  return rows;
}

/// Reads the results from an archive. Throws Error if the number of metrics differs. `file` is the
/// name of the file, for the message.
inline std::vector<EpochResult> read_results(serialize::InputArchive& archive, size_t num_metrics,
                                             const std::string& file) {
  serialize::InputArchive place;
  archive.read("position", place);
  Tensor rows;
  place.read("results", rows, true);
  TAPER_CHECK(rows.dim() == 2 && rows.size(1) == static_cast<int64_t>(2 + num_metrics), file,
              ": expected results with ", num_metrics, " metrics, got sizes ", rows.sizes());
  const double* number = rows.data_ptr<double>();
  std::vector<EpochResult> results;
  for (int64_t i = 0; i < rows.size(0); ++i, number += rows.size(1))
    results.push_back({i + 1, number[0], number[1], {number + 2, number + rows.size(1)}});
  return results;
}

/// The position in a run: the number of finished epochs, batches and samples.
struct Position {
  int64_t epoch = 0, batch = 0, samples = 0;
  double loss_sum = 0;
  Tensor generator_at_epoch;  ///< state of the generator before this epoch's order of samples was
                              ///< drawn
  /// State of the generator before the last batch was read from the loader.
  Tensor generator_at_read;

  /// Writes the position with `results`, see rows_of().
  void write(serialize::OutputArchive& archive, const Tensor& results) const {
    serialize::OutputArchive place;
    place.write("epoch", IValue(epoch));
    place.write("batch", IValue(batch));
    place.write("samples", IValue(samples));
    place.write("loss_sum", IValue(batch > 0 ? loss_sum : 0.));
    if (batch > 0) place.write("generator", generator_at_epoch, true);
    if (batch > 0) place.write("generator_at_read", generator_at_read, true);
    place.write("results", results, true);
    archive.write("position", place);
  }
  static Position read(serialize::InputArchive& archive) {
    serialize::InputArchive place;
    archive.read("position", place);
    const auto value = [&](const char* key) {
      IValue number;
      place.read(key, number);
      return number;
    };
    Position position{value("epoch").toInt(),
                      value("batch").toInt(),
                      value("samples").toInt(),
                      value("loss_sum").toDouble(),
                      {},
                      {}};
    if (position.batch > 0) place.read("generator", position.generator_at_epoch, true);
    if (position.batch > 0) place.try_read("generator_at_read", position.generator_at_read, true);
    return position;
  }
};

/// Returns the states of all default generators, for a checkpoint.
inline std::vector<Tensor> states_of_generators() {
  std::vector<Tensor> states;
  for (const Generator& g : taper::detail::default_generators()) states.push_back(g.get_state());
  return states;
}

inline void write_generators(serialize::OutputArchive& archive) {
  serialize::OutputArchive random;
  const auto states = states_of_generators();
  for (size_t i = 0; i < states.size(); ++i) random.write(std::to_string(i), states[i], true);
  archive.write("generators", random);
}
/// Reads the states of the generators. If the archive was written with fewer devices, the missing
/// states are undefined.
inline std::vector<Tensor> read_generators(serialize::InputArchive& archive) {
  serialize::InputArchive random;
  archive.read("generators", random);
  std::vector<Tensor> states(taper::detail::default_generators().size());
  for (size_t i = 0; i < states.size(); ++i) random.try_read(std::to_string(i), states[i], true);
  return states;
}
inline void set_generators(const std::vector<Tensor>& states) {
  auto all = taper::detail::default_generators();
  for (size_t i = 0; i < states.size(); ++i)
    if (states[i].defined()) all[i].set_state(states[i]);
}

}  // namespace detail
}  // namespace torch::taper::train

#pragma GCC visibility pop
