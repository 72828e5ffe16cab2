#include <taper/distributed/checkpoint.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <sstream>

#include <taper/distributed/gather_texts.h>
#include <taper/distributed/init.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/io/archive.h>
#include <taper/framework/io/safetensors.h>
#include <taper/framework/io/tensor_files.h>

namespace torch::taper::distributed::checkpoint {

namespace {

namespace fs = std::filesystem;
using serialize::detail::FileContents;
using taper::detail::concat;

constexpr const char* kManifest = "manifest.taper";
constexpr const char* kFormat = "taper checkpoint 1";

// ---------------------------------------------------------------------- what is where
/// Describes some rows of a tensor.
struct Rows {
  int64_t file, begin, count;
};
/// Describes a tensor of a checkpoint.
struct Stored {
  int64_t dtype;
  std::vector<int64_t> sizes;
  std::vector<Rows> parts;

  int64_t rows() const { return sizes.empty() ? 1 : sizes[0]; }
};
struct Manifest {
  std::string id;
  int64_t files = 0;
  std::map<std::string, Stored> tensors;
  std::map<std::string, std::string> texts;
};

std::string file_name(const std::string& id, int64_t file, int64_t files) {
  return concat("shard-", id, "-", file, "-of-", files, ".safetensors");
}

void write_manifest(const std::string& folder, const Manifest& m) {
  serialize::OutputArchive out;
  out.write("format", IValue(kFormat));
  out.write("id", IValue(m.id));
  out.write("files", IValue(m.files));
  out.write("tensors", IValue(static_cast<int64_t>(m.tensors.size())));
  out.write("texts", IValue(static_cast<int64_t>(m.texts.size())));
  size_t i = 0;
  for (const auto& [name, t] : m.tensors) {
    const std::string key = concat("tensor/", i++);
    std::vector<int64_t> parts;
    for (const Rows& r : t.parts) parts.insert(parts.end(), {r.file, r.begin, r.count});
    out.write(key + "/name", IValue(name));
    out.write(key + "/dtype", IValue(t.dtype));
    out.write(key + "/sizes", IValue(t.sizes));
    out.write(key + "/parts", IValue(parts));
  }
  i = 0;
  for (const auto& [name, text] : m.texts) {
    const std::string key = concat("text/", i++);
    out.write(key + "/name", IValue(name));
    out.write(key + "/text", IValue(text));
  }
  out.save_to((fs::path(folder) / kManifest).string());
}

IValue value_of(serialize::InputArchive& in, const std::string& key) {
  IValue value;
  in.read(key, value);
  return value;
}

Manifest read_manifest(const std::string& folder) {
  serialize::InputArchive in;
  in.load_from((fs::path(folder) / kManifest).string());
  const std::string format = value_of(in, "format").toStringRef();
  TAPER_CHECK(format == kFormat, "checkpoint::load: expected a manifest of format '", kFormat,
              "', got '", format, "'");
  Manifest m;
  m.id = value_of(in, "id").toStringRef();
  m.files = value_of(in, "files").toInt();
  for (int64_t i = 0; i < value_of(in, "tensors").toInt(); ++i) {
    const std::string key = concat("tensor/", i);
    Stored t{value_of(in, key + "/dtype").toInt(), value_of(in, key + "/sizes").toIntVector(), {}};
    const std::vector<int64_t> parts = value_of(in, key + "/parts").toIntVector();
    for (size_t k = 0; k + 2 < parts.size(); k += 3)
      t.parts.push_back({parts[k], parts[k + 1], parts[k + 2]});
    m.tensors.emplace(value_of(in, key + "/name").toStringRef(), std::move(t));
  }
  for (int64_t i = 0; i < value_of(in, "texts").toInt(); ++i) {
    const std::string key = concat("text/", i);
    m.texts[value_of(in, key + "/name").toStringRef()] = value_of(in, key + "/text").toStringRef();
  }
  return m;
}

// ---------------------------------------------------------------------- ranks
/// Calls f on all ranks. Throws Error on all of them if it throws on one.
template <class F>
void on_all_ranks(ProcessGroup& group, const char* op, const F& f) {
  std::string error;
  try {
    f();
  } catch (const std::exception& e) {
    error = e.what();
    if (error.empty()) error = "an error without a text";
  }
  const std::vector<std::string> all = detail::gather_texts(group, error);
  for (size_t r = 0; r < all.size(); ++r)
    TAPER_CHECK(all[r].empty(), op, ": on rank ", r, ": ", all[r]);
}

intrusive_ptr<ProcessGroup> group_or_default(intrusive_ptr<ProcessGroup> group) {
  return group.defined() ? std::move(group) : default_group();
}

// ---------------------------------------------------------------------- optimizers
/// Returns the contents that an optimizer saves. Tensors of parameters are called
/// "state.NUMBER.FIELD".
FileContents contents_of(const optim::Optimizer& optimizer) {
  serialize::OutputArchive archive;
  optimizer.save(archive);
  std::ostringstream out;
  archive.save_to(out);
  const std::string bytes = out.str();
  const auto source = [&](uint64_t position, void* buffer, size_t nbytes) {
    const size_t n = std::min(nbytes, bytes.size() - static_cast<size_t>(position));
    std::memcpy(buffer, bytes.data() + position, n);
    return n;
  };
  return serialize::detail::read_safetensors(source, bytes.size(), "the optimizer's state");
}

void load_contents(optim::Optimizer& optimizer, const FileContents& contents) {
  std::string bytes;
  serialize::detail::write_safetensors(
      contents,
      [&](const void* data, size_t nbytes) {
        bytes.append(static_cast<const char*>(data), nbytes);
        return nbytes;
      },
      "the optimizer's state");
  serialize::InputArchive archive;
  archive.load_from(bytes.data(), bytes.size());
  optimizer.load(archive);
}

/// Returns the parameter that a tensor of an optimizer's state belongs to, or an undefined tensor.
Tensor parameter_of(const optim::Optimizer& optimizer, const std::string& name) {
  const std::string start = "state.";
  if (name.compare(0, start.size(), start) != 0) return {};
  char* end = nullptr;
  uint64_t number = std::strtoull(name.c_str() + start.size(), &end, 10);
  if (*end != '.') return {};
  for (const optim::OptimizerParamGroup& group : optimizer.param_groups()) {
    if (number < group.params().size()) return group.params()[number];
    number -= group.params().size();
  }
  return {};
}

std::string text_name(const std::string& prefix, const std::string& key) {
  return prefix + "\n" + key;  // a program cannot use this name
}

}  // namespace

// ---------------------------------------------------------------------- State
void State::check_new(const std::string& name) const {
  TAPER_CHECK_VALUE(!name.empty() && name.find_first_of("\n\t") == std::string::npos,
                    "checkpoint::State: expected a name without tabs and line ends, got '", name,
                    "'");
  for (const Item& item : items_)
    TAPER_CHECK_VALUE(item.name != name, "checkpoint::State: there is a tensor '", name,
                      "' already");
  for (const auto& [prefix, optimizer] : optimizers_)
    TAPER_CHECK_VALUE(prefix != name, "checkpoint::State: there is an optimizer '", name,
                      "' already");
}

void State::add(const std::string& name, const Tensor& tensor) {
  check_new(name);
  TAPER_CHECK_VALUE(tensor.defined(), "checkpoint::State: expected a tensor as '", name,
                    "', got an undefined one");
  items_.push_back({name, tensor, shard_of(tensor)});
}

void State::add(const std::string& name, const Tensor& rows, const Shard& shard) {
  check_new(name);
  TAPER_CHECK_VALUE(rows.defined() && rows.dim() >= 1 && rows.size(0) == shard.rows &&
                        !shard.sizes.empty() && shard.begin >= 0 &&
                        shard.begin + shard.rows <= shard.sizes[0] &&
                        rows.sizes().slice(1) == IntArrayRef(shard.sizes).slice(1),
                    "checkpoint::State: expected '", name, "' to be ", shard.rows,
                    " rows of a tensor of sizes ", IntArrayRef(shard.sizes));
  items_.push_back({name, rows, shard});
}

void State::add(const std::string& prefix, const nn::Module& module) {
  for (const auto& item : module.named_parameters()) add(prefix + "." + item.key(), item.value());
  for (const auto& item : module.named_buffers()) add(prefix + "." + item.key(), item.value());
}

void State::add(const std::string& prefix, optim::Optimizer& optimizer) {
  check_new(prefix);
  optimizers_.emplace_back(prefix, &optimizer);
}

void State::set_text(const std::string& name, std::string text) {
  TAPER_CHECK_VALUE(name.find('\n') == std::string::npos,
                    "checkpoint::State::set_text: expected a name without line ends, got '", name,
                    "'");
  texts_[name] = std::move(text);
}

const std::string& State::text(const std::string& name) const {
  const auto found = texts_.find(name);
  TAPER_CHECK(found != texts_.end(), "checkpoint::State::text: there is no '", name, "'");
  return found->second;
}

// ---------------------------------------------------------------------- saving
class Saving {
 public:
  Saving(const std::string& folder, const State& state, intrusive_ptr<ProcessGroup> group)
      : folder_(folder), group_(std::move(group)), items_(state.items_) {
    manifest_.files = group_->getSize();
    manifest_.texts = state.texts_;
    for (const auto& [prefix, optimizer] : state.optimizers_) add(prefix, *optimizer);
  }

