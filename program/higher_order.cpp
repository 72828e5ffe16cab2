// Higher-order ops: ops that run graphs.
#include <map>

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/tensor/tensor.h>
#include <taper/program/run.h>

namespace torch::taper::program {
namespace {

using Values = std::vector<Value>;

/// The arguments of a higher-order op.
class Operands {
 public:
  Operands(const std::vector<Source>& sources, Frame& frame) : sources_(sources), frame_(frame) {}

  size_t size() const { return sources_.size(); }
  const Plan& graph(size_t i) const {
    TAPER_CHECK(i < size() && sources_[i].graph, "expected a graph as argument ", i);
    return *sources_[i].graph;
  }
  IValue value(size_t i) const {
    TAPER_CHECK(i < size() && !sources_[i].graph, "expected a value as argument ", i);
    return sources_[i].value(frame_);
  }
  /// Returns the elements of the arguments from `first` to `last`, lists flattened.
  Values flat(size_t first, size_t last) const {
    Values all;
    for (size_t i = first; i < std::min(last, size()); ++i) {
      const IValue v = value(i);
      if (!v.isList()) {
        all.push_back(value_of(v));
        continue;
      }
      for (const IValue& element : v.toList()) all.push_back(value_of(element));
    }
    return all;
  }
  Values flat(size_t first) const { return flat(first, size()); }
  Values run(const Plan& plan, Values inputs) const {
    return plan.run(std::move(inputs), frame_.place);
  }

 private:
  const std::vector<Source>& sources_;
  Frame& frame_;
};

bool truth(const Value& value) {
  if (const auto* s = std::get_if<Scalar>(&value)) return s->toBool();
  const auto* t = std::get_if<Tensor>(&value);
  TAPER_CHECK(t && t->defined(), "expected a condition, got another value");
  return t->item().toBool();
}
const Tensor& tensor(const Value& value) {
  const auto* t = std::get_if<Tensor>(&value);
  TAPER_CHECK(t && t->defined(), "expected a tensor, got another value");
  return *t;
}
Values joined(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// cond(condition, graph if true, graph if false, operands)
Values cond(const Operands& o) {
  return o.run(o.graph(truth(value_of(o.value(0))) ? 1 : 2), o.flat(3));
}

/// while_loop(condition graph, body graph, carried values, other inputs)
Values while_loop(const Operands& o) {
  Values carried = o.flat(2, 3);
  const Values others = o.flat(3);
  const size_t count = carried.size();
  while (truth(o.run(o.graph(0), joined(carried, others)).at(0))) {
    carried = o.run(o.graph(1), joined(carried, others));
    TAPER_CHECK(carried.size() == count, "while_loop: expected ", count, " values, got ",
                carried.size());
  }
  return carried;
}

Values stacked(const std::vector<Values>& rows) {
  Values all;
  for (size_t j = 0; j < rows.at(0).size(); ++j) {
    std::vector<Tensor> column;
    for (const Values& row : rows) column.push_back(tensor(row.at(j)));
    all.push_back(stack(column));
  }
  return all;
}
int64_t length_of(const char* op, const Values& xs) {
  TAPER_CHECK(!xs.empty() && tensor(xs[0]).dim() > 0 && tensor(xs[0]).size(0) > 0, op,
              ": expected tensors with elements in their first dimension");
  return tensor(xs[0]).size(0);
}
Values row_of(const Values& xs, int64_t i) {
  Values row;
  for (const Value& x : xs) row.push_back(tensor(x).select(0, i));
  return row;
}

/// map(graph, tensors to take rows of, other inputs)
Values map(const Operands& o) {
  const Values xs = o.flat(1, 2), others = o.flat(2);
  std::vector<Values> rows;
  for (int64_t i = 0; i < length_of("map", xs); ++i)
    rows.push_back(o.run(o.graph(0), joined(row_of(xs, i), others)));
  return stacked(rows);
}

/// scan(graph, carried values, tensors to take rows of, other inputs)
Values scan(const Operands& o) {
  Values carried = o.flat(1, 2);
  const Values xs = o.flat(2, 3), others = o.flat(3);
  const auto count = static_cast<ptrdiff_t>(carried.size());
  std::vector<Values> rows;
  for (int64_t i = 0; i < length_of("scan", xs); ++i) {
    Values out = o.run(o.graph(0), joined(joined(std::move(carried), row_of(xs, i)), others));
    TAPER_CHECK(static_cast<ptrdiff_t>(out.size()) >= count, "scan: expected at least ", count,
                " values, got ", out.size());
    carried.assign(out.begin(), out.begin() + count);
    rows.emplace_back(out.begin() + count, out.end());
  }
  return joined(std::move(carried), rows.at(0).empty() ? Values() : stacked(rows));
}

/// wrap_with_set_grad_enabled(enabled, graph, inputs)
Values with_grad_mode(const Operands& o) {
  const AutoGradMode mode(o.value(0).toBool());
  return o.run(o.graph(1), o.flat(2));
}

/// wrap_with_autocast(device type, dtype, enabled, cache, graph, inputs)
Values with_autocast(const Operands& o) {
  const Device device(o.value(0).toStringRef());
  const IValue dtype = o.value(1);
  const auto lower = dtype.isNone() ? optional<ScalarType>() : dtype.to<ScalarType>();
  const bool enabled = o.value(2).toBool();
  const autocast mode(device, lower, enabled);
  return o.run(o.graph(4), o.flat(5));
}

using Run = Values (*)(const Operands& o);

class HigherOrderStep final : public Step {
 public:
  HigherOrderStep(Run run, std::vector<Source> arguments, std::vector<Target> outputs)
      : run_(run), arguments_(std::move(arguments)), outputs_(std::move(outputs)) {}

  void run(Frame& frame) const override {
    const Values results = run_(Operands(arguments_, frame));
    size_t next = 0;
    const auto put = [&](int32_t slot) {
      TAPER_CHECK(next < results.size(), "expected more than ", results.size(), " results");
      if (slot >= 0) frame.slots[static_cast<size_t>(slot)] = results[next];
      ++next;
    };
    for (const Target& to : outputs_)
      for (const int32_t slot : to.slots) put(slot);
  }

 private:
  const Run run_;
  const std::vector<Source> arguments_;
  const std::vector<Target> outputs_;
};

const std::map<std::string, Run>& runs() {
  static const std::map<std::string, Run> all = {
      {"cond", cond},
      {"while_loop", while_loop},
      {"map_impl", map},
      {"scan", scan},
      {"wrap_with_set_grad_enabled", with_grad_mode},
      {"wrap_with_autocast", with_autocast},
  };
  return all;
}

}  // namespace

bool is_higher_order(const std::string& name) { return runs().count(name) > 0; }

std::unique_ptr<Step> higher_order_step(const std::string& name, std::vector<Source> arguments,
                                        std::vector<Target> outputs) {
  return std::make_unique<HigherOrderStep>(runs().at(name), std::move(arguments),
                                           std::move(outputs));
}

}  // namespace torch::taper::program
