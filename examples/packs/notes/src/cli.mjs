import { main } from './run.mjs';
import { Failure, readState, writeState } from './state.mjs';

const FILE = 'notes.json';
const MAX_NOTES = 10_000;
const TAG = /^[a-z0-9-]{1,40}$/;

/** `next` only grows, so that the id of a deleted note never names another one. */
const initial = () => ({ next: 1, notes: [] });
const isValid = (state) =>
  Number.isSafeInteger(state?.next) &&
  Array.isArray(state.notes) &&
  state.notes.every((note) => [note?.id, note?.title, note?.text].every((field) => typeof field === 'string'));

const read = () => readState(FILE, initial, isValid);
const heading = ({ id, title, tag, at }) => ({ id, title, tag, at });
const newestFirst = (notes) => [...notes].reverse();

function add({ values, words }) {
  const { title, text = '', tag = null } = values;
  noMore(words, 0);
  if (!title) throw new Failure('usage', '--title TEXT is needed');
  if (tag !== null && !TAG.test(tag)) throw new Failure('usage', '--tag takes small letters, digits and dashes');
  const state = read();
  if (state.notes.length >= MAX_NOTES) throw new Failure('too_many_notes', `there are ${MAX_NOTES} notes already`);
  const note = { id: `n-${state.next}`, title, text, tag, at: new Date().toISOString() };
  writeState(FILE, { next: state.next + 1, notes: [...state.notes, note] });
  return { note };
}

function list({ values, words }) {
  noMore(words, 0);
  const { tag } = values;
  const notes = read().notes.filter((note) => tag === undefined || note.tag === tag);
  return { notes: newestFirst(notes).map(heading) };
}

function show({ words }) {
  return { note: find(read(), words) };
}

function search({ values, words }) {
  noMore(words, 0);
  if (!values.query) throw new Failure('usage', '--query TEXT is needed');
  const query = values.query.toLowerCase();
  const found = read().notes.filter(({ title, text }) => `${title}\n${text}`.toLowerCase().includes(query));
  return { notes: newestFirst(found).map(heading) };
}

function exportAll({ values, words }) {
  noMore(words, 0);
  const { format = 'json' } = values;
  const { notes } = read();
  if (format === 'json') return { format, notes };
  if (format !== 'markdown') throw new Failure('usage', '--format takes json or markdown');
  return { format, markdown: notes.map(({ title, text }) => `# ${title}\n\n${text}\n`).join('\n') };
}

function remove({ values, words }) {
  const state = read();
  const note = find(state, words);
  if (values.confirm !== true) throw new Failure('confirm_required', 'nothing was deleted: add --confirm to delete');
  writeState(FILE, { ...state, notes: state.notes.filter(({ id }) => id !== note.id) });
  return { deleted: heading(note) };
}

function find(state, words) {
  noMore(words, 1);
  if (words.length === 0) throw new Failure('usage', 'a note id is needed');
  const note = state.notes.find(({ id }) => id === words[0]);
  if (!note) throw new Failure('unknown_note', 'there is no such note; see notes list');
  return note;
}

function noMore(words, allowed) {
  if (words.length > allowed) throw new Failure('usage', 'there are more words than the command takes');
}

main('notes', {
  add: {
    usage: 'add --title TEXT [--text TEXT] [--tag TAG] [--json]',
    options: { title: { type: 'string' }, text: { type: 'string' }, tag: { type: 'string' } },
    run: add,
  },
  list: { usage: 'list [--tag TAG] [--json]', options: { tag: { type: 'string' } }, run: list },
  show: { usage: 'show ID [--json]', options: {}, run: show },
  search: { usage: 'search --query TEXT [--json]', options: { query: { type: 'string' } }, run: search },
  export: {
    usage: 'export [--format json|markdown] [--json]',
    options: { format: { type: 'string' } },
    run: exportAll,
  },
  delete: { usage: 'delete ID --confirm [--json]', options: { confirm: { type: 'boolean' } }, run: remove },
});
