import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ImlError } from '../../src/errors/iml-error.js';
import { compile } from '../../src/iml/compile.js';
import { parseTemplate, safeParseTemplate } from '../../src/iml/syntax/parser.js';
import { printTemplate } from '../../src/iml/syntax/printer.js';

describe('braces of a text', () => {
  it('parse again where a hole follows', () => {
    expect(printTemplate(parseTemplate('{\\{{{{a}}'))).toBe('{\\{{{{a}}');
  });

  it('parse again wherever they stand', () => {
    const source = fc
      .array(fc.constantFrom('{', '\\', '\\{{', '{{a}}', '}', 'x'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(source, (text) => {
        const parsed = safeParseTemplate(text);
        if (!parsed.ok) return;
        const printed = printTemplate(parseTemplate(text));
        expect(printTemplate(parseTemplate(printed))).toBe(printed);
        const scope = { a: 1 };
        expect(compile(printed)(scope)).toEqual(compile(text)(scope));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a template that cannot be read', () => {
  it('gives an ImlError when it is evaluated', () => {
    const trap = new Proxy(
      { a: 1 },
      {
        ownKeys: () => {
          throw new TypeError('trap');
        },
      },
    );
    const evaluate = compile(trap);
    expect(() => evaluate({})).toThrow(ImlError);
    expect(() => evaluate({})).toThrow(expect.objectContaining({ code: 'IML_HOST_VALUE' }));
  });
});
