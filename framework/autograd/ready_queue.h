// ReadyQueue: nodes whose first gradient has arrived, newest first.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include <taper/framework/autograd/node.h>

namespace torch::taper::autograd {

/// A queue of nodes ordered by sequence number, largest first. The popped node is complete: all its
/// consumers were recorded later, have larger numbers, and have run. So the tape needs no
/// dependency counts. A leaf's accumulator has a smaller number than the oldest op that uses the
/// leaf. Nodes with equal numbers come in the order in which they were reached.
class ReadyQueue {
 public:
  struct Task {
    Node* node;
    GradList grads;
  };

  bool empty() const { return heap_.empty(); }

  /// Adds `grad` to the gradient of output `input_nr` of `node`'s op.
  void add(Node* node, uint32_t input_nr, Tensor&& grad) {
    GradList& grads = tasks_[slot_of(node)].grads;
    accumulate(grads[input_nr], std::move(grad));
  }
  /// Adds `node` without a gradient, so that it runs even if no gradient arrives.
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

  /// Removes all nodes, and keeps the memory.
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

  // If more nodes than this wait, a hash map finds a node. If fewer wait, a scan is faster.
  static constexpr size_t kScan = 16;
  std::vector<Entry> heap_;
  std::vector<Task> tasks_;
  std::vector<uint32_t> free_;
  std::unordered_map<Node*, uint32_t> slots_;
  bool indexed_ = false;
  uint64_t arrivals_ = 0;
};

}  // namespace torch::taper::autograd
