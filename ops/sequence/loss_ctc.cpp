#include <taper/ops/sequence/loss_ctc.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/recompute.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/runtime/access.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/nn/loss.h>
#include <taper/ops/nn/loss_reduction.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/sequence/loss_ctc_kernels.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

using autograd::gradients_through;

namespace {

/// Targets with blanks before, between and after their labels: (N, L) with L = 2 S + 1.
struct Alignments {
  Tensor labels;
  /// True for positions that may follow the position two before: labels that differ from it.
  Tensor skips;
  /// The number of steps and the last position of each input: (N).
  Tensor inputs, ends;
};

struct Lengths {
  std::vector<int64_t> inputs, targets;
  int64_t longest_target() const {
    return targets.empty() ? 0 : *std::max_element(targets.begin(), targets.end());
  }
};

void check_lengths(const char* name, const std::vector<int64_t>& lengths, int64_t most) {
  for (int64_t length : lengths) {
    TAPER_CHECK(length >= 0, "ctc_loss: Expected ", name,
                " to have value at least 0, but got value ", length);
    TAPER_CHECK(length <= most, "ctc_loss: Expected ", name, " to have value at most ", most,
                ", but got value ", length);
  }
}

/// Checks for one row of labels per input, or all labels concatenated.
void check_targets(const Tensor& targets, const Lengths& l) {
  constexpr const char* kWhich =
      " for argument #2 'targets' (while checking arguments for ctc_loss)";
  const auto check_size = [&](int64_t dim, int64_t size) {
    TAPER_CHECK(targets.size(dim) == size, "ctc_loss: Expected tensor to have size ", size,
                " at dimension ", dim, ", but got size ", targets.size(dim), kWhich);
  };
  TAPER_CHECK(targets.dim() == 1 || targets.dim() == 2,
              "ctc_loss: Expected 1 to 2 dimensions, but got ", targets.dim(),
              "-dimensional tensor", kWhich);
  if (targets.dim() == 1)
    return check_size(0, std::accumulate(l.targets.begin(), l.targets.end(), int64_t{0}));
  check_size(0, static_cast<int64_t>(l.targets.size()));
  TAPER_CHECK(targets.size(1) >= l.longest_target(),
              "ctc_loss: Expected tensor to have size at least ", l.longest_target(),
              " at dimension 1, but got size ", targets.size(1), kWhich);
}

void check_ctc(const Tensor& x, const Tensor& targets, const Lengths& l, int64_t blank) {
  const int64_t steps = x.size(0), batch = x.size(1), classes = x.size(2);
  TAPER_CHECK(x.is_floating_point(), "ctc_loss: expected floating log_probs, got ",
              toString(x.scalar_type()));
  TAPER_CHECK(isIntegralType(targets.scalar_type(), false),
              "ctc_loss: targets must be integral, got ", toString(targets.scalar_type()));
  TAPER_CHECK(blank >= 0 && blank < classes, "ctc_loss: blank must be in label range");
  TAPER_CHECK(static_cast<int64_t>(l.inputs.size()) == batch,
              "ctc_loss: input_lengths must be of size batch_size");
  TAPER_CHECK(static_cast<int64_t>(l.targets.size()) == batch,
              "ctc_loss: target_lengths must be of size batch_size");
  check_lengths("input_lengths", l.inputs, steps);
  check_lengths("target_lengths", l.targets, std::numeric_limits<int64_t>::max());
  check_targets(targets, l);
}

Alignments align(const Tensor& targets, const Lengths& l, int64_t blank, int64_t classes,
                 const Device& device) {
  detail::check_not_capturing("ctc_loss", targets.device());
  const Tensor host = targets.detach().to(kCPU).to(kLong).contiguous();
  const int64_t batch = static_cast<int64_t>(l.targets.size());
  const int64_t places = 2 * l.longest_target() + 1;
  const Tensor labels = full({batch, places}, blank, TensorOptions(kLong));
  const Tensor skips = zeros({batch, places}, TensorOptions(kBool));
  int64_t first = 0;
  for (int64_t n = 0; n < batch; ++n) {
    const int64_t count = l.targets[static_cast<size_t>(n)];
    const int64_t* const from =
        host.data_ptr<int64_t>() + (host.dim() == 2 ? n * host.size(1) : first);
    int64_t* const to = labels.data_ptr<int64_t>() + n * places;
    bool* const skip = skips.data_ptr<bool>() + n * places;
    for (int64_t s = 0; s < count; ++s) {
      TAPER_CHECK(from[s] >= 0 && from[s] < classes, "ctc_loss: expected labels from 0 to ",
                  classes - 1, ", got ", from[s]);
      to[2 * s + 1] = from[s];
      skip[2 * s + 1] = s > 0 && from[s] != from[s - 1];
    }
    first += count;
  }
  const Tensor inputs = tensor(l.inputs, TensorOptions(kLong));
  const Tensor ends = tensor(l.targets, TensorOptions(kLong)).mul_(2);
  return {labels.to(device), skips.to(device), inputs.to(device), ends.to(device)};
}

// ---------------------------------------------------------------------- in public ops
/// Shifts x (N, L) by k positions. Impossible events come in at the front.
Tensor shifted(const Tensor& x, int64_t k) {
  const int64_t length = x.size(1), kept = std::max<int64_t>(0, length - k);
  return cat({full({x.size(0), length - kept}, kCtcNever, x.options().requires_grad(false)),
              x.narrow(1, 0, kept)},
             1);
}

/// Returns the logarithms of the sums over all alignments that end at each position, after the last
/// step of each input: (N, L).
Tensor forward_sums(const Tensor& x, const Alignments& a) {
  const int64_t steps = x.size(0), batch = x.size(1), places = a.labels.size(1);
  const Tensor emitted = gather(x, 2, a.labels.unsqueeze(0).expand({steps, batch, places}));
  const Tensor inputs = a.inputs.unsqueeze(1);
  const TensorOptions options = x.options().requires_grad(false);
  const Tensor at = arange(places, options.dtype(kLong)).unsqueeze(0);
  Tensor sums = where(at.lt(2), emitted.select(0, 0), Scalar(kCtcNever)).to(x.scalar_type());
  for (int64_t t = 1; t < steps; ++t) {
    const Tensor jumped = where(a.skips, shifted(sums, 2), Scalar(kCtcNever)).to(x.scalar_type());
    const Tensor next =
        logsumexp(stack({sums, shifted(sums, 1), jumped}), {0}) + emitted.select(0, t);
    sums = where(inputs.gt(t), next, sums);
  }
  return sums;
}

/// An alignment ends with the last label or the blank after it.
Tensor losses_by_definition(const Tensor& x, const Alignments& a) {
  const Tensor sums = forward_sums(x, a), ends = a.ends.unsqueeze(1);
  const Tensor blank = gather(sums, 1, ends);
  const Tensor label =
      where(ends.gt(0), gather(sums, 1, (ends - 1).clamp_min(0)), Scalar(kCtcNever));
  return -logsumexp(cat({blank, label.to(sums.scalar_type())}, 1), {1}).to(sums.scalar_type());
}

// ---------------------------------------------------------------------- by kernels
// The gradient of a loss is minus the share of the alignments that emit a class in a step.
Tensor losses_gradient(const Tensor& g, const Tensor& x, const Tensor& alpha, const Tensor& loss,
                       const Alignments& a) {
  const Tensor shares = detail::make_like(alpha, alpha.scalar_type());
  TAPER_ON_DEVICE(shares, ctc_shares, shares, alpha, loss, x, a.labels, a.skips, a.inputs, a.ends);
  const Tensor labels = a.labels.unsqueeze(0).expand(shares.sizes());
  return zeros(x.sizes(), x.options().requires_grad(false))
      .scatter_add(2, labels, shares.mul_(g.neg().view({1, -1, 1})));
}

/// Returns (N). It is large and finite if no alignment gives the target.
Tensor losses_of(const Tensor& x, const Alignments& a) {
  const int64_t steps = x.size(0), batch = x.size(1);
  const Tensor alpha =
      detail::make_tensor({steps, batch, a.labels.size(1)}, x.scalar_type(), x.device());
  const Tensor loss = detail::make_tensor({batch}, x.scalar_type(), x.device());
  TAPER_ON_DEVICE(x, ctc_alignments, alpha, loss, x, a.labels, a.skips, a.inputs, a.ends);
  if (needs_grad(x))
    record("CtcLossBackward0", loss, {x},
           [inputs = autograd::saved_all({x}), alpha = saved(alpha), values = saved(loss.detach()),
            a](Grads& g) {
             if (!GradMode::is_enabled())
               return std::array<Tensor, 1>{
                   losses_gradient(g[0], inputs[0].get(), alpha.get(), values.get(), a)};
             const auto definition = [&](const std::vector<Tensor>& t) {
               return std::vector{losses_by_definition(t[0], a)};
             };
             return std::array<Tensor, 1>{gradients_through(definition, inputs, g)[0]};
           });
  return loss;
}

std::vector<int64_t> as_numbers(const Tensor& lengths) {
  detail::check_not_capturing("ctc_loss", lengths.device());
  const Tensor host = lengths.detach().to(kCPU).to(kLong).contiguous();
  return {host.data_ptr<int64_t>(), host.data_ptr<int64_t>() + host.numel()};
}

}  // namespace

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                IntArrayRef target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
  if (auto done = at_door<"ctc_loss">(log_probs, targets, input_lengths, target_lengths, blank,
                                      reduction, zero_infinity))
    return done;
  check_reduction("ctc_loss", reduction);
  check_defined("ctc_loss", log_probs, "log_probs");
  check_defined("ctc_loss", targets, "targets");
  TAPER_CHECK(log_probs.dim() == 2 || log_probs.dim() == 3,
              "ctc_loss: Expected 2- or 3-dimensional tensor, but got ", log_probs.dim(),
              "-dimensional tensor for argument #1 'log_probs'");
  const bool batch = log_probs.dim() == 3;
  const Tensor x = batch ? log_probs : log_probs.unsqueeze(1);
  TAPER_CHECK(x.size(0) > 0, "ctc_loss: log_probs tensor must not be empty, got sizes ",
              log_probs.sizes());
  const Lengths l{input_lengths.vec(), target_lengths.vec()};
  check_ctc(x, targets, l, blank);
  const Alignments a = align(targets, l, blank, x.size(2), x.device());
  const bool widens = isReducedFloatingType(x.scalar_type());
  const Tensor finite = losses_of(widens ? x.to(kFloat) : x, a);
  const double impossible = zero_infinity ? 0 : std::numeric_limits<double>::infinity();
  const Tensor loss =
      where(finite.detach().gt(kCtcImpossible), Scalar(impossible), finite).to(x.scalar_type());
  if (reduction == Reduction::Mean) {
    const Tensor counts = tensor(l.targets, TensorOptions(kLong)).clamp_min(1).to(x.device());
    return (loss / counts.to(x.scalar_type())).mean();
  }
  return reduce_loss(batch ? loss : loss.squeeze(0), reduction);
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank, int64_t reduction,
                bool zero_infinity) {
  if (auto done = at_door<"ctc_loss">(log_probs, targets, input_lengths, target_lengths, blank,
                                      reduction, zero_infinity))
    return done;
  TAPER_CHECK(isIntegralType(input_lengths.scalar_type(), false),
              "ctc_loss: input_lengths must be integral");
  TAPER_CHECK(isIntegralType(target_lengths.scalar_type(), false),
              "ctc_loss: target_lengths must be integral");
  return ctc_loss(log_probs, targets, as_numbers(input_lengths), as_numbers(target_lengths), blank,
                  reduction, zero_infinity);
}

}  // namespace torch::taper
