import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, print, safeParse } from '../../src/language/index.js';
import { isPlainName } from '../../src/language/syntax/grammar.js';
import { Lexer } from '../../src/language/syntax/lexer.js';
import { failureOf, imlErrorOf } from './template-failure.js';

/** Parses an expression and prints it with only the necessary parentheses. */
const normalizes = (expression: string): string => print(parse(`{{${expression}}}`)).slice(2, -2);

/** Returns line, column and code of a syntax error. */
function locates(template: string): string {
  const { kind, code, line, column } = failureOf(() => parse(template));
  expect(kind).toBe('syntax');
  return `${line}:${column} ${code}`;
}

describe('templates', () => {
  it('alternate text and expressions', () =>
    expect(parse('a{{b}}c').parts).toEqual(['a', expect.objectContaining({ name: 'b' }), 'c']));
  it('that are empty have no parts', () => expect(parse('').parts).toEqual([]));
  it('keep single braces', () => expect(parse('{a} }} {').parts).toEqual(['{a} }} {']));
  it.each([
    ['\\{{a}}', ['{{a}}']],
    ['x\\{{', ['x{{']],
    ['\\{{\\{{', ['{{{{']],
    ['\\ \\{', ['\\ \\{']],
    ['\\\\{{a', ['\\{{a']],
  ])('%j escapes braces', (source, parts) => expect(parse(source).parts).toEqual(parts));
  it('may have an expression after escaped braces', () =>
    expect(parse('\\{{{{a}}').parts).toEqual(['{{', expect.objectContaining({ name: 'a' })]));
  it('may have closing braces inside strings and quoted names', () =>
    expect(parse('{{"}}" + `}}`}}!').parts).toHaveLength(2));
  it('have nodes with offsets', () =>
    expect(parse('ab{{ c.d }}').parts[1]).toMatchObject({ start: 5, end: 8, height: 2 }));
});

describe('the height of a tree', () => {
  it.each([
    ['a', 1],
    ["'a'", 1],
    ['true', 1],
    ['`a`', 1],
    ['a.b.c', 3],
    ['a[]', 2],
    ['a[b]', 2],
    ['a.b[c]', 3],
    ['a[b.c.d]', 4],
    ['f()', 1],
    ['f(;)', 1],
    ['f(a)', 2],
    ['f(a.b; c)', 3],
    ['f(a; b.c.d; e.f)', 4],
    ['-a', 2],
    ['!-a', 3],
    ['a + b', 2],
    ['a + b.c', 3],
    ['a.b.c + d', 4],
    ['a + b + c', 3],
    ['a * (b + c)', 3],
    ['((a))', 1],
  ])('%s is %i', (expression, height) =>
    expect(parse(`{{${expression}}}`).parts[0]).toMatchObject({ height }),
  );
});

describe('the message of a syntax error', () => {
  it.each([
    [
      '{{ {a: 1} }}',
      'Unexpected brace inside an expression. An expression starts with {{, ends with }}, and nests only as an index. IML has no object literals.',
    ],
    ['{{a # b}}', 'Unexpected character "#". A name with special characters needs backticks: `@type`.'],
    ['{{a} b', 'Expected two closing braces: one "}" is missing here.'],
    ['{{a 😀}}', 'Unexpected character "😀".'],
    ['{{“a”}}', 'The quote “ does not delimit text; write \' or ".'],
    ['{{a[1}}', 'The bracket opened here has no closing ].'],
    ['{{f(1}}', 'The bracket opened here has no closing ).'],
    ['{{(1}}', 'The bracket opened here has no closing ).'],
    ['{{a]}}', 'Unexpected ]: no open bracket matches it.'],
    ['{{(a]}}', 'Unexpected ]: no open bracket matches it.'],
    ['{{a)}}', 'Unexpected ): no open bracket matches it.'],
    ['{{a[1)}}', 'Unexpected ): no open bracket matches it.'],
    ['{{a, b}}', 'Unexpected separator: expected only between the arguments of a function.'],
    [
      '{{a b}}',
      'Expected an operator before b. A name with spaces or a leading digit needs backticks: `first name`.',
    ],
    ['{{a ! b}}', 'Expected an operator before !.'],
    ['{{a and b}}', 'Expected an operator before and. The operator is &.'],
    ['{{a or b}}', 'Expected an operator before or. The operator is |.'],
    ['{{not a}}', 'Expected an operator before a. The operator is !.'],
    [
      "{{a.b.join(',')}}",
      'Expected an operator before (. IML has no methods: write join(value; ...) instead of value.join(...).',
    ],
    ['{{a ? b : c}}', 'Unexpected character "?". IML has no operator ? :. Write if(condition; then; else).'],
    ['{{a(}}', 'Expected a value before the end of the expression.'],
    ['{{* a}}', 'Expected a value before *.'],
    ['{{a.}}', 'Expected a name after the dot, not the end of the expression.'],
    ["{{a.'b'}}", "Expected a name after the dot, not 'b'."],
    ['{{a', 'This expression has no closing }}.'],
    ["{{'a}}", 'This text has no closing quote.'],
    ['{{`a}}', 'This quoted name has no closing backtick.'],
    [`{{${'9'.repeat(400)}}}`, 'This number is too large.'],
  ])('in %s is specific', (template, message) =>
    expect(imlErrorOf(() => parse(template)).message).toBe(message),
  );
});

