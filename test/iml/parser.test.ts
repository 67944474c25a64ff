import { describe, expect, it } from 'vitest';
import { parseTemplate, safeParseTemplate } from '../../src/iml/syntax/parser.js';
import { printTemplate } from '../../src/iml/syntax/printer.js';
import { failureOf, imlErrorOf } from './template-failure.js';

/** The expression with all brackets its grouping asks for and no others. */
const reads = (expression: string): string => printTemplate(parseTemplate(`{{${expression}}}`)).slice(2, -2);

/** Line, column and code of a mistake; its kind is always `syntax`. */
function refuses(template: string): string {
  const { kind, code, line, column } = failureOf(() => parseTemplate(template));
  expect(kind).toBe('syntax');
  return `${line}:${column} ${code}`;
}

describe('templates', () => {
  it('are texts and expressions in turn', () =>
    expect(parseTemplate('a{{b}}c').parts).toEqual(['a', expect.objectContaining({ name: 'b' }), 'c']));
  it('without text and expression have no part', () => expect(parseTemplate('').parts).toEqual([]));
  it('keep single braces', () => expect(parseTemplate('{a} }} {').parts).toEqual(['{a} }} {']));
  it.each([
    ['\\{{a}}', ['{{a}}']],
    ['x\\{{', ['x{{']],
    ['\\{{\\{{', ['{{{{']],
    ['\\ \\{', ['\\ \\{']],
    ['\\\\{{a', ['\\{{a']],
  ])('%j escapes braces', (source, parts) => expect(parseTemplate(source).parts).toEqual(parts));
  it('an expression may follow escaped braces', () =>
    expect(parseTemplate('\\{{{{a}}').parts).toEqual(['{{', expect.objectContaining({ name: 'a' })]));
  it('the end is not looked for in texts and quoted names', () =>
    expect(parseTemplate('{{"}}" + `}}`}}!').parts).toHaveLength(2));
  it('places are offsets in the template', () =>
    expect(parseTemplate('ab{{ c.d }}').parts[1]).toMatchObject({ start: 5, end: 8, height: 2 }));
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
    expect(parseTemplate(`{{${expression}}}`).parts[0]).toMatchObject({ height }),
  );
});

describe('a mistake', () => {
  it.each([
    [
      '{{ {a: 1} }}',
      'Braces cannot stand inside an expression: it has no object literals, and {{ }} nests only as an index.',
    ],
    ['{{a # b}}', 'Unexpected character "#". A name with special characters needs backticks: `@type`.'],
    ['{{a} b', 'An expression ends with two braces: one "}" is missing here.'],
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
      'An operator is expected before b. A name with spaces or a leading digit needs backticks: `first name`.',
    ],
    ['{{a ! b}}', 'An operator is expected before !.'],
    ['{{a(}}', 'A value is expected before the end of the expression.'],
    ['{{* a}}', 'A value is expected before *.'],
    ['{{a.}}', 'A name is expected after the dot, not the end of the expression.'],
    ["{{a.'b'}}", "A name is expected after the dot, not 'b'."],
    ['{{a', 'This expression has no closing }}.'],
    ["{{'a}}", 'This text has no closing quote.'],
    ['{{`a}}', 'This quoted name has no closing backtick.'],
    [`{{${'9'.repeat(400)}}}`, 'This number is too large.'],
  ])('%s is told in words', (template, message) =>
    expect(imlErrorOf(() => parseTemplate(template)).message).toBe(message),
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
  ])('%s', (expression, read) => expect(reads(expression)).toBe(read));
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
  ])('%s', (expression, read) => expect(reads(expression)).toBe(read));
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
  ])('%s', (expression, read) => expect(reads(expression)).toBe(read));
});

describe('mistakes', () => {
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
  ])('%j', (template, place) => expect(refuses(template)).toBe(place));

  it('are printed with the line they stand on', () =>
    expect(imlErrorOf(() => parseTemplate('one\n{{a +}}')).print()).toMatch(
      /2 \| \{\{a \+}}\n {2}\| {6}\^$/,
    ));
  it('are values for safeParseTemplate', () =>
    expect(safeParseTemplate('{{')).toMatchObject({ ok: false, error: { offset: 0 } }));
});
