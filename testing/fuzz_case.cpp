#include <taper/testing/fuzz_case.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include <taper/framework/autograd/grad_mode.h>

namespace torch::taper::testing {

using taper::detail::concat;

FuzzInput& FuzzInput::sizes(int64_t from, int64_t to) {
  TAPER_CHECK_VALUE(0 <= from && from <= to, "fuzz: expected sizes from 0 up, got ", from, " to ",
                    to);
  least = from, most = to;
  return *this;
}
FuzzInput& FuzzInput::range(double from, double to) {
  TAPER_CHECK_VALUE(from < to, "fuzz: expected a range of values, got ", from, " to ", to);
  low = from, high = to;
  return *this;
}
FuzzInput& FuzzInput::dtype(ScalarType t) {
  own_dtype = t;
  return *this;
}
FuzzInput& FuzzInput::no_gradient() {
  has_gradient = false;
  return *this;
}
FuzzInput& FuzzInput::broadcasts() {
  may_broadcast = true;
  return *this;
}

namespace impl {
namespace {

constexpr const char* kMore = "...";
constexpr size_t kMostMore = 3;
constexpr uint64_t kMissingUnit = uint64_t(1) << 32;

bool is_number(const std::string& w) {
  return !w.empty() &&
         std::all_of(w.begin(), w.end(), [](unsigned char c) { return std::isdigit(c); });
}
bool is_name(const std::string& w) {
  return !w.empty() && std::isalpha(static_cast<unsigned char>(w[0])) &&
         std::all_of(w.begin(), w.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// Calls visit(word, the input that mentions it first).
template <class Visit>
void for_each_word(const std::vector<FuzzInput>& inputs, const Visit& visit) {
  std::set<std::string> seen;
  for (const FuzzInput& input : inputs)
    for (const std::string& w : shape_words(input.shape()))
      if (!is_number(w) && seen.insert(w).second) visit(w, input);
}

/// Draws a size. Sizes near the ends are as likely as all others together.
int64_t random_size(int64_t least, int64_t most, Dice& dice) {
  if (dice.bits() % 4 == 0) return std::min(most, least + static_cast<int64_t>(dice.bits() % 2));
  return dice.integer(least, most + 1);
}

}  // namespace

std::vector<std::string> shape_words(const std::string& shape) {
  std::istringstream in(shape);
  std::vector<std::string> words;
  for (std::string w; in >> w;) {
    TAPER_CHECK_VALUE(w == kMore || is_number(w) || is_name(w), "fuzz: expected a shape of names, ",
                      "numbers and '...', got '", w, "' in '", shape, "'");
    words.push_back(w);
  }
  TAPER_CHECK_VALUE(std::count(words.begin(), words.end(), kMore) <= 1,
                    "fuzz: expected '...' once, got '", shape, "'");
  return words;
}

// ---------------------------------------------------------------------- making cases
FuzzCase random_case(const std::vector<FuzzInput>& inputs, const FuzzOptions& options, Dice& dice) {
  FuzzCase c;
  c.dtype = options.dtypes()[dice.bits() % options.dtypes().size()];
  for_each_word(inputs, [&](const std::string& w, const FuzzInput& input) {
    if (w != kMore) {
      c.sizes[w] = random_size(input.least, input.most, dice);
      return;
    }
    for (uint64_t n = dice.bits() % (kMostMore + 1); n > 0; --n)
      c.more.push_back(
          random_size(input.least, std::max(input.least, std::min<int64_t>(input.most, 5)), dice));
  });
  for (const FuzzInput& input : inputs) {
    const bool plain = !options.layouts() || dice.bits() % 2;
    c.layouts.push_back(plain ? FuzzLayout::kPlain : static_cast<FuzzLayout>(1 + dice.bits() % 3));
    const bool varies = input.may_broadcast && dice.bits() % 2;
    c.broadcast.push_back(varies ? (dice.bits() & 15) + kMissingUnit * (dice.bits() % 3) : 0);
  }
  c.values = dice.bits() % 1000000;
  return c;
}

std::vector<int64_t> sizes_of(const FuzzCase& c, const FuzzInput& input, size_t i) {
  std::vector<int64_t> sizes;
  for (const std::string& w : shape_words(input.shape())) {
    if (w == kMore)
      sizes.insert(sizes.end(), c.more.begin(), c.more.end());
    else
      sizes.push_back(is_number(w) ? std::stoll(w) : c.sizes.at(w));
  }
  const uint64_t b = c.broadcast[i];
  for (size_t d = 0; d < std::min<size_t>(sizes.size(), 32); ++d)
    if (b >> d & 1) sizes[sizes.size() - 1 - d] = 1;
  const size_t missing = std::min<size_t>(b / kMissingUnit, sizes.size());
  sizes.erase(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(missing));
  return sizes;
}

std::vector<Tensor> tensors_of(const FuzzCase& c, const std::vector<FuzzInput>& inputs) {
  std::vector<Tensor> list;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const FuzzInput& input = inputs[i];
    Dice dice(c.values * 31 + i);
    const std::vector<int64_t> sizes = sizes_of(c, input, i);
    int64_t numel = 1;
    for (int64_t s : sizes) numel *= s;
    const bool whole = input.own_dtype != ScalarType::Undefined && !isFloatingType(input.own_dtype);
    std::vector<double> v(static_cast<size_t>(numel));
    for (double& x : v)
      x = whole ? std::floor(dice.uniform(input.low, input.high))
                : dice.uniform(input.low, input.high);
    // Expanded inputs repeat the values of their first row, in every layout.
    if (c.layouts[i] == FuzzLayout::kExpanded && !sizes.empty() && sizes[0] > 0)
      for (size_t k = 0; k < v.size(); ++k)
        v[k] = v[k % (v.size() / static_cast<size_t>(sizes[0]))];
    list.push_back(
        write(v, sizes, input.own_dtype == ScalarType::Undefined ? kDouble : input.own_dtype));
  }
  return list;
}

std::vector<Tensor> in_dtype(const std::vector<Tensor>& tensors, ScalarType dtype) {
  std::vector<Tensor> list;
  for (const Tensor& t : tensors)
    list.push_back(t.scalar_type() == kDouble && dtype != kDouble ? t.to(dtype) : t);
  return list;
}

// ---------------------------------------------------------------------- layouts
namespace {

Tensor transposed(const Tensor& t) {
  Dims sizes(t.sizes()), back;
  std::reverse(sizes.begin(), sizes.end());
  std::vector<int64_t> order;
  for (int64_t d = t.dim(); d-- > 0;) order.push_back(d);
  Tensor turned = taper::detail::make_tensor(sizes, t.scalar_type(), t.device()).permute(order);
  turned.copy_(t);
  return turned.detach();
}

Tensor with_gaps(const Tensor& t) {
  if (t.dim() == 0) return t;
  Dims sizes(t.sizes());
  const int64_t last = sizes.size() - 1;
  sizes[last] = 2 * sizes[last] + 1;
  Tensor buffer = taper::detail::make_tensor(sizes, t.scalar_type(), t.device());
  if (t.is_floating_point())
    buffer.fill_(std::nan(""));
  else
    buffer.zero_();
  Tensor spread = buffer.slice(last, 1, nullopt, 2);
  spread.copy_(t);
  return spread.detach();
}

Tensor expanded(const Tensor& t) {
  if (t.dim() == 0 || t.size(0) < 1) return t;
  return t.narrow(0, 0, 1).clone().expand(t.sizes()).detach();
}

}  // namespace

std::vector<Tensor> laid_out(const FuzzCase& c, const std::vector<Tensor>& tensors) {
  const NoGradGuard no_grad;
  std::vector<Tensor> list;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const FuzzLayout l = c.layouts[i];
    list.push_back(l == FuzzLayout::kTransposed ? transposed(tensors[i])
                   : l == FuzzLayout::kGaps     ? with_gaps(tensors[i])
                   : l == FuzzLayout::kExpanded ? expanded(tensors[i])
                                                : tensors[i]);
  }
  return list;
}

// ---------------------------------------------------------------------- shrinking
namespace {

/// Returns sizes smaller than `size`, in increasing order.
std::vector<int64_t> smaller(int64_t size, int64_t least) {
  std::vector<int64_t> list;
  for (int64_t s : {least, int64_t{1}, int64_t{2}, size / 2, size - 1})
    if (s >= least && s < size && std::find(list.begin(), list.end(), s) == list.end())
      list.push_back(s);
  return list;
}

}  // namespace

std::vector<FuzzCase> simpler(const FuzzCase& c, const std::vector<FuzzInput>& inputs) {
  std::vector<FuzzCase> list;
  const auto add = [&](const auto& change) {
    list.push_back(c);
    change(list.back());
  };
  if (c.dtype != kDouble) add([](FuzzCase& n) { n.dtype = kDouble; });
  for (size_t d = 0; d < c.more.size(); ++d)
    add([&](FuzzCase& n) { n.more.erase(n.more.begin() + static_cast<std::ptrdiff_t>(d)); });
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (c.layouts[i] != FuzzLayout::kPlain)
      add([&](FuzzCase& n) { n.layouts[i] = FuzzLayout::kPlain; });
    if (c.broadcast[i] != 0) add([&](FuzzCase& n) { n.broadcast[i] = 0; });
  }
  for_each_word(inputs, [&](const std::string& w, const FuzzInput& input) {
    if (w == kMore) {
      for (size_t d = 0; d < c.more.size(); ++d)
        for (int64_t s : smaller(c.more[d], input.least)) add([&](FuzzCase& n) { n.more[d] = s; });
    } else {
      for (int64_t s : smaller(c.sizes.at(w), input.least))
        add([&](FuzzCase& n) { n.sizes[w] = s; });
    }
  });
  return list;
}

// ---------------------------------------------------------------------- texts
namespace {

constexpr char kLetters[] = {'p', 't', 'g', 'e'};
constexpr const char* kWords[] = {"", " transposed", " with gaps", " expanded"};
constexpr ScalarType kDtypes[] = {kDouble, kFloat, kHalf, kBFloat16, kLong,
                                  kInt,    kShort, kChar, kByte,     kBool};

std::string joined(const std::vector<int64_t>& sizes) {
  std::string text;
  for (int64_t s : sizes) text += (text.empty() ? "" : "x") + std::to_string(s);
  return text;
}

std::vector<int64_t> split(const std::string& text, char by) {
  std::vector<int64_t> list;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);) list.push_back(std::stoll(part));
  return list;
}

