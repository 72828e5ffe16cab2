#include <taper/distributed/power_sgd.h>

#include <algorithm>
#include <utility>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/random/random.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::distributed {

/// Holds a gradient as a matrix, and its two factors.
struct PowerSGDState::Matrix {
  Tensor gradient, p, q;
};

/// Holds a bucket in progress.
struct PowerSGDState::Pass {
  Tensor buffer, before;      // before: with the errors of earlier passes
  std::vector<Tensor> small;  // averaged uncompressed
  std::vector<Matrix> matrices;
  std::vector<Tensor> flat_small, flat_p, flat_q;  // of one element: for allreduce
  intrusive_ptr<Work> small_work, p_work;
};

namespace {

/// Starts to average over the ranks.
intrusive_ptr<Work> start_mean(ProcessGroup& group, std::vector<Tensor>& flat) {
  AllreduceOptions average;
  average.reduceOp = ReduceOp::AVG;
  return group.allreduce(flat, average);
}

std::vector<Tensor> flat_of(const std::vector<Tensor>& parts) {
  std::vector<Tensor> flat;
  for (const Tensor& t : parts) flat.push_back(t.reshape({-1}));
  return {cat(flat)};
}
void take_from(const Tensor& flat, const std::vector<Tensor>& parts) {
  int64_t at = 0;
  for (const Tensor& t : parts) {
    t.copy_(flat.narrow(0, at, t.numel()).view(t.sizes()));
    at += t.numel();
  }
}

/// Makes the few columns orthonormal by Gram and Schmidt. For a column that depends on earlier
/// ones, the rounding errors become a direction once they are scaled to length 1. Hence it takes
/// three rounds.
void orthogonalize(const Tensor& m, double epsilon) {
  constexpr int kRounds = 3;
  for (int64_t i = 0; i < m.size(1); ++i) {
    const Tensor column = m.narrow(1, i, 1), before = m.narrow(1, 0, i);
    for (int round = 0; round < kRounds; ++round) {
      if (i > 0) column.sub_(before.matmul(before.t().matmul(column)));
      const double norm = column.square().sum().sqrt().item<double>() + epsilon;
      if (norm > 0)
        column.div_(norm);
      else
        column.narrow(0, i % m.size(0), 1).fill_(1);
    }
  }
}

intrusive_ptr<Work> when_waited(std::function<void()> f) {
  auto work = make_intrusive<Work>();
  work->on_wait([f = std::move(f)] {
    const NoGradGuard off;
    f();
  });
  work->finish();
  return work;
}

}  // namespace

PowerSGDState::PowerSGDState(PowerSGDOptions options) : options_(options) {
  TAPER_CHECK_VALUE(options_.matrix_approximation_rank() >= 1,
                    "PowerSGDState: expected a matrix_approximation_rank of at least 1, got ",
                    options_.matrix_approximation_rank());
  const int64_t least = options_.use_error_feedback() || options_.warm_start() ? 2 : 0;
  TAPER_CHECK_VALUE(options_.start_powerSGD_iter() >= least,
                    "PowerSGDState: expected a start_powerSGD_iter of at least ", least,
                    " with error feedback or a warm start, since buckets change after the first "
                    "pass, got ",
                    options_.start_powerSGD_iter());
}

double PowerSGDState::compression_rate() const { return sent_ > 0 ? given_ / sent_ : 1; }

Tensor PowerSGDState::first_q(const Matrix& m, size_t bucket, size_t number) const {
  const auto found = q_.find({bucket, number});
  if (options_.warm_start() && found != q_.end()) return found->second;
  const int64_t rank =
      std::min({options_.matrix_approximation_rank(), m.gradient.size(0), m.gradient.size(1)});
  const Generator numbers = taper::detail::createCPUGenerator(
      options_.random_seed() + 1000003 * static_cast<uint64_t>(iteration_) + 1009 * bucket +
      number);
  const Tensor q = randn({m.gradient.size(1), rank}, numbers, TensorOptions(kFloat))
                       .to(m.gradient.device(), m.gradient.scalar_type());
  orthogonalize(q, options_.orthogonalization_epsilon());
  return q;
}

