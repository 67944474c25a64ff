import { editJson } from '../../../engine/document/edit-json.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { escapeUnsafe } from '../../../shared/text.js';
import type { ReadCase } from '../cases/read-case.js';
import { MADE_UP_NOTE, type TestCase } from '../cases/test-case.js';

const MAX_WIDTH = 110;

/** Prints JSON for readable diffs: two spaces per level, short values on one line. */
export function printCase(value: unknown): string {
  return `${print(value, '', 0)}\n`;
}

/** Prints a member of the outermost object. */
function printMember(name: string, value: unknown): string {
  return print(value, '  ', JSON.stringify(name).length + 2);
}

/** @param taken characters before the value on its line */
function print(value: unknown, indent: string, taken: number): string {
  const short = printShort(value);
  if (indent !== '' && indent.length + taken + short.length <= MAX_WIDTH) return short;
  const inner = `${indent}  `;
  if (Array.isArray(value) && value.length > 0) {
    const items = value.map((item: unknown) => inner + print(item, inner, 0));
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  if (!isPlainObject(value) || Object.keys(value).length === 0) return short;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => {
      const key = `${JSON.stringify(name)}: `;
      return inner + key + print(member, inner, key.length);
    });
  return `{\n${members.join(',\n')}\n${indent}}`;
}

/** With spaces, as people write JSON. */
function printShort(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printShort).join(', ')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}: ${printShort(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Order of the members of a case. */
const ORDER = [
  ...(['$schema', 'name', 'title', 'note', 'component', 'kind', 'live', 'recorded', 'secrets'] as const),
  ...(['input', 'common', 'ignore', 'exchanges', 'expect'] as const),
] as const;

/** Members that a recording replaces. */
const RECORDED = ['recorded', 'secrets', 'input', 'common', 'exchanges', 'expect'] as const;

const MADE_UP_LINE = new RegExp(`^${MADE_UP_NOTE}.*\\n`, 'm');

/**
 * Merges a recording into the text of its case and removes `record`. Other members and comments stay.
 *
 * @param keepsExpectation whether to keep `expect`
 */
export function mergeCase({ document }: ReadCase, recorded: TestCase, keepsExpectation: boolean): string {
  const members = RECORDED.filter((name) => name !== 'expect' || !keepsExpectation);
  const text = (document.text ?? '').replace(MADE_UP_LINE, '');
  // Inserts marks first, which are then replaced by the printed values.
  const marks = members.flatMap((name) => {
    const value = recorded[name];
    if (value === undefined) return [];
    return [{ name, mark: `\u0000${name}`, printed: escapeUnsafe(printMember(name, value)) }];
  });
  // Common data are read from the app again; unused secrets are removed.
  const gone = members.filter((name) => recorded[name] === undefined);
  const edits = [
    { path: ['record'], value: undefined },
    ...gone.map((name) => ({ path: [name], value: undefined })),
    ...marks.map(({ name, mark }) => ({ path: [name], value: mark })),
  ];
  const marked = editJson(text, edits, ORDER);
  return marks.reduce(
    (whole, { mark, printed }) => whole.replace(JSON.stringify(mark), () => printed),
    marked,
  );
}
