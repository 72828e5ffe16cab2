// Named values of options: kMean, kReLU, kFanIn, ... Each name has a separate type. The type of an
// option is a Choice of the names that it accepts, so a wrong name does not compile.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <taper/framework/core/check.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace enumtype {

// clang-format off
/// The type of kLinear.
struct kLinear { static constexpr const char* text = "kLinear"; /**< its name */ };
/// The type of kConv1D.
struct kConv1D { static constexpr const char* text = "kConv1D"; /**< its name */ };
/// The type of kConv2D.
struct kConv2D { static constexpr const char* text = "kConv2D"; /**< its name */ };
/// The type of kConv3D.
struct kConv3D { static constexpr const char* text = "kConv3D"; /**< its name */ };
/// The type of kConvTranspose1D.
struct kConvTranspose1D { static constexpr const char* text = "kConvTranspose1D"; /**< name */ };
/// The type of kConvTranspose2D.
struct kConvTranspose2D { static constexpr const char* text = "kConvTranspose2D"; /**< name */ };
/// The type of kConvTranspose3D.
struct kConvTranspose3D { static constexpr const char* text = "kConvTranspose3D"; /**< name */ };
/// The type of kSigmoid.
struct kSigmoid { static constexpr const char* text = "kSigmoid"; /**< its name */ };
/// The type of kTanh.
struct kTanh { static constexpr const char* text = "kTanh"; /**< its name */ };
/// The type of kReLU.
struct kReLU { static constexpr const char* text = "kReLU"; /**< its name */ };
/// The type of kGELU.
struct kGELU { static constexpr const char* text = "kGELU"; /**< its name */ };
/// The type of kSiLU.
struct kSiLU { static constexpr const char* text = "kSiLU"; /**< its name */ };
/// The type of kMish.
struct kMish { static constexpr const char* text = "kMish"; /**< its name */ };
/// The type of kLeakyReLU.
struct kLeakyReLU { static constexpr const char* text = "kLeakyReLU"; /**< its name */ };
/// The type of kFanIn.
struct kFanIn { static constexpr const char* text = "kFanIn"; /**< its name */ };
/// The type of kFanOut.
struct kFanOut { static constexpr const char* text = "kFanOut"; /**< its name */ };
/// The type of kConstant.
struct kConstant { static constexpr const char* text = "kConstant"; /**< its name */ };
/// The type of kReflect.
struct kReflect { static constexpr const char* text = "kReflect"; /**< its name */ };
/// The type of kReplicate.
struct kReplicate { static constexpr const char* text = "kReplicate"; /**< its name */ };
/// The type of kCircular.
struct kCircular { static constexpr const char* text = "kCircular"; /**< its name */ };
/// The type of kNearest.
struct kNearest { static constexpr const char* text = "kNearest"; /**< its name */ };
/// The type of kBilinear.
struct kBilinear { static constexpr const char* text = "kBilinear"; /**< its name */ };
/// The type of kBicubic.
struct kBicubic { static constexpr const char* text = "kBicubic"; /**< its name */ };
/// The type of kTrilinear.
struct kTrilinear { static constexpr const char* text = "kTrilinear"; /**< its name */ };
/// The type of kArea.
struct kArea { static constexpr const char* text = "kArea"; /**< its name */ };
/// The type of kNearestExact.
struct kNearestExact { static constexpr const char* text = "kNearestExact"; /**< its name */ };
/// The type of kSum.
struct kSum { static constexpr const char* text = "kSum"; /**< its name */ };
/// The type of kMean.
struct kMean { static constexpr const char* text = "kMean"; /**< its name */ };
/// The type of kMax.
struct kMax { static constexpr const char* text = "kMax"; /**< its name */ };
/// The type of kNone.
struct kNone { static constexpr const char* text = "kNone"; /**< its name */ };
/// The type of kBatchMean.
struct kBatchMean { static constexpr const char* text = "kBatchMean"; /**< its name */ };
/// The type of kZeros.
struct kZeros { static constexpr const char* text = "kZeros"; /**< its name */ };
/// The type of kBorder.
struct kBorder { static constexpr const char* text = "kBorder"; /**< its name */ };
/// The type of kReflection.
struct kReflection { static constexpr const char* text = "kReflection"; /**< its name */ };
/// The type of kRNN_TANH.
struct kRNN_TANH { static constexpr const char* text = "kRNN_TANH"; /**< its name */ };
/// The type of kRNN_RELU.
struct kRNN_RELU { static constexpr const char* text = "kRNN_RELU"; /**< its name */ };
/// The type of kLSTM.
struct kLSTM { static constexpr const char* text = "kLSTM"; /**< its name */ };
/// The type of kGRU.
struct kGRU { static constexpr const char* text = "kGRU"; /**< its name */ };
/// The type of kValid.
struct kValid { static constexpr const char* text = "kValid"; /**< its name */ };
/// The type of kSame.
struct kSame { static constexpr const char* text = "kSame"; /**< its name */ };
// clang-format on

