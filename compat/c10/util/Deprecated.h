// C10_DEPRECATED.
#pragma once

#include <c10/macros/Macros.h>
