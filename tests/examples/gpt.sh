#!/bin/bash
# The GPT example from the outside: gpt.sh FOLDER_OF_PROGRAMS
# Losses beside PyTorch's, tokens, weights of others, a run that is killed and resumed, errors.
set -u
export LC_ALL=C # numbers with a point
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
gpt=$1/gpt losses=$1/gpt_losses checks=$1/gpt_checks
text=$here/gpt_text.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_WAIT_POLICY=passive
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect_error TEXT ARGS...: the program must end with an error of one line that contains TEXT.
expect_error() {
  local text=$1 output status
  shift
  output=$("$gpt" "$@" 2>&1 >/dev/null)
  status=$?
  [ $status -ne 0 ] && [ $status -lt 128 ] || fail "exit code $status of: $*"
  [[ $output == *"$text"* ]] || fail "expected '$text' from: $* -- got: $output"
  [ "$(wc -l <<<"$output")" -eq 1 ] || fail "more than one line from: $* -- got: $output"
}

# Losses: gpt_losses.txt is what the same program printed when compiled with PyTorch 2.15 (gpt_losses.sh).
"$losses" | paste - "$here/gpt_losses.txt" |
  awk '{ d = $2 - $4; if (d < 0) d = -d; if (!(d < 2e-4) || NF != 4) bad = 1 } END { exit bad || NR != 50 }' ||
  fail "the losses are not PyTorch's"

# Pieces, as the regular expression of GPT-2 splits them.
printf "We'll  see\n\n 42x\xc3\xa9\xe4\xb8\xad\xc2\xb2 \xff!? it's   " | "$checks" pieces >"$work/pieces"
printf '%s\n' 5765 276c6c 20 20736565 0a0a 203432 78c3a9e4b8ad c2b2 20ff213f 206974 2773 202020 |
  diff - "$work/pieces" || fail "pieces"

# Tokens of a vocabulary: 256 bytes, then what merges make; the earlier merge goes first.
mkdir "$work/vocab" "$work/openai"
python3 - "$work" <<'P'
import json, sys
bs = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
words = [chr(b) for b in bs] + [chr(256 + i) for i in range(256 - len(bs))]
merges = ["l o", "e r", "w er", "lo w", "\u0120 low"]
words += [m.replace(" ", "") for m in merges] + ["<|endoftext|>"]
for folder, vocab, rules in (("vocab", "vocab.json", "merges.txt"), ("openai", "encoder.json", "vocab.bpe")):
    json.dump({w: i for i, w in enumerate(words)}, open(f"{sys.argv[1]}/{folder}/{vocab}", "w"))
    open(f"{sys.argv[1]}/{folder}/{rules}", "w").write("#version: 0.2\n" + "\n".join(merges) + "\n")
P
for folder in vocab openai; do
  printf 'low lower\n' | "$checks" tokens "$work/$folder" | tr '\n' ' ' >"$work/tokens"
  [ "$(cat "$work/tokens")" = "259 220 256 258 198 " ] || fail "tokens of $folder: $(cat "$work/tokens")"
done

mkdir "$work/weights"
"$checks" weights "$work/weights" || fail "weights of Hugging Face and nanoGPT"
"$gpt" --init "$work/weights" --vocabulary "$work/vocab" --prompt low --sample 5 >"$work/out" || fail "writing with weights"
"$gpt" --init "$work/weights/ckpt.pt" --data "$text" --steps 20 --sample 0 --checkpoint "$work/tuned" --curve "$work/curve.svg" >"$work/out" ||
  fail "fine-tuning"
grep -q 'points="[0-9.,]* [0-9]' "$work/curve.svg" && ! grep -qi nan "$work/curve.svg" || fail "the drawing: $(cat "$work/curve.svg")"
expect_error "nowhere/c.svg cannot be written" --data "$text" --curve "$work/nowhere/c.svg"

small=(--data "$text" --layers 2 --heads 2 --width 32 --context 16 --batch-size 4 --accumulate 2 --dropout 0.1
  --steps 300 --warmup 10 --threads 1 --checkpoint-every 7 --lr 0.003)
begin=$EPOCHREALTIME
"$gpt" "${small[@]}" --checkpoint "$work/whole" --sample 20 >"$work/out" || fail "a whole run"
took=$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
grep -q '^training  \([0-9]*\)/\1  loss [0-2]\.[0-9]*  [0-9]* tokens/s  0:00 left$' "$work/out" || fail "it learns: $(tail -n 3 "$work/out")"

# The captured step computes what the eager one does, with activations kept or not.
"$gpt" "${small[@]}" --eager --recompute --checkpoint "$work/eager" --sample 0 >"$work/out"
cmp "$work/whole" "$work/eager" || fail "the captured step differs from the eager one"

