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

namespace torch::taper::distributed {

namespace detail {
class Join;
}

/// Gradients that are reduced together, as hooks see them; c10d's names.
class GradBucket {
 public:
  /// The parameters lie in the buffer one behind the other.
  GradBucket(size_t index, size_t count, Tensor buffer, std::vector<Tensor> parameters)
      : index_(index),
        count_(count),
        buffer_(std::move(buffer)),
        parameters_(std::move(parameters)) {}
  /// Which of the buckets: they come in this order.
  size_t getIndex() const { return index_; }
  /// Whether no other comes behind it in this pass.
  bool isLast() const { return index_ + 1 == count_; }
  /// All gradients, flat.
  const Tensor& getBuffer() const { return buffer_; }
  /// See getBuffer().
  Tensor& getBufferRef() { return buffer_; }
  /// Its parts, with their parameters' sizes.
  std::vector<Tensor> getGradients() const;
  /// Whose gradients they are.
  const std::vector<Tensor>& getParameters() const { return parameters_; }

 private:
  size_t index_, count_;
  Tensor buffer_;
  std::vector<Tensor> parameters_;
};

/// What a bucket's gradients go through in place of allreduce and division: the hook starts an
/// operation on the flat tensor and returns its Work, after whose wait() the tensor holds the
/// result. Works are waited for in the order of the buckets, when all have been started.
using CommHook = std::function<intrusive_ptr<Work>(ProcessGroup& group, GradBucket& bucket)>;
/// Averages in f16, or bf16, whatever the dtype of the gradients.
CommHook fp16_compress_hook();
CommHook bf16_compress_hook();

/// Of a Reducer.
struct ReducerOptions {
  size_t first_bucket_bytes = size_t{1} << 20;  ///< about how many are reduced at once, first
  size_t bucket_bytes = size_t{25} << 20;       ///< and then
  bool find_unused_parameters = false;          ///< whether passes may leave out parameters
  bool static_graph = false;                    ///< whether all passes are as the first
  bool gradient_as_bucket_view = false;         ///< whether gradients lie in the buckets
};

/// Averages the gradients of a backward pass as they come.
class Reducer : public std::enable_shared_from_this<Reducer> {
 public:
  /// Parameters by name, all of which want a gradient.
  Reducer(std::vector<std::pair<std::string, Tensor>> parameters, intrusive_ptr<ProcessGroup> group,
          ReducerOptions options);
  /// Puts itself behind the accumulation of gradients.
  void attach();
  /// Before a forward pass whose gradients are to be averaged. The order of buckets may come from
  /// rank `root`.
  void begin_forward(int root = 0);
  /// Before its backward pass. `outputs`: of the forward pass, where unused
  /// parameters are looked for. Throws Error when the backward pass before did
  /// not reach all parameters.
  void prepare(const std::vector<Tensor>& outputs);
  /// Until the next prepare(), gradients stay this rank's own.
  void skip();
  /// What buckets go through from now on.
  void set_hook(CommHook hook) { hook_ = std::move(hook); }
  /// Sums are divided by so many; 0: the ranks of the group. Hooks divide themselves.
  void divide_by(int ranks) { divisor_ = ranks; }
  /// Averages the gradients that there are, without a backward pass. After begin_forward().
  void average_all();
  /// Who is to be told of each bucket and of the end of a pass; null: nobody.
  void set_join(detail::Join* join) { join_ = join; }
  /// Takes part in the reduction of a bucket of the other ranks, with gradients of zero.
  void shadow(size_t bucket);
  /// The same in the end of their pass; gradients become their averages. `agrees_on_use`: theirs;
  /// `root`: one of them.
  void end_shadow(bool agrees_on_use, int root);
  /// Takes the order of buckets from rank `root`.
  void take_order(int root) { take_order_of_arrival(root); }
  /// Whether begin_forward() is to take the order of buckets from another rank.
  bool takes_order() const { return has_order_ && !order_.empty(); }
  /// Whether a pass ends with an agreement on which parameters were used.
  bool agrees_on_use() const {
    return options_.find_unused_parameters || (options_.static_graph && !has_agreed_);
  }
  /// How many buckets there are.
  size_t bucket_count() const { return buckets_.size(); }
  /// The numbers of the parameters in each bucket.
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
  /// Work that throws leaves the ranks apart.
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
  std::vector<size_t> uses_, left_;  // how often gradients come in a pass, and are still to come
  std::vector<bool> used_here_, used_static_;
  std::vector<Tensor> kept_;  // gradients of unused parameters, where buckets would change them
  size_t next_ = 0;           // the first bucket that has not started
  int divisor_ = 0, root_ = 0;
  bool expects_ = false, begun_ = false, has_order_ = false, has_uses_ = false, failed_ = false;
  bool skipped_ = false, has_agreed_ = false;  // on used_static_
  bool is_told_ = false;                       // this pass as a whole, to a join
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
