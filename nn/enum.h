// Named choices of options: kMean, kReLU, kFanIn, ... Each is a type of its own, so that an option
// can say which it accepts (a Choice of them) and a wrong one does not compile.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <taper/framework/check.h>

#pragma GCC visibility push(default)

namespace taper {
namespace enumtype {

// clang-format off
struct kLinear { static constexpr const char* text = "kLinear"; };
struct kConv1D { static constexpr const char* text = "kConv1D"; };
struct kConv2D { static constexpr const char* text = "kConv2D"; };
struct kConv3D { static constexpr const char* text = "kConv3D"; };
struct kConvTranspose1D { static constexpr const char* text = "kConvTranspose1D"; };
struct kConvTranspose2D { static constexpr const char* text = "kConvTranspose2D"; };
struct kConvTranspose3D { static constexpr const char* text = "kConvTranspose3D"; };
struct kSigmoid { static constexpr const char* text = "kSigmoid"; };
struct kTanh { static constexpr const char* text = "kTanh"; };
struct kReLU { static constexpr const char* text = "kReLU"; };
struct kGELU { static constexpr const char* text = "kGELU"; };
struct kSiLU { static constexpr const char* text = "kSiLU"; };
struct kMish { static constexpr const char* text = "kMish"; };
struct kLeakyReLU { static constexpr const char* text = "kLeakyReLU"; };
struct kFanIn { static constexpr const char* text = "kFanIn"; };
struct kFanOut { static constexpr const char* text = "kFanOut"; };
struct kConstant { static constexpr const char* text = "kConstant"; };
struct kReflect { static constexpr const char* text = "kReflect"; };
struct kReplicate { static constexpr const char* text = "kReplicate"; };
struct kCircular { static constexpr const char* text = "kCircular"; };
struct kNearest { static constexpr const char* text = "kNearest"; };
struct kBilinear { static constexpr const char* text = "kBilinear"; };
struct kBicubic { static constexpr const char* text = "kBicubic"; };
struct kTrilinear { static constexpr const char* text = "kTrilinear"; };
struct kArea { static constexpr const char* text = "kArea"; };
struct kNearestExact { static constexpr const char* text = "kNearestExact"; };
struct kSum { static constexpr const char* text = "kSum"; };
struct kMean { static constexpr const char* text = "kMean"; };
struct kMax { static constexpr const char* text = "kMax"; };
struct kNone { static constexpr const char* text = "kNone"; };
struct kBatchMean { static constexpr const char* text = "kBatchMean"; };
struct kZeros { static constexpr const char* text = "kZeros"; };
struct kBorder { static constexpr const char* text = "kBorder"; };
struct kReflection { static constexpr const char* text = "kReflection"; };
struct kRNN_TANH { static constexpr const char* text = "kRNN_TANH"; };
struct kRNN_RELU { static constexpr const char* text = "kRNN_RELU"; };
struct kLSTM { static constexpr const char* text = "kLSTM"; };
struct kGRU { static constexpr const char* text = "kGRU"; };
struct kValid { static constexpr const char* text = "kValid"; };
struct kSame { static constexpr const char* text = "kSame"; };
// clang-format on

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

inline constexpr enumtype::kLinear kLinear{};
inline constexpr enumtype::kConv1D kConv1D{};
inline constexpr enumtype::kConv2D kConv2D{};
inline constexpr enumtype::kConv3D kConv3D{};
inline constexpr enumtype::kConvTranspose1D kConvTranspose1D{};
inline constexpr enumtype::kConvTranspose2D kConvTranspose2D{};
inline constexpr enumtype::kConvTranspose3D kConvTranspose3D{};
inline constexpr enumtype::kSigmoid kSigmoid{};
inline constexpr enumtype::kTanh kTanh{};
inline constexpr enumtype::kReLU kReLU{};
inline constexpr enumtype::kGELU kGELU{};
inline constexpr enumtype::kSiLU kSiLU{};
inline constexpr enumtype::kMish kMish{};
inline constexpr enumtype::kLeakyReLU kLeakyReLU{};
inline constexpr enumtype::kFanIn kFanIn{};
inline constexpr enumtype::kFanOut kFanOut{};
inline constexpr enumtype::kConstant kConstant{};
inline constexpr enumtype::kReflect kReflect{};
inline constexpr enumtype::kReplicate kReplicate{};
inline constexpr enumtype::kCircular kCircular{};
inline constexpr enumtype::kNearest kNearest{};
inline constexpr enumtype::kBilinear kBilinear{};
inline constexpr enumtype::kBicubic kBicubic{};
inline constexpr enumtype::kTrilinear kTrilinear{};
inline constexpr enumtype::kArea kArea{};
inline constexpr enumtype::kNearestExact kNearestExact{};
inline constexpr enumtype::kSum kSum{};
inline constexpr enumtype::kMean kMean{};
inline constexpr enumtype::kMax kMax{};
inline constexpr enumtype::kNone kNone{};
inline constexpr enumtype::kBatchMean kBatchMean{};
inline constexpr enumtype::kZeros kZeros{};
inline constexpr enumtype::kBorder kBorder{};
inline constexpr enumtype::kReflection kReflection{};
inline constexpr enumtype::kRNN_TANH kRNN_TANH{};
inline constexpr enumtype::kRNN_RELU kRNN_RELU{};
inline constexpr enumtype::kLSTM kLSTM{};
inline constexpr enumtype::kGRU kGRU{};
inline constexpr enumtype::kValid kValid{};
inline constexpr enumtype::kSame kSame{};

}  // namespace taper

#pragma GCC visibility pop
