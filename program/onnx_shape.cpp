// Translations of views, joins, indexing and factories.
#include <algorithm>
#include <limits>

#include <taper/program/onnx_graph.h>

namespace torch::taper::program {
namespace {

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

// ---------------------------------------------------------------------- views
void reshape_to(OnnxCall& c, const std::string& sizes) {
  c.set(c.graph().add("Reshape", {c.tensor("self"), sizes}));
}
void view(OnnxCall& c) {
  c.require(c.op() != "view.dtype", "bytes as another dtype");
  reshape_to(c, c.size_list(c.has("size") ? "size" : "shape"));
}
void view_as(OnnxCall& c) { reshape_to(c, c.graph().shape(c.tensor("other"))); }

/// Returns x with the dimensions from `start` to `end` in one place replaced by `sizes`.
void replace_dims(OnnxCall& c, int64_t start, int64_t end, const std::string& sizes) {
  Names parts;
  const std::string x = c.tensor("self");
  if (start > 0) parts.push_back(c.graph().shape(x, 0, start));
  parts.push_back(sizes);
  if (end < c.rank("self")) parts.push_back(c.graph().shape(x, end));
  reshape_to(c,
             parts.size() == 1 ? parts[0] : c.graph().add("Concat", parts, {{"axis", int64_t{0}}}));
}
void flatten(OnnxCall& c) {
  const int64_t rank = c.rank("self");
  if (rank == 0) return reshape_to(c, c.graph().ints({-1}));
  const int64_t start = c.dim("start_dim"), end = c.dim("end_dim");
  if (start == 1 && end == rank - 1)
    return c.set(c.graph().add("Flatten", {c.tensor("self")}, {{"axis", int64_t{1}}}));
  replace_dims(c, start, end + 1, c.graph().ints({-1}));
}
void unflatten(OnnxCall& c) {
  const int64_t dim = c.dim("dim");
  replace_dims(c, dim, dim + 1, c.size_list("sizes"));
}
Ints order_of(int64_t rank) {
  Ints order;
  for (int64_t d = 0; d < rank; ++d) order.push_back(d);
  return order;
}
/// Dynamic sizes count as other than 1.
void squeeze(OnnxCall& c) {
  Ints dims;
  for (const int64_t d : c.has("dim") ? c.dims("dim") : order_of(c.rank("self"))) {
    const SymInt& size = c.meta("self").sizes.at(static_cast<size_t>(d));
    if (std::holds_alternative<int64_t>(size) && std::get<int64_t>(size) == 1) dims.push_back(d);
  }
  c.set(dims.empty() ? c.tensor("self") : c.graph().squeeze(c.tensor("self"), dims));
}
void unsqueeze(OnnxCall& c) {
  c.set(c.graph().unsqueeze(c.tensor("self"), {c.dim("dim", "self", 1)}));
}

void swap_dims(OnnxCall& c, int64_t a, int64_t b) {
  Ints order = order_of(c.rank("self"));
  if (order.size() < 2) return c.set(c.tensor("self"));
  std::swap(order[static_cast<size_t>(a)], order[static_cast<size_t>(b)]);
  c.set(c.graph().transpose(c.tensor("self"), order));
}
void transpose(OnnxCall& c) { swap_dims(c, c.dim("dim0"), c.dim("dim1")); }
void swapaxes(OnnxCall& c) { swap_dims(c, c.dim("axis0"), c.dim("axis1")); }
void last_two(OnnxCall& c) { swap_dims(c, c.rank("self") - 2, c.rank("self") - 1); }
void permute(OnnxCall& c) { c.set(c.graph().transpose(c.tensor("self"), c.dims("dims"))); }
void reverse_dims(OnnxCall& c) {
  Ints order = order_of(c.rank("self"));
  std::reverse(order.begin(), order.end());
  c.set(c.graph().transpose(c.tensor("self"), order));
}
void movedim(OnnxCall& c) {
  const Ints from = c.dims("source"), to = c.dims("destination");
  Ints order(static_cast<size_t>(c.rank("self")), -1), rest;
  for (size_t i = 0; i < from.size(); ++i) order[static_cast<size_t>(to[i])] = from[i];
  for (int64_t d = 0; d < c.rank("self"); ++d)
    if (std::find(from.begin(), from.end(), d) == from.end()) rest.push_back(d);
  auto next = rest.begin();
  for (int64_t& d : order)
    if (d < 0) d = *next++;
  c.set(c.graph().transpose(c.tensor("self"), order));
}

/// -1 keeps a size, which for Expand is 1.
void expand(OnnxCall& c) {
  std::string sizes = c.size_list("size");
  const std::string least = c.graph().ints({1});
  c.set(c.graph().add("Expand", {c.tensor("self"), c.graph().add("Max", {sizes, least})}));
}
void expand_as(OnnxCall& c) {
  c.set(c.graph().add("Expand", {c.tensor("self"), c.graph().shape(c.tensor("other"))}));
}
void repeat(OnnxCall& c) {
  const std::string counts = c.size_list(c.has("repeats") ? "repeats" : "dims");
  std::string x = c.tensor("self");
  Ints added;
  for (int64_t d = 0; d < static_cast<int64_t>(c.result_rank()) - c.rank("self"); ++d)
    added.push_back(d);
  if (!added.empty()) x = c.graph().unsqueeze(x, added);
  c.set(c.graph().add("Tile", {x, counts}));
}

// ---------------------------------------------------------------------- parts and joins
void cat(OnnxCall& c) {
  Names parts;
  const ScalarType dtype = c.result_dtype();
  for (const std::string& t : c.tensors("tensors")) parts.push_back(t);
  c.require(c.meta("tensors").dtype == dtype, "tensors of several dtypes");
  c.set(c.graph().add("Concat", parts, {{"axis", c.dim("dim", "tensors")}}));
}
void stack(OnnxCall& c) {
  Names parts;
  const int64_t dim = c.dim("dim", "tensors", 1);
  for (const std::string& t : c.tensors("tensors")) parts.push_back(c.graph().unsqueeze(t, {dim}));
  c.set(c.graph().add("Concat", parts, {{"axis", dim}}));
}
/// chunk and split, by the sizes of the results.
void split(OnnxCall& c) {
  const int64_t dim = c.dim("dim");
  const auto& results = c.node().outputs.at(0).get<std::vector<TensorArgument>>();
  if (results.size() == 1) return c.set(c.tensor("self"));
  Ints sizes;
  for (size_t i = 0; i < results.size(); ++i) {
    const SymInt& size = c.result_meta(i).sizes.at(static_cast<size_t>(dim));
    c.require(std::holds_alternative<int64_t>(size), "parts of a dynamic size");
    sizes.push_back(std::get<int64_t>(size));
  }
  c.set(c.graph().add_many("Split", {c.tensor("self"), c.graph().ints(sizes)}, sizes.size(),
                           {{"axis", dim}}));
}
void unbind(OnnxCall& c) {
  const int64_t dim = c.dim("dim"), count = c.fixed_size("self", dim);
  const std::string x = c.tensor("self");
  Names parts{x};
  if (count > 1)
    parts = c.graph().add_many("Split", {x, c.graph().ints(Ints(static_cast<size_t>(count), 1))},
                               static_cast<size_t>(count), {{"axis", dim}});
  for (std::string& part : parts) part = c.graph().squeeze(part, {dim});
  c.set(parts);
}

void slice(OnnxCall& c) {
  const std::string start = c.has("start") ? c.size("start") : c.graph().ints({0});
  const std::string end = c.has("end") ? c.size("end") : c.graph().ints({kEnd});
  c.set(c.graph().slice(c.tensor("self"), c.dim("dim"), start, end, c.integer("step")));
}
void narrow(OnnxCall& c) {
  c.require(!c.is_tensor("start"), "a tensor as start");
  const std::string start = c.size("start"), end = c.graph().add("Add", {start, c.size("length")});
  c.set(c.graph().slice(c.tensor("self"), c.dim("dim"), start, end));
}
void select(OnnxCall& c) {
  const int64_t dim = c.dim("dim");
  const std::string part =
      c.graph().add("Gather", {c.tensor("self"), c.size("index")}, {{"axis", dim}});
  c.set(c.graph().squeeze(part, {dim}));
}
void flip(OnnxCall& c) {
  std::string x = c.tensor("self");
  for (const int64_t d : c.dims("dims"))
    x = c.graph().slice(x, d, c.graph().ints({-1}), c.graph().ints({-kEnd}), -1);
  c.set(x);
}
void roll(OnnxCall& c) {
  std::string x = c.tensor("self");
  const Ints dims = c.integers("dims"), shifts = c.integers("shifts");
  c.require(!dims.empty(), "no dimensions");
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t d = dims[i] < 0 ? dims[i] + c.rank("self") : dims[i];
    const std::string at = c.graph().ints({-shifts[i]}), begin = c.graph().ints({0}),
                      end = c.graph().ints({kEnd});
    if (shifts[i] == 0) continue;
    x = c.graph().add("Concat", {c.graph().slice(x, d, at, end), c.graph().slice(x, d, begin, at)},
                      {{"axis", d}});
  }
  c.set(x);
}
void triangle(OnnxCall& c, int64_t upper) {
  const std::string k = c.graph().squeeze(c.size("diagonal"), {0});
  c.set(c.graph().add("Trilu", {c.tensor("self"), k}, {{"upper", upper}}));
}
void triu(OnnxCall& c) { triangle(c, 1); }
void tril(OnnxCall& c) { triangle(c, 0); }

// ---------------------------------------------------------------------- indices
void embedding(OnnxCall& c) {
  c.set(c.graph().add("Gather", {c.tensor("weight"), c.tensor("indices")}));
}
void index_select(OnnxCall& c) {
  c.set(c.graph().add("Gather", {c.tensor("self"), c.tensor("index")}, {{"axis", c.dim("dim")}}));
}
void gather(OnnxCall& c) {
  c.set(c.graph().add("GatherElements", {c.tensor("self"), c.tensor("index")},
                      {{"axis", c.dim("dim")}}));
}
void scatter(OnnxCall& c) {
  c.require(!c.has("reduce"), "a reduction");
  std::string source = c.has("src") ? c.tensor("src") : "";
  if (source.empty())
    source = c.graph().add(
        "Expand", {c.operand("value", c.result_dtype()), c.graph().shape(c.tensor("index"))});
  c.set(c.graph().add("ScatterElements", {c.tensor("self"), c.tensor("index"), source},
                      {{"axis", c.dim("dim")}}));
}
void scatter_add(OnnxCall& c) {
  c.set(c.graph().add("ScatterElements", {c.tensor("self"), c.tensor("index"), c.tensor("src")},
                      {{"axis", c.dim("dim")}, {"reduction", std::string("add")}}));
}

/// Returns indices of one shape, each with a last dimension, side by side.
std::string joined_indices(OnnxCall& c, const Names& indices) {
  std::string sum = indices[0];
  for (size_t i = 1; i < indices.size(); ++i) sum = c.graph().add("Add", {sum, indices[i]});
  const std::string sizes = c.graph().shape(sum);
  Names parts;
  for (const std::string& index : indices)
    parts.push_back(c.graph().unsqueeze(c.graph().add("Expand", {index, sizes}), {-1}));
  return c.graph().add("Concat", parts, {{"axis", int64_t{-1}}});
}
/// x[i], x[:, i], x[i, j].
void index(OnnxCall& c) {
  Names given;
  int64_t first = -1, last = -1, d = 0;
  for (const std::string& each : c.tensors("indices")) {
    if (!each.empty()) {
      first = first < 0 ? d : first;
      last = d;
      given.push_back(each);
    }
    ++d;
  }
  c.require(!given.empty(), "no indices");
  c.require(!c.has_bools("indices"), "a mask as index");
  if (given.size() == 1)
    return c.set(c.graph().add("Gather", {c.tensor("self"), given[0]}, {{"axis", first}}));
  c.require(first == 0 && last + 1 == static_cast<int64_t>(given.size()), "indices behind a slice");
  c.set(c.graph().add("GatherND", {c.tensor("self"), joined_indices(c, given)}));
}
void select_scatter(OnnxCall& c) {
  const int64_t dim = c.dim("dim");
  const std::string x = c.tensor("self"), part = c.graph().unsqueeze(c.tensor("src"), {dim});
  const std::string at = c.graph().add(
      "Expand",
      {c.graph().add("Reshape", {c.size("index"),
                                 c.graph().ints(Ints(static_cast<size_t>(c.rank("self")), 1))}),
       c.graph().shape(part)});
  c.set(c.graph().add("ScatterElements", {x, at, part}, {{"axis", dim}}));
}
void slice_scatter(OnnxCall& c) {
  const int64_t dim = c.dim("dim");
  const std::string x = c.tensor("self"), part = c.tensor("src");
  const std::string start =
      c.graph().squeeze(c.has("start") ? c.size("start") : c.graph().ints({0}), {0});
  const std::string step = c.graph().number(static_cast<double>(c.integer("step")), kLong);
  const std::string count = c.graph().squeeze(c.graph().shape(part, dim, dim + 1), {0});
  const std::string end = c.graph().add("Add", {start, c.graph().add("Mul", {count, step})});
  Ints column(static_cast<size_t>(c.rank("self")), 1);
  column[static_cast<size_t>(dim)] = -1;
  const std::string range = c.graph().add(
      "Reshape", {c.graph().add("Range", {start, end, step}), c.graph().ints(column)});
  const std::string at = c.graph().add("Expand", {range, c.graph().shape(part)});
  c.set(c.graph().add("ScatterElements", {x, at, part}, {{"axis", dim}}));
}

void cumsum(OnnxCall& c) {
  c.set(c.graph().add("CumSum", {c.operand("self", c.result_dtype()),
                                 c.graph().number(static_cast<double>(c.dim("dim")), kLong)}));
}
void topk(OnnxCall& c) {
  c.set(c.graph().add_many(
      "TopK", {c.tensor("self"), c.size("k")}, 2,
      {{"axis", c.dim("dim")}, {"largest", int64_t{c.flag("largest")}}, {"sorted", int64_t{1}}}));
}
void sort(OnnxCall& c) {
  const int64_t dim = c.dim("dim");
  const std::string x = c.tensor("self");
  c.set(c.graph().add_many(
      "TopK", {x, c.graph().shape(x, dim, dim + 1)}, 2,
      {{"axis", dim}, {"largest", int64_t{c.flag("descending")}}, {"sorted", int64_t{1}}}));
}
void one_hot(OnnxCall& c) {
  c.require(c.integer("num_classes") > 0, "no num_classes");
  c.set(c.graph().add("OneHot", {c.tensor("self"), c.size("num_classes"), c.graph().ints({0, 1})}));
}

// ---------------------------------------------------------------------- factories
std::string filled(OnnxCall& c, const std::string& sizes, const std::string& value) {
  return c.graph().add("Expand", {value, sizes});
}
void full(OnnxCall& c) {
  c.set(filled(c, c.size_list("size"), c.operand("fill_value", c.result_dtype())));
}
void zeros(OnnxCall& c) {
  c.set(filled(c, c.size_list("size"), c.graph().number(0, c.result_dtype())));
}
void ones(OnnxCall& c) {
  c.set(filled(c, c.size_list("size"), c.graph().number(1, c.result_dtype())));
}
std::string like(OnnxCall& c) { return c.graph().shape(c.tensor("self")); }
void full_like(OnnxCall& c) {
  c.set(filled(c, like(c), c.operand("fill_value", c.result_dtype())));
}
void zeros_like(OnnxCall& c) { c.set(filled(c, like(c), c.graph().number(0, c.result_dtype()))); }
void ones_like(OnnxCall& c) { c.set(filled(c, like(c), c.graph().number(1, c.result_dtype()))); }
void arange(OnnxCall& c) {
  const ScalarType dtype = c.result_dtype();
  const std::string start = c.has("start") ? c.operand("start", dtype) : c.graph().number(0, dtype);
  const std::string step = c.has("step") ? c.operand("step", dtype) : c.graph().number(1, dtype);
  c.set(c.graph().add("Range", {start, c.operand("end", dtype), step}));
}
void copy(OnnxCall& c) { c.set(filled(c, like(c), c.operand("src", c.result_dtype()))); }
void eye(OnnxCall& c) {
  const std::string rows = c.size("n"), columns = c.has("m") ? c.size("m") : rows;
  const std::string table =
      filled(c, c.graph().add("Concat", {rows, columns}, {{"axis", int64_t{0}}}),
             c.graph().number(0, c.result_dtype()));
  c.set(c.graph().add("EyeLike", {table}));
}
void to(OnnxCall& c) { c.set(c.operand("self", c.result_dtype())); }

}  // namespace

