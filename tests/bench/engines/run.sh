#!/usr/bin/env bash
# Runs the engines side by side; see README.md. All options go to bench.py.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${PYTHON:-python3}
"$python" -c 'import torch, transformers, peft, gguf' 2>/dev/null ||
  { echo "$python lacks torch, transformers, peft or gguf; name another one with PYTHON=" >&2; exit 2; }
exec "$python" "$here/bench.py" "$@"
