// c10::SymIntArrayRef (<c10/core/SymInt.h>).
#pragma once

#include <c10/core/SymInt.h>
