// Every kind of store behaves alike.
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "distributed/ranks.h"

namespace torch::taper::testing {
namespace {

using namespace std::chrono_literals;
using Bytes = Store::Bytes;

enum class Kind { kHash, kFile, kTcp, kPrefix };

class Stores : public ::testing::TestWithParam<Kind> {
 protected:
  Stores() {
    path_ = ::testing::TempDir() + "store_" + std::to_string(::getpid());
    ::unlink(path_.c_str());
    if (GetParam() == Kind::kTcp) {
      TCPStoreOptions options;
      options.port = 0;
      options.isServer = true;
      store_ = make_intrusive<TCPStore>("127.0.0.1", options);
    } else if (GetParam() == Kind::kFile) {
      store_ = make_intrusive<FileStore>(path_);
    } else {
      store_ = make_intrusive<HashStore>();
      if (GetParam() == Kind::kPrefix) store_ = make_intrusive<PrefixStore>("a", store_);
    }
    store_->setTimeout(5s);
  }
  ~Stores() override { ::unlink(path_.c_str()); }
  std::string path_;
  intrusive_ptr<Store> store_;
};

TEST_P(Stores, KeepValues) {
  Store& s = *store_;
  s.set("a", std::string("one"));
  EXPECT_EQ(s.get_to_str("a"), "one");
  s.set("a", Bytes{0, 1, 255, 0});
  EXPECT_EQ(s.get("a"), (Bytes{0, 1, 255, 0}));
  s.set("empty", Bytes());
  EXPECT_EQ(s.get("empty"), Bytes());
  EXPECT_TRUE(s.check({"a", "empty"}));
  EXPECT_FALSE(s.check({"a", "b"}));
  EXPECT_TRUE(s.deleteKey("a"));
  EXPECT_FALSE(s.deleteKey("a"));
  EXPECT_FALSE(s.check({"a"}));
  const Bytes large(3 << 20, 7);
  s.set("large", large);
  EXPECT_EQ(s.get("large"), large);
}

TEST_P(Stores, AddAndAppendAndCompare) {
  Store& s = *store_;
  EXPECT_EQ(s.add("n", 5), 5);
  EXPECT_EQ(s.add("n", -7), -2);
  EXPECT_EQ(s.get_to_str("n"), "-2");
  s.append("text", Bytes{'a'});
  s.append("text", Bytes{'b'});
  EXPECT_EQ(s.get_to_str("text"), "ab");
  EXPECT_EQ(s.compareSet("c", "x", "y"), "x");  // there is none
  EXPECT_FALSE(s.check({"c"}));
  EXPECT_EQ(s.compareSet("c", "", "y"), "y");
  EXPECT_EQ(s.compareSet("c", "x", "z"), "y");
  EXPECT_EQ(s.compareSet("c", "y", "z"), "z");
  EXPECT_EQ(s.get_to_str("c"), "z");
}

TEST_P(Stores, SeveralAtOnce) {
  store_->multiSet({"a", "b"}, {Bytes{1}, Bytes{2, 3}});
  EXPECT_EQ(store_->multiGet({"b", "a"}), (std::vector<Bytes>{{2, 3}, {1}}));
  EXPECT_THROW(store_->multiSet({"a"}, {}), ValueError);
  const int64_t before = store_->getNumKeys();
  store_->set("one more", Bytes{1});
  EXPECT_EQ(store_->getNumKeys(), before + 1);
}

TEST_P(Stores, WaitForOthers) {
  const auto other = store_->clone();
  std::thread late([&] {
    std::this_thread::sleep_for(50ms);
    other->set("a", Bytes{1});
    std::this_thread::sleep_for(50ms);
    other->set("b", Bytes{2});
  });
  store_->wait({"a", "b"});
  EXPECT_EQ(store_->get("b"), Bytes{2});
  late.join();
}

TEST_P(Stores, WaitsEnd) {
  const auto start = std::chrono::steady_clock::now();
  const std::string message = error_of([&] { store_->wait({"never"}, 200ms); });
  EXPECT_NE(message.find("never"), std::string::npos) << message;
  EXPECT_NE(message.find("200ms"), std::string::npos) << message;
  EXPECT_THROW(store_->wait({"never"}, 50ms), DistStoreError);
  store_->setTimeout(50ms);
  EXPECT_THROW(store_->get("never"), DistStoreError);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
  store_->setTimeout(5s);
  store_->set("a", Bytes{1});  // it can be used still
  EXPECT_EQ(store_->get("a"), Bytes{1});
}

TEST_P(Stores, CountTogether) {
  std::vector<intrusive_ptr<Store>> stores;
  for (int i = 0; i < 4; ++i) stores.push_back(store_->clone());
  in_threads(4, [&](int r) {
    for (int i = 0; i < 50; ++i) stores[static_cast<size_t>(r)]->add("n", 1);
    stores[static_cast<size_t>(r)]->barrier("end", 4, 5s);
    EXPECT_EQ(stores[static_cast<size_t>(r)]->add("n", 0), 200);
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, Stores,
                         ::testing::Values(Kind::kHash, Kind::kFile, Kind::kTcp, Kind::kPrefix));

TEST(PrefixStores, AreApart) {
  auto all = make_intrusive<HashStore>();
  PrefixStore a("a", all), b("b", all);
  a.set("key", Bytes{1});
  EXPECT_FALSE(b.check({"key"}));
  EXPECT_EQ(all->get("a/key"), Bytes{1});
}

TEST(FileStores, AreProcesses) {
  const std::string path = ::testing::TempDir() + "store_p_" + std::to_string(::getpid());
  {
    FileStore one(path, 2);
    one.setTimeout(5s);
    FileStore two(path, 2);
    two.set("a", Bytes{1, 2});
    EXPECT_EQ(one.get("a"), (Bytes{1, 2}));
  }
  EXPECT_NE(::access(path.c_str(), F_OK), 0);  // the last has removed it
  EXPECT_NE(error_of([] { FileStore store("/no/such/folder/file"); }).find("/no/such/folder"),
            std::string::npos);
}

// ---------------------------------------------------------------------- TCPStore
TCPStoreOptions server_on(int port) {
  TCPStoreOptions options;
  options.port = static_cast<uint16_t>(port);
  options.isServer = true;
  options.timeout = 5s;
  return options;
}

TEST(TCPStores, APortInUse) {
  TCPStore first("127.0.0.1", server_on(0));
  const std::string message =
      error_of([&] { TCPStore second("127.0.0.1", server_on(first.getPort())); });
  EXPECT_NE(message.find("MASTER_PORT"), std::string::npos) << message;
  EXPECT_NE(message.find(std::to_string(first.getPort())), std::string::npos) << message;
}

TEST(TCPStores, NobodyListens) {
  TCPStoreOptions options;
  options.port = static_cast<uint16_t>(free_port());
  options.timeout = 300ms;
  EXPECT_THROW(TCPStore("127.0.0.1", options), DistNetworkError);
  const std::string message = error_of([&] { TCPStore("no.such.host.invalid", options); });
  EXPECT_NE(message.find("no.such.host.invalid"), std::string::npos) << message;
}

TEST(TCPStores, TheServerGoes) {
  auto server = std::make_unique<TCPStore>("127.0.0.1", server_on(0));
  TCPStoreOptions options;
  options.port = server->getPort();
  options.timeout = 5s;
  TCPStore client("127.0.0.1", options);
  client.set("a", Bytes{1});
  std::thread ends([&] {
    std::this_thread::sleep_for(100ms);
    server.reset();
  });
  EXPECT_THROW(client.get("never"), DistNetworkError);  // not at the time limit: at once
  ends.join();
}

// A server that is stopped does not close its connections: questions end at the time limit.
RANK_PROGRAM(serves_a_store) {
  TCPStore store("127.0.0.1", server_on(std::atoi(std::getenv("MASTER_PORT"))));
  store.wait({"end"}, 60s);
}

TEST(TCPStores, TheServerIsStopped) {
  const int port = free_port();
  RankProcess server("serves_a_store", environment_of(0, 1, port));
  TCPStoreOptions options;
  options.port = static_cast<uint16_t>(port);
  options.timeout = 20s;
  TCPStore first("127.0.0.1", options), second("127.0.0.1", options);
  first.set("a", Bytes{1});
  EXPECT_EQ(second.get("a"), Bytes{1});
  first.setTimeout(300ms);
  server.signal(SIGSTOP);
  const auto begun = std::chrono::steady_clock::now();
  const std::string message = error_of([&] { first.add("n", 1); });
  EXPECT_NE(message.find("has not answered within the time limit: it may be stopped"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find(std::to_string(port)), std::string::npos) << message;
  first.setTimeout(20s);
  EXPECT_THROW(first.get("a"), DistNetworkError);  // at once
  EXPECT_THROW(second.wait({"never"}, 300ms), DistNetworkError);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 15s);
  options.timeout = 300ms;
  EXPECT_THROW(TCPStore("127.0.0.1", options), DistNetworkError);
  server.signal(SIGCONT);  // its late answer is to no later question
  for (int i = 0; i < 3; ++i) EXPECT_THROW(first.get("a"), DistNetworkError);
}

/// What torch_store.py does, from this side.
void meet_torch(TCPStore& s, bool serves) {
  s.set("of_taper", Bytes{'c', 0, 'd'});
  s.multiSet({"taper_1", "taper_2"}, {Bytes{'3'}, Bytes{'4', '4'}});
  s.append("taper_log", Bytes{'e', 'f'});
  s.append("taper_log", Bytes{'g', 'h'});
  EXPECT_EQ(s.add("taper_sum", 4), 4);
  EXPECT_EQ(s.add("taper_sum", -7), -3);
  EXPECT_EQ(s.compareSet("taper_swap", "", "new"), "new");
  EXPECT_EQ(s.compareSet("taper_swap", "old", "newer"), "new");
  s.set("taper_gone", Bytes{1});
  EXPECT_TRUE(s.deleteKey("taper_gone"));
  s.set("taper_is_through", Bytes{1});
  s.wait({"torch_is_through"}, 60s);
  EXPECT_EQ(s.get("of_torch"), (Bytes{'a', 0, 'b'}));
  EXPECT_EQ(s.multiGet({"torch_2", "torch_1"}), (std::vector<Bytes>{{'2', '2'}, {'1'}}));
  EXPECT_EQ(s.get_to_str("torch_log"), "abcd");
  EXPECT_EQ(s.get_to_str("torch_sum"), "-2");
  EXPECT_EQ(s.get_to_str("torch_swap"), "new");
  EXPECT_TRUE(s.check({"of_torch", "torch_1"}));
  EXPECT_FALSE(s.check({"of_torch", "torch_gone"}));
  EXPECT_GT(s.getNumKeys(), 10);
  EXPECT_THROW(s.wait({"never"}, 200ms), DistStoreError);
  EXPECT_EQ(s.get("of_torch"), (Bytes{'a', 0, 'b'}));
  EXPECT_GT(s.add("bye", 1), 0);
  while (serves && s.add("bye", 0) < 2) std::this_thread::sleep_for(1ms);
}

// Either side serves.
TEST(TCPStores, MeetPyTorchs) {
  const std::string torchrun = "\"$(command -v \"${TAPER_TORCHRUN:-torchrun}\")\"";
  if (std::system(("test -n " + torchrun + " && test -x " + torchrun).c_str()) != 0)
    GTEST_SKIP() << "PyTorch's torchrun is neither in PATH nor named by TAPER_TORCHRUN";
  for (const bool serves : {false, true}) {
    const int port = free_port();
    int status = -1;
    std::thread torch([&] {
      status = std::system(("\"$(dirname " + torchrun +
                            ")/python3\" '" TAPER_TEST_FOLDER "/torch_store.py' " +
                            (serves ? "asks " : "serves ") + std::to_string(port))
                               .c_str());
    });
    TCPStoreOptions options = server_on(port);
    options.isServer = serves;
    options.timeout = 60s;
    TCPStore store("127.0.0.1", options);
    meet_torch(store, serves);
    torch.join();
    EXPECT_EQ(status, 0) << (serves ? "Taper" : "PyTorch") << " serves";
  }
}

// Something that speaks another protocol.
void send_text(uint16_t port, const std::string& text) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  [[maybe_unused]] const ssize_t n = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
  ::close(fd);
}

TEST(TCPStores, NonsenseDisturbsNobody) {
  TCPStore server("127.0.0.1", server_on(0));
  server.set("a", Bytes{1});
  for (const std::string& text :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100000, '\xff'),
        std::string("\0\xce\xf7\x85\x3c\x03\xff\xff\xff\xff\xff\xff\xff\xff", 14)}) {
    send_text(server.getPort(), text);
    EXPECT_EQ(server.get("a"), Bytes{1});
  }
}

TEST(TCPStores, WorkersAreWaitedFor) {
  const int port = free_port();
  in_threads(3, [&](int r) {
    TCPStoreOptions options = server_on(port);
    options.isServer = r == 0;
    options.numWorkers = 3;
    TCPStore store("127.0.0.1", options);
    store.add("came", 1);
    store.barrier("all", 3, 5s);
    EXPECT_EQ(store.add("came", 0), 3);
    store.barrier("end", 3, 5s);
  });
  TCPStoreOptions alone = server_on(0);
  alone.numWorkers = 2;
  alone.timeout = 200ms;
  const std::string message = error_of([&] { TCPStore store("127.0.0.1", alone); });
  EXPECT_NE(message.find("1/2"), std::string::npos) << message;
}

}  // namespace
}  // namespace torch::taper::testing
