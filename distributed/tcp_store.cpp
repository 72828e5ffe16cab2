#include <taper/distributed/tcp_store.h>

#include <unistd.h>

#include <algorithm>
#include <thread>

#include <taper/distributed/tcp_server.h>

namespace torch::taper::distributed {

namespace detail {

class TCPClient {
 public:
  TCPClient(const std::string& host, uint16_t port, std::chrono::milliseconds timeout)
      : connection_(connect_to(host, port, Clock::now() + timeout),
                    taper::detail::concat("the server at [", host, "]:", port)) {
    const auto nonce = static_cast<uint32_t>(::getpid());
    send(Message(Query::kValidate).put(kProtocol), timeout);
    send(Message(Query::kPing).put(nonce), timeout);
    if (!connection_.readable(Clock::now() + timeout) || connection_.receive<uint32_t>() != nonce)
      throw DistNetworkError(taper::detail::concat("TCPStore: what listens at [", host, "]:", port,
                                                   " is no TCPStore"));
  }
  /// Sends a message. Its answer must arrive within the store's limit, but a server has at least
  /// two seconds.
  void send(const Message& message, std::chrono::milliseconds limit) {
    constexpr std::chrono::milliseconds kLeast = std::chrono::seconds(2);
    connection_.set_deadline(limit == Store::kNoTimeout ? Clock::time_point::max()
                                                        : Clock::now() + std::max(limit, kLeast));
    connection_.send(message.bytes());
  }
  Connection& connection() { return connection_; }

  /// Waits for keys. Returns false at a timeout.
  bool wait(const std::vector<std::string>& keys, std::chrono::milliseconds timeout) {
    send(with_strings(Query::kWait, keys), timeout);
    const bool forever = timeout == Store::kNoTimeout;
    if (connection_.readable(forever ? Clock::time_point::max() : Clock::now() + timeout))
      return connection_.receive<WaitAnswer>() == WaitAnswer::kStopWaiting;
    send(Message(Query::kCancelWait), timeout);
    // The answer may have been sent already.
    if (connection_.receive<WaitAnswer>() == WaitAnswer::kCancelled) return false;
    connection_.receive<WaitAnswer>();
    return true;
  }
  static Message with_strings(Query query, const std::vector<std::string>& all) {
    Message message(query);
    message.put(static_cast<uint64_t>(all.size()));
    for (const std::string& text : all) message.put_string(text);
    return message;
  }

