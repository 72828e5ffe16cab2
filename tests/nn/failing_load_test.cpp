// A load that fails, wherever it does, leaves every parameter and buffer bit for bit as it was, and
// says what was wrong.
#include <cstring>

#include <taper/nn/modules.h>
#include <taper/ops/random/rand.h>

#include "archive_util.h"
#include "nn/util.h"

namespace torch::taper {
namespace {

using namespace nn;
using test::message_of;
using testing::entries_of;
using testing::expect_error;
using testing::opened;
using testing::saved;
using testing::with_entry;

/// Every kind of nesting; the last entry of its file is the weight of `head`.
struct NetImpl : Module {
  NetImpl() {
    table = register_parameter("table", randn({2, 3}));
    seen = register_buffer("seen", arange(4));
    body = register_module("body", Sequential(Conv1d(2, 3, 1), BatchNorm1d(3), Dropout()));
    list = register_module("list", ModuleList(Linear(2, 2), Embedding(3, 2)));
    head = register_module("head", Linear(LinearOptions(3, 1).bias(false)));
  }
  Tensor table, seen;
  Sequential body{nullptr};
  ModuleList list{nullptr};
  Linear head{nullptr};
};
TAPER_MODULE(Net);

/// All tensors of a module: the handles, where their memory is, and what it holds.
class Snapshot {
 public:
  explicit Snapshot(const Module& module) : tensors_(module.parameters()) {
    for (const Tensor& t : module.buffers()) tensors_.push_back(t);
    for (const Tensor& t : tensors_) {
      memory_.push_back(t.data_ptr());
      copies_.push_back(t.detach().clone());
      gradients_.push_back(t.requires_grad());
    }
  }
  void expect_same(const std::string& what) const {
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor &t = tensors_[i], &copy = copies_[i];
      EXPECT_EQ(t.data_ptr(), memory_[i]) << what << ": tensor " << i << " lies elsewhere";
      ASSERT_EQ(t.sizes(), copy.sizes()) << what << ": tensor " << i;
      EXPECT_EQ(t.scalar_type(), copy.scalar_type()) << what << ": tensor " << i;
      EXPECT_EQ(t.requires_grad(), gradients_[i]) << what << ": tensor " << i;
      EXPECT_EQ(std::memcmp(t.data_ptr(), copy.data_ptr(), copy.nbytes()), 0)
          << what << ": tensor " << i << " has changed";
    }
  }

 private:
  std::vector<Tensor> tensors_, copies_;
  std::vector<void*> memory_;
  std::vector<bool> gradients_;
};

/// Loads from the bytes in both ways; each must throw Error with `text` and change nothing.
template <class Holder>
void refuses(Holder& module, const std::string& bytes, const std::string& text,
             const std::string& what) {
  const Snapshot before(*module);
  expect_error(text, [&] { load(module, bytes.data(), bytes.size()); });
  before.expect_same(what + ", load(module, file)");
  expect_error(text, [&] {
    serialize::InputArchive archive = opened(bytes);
    module->load(archive);
  });
  before.expect_same(what + ", module->load(archive)");
}

TEST(FailingModuleLoad, AMissingEntryIsNamedAndChangesNothing) {
  Net from, to;
  const std::string good = saved(from);
  const std::vector<std::string> entries = entries_of(good);
  ASSERT_EQ(entries.back(), "head.weight");
  ASSERT_EQ(entries.size(), 21u);
  for (const std::string& name : entries)
    refuses(to, with_entry(good, name, nullopt), "'" + name + "'", "without " + name);
}

TEST(FailingModuleLoad, AnEntryOfAnotherKindIsNamedAndChangesNothing) {
  Net from, to;
  const std::string good = saved(from);
  for (const std::string& name : entries_of(good)) {
    refuses(to, with_entry(good, name, IValue(7)), "'" + name + "'", "a number as " + name);
    Tensor t;
    serialize::InputArchive archive = opened(good);
    const bool is_tensor = archive.try_read(name, t);
    if (!is_tensor) continue;
    refuses(to, with_entry(good, name, IValue(Tensor())), "'" + name + "'", "undefined " + name);
    if (!t.is_floating_point())
      continue;  // floats of a count are counts: BatchNorm after to(kFloat)
    const Tensor other = t.detach().to(kLong);
    refuses(to, with_entry(good, name, IValue(other)), "'" + name + "': expected a tensor of dtype",
            "another dtype of " + name);
  }
}

TEST(FailingModuleLoad, AParameterOfAnotherShapeIsNamedAndChangesNothing) {
  Net from, to;
  const std::string good = saved(from);
  for (const auto& item : from->named_parameters()) {
    const Tensor larger = zeros({item->numel() + 1});
    refuses(to, with_entry(good, item.key(), IValue(larger)),
            "load: '" + item.key() + "': expected a tensor of sizes " +
                test::text_of(item->sizes()) + ", got " + test::text_of(larger.sizes()),
            "another shape of " + item.key());
  }
}

TEST(FailingModuleLoad, ACutOrForeignFileChangesNothing) {
  Net from, to;
  const std::string good = saved(from);
  for (size_t n : {size_t{0}, size_t{7}, size_t{100}, good.size() / 2, good.size() - 1})
    refuses(to, good.substr(0, n), "load: the data: ", "cut");
  refuses(to, "epoch,loss\n1,0.5\n2,0.25\n", "expected a safetensors file", "text");
  refuses(to, "PK\x03\x04 and so on", "expected a zip archive", "zip");
  refuses(to, saved(Tensor(ones({3}))), "No such serialized tensor 'table'", "a tensor's file");
  refuses(to, saved(Linear(3, 1)), "No such serialized tensor 'table'", "another model's file");
}

TEST(FailingModuleLoad, OfASequenceChangesNothing) {
  Sequential from(Linear(2, 3), ReLU(), Linear(3, 2)), to(Linear(2, 3), ReLU(), Linear(3, 2));
  const std::string good = saved(from);
  refuses(to, with_entry(good, "2.bias", nullopt), "No such serialized tensor '2.bias'", "no bias");
  refuses(to, with_entry(good, "2.bias", IValue(zeros({3}))), "load: '2.bias'", "another bias");
  refuses(to, with_entry(good, "2", nullopt), "No such serialized submodule: '2'", "no module 2");
  load(to, good.data(), good.size());
  EXPECT_EQ(saved(to), good);
}

/// Reads more than Module does, as a user's class may.
struct StrictImpl : Module {
  StrictImpl() { inner = register_module("inner", Linear(2, 2)); }
  void load(serialize::InputArchive& archive) override {
    Module::load(archive);
    IValue version;
    archive.read("version", version);
  }
  Linear inner{nullptr};
};
TAPER_MODULE(Strict);

TEST(FailingModuleLoad, OfAnOverriddenLoadIsUndoneByTheCaller) {
  Strict from, to;
  const std::string bytes = saved(from);
  const Snapshot before(*to);
  expect_error("'version'", [&] { load(to, bytes.data(), bytes.size()); });
  before.expect_same("load(module, file)");
}

TEST(FailingModuleLoad, KeepsWhatTheSameArchiveGaveBefore) {
  Linear first_from(2, 2), first(2, 2), second(3, 3);
  const std::string bytes = saved(first_from);
  const Snapshot before(*second);
  serialize::InputArchive archive = opened(bytes);
  first->load(archive);
  EXPECT_THROW(second->load(archive), Error);
  EXPECT_TRUE(first->weight.equal(first_from->weight));
  before.expect_same("second");
}

}  // namespace
}  // namespace torch::taper