  void run() {
    const std::vector<std::string> all = detail::gather_texts(*group_, description());
    make_plan(all);
    try {
      on_all_ranks(*group_, "checkpoint::save", [&] { write_own_file(); });
      on_all_ranks(*group_, "checkpoint::save", [&] {
        if (group_->getRank() == 0) write_manifest(folder_, manifest_);
      });
    } catch (...) {
      std::error_code ignored;
      if (!is_current()) fs::remove(own_path(), ignored);
      throw;
    }
    remove_former();
  }

 private:
  using Item = State::Item;

  void add(const std::string& prefix, const optim::Optimizer& optimizer) {
    const FileContents contents = contents_of(optimizer);
    for (const auto& [key, text] : contents.metadata)
      manifest_.texts[text_name(prefix, key)] = text;
    for (const auto& [name, tensor] : contents.tensors) {
      const Tensor p = parameter_of(optimizer, name);
      const bool as_parameter = p.defined() && p.sizes() == tensor.sizes();
      items_.push_back(
          {prefix + "." + name, tensor, as_parameter ? shard_of(p) : optional<Shard>()});
    }
  }

  /// Returns a line for each tensor, after the name that this rank proposes for the checkpoint.
  std::string description() const {
    std::random_device random;
    std::ostringstream text;
    text << std::hex << random() << random() << std::dec << "\n";
    for (const Item& item : items_) {
      const Tensor& t = item.tensor;
      const std::vector<int64_t> sizes = item.shard ? item.shard->sizes : t.sizes().vec();
      text << item.name << "\t" << static_cast<int>(t.scalar_type()) << "\t"
           << (item.shard ? "part" : "whole") << "\t" << (item.shard ? item.shard->begin : 0)
           << "\t"
           << (item.shard      ? item.shard->rows
               : sizes.empty() ? 1
                               : sizes[0]);
      for (int64_t n : sizes) text << "\t" << n;
      text << "\n";
    }
    return text.str();
  }

