// What the pieces of code in docs/devices.md take for granted.
#pragma once

#include <torch/torch.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

inline torch::Device device(torch::kCPU);
inline torch::nn::Sequential model(torch::nn::Linear(4, 3));
inline torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.1));
inline torch::nn::CrossEntropyLoss criterion;
inline torch::Tensor x, y;
inline torch::data::Example<> batch;
inline auto dataset =
    torch::data::datasets::TensorDataset(torch::ones({256, 4}))
        .map(torch::data::transforms::Lambda<torch::data::TensorExample, torch::data::Example<>>(
            [](torch::data::TensorExample e) {
              return torch::data::Example<>(e.data, torch::tensor(1));
            }))
        .map(torch::data::transforms::Stack<>());

inline auto loader = torch::data::make_data_loader(dataset, torch::data::DataLoaderOptions(64));

inline void step(const torch::Tensor& data, const torch::Tensor& target) {
  model->zero_grad();
  criterion(model->forward(data), target).backward();
}

inline void set_up() {
  device = torch::Device(torch::kCUDA);
  model->to(device);
  x = torch::randn({8, 4});
  y = torch::zeros({8}, torch::kLong);
  batch = {x.to(device), y.to(device)};
}

inline void run(const char* number, void (*piece)()) try {
  piece();
} catch (const std::exception& e) {
  std::printf("piece %s: %s\n", number, e.what());
  std::exit(1);
}
