# Sourced by start.sh, test.sh and check.sh from the repository's root: plain sh, because on a fresh clone the Node that
# the project runs on (npm package `node`) is not there yet.

# Installs the packages where they are missing or older than the lockfile, with a sign of life every ten seconds.
install_packages() {
  installed=node_modules/.package-lock.json
  if [ -f "$installed" ] && [ ! package-lock.json -nt "$installed" ] && [ -x node_modules/.bin/node ]; then
    return 0
  fi
  echo "installing packages (npm ci) ..."
  (
    seconds=0
    while sleep 10; do
      seconds=$((seconds + 10))
      echo "  still installing: $seconds s"
    done
  ) &
  ticker=$!
  status=0
  npm ci --no-audit --no-fund --loglevel=error </dev/null || status=$?
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  if [ "$status" -ne 0 ]; then
    echo "npm ci failed ($status). It needs Node 20.19 or newer, npm and the way to your npm registry." >&2
    exit "$status"
  fi
  # The lockfile may be newer than what npm wrote, where a checkout touched it.
  touch "$installed"
}
