#!/usr/bin/env bash
# The C++ of docs/devices.md compiles as it stands, and runs on four simulated devices.
#   guide.sh WORK_DIR FLAGS...       FLAGS: how to compile and link against Taper
# Each piece becomes a function; tests/compat/guide.h has the names that the guide takes for granted.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$1
shift
mkdir -p "$work"
cd -- "$work"
awk -v header="$here/guide.h" '
  BEGIN { print "#include \"" header "\"" }
  /^```cpp/ { on = 1; ++n; early[n] = 0; printf "#line %d \"docs/devices.md\"\nvoid piece_%d() {\n", NR + 1, n; next }
  /^```/ { if (on) print "}"; on = 0 }
  on { print; if (/simulate_devices|setenv/) early[n] = 1 }
  END {
    # What must come before the first use of a device does.
    print "int main() {"
    for (i = 1; i <= n; ++i) if (early[i]) print "  run(\"" i "\", piece_" i ");"
    print "  set_up();"
    for (i = 1; i <= n; ++i) if (!early[i]) print "  run(\"" i "\", piece_" i ");"
    print "  std::printf(\"%d pieces\\n\", " n ");\n}"
  }' "$here/../../docs/devices.md" >program.cpp
${CXX:-c++} -std=c++17 -O0 -Wall -Wextra -Werror -Wno-unused-variable program.cpp -o program "$@"
TAPER_SIMULATED_CUDA_DEVICES=4 ./program