  void make_plan(const std::vector<std::string>& all) {
    manifest_.id = all[0].substr(0, all[0].find('\n'));
    std::vector<std::string> whole_of_first;
    std::vector<int64_t> load(all.size(), 0);  // elements in each rank's file
    for (size_t r = 0; r < all.size(); ++r) {
      std::vector<std::string> whole;
      std::istringstream lines(all[r].substr(all[r].find('\n') + 1));
      for (std::string line; std::getline(lines, line);) {
        if (line.find("\twhole\t") != std::string::npos)
          whole.push_back(line);
        else
          plan_part(line, static_cast<int64_t>(r), load);
      }
      if (r == 0) whole_of_first = whole;
      check_same(whole, whole_of_first, r);
    }
    plan_whole(whole_of_first, load);
    for (const auto& [name, t] : manifest_.tensors) check_complete(name, t);
  }

  struct Line {
    std::string name, kind;
    int64_t dtype, begin, rows, numel = 1;
    std::vector<int64_t> sizes;
  };
  static Line parse(const std::string& line) {
    std::istringstream in(line);
    Line l;
    std::string dtype;
    std::getline(in, l.name, '\t');
    in >> l.dtype >> l.kind >> l.begin >> l.rows;
    for (int64_t n; in >> n;) {
      l.sizes.push_back(n);
      l.numel *= n;
    }
    return l;
  }
  void plan_part(const std::string& line, int64_t rank, std::vector<int64_t>& load) {
    const Line l = parse(line);
    const auto [at, is_new] = manifest_.tensors.emplace(l.name, Stored{l.dtype, l.sizes, {}});
    TAPER_CHECK(at->second.dtype == l.dtype && at->second.sizes == l.sizes,
                "checkpoint::save: expected all ranks to have parts of one tensor as '", l.name,
                "', but rank ", rank, " has those of another");
    if (l.rows == 0) return;
    at->second.parts.push_back({rank, l.begin, l.rows});
    load[static_cast<size_t>(rank)] += l.numel / at->second.rows() * l.rows;
  }
  static void check_same(const std::vector<std::string>& own, const std::vector<std::string>& first,
                         size_t rank) {
    TAPER_CHECK(own.size() == first.size(), "checkpoint::save: expected ", first.size(),
                " tensors as on rank 0, but rank ", rank, " has ", own.size());
    for (size_t i = 0; i < own.size(); ++i)
      TAPER_CHECK(own[i] == first[i], "checkpoint::save: expected all ranks to have the same ",
                  "tensors, but rank ", rank, " has ", described(own[i]), " where rank 0 has ",
                  described(first[i]));
  }
  static std::string described(const std::string& line) {
    const Line l = parse(line);
    return concat(l.name, " of sizes ", IntArrayRef(l.sizes), " and dtype ",
                  static_cast<ScalarType>(l.dtype));
  }
  /// Assigns tensors that all ranks hold. Each is written once. The largest comes first, and goes
  /// to the rank that has least to write.
  void plan_whole(const std::vector<std::string>& lines, std::vector<int64_t>& load) {
    std::vector<Line> all;
    for (const std::string& line : lines) all.push_back(parse(line));
    std::stable_sort(all.begin(), all.end(),
                     [](const Line& a, const Line& b) { return a.numel > b.numel; });
    for (const Line& l : all) {
      const auto least = std::min_element(load.begin(), load.end());
      *least += l.numel;
      Stored stored{l.dtype, l.sizes, {{least - load.begin(), 0, l.rows}}};
      TAPER_CHECK(manifest_.tensors.emplace(l.name, std::move(stored)).second,
                  "checkpoint::save: expected different names, got two of ", l.name);
    }
  }
  static void check_complete(const std::string& name, const Stored& t) {
    int64_t rows = 0;
    for (const Rows& r : t.parts) rows += r.count;
    TAPER_CHECK(rows == t.rows(), "checkpoint::save: expected the ranks' parts of ", name,
                " to be its ", t.rows(), " rows, got ", rows);
  }

