/** Appears in no answer, whatever is sent. */
export const CANARY = 'canary-5b1d';
export const MIB = 1024 * 1024;

/** A good envelope with something more. */
export const envelope = (more: string): string => `{"pack_id":"x","verb_key":"y","args":{}${more}}`;

/** Bodies that are no envelope: what is wrong, the body, the field that is named, the media type. */
export const BODIES: readonly (readonly [what: string, body: string | Buffer, field: string, type?: string])[] = [
  ['an unknown field', envelope(`,"project_id":"${CANARY}"`), 'project_id'],
  ['an unknown field with a strange name', envelope(`,"${CANARY} \\u202e":1`), '(unprintable name)'],
  ['a field twice', envelope(`,"pack_id":"${CANARY}"`), 'pack_id'],
  ['a field twice with the same value', envelope(',"pack_id":"x"'), 'pack_id'],
  ['a field twice, once escaped', envelope(`,"\\u0070ack_id":"${CANARY}"`), 'pack_id'],
  [
    'a field twice, all of it escaped',
    envelope(',"\\u0076\\u0065\\u0072\\u0062\\u005f\\u006b\\u0065\\u0079":"z"'),
    'verb_key',
  ],
  ['an argument twice', `{"pack_id":"x","verb_key":"y","args":{"a":1,"a":"${CANARY}"}}`, 'args.a'],
  [
    'an argument twice, once escaped',
    `{"pack_id":"x","verb_key":"y","args":{"confirm":false,"c\\u006fnfirm":true}}`,
    'args.confirm',
  ],
  ['a key twice within a list', `{"pack_id":"x","verb_key":"y","args":{"l":[0,{"k":1,"k":2}]}}`, 'args.l.1.k'],
  ['__proto__', envelope(`,"__proto__":{"ok":"${CANARY}"}`), '__proto__'],
  ['__proto__, escaped', envelope(`,"\\u005f_proto__":{"ok":"${CANARY}"}`), '__proto__'],
  [
    '__proto__ among the arguments',
    `{"pack_id":"x","verb_key":"y","args":{"__proto__":{"a":"${CANARY}"}}}`,
    'args.__proto__',
  ],
  [
    'constructor deep in the arguments',
    `{"pack_id":"x","verb_key":"y","args":{"a":[{"constructor":{"prototype":1}}]}}`,
    'args.a.0.constructor',
  ],
  ['prototype', `{"pack_id":"x","verb_key":"y","args":{"prototype":"${CANARY}"}}`, 'args.prototype'],
  ['no JSON', `{"pack_id":"${CANARY}"`, 'body'],
  ['JSON with a comma too many', `{"pack_id":"${CANARY}",}`, 'body'],
  ['JSON with a comment', `{/*${CANARY}*/"pack_id":"x"}`, 'body'],
  ['two documents', `{"pack_id":"x"}{"pack_id":"${CANARY}"}`, 'body'],
  ['NaN', envelope(',"wait_ms":NaN'), 'body'],
  ['a byte order mark', `\ufeff${envelope('')}`, 'body'],
  [
    'invalid UTF-8',
    Buffer.concat([Buffer.from('{"pack_id":"'), Buffer.from([0xff, 0xc0, 0xaf]), Buffer.from('"}')]),
    'body',
  ],
  ['UTF-16', Buffer.from(envelope(''), 'utf16le'), 'body'],
  [
    'a half surrogate as bytes',
    Buffer.concat([Buffer.from('{"pack_id":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    'body',
  ],
  ['nothing', '', 'body'],
  ['blanks', '  \n', 'body'],
  ['a list', `[{"pack_id":"${CANARY}","verb_key":"y"}]`, 'body'],
  ['an empty list', '[]', 'body'],
  ['a text', `"${CANARY}"`, 'body'],
  ['a number', '1', 'body'],
  ['null', 'null', 'body'],
  ['no pack', '{"verb_key":"y"}', 'pack_id'],
  ['no command', '{"pack_id":"x"}', 'verb_key'],
  ['two packs', envelope(`,"surface_id":"${CANARY}"`), 'surface_id'],
  ['a number beyond all', `{"pack_id":"x","verb_key":"y","args":{"n":1e400}}`, 'args.n'],
  ['a number nearly nothing', `{"pack_id":"x","verb_key":"y","args":{"n":1e-400}}`, 'args.n'],
  [
    'a number with more digits than a double',
    `{"pack_id":"x","verb_key":"y","args":{"n":0.1000000000000000055511151231257827}}`,
    'args.n',
  ],
  [
    'a number too large to be exact',
    `{"pack_id":"x","verb_key":"y","args":{"deep":[{"n":12345678901234567890}]}}`,
    'args.deep.0.n',
  ],
  ['nesting without end', `{"pack_id":"x","verb_key":"y","args":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`, 'args.a'],
  [
    'nesting that breaks stacks',
    `{"pack_id":"x","verb_key":"y","args":{"a":${'{"a":'.repeat(80_000)}1${'}'.repeat(80_000)}}}`,
    'args.a',
  ],
  ['a body over 1 MiB', `{"pack_id":"x","verb_key":"y","args":{"a":"${'a'.repeat(MIB)}"}}`, 'body'],
  ['a body far over 1 MiB', Buffer.alloc(8 * MIB, 0x20), 'body'],
  ['a form', `pack_id=${CANARY}`, 'body', 'application/x-www-form-urlencoded'],
  ['text', envelope(''), 'body', 'text/plain'],
  ['XML', `<pack>${CANARY}</pack>`, 'body', 'application/xml'],
  ['a type that only looks like JSON', envelope(''), 'body', 'application/jsonp'],
  ['an archive', envelope(''), 'body', 'application/gzip'],
  ['a type that is none', envelope(''), 'body', CANARY],
];
