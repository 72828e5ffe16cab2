#!/usr/bin/env bash
# Times gradcheck of an installed Taper beside Python's, and prints both and their ratio.
#   TAPER_PREFIX=PREFIX gradcheck.sh [ROUNDS]     default 3 rounds, the least of each counts
# PYTHON names an interpreter that has torch (default /usr/bin/python3, Debian's python3-torch).
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
[ -n "${TAPER_PREFIX:-}" ] || { echo "gradcheck: set TAPER_PREFIX to an installed Taper" >&2; exit 1; }
rounds=${1:-3} python=${PYTHON:-/usr/bin/python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1
libs=$(dirname "$(find "$TAPER_PREFIX" -name libtaper.so | head -n 1)")
c++ -std=c++17 -O2 -DNDEBUG "$here/gradcheck.cpp" -I"$TAPER_PREFIX/include" -L"$libs" \
  -Wl,-rpath,"$libs" -ltaper_testing -ltaper -o "$work/gradcheck"
has_torch=no
"$python" -c 'import torch' 2>/dev/null && has_torch=yes || echo "gradcheck: $python has no torch; no ratios" >&2
for ((round = 1; round <= rounds; ++round)); do
  "$work/gradcheck" >>"$work/taper"
  [ $has_torch = no ] || "$python" "$here/gradcheck.py" >>"$work/python"
done
touch "$work/python"
awk -F'\t' '
  { least = (FILENAME ~ /taper$/) ? "taper" : "python"; key = least SUBSEP $1
    if (!(key in ms) || $2 < ms[key]) ms[key] = $2
    if (!($1 in seen)) { seen[$1] = 1; names[++n] = $1 } }
  END { printf "%-22s %12s %12s %8s\n", "", "Taper ms", "Python ms", "ratio"
        for (i = 1; i <= n; ++i) {
          t = ms["taper", names[i]]; p = ms["python", names[i]]
          printf "%-22s %12.3f %12s %8s\n", names[i], t, p ? sprintf("%.3f", p) : "-", p ? sprintf("%.3f", t / p) : "-" }
        printf "fast / slow at 4096 inputs: %.4f\n", ms["taper", "gradcheck 4096 fast"] / ms["taper", "gradcheck 4096 slow"] }
' "$work/taper" "$work/python"