 private:
  Connection connection_;
};

}  // namespace detail

using detail::Message;
using detail::Query;
using detail::TCPClient;

namespace {

std::string full(const std::string& key) { return detail::kKeyPrefix + key; }
std::vector<std::string> full(const std::vector<std::string>& keys) {
  std::vector<std::string> all;
  for (const std::string& key : keys) all.push_back(full(key));
  return all;
}

}  // namespace

TCPStore::TCPStore(std::string host, const TCPStoreOptions& options)
    : Store(options.timeout),
      host_(std::move(host)),
      port_(options.port),
      workers_(options.numWorkers) {
  TAPER_CHECK_VALUE(options.isServer || options.port != 0,
                    "TCPStore: expected the server's port, got 0; only a server may choose one");
  if (options.isServer) {
    server_ = options.multiTenant ? detail::TCPServer::shared(port_)
                                  : std::make_shared<detail::TCPServer>(port_);
    port_ = server_->port();
  }
  client_ = std::make_unique<TCPClient>(host_, port_, timeout_);
  if (options.waitWorkers) waitForWorkers();
}

TCPStore::~TCPStore() = default;

intrusive_ptr<Store> TCPStore::clone() {
  TCPStoreOptions options;
  options.port = port_;
  options.timeout = timeout_;
  options.waitWorkers = false;
  auto copy = make_intrusive<TCPStore>(host_, options);
  copy->server_ = server_;
  copy->workers_ = workers_;
  return copy;
}

void TCPStore::waitForWorkers() {
  if (!workers_) return;
  const auto deadline = detail::Clock::now() + timeout_;
  const auto count = [&](int64_t more) {
    const std::lock_guard<std::mutex> lock(mutex_);
    client_->send(Message(Query::kAdd).put_string(detail::kWorkersKey).put(more), timeout_);
    return client_->connection().receive<int64_t>();
  };
  int64_t there = count(1);
  // The server's process waits until all others have arrived.
  while (server_ && there < static_cast<int64_t>(*workers_)) {
    if (timeout_ != kNoTimeout && detail::Clock::now() >= deadline)
      throw DistStoreError(taper::detail::concat("TCPStore: timed out after ", timeout_.count(),
                                                 "ms waiting for clients: ", there, "/", *workers_,
                                                 " have joined"));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    there = count(0);
  }
}

void TCPStore::set(const std::string& key, const Bytes& value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  client_->send(Message(Query::kSet).put_string(full(key)).put_bytes(value), timeout_);
}
Store::Bytes TCPStore::get(const std::string& key) {
  wait({key}, timeout_);
  const std::lock_guard<std::mutex> lock(mutex_);
  client_->send(Message(Query::kGet).put_string(full(key)), timeout_);
  return client_->connection().receive_bytes();
}
int64_t TCPStore::add(const std::string& key, int64_t value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  client_->send(Message(Query::kAdd).put_string(full(key)).put(value), timeout_);
  return client_->connection().receive<int64_t>();
}
Store::Bytes TCPStore::compareSet(const std::string& key, const Bytes& expected,
                                  const Bytes& desired) {
  const std::lock_guard<std::mutex> lock(mutex_);
  client_->send(
      Message(Query::kCompareSet).put_string(full(key)).put_bytes(expected).put_bytes(desired),
      timeout_);
  return client_->connection().receive_bytes();
}
void TCPStore::append(const std::string& key, const Bytes& value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  client_->send(Message(Query::kAppend).put_string(full(key)).put_bytes(value), timeout_);
}
bool TCPStore::deleteKey(const std::string& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  client_->send(Message(Query::kDeleteKey).put_string(full(key)), timeout_);
  return client_->connection().receive<int64_t>() == 1;
}
bool TCPStore::check(const std::vector<std::string>& keys) {
  const std::lock_guard<std::mutex> lock(mutex_);
  client_->send(TCPClient::with_strings(Query::kCheck, full(keys)), timeout_);
  return client_->connection().receive<detail::CheckAnswer>() == detail::CheckAnswer::kReady;
}
int64_t TCPStore::getNumKeys() {
  const std::lock_guard<std::mutex> lock(mutex_);
  client_->send(Message(Query::kGetNumKeys), timeout_);
  return client_->connection().receive<int64_t>();
}
void TCPStore::wait(const std::vector<std::string>& keys,
                    const std::chrono::milliseconds& timeout) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (client_->wait(full(keys), timeout)) return;
  }
  for (const std::string& key : keys)
    if (!check({key})) detail::throw_wait_timeout("TCPStore", key, timeout);
}
std::vector<Store::Bytes> TCPStore::multiGet(const std::vector<std::string>& keys) {
  wait(keys, timeout_);
  const std::lock_guard<std::mutex> lock(mutex_);
  client_->send(TCPClient::with_strings(Query::kMultiGet, full(keys)), timeout_);
  std::vector<Bytes> values;
  for (size_t i = 0; i < keys.size(); ++i) values.push_back(client_->connection().receive_bytes());
  return values;
}
void TCPStore::multiSet(const std::vector<std::string>& keys, const std::vector<Bytes>& values) {
  TAPER_CHECK_VALUE(keys.size() == values.size(), "multiSet: expected as many values as keys, got ",
                    values.size(), " for ", keys.size());
  Message message(Query::kMultiSet);
  message.put(static_cast<uint64_t>(keys.size()));
  for (size_t i = 0; i < keys.size(); ++i) message.put_string(full(keys[i])).put_bytes(values[i]);
  const std::lock_guard<std::mutex> lock(mutex_);
  client_->send(message, timeout_);
}

}  // namespace torch::taper::distributed
