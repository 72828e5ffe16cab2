// Recurrent modules and packed sequences. tests/parity/rnn.cpp compares their numbers with
// LibTorch.
#include <taper/nn/modules/rnn.h>
#include <taper/ops/sequence/rnn.h>

#include <gtest/gtest.h>

#include <sstream>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/random/random.h>
#include <taper/nn/any_module.h>
#include <taper/nn/modules/container/sequential.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/testing/gtest.h>

#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

namespace rnn = nn::utils::rnn;

bool equal(const Tensor& a, const Tensor& b) { return a.cpu().allclose(b.cpu(), 1e-5, 1e-6); }

TEST(RnnModule, ParametersHaveLibTorchsNamesAndSizes) {
  nn::LSTM lstm(nn::LSTMOptions(5, 4).num_layers(2).bidirectional(true).proj_size(3));
  std::ostringstream names;
  for (const auto& p : lstm->named_parameters()) names << p.key() << p.value().sizes() << " ";
  EXPECT_EQ(
      names.str().find("weight_ih_l0[16, 5] weight_hh_l0[16, 3] bias_ih_l0[16] bias_hh_l0[16] "
                       "weight_hr_l0[3, 4] weight_ih_l0_reverse[16, 5] "
                       "weight_hh_l0_reverse[16, 3] bias_ih_l0_reverse[16] "),
      0u)
      << names.str();
  EXPECT_EQ(lstm->all_weights().size(), 20u);
  EXPECT_TRUE(lstm->all_weights()[10].sizes() == IntArrayRef({16, 6}));
}

TEST(RnnModule, PrintsAsLibTorch) {
  std::ostringstream text;
  text << nn::GRU(nn::GRUOptions(5, 4).batch_first(true)) << nn::GRUCell(2, 3)
       << nn::RNNCell(nn::RNNCellOptions(2, 3).nonlinearity(kReLU).bias(false));
  EXPECT_EQ(text.str(),
            "torch::nn::GRU(input_size=5, hidden_size=4, num_layers=1, bias=true, "
            "batch_first=true, dropout=0, bidirectional=false)torch::nn::GRUCell(2, 3)"
            "torch::nn::RNNCell(2, 3, bias=false, nonlinearity=kReLU)");
}

TEST(RnnModule, LayersAndDirectionsAreCells) {
  manual_seed(1);
  nn::LSTM lstm(3, 4);
  nn::LSTMCell cell(3, 4);
  cell->weight_ih = lstm->all_weights()[0], cell->weight_hh = lstm->all_weights()[1];
  cell->bias_ih = lstm->all_weights()[2], cell->bias_hh = lstm->all_weights()[3];
  const Tensor x = randn({5, 2, 3});
  const auto [y, state] = lstm->forward(x);
  std::tuple<Tensor, Tensor> now{zeros({2, 4}), zeros({2, 4})};
  for (int64_t t = 0; t < 5; ++t) {
    now = cell->forward(x[t], now);
    EXPECT_TRUE(equal(y[t], std::get<0>(now)));
  }
  EXPECT_TRUE(equal(std::get<1>(state)[0], std::get<1>(now)));
}

TEST(RnnModule, PackedSequencesAreThatOfEachAlone) {
  manual_seed(2);
  nn::GRU gru(nn::GRUOptions(3, 4).num_layers(2).bidirectional(true));
  const std::vector<Tensor> list{randn({2, 3}), randn({5, 3}), randn({3, 3})};
  const auto [packed, h] = gru->forward_with_packed_input(rnn::pack_sequence(list, false));
  const auto [y, lengths] = rnn::pad_packed_sequence(packed, true);
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t n = list[static_cast<size_t>(i)].size(0);
    EXPECT_EQ(lengths[i].item<int64_t>(), n);
    const auto [alone, state] = gru->forward(list[static_cast<size_t>(i)].unsqueeze(1));
    EXPECT_TRUE(equal(y[i].narrow(0, 0, n), alone.squeeze(1)));
    EXPECT_TRUE(equal(h.select(1, i), state.squeeze(1)));
  }
}

