#!/bin/sh
# Secrets as files (docker secrets, Kubernetes volumes): each file in /run/secrets becomes a variable of its name, unless
# that variable is set already. They are then in the process's environment only, not in `docker inspect`.
set -eu
for file in "${HCP_SECRETS_DIR:-/run/secrets}"/*; do
  name=${file##*/}
  case $name in
    '*' | [0-9]* | *[!A-Z0-9_]*) continue ;;
  esac
  [ -f "$file" ] || continue
  eval "given=\${$name:-}"
  [ -n "$given" ] || export "$name=$(cat "$file")"
done
unset HCP_SECRETS_DIR
exec "$@"
