#!/usr/bin/env bash
# Times torch::func of an installed Taper beside Python's torch.func, and prints both and Python's time divided by Taper's.
#   TAPER_PREFIX=PREFIX func.sh [ROUNDS]     default 3 rounds, the least of each counts
# PYTHON names an interpreter that has torch (default python3). THREADS is 1 by default.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
[ -n "${TAPER_PREFIX:-}" ] || { echo "func: set TAPER_PREFIX to an installed Taper" >&2; exit 1; }
rounds=${1:-3} python=${PYTHON:-python3} threads=${THREADS:-1}
"$python" -c 'import torch' 2>/dev/null || { echo "func: $python has no torch" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset OPENBLAS_CORETYPE
export OMP_NUM_THREADS=$threads
libs=$(dirname "$(find "$TAPER_PREFIX" -name libtaper.so | head -n 1)")
c++ -std=c++17 -O2 -DNDEBUG "$here/func.cpp" -I"$TAPER_PREFIX/include" -I"$TAPER_PREFIX/include/taper/compat" -L"$libs" \
  -Wl,-rpath,"$libs" -ltaper -o "$work/func"
for ((round = 1; round <= rounds; ++round)); do
  "$work/func" >>"$work/taper"
  "$python" "$here/func.py" "$threads" >>"$work/python" 2>/dev/null
done
awk -F'\t' '
  { key = ((FILENAME ~ /taper$/) ? "taper" : "python") SUBSEP $1
    if (!(key in us) || $2 * 1e6 < us[key]) us[key] = $2 * 1e6
    if (!($1 in seen)) { seen[$1] = 1; names[++n] = $1 } }
  END { printf "%-52s %10s %10s %8s\n", "", "Taper us", "Python us", "times"
        for (i = 1; i <= n; ++i) {
          t = us["taper", names[i]]; p = us["python", names[i]]
          printf "%-52s %10.1f %10s %8s\n", names[i], t, p ? sprintf("%.1f", p) : "-", p ? sprintf("%.2f", p / t) : "-" } }
' "$work/taper" "$work/python"