const std::map<std::string, OnnxRule, std::less<>>& onnx_shape_rules() {
  static const std::map<std::string, OnnxRule, std::less<>> rules = {
      {"view", view},
      {"reshape", view},
      {"_unsafe_view", view},
      {"view_as", view_as},
      {"reshape_as", view_as},
      {"flatten", flatten},
      {"unflatten", unflatten},
      {"squeeze", squeeze},
      {"unsqueeze", unsqueeze},
      {"transpose", transpose},
      {"swapaxes", swapaxes},
      {"swapdims", transpose},
      {"t", last_two},
      {"mT", last_two},
      {"numpy_T", reverse_dims},
      {"permute", permute},
      {"movedim", movedim},
      {"moveaxis", movedim},
      {"expand", expand},
      {"broadcast_to", expand},
      {"expand_as", expand_as},
      {"repeat", repeat},
      {"cat", cat},
      {"concat", cat},
      {"stack", stack},
      {"split", split},
      {"split_with_sizes", split},
      {"chunk", split},
      {"unbind", unbind},
      {"slice", slice},
      {"narrow", narrow},
      {"select", select},
      {"flip", flip},
      {"roll", roll},
      {"triu", triu},
      {"tril", tril},
      {"embedding", embedding},
      {"index_select", index_select},
      {"gather", gather},
      {"scatter", scatter},
      {"scatter_add", scatter_add},
      {"index", index},
      {"select_scatter", select_scatter},
      {"slice_scatter", slice_scatter},
      {"cumsum", cumsum},
      {"topk", topk},
      {"sort", sort},
      {"one_hot", one_hot},
      {"full", full},
      {"zeros", zeros},
      {"ones", ones},
      {"new_full", full},
      {"new_zeros", zeros},
      {"new_ones", ones},
      {"full_like", full_like},
      {"zeros_like", zeros_like},
      {"ones_like", ones_like},
      {"arange", arange},
      {"eye", eye},
      {"copy", copy},
      {"to", to},
      {"_to_copy", to},
      {"type_as", to}};
  return rules;
}

}  // namespace torch::taper::program
