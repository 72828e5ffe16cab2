// Named choices of options: kMean, kReLU, kFanIn, ... Each is a type of its own, so that an option
// can say which it accepts (a Choice of them) and a wrong one does not compile.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <taper/framework/check.h>

// clang-format off
#define TAPER_FORALL_ENUMS(X)                                                              \
  X(Linear) X(Conv1D) X(Conv2D) X(Conv3D) X(ConvTranspose1D) X(ConvTranspose2D)            \
  X(ConvTranspose3D) X(Sigmoid) X(Tanh) X(ReLU) X(GELU) X(SiLU) X(Mish) X(LeakyReLU)       \
  X(FanIn) X(FanOut) X(Constant) X(Reflect) X(Replicate) X(Circular) X(Nearest)            \
  X(Bilinear) X(Bicubic) X(Trilinear) X(Area) X(NearestExact) X(Sum) X(Mean) X(Max)        \
  X(None) X(BatchMean) X(Zeros) X(Border) X(Reflection) X(RNN_TANH) X(RNN_RELU) X(LSTM)    \
  X(GRU) X(Valid) X(Same)
// clang-format on

#pragma GCC visibility push(default)

namespace taper {
namespace enumtype {

#define TAPER_DECLARE_ENUM(name)                   \
  struct k##name {                                 \
    static constexpr const char* text = "k" #name; \
  };
TAPER_FORALL_ENUMS(TAPER_DECLARE_ENUM)
#undef TAPER_DECLARE_ENUM

template <class Name>
inline constexpr Name instance{};

}  // namespace enumtype

namespace detail {
/// Where Name is among Names; -1 when it is not.
template <class Name, class... Names>
constexpr int8_t position_among() noexcept {
  int8_t i = 0;
  return ((std::is_same_v<Name, Names> || (++i, false)) || ...) ? i : int8_t{-1};
}
}  // namespace detail

/// One of several named choices; the first unless another is given. It is used like a std::variant
/// of them (get_if, holds_alternative, visit, index), which would cost compilers ten times as much.
template <class... Names>
class Choice {
 public:
  constexpr Choice() = default;
  template <class Name, class = std::enable_if_t<(std::is_same_v<Name, Names> || ...)>>
  constexpr Choice(Name) noexcept : index_(detail::position_among<Name, Names...>()) {}
  /// From a choice among some of these names.
  template <class... Some,
            class = std::enable_if_t<((detail::position_among<Some, Names...>() >= 0) && ...)>>
  constexpr Choice(Choice<Some...> other) noexcept {
    constexpr int8_t positions[] = {detail::position_among<Some, Names...>()...};
    index_ = positions[other.index()];
  }

  /// The place of the choice among the names.
  constexpr size_t index() const noexcept { return static_cast<size_t>(index_); }
  friend constexpr bool operator==(Choice a, Choice b) noexcept { return a.index_ == b.index_; }
  friend constexpr bool operator!=(Choice a, Choice b) noexcept { return a.index_ != b.index_; }

 private:
  int8_t index_ = 0;
};

template <class Name, class... Names>
constexpr bool holds_alternative(const Choice<Names...>& choice) noexcept {
  constexpr int8_t position = detail::position_among<Name, Names...>();
  static_assert(position >= 0, "this choice does not have that name");
  return choice.index() == static_cast<size_t>(position);
}

/// Null unless the choice is `Name`.
template <class Name, class... Names>
constexpr const Name* get_if(const Choice<Names...>* choice) noexcept {
  return choice && holds_alternative<Name>(*choice) ? &enumtype::instance<Name> : nullptr;
}

/// Calls `function` with the choice as its own type.
template <class Function, class... Names>
decltype(auto) visit(Function&& function, const Choice<Names...>& choice) {
  using Result = std::common_type_t<decltype(function(Names()))...>;
  constexpr Result (*calls[])(Function&) = {[](Function& f) -> Result { return f(Names()); }...};
  return calls[choice.index()](function);
}

namespace enumtype {

/// "kMean": the name of what was chosen.
template <class... Names>
std::string get_enum_name(Choice<Names...> choice) {
  const char* const names[] = {Names::text...};
  return names[choice.index()];
}

}  // namespace enumtype

#define TAPER_DECLARE_ENUM(name) inline constexpr enumtype::k##name k##name{};
TAPER_FORALL_ENUMS(TAPER_DECLARE_ENUM)
#undef TAPER_DECLARE_ENUM

}  // namespace taper

#pragma GCC visibility pop
