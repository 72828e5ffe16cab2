#include <taper/distributed/sync_batch_norm.h>

#include <ostream>

#include <taper/distributed/init.h>
#include <taper/distributed/join.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/record.h>
#include <taper/nn/functional/batchnorm.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/nn/norm.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn {

namespace {

using distributed::ProcessGroup;
using distributed::detail::Join;
using Group = intrusive_ptr<ProcessGroup>;

Group group_or_default(const Group& group) {
  return group.defined() ? group : distributed::default_group();
}

// Returns the dtype of sums. 16-bit sums would lose too much precision.
ScalarType dtype_of_sums(const Tensor& x) { return x.scalar_type() == kDouble ? kDouble : kFloat; }

/// Returns all dimensions but the second.
std::vector<int64_t> dims_but_channels(const Tensor& x) {
  std::vector<int64_t> dims = {0};
  for (int64_t d = 2; d < x.dim(); ++d) dims.push_back(d);
  return dims;
}
/// Views (C) as (1, C, 1, ...).
Tensor along_channels(const Tensor& c, const Tensor& x) {
  std::vector<int64_t> sizes(static_cast<size_t>(x.dim()), 1);
  sizes[1] = x.size(1);
  return c.view(sizes);
}

// ---------------------------------------------------------------------- statistics
/// Holds the statistics of all ranks: (C) each, in the dtype of the sums.
struct Statistics {
  double count = 0;  // values per channel
  Tensor mean, var;  // the variance biased
};

/// Returns, in double: the number of values per channel, the dtype, the channels' means, and the
/// sums of squared distances from them.
Tensor own_statistics(const Tensor& x) {
  const int64_t channels = x.size(1), count = channels ? x.numel() / channels : 0;
  const std::vector<int64_t> dims = dims_but_channels(x);
  Tensor row = zeros({2 + 2 * channels}, TensorOptions(kDouble).device(x.device()));
  row.narrow(0, 0, 1).fill_(static_cast<double>(count));
  row.narrow(0, 1, 1).fill_(static_cast<double>(x.scalar_type()));
  if (count == 0) return row;
  const Tensor wide = x.to(dtype_of_sums(x));
  const Tensor mean = wide.mean(dims);
  row.narrow(0, 2, channels).copy_(mean);
  row.narrow(0, 2 + channels, channels)
      .copy_(wide.sub(along_channels(mean, x)).square_().sum(dims));
  return row;
}

/// Makes ranks without inputs take part, if a join() is in progress.
void announce(Join::Step step, const Group& group, const Tensor& numbers, ScalarType dtype) {
  if (Join* const join = Join::current_for("sync_batch_norm", group))
    join->announce({step, numbers.numel(), static_cast<int64_t>(dtype)});
}

/// Returns a row of each rank, on the host.
Tensor gather_rows(const Group& pointer, const Tensor& own, ScalarType dtype) {
  ProcessGroup& group = *pointer;
  announce(Join::kStatistics, pointer, own, dtype);
  Tensor row = own.cpu(), rows = empty({group.getSize(), own.numel()}, kDouble);
  group._allgather_base(rows, row)->wait();
  for (int r = 0; r < group.getSize(); ++r)
    TAPER_CHECK(rows[r][1].equal(row[1]),
                "sync_batch_norm: expected inputs of one dtype, but rank ", r,
                " has another than rank ", group.getRank());
  return rows;
}

// Combines the rows by Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for
// computing sample variances", 1979. All ranks use one order, and therefore get equal bits.
Statistics combine(const Tensor& rows, int64_t channels, const Tensor& like) {
  const Tensor counts = rows.narrow(1, 0, 1), means = rows.narrow(1, 2, channels);
  Statistics all;
  all.count = counts.sum().item<double>();
  const Tensor mean = means.mul(counts).sum(IntArrayRef{0}).div(all.count);
  const Tensor squares = rows.narrow(1, 2 + channels, channels).sum(IntArrayRef{0}) +
                         means.sub(mean).square().mul(counts).sum(IntArrayRef{0});
  all.mean = mean.to(like.device(), dtype_of_sums(like));
  all.var = squares.div(all.count).to(like.device(), dtype_of_sums(like));
  return all;
}

void move_running(const Tensor& running, const Tensor& value, double momentum) {
  if (running.defined())
    running.detach().mul_(1 - momentum).add_(value.to(running.scalar_type()), momentum);
}

// ---------------------------------------------------------------------- gradients
/// Returns sums over this rank's values, (2, C): of the gradients, and of the gradients times the
/// centred inputs.
Tensor own_sums(const Tensor& gy, const Tensor& centred, const std::vector<int64_t>& dims) {
  const Tensor wide = gy.to(centred.scalar_type());
  Tensor sums = zeros({2, gy.size(1)}, centred.options());
  if (gy.numel() == 0) return sums;
  sums.select(0, 0).copy_(wide.sum(dims));
  sums.select(0, 1).copy_(wide.mul(centred).sum(dims));
  return sums;
}

struct Gradient {
  Group group;
  double count, eps;
  bool needs_x, needs_weight, needs_bias;
  ScalarType bias_dtype;

