// Iterator: over the batches of one epoch.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>

#include <taper/framework/core/array_ref.h>

#pragma GCC visibility push(default)

namespace torch::taper::data {

/// An input iterator. Copies share their place. The first batch is made when it is first needed.
/// After an exception the iterator can be used on: the next look at it gives the batch behind.
template <class Batch>
class Iterator {
 public:
  /// What the standard library asks of an input iterator.
  ///@{
  using difference_type = std::ptrdiff_t;
  using value_type = Batch;
  using pointer = Batch*;
  using reference = Batch&;
  using iterator_category = std::input_iterator_tag;
  ///@}

  /// Where batches come from; nullopt ends the epoch.
  struct Producer {
    virtual ~Producer() = default;
    /// Makes the next batch. Where it throws it is called again for the batch behind.
    virtual optional<Batch> next() = 0;
  };

  /// The end of every epoch.
  Iterator() = default;
  /// At the first batch of `producer`, which is not made yet.
  explicit Iterator(std::unique_ptr<Producer> producer)
      : state_(std::make_shared<State>(std::move(producer))) {}

  /// Makes the next batch; an exception of the producer comes out here. Throws Error at the end.
  Iterator& operator++() {
    TAPER_CHECK(state_, "Incrementing the DataLoader's past-the-end iterator is not allowed");
    TAPER_CHECK(state_->failed || state_->fetch(), "Attempted to increment iterator past the end");
    state_->advance();
    return *this;
  }
  /// The batch, which may be moved from; it lives until the iterator or a copy of it goes on. Makes
  /// the first one. Throws Error at the end.
  Batch& operator*() {
    TAPER_CHECK(state_, "Dereferencing the DataLoader's past-the-end iterator is not allowed");
    TAPER_CHECK(state_->fetch(), "Attempted to dereference iterator that was past the end");
    return *state_->batch;
  }
  Batch* operator->() { return &**this; }  ///< as operator*

  /// Equal: copies of one iterator, two ends, and the end with an iterator that has no batch left.
  /// Two iterators that begin() gave are not, wherever they are.
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
    /// Makes the first batch, and the one after an exception, unless it is there; false at the end.
    bool fetch() {
      if (!started || failed) advance();
      return batch.has_value();
    }
    std::unique_ptr<Producer> producer;
    optional<Batch> batch;
    bool started = false;
    /// An exception came in place of the batch.
    bool failed = false;
  };
  bool at_end() const { return !state_ || !state_->fetch(); }

  std::shared_ptr<State> state_;
};

}  // namespace torch::taper::data

#pragma GCC visibility pop
