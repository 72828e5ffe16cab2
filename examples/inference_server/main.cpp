// Serves a network over HTTP, and measures the latency of its answers.
//
// inference_server [PORT] runs until Ctrl-C; without PORT it takes a free port
//   inference_server --measure REQUESTS    sends requests to itself, and prints their latency
//   curl -d '0.1 0.2' localhost:PORT/predict
#include <httplib.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pictures/arguments.h"

namespace nn = torch::nn;
using torch::Tensor;
using Clock = std::chrono::steady_clock;

// Latencies of requests in milliseconds. Several threads may add some.
class Latencies {
 public:
  void add_since(Clock::time_point begin) {
    const std::chrono::duration<double, std::milli> ms = Clock::now() - begin;
    const std::lock_guard lock(mutex);
    all.push_back(ms.count());
  }
  std::string summary() {
    const std::lock_guard lock(mutex);
    if (all.empty()) return "requests 0";
    std::sort(all.begin(), all.end());
    const auto percentile = [&](size_t p) { return all[(all.size() - 1) * p / 100]; };
    char line[100];
    std::snprintf(line, sizeof line, "requests %zu  p50 %.3f ms  p99 %.3f ms", all.size(),
                  percentile(50), percentile(99));
    return line;
  }

 private:
  std::mutex mutex;
  std::vector<double> all;
};

// Trains a network that tells whether a point lies in the unit circle. A real server would load a
// network from a file.
nn::Sequential trained_net() {
  torch::manual_seed(0);
  const Tensor points = torch::randn({1000, 2}), inside = points.norm(2, 1).lt(1).to(torch::kLong);
  nn::Sequential net(nn::Linear(2, 32), nn::Tanh(), nn::Linear(32, 2));
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(0.01));
  for (int step = 0; step < 400; ++step) {
    optimizer.zero_grad();
    nn::functional::cross_entropy(net->forward(points), inside).backward();
    optimizer.step();
  }
  net->eval();
  return net;
}

// Returns the answer to a text of points, as JSON. Several threads may call it, since it does not
// change the network.
std::string answer(nn::Sequential& net, const std::string& text) {
  std::istringstream in(text);
  std::vector<float> numbers;
  for (float number; in >> number;) numbers.push_back(number);
  if (!in.eof() || numbers.empty() || numbers.size() % 2 != 0)
    throw std::invalid_argument("expected two numbers for each point");
  const c10::InferenceMode inference;  // this thread records no gradients
  const Tensor inside = net->forward(torch::tensor(numbers).view({-1, 2})).softmax(1).select(1, 1);
  std::ostringstream out;
  for (int64_t i = 0; i < inside.size(0); ++i)
    out << (i ? ", " : "{\"inside\": [") << inside[i].item<float>();
  return out.str() + "]}\n";
}

void add_routes(httplib::Server& server, nn::Sequential& net, Latencies& latencies) {
  server.set_tcp_nodelay(true);
  server.set_socket_options([yes = 1](socket_t socket) {  // two servers on one port are an error
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.Post("/predict", [&](const httplib::Request& request, httplib::Response& response) {
    const auto begin = Clock::now();
    try {
      response.set_content(answer(net, request.body), "application/json");
    } catch (const std::exception& e) {
      response.status = 400;
      response.set_content(std::string(e.what()) + '\n', "text/plain");
    }
    latencies.add_since(begin);
  });
  server.Get("/latency", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(latencies.summary() + '\n', "text/plain");
  });
}

// Prints the latency that a client sees, with HTTP. Returns the exit code of the program.
int measure(int port, int requests) {
  httplib::Client client("127.0.0.1", port);
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  Latencies latencies;
  for (int i = 0; i < requests; ++i) {
    const auto begin = Clock::now();
    const auto reply = client.Post("/predict", "0.1 0.2", "text/plain");
    if (!reply || reply->status != 200) return 1;
    latencies.add_since(begin);
  }
  std::printf("seen by the client: %s\n", latencies.summary().c_str());
  return 0;
}

int main(int argc, char** argv) try {
  const bool measures = argc > 1 && std::string(argv[1]) == "--measure";
  const int number = count_argument(argc, argv, measures ? 2 : 1, measures ? "REQUESTS" : "PORT",
                                    measures ? 1000 : 0);
  // Blocks these signals in all threads, so that sigwait below receives them.
  sigset_t stops;
  sigemptyset(&stops);
  for (const int stop : {SIGINT, SIGTERM}) sigaddset(&stops, stop);
  pthread_sigmask(SIG_BLOCK, &stops, nullptr);

  torch::set_num_threads(1);  // for one request: requests run in parallel
  nn::Sequential net = trained_net();
  Latencies latencies;
  httplib::Server server;
  add_routes(server, net, latencies);
  const int port = measures || number == 0                    ? server.bind_to_any_port("127.0.0.1")
                   : server.bind_to_port("127.0.0.1", number) ? number
                                                              : -1;
  if (port < 0) throw std::runtime_error("port " + std::to_string(number) + " cannot be used");
  std::thread listener([&] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();  // stop() before would do nothing
  std::printf("listening on http://127.0.0.1:%d\n", port);
  std::fflush(stdout);
  int signal = 0;
  const int code = measures ? measure(port, number) : sigwait(&stops, &signal);
  server.stop();
  listener.join();
  std::printf("computed in: %s\n", latencies.summary().c_str());
  return code;
} catch (const std::exception& e) {
  std::fprintf(stderr, "inference_server: %s\n", e.what());
  return 1;
}
