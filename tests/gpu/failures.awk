# Groups the failures in logs of GoogleTest by kind: what the failed tests said, without their numbers,
# names and places. Prints "COUNT  KIND  -- SOME TESTS", the most frequent first.
#   awk -f failures.awk LOG...

# What two failures have in common.
function kind_of(text) {
  gsub(/0x[0-9a-f]+/, "0x#", text)
  gsub(/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/, "#", text)
  gsub(/[^ ]*\/[^ ]+/, "", text)         # paths, and names of ops in names of tests
  gsub(/"[^"]*" in file/, "in file", text)
  gsub(/^ +| +$/, "", text)
  gsub(/  +/, " ", text)
  return substr(text, 1, 150)
}
function note(kind) {
  if (!(kind in count)) order[++kinds] = kind
  ++count[kind]
  if (count[kind] <= 3) examples[kind] = examples[kind] " " test
}
/^\[ RUN      \]/ { test = $4; text = ""; open = 0; next }
/: Failure$/ { if (text == "") open = 1; next }
/^\[   DIED   \]/ { died = 1; next }
/^== ended in/ { note(died ? "died or hung" : spoiled ? "spoiled the device: " spoiled : "ended"); died = 0; spoiled = ""; next }
/^\[ SPOILED  \]/ { spoiled = kind_of(substr($0, 14)); next }
/^\[  FAILED  \] .*\(.* ms\)/ { note(text == "" ? "no text" : kind_of(text)); text = ""; open = 0; next }
# An error of a library says more than the comparison in which it came up.
/(CUDA|cuda|cuBLAS|cuDNN|cuSOLVER|cuFFT|NCCL)[^ ]* (error|failed)|description "/ { text = $0; open = 0; next }
open && NF { text = text " " $0; if (++lines[test] >= 4) open = 0 }
END {
  for (i = 2; i <= kinds; ++i)           # few of them: by insertion
    for (j = i; j > 1 && count[order[j]] > count[order[j - 1]]; --j) {
      t = order[j]; order[j] = order[j - 1]; order[j - 1] = t
    }
  for (i = 1; i <= kinds; ++i) printf "%5d  %s  --%s\n", count[order[i]], order[i], examples[order[i]]
}
