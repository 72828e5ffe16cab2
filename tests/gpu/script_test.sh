#!/usr/bin/env bash
# run.sh and pack.sh without a GPU: on simulated devices, on programs that fail or hang, and without
# any device.
#   script_test.sh BUILD
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
build=$1
source "$here/../shell_checks.sh"
# run STATUS ARGS...: run.sh, its output in $work/out
run() {
  local expected=$1
  shift
  bash "${set:-$here}/run.sh" "$@" >"$work/out" 2>&1
  local status=$?
  [ $status -eq "$expected" ] || fail "exit code $status, not $expected, of: $* -- $(cat "$work/out")"
}

# ------------------------------------------------------------------ programs that play a part
stub() { # stub NAME 'COMMANDS'
  mkdir -p "$work/set/bin"
  printf '#!/bin/bash\n%s\n' "$2" >"$work/set/bin/$1"
  chmod +x "$work/set/bin/$1"
}
good_tests='echo "[  PASSED  ] 12 tests."; echo "[  SKIPPED ] 3 tests, listed below:"'
good_bench='case "$*" in *--devices*) echo "device 0: Stub, 1 MiB";; *) printf "memory.copy\t100\tGB/s\neager.add\t9\tns\n";; esac'
good_mnist='echo "final accuracy on the test images: 97.00%"'
all_good() {
  stub taper_tests "$good_tests"
  stub gpu_bench "$good_bench"
  stub mnist "$good_mnist"
}
all_good
cp "$here/run.sh" "$here/../../benchmarks/gpu_peer.py" "$work/set/"
set=$work/set
run 0 --simulate --out "$work/results"
says '^suite +ok +[0-9]+  24 passed, 6 skipped'  # two processes
says '^bench +ok .*2 figures'
says '^memory.copy +100 .* 100% of a copy'
says '^mnist +ok .*97.00%'
for file in machine.log suite.log races.log bench.log bench.json mnist.log memcheck.log summary.txt; do
  [ -s "$work/results/$file" ] || fail "no $file"
done
[ "$(ls "$work/results" | wc -l)" -eq 8 ] || fail "other files: $(ls "$work/results")"

# One part fails, one hangs (and its children with it); the others have their turn.
stub taper_tests 'echo "[ RUN      ] Ops.Bad"; echo "[  PASSED  ] 9 tests."; echo "[  FAILED  ] 1 test, listed below:"; echo "[  FAILED  ] Ops.Bad"; exit 1'
stub mnist 'trap "" TERM; sleep 300 & wait; wait'
run 1 --simulate --out "$work/results" --limit mnist=1
says '^suite +FAILED .* 18 passed, 0 skipped, 2 failed: Ops.Bad'
says '^mnist +stopped'
says '^bench +ok'
stub taper_tests 'echo "[ RUN      ] Ops.Dies"; [ "$GTEST_SHARD_INDEX" != 0 ] || kill -SEGV $$; echo "[  PASSED  ] 5 tests."'
run 1 --simulate --out "$work/results" --only suite
says '^suite +FAILED .* 5 passed, 0 skipped; died or hung in Ops.Dies'
stub gpu_bench "$good_bench; case \"\$*\" in *--devices*) ;; *) echo 'gpu_bench: memory: no luck' >&2; exit 1;; esac"
stub mnist "$good_mnist"
run 1 --simulate --out "$work/results"
says '^bench +FAILED .*2 figures; gpu_bench: memory: no luck'
says '^memory.copy'
stub taper_tests 'echo "[  PASSED  ] 1 test."; sleep 4'
run 1 --simulate --out "$work/results" --total 4 --only suite,races
says '^suite +(ok|stopped)'
says '^races +(no time|stopped)'
# Endless output is cut.
all_good
stub mnist 'yes "no good" | head -c 20M'
run 0 --simulate --out "$work/results" --only mnist
[ "$(stat -c %s "$work/results/mnist.log")" -lt 9000000 ] || fail "a log of 20 MiB was kept"
# A low accuracy is a failure on a GPU. (The stub plays the GPU.)
all_good
stub mnist 'echo "final accuracy on the test images: 11.00%"'
run 1 --out "$work/results" --only mnist,memcheck
says '^mnist +FAILED .*11.00%'

# ------------------------------------------------------------------ no device, wrong flags
stub gpu_bench 'echo "gpu_bench: no CUDA device is found" >&2; exit 3'
run 3 --out "$work/none"
says 'there is no GPU here'
says '--simulate'
[ ! -e "$work/none" ] || fail "results without a GPU"
run 2 --colour red
run 2 --only suite,colours
run 2 --limit suite=long
run 2 --data "$work/nowhere"
rm "$work/set/bin/mnist"
run 2 --simulate
says 'has no mnist'

# ------------------------------------------------------------------ the real programs
if [ -x "$build/bin/mnist" ]; then
  unset set
  export TAPER_SET=$build
  run 0 --simulate --out "$work/real" --filter 'DevicesA4*'
  says '^suite +ok +[0-9]+  [0-9]+ passed'
  says '^races +ok'
  says '^bench +ok'
  says '^conv.3x3_512_7.bf16.with_backward '
  says '^mnist +ok'
  says '^memcheck +ok'
  unset TAPER_SET
  bash "$here/pack.sh" "$build" "$work/packed.tar" >"$work/out" 2>&1 || fail "pack.sh: $(cat "$work/out")"
  mkdir "$work/there" && tar -C "$work/there" -xf "$work/packed.tar"
  set=$work/there/taper-gpu
  libraries=$(ldd "$set/bin/gpu_bench")
  grep -q "libtaper.*$set/bin/../lib/" <<<"$libraries" || fail "a packed program takes another library: $libraries"
  run 0 --simulate --only machine,mnist --out "$work/packed"
  says '^mnist +ok'
fi
finish
