#!/usr/bin/env bash
# Counts the instructions of benchmark rows with two installed Tapers, and prints the ratios:
#   instructions.sh BEFORE AFTER PROGRAM.cpp
# BEFORE and AFTER are prefixes; PROGRAM is overhead.cpp or kernels.cpp of this folder. Where a row got worse, the functions whose share grew most follow. A count is the same however busy the
# machine is, and shows one per cent; it says nothing of memory and caches. Needs Debian's valgrind, which
# knows AVX2 and not AVX-512.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
usage="usage: instructions.sh BEFORE AFTER PROGRAM.cpp"
[ $# -eq 3 ] || { echo "$usage" >&2; exit 2; }
before=$1 after=$2 program=$3
command -v valgrind >/dev/null || { echo "instructions: valgrind is missing (Debian: valgrind)" >&2; exit 1; }
[ -f "$program" ] || { echo "instructions: there is no file $program" >&2; exit 1; }
for prefix in "$before" "$after"; do
  [ -d "$prefix/include/taper" ] || { echo "instructions: no Taper is installed in $prefix" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A header next to the source would come first.
cp "$program" "$work/program.cpp"
cp "$here/counted/counted.h" "$work/measure.h"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 TAPER_CPU_ISA=avx2 OPENBLAS_CORETYPE=Haswell

count() { # count NAME PREFIX
  local name=$1 prefix=$2 library
  library=$(find "$prefix" -name 'libtaper.so' | head -n 1)
  mkdir "$work/$name"
  "${CXX:-c++}" -std=c++20 -O2 -w -I"$work" -I"$prefix/include" -I"$prefix/include/taper/compat" \
    "$work/program.cpp" -o "$work/$name/program" "$library" -Wl,-rpath,"$(dirname "$library")"
  (cd "$work/$name" && valgrind --tool=callgrind --callgrind-out-file=counts ./program >out 2>&1) ||
    { tail -n 20 "$work/$name/out" >&2; return 1; }
}
count before "$before" &
other=$!
count after "$after"
wait $other
python3 "$here/counted/compare.py" "$work/before" "$work/after"
