#!/bin/bash
# The MNIST example from the outside: mnist.sh PATH_OF_PROGRAM
# Exit codes and messages, and that a run that was killed and resumed ends with the same weights.
set -u
mnist=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache
unset TAPER_DATA
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect_error TEXT ARGS...: the program must end with an error of one line that contains TEXT.
expect_error() {
  local text=$1 output status
  shift
  output=$("$mnist" "$@" 2>&1 >/dev/null)
  status=$?
  [ $status -ne 0 ] && [ $status -lt 128 ] || fail "exit code $status of: $*"
  [[ $output == *"$text"* ]] || fail "expected '$text' from: $* -- got: $output"
  [ "$(wc -l <<<"$output")" -eq 1 ] || fail "more than one line from: $* -- got: $output"
}

small=(--drawn --limit 2000 --threads 1 --model cnn --checkpoint-every 3)

# A whole run, and the data that it draws.
"$mnist" "${small[@]}" --epochs 4 --checkpoint "$work/whole" --curve "$work/curve.svg" >"$work/out" 2>&1 || {
  cat "$work/out"
  fail "a whole run"
}
grep -q "^data: $XDG_CACHE_HOME/taper/digits (digits drawn by this program)" "$work/out" ||
  fail "the line that says which data is used"
grep -q "epoch 4/4  accuracy on the test images" "$work/out" || fail "accuracy after each epoch"
grep -q "final accuracy on the test images" "$work/out" || fail "accuracy at the end"
grep -c '<polyline' "$work/curve.svg" | grep -qx 2 && ! grep -qi nan "$work/curve.svg" || fail "the drawing: $(cat "$work/curve.svg")"

# signal_after LINES SIGNAL ARGS...: the same run, sent the signal once it has printed so many lines of
# progress (it may end before). Returns the program's status.
signal_after() {
  local lines=$1 signal=$2 pid
  shift 2
  : >"$work/out" # before the fork: the loop below must not count the lines of the run before
  "$mnist" "${small[@]}" --epochs 4 "$@" >"$work/out" 2>&1 &
  pid=$!
  until [ "$(grep -c '^epoch' "$work/out")" -ge "$lines" ] || ! kill -0 $pid 2>/dev/null; do
    sleep 0.01
  done
  kill "-$signal" $pid 2>/dev/null
  wait $pid 2>/dev/null
}

# Killed again and again, later and later: a kill may come before the first checkpoint of its run, and a run
# may end before its kill; then it is begun anew.
kills=0
for attempt in $(seq 200); do
  [ $kills -lt 6 ] || break
  if signal_after $((RANDOM % 4 + 1 + kills / 2)) KILL --checkpoint "$work/killed" --resume; then
    cmp "$work/whole" "$work/killed" || fail "killed $kills times and resumed, the weights differ"
    rm "$work/killed"
  else
    kills=$((kills + 1))
  fi
done
[ $kills -eq 6 ] || fail "killed $kills times only"
"$mnist" "${small[@]}" --epochs 4 --checkpoint "$work/killed" --resume >"$work/out" || fail "resuming"
cmp "$work/whole" "$work/killed" || fail "killed $kills times and resumed, the weights differ"

# Stopped by Ctrl-C: it ends by itself, as shells expect, and nothing of what it did is lost.
signal_after 1 INT --checkpoint "$work/stopped"
[ $? -eq 130 ] || fail "exit code after Ctrl-C: $(cat "$work/out")"
grep -q "stopped; $work/stopped is saved" "$work/out" || fail "what Ctrl-C says: $(cat "$work/out")"
"$mnist" "${small[@]}" --epochs 4 --checkpoint "$work/stopped" --resume >/dev/null 2>&1
cmp "$work/whole" "$work/stopped" || fail "stopped by Ctrl-C and resumed, the weights differ"

# Stopped between epochs and given more of them; with workers.
"$mnist" "${small[@]}" --epochs 2 --checkpoint "$work/longer" >/dev/null 2>&1
"$mnist" --drawn --threads 1 --workers 2 --epochs 4 --checkpoint-every 3 --resume \
  --checkpoint "$work/longer" >/dev/null 2>&1
cmp "$work/whole" "$work/longer" || fail "two epochs and two more differ from four"

# What devices do in three steps.
TAPER_SIMULATED_CUDA_DEVICES=1 "$mnist" "${small[@]}" --epochs 1 --device cuda --checkpoint "$work/traced" \
  --trace "$work/trace.json" >"$work/out" 2>&1 || fail "a run with --trace: $(cat "$work/out")"
grep -qE "^$work/trace.json: what the devices did in three steps, [0-9]{2,} events" "$work/out" ||
  fail "what --trace says: $(cat "$work/out")"
grep -q '"traceEvents"' "$work/trace.json" || fail "the trace"
expect_error "--trace: expected --device cuda" "${small[@]}" --trace "$work/trace.json"