  std::string own_path() const {
    return (fs::path(folder_) / file_name(manifest_.id, group_->getRank(), manifest_.files))
        .string();
  }
  void write_own_file() {
    fs::create_directories(folder_);
    StateDict dict;
    for (const Item& item : items_)
      for (const Rows& r : manifest_.tensors.at(item.name).parts)
        if (r.file == group_->getRank()) dict.insert(item.name, item.tensor.detach());
    FileMetadata metadata;
    metadata.insert("checkpoint", concat(manifest_.id, " ", group_->getRank()));
    save_safetensors(own_path(), dict, metadata);
  }
  /// Returns whether the existing manifest is the new one.
  bool is_current() const {
    try {
      return read_manifest(folder_).id == manifest_.id;
    } catch (const std::exception&) {
      return false;
    }
  }
  void remove_former() const {
    if (group_->getRank() != 0) return;
    std::error_code ignored;
    const std::string ours = "shard-" + manifest_.id + "-";
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.rfind("shard-", 0) == 0 && name.rfind(ours, 0) != 0)
        fs::remove(entry.path(), ignored);
    }
  }

  std::string folder_;
  intrusive_ptr<ProcessGroup> group_;
  std::vector<Item> items_;
  Manifest manifest_;
};

void save(const std::string& folder, const State& state, State::Group group) {
  const NoGradGuard off;
  Saving(folder, state, group_or_default(std::move(group))).run();
}

