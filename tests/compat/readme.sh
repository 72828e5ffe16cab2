#!/usr/bin/env bash
# The README's program compiles as it stands, runs, and prints what the README says it prints.
#   readme.sh WORK_DIR FLAGS...       FLAGS: how to compile and link against Taper
set -euo pipefail
readme=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)/README.md
work=$1
shift
mkdir -p "$work"
cd -- "$work"
awk '/^```cpp/ {on = 1; next} /^```/ {on = 0} on' "$readme" >program.cpp
awk '/^```cpp/ {seen = 1} seen && /^```console/ {on = 1; next} /^```/ {on = 0} on' "$readme" >expected.txt
${CXX:-c++} -std=c++17 -Wall -Wextra -Werror program.cpp -o program "$@"
./program | diff expected.txt -
