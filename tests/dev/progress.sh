#!/usr/bin/env bash
# What cmake/progress.sh says during a build, and that a compiler's whole output is seen. A stand-in
# plays ninja.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tests/shell_checks.sh"
mkdir "$work/bin" && touch "$work/build.ninja"
cat >"$work/bin/ninja" <<'NINJA'
#!/bin/bash
step() { # step N DESCRIPTION
  [ "$NINJA_STATUS" = '@ ' ] && echo "@ $2" || echo "@$1/4 $2"
}
echo "ninja: Entering directory \`folder'"
step 0 "Re-checking globbed directories..."
step 1 "Building CXX object CMakeFiles/taper.dir/ops/a.cpp.o"
step 2 "Building CXX object CMakeFiles/taper.dir/ops/a_cpu.cpp.o"
if [ -e "$2/broken" ] && [ "$NINJA_STATUS" != '@ ' ]; then
  printf 'FAILED: ops/b.cpp.o\nc++ -c b.cpp\n'
  for ((i = 1; i <= 300; ++i)); do echo "b.cpp:$i:1: error: [100%] \\n \`quoted' and @1 more"; done
  echo "ninja: build stopped: subcommand failed."
  exit 3
fi
step 3 "Building CUDA object CMakeFiles/taper.dir/ops/b_cuda.cu.o"
step 4 "Linking CXX shared library lib/libtaper.so"
NINJA
chmod +x "$work/bin/ninja"
export PATH=$work/bin:$PATH
build() { # build STATUS: runs it, its output in $work/out
  bash "$root/cmake/progress.sh" "$work" -j 1 all >"$work/out" 2>&1
  local status=$?
  [ $status -eq "$1" ] || fail "exit code $status, not $1: $(cat "$work/out")"
}

TAPER_PROGRESS_SECONDS=0 build 0
says '^building Taper: 0 of 4 files \(0%\), about 10 s left$'  # a public function 1.5 s, a kernel 3.5, a GPU's 12, a link 1; one core
says '^building Taper: 3 of 4 files \(75%\), a few seconds left$'
says '^built 4 files in [0-9]+ s$'
! grep -q 'Re-checking' "$work/out" || fail "$(cat "$work/out")"
build 0
[ "$(grep -c '^building' "$work/out")" -eq 1 ] || fail "more than one line in a moment: $(cat "$work/out")"
touch "$work/broken"
build 3
[ "$(grep -c 'error: \[100%\] \\n `quoted. and @1 more$' "$work/out")" -eq 300 ] || fail "errors were lost"
says '^FAILED: ops/b.cpp.o$'
says '^c\+\+ -c b.cpp$'
finish
