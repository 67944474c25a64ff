import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const SOURCE = path.resolve(import.meta.dirname, '../../src');
const FILES = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
);

/** The comments of a file with their lines. */
function readComments(
  file: string,
): { readonly line: string; readonly text: string; readonly next: string }[] {
  const source = readFileSync(path.join(SOURCE, file), 'utf8');
  return [...source.matchAll(/^[ \t]*\/\*\*([\s\S]*?)\*\/[ \t]*\n([^\n]*)/gm)].map(
    ({ index, 1: text = '', 2: next = '' }) => ({
      line: `${file}:${source.slice(0, index).split('\n').length}`,
      text: text.replace(/^\s*\* ?/gm, '').trim(),
      next,
    }),
  );
}

it('no doc comment follows another one', () => {
  const doubled = FILES.flatMap(readComments).filter(({ next }) => next.trimStart().startsWith('/**'));
  expect(doubled.map(({ line }) => line)).toEqual([]);
});

it('every doc comment ends with a full stop, but for tags, code and lists', () => {
  const open = FILES.flatMap(readComments).filter(({ text }) => {
    const about = (text.split(/(?:^|\s)@[a-z]/)[0] ?? '').trimEnd();
    const last = about.split('\n').at(-1) ?? '';
    // Sources and tags of certainty close a comment without a full stop.
    const isTagged = /\[[a-z-]+\]$/.test(about);
    return last !== '' && !isTagged && !/^(?: {2,}|[-|`] ?)/.test(last) && !/[.:?!`)]$/.test(last);
  });
  expect(open.map(({ line, text }) => `${line} ${text}`)).toEqual([]);
});
