// Reducer: gradients of parameters, averaged over the ranks of a group while backward goes on. Not
// for programs: DistributedDataParallel has one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <taper/distributed/process_group.h>
#include <taper/framework/autograd/node.h>

#pragma GCC visibility push(default)

namespace taper::distributed {

/// What a bucket's gradients go through in place of allreduce and division: the hook starts an
/// operation on the flat tensor and returns its Work, after whose wait() the tensor holds the
/// result.
using CommHook = std::function<intrusive_ptr<Work>(ProcessGroup& group, Tensor& bucket)>;
/// Averages in f16, or bf16, whatever the dtype of the gradients.
CommHook fp16_compress_hook();
CommHook bf16_compress_hook();

/// Of a Reducer.
struct ReducerOptions {
  size_t first_bucket_bytes = size_t{1} << 20;  ///< about how many are reduced at once, first
  size_t bucket_bytes = size_t{25} << 20;       ///< and then
  bool find_unused_parameters = false;          ///< whether passes may leave out parameters
};

/// Averages the gradients of a backward pass as they come.
class Reducer : public std::enable_shared_from_this<Reducer> {
 public:
  /// Parameters by name, all of which want a gradient.
  Reducer(std::vector<std::pair<std::string, Tensor>> parameters, intrusive_ptr<ProcessGroup> group,
          ReducerOptions options);
  /// Puts itself behind the accumulation of gradients.
  void attach();
  /// Before a backward pass that is to be averaged. `outputs`: of the forward pass, where unused
  /// parameters are looked for. Throws Error when the backward pass before did
  /// not reach all parameters.
  void prepare(const std::vector<Tensor>& outputs);
  /// Until the next prepare(), gradients stay this rank's own.
  void skip() { expects_ = false; }
  /// What buckets go through from now on.
  void set_hook(CommHook hook) { hook_ = std::move(hook); }
  /// The numbers of the parameters in each bucket.
  std::vector<std::vector<size_t>> buckets() const;

 private:
  struct Bucket {
    std::vector<size_t> parameters;
    size_t missing = 0;
    Tensor flat;
    intrusive_ptr<Work> work;
  };
  void make_buckets(const std::vector<size_t>& order);
  void note(size_t i);
  void arrived(size_t i);
  void start(Bucket& bucket);
  std::vector<bool> used_anywhere();
  void finish();
  void take_order_of_arrival();
  void find_unused(const std::vector<Tensor>& outputs);

  std::vector<std::pair<std::string, Tensor>> parameters_;
  intrusive_ptr<ProcessGroup> group_;
  ReducerOptions options_;
  CommHook hook_;
  std::vector<intrusive_ptr<autograd::Node>> accumulators_;
  std::vector<Bucket> buckets_;
  std::vector<size_t> bucket_of_, order_;
  std::vector<bool> arrived_, used_here_;
  size_t next_ = 0;  // the first bucket that has not started
  bool expects_ = false, begun_ = false, has_order_ = false, failed_ = false;
};

}  // namespace taper::distributed

#pragma GCC visibility pop
