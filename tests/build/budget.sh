#!/usr/bin/env bash
# budget.sh BUILD LIBRARY: what makes a build or a program's start slow is counted, not timed: sources,
# precompiled headers, exported symbols. Fails above a limit; who needs more says in
# docs/contributing/performance.md what it bought. (suites.sh counts the entries of ctest.)
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
build=${1:?usage: budget.sh BUILD LIBRARY}
library=${2:?the shared library}
failed=0

# within NAME COUNT LIMIT
within() {
  printf '%-44s %6d of at most %6d\n' "$@"
  [ "$2" -le "$3" ] || { echo "budget: too many: $1"; failed=1; }
}
# Sources that are compiled together (cmake/groups.cmake) count as if they were not.
groups=$(sed -n 's|^ *"file": "\(.*/groups/[^/]*/[^/]*\.cpp\)".*|\1|p' "$build/compile_commands.json")
members=$([ -z "$groups" ] || xargs cat <<<"$groups" | grep -c '\.cpp[">]$')
commands=$(($(grep -c '"file": ' "$build/compile_commands.json") + ${members:-0} - $(grep -c . <<<"$groups" || true)))
# (block_tests compiles the CUDA kernels a second time.)
library_sources=$(awk -v floors="\"file\": \"$root/(framework|ops|nn|optim|data|func)/" '
  /"command": / {again = /block_tests\.dir/}
  $0 ~ floors && !again {++n}
  END {print n + 0}' "$build/compile_commands.json")
ours=$(grep '"command": ' "$build/compile_commands.json" | grep -E -- '-o CMakeFiles/taper(_loops|_testing)?\.dir/')
without=$(grep -v cmake_pch <<<"$ours" | grep -cE '\.cpp\.o' || true)
# GCC compiles a source with the optimiser's options of the precompiled header, in silence.
sets=$(grep cmake_pch <<<"$ours" | grep -v '/gpu/' | awk '{
  o = ""
  for (i = 1; i <= NF; ++i) {
    if ($i ~ /^-(O|f|m)/) o = o " " $i
    if ($i ~ /cmake_pch.hxx$/) header = $i
  }
  print header, o}' | sort -u | awk '{++n[$1]} END {for (h in n) if (n[h] > m) m = n[h]; print m}')
exported=$(nm -D --defined-only "$library" | awk '{print $NF}')
foreign=$(grep -cvE '^_(ZN[KRO]*5torch5taper|ZNKSt4hashIN5torch5taper|ZZN[KRO]*5torch5taper|ZT[A-Za-z]*[0-9_hvnK]*NK?5torch5taper|ZGV)' <<<"$exported" || true)
# (Three of them, two of the library, are chains in captured steps of GPUs: one finder for all devices, kernels by
# NVRTC, their tests. One more: tests of functions of transposed operands. One more: the example of GradBench.)
within "commands that compile" "$commands" 763
within "of these sources of the library" "$library_sources" 332
within "sources without the precompiled header" "$without" 0
within "sets of options with one of these headers" "$sets" 1
within "exported symbols" "$(wc -l <<<"$exported")" 7052
within "of these not of namespace torch::taper" "$foreign" 0
exit $failed