void parse_pair(FuzzCase& c, const std::string& key, const std::string& value) {
  if (key == "dtype") {
    for (ScalarType t : kDtypes)
      if (value == toString(t)) c.dtype = t;
  } else if (key == "layouts") {
    for (char letter : value)
      for (int l = 0; l < 4; ++l)
        if (letter == kLetters[l]) c.layouts.push_back(static_cast<FuzzLayout>(l));
  } else if (key == "broadcast") {
    for (int64_t b : split(value, ',')) c.broadcast.push_back(static_cast<uint64_t>(b));
  } else if (key == kMore) {
    c.more = split(value, 'x');
  } else if (key == "values") {
    c.values = std::stoull(value);
  } else {
    c.sizes[key] = std::stoll(value);
  }
}

}  // namespace

std::string case_text(const FuzzCase& c) {
  std::string text = concat("dtype=", c.dtype, " layouts=");
  for (FuzzLayout l : c.layouts) text += kLetters[static_cast<int>(l)];
  for (const auto& [name, size] : c.sizes) text += concat(" ", name, "=", size);
  if (!c.more.empty()) text += " ...=" + joined(c.more);
  if (std::any_of(c.broadcast.begin(), c.broadcast.end(), [](uint64_t b) { return b != 0; })) {
    text += " broadcast=";
    for (size_t i = 0; i < c.broadcast.size(); ++i) text += concat(i ? "," : "", c.broadcast[i]);
  }
  return text + concat(" values=", c.values);
}

