// The schema's numbers of dtypes and memory formats. Not installed.
#pragma once

#include <cstdint>

#include <taper/framework/core/options.h>

namespace torch::taper::program {

struct DtypeNumber {
  ScalarType dtype;
  int64_t number;
};
inline constexpr DtypeNumber kDtypes[] = {{kByte, 1},
                                          {kChar, 2},
                                          {kShort, 3},
                                          {kInt, 4},
                                          {kLong, 5},
                                          {kHalf, 6},
                                          {kFloat, 7},
                                          {kDouble, 8},
                                          {kComplexHalf, 9},
                                          {kComplexFloat, 10},
                                          {kComplexDouble, 11},
                                          {kBool, 12},
                                          {kBFloat16, 13},
                                          {kUInt16, 28},
                                          {kFloat8_e4m3fn, 29},
                                          {kFloat8_e5m2, 30},
                                          {kFloat8_e4m3fnuz, 31},
                                          {kFloat8_e5m2fnuz, 32}};

/// In the order of their numbers, from 1.
inline constexpr MemoryFormat kMemoryFormats[] = {
    MemoryFormat::Contiguous, MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d,
    MemoryFormat::Preserve};

}  // namespace torch::taper::program
