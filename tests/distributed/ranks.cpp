#include "distributed/ranks.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

namespace torch::taper::testing {

namespace {

std::map<std::string, void (*)()>& programs() {
  static std::map<std::string, void (*)()> all;
  return all;
}

}  // namespace

RankProgram::RankProgram(const char* name, void (*run)()) { programs()[name] = run; }

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

void in_threads(int n, const std::function<void(int rank)>& f) {
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> errors(static_cast<size_t>(n));
  for (int r = 0; r < n; ++r)
    threads.emplace_back([&, r] {
      try {
        f(r);
      } catch (...) {
        errors[static_cast<size_t>(r)] = std::current_exception();
      }
    });
  for (auto& t : threads) t.join();
  for (auto& e : errors)
    if (e) std::rethrow_exception(e);
}

#ifdef TAPER_WITH_GLOO
intrusive_ptr<ProcessGroup> gloo_group(const intrusive_ptr<Store>& store, int rank, int n,
                                       std::chrono::milliseconds timeout) {
  auto options = ProcessGroupGloo::Options::create(timeout);
  options->devices = {ProcessGroupGloo::createDeviceForInterface("lo")};
  return make_intrusive<ProcessGroupGloo>(store, rank, n, options);
}
void in_groups(int n, const std::function<void(ProcessGroup& group)>& f,
               std::chrono::milliseconds timeout) {
  auto store = make_intrusive<HashStore>(timeout);
  in_threads(n, [&](int rank) { f(*gloo_group(store, rank, n, timeout)); });
}
#endif

RankProcess::RankProcess(const std::string& program,
                         const std::map<std::string, std::string>& environment) {
  static int count = 0;
  file_ =
      ::testing::TempDir() + "rank_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
  pid_ = ::fork();
  if (pid_ != 0) return;
  const int out = ::open(file_.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  ::dup2(out, 1);
  ::dup2(out, 2);
  ::setenv("TAPER_RANK_PROGRAM", program.c_str(), 1);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  ::execl("/proc/self/exe", "rank", nullptr);
  ::_exit(127);
}
RankProcess::~RankProcess() {
  if (!ended_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::unlink(file_.c_str());
}
void RankProcess::signal(int number) {
  ::kill(pid_, number);
  if (number == SIGSTOP) ::waitpid(pid_, nullptr, WUNTRACED);  // until it has stopped
}
int RankProcess::wait(int seconds) {
  int status = 0;
  for (int i = 0; i < seconds * 100; ++i) {
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      ended_ = true;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    ::usleep(10000);
  }
  ADD_FAILURE() << "a rank goes on after " << seconds << " s: " << output();
  return -1;
}
std::string RankProcess::output() const {
  std::ifstream in(file_);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::map<std::string, std::string> environment_of(int rank, int size, int port) {
  return {{"RANK", std::to_string(rank)}, {"WORLD_SIZE", std::to_string(size)},
          {"MASTER_ADDR", "127.0.0.1"},   {"MASTER_PORT", std::to_string(port)},
          {"GLOO_SOCKET_IFNAME", "lo"},   {"OMP_NUM_THREADS", "1"}};
}

int free_port() {
  // Below those that the kernel deals out. Other processes begin elsewhere.
  constexpr int kFirst = 10000, kCount = 20000;
  static int asked = ::getpid() * 64 % kCount;
  for (int tries = 0; tries < kCount; ++tries) {
    const int port = kFirst + asked++ % kCount;
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    const bool is_free = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    if (is_free) return port;
  }
  ADD_FAILURE() << "no port is free";
  return 0;
}

}  // namespace torch::taper::testing

int main(int argc, char** argv) {
  if (const char* name = std::getenv("TAPER_RANK_PROGRAM")) {
    try {
      taper::testing::programs().at(name)();
      return ::testing::UnitTest::GetInstance()->Failed() ? 4 : 0;
    } catch (const std::exception& e) {
      std::cout << "error: " << e.what() << std::endl;
      return 3;
    }
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
