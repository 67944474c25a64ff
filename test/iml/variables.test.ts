import { describe, expect, test } from 'vitest';
import { compile, evaluate } from '../../src/iml/compile.js';
import { VARIABLE_NAMES } from '../../src/iml/environment/variables.js';

/** An environment in which every reading differs from the one before. */
function ticking(): { now: () => number; random: () => number; uuid: () => string } {
  let count = 0;
  return { now: () => ++count * 1999, random: () => ++count / 10, uuid: () => `id-${++count}` };
}

test('there are five', () =>
  expect(VARIABLE_NAMES.toSorted()).toEqual(['now', 'pi', 'random', 'timestamp', 'uuid']));

describe('each is read anew at every use', () => {
  test('now', () =>
    expect(evaluate('{{now}}|{{now}}', {}, ticking())).toBe(
      '1970-01-01T00:00:01.999Z|1970-01-01T00:00:03.998Z',
    ));
  test('timestamp in whole seconds', () =>
    expect(evaluate('{{timestamp}},{{timestamp}}', {}, ticking())).toBe('1,3'));
  test('random', () => expect(evaluate('{{random}},{{random}}', {}, ticking())).toBe('0.1,0.2'));
  test('uuid', () => expect(evaluate('{{uuid}},{{uuid}}', {}, ticking())).toBe('id-1,id-2'));
  test('by one compiled template, too', () => {
    const next = compile('{{uuid}}', ticking());
    expect([next({}), next({})]).toEqual(['id-1', 'id-2']);
  });
});

test('now is a date', () => expect(evaluate('{{now}}', {}, { now: () => 5 })).toEqual(new Date(5)));
test('pi', () => expect(evaluate('{{pi}}')).toBe(Math.PI));
test('a name of the scope wins, even without a value', () => {
  expect(evaluate('{{now}}', { now: 'mine' })).toBe('mine');
  expect(evaluate('{{pi}}', { pi: undefined })).toBeUndefined();
});
test('a quoted name is never a variable', () => expect(evaluate('{{`now`}}')).toBeUndefined());
test('a member of that name is none', () => expect(evaluate('{{a.now}}', { a: {} })).toBeUndefined());
test('executionId comes from the scope', () =>
  expect(evaluate('{{executionId}}', { executionId: 'run-1' })).toBe('run-1'));
