import { describe, expect, it } from 'vitest';
import { compile } from '../../src/iml/compile.js';
import {
  listenForMissing,
  type MissingValue,
  SCOPE_LISTENER,
  type ScopeListener,
} from '../../src/iml/environment/scope-listener.js';

const DATA = { a: { b: null, c: 0, d: '' }, text: 'x' };

/** What a listener is told, each as `reason expression pointer offset`. */
function reports(template: unknown, scope: Record<string, unknown> = DATA): string[] {
  const told: MissingValue[] = [];
  compile(template)(listenForMissing({ ...scope }, (missing) => told.push(missing)));
  return told.map(
    ({ reason, expression, pointer, offset }) => `${reason} ${expression} ${pointer} ${offset}`,
  );
}

describe('a hole of a text', () => {
  it('is told if nothing is in it', () =>
    expect(reports('x{{a.b}}, {{ a.z[1] }}')).toEqual(['text a.b  3', 'text a.z[1]  13']));
  it('is told for a name alone', () => expect(reports('x{{gone}}')).toEqual(['text gone  3']));
  it('is not told if anything is in it', () => expect(reports('x{{a.c}}{{a.d}}{{text}}')).toEqual([]));
  it('is not told for calls and operators', () =>
    expect(reports('x{{ifempty(gone; "")}}{{gone & 1}}{{undefined}}')).toEqual([]));
});

describe('a scope with a listener', () => {
  it('shows it nowhere, and its copies have none', () => {
    const told: MissingValue[] = [];
    const scope = listenForMissing({ ...DATA }, (missing) => told.push(missing));
    expect(scope).toEqual(DATA);
    compile('x{{gone}}')({ ...scope });
    expect(told).toEqual([]);
    compile('x{{gone}}')(scope);
    expect(told).toHaveLength(1);
  });
  it('may get another one in its place', () => {
    const told: string[] = [];
    const scope = listenForMissing({ ...DATA }, () => told.push('first'));
    compile('x{{gone}}')(listenForMissing(scope, () => told.push('second')));
    expect(told).toEqual(['second']);
  });
});

it('is looked into only where somebody wants to be told', () => {
  const told: string[] = [];
  let wanted = 2;
  const listener: ScopeListener = {
    onMissing: ({ expression }) => told.push(expression),
    wantsMissing: () => wanted-- > 0,
  };
  const template = ['{{a.z.y}}', 'x{{gone}}', '{{a.z.x}}', 'x{{a.b}}'];
  expect(compile(template)({ ...DATA, [SCOPE_LISTENER]: listener })).toHaveLength(4);
  expect(told).toEqual(['a.z.y', 'gone']);
  expect(wanted).toBe(-2);
});

describe('a path that stands alone', () => {
  it('is told if it breaks before its end', () => expect(reports('{{a.z.y}}')).toEqual(['path a.z.y  2']));
  it.each(['{{(a.z).y}}', '{{((a).z).y}}', '{{ ( a . z ) [1].y }}', '{{`a`.`z}}`.y}}', '{{a["z"].y}}'])(
    '%s is told, however it is written',
    (template) => {
      expect(reports(template)).toEqual([expect.stringMatching(/^path /)]);
      expect(compile(template)(listenForMissing({ ...DATA }, () => {}))).toBeUndefined();
    },
  );
  it('is not told where nobody wrote it by hand', () => {
    const long = (length: number): string => `{{${' '.repeat(length - 9)}a.z.y}}`;
    expect(reports(long(1000))).toHaveLength(1);
    expect(reports(long(1001))).toEqual([]);
  });
  it.each(['{{a.z}}', '{{a.b}}', '{{gone}}', '{{a.c}}'])('%s is ordinary', (template) =>
    expect(reports(template)).toEqual([]),
  );
});

it('the pointer leads to the template in a larger value', () =>
  expect(reports({ qs: [{ 'a/b': '{{x.y.z}}' }] })).toEqual(['path x.y.z /qs/0/a~1b 2']));
it('without a listener nothing happens', () => expect(compile('x{{gone}}')(DATA)).toBe('x'));
it('no name of an expression is the listener', () => {
  const scope = listenForMissing({}, () => {});
  expect(Object.keys(scope)).toEqual([]);
  expect(compile(`{{\`${String(SCOPE_LISTENER)}\`}}`)(scope)).toBeUndefined();
});
