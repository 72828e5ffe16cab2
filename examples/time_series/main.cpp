// A causal convolutional network forecasts the next day of an hourly series.
//
//   time_series [STEPS]     writes time_series.svg: the last week and its forecasts
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "pictures/arguments.h"
#include "pictures/svg.h"

namespace nn = torch::nn;
using torch::Tensor;

constexpr double kPi = 3.14159265358979323846;
constexpr int64_t kDay = 24, kWeek = 7 * kDay, kHours = 40 * kWeek, kTest = 4 * kWeek;
constexpr int64_t kWindow = 3 * kWeek, kBatch = 16;

// The demand for power of an invented town: days, weekends and weather that changes slowly.
Tensor demand() {
  std::vector<float> y;
  double weather = 0;
  const Tensor noise = torch::randn({kHours, 2});
  for (int64_t t = 0; t < kHours; ++t) {
    const double hour = static_cast<double>(t % kDay), day = 2 * kPi * hour / kDay;
    const bool weekend = t % kWeek >= 5 * kDay;
    weather = 0.98 * weather + 0.06 * noise[t][0].item<double>();
    const double people = (weekend ? 0.5 : 1) * (1 - std::cos(day) + 0.4 * std::sin(2 * day));
    y.push_back(static_cast<float>(3 + people + weather * (1 + 0.3 * people) +
                                   0.05 * noise[t][1].item<double>()));
  }
  return torch::tensor(y);
}

// Each output sees only the present and the past: all padding is on the left.
class CausalConvImpl : public nn::Module {
 public:
  CausalConvImpl(int64_t channels, int64_t dilation) : padding(2 * dilation) {
    conv = register_module("conv",
                           nn::Conv1d(nn::Conv1dOptions(channels, channels, 3).dilation(dilation)));
  }
  Tensor forward(const Tensor& x) {  // (N, C, L) to (N, C, L)
    return x + conv(torch::constant_pad_nd(x, {padding, 0})).relu();
  }

 private:
  int64_t padding;
  nn::Conv1d conv{nullptr};
};
TORCH_MODULE(CausalConv);

// Maps series (N, 1, L) to forecasts (N, 24, L): at each hour, the 24 hours after it. The
// dilations double, so that it sees 255 hours, which is more than a week.
nn::Sequential make_net() {
  constexpr int64_t kChannels = 32;
  nn::Sequential net(nn::Conv1d(1, kChannels, 1));
  for (const int64_t dilation : {1, 2, 4, 8, 16, 32, 64})
    net->push_back(CausalConv(kChannels, dilation));
  net->push_back(nn::Conv1d(kChannels, kDay, 1));
  return net;
}

std::vector<double> numbers(const Tensor& t) {
  const Tensor d = t.to(torch::kDouble).contiguous();
  return {d.data_ptr<double>(), d.data_ptr<double>() + d.numel()};
}

int main(int argc, char** argv) try {
  if (prints_help(argc, argv,
                  "time_series [STEPS]: forecasts an hourly series, writes time_series.svg"))
    return 0;
  const int steps = count_argument(argc, argv, 1, "STEPS", 400);
  expect_writable("time_series.svg");
  torch::manual_seed(1);
  const Tensor series = demand(), past = series.slice(0, 0, kHours - kTest);
  const Tensor mean = past.mean(), deviation = past.std();  // of the training hours
  const Tensor scaled = (series - mean) / deviation;

  nn::Sequential net = make_net();
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(2e-3));
  const Tensor hours = torch::arange(kWindow + kDay, torch::kLong);
  for (int step = 1; step <= steps; ++step) {
    const Tensor starts =
        torch::randint(past.size(0) - kWindow - kDay + 1, {kBatch, 1}, torch::kLong);
    const Tensor window = scaled.index({starts + hours});                       // (N, L + 24)
    const Tensor next = window.slice(1, 1).unfold(1, kDay, 1).transpose(1, 2);  // (N, 24, L)
    optimizer.zero_grad();
    // Outputs in the first week of a window see too little of the past.
    const Tensor forecast = net->forward(window.slice(1, 0, kWindow).unsqueeze(1));
    const Tensor loss = torch::mse_loss(forecast.slice(2, kWeek), next.slice(2, kWeek));
    loss.backward();
    optimizer.step();
    if (step % 50 == 0 || step == steps)
      std::printf("step %d/%d  loss %.4f\n", step, steps, loss.item<double>());
  }

  // One forecast at the last hour of each day, for the day after it.
  const torch::NoGradGuard no_grad;
  const Tensor all = net->forward(scaled.view({1, 1, -1}))[0];  // (24, hours)
  const int64_t begin = kHours - kTest;
  const Tensor forecast =
      all.slice(1, begin - 1, kHours - 1, kDay).t().flatten() * deviation + mean;
  const Tensor truth = series.slice(0, begin);
  const Tensor week_ago = series.slice(0, begin - kWeek, kHours - kWeek);
  std::printf("mean error of four test weeks: %.3f, of repeating the week before: %.3f\n",
              (forecast - truth).abs().mean().item<double>(),
              (week_ago - truth).abs().mean().item<double>());
  const std::vector<double> x = numbers(torch::arange(kWeek));
  const auto last = [](const Tensor& t) { return numbers(t.slice(0, kTest - kWeek)); };
  write_svg({{"measured", x, last(truth)},
             {"forecast of each day", x, last(forecast)},
             {"a week before", x, last(week_ago)}},
            "hour of the last week", "time_series.svg");
} catch (const std::exception& e) {
  std::fprintf(stderr, "time_series: %s\n", e.what());
  return 1;
}
