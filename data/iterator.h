// Iterator: iterates over the batches of one epoch.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>

#include <taper/framework/core/array_ref.h>

#pragma GCC visibility push(default)

namespace torch::taper::data {

/// Iterates over batches, as an input iterator. Copies share their position. The first batch is
/// made at the first access. After an exception, you can continue: the next access returns the next
/// batch.
template <class Batch>
class Iterator {
 public:
  /// The types of a standard input iterator.
  ///@{
  using difference_type = std::ptrdiff_t;
  using value_type = Batch;
  using pointer = Batch*;
  using reference = Batch&;
  using iterator_category = std::input_iterator_tag;
  ///@}

  /// Makes the batches. nullopt ends the epoch.
  struct Producer {
    virtual ~Producer() = default;
    /// Makes the next batch. If it throws, the next call makes the batch after it.
    virtual optional<Batch> next() = 0;
  };

  /// Makes the end of any epoch.
  Iterator() = default;
  /// Makes an iterator at the first batch of `producer`. The batch is not made yet.
  explicit Iterator(std::unique_ptr<Producer> producer)
      : state_(std::make_shared<State>(std::move(producer))) {}

  /// Moves to the next batch and makes it. Rethrows exceptions of the producer. Throws Error at the
  /// end.
  Iterator& operator++() {
    TAPER_CHECK(state_, "Incrementing the DataLoader's past-the-end iterator is not allowed");
    TAPER_CHECK(state_->failed || state_->fetch(), "Attempted to increment iterator past the end");
    state_->advance();
    return *this;
  }
  /// Returns the batch, and makes the first batch if needed. You may move from the batch. The
  /// reference is valid until the iterator, or a copy of it, is incremented. Throws Error at the
  /// end.
  Batch& operator*() {
    TAPER_CHECK(state_, "Dereferencing the DataLoader's past-the-end iterator is not allowed");
    TAPER_CHECK(state_->fetch(), "Attempted to dereference iterator that was past the end");
    return *state_->batch;
  }
  Batch* operator->() { return &**this; }  ///< like operator*

  /// Returns whether both iterators are copies of one iterator, both are end(), or one is end() and
  /// the other has no batch left. Iterators from two calls of begin() always differ.
  bool operator==(const Iterator& o) const {
    return state_ && o.state_ ? state_ == o.state_ : at_end() && o.at_end();
  }
  bool operator!=(const Iterator& o) const { return !(*this == o); }  ///< may make the first batch

 private:
  struct State {
    explicit State(std::unique_ptr<Producer> p) : producer(std::move(p)) {}
    void advance() {
      batch.reset();
      started = failed = true;
      batch = producer->next();
      failed = false;
    }
    /// Makes a batch if there is none, at the start or after an exception. Returns false at the
    /// end.
    bool fetch() {
      if (!started || failed) advance();
      return batch.has_value();
    }
    std::unique_ptr<Producer> producer;
    optional<Batch> batch;
    bool started = false;
    /// Whether the producer threw an exception instead of returning the batch.
    bool failed = false;
  };
  bool at_end() const { return !state_ || !state_->fetch(); }

  std::shared_ptr<State> state_;
};

}  // namespace torch::taper::data

#pragma GCC visibility pop
