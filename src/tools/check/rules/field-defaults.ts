import { toNumber } from '../../../language/values/value.js';
import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import { isForm, listFields } from '../subject/form-fields.js';

export const defaultType: Rule = {
  id: 'default-type',
  level: 'warning',
  summary: 'The default of a field is not a valid value of the field.',
  why: 'The form shows an empty field or rejects its own default. A number field cannot contain `"many"`, and a select only contains its options.',
  bad: '{ "name": "limit", "type": "uinteger", "default": "many" }',
  good: '{ "name": "limit", "type": "uinteger", "default": 10 }',
  check: (subject, report) => {
    for (const { in: checked, document, value, pointer } of listFields(subject)) {
      const problem = isForm(checked) ? describeMisfit(value) : undefined;
      if (problem === undefined) continue;
      report({ message: problem, place: document.locationOf(childPointer(pointer, 'default')) });
    }
  },
};

const NUMBERS: ReadonlySet<unknown> = new Set(['number', 'integer', 'uinteger', 'port']);
const TEXTS: ReadonlySet<unknown> = new Set([
  'text',
  'email',
  'password',
  'url',
  'filename',
  'uuid',
  'color',
]);

/** The problem of a default; undefined if it fits or is an expression. */
function describeMisfit(field: PlainObject): string | undefined {
  const value = ownMember(field, 'default');
  const type = ownMember(field, 'type');
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' && value.includes('{{')) return undefined;
  const expected = (what: string): string =>
    `The default ${JSON.stringify(value).slice(0, 80)} does not fit the type ${String(type)}: expected ${what}.`;
  if (NUMBERS.has(type)) return toNumber(value) === undefined ? expected('a number') : undefined;
  if (type === 'boolean' || type === 'checkbox') {
    return typeof value === 'boolean' ? undefined : expected('true or false');
  }
  if (TEXTS.has(type)) return typeof value === 'object' ? expected('a text') : undefined;
  if (type === 'array') return Array.isArray(value) ? undefined : expected('a list');
  if (type === 'collection') return isPlainObject(value) ? undefined : expected('an object');
  if (type === 'date' && typeof value === 'string' && !/\d/.test(value) && value !== 'now') {
    return expected('a date');
  }
  return type === 'select' ? describeMissingOption(field, value) : undefined;
}

/** A default that is not among literal options. */
function describeMissingOption(field: PlainObject, value: unknown): string | undefined {
  const options = ownMember(field, 'options');
  const written = isPlainObject(options) ? ownMember(options, 'store') : options;
  if (!Array.isArray(written) || written.length === 0) return undefined;
  const values: unknown[] = [];
  for (const option of written as readonly unknown[]) {
    // Texts are RPC URLs or values; groups contain options.
    if (!isPlainObject(option) || Object.hasOwn(option, 'options')) return undefined;
    values.push(ownMember(option, 'value'));
  }
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [value];
  const missing = chosen.find((one) => !values.some((known) => String(known) === String(one)));
  return missing === undefined
    ? undefined
    : `The default ${JSON.stringify(missing)} is not one of the options.`;
}

export const flagAsText: Rule = {
  id: 'flag-as-text',
  level: 'warning',
  summary: 'A flag of a field is the text `"true"` or `"false"` instead of a boolean.',
  why: 'Only a boolean has an effect: a field with `"required": "true"` is not required.',
  bad: '{ "name": "id", "type": "text", "required": "true" }',
  good: '{ "name": "id", "type": "text", "required": true }',
  check: (subject, report) => {
    for (const { document, value, pointer } of listFields(subject)) {
      for (const flag of FLAGS) {
        const written = ownMember(value, flag);
        if (written !== 'true' && written !== 'false') continue;
        report({
          message: `"${flag}" is a text. Write ${written} without quotes.`,
          place: document.locationOf(childPointer(pointer, flag)),
        });
      }
    }
  },
};

const FLAGS = [
  ...['required', 'advanced', 'multiple', 'multiline', 'editable', 'disabled', 'readonly', 'time'],
  ...['sequence', 'grouped', 'dynamic', 'mappable', 'validate', 'sort'],
];
