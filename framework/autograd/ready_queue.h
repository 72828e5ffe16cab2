// ReadyQueue: nodes whose gradients have begun to arrive, newest first.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include <taper/framework/autograd/node.h>

namespace torch::taper::autograd {

/// A node is complete when it comes up: all its consumers were recorded later, have larger sequence
/// numbers and have run before. So the tape needs no count of dependencies. A leaf's is less than
/// that of the oldest of them; nodes of one number come in the order in which they were reached.
class ReadyQueue {
 public:
  struct Task {
    Node* node;
    GradList grads;
  };

  bool empty() const { return heap_.empty(); }

  /// Adds `grad` to what has arrived for output `input_nr` of `node`'s op.
  void add(Node* node, uint32_t input_nr, Tensor&& grad) {
    GradList& grads = tasks_[slot_of(node)].grads;
    accumulate(grads[input_nr], std::move(grad));
  }
  /// Makes sure that `node` will run, even when only undefined gradients arrive.
  void touch(Node* node) { slot_of(node); }

  Task pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const uint32_t slot = heap_.back().slot;
    heap_.pop_back();
    Task task = std::move(tasks_[slot]);
    tasks_[slot].node = nullptr;
    free_.push_back(slot);
    if (indexed_) slots_.erase(task.node);
    return task;
  }

  /// Forgets everything; keeps the memory.
  void clear() {
    heap_.clear();
    tasks_.clear();
    free_.clear();
    slots_.clear();
    indexed_ = false;
    arrivals_ = 0;
  }

 private:
  struct Entry {
    uint64_t sequence_nr;
    uint64_t arrival;
    uint32_t slot;
  };
  static bool later(const Entry& a, const Entry& b) {
    if (a.sequence_nr != b.sequence_nr) return a.sequence_nr < b.sequence_nr;
    return a.arrival > b.arrival;
  }
  static void accumulate(Tensor& sum, Tensor&& grad);
  uint32_t slot_of(Node* node);
  uint32_t new_slot(Node* node);

  // Beyond this many waiting nodes a hash map finds them; below, looking at each is faster.
  static constexpr size_t kScan = 16;
  std::vector<Entry> heap_;
  std::vector<Task> tasks_;
  std::vector<uint32_t> free_;
  std::unordered_map<Node*, uint32_t> slots_;
  bool indexed_ = false;
  uint64_t arrivals_ = 0;
};

}  // namespace torch::taper::autograd
