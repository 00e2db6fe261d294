import { escapeInvisible } from '@hcp/core';

/** A word shorter than this fits into a line of every screen. */
const KEPT = 26;
/** A flag at the beginning of a longer word, such as of `--memo=…`. */
const FLAG = /^--?[A-Za-z0-9][A-Za-z0-9_.-]*=?/;

/** A command line that breaks between its words, and within one only where that is too long for any line. */
export function CommandLine({ text }: { text: string }) {
  return (
    <pre className="hcp-code">
      {escapeInvisible(text)
        .split(/(\s+)/)
        .map((word, index) => (
          <Word key={index} word={word} />
        ))}
    </pre>
  );
}

function Word({ word }: { word: string }) {
  if (word.trim() === '') return word;
  if (word.length < KEPT) return <span className="hcp-whole">{word}</span>;
  const flag = FLAG.exec(word)?.[0] ?? '';
  if (flag === '' || flag.length >= KEPT) return word;
  return (
    <>
      <span className="hcp-whole">{flag}</span>
      {word.slice(flag.length)}
    </>
  );
}
