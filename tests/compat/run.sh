#!/usr/bin/env bash
# Builds the LibTorch-style project with nothing but -DTorch_DIR, runs it, and compares what it
# prints; then checks that TorchScript and frequent mistakes are refused with a sentence.
#   run.sh TORCH_DIR WORK_DIR
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
torch_dir=$1 work=$2

rm -rf "$work"
mkdir -p "$work"
cmake -S "$here/project" -B "$work/build" -DTorch_DIR="$torch_dir"
cmake --build "$work/build"
for program in example-app example-app-17; do
  "$work/build/$program" | diff "$here/project/expected.txt" -
done

include_dirs=$(cd -- "$torch_dir" && cmake -S "$here/include_dirs" -B "$work/include_dirs" \
  -DTorch_DIR="$torch_dir" | sed -n 's/^-- include_dirs=//p')
flags=()
IFS=';' read -ra folders <<<"$include_dirs"
for folder in "${folders[@]}"; do flags+=("-I$folder"); done
if ${CXX:-c++} -std=c++17 -fsyntax-only "${flags[@]}" "$here/torchscript.cpp" 2>"$work/torchscript.log"; then
  echo "torchscript.cpp compiled; it must be refused"
  exit 1
fi
grep -q "TorchScript is not part of Taper: define the network as" "$work/torchscript.log"

# One compilation of frequent mistakes: each must get its sentence, and few lines.
if ${CXX:-c++} -std=c++17 -fsyntax-only "${flags[@]}" "$here/mistakes.cpp" 2>"$work/mistakes.log"; then
  echo "mistakes.cpp compiled; it must be refused"
  exit 1
fi
while IFS= read -r sentence; do
  grep -qF -- "$sentence" "$work/mistakes.log" || { echo "mistakes.cpp: no error says: $sentence"; exit 1; }
done < <(sed -n 's|^// says: ||p' "$here/mistakes.cpp")
errors=$(grep -c 'error: ' "$work/mistakes.log") mistakes=$(grep -c '^// says: ' "$here/mistakes.cpp")
[ "$errors" -eq "$mistakes" ] || { echo "mistakes.cpp: $errors errors for $mistakes mistakes"; exit 1; }
[ "$(wc -l <"$work/mistakes.log")" -le $((20 * mistakes)) ] || { echo "mistakes.cpp: the errors are long"; exit 1; }
echo "compat: all as expected"
