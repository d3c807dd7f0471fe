#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: spoken_test.sh PROGRAM FOLDER
# A short training on tones in the place of words: it learns them, leaves its files, has the same bits for
# the same seed whatever the threads and ranks, and says what is wrong with recordings.
set -u
program=$1
# shellcheck source=/dev/null
source "$(dirname "$0")/folder.sh"
begin_in "$2"

# tone FILE FREQUENCY: 0.3 s in 16 bits, one channel, 8 kHz.
tone() {
  awk -v frequency="$2" 'BEGIN {
    for (i = 0; i < 2400; i++) {
      sample = int(12000 * sin(6.283185307 * frequency * i / 8000))
      if (sample < 0) sample += 65536
      printf "\\x%02x\\x%02x", sample % 256, int(sample / 256)
    }
  }' >samples
  {
    printf 'RIFF\xe4\x12\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\xc0\x12\0\0'
    printf '%b' "$(cat samples)"
  } >"$1"
}
mkdir -p data/a data/b
for digit in {0..9}; do
  tone data/a/$digit.wav $((300 + 330 * digit))
  tone data/b/$digit.wav $((310 + 330 * digit))
done
training=("$program" --data data --unheard b --copies 16)
train whole --epochs 8
left whole report_listener.html spectrograms_listener.svg confusion_listener.svg weights_listener.safetensors
grep -q '^10 recordings of voices to hear, each in 16 ways, and 10 of voices never heard$' whole.txt ||
  fail "$(cat whole.txt)"
right=$(awk '$1 == "b" { print $2 }' whole.txt)
awk -v right="${right:-0}" 'BEGIN { exit !(right >= 30) }' || fail "it learns nothing: $(cat whole.txt)"
same() {
  cmp -s "$1/weights_listener.safetensors" "$2/weights_listener.safetensors" || fail "$1 and $2 differ"
}
train again --epochs 8 --threads 1
same whole again
train parts --epochs 1 --micro-batches 1
cmp -s {whole,parts}/weights_listener.safetensors && fail "an epoch is as good as eight"

"$program" --data data --unheard b --copies 1 --export sounds.npz >out.txt || fail "no archive: $(cat out.txt)"
[[ $(head -c 2 sounds.npz) == PK ]] || fail "sounds.npz is no archive"
refused "voices that stay unheard" --data data --unheard nobody
mkdir none
refused "there is no folder of a voice" --data none
head -c 100 data/a/9.wav >cut.wav && mv cut.wav data/a/9.wav
refused "9.wav: it is cut off" --data data --unheard b
echo text >data/a/9.wav
refused "9.wav: not a WAV file" --data data --unheard b
rm data/a/9.wav
refused "9.wav: cannot read" --data data --unheard b
((failures == 0))
