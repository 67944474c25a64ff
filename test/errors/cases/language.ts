import { evaluate } from '../../../src/language/index.js';
import type { ErrorCase } from './error-case.js';

const REFUSING = new Proxy(
  {},
  {
    getOwnPropertyDescriptor: () => {
      throw new Error('The database is closed.');
    },
    get: () => {
      throw new Error('The database is closed.');
    },
    has: () => true,
  },
);

const nest = (levels: number): unknown => {
  let value: unknown = '{{a}}';
  for (let level = 0; level < levels; level++) value = [value];
  return value;
};

export const LANGUAGE: readonly ErrorCase[] = [
  { code: 'IML_SYNTAX', title: '`{{1 +}}`', provoke: () => evaluate('{{1 +}}', {}) },
  { code: 'IML_UNTERMINATED_EXPRESSION', title: '`{{a`', provoke: () => evaluate('{{a', {}) },
  { code: 'IML_UNTERMINATED_STRING', title: '`{{"a}}`', provoke: () => evaluate('{{"a}}', {}) },
  {
    code: 'IML_UNKNOWN_FUNCTION',
    title: '`{{formatdate(now)}}`',
    provoke: () => evaluate('{{formatdate(now)}}', {}),
  },
  {
    code: 'IML_FUNCTION',
    title: '`{{parseDate(a)}}` of a collection',
    provoke: () => evaluate('{{parseDate(a)}}', { a: {} }),
  },
  {
    code: 'IML_TYPE',
    title: '`"{{...}}": "{{a}}"` where `a` is text',
    provoke: () => evaluate({ '{{...}}': '{{a}}' }, { a: 'text' }),
    place: '#/{{...}}',
  },
  {
    code: 'IML_LIMIT',
    title: 'a template of 10,000 nested lists',
    provoke: () => evaluate(nest(10_000), {}),
    place: '#/0/0/0/0/0/0/0/0/0...',
  },
  {
    code: 'IML_HOST_VALUE',
    title: '`{{a.b}}` of an object that throws when it is read',
    provoke: () => evaluate('{{a.b}}', { a: REFUSING }),
    cause: 'Error',
  },
];
