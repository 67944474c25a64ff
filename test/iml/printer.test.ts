import { describe, expect, it } from 'vitest';
import type { Template } from '../../src/iml/syntax/ast.js';
import { parseTemplate } from '../../src/iml/syntax/parser.js';
import { printTemplate } from '../../src/iml/syntax/printer.js';

const prints = (template: string): string => printTemplate(parseTemplate(template));

describe('text', () => {
  it.each(['', 'a', '{ }', '}}', '\\', '\\{{a}}', 'a {{b}} c'])('%j stays', (template) =>
    expect(prints(template)).toBe(template),
  );
  it.each([
    ['{{"it\'s"}}', "{{'it\\'s'}}"],
    ['{{"a\\nb\\r\\t\\\\"}}', "{{'a\\nb\\r\\t\\\\'}}"],
    ['{{"\\d"}}', "{{'\\\\d'}}"],
  ])('%s is written %s', (template, printed) => expect(prints(template)).toBe(printed));
});

describe('numbers', () => {
  it.each([
    ['1.50', '1.5'],
    ['007', '7'],
    ['0.0000001', '0.0000001'],
    ['0.00000012', '0.00000012'],
    ['123456789012345678901234567890', '123456789012345680000000000000'],
    ['9007199254740993', '9007199254740992'],
  ])('%s is written %s', (number, printed) => expect(prints(`{{${number}}}`)).toBe(`{{${printed}}}`));
});

describe('names and brackets', () => {
  it.each([
    ['{{a.`b`}}', '{{a.b}}'],
    ['{{a.`b c`}}', '{{a.`b c`}}'],
    ['{{a.`2`}}', '{{a.2}}'],
    ['{{1.`2`}}', '{{1.`2`}}'],
    ['{{`a`}}', '{{`a`}}'],
    ['{{(5).x}}', '{{(5).x}}'],
    ['{{("a").x}}', "{{'a'.x}}"],
    ['{{a-(-b)}}', '{{a - -b}}'],
    ['{{f(,)}}', '{{f(, )}}'],
  ])('%s is written %s', (template, printed) => expect(prints(template)).toBe(printed));
});

describe('what parsing does not give', () => {
  const fail = (): never => {
    throw new TypeError('of the host');
  };

  it.each([
    ['a text', '{{a}}'],
    ['nothing', undefined],
    ['a collection without parts', {}],
    ['a part that is none', { parts: [null] }],
    ['an expression of no kind', { parts: [{ kind: 'odd' }] }],
    ['a proxy whose traps throw', new Proxy({}, { get: fail })],
  ])('is no template to be printed: %s', (_, given) =>
    expect(() => printTemplate(given as Template)).toThrow(
      expect.objectContaining({ name: 'ImlError', code: 'IML_HOST_VALUE' }),
    ),
  );
});