TEST(RnnModule, DeviceGivesTheSame) {
  manual_seed(3);
  const testing::WithoutTf32 full_precision;
  nn::LSTM lstm(nn::LSTMOptions(3, 4).num_layers(2).batch_first(true));
  const Tensor x = randn({2, 5, 3});
  const Tensor y = std::get<0>(lstm->forward(x));
  y.sum().backward();
  const Tensor g = lstm->parameters()[1].grad().clone();
  lstm->zero_grad();
  lstm->to(Device("cuda:0"));
  const Tensor there = std::get<0>(lstm->forward(x.cuda()));
  there.sum().backward();
  EXPECT_TRUE(there.is_cuda());
  EXPECT_TENSOR_CLOSE(there.detach().cpu(), y.detach());
  EXPECT_TENSOR_CLOSE(lstm->parameters()[1].grad().cpu(), g);
  const auto packed = rnn::pack_padded_sequence(x.cuda(), tensor({5, 2}), true);
  const auto out = std::get<0>(lstm->forward_with_packed_input(packed));
  EXPECT_TRUE(out.is_cuda() && !out.batch_sizes().is_cuda());
  EXPECT_TENSOR_CLOSE(std::get<0>(rnn::pad_packed_sequence(out, true))[0].detach().cpu(),
                      y[0].detach());
}

TEST(RnnModule, CloneHasItsOwnWeights) {
  nn::RNN net(nn::RNNOptions(2, 3).nonlinearity(kReLU));
  const auto copy = std::dynamic_pointer_cast<nn::RNNImpl>(net->clone());
  const Tensor x = ones({2, 1, 2}), before = std::get<0>(net->forward(x)).detach().clone();
  {
    NoGradGuard no_grad;
    for (Tensor& p : net->parameters()) p.add_(1);
  }
  EXPECT_TRUE(equal(std::get<0>(copy->forward(x)), before));
  EXPECT_FALSE(equal(std::get<0>(net->forward(x)), before));
}

TEST(RnnModule, RunsInAnyModule) {
  nn::AnyModule any(nn::LSTM(3, 2));
  using Output = std::tuple<Tensor, std::tuple<Tensor, Tensor>>;
  EXPECT_EQ(std::get<0>(any.forward<Output>(ones({4, 1, 3}))).size(2), 2);
}

TEST(RnnModule, WrongArgumentsThrow) {
  nn::GRU gru(3, 2);
  nn::LSTM lstm(3, 2);
  const Tensor x = ones({4, 1, 3}), h = ones({1, 1, 2});
  EXPECT_EQ(message_of([&] {
              gru->forward(ones({4, 3}));
            }),
            "GRU: input must have 3 dimensions, got 2: an input of sizes [4, 3]");
  EXPECT_EQ(message_of([&] {
              gru->forward(ones({4, 1, 2}));
            }),
            "GRU: input.size(-1) must be equal to input_size. Expected 3, got 2: an input of sizes "
            "[4, 1, 2]");
  EXPECT_EQ(message_of([&] {
              gru->forward(x, ones({1, 2, 2}));
            }),
            "GRU: Expected hidden size 1 1 2, got [1, 2, 2]");
  EXPECT_EQ(message_of([&] {
              lstm->forward(x, std::make_tuple(h, ones({2, 1, 2})));
            }),
            "LSTM: Expected hidden[1] size 1 1 2, got [2, 1, 2]");
  EXPECT_EQ(message_of([&] {
              nn::GRUCell(3, 2)->forward(ones({1, 2}));
            }),
            "GRUCell: input has inconsistent input_size: got 2 expected 3");
  EXPECT_NE(message_of([] { nn::GRU(nn::GRUOptions(3, 2).dropout(2)); }), "no error");
  EXPECT_NE(message_of([] { nn::LSTM(nn::LSTMOptions(3, 2).proj_size(2)); }), "no error");
}