describe('operators', () => {
  it.each([
    ['1 + 2 * 3', '1 + 2 * 3'],
    ['(1 + 2) * 3', '(1 + 2) * 3'],
    ['a - (b - c)', 'a - (b - c)'],
    ['(a - b) - c', 'a - b - c'],
    ['a % b / c', 'a % b / c'],
    ['a < b = c > d', 'a < b = c > d'],
    ['(a = b) < c', '(a = b) < c'],
    ['a | b & c', 'a | b & c'],
    ['(a || b) && c', '(a | b) & c'],
    ['a === b !== c', 'a = b != c'],
    ['-a.b', '-a.b'],
    ['(-a).b', '(-a).b'],
    ['!a = b', '!a = b'],
    ['!(a = b)', '!(a = b)'],
    ['- -1', '--1'],
    ['!!a', '!!a'],
    ['-!a * b', '-!a * b'],
    ['((((a))))', 'a'],
  ])('%s', (expression, read) => expect(normalizes(expression)).toBe(read));
});

describe('paths', () => {
  it.each([
    ['a . b', 'a.b'],
    ['a.`b`.`c d`', 'a.b.`c d`'],
    ['a.true.null', 'a.true.null'],
    ['a.2.3', 'a.2.3'],
    ['a[]', 'a[]'],
    ['a[ i + 1 ].b', 'a[i + 1].b'],
    ['a[-1]', 'a[-1]'],
    ["a['x:y']", "a['x:y']"],
    ['a[b[c[1]]]', 'a[b[c[1]]]'],
    ['f(x).a[1]', 'f(x).a[1]'],
    ['a[{{b + 1}}]', 'a[b + 1]'],
    ['a[ {{b}} + {{c[{{d}}]}} ]', 'a[b + c[d]]'],
    ["['a'; b,[1]]", "['a', b, [1]]"],
    ['[]', '[]'],
    ['1 ++ 2 + 3', '1 ++ 2 + 3'],
    ['(a | b).c', '(a | b).c'],
    ['1.email', '1.email'],
    ['1.é', '1.é'],
    ['12.été', '12.été'],
    ['2.`0`', '2.`0`'],
    ['`1`', '`1`'],
  ])('%s', (expression, read) => expect(normalizes(expression)).toBe(read));
});

describe('calls', () => {
  it.each([
    ['f()', 'f()'],
    ['f( )', 'f()'],
    ['f (a)', 'f(a)'],
    ['f(a; b, c)', 'f(a, b, c)'],
    ['f(a,)', 'f(a, )'],
    ['f(,)', 'f(, )'],
    ['f(;a;;)', 'f(, a, , )'],
    ['f(g(h(1)))', 'f(g(h(1)))'],
    ['true(1)', 'true(1)'],
  ])('%s', (expression, read) => expect(normalizes(expression)).toBe(read));
});

