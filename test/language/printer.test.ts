import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile, parse, print, safeParse, type Template } from '../../src/language/index.js';

const prints = (template: string): string => print(parse(template));

describe('text', () => {
  it.each(['', 'a', '{ }', '}}', '\\', '\\{{a}}', 'a {{b}} c'])('%j is unchanged', (template) =>
    expect(prints(template)).toBe(template),
  );
  it.each([
    ['{{"it\'s"}}', "{{'it\\'s'}}"],
    ['{{"a\\nb\\r\\t\\\\"}}', "{{'a\\nb\\r\\t\\\\'}}"],
    ['{{"\\d"}}', "{{'\\\\d'}}"],
  ])('%s is printed as %s', (template, printed) => expect(prints(template)).toBe(printed));
});

describe('numbers', () => {
  it.each([
    ['1.50', '1.5'],
    ['007', '7'],
    ['0.0000001', '0.0000001'],
    ['0.00000012', '0.00000012'],
    ['123456789012345678901234567890', '123456789012345680000000000000'],
    ['9007199254740993', '9007199254740992'],
  ])('%s is printed as %s', (number, printed) => expect(prints(`{{${number}}}`)).toBe(`{{${printed}}}`));
});

describe('names and parentheses', () => {
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
  ])('%s is printed as %s', (template, printed) => expect(prints(template)).toBe(printed));
});

describe('an invalid template', () => {
  const fail = (): never => {
    throw new TypeError('trap');
  };

  it.each([
    ['a text', '{{a}}'],
    ['undefined', undefined],
    ['a collection without parts', {}],
    ['an invalid part', { parts: [null] }],
    ['an unknown kind of expression', { parts: [{ kind: 'odd' }] }],
    ['a proxy whose traps throw', new Proxy({}, { get: fail })],
  ])('throws IML_HOST_VALUE: %s', (_, template) =>
    expect(() => print(template as Template)).toThrow(
      expect.objectContaining({ name: 'ImlError', code: 'IML_HOST_VALUE' }),
    ),
  );
});

describe('braces in text', () => {
  it('are parsed again before an expression', () => {
    expect(print(parse('{\\{{{{a}}'))).toBe('{\\{{{{a}}');
  });

  it('are parsed again in random templates', () => {
    const source = fc
      .array(fc.constantFrom('{', '\\', '\\{{', '{{a}}', '}', 'x'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(source, (text) => {
        const parsed = safeParse(text);
        if (!parsed.ok) return;
        const printed = print(parse(text));
        expect(print(parse(printed))).toBe(printed);
        const scope = { a: 1 };
        expect(compile(printed)(scope)).toEqual(compile(text)(scope));
      }),
      { numRuns: 3000 },
    );
  });
});
