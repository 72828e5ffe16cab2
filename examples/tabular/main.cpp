// Predicts the last column of a CSV file from the others, which are numbers or words.
//
//   tabular FILE [EPOCHS]     FILE: for example flats.csv in this folder; writes tabular.svg
#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pictures/arguments.h"
#include "pictures/svg.h"

namespace nn = torch::nn;
using torch::Tensor;

constexpr int64_t kPatience = 30, kBatch = 32;

using Column = std::vector<std::string>;

// The columns of a file of comma-separated fields without quotes. Its first line has the names.
std::vector<Column> read_columns(const std::string& path) {
  std::ifstream in(path);
  std::string line, field;
  if (!std::getline(in, line)) throw std::invalid_argument(path + ": cannot be read");
  std::vector<Column> columns(static_cast<size_t>(std::count(line.begin(), line.end(), ',')) + 1);
  for (int number = 2; std::getline(in, line); ++number) {
    std::istringstream fields(line + ',');
    size_t i = 0;
    for (; std::getline(fields, field, ','); ++i)
      if (i < columns.size()) columns[i].push_back(field);
    if (i != columns.size())
      throw std::invalid_argument(path + ", line " + std::to_string(number) + ": expected " +
                                  std::to_string(columns.size()) + " fields, got " +
                                  std::to_string(i));
  }
  if (columns[0].size() < 20) throw std::invalid_argument(path + ": expected at least 20 rows");
  return columns;
}

// Numbers (rows, 1), where an empty field is NaN. Undefined if a field is a word.
Tensor numbers(const Column& column) {
  std::vector<double> values;
  for (const std::string& text : column) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (*end != 0) return {};
    values.push_back(text.empty() ? std::numeric_limits<double>::quiet_NaN() : value);
  }
  return torch::tensor(values, torch::kFloat).unsqueeze(1);
}

// One column of zeros and ones for each word (rows, words).
Tensor one_hot(const Column& column) {
  Column words = column;
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::vector<int64_t> indices;
  for (const std::string& text : column)
    indices.push_back(std::lower_bound(words.begin(), words.end(), text) - words.begin());
  return torch::one_hot(torch::tensor(indices), static_cast<int64_t>(words.size()))
      .to(torch::kFloat);
}

// Scales to mean 0 and deviation 1 over the training rows. The other rows must not leak into
// training. An empty field becomes the mean.
Tensor normalized(const Tensor& x, const Tensor& training_rows) {
  const Tensor known = x.index_select(0, training_rows);
  const Tensor present = known.masked_select(known.isnan().logical_not());
  return torch::nan_to_num((x - present.mean()) / (present.std() + 1e-6), 0);
}

// All columns but the last (rows, features).
Tensor features_of(const std::vector<Column>& columns, const Tensor& training_rows) {
  std::vector<Tensor> features;
  for (size_t i = 0; i + 1 < columns.size(); ++i) {
    const Tensor x = numbers(columns[i]);
    features.push_back(x.defined() ? normalized(x, training_rows) : one_hot(columns[i]));
  }
  return torch::cat(features, 1);
}

int main(int argc, char** argv) try {
  if (argc < 2) throw std::invalid_argument("expected a CSV file: tabular FILE [EPOCHS]");
  const int epochs = count_argument(argc, argv, 2, "EPOCHS", 500);
  const std::vector<Column> columns = read_columns(argv[1]);
  const Tensor price = numbers(columns.back());
  if (!price.defined() || price.isnan().any().item<bool>())
    throw std::invalid_argument(std::string(argv[1]) + ": expected numbers in the last column");
  expect_writable("tabular.svg");

  // 70% of the rows for training, 15% to stop early, 15% for the test.
  torch::manual_seed(1);
  const int64_t count = price.size(0), part = count * 15 / 100;
  const std::vector<Tensor> parts =
      torch::randperm(count, torch::kLong).split_with_sizes({count - 2 * part, part, part});
  const Tensor train = parts[0], validation = parts[1], test = parts[2];
  const Tensor x = features_of(columns, train), y = normalized(price, train);
  nn::Sequential net(nn::Linear(x.size(1), 64), nn::ReLU(), nn::Linear(64, 64), nn::ReLU(),
                     nn::Linear(64, 1));
  torch::optim::AdamW optimizer(net->parameters(), torch::optim::AdamWOptions(2e-3));
  const auto loss_of = [&](const Tensor& rows) {
    return torch::mse_loss(net->forward(x.index_select(0, rows)), y.index_select(0, rows));
  };
  Series training{"training loss", {}, {}}, validating{"validation loss", {}, {}};
  std::vector<Tensor> best;
  double best_loss = std::numeric_limits<double>::infinity();
  for (int epoch = 1, without_gain = 0; epoch <= epochs && without_gain < kPatience; ++epoch) {
    const Tensor shuffled = train.index_select(0, torch::randperm(train.size(0), torch::kLong));
    for (const Tensor& batch : shuffled.split(kBatch)) {
      optimizer.zero_grad();
      loss_of(batch).backward();
      optimizer.step();
    }
    const torch::NoGradGuard no_grad;
    const double loss = loss_of(validation).item<double>();
    training.add(epoch, loss_of(train).item<double>());
    validating.add(epoch, loss);
    ++without_gain;
    if (loss >= best_loss) continue;
    best_loss = loss, without_gain = 0, best.clear();
    for (const Tensor& p : net->parameters()) best.push_back(p.clone());
  }

  const torch::NoGradGuard no_grad;
  const std::vector<Tensor> parameters = net->parameters();
  for (size_t i = 0; i < parameters.size(); ++i) torch::Tensor(parameters[i]).copy_(best[i]);
  std::printf("%d rows, %d features, stopped after epoch %.0f, best validation loss %.4f\n",
              static_cast<int>(count), static_cast<int>(x.size(1)), training.end(), best_loss);
  const Tensor known = price.index_select(0, train), truth = price.index_select(0, test);
  const Tensor guess = net->forward(x.index_select(0, test)) * known.std() + known.mean();
  std::printf("mean error of the test rows: %.1f, of always guessing the mean: %.1f\n",
              (guess - truth).abs().mean().item<double>(),
              (known.mean() - truth).abs().mean().item<double>());
  write_svg({training, validating}, "epoch", "tabular.svg");
} catch (const std::exception& e) {
  std::fprintf(stderr, "tabular: %s\n", e.what());
  return 1;
}
