/**
 * Reads `git status --porcelain=v2 --branch -z`. `index` and `files` are what changed there: one letter as git has it
 * (A added, M modified, D deleted, R renamed, T type, U unmerged), null for nothing.
 */
export function parseStatus(text) {
  const branch = { name: null, commit: null };
  const changes = [];
  const untracked = [];
  const entries = text.split('\0');
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at];
    const [kind, ...words] = entry.split(' ');
    if (kind === '#') {
      const value = words.slice(1).join(' ');
      if (words[0] === 'branch.head') branch.name = value === '(detached)' ? null : value;
      if (words[0] === 'branch.oid') branch.commit = value === '(initial)' ? null : value;
    } else if (kind === '?') untracked.push(entry.slice(2));
    else if (kind === '1') changes.push({ path: words.slice(7).join(' '), ...letters(words[0]) });
    else if (kind === 'u') changes.push({ path: words.slice(9).join(' '), ...letters(words[0]) });
    else if (kind === '2') {
      at += 1;
      changes.push({ path: words.slice(8).join(' '), ...letters(words[0]), from: entries[at] });
    }
  }
  return { branch, clean: changes.length === 0 && untracked.length === 0, changes, untracked };
}

const letters = ([index, files]) => ({ index: index === '.' ? null : index, files: files === '.' ? null : files });