// Each check of each cell: of the input, and of each state.
TEST(RnnModule, CellsRefuseWrongSizes) {
  const Tensor x = ones({2, 3}), h = zeros({2, 4});
  const auto expect_checks = [&](const std::string& name, const std::string& label,
                                 const std::function<void(const Tensor&, const Tensor&)>& run) {
    EXPECT_EQ(message_of([&] { run(x[0], h); }), name + ": input must have 2 dimensions, got 1");
    EXPECT_EQ(message_of([&] {
                run(ones({2, 5}), h);
              }),
              name + ": input has inconsistent input_size: got 5 expected 3");
    EXPECT_EQ(message_of([&] { run(x, h[0]); }),
              name + ": " + label + " must have 2 dimensions, got 1");
    EXPECT_EQ(message_of([&] {
                run(x, zeros({3, 4}));
              }),
              name + ": Input batch size 2 doesn't match " + label + " batch size 3");
    EXPECT_EQ(message_of([&] {
                run(x, zeros({2, 5}));
              }),
              name + ": " + label + " has inconsistent hidden_size: got 5, expected 4");
    EXPECT_NO_THROW(run(x, h));
  };
  nn::RNNCell rnn_cell(3, 4);
  nn::GRUCell gru(3, 4);
  nn::LSTMCell lstm(3, 4);
  expect_checks("RNNCell", "hidden", [&](const Tensor& a, const Tensor& b) { rnn_cell(a, b); });
  expect_checks("GRUCell", "hidden", [&](const Tensor& a, const Tensor& b) { gru(a, b); });
  expect_checks("LSTMCell", "hidden[0]",
                [&](const Tensor& a, const Tensor& b) { lstm->forward(a, std::make_tuple(b, h)); });
  expect_checks("LSTMCell", "hidden[1]",
                [&](const Tensor& a, const Tensor& b) { lstm->forward(a, std::make_tuple(h, b)); });
}

TEST(RnnModule, DropoutActsBetweenLayersInTrainingOnly) {
  manual_seed(4);
  nn::GRU gru(nn::GRUOptions(3, 8).num_layers(2).dropout(0.5));
  const Tensor x = randn({4, 2, 3});
  EXPECT_FALSE(equal(std::get<0>(gru->forward(x)), std::get<0>(gru->forward(x))));
  gru->eval();
  EXPECT_TRUE(equal(std::get<0>(gru->forward(x)), std::get<0>(gru->forward(x))));
}

TEST(PackedSequenceTest, IndicesUndoTheOrder) {
  const auto p = rnn::pack_padded_sequence(ones({3, 3, 1}), tensor({1, 3, 2}), false, false);
  EXPECT_TRUE(p.sorted_indices().equal(tensor({1, 2, 0})));
  EXPECT_TRUE(p.unsorted_indices().equal(tensor({2, 0, 1})));
  EXPECT_TRUE(rnn::invert_permutation(p.sorted_indices()).equal(p.unsorted_indices()));
  EXPECT_EQ(p.to(kDouble).data().scalar_type(), kDouble);
  EXPECT_TRUE(p.cuda().sorted_indices().is_cuda());
  EXPECT_FALSE(rnn::invert_permutation(Tensor()).defined());
  EXPECT_NE(message_of([&] { rnn::PackedSequence(p.data(), p.batch_sizes().cuda()); }), "no error");
}

TEST(PackedSequences, LengthsAreOfOneDimensionAndTheTotalIsLongEnough) {
  const Tensor x = ones({3, 2, 1});
  EXPECT_NE(message_of([&] {
              rnn::pack_padded_sequence(x, tensor({{3, 2}}));
            }).find("1D"),
            std::string::npos);
  const auto packed = rnn::pack_padded_sequence(x, tensor({3, 2}));
  for (int64_t total : {-1, 0, 2})
    EXPECT_NE(
        message_of([&] { rnn::pad_packed_sequence(packed, false, 0, total); }).find("total_length"),
        std::string::npos);
  EXPECT_EQ(std::get<0>(rnn::pad_packed_sequence(packed, false, 0, 4)).size(0), 4);
}

