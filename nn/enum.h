// Named choices of options: kMean, kReLU, kFanIn, ... Each is a type of its own, so that an option
// can say which it accepts (a std::variant of them) and a wrong one does not compile.
#pragma once

#include <string>
#include <variant>

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

namespace taper {
namespace enumtype {

#define TAPER_DECLARE_ENUM(name)                   \
  struct k##name {                                 \
    static constexpr const char* text = "k" #name; \
  };
TAPER_FORALL_ENUMS(TAPER_DECLARE_ENUM)
#undef TAPER_DECLARE_ENUM

/// "kMean": the name of the choice that a variant holds.
template <class... Choices>
std::string get_enum_name(const std::variant<Choices...>& choice) {
  const char* const names[] = {Choices::text...};
  return names[choice.index()];
}

}  // namespace enumtype

#define TAPER_DECLARE_ENUM(name) inline constexpr enumtype::k##name k##name{};
TAPER_FORALL_ENUMS(TAPER_DECLARE_ENUM)
#undef TAPER_DECLARE_ENUM

}  // namespace taper
