#!/usr/bin/env bash
# run.sh BUILD [--least PERCENT]: builds the library with gcov's counters (without GPU kernels, and each
# kernel for one instruction set), runs every test once, with simulated devices, and prints what of
# its lines and branches has run. What only a GPU runs (framework/cuda/gpu, ops/*_cudnn.cpp and the
# CUDA kernels) is not compiled here, and so in no table.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
build=${1:?usage: run.sh BUILD [--least PERCENT]}
shift
mkdir -p "$build"
cmake -S "$root" -B "$build" -G Ninja -DTAPER_COVERAGE=ON -DTAPER_CUDA=OFF -DTAPER_BUILD_TESTS=ON \
  -DTAPER_BUILD_EXAMPLES=OFF >"$build/configure.log" || { cat "$build/configure.log"; exit 1; }
bash "$root/cmake/progress.sh" "$build" -j "$(nproc)" taper_tests utils_tests
find "$build" -name '*.gcda' -delete # what an earlier run has counted
status=0
OMP_WAIT_POLICY=passive ctest --test-dir "$build" -j "$(nproc)" -L '^(every_test|own_program)$' --output-on-failure \
  --no-tests=error --progress || status=$?
folders=()
for folder in framework ops nn optim data testing extension utils train; do folders+=(--filter "$root/$folder/"); done
gcovr -j "$(nproc)" --root "$root" --object-directory "$build" "${folders[@]}" \
  --exclude-throw-branches --json-summary "$build/coverage.json" "$build"
python3 "$root/tests/coverage/table.py" "$build/coverage.json" "$@"
[ $status = 0 ] || { echo "coverage: tests failed; what they would have run is missing above"; exit $status; }
