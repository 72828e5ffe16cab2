// Tells ranks without inputs which operation the other ranks will run next, so that all ranks run
// it. Not installed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <taper/distributed/process_group.h>
#include <taper/framework/core/check.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::optim {
class ZeroRedundancyOptimizer;
}

namespace torch::taper::distributed::detail {

/// Coordinates one call of DistributedDataParallel::join() on this thread. Before each collective
/// operation, each rank announces its next step.
class Join {
 public:
  /// The kinds of steps. The comments say what the numbers a, b and c of a Note mean.
  enum Step : int64_t {
    kNoInputs,
    kForward,     // a: whether gradients are averaged, b: whether buffers are sent, c: whether one
                  // rank sends its order of buckets to the other ranks
    kBucket,      // a: index, b: whether it is the pass's last announcement, c: as kEndOfPass's a
    kEndOfPass,   // a: whether ranks agree on the used parameters
    kStatistics,  // sums of a batch norm's forward. a: number of values, b: dtype of inputs
    kSums,        // sums of a batch norm's backward. a: number of values, b: their dtype
    kOptimizerStep,  // a: index of the optimizer
    kSteps
  };
  struct Note {
    int64_t step = kNoInputs, a = 0, b = 0, c = 0;
    bool operator==(const Note& o) const {
      return step == o.step && a == o.a && b == o.b && c == o.c;
    }
  };
  /// The announcement of the ranks that have inputs, the number of these ranks, and the lowest of
  /// these ranks.
  struct Heard {
    Note note;
    int with_inputs = 0, root = -1;
  };

  Join(intrusive_ptr<ProcessGroup> group, std::vector<optim::ZeroRedundancyOptimizer*> optimizers)
      : group_(std::move(group)), optimizers_(std::move(optimizers)), before_(current()) {
    TAPER_CHECK(!before_, "DistributedDataParallel::join: expected no join within a join");
    current() = this;
  }
  ~Join() { current() = before_; }
  Join(const Join&) = delete;
  Join& operator=(const Join&) = delete;

  /// Returns this thread's join, or null. Each operation that join() supports calls current().
  static Join*& current() {
    static thread_local Join* join = nullptr;
    return join;
  }
  /// Returns this thread's join. Throws Error if `group` is not the group of the join.
  static Join* current_for(const char* op, const intrusive_ptr<ProcessGroup>& group) {
    Join* const join = current();
    TAPER_CHECK(!join || join->group_.get() == group.get(), op,
                ": expected the process group of the join() around it, whose other ranks may have "
                "no more inputs, got another one");
    return join;
  }

  /// Announces a step, and does not wait for the other ranks.
  void announce(const Note& own) { (void)start(own); }
  /// Announces a step, and waits for the other ranks' announcements. Throws Error if ranks with
  /// inputs announce different steps.
  Heard tell(const Note& own) {
    auto [rows, work] = start(own);
    work->wait();
    Heard heard;
    const int64_t* p = rows.data_ptr<int64_t>();
    for (int r = 0; r < group_->getSize(); ++r, p += kNumbers) {
      const Note note{p[0], p[1], p[2], p[3]};
      if (note.step == kNoInputs) continue;
      if (heard.with_inputs++ == 0) {
        heard.note = note;
        heard.root = r;
      }
      TAPER_CHECK(note == heard.note,
                  "DistributedDataParallel::join: expected all ranks with inputs to do the same, "
                  "but rank ",
                  r, " is at ", text_of(note), " where rank ", heard.root, " is at ",
                  text_of(heard.note));
    }
    return heard;
  }

  /// Returns whether a batch norm has announced statistics. Its backward then runs reductions
  /// between the reductions of buckets.
  bool has_statistics() const { return has_statistics_; }
  /// Returns the index of `optimizer` in JoinOptions::optimizers. Throws Error if `optimizer` is
  /// not listed.
  int64_t number_of(const optim::ZeroRedundancyOptimizer* optimizer) const {
    for (size_t i = 0; i < optimizers_.size(); ++i)
      if (optimizers_[i] == optimizer) return static_cast<int64_t>(i);
    throw Error(
        "ZeroRedundancyOptimizer: expected a join() around its step to know the optimizer: give "
        "it to JoinOptions::optimizers");
  }
  optim::ZeroRedundancyOptimizer& optimizer(int64_t i) const {
    return *optimizers_.at(static_cast<size_t>(i));
  }

 private:
  static constexpr int64_t kNumbers = 4;
  std::pair<Tensor, ProcessGroup::WorkPtr> start(const Note& own) {
    has_statistics_ = has_statistics_ || own.step == kStatistics;
    Tensor row = empty({kNumbers}, kLong), rows = empty({group_->getSize(), kNumbers}, kLong);
    auto* const p = row.data_ptr<int64_t>();
    p[0] = own.step;
    p[1] = own.a;
    p[2] = own.b;
    p[3] = own.c;
    return {rows, group_->_allgather_base(rows, row)};
  }
  static std::string text_of(const Note& note) {
    static constexpr const char* kNames[kSteps] = {
        "its end", "a forward pass",     "bucket", "the end of a backward pass", "statistics",
        "sums",    "an optimizer's step"};
    return taper::detail::concat(kNames[note.step], " (", note.a, ", ", note.b, ", ", note.c, ")");
  }

  const intrusive_ptr<ProcessGroup> group_;
  const std::vector<optim::ZeroRedundancyOptimizer*> optimizers_;
  Join* const before_;
  bool has_statistics_ = false;
};

}  // namespace torch::taper::distributed::detail
