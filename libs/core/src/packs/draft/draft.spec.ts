import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HELPS } from '../../../spec/helps.js';
import { checkPack, draftPack, readArgv, renderArgv, type Draft, type ProgramHelp } from '../../index.js';
import { isPoorHelp, listedCommands } from './draft-pack.js';

const draft = (program: string, help: ProgramHelp | undefined = HELPS[program]): Draft =>
  draftPack({
    ...{ pack_id: program, name: program, bin: program, program, workspace: 'workspace' },
    help: help ?? { text: '', commands: new Map() },
  });

const check = ({ manifest, surface, policy, skill }: Draft) =>
  checkPack({
    manifest: JSON.stringify(manifest),
    surface: JSON.stringify(surface),
    policy: JSON.stringify(policy),
    skill,
    paths: [],
  });

/** `verb: operation confirm | command line`, for each command. */
const lines = ({ surface, policy }: Draft): string[] =>
  Object.entries(surface.commands).map(([key, { cli }]) => {
    const row = policy.commands[key];
    return `${key}: ${row?.operation ?? ''} ${String(row?.confirm)} | ${cli?.join(' ') ?? ''}`;
  });
const command = (made: Draft, key: string) => made.surface.commands[key] ?? { description: '' };
const argsOf = (made: Draft, key: string) => command(made, key).args?.properties ?? {};