describe('syntax errors', () => {
  it.each([
    ['{{', '1:1 IML_UNTERMINATED_EXPRESSION'],
    ['text {{a', '1:6 IML_UNTERMINATED_EXPRESSION'],
    ['{{a}', '1:4 IML_SYNTAX'],
    ['{{a}} {{b', '1:7 IML_UNTERMINATED_EXPRESSION'],
    ['{{}}', '1:3 IML_SYNTAX'],
    ['{{ \n }}', '2:2 IML_SYNTAX'],
    ['{{"a}}', '1:3 IML_UNTERMINATED_STRING'],
    ['{{a.`b}}', '1:5 IML_UNTERMINATED_STRING'],
    ['{{a b}}', '1:5 IML_SYNTAX'],
    ['{{a and b}}', '1:5 IML_SYNTAX'],
    ['{{1 2}}', '1:5 IML_SYNTAX'],
    ['{{"a" "b"}}', '1:7 IML_SYNTAX'],
    ['{{a +}}', '1:6 IML_SYNTAX'],
    ['{{* a}}', '1:3 IML_SYNTAX'],
    ['{{a + * b}}', '1:7 IML_SYNTAX'],
    ['{{a ! b}}', '1:5 IML_SYNTAX'],
    ['{{(a}}', '1:3 IML_SYNTAX'],
    ['{{f(a}}', '1:3 IML_SYNTAX'],
    ['{{a[1}}', '1:4 IML_SYNTAX'],
    ['{{a)}}', '1:4 IML_SYNTAX'],
    ['{{a]}}', '1:4 IML_SYNTAX'],
    ['{{(a]}}', '1:5 IML_SYNTAX'],
    ['{{f(a]}}', '1:6 IML_SYNTAX'],
    ['{{a[1)}}', '1:6 IML_SYNTAX'],
    ['{{()}}', '1:4 IML_SYNTAX'],
    ['{{(a, b)}}', '1:5 IML_SYNTAX'],
    ['{{a, b}}', '1:4 IML_SYNTAX'],
    ['{{[1}}', '1:3 IML_SYNTAX'],
    ['{{[1;;2]}}', '1:6 IML_SYNTAX'],
    ['{{[{{1}}]}}', '1:4 IML_SYNTAX'],
    ['{{{a: 1}}}', '1:3 IML_SYNTAX'],
    ['{{a[{{b]}}', '1:8 IML_SYNTAX'],
    ['{{a[{{b}}}}', '1:4 IML_SYNTAX'],
    ['{{f({{b}})}}', '1:5 IML_SYNTAX'],
    ['{{a.}}', '1:5 IML_SYNTAX'],
    ['{{a..b}}', '1:5 IML_SYNTAX'],
    ['{{a."b"}}', '1:5 IML_SYNTAX'],
    ['{{.5}}', '1:3 IML_SYNTAX'],
    ['{{1e400}}', '1:4 IML_SYNTAX'],
    ['{{a ? b : c}}', '1:5 IML_SYNTAX'],
    ['{{=}}', '1:3 IML_SYNTAX'],
    ['{{a += b}}', '1:6 IML_SYNTAX'],
    ['{{a &= b}}', '1:6 IML_SYNTAX'],
    ['{{a && & b}}', '1:8 IML_SYNTAX'],
    ['{{f(.)}}', '1:5 IML_SYNTAX'],
    ['{{f(])}}', '1:5 IML_SYNTAX'],
    ['{{f([1)}}', '1:7 IML_SYNTAX'],
    ["{{a '.' b}}", '1:5 IML_SYNTAX'],
    ["{{f(a ',' b)}}", '1:7 IML_SYNTAX'],
    ["{{(a ')'}}", '1:6 IML_SYNTAX'],
    ['{{a <== b}}', '1:7 IML_SYNTAX'],
    ['a\nb\n{{c +\n  }}', '4:3 IML_SYNTAX'],
    ['a\r\n{{c\r\n d}}', '3:2 IML_SYNTAX'],
    ['ěš\n{{"}}', '2:3 IML_UNTERMINATED_STRING'],
  ])('in %j have a location and a code', (template, location) => expect(locates(template)).toBe(location));

  it('are printed with their source line', () =>
    expect(imlErrorOf(() => parse('one\n{{a +}}')).print()).toMatch(/2 \| \{\{a \+}}\n {2}\| {6}\^$/));
  it('are return values of safeParse', () =>
    expect(safeParse('{{')).toMatchObject({ ok: false, error: { offset: 0 } }));
});

