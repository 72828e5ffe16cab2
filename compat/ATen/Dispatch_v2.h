// AT_DISPATCH_V2(dtype, "op", AT_WRAP([&] { ... scalar_t ... }), AT_EXPAND(AT_FLOATING_TYPES),
// kHalf): like AT_DISPATCH_..., for the dtypes in the arguments. These are lists of dtypes and
// single dtypes, at most 24 in total.
#pragma once

#include <ATen/Dispatch.h>
#include <taper/framework/core/float8.h>

#define AT_WRAP(...) __VA_ARGS__
#define AT_EXPAND(list) list
#define AT_FLOATING_TYPES ::taper::kDouble, ::taper::kFloat
#define AT_REDUCED_FLOATING_TYPES ::taper::kHalf, ::taper::kBFloat16
#define AT_INTEGRAL_TYPES \
  ::taper::kByte, ::taper::kChar, ::taper::kInt, ::taper::kLong, ::taper::kShort
#define AT_BAREBONES_UNSIGNED_TYPES ::taper::kUInt16, ::taper::kUInt32, ::taper::kUInt64
#define AT_INTEGRAL_TYPES_V2 AT_INTEGRAL_TYPES, AT_BAREBONES_UNSIGNED_TYPES
#define AT_FLOAT8_TYPES                                                      \
  ::taper::kFloat8_e5m2, ::taper::kFloat8_e5m2fnuz, ::taper::kFloat8_e4m3fn, \
      ::taper::kFloat8_e4m3fnuz, ::taper::kFloat8_e8m0fnu
#define AT_COMPLEX_TYPES ::taper::kComplexDouble, ::taper::kComplexFloat
#define AT_ALL_TYPES AT_INTEGRAL_TYPES, AT_FLOATING_TYPES
#define AT_ALL_TYPES_AND_COMPLEX AT_ALL_TYPES, AT_COMPLEX_TYPES

#define AT_DISPATCH_V2(TYPE, NAME, BODY, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_PRIVATE_V2((BODY), __VA_ARGS__))

// The macros below make one case for each dtype. The number of arguments selects the macro.
#define AT_PRIVATE_UNWRAP(...) __VA_ARGS__
#define AT_PRIVATE_V2(BODY, ...)                                                                  \
  AT_PRIVATE_V2_OF(__VA_ARGS__, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, \
                   7, 6, 5, 4, 3, 2, 1, 0)                                                        \
  (BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_OF(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, \
                         _17, _18, _19, _20, _21, _22, _23, _24, N, ...)                        \
  AT_PRIVATE_V2_##N
#define AT_PRIVATE_V2_1(BODY, T) AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY)
#define AT_PRIVATE_V2_2(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_1(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_3(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_2(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_4(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_3(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_5(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_4(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_6(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_5(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_7(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_6(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_8(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_7(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_9(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_8(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_10(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_9(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_11(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_10(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_12(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_11(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_13(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_12(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_14(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_13(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_15(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_14(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_16(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_15(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_17(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_16(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_18(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_17(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_19(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_18(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_20(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_19(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_21(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_20(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_22(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_21(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_23(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_22(BODY, __VA_ARGS__)
#define AT_PRIVATE_V2_24(BODY, T, ...) \
  AT_DISPATCH_CASE(T, AT_PRIVATE_UNWRAP BODY) AT_PRIVATE_V2_23(BODY, __VA_ARGS__)