// ---------------------------------------------------------------------- loading
class Loading {
 public:
  Loading(const std::string& folder, State& state, intrusive_ptr<ProcessGroup> group)
      : folder_(folder), state_(state), group_(std::move(group)) {}

  void run() {
    on_all_ranks(*group_, "checkpoint::load", [&] { find_all(); });
    load_optimizers();
    for (const Copy& copy : copies_) copy.to.copy_(copy.from);
    for (auto& [name, text] : manifest_.texts)
      if (name.find('\n') == std::string::npos) state_.texts_[name] = text;
  }

 private:
  struct Copy {
    Tensor to, from;
  };
  struct OptimizerState {
    optim::Optimizer* optimizer;
    FileContents now, former;
  };

  void find_all() {
    manifest_ = read_manifest(folder_);
    for (const State::Item& item : state_.items_)
      find(item.name, item.tensor.detach(), item.shard, copies_);
    for (const auto& [prefix, optimizer] : state_.optimizers_) find(prefix, *optimizer);
  }

  const Stored& stored(const std::string& name) const {
    const auto found = manifest_.tensors.find(name);
    TAPER_CHECK(found != manifest_.tensors.end(), "expected '", name, "' in the checkpoint '",
                folder_, "', which has none");
    return found->second;
  }

  /// Finds the rows that `to` needs.
  void find(const std::string& name, const Tensor& to, const optional<Shard>& shard,
            std::vector<Copy>& copies) {
    const Stored& t = stored(name);
    const std::vector<int64_t> sizes = shard ? shard->sizes : to.sizes().vec();
    TAPER_CHECK(t.sizes == sizes && t.dtype == static_cast<int64_t>(to.scalar_type()), "expected '",
                name, "' to be ", to.scalar_type(), IntArrayRef(sizes), ", but the checkpoint has ",
                static_cast<ScalarType>(t.dtype), IntArrayRef(t.sizes));
    const int64_t begin = shard ? shard->begin : 0, rows = shard ? shard->rows : t.rows();
    const Tensor place = to.dim() ? to : to.view({1});
    int64_t found = 0;
    for (const Rows& part : t.parts) {
      const int64_t from = std::max(begin, part.begin),
                    end = std::min(begin + rows, part.begin + part.count);
      if (from >= end) continue;
      const Tensor there = tensor_of(part.file, name, t, part.count);
      copies.push_back({place.narrow(0, from - begin, end - from),
                        there.narrow(0, from - part.begin, end - from)});
      found += end - from;
    }
    TAPER_CHECK(found == rows, "expected rows ", begin, " to ", begin + rows, " of '", name,
                "' in the checkpoint, which has ", found, " of them");
  }