  std::vector<Tensor> operator()(const Tensor& gy, const Tensor& x, const Tensor& weight,
                                 const Tensor& mean, const Tensor& var) const {
    TAPER_CHECK(!GradMode::is_enabled(),
                "sync_batch_norm: its gradient has no derivative; call backward without "
                "create_graph");
    const Tensor centred = x.to(mean.scalar_type()).sub(along_channels(mean, x));
    const Tensor scale = var.add(eps).rsqrt();
    const Tensor own = own_sums(gy, centred, dims_but_channels(x));
    std::vector<Tensor> all = {own.clone()};
    announce(Join::kSums, group, own, own.scalar_type());
    group->allreduce(all)->wait();  // whatever is wanted here: the others wait for it
    Tensor gx, gw, gb;
    if (needs_x) gx = of_input(gy, centred, weight, scale, all[0].div(count));
    if (needs_weight) gw = own[1].mul(scale).to(weight.scalar_type());
    if (needs_bias) gb = own[0].to(bias_dtype);
    return {gx, gw, gb};
  }

 private:
  // Computes w s (gy - mean(gy) - (x - mean) s^2 mean(gy (x - mean))).
  static Tensor of_input(const Tensor& gy, const Tensor& centred, const Tensor& weight,
                         const Tensor& scale, const Tensor& means) {
    const Tensor slope = means[1].mul(scale).mul(scale);
    Tensor gx = gy.to(centred.scalar_type()).sub(along_channels(means[0], gy));
    gx.sub_(centred.mul(along_channels(slope, gy)));
    const Tensor factor = weight.defined() ? scale.mul(weight.to(scale.scalar_type())) : scale;
    return gx.mul_(along_channels(factor, gy)).to(gy.scalar_type());
  }
};

}  // namespace

