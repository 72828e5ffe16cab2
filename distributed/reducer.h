// Reducer: averages gradients over the ranks of a group while backward runs. Only
// DistributedDataParallel uses it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <taper/distributed/process_group.h>
#include <taper/framework/autograd/node.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

namespace detail {
class Join;
}

/// A bucket: gradients that are reduced together. Hooks get it as an argument. The names are those
/// of c10d.
class GradBucket {
 public:
  /// Makes a bucket. `buffer` has the gradients of `parameters` one after the other.
  GradBucket(size_t index, size_t count, Tensor buffer, std::vector<Tensor> parameters)
      : index_(index),
        count_(count),
        buffer_(std::move(buffer)),
        parameters_(std::move(parameters)) {}
  /// Returns the bucket's index. Hooks get the buckets in the order of their indices.
  size_t getIndex() const { return index_; }
  /// Returns whether this is the last bucket of the pass.
  bool isLast() const { return index_ + 1 == count_; }
  /// Returns all gradients, as a flat tensor.
  const Tensor& getBuffer() const { return buffer_; }
  /// Returns all gradients as a flat tensor that the hook may change.
  Tensor& getBufferRef() { return buffer_; }
  /// Returns the gradients, with their parameters' sizes.
  std::vector<Tensor> getGradients() const;
  /// Returns the parameters of the gradients.
  const std::vector<Tensor>& getParameters() const { return parameters_; }

 private:
  size_t index_, count_;
  Tensor buffer_;
  std::vector<Tensor> parameters_;
};

/// A hook that replaces the allreduce and the division of a bucket. It starts an operation on the
/// flat tensor and returns the Work. After wait(), the tensor holds the result. When the hooks of
/// all buckets have been called, the reducer waits for the Works in the order of the buckets.
using CommHook = std::function<intrusive_ptr<Work>(ProcessGroup& group, GradBucket& bucket)>;
/// Return a hook that averages in f16 or in bf16. Gradients may have any dtype.
CommHook fp16_compress_hook();
CommHook bf16_compress_hook();

/// Options of a Reducer.
struct ReducerOptions {
  size_t first_bucket_bytes = size_t{1} << 20;  ///< approximate size of the first bucket
  size_t bucket_bytes = size_t{25} << 20;       ///< approximate size of later buckets
  bool find_unused_parameters = false;          ///< whether passes may leave parameters unused
  bool static_graph = false;                    ///< whether all passes equal the first
  bool gradient_as_bucket_view = false;         ///< whether gradients are views of the buckets
};

/// Averages the gradients of a backward pass as they arrive.
class Reducer : public std::enable_shared_from_this<Reducer> {
 public:
  /// Takes parameters with their names. All must require a gradient.
  Reducer(std::vector<std::pair<std::string, Tensor>> parameters, intrusive_ptr<ProcessGroup> group,
          ReducerOptions options);
  /// Registers hooks that run after a gradient is accumulated.
  void attach();
  /// Prepares a forward pass whose gradients will be averaged. The first call after the first pass
  /// takes the order of buckets from rank `root`.
  void begin_forward(int root = 0);
  /// Prepares the backward pass. If unused parameters must be found, `outputs` are the outputs of
  /// the forward pass. Throws Error if the previous backward pass did not reach all parameters.
  void prepare(const std::vector<Tensor>& outputs);
  /// Keeps gradients local until the next prepare().
  void skip();
  /// Sets the hook of buckets.
  void set_hook(CommHook hook) { hook_ = std::move(hook); }
  /// Sets the number by which sums are divided. 0 means the number of ranks. Hooks must divide
  /// themselves.
  void divide_by(int ranks) { divisor_ = ranks; }
  /// Averages the existing gradients without a backward pass. Call it after begin_forward().
  void average_all();
  /// Sets the join, which gets an announcement of each bucket and of the end of a pass. It may be
  /// null.
  void set_join(detail::Join* join) { join_ = join; }
  /// For a rank without inputs: takes part in the reduction of a bucket, with gradients of zero.
  void shadow(size_t bucket);
  /// For a rank without inputs: takes part in the end of the other ranks' pass. Its gradients
  /// become the averages. `agrees_on_use` is the value of the other ranks. `root` is one of them.
  void end_shadow(bool agrees_on_use, int root);
  /// Takes the order of buckets from rank `root`.
  void take_order(int root) { take_order_of_arrival(root); }
  /// Returns whether begin_forward() will take the order of buckets from a rank.
  bool takes_order() const { return has_order_ && !order_.empty(); }
  /// Returns whether the ranks exchange at the end of a pass which parameters they used.
  bool agrees_on_use() const {
    return options_.find_unused_parameters || (options_.static_graph && !has_agreed_);
  }
  /// Returns the number of buckets.
  size_t bucket_count() const { return buckets_.size(); }
  /// Returns the numbers of the parameters in each bucket.
  std::vector<std::vector<size_t>> buckets() const;

 private:
  struct Bucket {
    std::vector<size_t> parameters;
    size_t missing = 0;
    Tensor flat, shadow;
    intrusive_ptr<Work> work;
  };
  void make_buckets(const std::vector<size_t>& order);
  void check_all_came() const;
  void reset_pass();
  void find_unused(const std::vector<Tensor>& outputs);
  void come_early();
  void arrived(size_t i);
  void note(size_t i);
  void start_ready();
  void end_of_pass();
  void start_unused();
  Tensor part_of(const Bucket& bucket, int64_t at, size_t i) const;
  void fill(Bucket& bucket);
  void place_gradients(Bucket& bucket);
  void start(size_t number);
  void tell_join(size_t number);
  std::vector<bool> used_anywhere(bool agree);
  void finish();
  void give_out(Bucket& bucket, const std::vector<bool>& used);
  void give_out_shadow(Bucket& bucket, const std::vector<bool>& used);
  void share_unused(const std::vector<bool>& used, int root, bool takes);
  intrusive_ptr<Work> reduce(size_t number, Tensor& flat);
  void take_order_of_arrival(int root);
  /// Calls f. If f throws, marks the reducer as failed, because the ranks are no longer
  /// synchronized.
  template <class F>
  void or_fail(const F& f);

  std::vector<std::pair<std::string, Tensor>> parameters_;
  intrusive_ptr<ProcessGroup> group_;
  ReducerOptions options_;
  CommHook hook_;
  detail::Join* join_ = nullptr;
  std::vector<intrusive_ptr<autograd::Node>> accumulators_;
  std::vector<Bucket> buckets_;
  std::vector<size_t> bucket_of_, order_;
  std::vector<size_t> uses_, left_;  // numbers of gradients: in a pass, and still to come
  std::vector<bool> used_here_, used_static_;
  std::vector<Tensor> kept_;  // gradients of unused parameters, which buckets would change
  size_t next_ = 0;           // the first bucket that has not started
  int divisor_ = 0, root_ = 0;
  bool expects_ = false, begun_ = false, has_order_ = false, has_uses_ = false, failed_ = false;
  bool skipped_ = false, has_agreed_ = false;  // has_agreed_: on used_static_
  bool is_told_ = false;                       // whether the join knows of this pass
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
