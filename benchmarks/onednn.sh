#!/usr/bin/env bash
# Times products and convolutions of bf16 of an installed Taper beside oneDNN called directly, on one
# thread, and prints both and their ratio.
#   TAPER_PREFIX=PREFIX onednn.sh [ROUNDS]     default 2 rounds, the least of each counts
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
[ -n "${TAPER_PREFIX:-}" ] || { echo "onednn: set TAPER_PREFIX to an installed Taper" >&2; exit 1; }
rounds=${1:-2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1
libs=$(dirname "$(find "$TAPER_PREFIX" -name libtaper.so | head -n 1)")
c++ -std=c++17 -O2 -DNDEBUG "$here/onednn.cpp" -I"$TAPER_PREFIX/include" -I"$TAPER_PREFIX/include/taper/compat" \
  -L"$libs" -Wl,-rpath,"$libs" -ltaper -ldnnl -o "$work/onednn"
for ((round = 1; round <= rounds; ++round)); do "$work/onednn"; done >"$work/rows"
awk -F'\t' '
  { if (!($1 in ours)) { names[++n] = $1; ours[$1] = $2; theirs[$1] = $3 }
    if ($2 < ours[$1]) ours[$1] = $2
    if ($3 < theirs[$1]) theirs[$1] = $3 }
  END { for (i = 1; i <= n; ++i)
          printf "%-50s %10.4f ms %10.4f ms %8.2f\n", names[i], 1e3 * ours[names[i]], 1e3 * theirs[names[i]],
            theirs[names[i]] / ours[names[i]] }
' "$work/rows"
