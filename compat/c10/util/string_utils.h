// c10::to_string, also as c10::guts::to_string; see StringUtil.h.
#pragma once

#include <c10/util/StringUtil.h>