namespace functional {

Tensor sync_batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                       const BatchNormFuncOptions& options, const Group& given) {
  const Group group = group_or_default(given);
  if (group->getSize() == 1) return batch_norm(input, running_mean, running_var, options);
  TAPER_CHECK(input.dim() >= 2 && input.is_floating_point(),
              "sync_batch_norm: expected a floating input of at least 2 dimensions, got ",
              input.scalar_type(), input.sizes());
  const Tensor weight = options.weight(), bias = options.bias();
  for (const Tensor& t : {weight, bias, running_mean, running_var})
    TAPER_CHECK(!t.defined() || (t.dim() == 1 && t.size(0) == input.size(1)),
                "sync_batch_norm: expected weight, bias and running statistics of ", input.size(1),
                " elements, the channels of the input, got ", t.sizes());
  Statistics of_all;
  Tensor y;
  {
    const NoGradGuard off;
    const Tensor x = input.detach();
    const Tensor rows = gather_rows(group, own_statistics(x), x.scalar_type());
    TAPER_CHECK(rows.narrow(1, 0, 1).sum().item<double>() > 1,
                "sync_batch_norm: Expected more than 1 value per channel when training, got input "
                "size ",
                input.sizes(), " and no more on other ranks");
    of_all = combine(rows, input.size(1), x);
    const double momentum = options.momentum().value_or(0.0);
    move_running(running_mean, of_all.mean, momentum);
    move_running(running_var, of_all.var.mul(of_all.count / (of_all.count - 1)), momentum);
    y = taper::batch_norm(x, weight, bias, of_all.mean, of_all.var, /*training=*/false, 0,
                          options.eps());
  }
  if (!autograd::needs_grad(input, weight, bias)) return y;
  const Gradient gradient{group,
                          of_all.count,
                          options.eps(),
                          input.requires_grad(),
                          weight.defined() && weight.requires_grad(),
                          bias.defined() && bias.requires_grad(),
                          bias.defined() ? bias.scalar_type() : kFloat};
  autograd::record(
      "SyncBatchNormBackward", y, {input, weight, bias},
      [gradient, x = autograd::saved(input), w = autograd::saved(weight),
       mean = autograd::saved(of_all.mean), var = autograd::saved(of_all.var)](const Tensor& gy) {
        return gradient(gy, x.get(), w.get(), mean.get(), var.get());
      });
  return y;
}

}  // namespace functional

// ---------------------------------------------------------------------- the module
SyncBatchNormImpl::SyncBatchNormImpl(const BatchNormOptions& options_, Group process_group_)
    : options(options_), process_group(std::move(process_group_)) {
  SyncBatchNormImpl::reset();
}

void SyncBatchNormImpl::reset() {
  const int64_t n = options.num_features();
  weight = detail::register_optional(*this, "weight", {n}, options.affine());
  bias = detail::register_optional(*this, "bias", {n}, options.affine());
  const bool tracked = options.track_running_stats();
  running_mean = register_buffer("running_mean", tracked ? zeros({n}) : Tensor());
  running_var = register_buffer("running_var", tracked ? ones({n}) : Tensor());
  num_batches_tracked =
      register_buffer("num_batches_tracked", tracked ? zeros({}, kLong) : Tensor());
  detail::reset_affine(weight, bias);
}

Tensor SyncBatchNormImpl::forward(const Tensor& input) {
  const bool counts = is_training() && num_batches_tracked.defined();
  const double momentum = options.momentum() ? *options.momentum()
                          : counts           ? 1.0 / (num_batches_tracked.item().toDouble() + 1)
                                             : 0.0;
  const auto how = functional::BatchNormFuncOptions()
                       .weight(weight)
                       .bias(bias)
                       .training(is_training() || !options.track_running_stats())
                       .momentum(momentum)
                       .eps(options.eps());
  const Tensor y = is_training() ? functional::sync_batch_norm(input, running_mean, running_var,
                                                               how, process_group)
                                 : functional::batch_norm(input, running_mean, running_var, how);
  const NoGradGuard off;
  if (counts) num_batches_tracked.add_(1);
  return y;
}

void SyncBatchNormImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::SyncBatchNorm(" << options.num_features() << ", eps=" << options.eps()
         << ", momentum=";
  if (options.momentum())
    stream << *options.momentum();
  else
    stream << "None";
  stream << ", affine=" << detail::text_of(options.affine())
         << ", track_running_stats=" << detail::text_of(options.track_running_stats()) << ")";
}

void convert_sync_batchnorm(Module& module, Group group) {
  group = group_or_default(group);
  const auto norm = [group](const Tensor& input, const Tensor& running_mean,
                            const Tensor& running_var,
                            const functional::BatchNormFuncOptions& options) {
    return functional::sync_batch_norm(input, running_mean, running_var, options, group);
  };
  module.apply([&](Module& m) {
    if (auto* of_1d = m.as<BatchNorm1dImpl>()) of_1d->training_norm = norm;
    if (auto* of_2d = m.as<BatchNorm2dImpl>()) of_2d->training_norm = norm;
    if (auto* of_3d = m.as<BatchNorm3dImpl>()) of_3d->training_norm = norm;
  });
}

}  // namespace torch::taper::nn
