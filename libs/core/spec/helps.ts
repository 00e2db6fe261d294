import type { ProgramHelp } from '../src/index.js';

/** Help texts of programs that do not exist, in the styles of those that do. */

const help = (text: string, commands: Record<string, string> = {}): ProgramHelp => ({
  text,
  commands: new Map(Object.entries(commands)),
});

/** As commander prints it. */
export const COMMANDER = help(
  `Usage: tab [options] [command]

Keeps what people owe for coffee.

Options:
  -V, --version                output the version number
  -h, --help                   display help for command

Commands:
  list|ls [options]            List what is owed
  add [options] <amount>       Put a coffee on the tab
  pay <amount> <person>        Pay a person back
  forget [options] <person>    Forget what a person owes
  help [command]               display help for command
`,
  {
    list: `Usage: tab list|ls [options]

List what is owed

Options:
  --sort <by>    order of the lines (choices: "name", "amount", default: "name")
  --json         print JSON
  -h, --help     display help for command
`,
    add: `Usage: tab add [options] <amount>

Put a coffee on the tab

Arguments:
  amount                how much, in euros

Options:
  --for <reason>        what it was
  --count <n>           how many of it
  --tag <tag...>        a word to find it by
  --mode <mode>         how it is counted
  --no-round            do not round
  --json                print JSON
`,
    pay: `Usage: tab pay [options] <amount> <person>

Options:
  --json      print JSON
`,
    forget: `Usage: tab forget [options] <person>

Options:
  -y, --yes         do not ask
  --token <token>   who you are
  --hook <command>  a command to run after it
  --json            print JSON
`,
  },
);

/** As argparse prints it. */
export const ARGPARSE = help(
  `usage: depot [-h] [--verbose] {show,move,drop} ...

Moves boxes between shelves.

positional arguments:
  {show,move,drop}
    show            show a shelf
    move            move a box
    drop            throw a box away

options:
  -h, --help        show this help message and exit
  --verbose         say more
`,
  {
    show: `usage: depot show [-h] [--format {text,json}] shelf

positional arguments:
  shelf                 which shelf

options:
  -h, --help            show this help message and exit
  --format {text,json}  how it is printed
`,
    move: `usage: depot move [-h] --to SHELF [--fast] [--weight FLOAT] box [box ...]

positional arguments:
  box                   the box

options:
  -h, --help            show this help message and exit
  --to SHELF, -t SHELF  where it goes
  --fast                hurry
  --weight FLOAT        what it weighs
`,
    drop: `usage: depot drop [-h] box

positional arguments:
  box         the box

options:
  -h, --help  show this help message and exit
`,
  },
);

/** As clap prints it. */
export const CLAP = help(
  `Waters plants

Usage: sprout [OPTIONS] <COMMAND>

Commands:
  water, w  Water a plant
  status    Tell how plants do
  help      Print this message

Options:
  -c, --config <FILE>  Sets a custom config file
  -h, --help           Print help
`,
  {
    water: `Water a plant

Usage: sprout water [OPTIONS] --litres <N> <PLANT>

Arguments:
  <PLANT>  The plant

Options:
      --litres <N>         How much
      --when[=<WHEN>]      When to begin [possible values: now, later]
  -v, --verbose...         More output
  -h, --help               Print help
`,
    status: `Tell how plants do

Usage: sprout status [PLANT]...

Arguments:
  [PLANT]...  Only these
`,
  },
);

/** As cobra prints it. */
export const COBRA = help(
  `Ships containers of tea.

Usage:
  harbor [command]

Available Commands:
  completion  Generate the autocompletion script
  deploy      Deploy a ship
  get         Get ships
  crew        Manage the crew

Flags:
      --fleet string   the fleet
  -h, --help           help for harbor

Use "harbor [command] --help" for more information about a command.
`,
  {
    deploy: `Deploy a ship

Usage:
  harbor deploy NAME [flags]

Flags:
      --crates int        number of crates (default 1)
      --env stringArray   variables
  -h, --help              help for deploy

Global Flags:
      --fleet string   the fleet
`,
    get: `Get ships

Usage:
  harbor get [NAME] [flags]

Aliases:
  get, ls

Flags:
  -o, --output string   Output format. One of: json, yaml
  -h, --help            help for get
`,
    crew: `Manage the crew

Usage:
  harbor crew [command]

Available Commands:
  hire        Hire someone
  fire        Fire someone
`,
  },
);

/** As click prints it. */
export const CLICK = help(
  `Usage: post [OPTIONS] COMMAND [ARGS]...

  Sends letters.

Options:
  --help  Show this message and exit.

Commands:
  send    Send a letter.
  track   Track a letter.
`,
  {
    send: `Usage: post send [OPTIONS]

  Send a letter.

Options:
  --to TEXT                   Who gets it.  [required]
  --subject TEXT              What it is about.
  --speed [slow|fast]         How it goes.
  --copies INTEGER RANGE      How many.  [1<=x<=9]
  --help                      Show this message and exit.
`,
    track: `Usage: post track [OPTIONS] LETTER

Options:
  --help  Show this message and exit.
`,
  },
);

/** As git prints it, with groups in place of one list, and a manual for \`--help\`. */
export const GIT_LIKE = help(
  `usage: twig [-v | --version] [-C <path>]
            [--bare] <command> [<args>]

These are common Twig commands used in various situations:

start a tree (see also: twig help tutorial)
   plant     Plant a tree

look at it
   rings     Show its rings

'twig help -a' lists all commands.
`,
  {
    plant: `usage: twig plant [<options>] [--] <where> [<name>]
   or: twig plant --again

    -q, --quiet           be quiet
    -d, --depth <n>       how deep
    --[no-]water          water it
    -e, --edit            edit it first
`,
    rings: `TWIG-RINGS(1)                    Twig Manual                    TWIG-RINGS(1)

N\bNA\bAM\bME\bE
       twig-rings - Show its rings

SYNOPSIS
       twig rings [--count] [<tree>]

OPTIONS
       --count
           Print their number alone.

       --style=<style>
           How they are drawn; one of round, flat.
`,
  },
);

/** As docopt programs print it: everything is in the usage. */
export const DOCOPT = help(`Naval fights.

Usage:
  fleet ship new <name>...
  fleet ship <name> move <x> <y> [--speed=<kn>]
  fleet mine (set|remove) <x> <y> [--moored | --drifting]
  fleet -h | --help

Options:
  -h --help     Show this screen.
  --speed=<kn>  Speed in knots [default: 10].
  --moored      Moored mine.
`);

/** As GNU tools print it: no commands at all. */
export const GNU = help(`Usage: sieve [OPTION]... PATTERN [FILE]...
Searches for PATTERN in each FILE.
Example: sieve -i 'hello' menu.h

Pattern selection:
  -i, --ignore-case         ignore case
  -m, --max-count=NUM       stop after NUM lines
      --color[=WHEN]        use markers
  -f, --file=FILE           take patterns from FILE
      --pair a b            two of them
`);

/** Names in a row, without a word about any; help on standard error is the same for each. */
export const LIST = help(`crate <command>

Usage:

crate install <thing>  install a thing

All commands:

    install, ls, publish, exec,
    whoami

Specify settings in a file:
    ~/.craterc
`);

export const HELPS: Readonly<Record<string, ProgramHelp>> = {
  ...{ tab: COMMANDER, depot: ARGPARSE, sprout: CLAP, harbor: COBRA, post: CLICK },
  ...{ twig: GIT_LIKE, fleet: DOCOPT, sieve: GNU, crate: LIST },
};