# Killed again and again, it ends with the same weights. Each kill comes within the time that a whole run takes
# on this machine; a run that ends before is begun anew, so that a fast machine has its kills, too.
kills=0
for attempt in $(seq 200); do
  [ $kills -lt 8 ] || break
  "$gpt" "${small[@]}" --checkpoint "$work/killed" --sample 0 --resume >"$work/out" 2>&1 &
  pid=$!
  sleep "$(awk -v t="$took" -v r=$RANDOM 'BEGIN { printf "%.3f", t * r / 32768 }')"
  kill -KILL $pid 2>/dev/null
  if wait $pid 2>/dev/null; then
    cmp "$work/whole" "$work/killed" || fail "killed $kills times and resumed, the weights differ"
    rm "$work/killed"
  else
    kills=$((kills + 1))
  fi
done
"$gpt" "${small[@]}" --checkpoint "$work/killed" --sample 0 --resume >"$work/out" || fail "resuming"
cmp "$work/whole" "$work/killed" || fail "killed $kills times and resumed, the weights differ"
"$gpt" --checkpoint "$work/whole" --resume --sample 5 --threads 1 >"$work/out" || fail "settings from the checkpoint"


# A run may be made longer, and its weights may begin another run, with its vocabulary.
cp "$work/whole" "$work/longer"
"$gpt" --checkpoint "$work/longer" --resume --steps 320 --sample 0 --threads 1 >"$work/out" || fail "a longer run: $(cat "$work/out")"
grep -q '300 steps are done' "$work/out" && grep -q '^training  40960/40960 ' "$work/out" || fail "320 steps: $(cat "$work/out")"
"$gpt" --checkpoint "$work/longer" --resume --sample 0 --threads 1 >"$work/out" || fail "resuming a longer run: $(cat "$work/out")"
expect_error "was started with --steps 320, so it cannot go on with 300, which is less" --checkpoint "$work/longer" --resume --steps 300
"$gpt" --init "$work/whole" --sample 20 --temperature 0 --prompt to --threads 1 >"$work/written" || fail "writing with a checkpoint"
"$gpt" --data "$text" --threads 1 --init "$work/whole" --steps 0 --checkpoint "$work/none" --sample 20 --temperature 0 --prompt to >"$work/out" || fail "beginning from a checkpoint"
tail -n 1 "$work/out" | cmp - <(tail -n 1 "$work/written") || fail "other weights than the checkpoint's: $(cat "$work/out" "$work/written")"
"$gpt" --data "$text" --init "$work/whole" --steps 5 --batch-size 4 --sample 0 --checkpoint "$work/second" >"$work/out" || fail "training from a checkpoint"
expect_error "--checkpoint: expected another file than --init" --data "$text" --init "$work/whole" --checkpoint "$work/whole"
"$gpt" --data "$text" --vocabulary "$work/vocab" --layers 1 --width 32 --steps 1 --sample 0 --checkpoint "$work/words" >"$work/out" || fail "a run with a vocabulary"
"$gpt" --data "$text" --init "$work/words" --steps 1 --sample 0 --checkpoint "$work/words2" >"$work/out" || fail "beginning with a vocabulary"
grep -q ' tokens of 262;' "$work/out" || fail "the vocabulary of the checkpoint: $(cat "$work/out")"
mv "$work/words2" "$work/words" # a checkpoint that began from a file of its own name
"$gpt" --init "$work/words" --prompt low --sample 2 >"$work/out" || fail "the vocabulary of a second run"

"$gpt" "${small[@]}" --autocast bf16 --checkpoint "$work/bf16" --sample 0 >"$work/out" || fail "autocast"
"$gpt" --help | grep -q -- --disable-cuda || fail "--help"
expect_error "got neither"
expect_error "cannot be read" --data "$work/nothing"
expect_error "expected more than 128 tokens" --data /dev/null
expect_error "no such file" --init "$work/nothing"
expect_error "vocab.json: cannot be read" --data "$text" --vocabulary "$work"
expect_error "multiple of --heads" --data "$text" --width 33
expect_error "--layers" --data "$text" --layers 0
expect_error "was started with --lr" --data "$text" --lr 0.1 --checkpoint "$work/whole" --resume
head -c 5000 "$work/whole" >"$work/cut"
expect_error "$work/cut" --data "$text" --checkpoint "$work/cut" --resume
echo '{"a": 7}' >"$work/openai/encoder.json"
expect_error "encoder.json: expected each number" --data "$text" --vocabulary "$work/openai"

[ $kills -eq 8 ] || fail "killed $kills times only"
echo "killed $kills times"
[ $failures -eq 0 ] || exit 1
