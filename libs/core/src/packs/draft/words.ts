/** What a draft takes from names alone. All of it is data, and all of it a person should look over. */

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Commands that only look. Everything that is not here writes. */
export const READING: ReadonlySet<string> = set(
  `list ls ll show get view cat read print dump display status state info describe inspect search find query lookup grep
   log logs history blame diff compare count stat stats summary total balance tree head tail top ps which where whoami
   check validate verify lint explain outdated doctor audit ping plan preview version versions root prefix help about
   ls-files ls-tree rev-parse shortlog images sbom fund`,
);

/** Commands that write what can be written again: they do not ask. */
export const WRITING: ReadonlySet<string> = set(
  `add create new init make mkdir touch set update edit write put append insert rename move mv copy cp tag untag label
   mark build compile format fmt generate gen save note record book open import convert pack unpack clone checkout switch
   stage commit stash enable pause unpause`,
);

/** Commands that take away, or that others see: a person is asked. */
export const ASKING: ReadonlySet<string> = set(
  `delete del remove rm rmi drop destroy purge erase wipe trash clear clean prune reset revert restore rollback revoke
   uninstall unpublish undeprecate deprecate publish deploy release promote push upload send reply forward post email mail
   notify message invite share grant deny approve reject merge rebase kill stop restart terminate cancel close archive
   disable upgrade downgrade install reinstall autoremove apply run start sync migrate overwrite force submit sign order
   subscribe unsubscribe ban block transfer-owner`,
);

/** Why a command is left out of the draft, by its name. */
export const LEFT_OUT_COMMANDS: readonly (readonly [string, ReadonlySet<string>])[] = [
  ['it is about the program itself', set('help version completion completions upgrade-self self-update man docs')],
  [
    'it signs in; what the pack needs is bound (binding.env)',
    set('login logout signin signout adduser auth authenticate token'),
  ],
  [
    'it runs other programs, which is more than one command',
    set('exec eval shell sh bash repl console x dlx npx xargs explore'),
  ],
  ['it waits for a person or never ends', set('serve server daemon dev watch edit tui interactive attach')],
];

/** Options by name, without dashes, that a draft leaves out, and why, where it is worth a word. */
export const LEFT_OUT_OPTIONS: readonly (readonly [string, ReadonlySet<string>])[] = [
  ['', set('help h usage version V html-path man-path info-path')],
  [
    'they run other programs or load code',
    set(
      `exec execute cmd command shell eval editor pager paginate hook hooks plugin plugins loader require import preload
       use-compress-program checkpoint-action to-command rsh rsh-command upload-pack receive-pack config-env exec-path
       script-shell proxy-command load-extension ext-diff textconv open-files-in-pager info-script new-volume-script
       rmt-command node-options script call extcmd template-engine inspect inspect-brk`,
    ),
  ],
  ['they name other settings or another account', set('config config-file profile settings env-file rcfile netrc')],
  ['they wait for a person or never end', set('interactive patch edit watch follow prompt askpass tui i')],
  ['', set('color colour no-color colors')],
];

/** Switches by which a program is told that a person agreed: the confirm gate asks in their place. */
export const CONSENT: ReadonlySet<string> = set('yes assume-yes confirm y');
/** Switches that keep a program from asking at all. */
export const UNATTENDED: ReadonlySet<string> = set('non-interactive no-input no-interactive no-prompt no-pager batch');

/** What stands for a whole number, and for any number, where a value is named. */
export const INTEGERS: ReadonlySet<string> = set(
  'n num count int integer uint int32 int64 uint32 uint64 port depth lines',
);
export const NUMBERS: ReadonlySet<string> = set('number float float32 float64 double decimal');