TEST(RnnModule, PlainNetsAndCellsAgree) {
  manual_seed(5);
  const Tensor x = randn({4, 2, 3});
  for (bool relu : {false, true}) {
    nn::RNNOptions options(3, 5);
    nn::RNNCellOptions of_cell(3, 5);
    if (relu) options.nonlinearity(kReLU), of_cell.nonlinearity(kReLU);
    nn::RNN net(options);
    nn::RNNCell cell(of_cell);
    cell->weight_ih = net->all_weights()[0], cell->weight_hh = net->all_weights()[1];
    cell->bias_ih = net->all_weights()[2], cell->bias_hh = net->all_weights()[3];
    Tensor h;
    for (int64_t t = 0; t < 4; ++t) h = h.defined() ? cell->forward(x[t], h) : cell->forward(x[t]);
    const auto [y, last] = net->forward(x);
    EXPECT_TRUE(equal(y[3], h) && equal(last[0], h));
    const auto [packed, state] =
        net->forward_with_packed_input(rnn::pack_sequence({x.select(1, 0), x.select(1, 1)}));
    EXPECT_TRUE(equal(state, last));
  }
}

TEST(RnnModule, CellsBeginWithZeros) {
  const Tensor x = randn({2, 3}), zero = zeros({2, 4});
  nn::GRUCell gru(3, 4);
  EXPECT_TRUE(equal(gru->forward(x), gru->forward(x, zero)));
  nn::LSTMCell lstm(3, 4);
  const auto want = lstm->forward(x, std::tuple<Tensor, Tensor>{zero, zero});
  EXPECT_TRUE(equal(std::get<0>(lstm->forward(x)), std::get<0>(want)));
  EXPECT_TRUE(equal(std::get<1>(lstm->forward(x)), std::get<1>(want)));
}

TEST(RnnModule, SequentialFillsInTheStates) {
  const Tensor x = randn({4, 2, 3});
  using Pair = std::tuple<Tensor, Tensor>;
  nn::RNN net(3, 5);
  EXPECT_TRUE(equal(std::get<0>(nn::Sequential(net)->forward<Pair>(x)), std::get<0>(net(x))));
  nn::GRU gru(3, 5);
  EXPECT_TRUE(equal(std::get<0>(nn::Sequential(gru)->forward<Pair>(x)), std::get<0>(gru(x))));
  nn::RNNCell cell(3, 5);
  EXPECT_TRUE(equal(nn::Sequential(cell)->forward(x[0]), cell(x[0])));
}

TEST(RnnModule, RefusesNoLayersAndNoFeatures) {
  expect_error("LSTM: num_layers must be greater than zero",
               [] { nn::LSTM(nn::LSTMOptions(3, 4).num_layers(0)); });
  expect_error("GRU: num_layers must be greater than zero",
               [] { nn::GRU(nn::GRUOptions(3, 4).num_layers(-1)); });
  expect_error("RNN: hidden_size must be greater than zero", [] { nn::RNN(3, 0); });
  const Tensor x = ones({2, 1, 3}), h = ones({0, 1, 4});
  expect_error("num_layers must be greater than zero", [&] {
    lstm(x, {h, h}, {}, true, 0, 0, false, false, false);
  });
}

TEST(PackedSequence, PinsWhatCopiesRead) {
  const auto packed = rnn::pack_sequence({ones({1, 3}), ones({2, 3})}, false);
  const auto pinned = packed.pin_memory();
  EXPECT_TRUE(pinned.data().is_pinned() && pinned.sorted_indices().is_pinned());
  EXPECT_FALSE(pinned.batch_sizes().is_pinned());
  EXPECT_TRUE(pinned.data().equal(packed.data()));
}

TEST(Lstm, WarnsOfDropoutWithoutALayerBehind) {
  expect_warning(
      "non-zero dropout expects num_layers greater than 1, but got dropout=0.5 and num_layers=1",
      [] { nn::LSTM(nn::LSTMOptions(2, 3).dropout(0.5)); });
  EXPECT_TRUE(
      warnings_of([] { nn::LSTM(nn::LSTMOptions(2, 3).dropout(0.5).num_layers(2)); }).empty());
}

}  // namespace
}  // namespace torch::taper::testing
