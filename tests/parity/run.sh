#!/usr/bin/env bash
# Compares LibTorch and Taper: every program of this folder, and the suite in ../shared/parity (relative to
# the project) where that exists.
#   run.sh BUILD [PROGRAM...]     BUILD: a build folder that holds lib/libtaper.so
# Prints one line "parity: ..." at the end. Exit code 77: LibTorch is not installed.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -- "$here/../.." && pwd)
build=$(cd -- "$1" && pwd) || exit 1
shift
library=$(find "$build" -maxdepth 2 -name libtaper.so | head -n 1)
[ -n "$library" ] || { echo "parity: no libtaper.so in $build"; exit 1; }

python3 "$here/run.py" --taper-include "$build/include" --taper-include "$root/compat" \
  --taper-lib "$library" --work "$build/parity" "$@"
status=$?

samples=$root/../shared/parity
if [ $# -eq 0 ] && [ -d "$samples" ]; then
  out=$build/parity/samples
  bash "$samples/run.sh" -I "$build/include" -I "$root/compat" \
    -L "-L$(dirname "$library") -ltaper" --libpath "$(dirname "$library")" -o "$out" \
    --flags "-O0 -w" >"$build/parity/samples.log" 2>&1
  python3 "$samples/check.py" "$samples/expected" "$out" || [ $status -ne 0 ] || status=1
fi
exit $status