/// A constant of the type Name, for example instance<kReLU>.
template <class Name>
inline constexpr Name instance{};

}  // namespace enumtype

namespace detail {
/// Returns the index of Name among Names, or -1.
template <class Name, class... Names>
constexpr int8_t position_among() noexcept {
  int8_t i = 0;
  return ((std::is_same_v<Name, Names> || (++i, false)) || ...) ? i : int8_t{-1};
}
}  // namespace detail

/// Holds one of several names, by default the first. Use it like a std::variant (get_if,
/// holds_alternative, visit, index). A std::variant would take ten times as long to compile.
template <class... Names>
class Choice {
 public:
  constexpr Choice() = default;
  /// Holds one of the names. Other names do not compile.
  template <class Name, class = std::enable_if_t<(std::is_same_v<Name, Names> || ...)>>
  constexpr Choice(Name) noexcept : index_(detail::position_among<Name, Names...>()) {}
  /// Converts from a Choice of some of these names.
  template <class... Some,
            class = std::enable_if_t<((detail::position_among<Some, Names...>() >= 0) && ...)>>
  constexpr Choice(Choice<Some...> other) noexcept {
    constexpr int8_t positions[] = {detail::position_among<Some, Names...>()...};
    index_ = positions[other.index()];
  }

  /// Returns the index of the held name among Names.
  constexpr size_t index() const noexcept { return static_cast<size_t>(index_); }
  /// Compare the held names.
  ///@{
  friend constexpr bool operator==(Choice a, Choice b) noexcept { return a.index_ == b.index_; }
  friend constexpr bool operator!=(Choice a, Choice b) noexcept { return a.index_ != b.index_; }
  ///@}

 private:
  int8_t index_ = 0;
};

/// Returns whether `choice` holds `Name`, which must be one of its possible names.
template <class Name, class... Names>
constexpr bool holds_alternative(const Choice<Names...>& choice) noexcept {
  constexpr int8_t position = detail::position_among<Name, Names...>();
  static_assert(position >= 0, "this choice does not have that name");
  return choice.index() == static_cast<size_t>(position);
}

/// Returns a pointer to a constant of `Name` if `choice` holds `Name`, and otherwise null.
template <class Name, class... Names>
constexpr const Name* get_if(const Choice<Names...>* choice) noexcept {
  return choice && holds_alternative<Name>(*choice) ? &enumtype::instance<Name> : nullptr;
}

/// Calls `function` with the held name, an object of its type, and returns the result.
template <class Function, class... Names>
decltype(auto) visit(Function&& function, const Choice<Names...>& choice) {
  using Result = std::common_type_t<decltype(function(Names()))...>;
  constexpr Result (*calls[])(Function&) = {[](Function& f) -> Result { return f(Names()); }...};
  return calls[choice.index()](function);
}

namespace enumtype {

/// Returns the held name as text, such as "kMean".
template <class... Names>
std::string get_enum_name(Choice<Names...> choice) {
  const char* const names[] = {Names::text...};
  return names[choice.index()];
}

}  // namespace enumtype

