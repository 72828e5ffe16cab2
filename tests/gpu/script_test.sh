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
# ran NAME: what the test program writes to its file of progress.
ran='for a; do case $a in --progress=*) progress=${a#*=} ;; esac; done; ran() { echo "$1" >>"$progress"; echo "[ RUN      ] $1"; }'
good_tests="$ran"';for i in 1 2 3; do ran Some.Test$i; echo "[       OK ] Some.Test$i (1 ms)"; done; ran Some.Other; echo "[  SKIPPED ] Some.Other (0 ms)"'
good_bench='case "$*" in *--devices*) echo "device 0: Stub, 1 MiB";; *) printf "memory.copy\t100\tGB/s\neager.add\t9\tns\n";; esac'
good_mnist='echo "final accuracy on the test images: 97.00%"'
all_good() {
  stub taper_tests "$good_tests"
  stub gpu_bench "$good_bench"
  stub mnist "$good_mnist"
  stub gpt 'echo "step 400"'
}
all_good
cp "$here/run.sh" "$here/failures.awk" "$here/../../benchmarks/gpu_peer.py" "$work/set/"
set=$work/set
run 0 --simulate --out "$work/results"
for part in first kernels memcheck synccheck racecheck initcheck streams races suite; do
  says "^$part +ok +[0-9]+  3 passed, 1 skipped"
done
says '^bench +ok .*2 figures'
says '^gpt +ok .*bf16 [0-9]+ tokens/s; f32 [0-9]+ tokens/s'
says '^gpt.bf16.beside_compiled +[0-9]'
says '^memory.copy +100 .* 100% of a copy'
says '^mnist +ok .*97.00%'
for file in machine.log first.log gpt.log kernels.log suite.log streams.log races.log bench.log bench.json mnist.log memcheck.log \
  synccheck.log racecheck.log initcheck.log summary.txt; do
  [ -s "$work/results/$file" ] || fail "no $file"
done
[ "$(ls "$work/results" | wc -l)" -eq 17 ] || fail "other files: $(ls "$work/results")"
[ ! -s "$work/results/failures.txt" ] || fail "failures where there are none: $(cat "$work/results/failures.txt")"

# What came to its end is not run again; with --again it is.
stub taper_tests 'echo "a test that should not run"; exit 1'
run 0 --simulate --out "$work/results"
says '^suite +ok +[0-9]+  3 passed, 1 skipped'
run 1 --simulate --out "$work/results" --again --only suite
says '^suite +FAILED'
says '^races +ok'
rm -r "$work/results"

# One part fails, one hangs (and its children with it); the others have their turn.
stub taper_tests "$ran"'; ran Ops.Bad; echo "a.cpp:3: Failure"; echo "Expected 3 within 1e-5, got 4"; echo "[  FAILED  ] Ops.Bad (1 ms)"; exit 1'
stub mnist 'trap "" TERM; sleep 300 & wait; wait'
run 1 --simulate --out "$work/results" --limit mnist=1
says '^suite +FAILED .* 0 passed, 0 skipped, 1 failed: Ops.Bad'
says '^mnist +stopped'
says '^bench +ok'
says '^ +6  Expected # within #, got #  -- Ops.Bad Ops.Bad Ops.Bad$'
# What dies is followed by a process that goes on behind it, and so is what spoils the device.
stub taper_tests "$ran"'; case $(wc -l <"$progress") in
  0) ran Ops.First; echo "[       OK ] Ops.First (1 ms)"; ran Ops.Dies; echo "[   DIED   ] Ops.Dies"; kill -SEGV $$ ;;
  2) ran Ops.Spoils; echo "C++ exception with description \"CUDA error 700 at x.cpp:12\" thrown"
     echo "[  FAILED  ] Ops.Spoils (1 ms)"; echo "[ SPOILED  ] CUDA error 700: an illegal access"; exit 75 ;;
  *) ran Ops.Last; echo "[       OK ] Ops.Last (1 ms)" ;;
esac'
run 1 --simulate --out "$work/results" --again --only suite
says '^suite +FAILED .* 2 passed, 0 skipped, 1 failed: Ops.Spoils ; died, hung or spoiled the device in Ops.Dies Ops.Spoils'
says '^ +1  died or hung  -- Ops.Dies$'
says '^ +1  spoiled the device: CUDA error #: an illegal access  -- Ops.Spoils$'
says 'description "CUDA error # at x.cpp:#" thrown  -- Ops.Spoils$'
# The time of a part ends in the midst of a test: a second run begins with it.
stub taper_tests "$ran"'; case $(wc -l <"$progress") in
  0) ran Ops.First; echo "[       OK ] Ops.First (1 ms)"; ran Ops.Long; sleep 20 ;;
  1) ran Ops.Long; echo "[       OK ] Ops.Long (1 ms)" ;;
