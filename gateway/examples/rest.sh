#!/usr/bin/env bash
# Converts one file over REST: rest.sh IN TO OUT. Set FILEMILL_SERVER and FILEMILL_API_KEY.
# Waits as long as the conversion takes. If it fails, no file is written, and the reason is printed.
set -euo pipefail

curl -fsSL --max-redirs -1 -w "%{onerror}%{stderr}%header{x-error}\n" \
  -H "Authorization: Bearer $FILEMILL_API_KEY" \
  -F to="$2" -F file=@"$1" -o "$3" \
  "$FILEMILL_SERVER/api/v1/convert?download=wait"