inline constexpr enumtype::kLinear kLinear{};  ///< for init::calculate_gain: no nonlinearity
inline constexpr enumtype::kConv1D kConv1D{};  ///< for init::calculate_gain: like kLinear
inline constexpr enumtype::kConv2D kConv2D{};  ///< for init::calculate_gain: like kLinear
inline constexpr enumtype::kConv3D kConv3D{};  ///< for init::calculate_gain: like kLinear
inline constexpr enumtype::kConvTranspose1D kConvTranspose1D{};  ///< like kLinear
inline constexpr enumtype::kConvTranspose2D kConvTranspose2D{};  ///< like kLinear
inline constexpr enumtype::kConvTranspose3D kConvTranspose3D{};  ///< like kLinear
inline constexpr enumtype::kSigmoid kSigmoid{};                  ///< an activation: sigmoid
inline constexpr enumtype::kTanh kTanh{};                        ///< an activation: tanh
inline constexpr enumtype::kReLU kReLU{};                        ///< an activation: relu
inline constexpr enumtype::kGELU kGELU{};                        ///< an activation: gelu
inline constexpr enumtype::kSiLU kSiLU{};                        ///< an activation: silu
inline constexpr enumtype::kMish kMish{};                        ///< an activation: mish
inline constexpr enumtype::kLeakyReLU kLeakyReLU{};              ///< an activation: leaky_relu
inline constexpr enumtype::kFanIn kFanIn{};          ///< for init: keeps the variance of outputs
inline constexpr enumtype::kFanOut kFanOut{};        ///< for init: keeps the variance of gradients
inline constexpr enumtype::kConstant kConstant{};    ///< a padding: a constant
inline constexpr enumtype::kReflect kReflect{};      ///< a padding: mirrors the input
inline constexpr enumtype::kReplicate kReplicate{};  ///< a padding: repeats the border
inline constexpr enumtype::kCircular kCircular{};    ///< a padding: copies from the other end
inline constexpr enumtype::kNearest kNearest{};      ///< for interpolate: the nearest pixel
inline constexpr enumtype::kBilinear kBilinear{};    ///< for interpolate: linear in two dimensions
inline constexpr enumtype::kBicubic kBicubic{};      ///< for interpolate: cubic
/// for interpolate: linear in three dimensions
inline constexpr enumtype::kTrilinear kTrilinear{};
inline constexpr enumtype::kArea kArea{};  ///< for interpolate: the mean over an area
/// for interpolate: the nearest pixel, like Pillow
inline constexpr enumtype::kNearestExact kNearestExact{};
inline constexpr enumtype::kSum kSum{};    ///< a reduction: the sum
inline constexpr enumtype::kMean kMean{};  ///< a reduction: the mean
inline constexpr enumtype::kMax kMax{};    ///< a reduction: the maximum
inline constexpr enumtype::kNone kNone{};  ///< a reduction: none
/// for kl_div: the sum divided by the batch size
inline constexpr enumtype::kBatchMean kBatchMean{};
inline constexpr enumtype::kZeros kZeros{};            ///< for grid_sample: zeros beyond the edge
inline constexpr enumtype::kBorder kBorder{};          ///< for grid_sample: the border pixels
inline constexpr enumtype::kReflection kReflection{};  ///< for grid_sample: the mirrored image
inline constexpr enumtype::kRNN_TANH kRNN_TANH{};      ///< a recurrent layer
inline constexpr enumtype::kRNN_RELU kRNN_RELU{};      ///< a recurrent layer
inline constexpr enumtype::kLSTM kLSTM{};              ///< a recurrent layer
inline constexpr enumtype::kGRU kGRU{};                ///< a recurrent layer
inline constexpr enumtype::kValid kValid{};            ///< a padding: none
inline constexpr enumtype::kSame kSame{};              ///< a padding: keeps the sizes

}  // namespace torch::taper

#pragma GCC visibility pop
