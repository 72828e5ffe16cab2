// c10::guts::to_string; see StringUtil.h.
#pragma once

#include <c10/util/StringUtil.h>
