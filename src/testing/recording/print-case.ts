import { isPlainObject } from '../../util/plain-object.js';

const MAX_WIDTH = 110;

/** Prints JSON for readable diffs: two spaces per level, short values on one line. */
export function printCase(value: unknown): string {
  return `${print(value, '', 0)}\n`;
}

/** Prints a member of the outermost object. */
export function printMember(name: string, value: unknown): string {
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
