import { describe, expect, it } from 'vitest';
import { compile, evaluate } from '../../src/iml/compile.js';
import { VARIABLE_NAMES } from '../../src/iml/environment/environment.js';

/** An environment in which every reading differs from the one before. */
function ticking(): { now: () => number; random: () => number; uuid: () => string } {
  let count = 0;
  return { now: () => ++count * 1999, random: () => ++count / 10, uuid: () => `id-${++count}` };
}

it('there are five', () =>
  expect(VARIABLE_NAMES.toSorted()).toEqual(['now', 'pi', 'random', 'timestamp', 'uuid']));

describe('each is read anew at every use', () => {
  it('now', () =>
    expect(evaluate('{{now}}|{{now}}', {}, ticking())).toBe(
      '1970-01-01T00:00:01.999Z|1970-01-01T00:00:03.998Z',
    ));
  it('timestamp in whole seconds', () =>
    expect(evaluate('{{timestamp}},{{timestamp}}', {}, ticking())).toBe('1,3'));
  it('random', () => expect(evaluate('{{random}},{{random}}', {}, ticking())).toBe('0.1,0.2'));
  it('uuid', () => expect(evaluate('{{uuid}},{{uuid}}', {}, ticking())).toBe('id-1,id-2'));
  it('by one compiled template, too', () => {
    const next = compile('{{uuid}}', ticking());
    expect([next({}), next({})]).toEqual(['id-1', 'id-2']);
  });
});

it('now is a date', () => expect(evaluate('{{now}}', {}, { now: () => 5 })).toEqual(new Date(5)));
it('now, random and uuid are those of the host where the caller gives none', () => {
  const before = Date.now();
  const [now, random, uuid] = ['{{now}}', '{{random}}', '{{uuid}}'].map((text) => compile(text)({}));
  expect(now).toBeInstanceOf(Date);
  expect(Number(now)).toBeGreaterThanOrEqual(before);
  expect(Number(now)).toBeLessThanOrEqual(Date.now());
  expect(random).toBeGreaterThanOrEqual(0);
  expect(random).toBeLessThan(1);
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
it('pi', () => expect(evaluate('{{pi}}')).toBe(Math.PI));
it('a name of the scope wins, even without a value', () => {
  expect(evaluate('{{now}}', { now: 'mine' })).toBe('mine');
  expect(evaluate('{{pi}}', { pi: undefined })).toBeUndefined();
});
it('a quoted name is never a variable', () => expect(evaluate('{{`now`}}')).toBeUndefined());
it('a member of that name is none', () => expect(evaluate('{{a.now}}', { a: {} })).toBeUndefined());
it('executionId comes from the scope', () =>
  expect(evaluate('{{executionId}}', { executionId: 'run-1' })).toBe('run-1'));