  /// Returns the rows in a file. The file is checked when it is opened.
  Tensor tensor_of(int64_t file, const std::string& name, const Stored& t, int64_t rows) {
    const std::string path =
        (fs::path(folder_) / file_name(manifest_.id, file, manifest_.files)).string();
    auto at = files_.find(file);
    if (at == files_.end()) {
      FileMetadata metadata;
      StateDict dict = load_safetensors(path, &metadata);
      const std::string* const id = metadata.find("checkpoint");
      TAPER_CHECK(id && *id == concat(manifest_.id, " ", file), "expected '", path, "' to be file ",
                  file, " of checkpoint ", manifest_.id, ", got ", id ? *id : "another file");
      at = files_.emplace(file, std::move(dict)).first;
    }
    const Tensor* const found = at->second.find(name);
    TAPER_CHECK(found, "expected '", path, "' to have rows of '", name, "'");
    const Tensor there = found->dim() ? *found : found->view({1});
    std::vector<int64_t> sizes = t.sizes.empty() ? std::vector<int64_t>{1} : t.sizes;
    sizes[0] = rows;
    TAPER_CHECK(
        there.sizes() == IntArrayRef(sizes) && static_cast<int64_t>(there.scalar_type()) == t.dtype,
        "expected '", path, "' to have ", rows, " rows of '", name, "', got ", there.scalar_type(),
        there.sizes());
    return there;
  }

  void find(const std::string& prefix, optim::Optimizer& optimizer) {
    OptimizerState s{&optimizer, {}, {}};
    const std::string texts = prefix + "\n", start = prefix + ".";
    for (const auto& [name, text] : manifest_.texts)
      if (name.compare(0, texts.size(), texts) == 0)
        s.now.metadata.emplace_back(name.substr(texts.size()), text);
    TAPER_CHECK(!s.now.metadata.empty(), "expected an optimizer '", prefix, "' in the checkpoint '",
                folder_, "', which has none");
    for (const auto& [name, t] : manifest_.tensors) {
      if (name.compare(0, start.size(), start) != 0) continue;
      const std::string own = name.substr(start.size());
      const Tensor p = parameter_of(optimizer, own);
      optional<Shard> shard = p.defined() ? shard_of(p) : optional<Shard>();
      if (shard && shard->sizes != t.sizes) shard = nullopt;
      const std::vector<int64_t> sizes = shard ? p.sizes().vec() : t.sizes;
      const Tensor to = empty(sizes, TensorOptions(static_cast<ScalarType>(t.dtype)));
      std::vector<Copy> copies;
      find(name, to, shard, copies);
      for (const Copy& copy : copies) copy.to.copy_(copy.from);
      s.now.tensors.emplace_back(own, to);
    }
    s.former = contents_of(optimizer);
    optimizers_.push_back(std::move(s));
  }

  /// Loads all optimizers on all ranks, or none.
  void load_optimizers() {
    size_t loaded = 0;
    try {
      on_all_ranks(*group_, "checkpoint::load", [&] {
        for (; loaded < optimizers_.size(); ++loaded)
          load_contents(*optimizers_[loaded].optimizer, optimizers_[loaded].now);
      });
    } catch (...) {
      for (size_t i = 0; i < loaded; ++i)
        load_contents(*optimizers_[i].optimizer, optimizers_[i].former);
      throw;
    }
  }

  std::string folder_;
  State& state_;
  intrusive_ptr<ProcessGroup> group_;
  Manifest manifest_;
  std::map<int64_t, StateDict> files_;
  std::vector<Copy> copies_;
  std::vector<OptimizerState> optimizers_;
};

void load(const std::string& folder, State& state, State::Group group) {
  const NoGradGuard off;
  Loading(folder, state, group_or_default(std::move(group))).run();
}

}  // namespace torch::taper::distributed::checkpoint
