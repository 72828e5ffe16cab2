#!/usr/bin/env bash
# The commands of ./dev in every order of two, each pair in one build folder: what the second one does
# must not depend on the first. They run on a stand-in for the tree, which has Taper's own options and
# targets of the same names that compile nothing.
#   orders.sh [DEV]        DEV: the script, by default the tree's
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -- "$here/../.." && pwd)
dev=${1:-$root/dev}
source "$here/../shell_checks.sh"

# ------------------------------------------------------------------ the stand-in
tree=$work/tree
mkdir -p "$tree/cmake" "$tree/benchmarks" "$tree/tests/gpu" "$work/bin"
cp "$dev" "$tree/dev"
cp "$root/cmake/progress.sh" "$tree/cmake/"
for example in mnist gpt; do
  mkdir -p "$tree/examples/$example"
  cp "$root/examples/$example/options.cpp" "$tree/examples/$example/"
done
cp "$here/stand_in.cmake" "$tree/CMakeLists.txt"
grep -E '^(option\(TAPER_BUILD_|set\(TAPER_CUDA )' "$root/CMakeLists.txt" >"$tree/options.cmake"
[ "$(wc -l <"$tree/options.cmake")" -eq 3 ] || fail "the options are not found: $(cat "$tree/options.cmake")"
echo 'import os; print("bench:", *os.listdir(os.environ["TAPER_PREFIX"]))' >"$tree/benchmarks/bench.py"
echo 'echo "gpu: $(cd "$TAPER_SET" && ls bin tests/taper_tests benchmarks/gpu_bench | tr "\n" " ")"' >"$tree/tests/gpu/run.sh"
program() { # program NAME 'COMMANDS': one that is found before the machine's
  printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
program dpkg-query 'echo -n "install ok installed"'
program nvcc 'exit 1'
program nvidia-smi 'exit 9'
export PATH=$work/bin:$PATH
unset TAPER_CUDA TAPER_BUILD_DIR

# ------------------------------------------------------------------ what each command must show
declare -A command=(
  [mnist]="mnist --epochs 1" [gpt]="gpt --data text" [test]="test" [one]="test Softmax*" [install]="install --prefix $work/prefix"
  [bench]="bench" [gpu]="gpu" [cpu]="mnist")
declare -A shows=(
  [mnist]='mnist was run with --epochs 1, GPU kernels: (AUTO|OFF)$'
  [gpt]='gpt was run with --data text, GPU kernels: (AUTO|OFF)$'
  [test]='100% tests passed, 0 tests failed out of 2$'
  [one]='taper_tests was run with .*--gtest_filter=Softmax\*'
  [install]='== installed into '
  [bench]='^bench: .*libtaper'
  [gpu]='^gpu: .*tests/taper_tests.*mnist'
  [cpu]='mnist was run with , GPU kernels: OFF$')
order=(mnist gpt test one install bench gpu cpu)
run() { # run NAME BUILD: its output in $work/out
  rm -rf "$work/prefix"
  local variables=("TAPER_BUILD_DIR=$2")
  [ "$1" != cpu ] || variables+=(TAPER_CUDA=OFF)
  # shellcheck disable=SC2086
  (set -f && env "${variables[@]}" bash "$tree/dev" ${command[$1]} --no-install) >"$work/out" 2>&1
}
pairs=0
for first in "${order[@]}"; do
  rm -rf "$work/folder" "$work/after"
  run "$first" "$work/folder" || fail "$first alone: $(cat "$work/out")"
  mv "$work/folder" "$work/after"
  for second in "${order[@]}"; do
    rm -rf "$work/folder"
    cp -a "$work/after" "$work/folder"
    run "$second" "$work/folder" || fail "$second after $first: exit code $?"
    grep -qE -- "${shows[$second]}" "$work/out" ||
      fail "$second after $first: expected '${shows[$second]}' in: $(cat "$work/out")"
    pairs=$((pairs + 1))
  done
done

# ------------------------------------------------------------------ kernels for GPUs
if compgen -G '/dev/nvidia[0-9]*' >/dev/null; then
  echo "there is a GPU here: not checked what mnist builds without one"
else
  run mnist "$work/kernels"
  says 'there is no GPU here'
  says 'TAPER_CUDA=ON ./dev mnist'
  says 'GPU kernels: OFF'
fi
program nvidia-smi 'echo "GPU 0: of a test"'
run mnist "$work/kernels"
says 'GPU kernels: AUTO'
program nvidia-smi 'exit 9'
TAPER_CUDA=ON run mnist "$work/kernels"
says 'GPU kernels: ON'
run test "$work/kernels"
grep -q '^TAPER_CUDA:STRING=AUTO$' "$work/kernels/CMakeCache.txt" || fail "test does not build kernels where nvcc is"

# ------------------------------------------------------------------ flags that no program has
for arguments in "mnist --epoch 1" "mnist --epochs 1 --wrong=2" "gpt --data text --model cnn"; do
  # shellcheck disable=SC2086
  TAPER_BUILD_DIR=$work/unbuilt bash "$tree/dev" $arguments --no-install >"$work/out" 2>&1 && fail "no error from ./dev $arguments"
  says "^dev: ${arguments%% *}: expected a flag of the program, got --(epoch|wrong|model); "
  [ ! -e "$work/unbuilt" ] || fail "built for ./dev $arguments"
done

# ------------------------------------------------------------------ tests by name
(cd "$tree" && bash dev test 'Nothing*' --no-install) >"$work/out" 2>&1 && fail "a filter without tests passed"
says 'no test has such a name: Nothing\*'
(cd "$tree" && bash dev test 'examples*' --no-install) >"$work/out" 2>&1 || fail "test examples*: $(cat "$work/out")"
says '100% tests passed, 0 tests failed out of 1'

# ------------------------------------------------------------------ several ranks
ranks() { (cd "$tree" && bash dev mnist --ranks "$@" --no-install) >"$work/out" 2>&1; }
export TAPER_LAUNCHER=jobs
ranks 3 data || fail "mnist --ranks 3: $(cat "$work/out")"
for rank in 0 1 2; do says "^rank $rank of 3 has $tree/data, in $tree/build/mnist_ranks$"; done
start=$SECONDS
ranks 3 data 2 && fail "a rank that failed was not noticed: $(cat "$work/out")"
[ $((SECONDS - start)) -lt 30 ] || fail "the other ranks were not ended"
unset TAPER_LAUNCHER
program mpirun 'echo "mpirun was run with $*"'
ranks 2 data || fail "mnist --ranks 2 by mpirun: $(cat "$work/out")"
says '^mpirun was run with -np 2 .*/mnist_distributed .*/tree/data$'
rm "$work/bin/mpirun"
program torchrun 'echo "torchrun was run with $*"'
TAPER_LAUNCHER=torchrun ranks 2 data || fail "mnist --ranks 2 by torchrun: $(cat "$work/out")"
says '^torchrun was run with --no-python --nproc-per-node 2 .*/mnist_distributed .*/tree/data$'
for arguments in "" "none" "2 data 1 more"; do
  # shellcheck disable=SC2086
  ranks $arguments && fail "no error from ./dev mnist --ranks $arguments"
  says '^dev: mnist --ranks: expected'
done

echo "$pairs pairs of commands"
finish
