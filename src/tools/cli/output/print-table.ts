import stringWidth from 'string-width';
import { isPlainObject, ownMember } from '../../../shared/plain-object.js';
import type { Arguments } from '../command.js';
import type { Io } from '../io.js';
import { printJson, printPrettyJson } from './json-output.js';
import { printableLine } from './terminal-text.js';

const GAP = '  ';
/** Narrower columns show too little of long values. */
const MIN_WIDTH = 10;
const DEFAULT_COLUMNS = 100;
const MAX_BLOCK_VALUE = 1000;

/**
 * A table with one row per bundle, or blocks of `name  value` for a single bundle or too many members.
 *
 * @param columns width of the terminal. Default 100.
 */
export function printTable(bundles: readonly unknown[], columns: number = DEFAULT_COLUMNS): string {
  if (bundles.length === 0) return '';
  const names = collectNames(bundles);
  const titles = names.map(printableLine);
  const rows = bundles.map((bundle) => names.map((name) => printCell(bundle, name)));
  const widths = titles.map((title, index) =>
    rows.reduce((widest, row) => Math.max(widest, stringWidth(row[index] ?? '')), stringWidth(title)),
  );
  const shown = shrink(widths, columns - GAP.length * (names.length - 1));
  if (bundles.length === 1 || shown === undefined) return rows.map((row) => block(titles, row)).join('\n');
  return [titles, shown.map((width) => '-'.repeat(width)), ...rows].map((row) => line(row, shown)).join('');
}

/** Prints rows as `--json`, NDJSON, or on a terminal as a table. @param none what to say on a terminal without rows */
export async function printRows(
  rows: readonly Readonly<Record<string, unknown>>[],
  none: string,
  args: Arguments,
  { stdout, stderr }: Io,
): Promise<void> {
  if (args.isSet('json')) await stdout.write(`${printPrettyJson(rows)}\n`);
  else if (!stdout.isTerminal) await stdout.write(rows.map((row) => `${printJson(row)}\n`).join(''));
  else if (rows.length === 0) await stderr.write(`${none}\n`);
  else await stdout.write(printTable(rows, stdout.columns));
}

const WHOLE = '(value)';

/** Members of all bundles in order of first appearance; one column for bundles that are not collections. */
function collectNames(bundles: readonly unknown[]): readonly string[] {
  const names = new Set<string>();
  for (const bundle of bundles) {
    for (const name of isPlainObject(bundle) ? Object.keys(bundle) : [WHOLE]) names.add(name);
  }
  return [...names];
}

function printCell(bundle: unknown, name: string): string {
  if (!isPlainObject(bundle)) return name === WHOLE ? printValue(bundle) : '';
  return Object.hasOwn(bundle, name) ? printValue(ownMember(bundle, name)) : '';
}

function printValue(value: unknown): string {
  if (value === undefined || value === null) return value === null ? 'null' : '';
  if (value instanceof Uint8Array) return `<${value.byteLength} bytes>`;
  return printableLine(typeof value === 'string' ? value : unquoted(printJson(value)));
}

/** Dates are quoted in JSON only. */
function unquoted(json: string): string {
  return json.startsWith('"') ? json.slice(1, -1) : json;
}

/** Column widths that fit, shrinking the widest first. Undefined if columns would become too narrow. */
function shrink(widths: readonly number[], available: number): readonly number[] | undefined {
  const total = (cap: number): number => widths.reduce((sum, width) => sum + Math.min(width, cap), 0);
  let cap = Math.min(Math.max(...widths, 0), available);
  while (total(cap) > available && cap > MIN_WIDTH) cap--;
  return total(cap) > available ? undefined : widths.map((width) => Math.min(width, cap));
}

function line(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, index) => padText(fitText(cell, widths[index] ?? 0), widths[index] ?? 0));
  return `${padded.join(GAP).trimEnd()}\n`;
}

/** Values are printed in full up to a readable length. */
function block(names: readonly string[], cells: readonly string[]): string {
  const width = Math.max(0, ...names.map((name) => stringWidth(name)));
  return names
    .map((name, index) => `${padText(name, width)}${GAP}${fitText(cells[index] ?? '', MAX_BLOCK_VALUE)}\n`)
    .join('');
}

/** Created on first use, because it loads much data. */
let graphemes: Intl.Segmenter | undefined;

/** Cuts text to a width; `…` marks a cut. */
export function fitText(text: string, width: number): string {
  if (text.length <= width && stringWidth(text) <= width) return text;
  let fitted = '';
  let used = 0;
  graphemes ??= new Intl.Segmenter();
  for (const { segment } of graphemes.segment(text)) {
    const next = stringWidth(segment);
    if (used + next > width - 1) break;
    fitted += segment;
    used += next;
  }
  return `${fitted}…`;
}

/** Pads text with spaces. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}
