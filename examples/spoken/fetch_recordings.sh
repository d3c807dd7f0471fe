#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: fetch_recordings.sh [FOLDER]
# Puts the digits 0 to 9, spoken by eight voices, into a folder (out/spoken-data) as VOICE/DIGIT.wav, 8 kHz,
# from Debian's packages of prompts for the telephone exchange Asterisk. Those of three voices are
# compressed for telephones (GSM), which sox unpacks. Voices that are there already are left alone.
set -euo pipefail
folder=${1:-out/spoken-data}
sounds=/usr/share/asterisk/sounds
# The voice, its package, and where that has it.
voices='en_Allison asterisk-core-sounds-en-wav en_US_f_Allison
es_Allison asterisk-core-sounds-es-wav es_MX_f_Allison
fr_June asterisk-core-sounds-fr-wav fr_CA_f_June
it_Carlo asterisk-core-sounds-it-wav it_IT_m_Carlo
ru_Ivrvoice asterisk-core-sounds-ru-wav ru_RU_f_IvrvoiceRU
es_Colombia asterisk-prompt-es-co es
fr_Armelle asterisk-prompt-fr-armelle fr
it_Menardi asterisk-prompt-it-menardi-wav it_IT_f_Menardi'

# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/install_packages.sh"
while read -r voice package source; do
  [[ -s $folder/$voice/9.wav ]] && continue
  install_packages "$package" sox
  mkdir -p "$folder/$voice.part"
  for digit in {0..9}; do
    recording=$sounds/$source/digits/$digit.wav
    [[ -f $recording ]] || recording=${recording%.wav}.gsm
    sox "$recording" -r 8000 -b 16 -e signed-integer -c 1 "$folder/$voice.part/$digit.wav"
  done
  rm -rf "${folder:?}/$voice"
  mv "$folder/$voice.part" "$folder/$voice"
done <<<"$voices"
echo "The recordings are in $folder"