describe('a draft', () => {
  it.each<[string, string[]]>([
    [
      'tab',
      [
        'list: read false | tab list --sort={{sort}}',
        'add: write false | tab add {{no_round}} --for={{for}} --count={{count}} --tag={{tag}} --mode={{mode_value}} {{amount}}',
        'pay: write always | tab pay {{amount}} {{person}}',
        'forget: write true | tab forget {{person}} --yes',
      ],
    ],
    [
      'depot',
      [
        'show: read false | depot show {{shelf}} --format=json',
        'move: write false | depot move {{fast}} --to={{to}} --weight={{weight}} {{box}} {{box_2}}',
        'drop: write true | depot drop {{box}}',
      ],
    ],
    [
      'sprout',
      [
        'water: write true | sprout water {{verbose}} --litres={{litres}} --when={{when}} {{plant}}',
        'status: read false | sprout status {{plant}}',
      ],
    ],
    [
      'harbor',
      [
        'deploy: write true | harbor deploy --crates={{crates}} --env={{env}} {{name}}',
        'get: read false | harbor get {{name}} --output=json',
      ],
    ],
    [
      'post',
      [
        'send: write true | post send --to={{to}} --subject={{subject}} --speed={{speed}} --copies={{copies}}',
        'track: write true | post track {{letter}}',
      ],
    ],
    [
      'twig',
      [
        'plant: write true | twig plant {{quiet}} {{water}} --depth={{depth}} {{where}} {{name}}',
        'rings: write true | twig rings {{count}} --style={{style}} {{tree}}',
      ],
    ],
    [
      'fleet',
      [
        'ship.new: write false | fleet ship new {{name}}',
        'ship.move: write false | fleet ship --speed={{speed}} {{name}} move {{x}} {{y}}',
        'mine: write true | fleet mine {{moored}} {{drifting}} {{action}} {{x}} {{y}}',
      ],
    ],
    [
      'sieve',
      ['run: write true | sieve {{ignore_case}} --max-count={{max_count}} --file={{file_2}} {{pattern}} {{file}}'],
    ],
    [
      'crate',
      [
        'install: write true | crate install {{thing}}',
        'ls: read false | crate ls',
        'publish: write true | crate publish',
        'whoami: read false | crate whoami',
      ],
    ],
  ])('of %s reads and asks by its names', (program, expected) => {
    expect(lines(draft(program))).toEqual(expected);
  });

  it.each(Object.keys(HELPS))('of %s passes the check without a finding, and asks with a preview', (program) => {
    const made = draft(program);
    const { findings, pack } = check(made);
    expect(findings).toEqual([]);
    expect(pack).not.toBeNull();
    for (const [key, row] of Object.entries(made.policy.commands)) {
      expect(command(made, key).preview !== undefined, key).toBe(row.confirm !== false);
      expect(command(made, key).idempotent, key).toBe(row.operation === 'read' ? true : undefined);
      expect(made.skill).toContain(`\`${key}\``);
    }
  });

  it('knows types, values, descriptions and what is required', () => {
    expect(argsOf(draft('tab'), 'add')).toMatchObject({
      amount: { type: 'string', description: 'how much, in euros', 'x-position': 0 },
      for: { type: 'string', description: 'what it was' },
      count: { type: 'integer' },
      tag: { type: 'string', description: 'a word to find it by One of what may be several.' },
      no_round: { type: 'boolean', 'x-switch': '--no-round' },
    });
    expect(argsOf(draft('tab'), 'list')).toMatchObject({ sort: { enum: ['name', 'amount'] } });
    expect(argsOf(draft('sprout'), 'water')).toMatchObject({
      when: { enum: ['now', 'later'] },
      litres: { type: 'integer' },
    });
    expect(argsOf(draft('post'), 'send')).toMatchObject({
      speed: { enum: ['slow', 'fast'] },
      copies: { type: 'integer' },
    });
    expect(argsOf(draft('depot'), 'move')).toMatchObject({ weight: { type: 'number' } });
    expect(argsOf(draft('twig'), 'rings')).toMatchObject({ style: { enum: ['round', 'flat'] } });
    expect(command(draft('depot'), 'move').args?.required).toEqual(['box', 'to']);
    expect(command(draft('post'), 'send').args?.required).toEqual(['to']);
    expect(command(draft('tab'), 'pay').args?.required).toEqual(['amount', 'person']);
  });

  it('uses JSON where the help mentions it', () => {
    expect(draft('tab').manifest.wrap?.json_flag).toBe('--json');
    for (const program of ['depot', 'harbor', 'post']) expect(draft(program).manifest.wrap?.json_flag).toBe(false);
    const some = {
      text: 'Commands:\n  a  One\n  b  Two\n',
      commands: new Map([['a', 'Usage: t a\n\n  --json  print JSON\n']]),
    };
    expect(lines(draft('tt', some))).toEqual(['a: write true | tt a --json', 'b: write true | tt b']);
    const whole = {
      text: 'Options:\n  --json  print JSON\n\nCommands:\n  ls  List\n',
      commands: new Map<string, string>(),
    };
    expect(lines(draft('tt', whole))).toEqual(['ls: read false | tt --json ls']);
  });

  it('leaves out what is no command and no argument for others to give, and says so', () => {
    expect(draft('tab').notes).toEqual([
      'help: left out, it is about the program itself',
      expect.stringMatching(/^forget: without --token: they take secrets/),
      'forget: without --hook: they run other programs or load code',
    ]);
    expect(draft('harbor').notes).toContain('crew: left out, it has commands of its own (hire, fire)');
    expect(draft('crate').notes).toContain('exec: left out, it runs other programs, which is more than one command');
    expect(draft('sieve').notes.join('\n')).toMatch(/run: sieve lists no commands[^]*without --pair: what stands/);
  });

  it('has the preview that the check suggests', () => {
    const made = draft('tab');
    const { preview, ...bare } = command(made, 'forget');
    const without = { ...made, surface: { commands: { ...made.surface.commands, forget: bare } } };
    const fix = check(without).findings.find(({ code }) => code === 'M025')?.fix;
    expect(JSON.parse(fix ?? '')).toEqual(preview);
  });

  it('is read back from the line that it renders', () => {
    const made = draft('depot');
    const args = { fast: true, to: '-x', weight: '1.5', box: 'a', box_2: 'b' };
    const rendered = renderArgv(made, 'move', args);
    expect(rendered).toMatchObject({ ok: true, argv: ['move', '--fast', '--to=-x', '--weight=1.5', 'a', 'b'] });
    const argv = rendered.ok ? rendered.argv.slice(1) : [];
    expect(readArgv(made, 'move', argv)).toMatchObject({ args, extra: [], unknown: [] });
  });

  it('takes the arguments from the list where a command has no help of its own', () => {
    const help = { text: 'Commands:\n  add [options] <amount> [note]  Add it\n', commands: new Map<string, string>() };
    const made = draft('tt', help);
    expect(lines(made)).toEqual(['add: write false | tt add {{amount}} {{note}}']);
    expect(command(made, 'add').args?.required).toEqual(['amount']);
  });

  it('says what the program is for, without escapes of a terminal', () => {
    expect(draft('sprout').manifest.description).toBe('Waters plants');
    expect(draft('tab').manifest.description).toBe('Keeps what people owe for coffee.');
    const bold = { text: '\u001b[1mDoes a thing well.\u001b[0m\n', commands: new Map<string, string>() };
    expect(draft('tt', bold).manifest.description).toBe('Does a thing well.');
  });

  it('tells names apart, and leaves out one that an agent could not', () => {
    const help = {
      text: 'Commands:\n  a:b  One\n  a.b  Two\n  a_b  Three\n  2fa  Four\n',
      commands: new Map<string, string>(),
    };
    const made = draft('tt', help);
    expect(Object.keys(made.surface.commands)).toEqual(['a.b']);
    expect(made.notes.join('\n')).toContain('a_b: left out, its name is that of another command');
  });

  it('passes the check whatever a program prints', () => {
    const piece = fc.constantFrom(
      ...Object.values(HELPS).flatMap(({ text, commands }) =>
        [text, ...commands.values()].flatMap((each) => each.split('\n')),
      ),
      ...[
        '  --{{x}} <{{y}}>  z',
        '  -- <a>  b',
        '  {{a}}  b',
        '[',
        ']]',
        '(((',
        '  __proto__  x',
        '  --__proto__ <v>  x',
        '  --confirm',
        '  --x-dash=<a|b>',
      ],
    );
    const text = fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }).map((all) => all.join('\n'));
    fc.assert(
      fc.property(text, text, (root, sub) => {
        const help = { text: root, commands: new Map(listedCommands(root).map((name) => [name, sub])) };
        const made = draft('tt', help);
        expect(check(made).findings.filter(({ level }) => level === 'error')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('isPoorHelp', () => {
  it('prefers the short help to a manual and to nothing', () => {
    expect(isPoorHelp(HELPS['twig']?.commands.get('rings') ?? '')).toBe(true);
    expect(isPoorHelp('error: no manual entry\n')).toBe(true);
    expect(isPoorHelp(HELPS['twig']?.commands.get('plant') ?? '')).toBe(false);
  });
});
