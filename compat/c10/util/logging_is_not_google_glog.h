// LOG, VLOG, CHECK and the like.
#pragma once

#include <c10/util/Logging.h>
