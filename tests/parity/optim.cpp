// Optimizers: groups, states, saving, schedules, errors.
#include <parity.h>

#include <sstream>

using namespace parity;
using torch::Tensor;
namespace optim = torch::optim;

static Tensor leaf(uint64_t seed) { return numbers({3}, seed).requires_grad_(); }

// One step on sum(c * p^2 + sin(p)).
template <class Opt>
static void descend(Opt& opt, const std::vector<Tensor>& params) {
  opt.zero_grad();
  Tensor loss = torch::zeros({});
  for (const Tensor& p : params) loss = loss + (numbers({3}, 9) * p * p + p.sin()).sum();
  loss.backward();
  opt.step();
}

static void groups() {
  Tensor a = leaf(1), b = leaf(2), c = leaf(3);
  std::vector<optim::OptimizerParamGroup> list;
  list.emplace_back(std::vector<Tensor>{a});
  list.emplace_back(std::vector<Tensor>{b},
                    std::make_unique<optim::SGDOptions>(optim::SGDOptions(0.3).momentum(0.5)));
  optim::SGD opt(list, optim::SGDOptions(0.1));
  opt.add_param_group(optim::OptimizerParamGroup({c}));
  show("groups.count", opt.param_groups().size());
  show("groups.size", opt.size());
  for (int i = 0; i < 3; ++i) descend(opt, {a, b, c});
  show("groups.values", std::vector<Tensor>{a, b, c});
  show("groups.states", opt.state().size());
  for (auto& group : opt.param_groups()) group.options().set_lr(0.01);
  descend(opt, {a, b, c});
  show("groups.slower", std::vector<Tensor>{a, b, c});
  show("groups.lr", static_cast<optim::SGDOptions&>(opt.param_groups()[1].options()).lr());
  show("groups.default_lr", opt.defaults().get_lr());
  error("groups.twice", [&] { opt.add_param_group(optim::OptimizerParamGroup({b})); });
}

template <class Opt, class Options>
static void resume(const std::string& name, Options options) {
  Tensor p = leaf(4);
  Opt opt(std::vector<Tensor>{p}, options);
  for (int i = 0; i < 3; ++i) descend(opt, {p});
  std::stringstream file;
  torch::save(opt, file);
  Tensor q = p.detach().clone().requires_grad_();
  Opt other(std::vector<Tensor>{q}, options);
  torch::load(other, file);
  for (int i = 0; i < 3; ++i) {
    descend(opt, {p});
    descend(other, {q});
  }
  show(name + ".resumed", q);
  show(name + ".same", torch::equal(p, q));
}

// An optimizer of the user's own, as programs write them.
struct DriftOptions : optim::OptimizerCloneableOptions<DriftOptions> {
  DriftOptions(double lr) : lr_(lr) {}
  TORCH_ARG(double, lr);

 public:
  void serialize(torch::serialize::InputArchive& archive) override {
    _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(double, lr);
  }
  void serialize(torch::serialize::OutputArchive& archive) const override {
    _TORCH_OPTIM_SERIALIZE_TORCH_ARG(lr);
  }
  double get_lr() const override { return lr(); }
  void set_lr(const double lr) override { this->lr(lr); }
};
struct DriftParamState : optim::OptimizerCloneableParamState<DriftParamState> {
  TORCH_ARG(int64_t, step) = 0;
  TORCH_ARG(torch::Tensor, mean);

