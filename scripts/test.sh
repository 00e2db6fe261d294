#!/bin/sh
# npm test: works on any Node that npm runs on, then goes on with the project's own.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
install_packages
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
exec node_modules/.bin/node scripts/test.mjs "$@"