FuzzCase parse_case(const std::string& text, const std::vector<FuzzInput>& inputs) {
  FuzzCase c;
  bool good = true;
  try {
    std::istringstream in(text);
    for (std::string word; in >> word;) {
      const size_t equals = word.find('=');
      good = good && equals != std::string::npos;
      if (good) parse_pair(c, word.substr(0, equals), word.substr(equals + 1));
    }
  } catch (const std::logic_error&) {  // thrown by std::stoll
    good = false;
  }
  if (c.broadcast.empty()) c.broadcast.assign(inputs.size(), 0);
  size_t names = 0;
  for_each_word(inputs, [&](const std::string& w, const FuzzInput&) {
    if (w != kMore) good = good && c.sizes.count(w) && ++names;
  });
  TAPER_CHECK_VALUE(good && names == c.sizes.size() && c.layouts.size() == inputs.size() &&
                        c.broadcast.size() == inputs.size(),
                    "fuzz: expected TAPER_FUZZ to be a case of these inputs, got '", text, "'");
  return c;
}

std::string describe_case(const FuzzCase& c, const std::vector<FuzzInput>& inputs) {
  std::string text;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ScalarType own = inputs[i].own_dtype;
    text +=
        concat(i ? "; " : "", "input ", i, " ", own == ScalarType::Undefined ? c.dtype : own, " ",
               IntArrayRef(sizes_of(c, inputs[i], i)), kWords[static_cast<int>(c.layouts[i])]);
  }
  return text;
}

}  // namespace impl
}  // namespace torch::taper::testing