// Sorts gradients into matrices worth compressing, and all others.
void PowerSGDState::sort_gradients(GradBucket& bucket, Pass& pass) {
  for (const Tensor& g : bucket.getGradients()) {
    const int64_t rows = g.dim() >= 2 ? g.size(0) : 1, columns = rows ? g.numel() / rows : 0;
    const int64_t rank = std::min({options_.matrix_approximation_rank(), rows, columns});
    const bool pays = g.dim() >= 2 && static_cast<double>((rows + columns) * rank) *
                                              options_.min_compression_rate() <
                                          static_cast<double>(g.numel());
    if (!pays)
      pass.small.push_back(g);
    else
      pass.matrices.push_back({g.view({rows, columns}), {}, {}});
  }
}

std::shared_ptr<PowerSGDState::Pass> PowerSGDState::begin(ProcessGroup& group, GradBucket& bucket) {
  const size_t index = bucket.getIndex();
  auto pass = std::make_shared<Pass>();
  pass->buffer = bucket.getBuffer();
  sort_gradients(bucket, *pass);
  if (options_.use_error_feedback()) {
    const auto lost = errors_.find(index);
    if (lost != errors_.end() && lost->second.numel() == pass->buffer.numel())
      pass->buffer.add_(lost->second);
    pass->before = pass->buffer.clone();
  }
  if (!pass->small.empty()) {
    pass->flat_small = flat_of(pass->small);
    pass->small_work = start_mean(group, pass->flat_small);
    sent_ += static_cast<double>(pass->flat_small[0].numel());
  }
  std::vector<Tensor> all_p;
  for (size_t i = 0; i < pass->matrices.size(); ++i) {
    Matrix& m = pass->matrices[i];
    m.q = first_q(m, index, i);
    m.p = m.gradient.matmul(m.q);
    all_p.push_back(m.p);
    sent_ += static_cast<double>(m.p.numel() + m.q.numel());
  }
  if (!all_p.empty()) {
    pass->flat_p = flat_of(all_p);
    pass->p_work = start_mean(group, pass->flat_p);
  }
  given_ += static_cast<double>(pass->buffer.numel());
  return pass;
}

intrusive_ptr<Work> PowerSGDState::reduce(ProcessGroup& group, GradBucket& bucket) {
  const NoGradGuard off;
  const size_t index = bucket.getIndex();
  const bool last = bucket.isLast();
  if (iteration_ < options_.start_powerSGD_iter()) {
    if (last) ++iteration_;
    std::vector<Tensor> flat = {bucket.getBuffer()};
    return start_mean(group, flat);
  }
  const std::shared_ptr<Pass> pass = begin(group, bucket);
  if (last) ++iteration_;
  const intrusive_ptr<ProcessGroup> of_all(&group);
  return when_waited([this, pass, index, of_all] {
    std::vector<Tensor> all_p, all_q;
    if (pass->p_work.defined()) {
      pass->p_work->wait();
      for (Matrix& m : pass->matrices) all_p.push_back(m.p);
      take_from(pass->flat_p[0], all_p);
      for (Matrix& m : pass->matrices) {
        orthogonalize(m.p, options_.orthogonalization_epsilon());
        m.q = m.gradient.t().matmul(m.p);
        all_q.push_back(m.q);
      }
      pass->flat_q = flat_of(all_q);
      start_mean(*of_all, pass->flat_q)->wait();
      take_from(pass->flat_q[0], all_q);
    }
    for (size_t i = 0; i < pass->matrices.size(); ++i) {
      Matrix& m = pass->matrices[i];
      m.gradient.copy_(m.p.matmul(m.q.t()));
      if (options_.warm_start()) {
        orthogonalize(m.q, options_.orthogonalization_epsilon());
        q_[{index, i}] = m.q;
      }
    }
    if (pass->before.defined()) errors_[index] = pass->before.sub_(pass->buffer);
    if (!pass->small_work.defined()) return;
    pass->small_work->wait();
    take_from(pass->flat_small[0], pass->small);
  });
}

CommHook power_sgd_hook(std::shared_ptr<PowerSGDState> state) {
  TAPER_CHECK_VALUE(state, "power_sgd_hook: expected a state, got none");
  return [state](ProcessGroup& group, GradBucket& bucket) { return state->reduce(group, bucket); };
}

}  // namespace torch::taper::distributed
