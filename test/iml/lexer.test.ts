import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainName } from '../../src/iml/syntax/grammar.js';
import { Lexer } from '../../src/iml/syntax/lexer.js';
import { parseTemplate } from '../../src/iml/syntax/parser.js';
import { failureOf, imlErrorOf } from './template-failure.js';

/** The tokens of an expression, each as `kind text`, without the closing braces. */
function lexes(expression: string): string[] {
  const lexer = new Lexer(`${expression}}}`, 0);
  const tokens: string[] = [];
  for (lexer.advance(); lexer.kind !== 'end'; lexer.advance()) tokens.push(`${lexer.kind} ${lexer.text}`);
  return tokens;
}

const failsToLex = (expression: string): unknown => failureOf(() => lexes(expression));

describe('names', () => {
  it.each(['a', '_', '$', 'a1', 'camelCase_$2', 'ščř', 'имя', '名前', 'é', 'e\u0301', '𝒳1'])(
    '%s is one name',
    (name) => expect(lexes(name)).toEqual([`name ${name}`]),
  );
  it('end where a character is no part of one', () =>
    expect(lexes('a-b')).toEqual(['name a', 'operator -', 'name b']));
  it('in backticks hold anything but a backtick', () =>
    expect(lexes('`a-b c."\'}}\\n`')).toEqual(['quoted a-b c."\'}}\\n']));
  it('in backticks may be empty', () => expect(lexes('``')).toEqual(['quoted ']));
});

describe('names that stand in many templates', () => {
  it('are read as they are written, whatever was read before', () => {
    const letter = fc.constantFrom(...'abcdefgxyzABZ_$019', 'é', '𝒳', '\u0301');
    const name = fc
      .array(letter, { minLength: 1, maxLength: 20 })
      .map((letters) => letters.join(''))
      .filter(isPlainName);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 40 }), (names) => {
        expect(lexes(names.join(' '))).toEqual(names.map((each) => `name ${each}`));
      }),
    );
  });
  it('are told apart where they share a place in the table', () => {
    const names = Array.from({ length: 5000 }, (_, index) => `n${index.toString(36)}`);
    for (let round = 0; round < 2; round++)
      expect(lexes(names.join(' '))).toEqual(names.map((name) => `name ${name}`));
  });
});

describe('numbers', () => {
  it.each([
    ['0', ['number 0']],
    ['007', ['number 007']],
    ['1.50', ['number 1.50']],
    ['1.', ['number 1', 'punctuator .']],
    ['.5', ['punctuator .', 'number 5']],
    ['1.2.3', ['number 1.2', 'punctuator .', 'number 3']],
    ['1e5', ['number 1', 'name e5']],
    ['0x1F', ['number 0', 'name x1F']],
    ['1_000', ['number 1', 'name _000']],
    ['-1', ['operator -', 'number 1']],
  ])('%s', (text, tokens) => expect(lexes(text)).toEqual(tokens));
  it('before a dot and a name count modules', () =>
    expect(lexes('12.email')).toEqual(['module 12', 'punctuator .', 'name email']));
  it('before a dot and a backtick count modules', () =>
    expect(lexes('2.`0`')).toEqual(['module 2', 'punctuator .', 'quoted 0']));
  it('too large for a number are refused', () =>
    expect(failsToLex('9'.repeat(400))).toEqual({ kind: 'syntax', code: 'IML_SYNTAX', line: 1, column: 1 }));
});

describe('text', () => {
  it.each([
    [`'a'`, 'a'],
    [`"a"`, 'a'],
    [`''`, ''],
    [`'"'`, '"'],
    [`"'"`, "'"],
    [`'}}'`, '}}'],
    [`'{{x}}'`, '{{x}}'],
    [`'\\n\\r\\t'`, '\n\r\t'],
    [`'\\\\'`, '\\'],
    [`'\\''`, "'"],
    [`"\\""`, '"'],
    [`'\\d+\\x'`, '\\d+\\x'],
    [`'a\nb'`, 'a\nb'],
  ])('%j is %j', (literal, text) => expect(lexes(literal)).toEqual([`string ${text}`]));
  it.each(["'a", '"a', "'a\\'", '"'])('%j has no end', (literal) =>
    expect(failsToLex(`x + ${literal}`)).toEqual({
      kind: 'syntax',
      code: 'IML_UNTERMINATED_STRING',
      line: 1,
      column: 5,
    }),
  );
  it('in curly quotes is none', () =>
    expect(failsToLex('“a”')).toEqual({ kind: 'syntax', code: 'IML_SYNTAX', line: 1, column: 1 }));
  it('a quoted name without an end', () =>
    expect(failsToLex('\n `a')).toMatchObject({ code: 'IML_UNTERMINATED_STRING', line: 2, column: 2 }));
});

describe('a token in a message', () => {
  const messageOf = (source: string): string => imlErrorOf(() => parseTemplate(source)).message;

  it('is shown whole up to 40 characters', () => {
    expect(messageOf(`{{a ${'b'.repeat(40)}}}`)).toContain(
      `An operator is expected before ${'b'.repeat(40)}. `,
    );
    expect(messageOf(`{{a ${'b'.repeat(41)}}}`)).toContain(
      `An operator is expected before ${'b'.repeat(40)}.... `,
    );
  });
  it('is the end where it is', () =>
    expect(messageOf('{{a +}}')).toBe('A value is expected before the end of the expression.'));
});

describe('operators', () => {
  it.each([
    ['= == ===', ['=', '=', '=']],
    ['!= !==', ['!=', '!=']],
    ['& && | ||', ['&', '&', '|', '|']],
    ['< <= > >=', ['<', '<=', '>', '>=']],
    ['+ - * / % !', ['+', '-', '*', '/', '%', '!']],
    ['!!', ['!', '!']],
    ['<==', ['<=', '=']],
    ['====', ['=', '=']],
    ['|||', ['|', '|']],
    ['=!', ['=', '!']],
  ])('%s', (text, operators) =>
    expect(lexes(text)).toEqual(operators.map((operator) => `operator ${operator}`)),
  );
});

describe('between tokens', () => {
  it('white space of any script says nothing', () =>
    expect(lexes('\t a\u00a0\u2003+\r\n\ufeffb ')).toEqual(['name a', 'operator +', 'name b']));
  it.each(['#', '@', '~', '^', ':', '?', '\\', '\u0000', '\u200b', '\ud800', '🦊', '{'])(
    '%j is refused',
    (character) =>
      expect(failsToLex(`a ${character}`)).toEqual({
        kind: 'syntax',
        code: 'IML_SYNTAX',
        line: 1,
        column: 3,
      }),
  );
});