esac'
run 1 --simulate --out "$work/twice" --only suite --limit suite=2
says '^suite +stopped .* 1 passed'
run 0 --simulate --out "$work/twice" --only suite
says '^suite +ok .* 2 passed'
stub gpu_bench "$good_bench; case \"\$*\" in *--devices*) ;; *) echo 'gpu_bench: memory: no luck' >&2; exit 1;; esac"
stub mnist "$good_mnist"
run 1 --simulate --out "$work/results" --again --only bench,peer
says '^bench +FAILED .*2 figures; gpu_bench: memory: no luck'
says '^memory.copy'
stub taper_tests "$ran"'; ran Ops.Long; sleep 4'
run 1 --simulate --out "$work/results" --again --total 4 --only races,suite
says '^races +(ok|stopped)'
says '^suite +(no time|stopped)'
# Endless output is cut.
all_good
rm -r "$work/results"
stub mnist 'yes "no good" | head -c 20M'
run 0 --simulate --out "$work/results" --again --only mnist
[ "$(stat -c %s "$work/results/mnist.log")" -lt 9000000 ] || fail "a log of 20 MiB was kept"
# A low accuracy is a failure on a GPU. (The stub plays the GPU.)
all_good
stub mnist 'echo "final accuracy on the test images: 11.00%"'
run 1 --out "$work/results" --again --only mnist,memcheck
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
run 2 --test-limit never
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
  says '^kernels +ok +[0-9]+  [0-9]+ passed'
  says '^streams +ok +[0-9]+  [0-9]+ passed'
  says '^races +ok'
  grep -q '"traceEvents"' "$work/real/mnist_trace.json" || fail "no trace of MNIST"
  says '^bench +ok'
  says '^conv.3x3_512_7.bf16.with_backward '
  says '^mnist +ok'
  says '^gpt +ok .*bf16 [1-9]'
  says '^memcheck +ok'
  unset TAPER_SET
  bash "$here/pack.sh" "$build" "$work/packed.tar.gz" >"$work/out" 2>&1 || fail "pack.sh: $(cat "$work/out")"
  # What is carried to a rented machine stays small. (Without optimisation code is larger.)
  if grep -qE '^CMAKE_BUILD_TYPE:[A-Z]+=(Release)?$' "$build/CMakeCache.txt"; then
    size=$(stat -c %s "$work/packed.tar.gz")
    [ "$size" -lt $((60 << 20)) ] || fail "the set has $((size >> 20)) MiB, and 60 are too many"
  else
    echo "the size of the set: not looked at but in a build for release"
  fi
  # The test program itself: a second run leaves out what ran.
  "$build/tests/taper_tests" --gtest_filter='DevicesA4*' --progress="$work/progress" >"$work/first" 2>&1
  "$build/tests/taper_tests" --gtest_filter='DevicesA4*' --progress="$work/progress" >"$work/out" 2>&1
  says '^\[  PASSED  \] 0 tests'
  [ "$(wc -l <"$work/progress")" -eq "$(grep -c '^\[ RUN' "$work/first")" ] || fail "the file of progress"
  # In an empty folder it has all that it needs but what every machine has.
  system=$(sed -nE "s/^system='(.*)'$/\\1/p" "$here/pack.sh")
  mkdir "$work/there" && tar -C "$work/there" -xf "$work/packed.tar.gz"
  set=$work/there/taper-gpu
  for program in "$set"/bin/*; do
    libraries=$(ldd "$program")
    grep -q "libtaper.*$set/bin/../lib/" <<<"$libraries" || fail "a packed program takes another library: $libraries"
    # With the path that run.sh sets: libraries of libraries are found by it alone.
    others=$(LD_LIBRARY_PATH=$set/lib ldd "$program" | grep '=>' | grep -vF "=> $set/" | grep -vE "$system" || true)
    [ -z "$others" ] || fail "${program##*/} is packed without$others"
  done
  cd "$work/there"
  run 0 --simulate --only machine,kernels,mnist --out "$work/packed"
  says '^kernels +ok +[0-9]+  [1-9][0-9]* passed'
  says '^mnist +ok'
fi
finish
