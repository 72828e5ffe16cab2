#include <taper/distributed/tcp_server.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <set>

namespace torch::taper::distributed::detail {

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 32;

/// Is thrown if a message is not complete yet.
struct Incomplete {};
/// Is thrown for an invalid message.
struct Nonsense {};

/// Parses a message.
class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    if (bytes_.size() - at_ < sizeof(T)) throw Incomplete();
    T v;
    std::memcpy(&v, &bytes_[at_], sizeof v);
    at_ += sizeof v;
    return v;
  }
  std::string take_string() {
    const auto n = take<uint64_t>();
    if (n > kMostBytes) throw Nonsense();
    if (bytes_.size() - at_ < n) throw Incomplete();
    at_ += n;
    return bytes_.substr(at_ - n, n);
  }
  Store::Bytes take_bytes() {
    const std::string text = take_string();
    return Store::Bytes(text.begin(), text.end());
  }
  std::vector<std::string> take_strings() {
    const auto n = take<uint64_t>();
    if (n > kMostBytes) throw Nonsense();
    std::vector<std::string> all;
    for (uint64_t i = 0; i < n; ++i) all.push_back(take_string());
    return all;
  }
  size_t at() const { return at_; }

 private:
  const std::string& bytes_;
  size_t at_ = 0;
};

}  // namespace

struct TCPServer::Client {
  explicit Client(Socket s) : socket(std::move(s)) {}
  Socket socket;
  std::string in, out;
  bool validated = false;
  std::optional<std::set<std::string>> waits_for;  // keys without values
};

TCPServer::TCPServer(uint16_t port) : listening_(listen_on(port)), port_(port_of(listening_)) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw DistNetworkError("TCPStore: there are no file descriptors left for a server");
  woken_ = Socket(ends[0]);
  wake_ = Socket(ends[1]);
  thread_ = std::thread([this] { serve(); });
}

TCPServer::~TCPServer() {
  wake_ = Socket();  // closing the pipe ends the thread
  thread_.join();
}

std::shared_ptr<TCPServer> TCPServer::shared(uint16_t port) {
  static std::mutex mutex;
  static std::map<uint16_t, std::weak_ptr<TCPServer>> all;
  const std::lock_guard<std::mutex> lock(mutex);
  if (std::shared_ptr<TCPServer> known = all[port].lock()) return known;
  auto made = std::make_shared<TCPServer>(port);
  all[port] = all[made->port()] = made;
  return made;
}

