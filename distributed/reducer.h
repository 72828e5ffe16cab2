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

/// A bucket: gradients that are reduced together. It is an argument of CommHook. Its functions have
/// the names of PyTorch's c10d::GradBucket.
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
  /// Returns the gradients as views of the buffer. Each has the sizes of its parameter.
  std::vector<Tensor> getGradients() const;
  /// Returns the parameters of the bucket, in the order of getGradients().
  const std::vector<Tensor>& getParameters() const { return parameters_; }

 private:
  size_t index_, count_;
  Tensor buffer_;
  std::vector<Tensor> parameters_;
};

/// A hook that replaces the default average of a bucket, an allreduce and a division. It starts an
/// operation on `bucket.getBufferRef()` and returns the Work. After wait(), the buffer holds the
/// result. When the hooks of all buckets have been called, the reducer waits for the Works in the
/// order of the buckets.
using CommHook = std::function<intrusive_ptr<Work>(ProcessGroup& group, GradBucket& bucket)>;
/// Return a hook that converts gradients to f16 or bf16, averages them, and converts them back.
/// Gradients may have any floating dtype.
CommHook fp16_compress_hook();
CommHook bf16_compress_hook();

/// Options of a Reducer.
struct ReducerOptions {
  size_t first_bucket_bytes = size_t{1} << 20;  ///< approximate size of the first bucket
  size_t bucket_bytes = size_t{25} << 20;       ///< approximate size of later buckets
  bool find_unused_parameters = false;          ///< whether passes may leave parameters unused
  bool static_graph = false;  ///< whether passes use parameters as often as the first one
  bool gradient_as_bucket_view = false;  ///< whether gradients are views of the buckets
};

/// Averages the gradients of a backward pass as they arrive.
class Reducer : public std::enable_shared_from_this<Reducer> {
 public:
  /// Takes parameters with their names. All must require a gradient.
  Reducer(std::vector<std::pair<std::string, Tensor>> parameters, intrusive_ptr<ProcessGroup> group,
          ReducerOptions options);
  /// Registers hooks on the parameters. A hook runs after a parameter's gradient is accumulated.
  void attach();
  /// Prepares a forward pass whose gradients will be averaged. After the first pass, the next call
  /// takes the order of buckets from rank `root`.
  void begin_forward(int root = 0);
  /// Prepares the backward pass. If unused parameters must be found, `outputs` are the outputs of
  /// the forward pass. Throws Error if the previous backward pass did not reach all parameters.
  void prepare(const std::vector<Tensor>& outputs);
  /// Disables averaging until the next prepare().
  void skip();
  /// Sets the hook that averages buckets.
  void set_hook(CommHook hook) { hook_ = std::move(hook); }
  /// Sets the divisor of sums of gradients. 0 means the number of ranks. A CommHook must divide its
  /// sums itself.
  void divide_by(int ranks) { divisor_ = ranks; }
  /// Averages the existing gradients without a backward pass. Call it after begin_forward().
  void average_all();
  /// Sets the Join to which each bucket and each end of a pass is announced. null means no Join.
  void set_join(detail::Join* join) { join_ = join; }
  /// For a rank without inputs: runs the reduction of bucket `bucket`, with gradients of zero.
  void shadow(size_t bucket);
  /// For a rank without inputs: finishes the backward pass of the other ranks. This rank's
  /// gradients become the averages. `agrees_on_use` is the result of agrees_on_use() on ranks with
  /// inputs. `root` is a rank with inputs.
  void end_shadow(bool agrees_on_use, int root);
  /// Makes buckets in the order of rank `root`. All ranks call this together.
  void take_order(int root) { take_order_of_arrival(root); }
  /// Returns whether the next begin_forward() takes the order of buckets from rank `root`.
  bool takes_order() const { return has_order_ && !order_.empty(); }
  /// Returns whether, at the end of a pass, ranks tell each other which parameters they used.
  bool agrees_on_use() const {
    return options_.find_unused_parameters || (options_.static_graph && !has_agreed_);
  }
  /// Returns the number of buckets.
  size_t bucket_count() const { return buckets_.size(); }
  /// Returns the indices of the parameters in each bucket.
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
  std::vector<size_t> uses_, left_;  // for each parameter: number of gradients in a pass, and
                                     // number of gradients still to come
  std::vector<bool> used_here_, used_static_;
  std::vector<Tensor> kept_;  // gradients of unused parameters, which buckets would change
  size_t next_ = 0;           // the first bucket that has not started
  int divisor_ = 0, root_ = 0;
  bool expects_ = false, begun_ = false, has_order_ = false, has_uses_ = false, failed_ = false;
  bool skipped_ = false, has_agreed_ = false;  // has_agreed_: used_static_ is known
  bool is_told_ = false;  // whether this pass needs no further announcement to the join
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
