import { describe, expect, it } from 'vitest';
import {
  listenForMissing,
  type MissingValue,
  SCOPE_LISTENER,
  type ScopeListener,
} from '../../src/language/environment.js';
import { compile } from '../../src/language/index.js';

const DATA = { a: { b: null, c: 0, d: '' }, text: 'x' };

/** Evaluates a template and lists the reports as `reason expression pointer offset`. */
function reports(template: unknown, scope: Record<string, unknown> = DATA): string[] {
  const reported: MissingValue[] = [];
  compile(template)(listenForMissing({ ...scope }, (missing) => reported.push(missing)));
  return reported.map(
    ({ reason, expression, pointer, offset }) => `${reason} ${expression} ${pointer} ${offset}`,
  );
}

describe('an expression inside text', () => {
  it('is reported if it has no value', () =>
    expect(reports('x{{a.b}}, {{ a.z[1] }}')).toEqual(['text a.b  3', 'text a.z[1]  13']));
  it('is reported if it is a name', () => expect(reports('x{{gone}}')).toEqual(['text gone  3']));
  it('is not reported if it has a value', () => expect(reports('x{{a.c}}{{a.d}}{{text}}')).toEqual([]));
  it('is not reported if it is a call or an operator', () =>
    expect(reports('x{{ifempty(gone; "")}}{{gone & 1}}{{undefined}}')).toEqual([]));
});

describe('a scope with a listener', () => {
  it('does not expose it, and copies have no listener', () => {
    const reported: MissingValue[] = [];
    const scope = listenForMissing({ ...DATA }, (missing) => reported.push(missing));
    expect(scope).toEqual(DATA);
    compile('x{{gone}}')({ ...scope });
    expect(reported).toEqual([]);
    compile('x{{gone}}')(scope);
    expect(reported).toHaveLength(1);
  });
  it('accepts another listener', () => {
    const reported: string[] = [];
    const scope = listenForMissing({ ...DATA }, () => reported.push('first'));
    compile('x{{gone}}')(listenForMissing(scope, () => reported.push('second')));
    expect(reported).toEqual(['second']);
  });
});

it('a missing value is examined only if wantsMissing returns true', () => {
  const reported: string[] = [];
  let calls = 2;
  const listener: ScopeListener = {
    onMissing: ({ expression }) => reported.push(expression),
    wantsMissing: () => calls-- > 0,
  };
  const template = ['{{a.z.y}}', 'x{{gone}}', '{{a.z.x}}', 'x{{a.b}}'];
  expect(compile(template)({ ...DATA, [SCOPE_LISTENER]: listener })).toHaveLength(4);
  expect(reported).toEqual(['a.z.y', 'gone']);
  expect(calls).toBe(-2);
});

describe('a path that is the whole template', () => {
  it('is reported if a step before the last one has no value', () =>
    expect(reports('{{a.z.y}}')).toEqual(['path a.z.y  2']));
  it.each(['{{(a.z).y}}', '{{((a).z).y}}', '{{ ( a . z ) [1].y }}', '{{`a`.`z}}`.y}}', '{{a["z"].y}}'])(
    '%s is reported',
    (template) => {
      expect(reports(template)).toEqual([expect.stringMatching(/^path /)]);
      expect(compile(template)(listenForMissing({ ...DATA }, () => {}))).toBeUndefined();
    },
  );
  it('is not reported if the template has more than 1000 characters', () => {
    const long = (length: number): string => `{{${' '.repeat(length - 9)}a.z.y}}`;
    expect(reports(long(1000))).toHaveLength(1);
    expect(reports(long(1001))).toEqual([]);
  });
  it.each(['{{a.z}}', '{{a.b}}', '{{gone}}', '{{a.c}}'])('%s is not reported', (template) =>
    expect(reports(template)).toEqual([]),
  );
});

it('a report has the pointer of the template in the compiled value', () =>
  expect(reports({ qs: [{ 'a/b': '{{x.y.z}}' }] })).toEqual(['path x.y.z /qs/0/a~1b 2']));
it('a scope needs no listener', () => expect(compile('x{{gone}}')(DATA)).toBe('x'));
it('an expression cannot read the listener', () => {
  const scope = listenForMissing({}, () => {});
  expect(Object.keys(scope)).toEqual([]);
  expect(compile(`{{\`${String(SCOPE_LISTENER)}\`}}`)(scope)).toBeUndefined();
});