void TCPServer::serve() {
  // For a while, clients that miss the last answers may still ask for them.
  constexpr auto kGrace = std::chrono::seconds(1);
  std::optional<Clock::time_point> end;
  for (;;) {
    if (end && (clients_.empty() || Clock::now() >= *end)) return;
    std::vector<pollfd> polled = {{end ? -1 : woken_.fd(), POLLIN, 0},
                                  {listening_.fd(), POLLIN, 0}};
    for (const auto& [fd, client] : clients_)
      polled.push_back(
          {fd, static_cast<short>(client->out.empty() ? POLLIN : POLLIN | POLLOUT), 0});
    if (::poll(polled.data(), polled.size(), end ? 10 : -1) < 0) continue;
    if (polled[0].revents) end = Clock::now() + kGrace;
    if (polled[1].revents) accept_one();
    for (size_t i = 2; i < polled.size(); ++i) {
      if (!polled[i].revents) continue;
      const auto found = clients_.find(polled[i].fd);
      if (found != clients_.end() && !read_from(*found->second)) clients_.erase(found);
    }
    // Sends answers, also to clients that waited for values set by others.
    for (auto it = clients_.begin(); it != clients_.end();) {
      std::string& out = it->second->out;
      const ssize_t n =
          out.empty() ? 0 : ::send(it->first, out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      const bool gone = n < 0 && errno != EAGAIN && errno != EINTR;
      if (n > 0) out.erase(0, static_cast<size_t>(n));
      it = gone ? clients_.erase(it) : std::next(it);
    }
  }
}

void TCPServer::accept_one() {
  Socket s(::accept4(listening_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!s) return;
  const int on = 1, fd = s.fd();
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  clients_[fd] = std::make_unique<Client>(std::move(s));
}

// Returns false if the client must be dropped.
bool TCPServer::read_from(Client& client) {
  char buffer[1 << 16];
  const ssize_t n = ::recv(client.socket.fd(), buffer, sizeof buffer, 0);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0) return false;
  client.in.append(buffer, static_cast<size_t>(n));
  try {
    while (!client.in.empty() && answer(client)) {
    }
  } catch (const Nonsense&) {
    return false;
  } catch (const Error&) {  // a sum of what is no number: there is no answer that says so
    return false;
  }
  return true;
}

// Answers one message. Returns false if it is incomplete.
bool TCPServer::answer(Client& client) try {
  Reader in(client.in);
  Message out;
  const auto query = in.take<Query>();
  if (!client.validated && query != Query::kValidate) throw Nonsense();
  switch (query) {
    case Query::kValidate:
      if (in.take<uint32_t>() != kProtocol) throw Nonsense();
      client.validated = true;
      break;
    case Query::kSet: {
      const std::string key = in.take_string();
      values_.set(key, in.take_bytes());
      changed(key);
      break;
    }
    case Query::kCompareSet: {
      const std::string key = in.take_string();
      const Store::Bytes expected = in.take_bytes(), desired = in.take_bytes();
      out.put_bytes(values_.compare_set(key, expected, desired));
      changed(key);
      break;
    }
    case Query::kGet: {
      const Store::Bytes* value = values_.find(in.take_string());
      out.put_bytes(value ? *value : Store::Bytes());
      break;
    }
    case Query::kAdd: {
      const std::string key = in.take_string();
      out.put(values_.add(key, in.take<int64_t>()));
      changed(key);
      break;
    }
    case Query::kCheck:
      out.put(values_.first_absent(in.take_strings()) ? CheckAnswer::kNotReady
                                                      : CheckAnswer::kReady);
      break;
    case Query::kWait: {
      std::set<std::string> absent;
      for (const std::string& key : in.take_strings())
        if (!values_.find(key)) absent.insert(key);
      if (absent.empty())
        out.put(WaitAnswer::kStopWaiting);
      else
        client.waits_for = std::move(absent);
      break;
    }
    case Query::kGetNumKeys:
      out.put(values_.size());
      break;
    case Query::kDeleteKey:
      out.put(static_cast<int64_t>(values_.erase(in.take_string())));
      break;
    case Query::kAppend: {
      const std::string key = in.take_string();
      values_.append(key, in.take_bytes());
      changed(key);
      break;
    }
    case Query::kMultiGet:
      for (const std::string& key : in.take_strings()) {
        const Store::Bytes* value = values_.find(key);
        out.put_bytes(value ? *value : Store::Bytes());
      }
      break;
    case Query::kMultiSet: {
      const auto n = in.take<uint64_t>();
      std::vector<std::pair<std::string, Store::Bytes>> all;
      for (uint64_t i = 0; i < n; ++i) {
        std::string key = in.take_string();
        all.emplace_back(std::move(key), in.take_bytes());
      }
      for (auto& [key, value] : all) {
        values_.set(key, std::move(value));
        changed(key);
      }
      break;
    }
    case Query::kCancelWait:
      client.waits_for.reset();
      out.put(WaitAnswer::kCancelled);
      break;
    case Query::kPing:
      out.put(in.take<uint32_t>());
      break;
    default:
      throw Nonsense();
  }
  client.out += out.bytes();
  client.in.erase(0, in.at());
  return true;
} catch (const Incomplete&) {
  return false;
}

void TCPServer::changed(const std::string& key) {
  for (const auto& entry : clients_) {
    Client& client = *entry.second;
    if (!client.waits_for || !client.waits_for->erase(key) || !client.waits_for->empty()) continue;
    client.waits_for.reset();
    client.out += Message().put(WaitAnswer::kStopWaiting).bytes();
  }
}

}  // namespace torch::taper::distributed::detail
