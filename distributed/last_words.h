// Messages between ranks after an operation has failed. The messages show which ranks were at
// another operation, and which ranks do not answer. Not installed.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <taper/distributed/store.h>

namespace torch::taper::distributed::detail {

/// A failed operation of this rank.
struct Failure {
  intrusive_ptr<Store> store;  ///< store of the group
  int rank, size;
  std::string at;                   ///< "allreduce of Float[3] (operation 7)"
  std::chrono::milliseconds limit;  ///< time limit of the operation
};

/// Exchanges the messages of all ranks through one value of the store. Each line of this value is a
/// message.
class LastWords {
 public:
  explicit LastWords(Failure own) : own_(std::move(own)) {}

  /// Writes this rank's message. Then reads messages until all ranks have written one, or the
  /// deadline has passed.
  void converse(std::chrono::steady_clock::time_point deadline) {
    using namespace std::chrono_literals;
    try {
      const std::string line = taper::detail::concat(own_.rank, ' ', own_.at, '\n');
      own_.store->append(kKey, Store::Bytes(line.begin(), line.end()));
      for (auto pause = 5ms; !take(own_.store->get_to_str(kKey)); pause = std::min(2 * pause, 80ms))
        if (std::chrono::steady_clock::now() < deadline)
          std::this_thread::sleep_for(pause);
        else
          break;
    } catch (const std::exception&) {  // the store is gone: use the messages so far
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  /// Waits until converse() has ended or the deadline has passed. Returns the messages that were
  /// read, by rank.
  std::map<int, std::string> heard(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_until(lock, deadline, [this] { return ended_; });
    return words_;
  }

 private:
  static constexpr const char* kKey = "last_words";
  /// Adds the messages in `lines`. Returns whether all ranks have written a message.
  bool take(const std::string& lines) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::istringstream in(lines);
    int rank = 0;
    for (std::string at; in >> rank && in.ignore(1) && std::getline(in, at);)
      words_.emplace(rank, at);
    return words_.size() == static_cast<size_t>(own_.size);
  }

  const Failure own_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, std::string> words_;
  bool ended_ = false;
};

/// Returns "Rank 1" for one rank, and "Ranks 1, 3" for several ranks.
inline std::string names_of(const std::vector<int>& ranks) {
  constexpr size_t kMost = 16;
  std::string names = ranks.size() == 1 ? "Rank" : "Ranks";
  for (size_t i = 0; i < std::min(ranks.size(), kMost); ++i)
    names += taper::detail::concat(i ? ", " : " ", ranks[i]);
  return ranks.size() > kMost ? names + ", ..." : names;
}

/// Writes this rank's failure to the store, and waits for the other ranks' messages. It waits for a
/// quarter of the operation's time limit, but at most two seconds. Returns sentences that can be
/// appended to the error message. Does not throw, and returns in time even if the store does not
/// answer.
inline std::string words_of_other_ranks(const Failure& own) {
  using std::chrono::milliseconds;
  const auto patience = std::clamp(own.limit / 4, milliseconds(100), milliseconds(2000));
  const auto deadline = std::chrono::steady_clock::now() + patience;
  // Use a separate thread, because a store whose server is stopped answers late or never.
  const auto words = std::make_shared<LastWords>(own);
  std::thread([words, deadline] { words->converse(deadline); }).detach();
  const auto heard = words->heard(deadline + milliseconds(100));
  if (heard.empty())
    return ". The store at which ranks met does not answer, either: whoever serves it may have "
           "ended or be stopped";
  std::map<std::string, std::vector<int>> others;
  std::vector<int> silent;
  for (int r = 0; r < own.size; ++r) {
    const auto found = heard.find(r);
    if (found == heard.end())
      silent.push_back(r);
    else if (found->second != own.at)
      others[found->second].push_back(r);
  }
  std::string text;
  for (const auto& [at, ranks] : others)
    text += taper::detail::concat(". ", names_of(ranks), ranks.size() == 1 ? " was" : " were",
                                  " at ", at);
  if (!silent.empty())
    text += taper::detail::concat(". ", names_of(silent), silent.size() == 1 ? " has" : " have",
                                  " said nothing within ", patience.count(),
                                  " ms: ended, stopped, late, or at no operation");
  return text.empty() ? ". All ranks were at it" : text;
}

}  // namespace torch::taper::distributed::detail