/** Lists the tokens of an expression as `kind text`, without the closing braces. */
function lexes(expression: string): string[] {
  const lexer = new Lexer(`${expression}}}`, 0);
  const tokens: string[] = [];
  for (lexer.advance(); lexer.kind !== 'end'; lexer.advance()) tokens.push(`${lexer.kind} ${lexer.text}`);
  return tokens;
}

const failsToLex = (expression: string): unknown => failureOf(() => lexes(expression));

describe('names', () => {
  it.each(['a', '_', '$', 'a1', 'camelCase_$2', 'ščř', 'имя', '名前', 'é', 'e\u0301', '𝒳1'])(
    '%s is one token',
    (name) => expect(lexes(name)).toEqual([`name ${name}`]),
  );
  it('end before a character that is not part of a name', () =>
    expect(lexes('a-b')).toEqual(['name a', 'operator -', 'name b']));
  it('in backticks may contain any other character', () =>
    expect(lexes('`a-b c."\'}}\\n`')).toEqual(['quoted a-b c."\'}}\\n']));
  it('in backticks may be empty', () => expect(lexes('``')).toEqual(['quoted ']));
});

describe('the cache of names', () => {
  it('returns the names of the source', () => {
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
  it('distinguishes names in the same slot', () => {
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
  it('before a dot and a name are module numbers', () =>
    expect(lexes('12.email')).toEqual(['module 12', 'punctuator .', 'name email']));
  it('before a dot and a backtick are module numbers', () =>
    expect(lexes('2.`0`')).toEqual(['module 2', 'punctuator .', 'quoted 0']));
  it('that are too large throw', () =>
    expect(failsToLex('9'.repeat(400))).toEqual({ kind: 'syntax', code: 'IML_SYNTAX', line: 1, column: 1 }));
});

describe('strings', () => {
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
  it.each(["'a", '"a', "'a\\'", '"'])('%j without an end throws', (literal) =>
    expect(failsToLex(`x + ${literal}`)).toEqual({
      kind: 'syntax',
      code: 'IML_UNTERMINATED_STRING',
      line: 1,
      column: 5,
    }),
  );
  it('in curly quotes throw', () =>
    expect(failsToLex('“a”')).toEqual({ kind: 'syntax', code: 'IML_SYNTAX', line: 1, column: 1 }));
  it('in backticks without an end throw', () =>
    expect(failsToLex('\n `a')).toMatchObject({ code: 'IML_UNTERMINATED_STRING', line: 2, column: 2 }));
});

describe('a token in a message', () => {
  const messageOf = (source: string): string => imlErrorOf(() => parse(source)).message;

  it('is truncated to 40 characters', () => {
    expect(messageOf(`{{a ${'b'.repeat(40)}}}`)).toContain(`Expected an operator before ${'b'.repeat(40)}. `);
    expect(messageOf(`{{a ${'b'.repeat(41)}}}`)).toContain(
      `Expected an operator before ${'b'.repeat(40)}.... `,
    );
  });
  it('may be the end of the expression', () =>
    expect(messageOf('{{a +}}')).toBe('Expected a value before the end of the expression.'));
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
  it('Unicode white space is ignored', () =>
    expect(lexes('\t a\u00a0\u2003+\r\n\ufeffb ')).toEqual(['name a', 'operator +', 'name b']));
  it.each(['#', '@', '~', '^', ':', '?', '\\', '\u0000', '\u200b', '\ud800', '🦊', '{'])(
    '%j throws',
    (character) =>
      expect(failsToLex(`a ${character}`)).toEqual({
        kind: 'syntax',
        code: 'IML_SYNTAX',
        line: 1,
        column: 3,
      }),
  );
});