# Mistakes of the user.
expect_error "nowhere/curve.svg" "${small[@]}" --curve "$work/nowhere/curve.svg"
expect_error "--colour" --colour red
expect_error "--model" --model resnet
expect_error "--epochs" --epochs none
expect_error "--lr: Value fast not in range 0.000000 to 1000000.000000 (" --lr fast
expect_error "--batch-size" --batch-size 0
expect_error "--seed: expected a whole number from -2^63 to 2^63 - 1" --seed 18446744073709551617
expect_error "nowhere/train-images-idx3-ubyte" --data "$work/nowhere"
expect_error "gpu" --drawn --limit 100 --device gpu
(
  export CUDA_VISIBLE_DEVICES= # also where there are GPUs
  failures=0
  expect_error "--device cuda: there is no CUDA device" --drawn --limit 100 --device cuda
  expect_error "TAPER_SIMULATED_CUDA_DEVICES=4" --device cuda:1 --data "$work/nowhere"
  exit $failures
) || fail "--device cuda without a device"
expect_error "--data-parallel" --drawn --limit 100 --data-parallel
expect_error "--batch-size" --drawn --resume --checkpoint "$work/whole" --batch-size 32
expect_error "--model" --drawn --resume --checkpoint "$work/whole" --model mlp
"$mnist" --help | grep -- --resume >/dev/null || fail "--help"
"$mnist" "${small[@]}" --epochs 1 --device cuda --disable-cuda --checkpoint "$work/cpu" \
  >/dev/null 2>&1 || fail "--disable-cuda"

# On simulated devices.
export TAPER_SIMULATED_CUDA_DEVICES=2
expect_error "--device cuda:2: expected a number below 2" --drawn --limit 100 --device cuda:2
few=(--drawn --limit 512 --threads 1 --model mlp --epochs 1)
for flags in "" "--device cuda --disable-cuda" "--device cuda:1 --workers 1" \
  "--device cuda --data-parallel" "--data-parallel --device cuda:1"; do
  "$mnist" "${few[@]}" $flags --checkpoint "$work/device" >"$work/out" 2>&1 ||
    fail "exit code of: $flags -- $(cat "$work/out")"
  tail -n 1 "$work/out" >>"$work/accuracies"
done
[ "$(sort -u "$work/accuracies" | wc -l)" -eq 1 ] ||
  fail "the accuracies on devices and on the CPU differ: $(cat "$work/accuracies")"
unset TAPER_SIMULATED_CUDA_DEVICES

# A mirror that gives something else: it is refused, and the run goes on with drawn digits.
mkdir "$work/bin"
cat >"$work/bin/curl" <<'END'
#!/bin/bash
while [ $# -gt 0 ]; do
  [ "$1" = --output ] && echo nonsense | gzip >"$2"
  shift
done
END
chmod +x "$work/bin/curl"
PATH=$work/bin:$PATH "$mnist" --limit 100 --epochs 1 --checkpoint "$work/mirror" >"$work/out" 2>&1 ||
  fail "a run beside a bad mirror"
grep -q "is not MNIST" "$work/out" && grep -q "^data: .*digits drawn" "$work/out" ||
  fail "a bad mirror is not refused: $(cat "$work/out")"
[ -e "$XDG_CACHE_HOME/taper/mnist" ] && fail "what a bad mirror gave was kept"

# Files that are missing, cut or damaged.
cp -r "$XDG_CACHE_HOME/taper/digits" "$work/data"
head -c 1000000 "$work/data/train-images-idx3-ubyte" >"$work/part"
mv "$work/part" "$work/data/train-images-idx3-ubyte"
expect_error "train-images-idx3-ubyte" --data "$work/data"
echo nonsense >"$work/data/train-images-idx3-ubyte"
expect_error "train-images-idx3-ubyte" --data "$work/data"
rm "$work/data/train-images-idx3-ubyte"
export TAPER_DATA=$work/data
expect_error "train-images-idx3-ubyte" --epochs 1
unset TAPER_DATA
head -c 5000 "$work/whole" >"$work/cut"
expect_error "$work/cut" --drawn --resume --checkpoint "$work/cut"
echo nonsense >"$work/foreign"
expect_error "$work/foreign" --drawn --resume --checkpoint "$work/foreign"
cp "$work/whole" "$work/damaged"
printf '\377' | dd of="$work/damaged" bs=1 seek=$(($(stat -c %s "$work/whole") - 101)) \
  conv=notrunc status=none
cmp -s "$work/whole" "$work/damaged" ||
  expect_error "$work/damaged" --drawn --resume --checkpoint "$work/damaged"

# No room for the checkpoint or the drawn data (a limit on the size of files), and no such folder.
in_small_space() {
  ulimit -f 8
  failures=0
  expect_error "$work/full" "${small[@]}" --checkpoint "$work/full"
  export XDG_CACHE_HOME=$work/other
  expect_error "idx3-ubyte" --drawn
  exit $failures
}
(in_small_space) || fail "a full disk"
ls -A "$work" | grep -q full && fail "a part of a checkpoint is left"
ls -A "$work/other/taper" | grep -q digits && fail "a part of the drawn data is left"
# Said before data is looked for.
for path in "$work/none/file" "$work" /proc/checkpoint; do
  expect_error "$path: cannot be written" --data "$work/nowhere" --checkpoint "$path"
done

[ $failures -eq 0 ] && echo "all passed"
exit $((failures != 0))
