import { isPlainName } from '../../../language/syntax/grammar.js';
import { escapeUnsafe } from '../../../shared/text.js';
import { splitWords } from '../names.js';

/** Texts of a document for people: Markdown and HTML become one plain line, without expressions of IML. */
export function plainLine(text: unknown): string {
  if (typeof text !== 'string') return '';
  return withoutTags(text.slice(0, MAX_READ))
    .replace(/!?\[([^\]]{0,200})\]\([^)]{0,400}\)/g, '$1')
    .replaceAll('{{', '{ {')
    .replaceAll('}}', '} }')
    .replace(/[*_]{2,3}/g, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(INVISIBLE, '')
    .trim();
}

/** A tag inside of a tag becomes one when the inner one is gone. What is left of tags is no HTML. */
function withoutTags(text: string): string {
  const cut = text.replace(/<[^<>]{0,200}>/g, ' ');
  if (cut !== text) return withoutTags(cut);
  return text.replace(/<(?=[a-z/!?])/gi, '< ');
}

/** Invisible characters, and characters that change the direction of a text. */
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

const MAX_READ = 4000;

/** Words of a name in a document, which may have any length. */
export function wordsOf(name: string): readonly string[] {
  return splitWords(name.slice(0, MAX_NAME));
}

const MAX_NAME = 200;

/** An identifier of ASCII letters and digits: `line`, `items` → `lineItems`. Empty if no word has any. */
export function camelCase(words: readonly string[]): string {
  return words
    .map((word) => word.normalize('NFKD').replace(/[^a-z0-9]/g, ''))
    .filter((word) => word !== '')
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
}

/** The first sentences of a text, up to a length. */
export function firstSentences(text: unknown, maxLength: number): string {
  const line = plainLine(text);
  if (line.length <= maxLength) return line;
  const start = line.slice(0, maxLength);
  const end = Math.max(start.lastIndexOf('. '), start.lastIndexOf('! '), start.lastIndexOf('? '));
  if (end > maxLength / 4) return start.slice(0, end + 1);
  const space = start.lastIndexOf(' ');
  return `${start.slice(0, space > 0 ? space : maxLength - 1)}…`;
}

/** A path of an expression: `body.data`, with names that are no identifiers in backticks. */
export function printPath(root: string, names: readonly string[]): string {
  return [root, ...names.map((name) => (isPlainName(name) ? name : `\`${name}\``))].join('.');
}

/** Whether a name is valid in a path, as a member and in a form, and shows all of its characters. */
export function isUsableName(name: string): boolean {
  return (
    name !== '' && name.length <= 128 && !/[`\p{Cc}]|\{\{|\}\}/u.test(name) && escapeUnsafe(name) === name
  );
}
