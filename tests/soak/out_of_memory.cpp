// A step of training in which memory runs out at the n-th allocation, for every n: each ends in an
// exception, and the network can be trained afterwards. Prints what went wrong; exit code 1.
//
// Each n has a process of its own, forked before the library has made anything, so that no cache
// holds memory and a death counts as a failure. Two kinds: that allocation alone fails (the library
// may give cached memory back and try again), or all that the thread asks for from there on.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <torch/torch.h>

namespace {

enum class Fails { kOne, kAllFromThere };

// Of this thread: how many allocations still succeed (none fails when negative), and what then.
thread_local long left = -1;
thread_local Fails kind = Fails::kOne;
thread_local bool has_failed = false;

bool fails() {
  if (left < 0) return false;
  if (left > 0) return --left, false;
  has_failed = true;
  if (kind == Fails::kOne) left = -1;
  return true;
}

}  // namespace

// The library's allocations come here: a program's own functions go before those of its libraries.
void* operator new(size_t nbytes) {
  void* const p = fails() ? nullptr : std::malloc(nbytes > 0 ? nbytes : 1);
  return p ? p : throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }

extern "C" {
void* __libc_memalign(size_t alignment, size_t nbytes);  // glibc's own
void* aligned_alloc(size_t alignment, size_t nbytes) noexcept {
  return fails() ? nullptr : __libc_memalign(alignment, nbytes);
}
int posix_memalign(void** p, size_t alignment, size_t nbytes) noexcept {
  *p = fails() ? nullptr : __libc_memalign(alignment, nbytes);
  return *p ? 0 : ENOMEM;
}
}

namespace {

struct NetImpl : torch::nn::Module {
  NetImpl() {
    register_module("conv", conv);
    register_module("norm", norm);
    register_module("lstm", lstm);
    register_module("linear", linear);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(torch::relu(norm(conv(x))), 2).flatten(1);
    x = std::get<0>(lstm(x.unsqueeze(0))).squeeze(0);
    return torch::log_softmax(linear(torch::dropout(x, 0.3, is_training())), 1);
  }
  torch::nn::Conv2d conv{torch::nn::Conv2dOptions(1, 4, 3)};
  torch::nn::BatchNorm2d norm{4};
  torch::nn::LSTM lstm{torch::nn::LSTMOptions(16, 16)};
  torch::nn::Linear linear{16, 5};
};
TORCH_MODULE(Net);

/// Training, one step at a time.
struct Training {
  Net net;
  torch::optim::Adam optimizer{net->parameters(), torch::optim::AdamOptions(1e-2)};
  torch::Tensor x = torch::randn({3, 1, 6, 6}), y = torch::tensor({0, 1, 2});

  double step() {
    optimizer.zero_grad();
    const torch::Tensor loss = torch::nll_loss(net(x), y);
    loss.backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step();
    return loss.item<double>();
  }
};

enum Outcome { kSound, kWrong, kNothingFailed };

/// Does the step throw? `n` allocations succeed in it.
bool throws(Training& training, long n, Fails which) {
  kind = which;
  left = n;
  bool thrown = false;
  try {
    training.step();
  } catch (const std::exception&) {
    thrown = true;
  }
  left = -1;
  return thrown;
}

/// Runs in a process of its own.
Outcome outcome(long n, Fails which) {
  torch::manual_seed(1);
  torch::set_num_threads(1);  // the caller's: a helper's exceptions are the caller's too
  Training training;
  const bool thrown = throws(training, n, which);
  if (!has_failed) return kNothingFailed;
  if (!thrown && which == Fails::kAllFromThere) {
    std::printf("allocation %ld: expected an exception, got none\n", n);
    return kWrong;
  }
  try {
    for (int i = 0; i < 2; ++i)
      if (!std::isfinite(training.step())) return std::printf("allocation %ld: NaN\n", n), kWrong;
  } catch (const std::exception& e) {
    std::printf("allocation %ld: cannot be trained afterwards: %s\n", n, e.what());
    return kWrong;
  }
  return kSound;
}

Outcome in_own_process(long n, Fails which) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const Outcome result = outcome(n, which);
    std::fflush(stdout);
    _exit(result);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) return static_cast<Outcome>(WEXITSTATUS(status));
  std::printf("allocation %ld: ended by signal %d\n", n, WTERMSIG(status));
  return kWrong;
}

/// The number of wrong outcomes.
int check(const char* what, Fails which) {
  long n = 0;
  int wrong = 0;
  for (Outcome o; (o = in_own_process(n, which)) != kNothingFailed; ++n) wrong += o != kSound;
  std::printf("%s: %ld allocations in a step, %d wrong\n", what, n, wrong);
  return wrong + (n < 100);  // fewer: they do not come through here
}

}  // namespace

int main() {
  const int wrong = check("one fails", Fails::kOne);
  return wrong + check("all from one on fail", Fails::kAllFromThere) == 0 ? 0 : 1;
}