 public:
  void serialize(torch::serialize::InputArchive& archive) override {
    _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(int64_t, step);
    _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(torch::Tensor, mean);
  }
  void serialize(torch::serialize::OutputArchive& archive) const override {
    _TORCH_OPTIM_SERIALIZE_TORCH_ARG(step);
    _TORCH_OPTIM_SERIALIZE_TORCH_ARG(mean);
  }
};
class Drift : public optim::Optimizer {
 public:
  explicit Drift(std::vector<Tensor> params, DriftOptions options)
      : Optimizer({optim::OptimizerParamGroup(params)}, std::make_unique<DriftOptions>(options)) {}
  Tensor step(LossClosure closure = nullptr) override {
    torch::NoGradGuard no_grad;
    for (auto& group : param_groups_) {
      for (auto& p : group.params()) {
        if (!p.grad().defined()) continue;
        const auto key = c10::guts::to_string(p.unsafeGetTensorImpl());
        if (state_.find(key) == state_.end()) {
          auto fresh = std::make_unique<DriftParamState>();
          fresh->mean(torch::zeros_like(p));
          state_[key] = std::move(fresh);
        }
        auto& state = static_cast<DriftParamState&>(*state_[key]);
        state.step(state.step() + 1);
        state.mean().mul_(0.5).add_(p.grad(), 0.5 / static_cast<double>(state.step()));
        p.sub_(state.mean() * static_cast<DriftOptions&>(group.options()).lr());
      }
    }
    return {};
  }
  void save(torch::serialize::OutputArchive& archive) const override { serialize(*this, archive); }
  void load(torch::serialize::InputArchive& archive) override { serialize(*this, archive); }

 private:
  template <typename Self, typename Archive>
  static void serialize(Self& self, Archive& archive) {
    _TORCH_OPTIM_SERIALIZE_WITH_TEMPLATE_ARG(Drift);
  }
};

static void saving() {
  resume<optim::SGD>("sgd", optim::SGDOptions(0.05).momentum(0.9));
  resume<optim::Adam>("adam", optim::AdamOptions(0.05).amsgrad(true));
  resume<optim::AdamW>("adamw", optim::AdamWOptions(0.05));
  resume<optim::Adagrad>("adagrad", optim::AdagradOptions(0.05).lr_decay(0.1));
  resume<optim::RMSprop>("rmsprop", optim::RMSpropOptions(0.05).momentum(0.5));
  resume<Drift>("drift", DriftOptions(0.1));
}

static void schedules() {
  optim::SGD opt({leaf(5)}, optim::SGDOptions(1.0));
  optim::StepLR schedule(opt, 3, 0.5);
  for (int i = 0; i < 8; ++i) {
    schedule.step();
    show("step_lr." + std::to_string(i), opt.param_groups()[0].options().get_lr());
  }
}

static void gradients() {
  Tensor p = leaf(6), q = leaf(7);
  optim::SGD opt({p, q}, optim::SGDOptions(0.5));
  (p * p).sum().backward();
  opt.step();
  show("gradients.p", p);
  show("gradients.q_untouched", q);
  show("gradients.q_undefined", q.grad());
  opt.zero_grad();
  show("gradients.zero", p.grad());
  show("gradients.leaf", p.is_leaf());
}

static void errors() {
  const std::vector<Tensor> one{leaf(8)};
  error("errors.lr", [&] { optim::SGD(one, optim::SGDOptions(-0.5)); });
  error("errors.momentum", [&] { optim::SGD(one, optim::SGDOptions(1).momentum(-2)); });
  error("errors.nesterov", [&] { optim::SGD(one, optim::SGDOptions(1).nesterov(true)); });
  error("errors.beta", [&] { optim::Adam(one, optim::AdamOptions(1).betas({1.5, 0.9})); });
  error("errors.eps", [&] { optim::AdamW(one, optim::AdamWOptions(1).eps(-1)); });
  error("errors.decay", [&] { optim::RMSprop(one, optim::RMSpropOptions(1).weight_decay(-1)); });
  error("errors.alpha", [&] { optim::RMSprop(one, optim::RMSpropOptions(1).alpha(-1)); });
  error("errors.lr_decay", [&] { optim::Adagrad(one, optim::AdagradOptions(1).lr_decay(-1)); });
  error("errors.non_leaf", [&] { optim::SGD({one[0] * 2}, optim::SGDOptions(1)); });
}

int main() {
  groups();
  saving();
  schedules();
  gradients();
  errors();
}
