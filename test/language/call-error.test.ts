import { describe, expect, it } from 'vitest';
import { asImlError, makeUnknownFunctionError, wrapCallError } from '../../src/language/environment.js';
import { evaluate, functions, ImlError } from '../../src/language/index.js';
import { imlErrorOf, templateFailure } from './template-failure.js';

/** A proxy that throws on every access. */
const trapped = (target: object = {}): object => {
  const trap = (): never => {
    throw trapped();
  };
  return new Proxy(target, { getPrototypeOf: trap, get: trap, has: trap });
};

const LOCATION = { source: '{{f(x)}}', pointer: '/url' };

function fail(): never {
  throw new TypeError('secret');
}

const hintFor = (name: string): string | undefined =>
  makeUnknownFunctionError(name, functions, LOCATION, 2).hint;

describe('an unknown function', () => {
  it('has the message of Make', () =>
    expect(makeUnknownFunctionError('f', functions, LOCATION, 2)).toMatchObject({
      message: "Function 'f' not found!",
      place: { pointer: '/url' },
      position: { line: 1, column: 3 },
    }));
  it.each([
    ['and', 'Write a & b.'],
    ['or', 'Write a | b.'],
    ['not', 'Write !a.'],
    ['toNumber', 'Write parseNumber(a).'],
    ['formatdate', 'Did you mean "formatDate"?'],
    ['startCase', 'Did you mean "startcase"?'],
    ['lenght', 'Did you mean "length"?'],
    ['zzzzzzzzzz', undefined],
    ['constructor', undefined],
    ['x'.repeat(1000), undefined],
  ])('%s has the hint %s', (name, hint) => expect(hintFor(name)).toBe(hint));
  it('prints its hint after the message', () =>
    expect(imlErrorOf(() => evaluate('{{and(1; 2)}}')).print()).toMatch(
      /^Function 'and' not found! Write a & b\.\n/,
    ));
});

describe('an error inside a call', () => {
  it('has the call in its message, and keeps kind, code, hint and cause', () => {
    const cause = new Error('host');
    const inner = new ImlError('IML_FUNCTION', 'No.', { kind: 'function-error', cause });
    inner.hint = 'Try again.';
    expect(wrapCallError(inner, 'f', LOCATION, 2)).toMatchObject({
      message: "Function 'f' finished with error! No.",
      kind: 'function-error',
      code: 'IML_FUNCTION',
      hint: 'Try again.',
      cause,
      offset: 2,
      place: { pointer: '/url' },
    });
  });
  it('keeps its location', () => {
    const inner = new ImlError('IML_LIMIT', 'x', { kind: 'limit', source: 'inner', offset: 1 });
    expect(wrapCallError(inner, 'f', LOCATION, 2)).toMatchObject({ source: 'inner', offset: 1 });
  });
  it('is not wrapped if it is a syntax error', () => {
    const inner = new ImlError('IML_SYNTAX', 'x', { kind: 'syntax' });
    expect(wrapCallError(inner, 'f', LOCATION, 2)).toBe(inner);
  });
});

describe('a thrown value', () => {
  it('is unchanged if it is an ImlError', () => {
    const error = new ImlError('IML_LIMIT', 'x', { kind: 'limit' });
    expect(asImlError(error)).toBe(error);
  });
  it.each([new TypeError('host'), 'text', undefined, null, new RangeError('Invalid array length')])(
    '%s becomes IML_HOST_VALUE',
    (thrown) => expect(asImlError(thrown)).toMatchObject({ kind: 'type', code: 'IML_HOST_VALUE' }),
  );
  it.each([
    ['a proxy whose traps throw', trapped()],
    ['a proxy of an error whose traps throw', trapped(new ImlError('IML_LIMIT', 'x', { kind: 'limit' }))],
    [
      'a proxy of an error whose properties throw',
      new Proxy(new ImlError('IML_LIMIT', 'x', { kind: 'limit' }), { get: () => fail() }),
    ],
    [
      'a proxy of a stack overflow whose properties throw',
      new Proxy(new RangeError('call stack'), { get: () => fail() }),
    ],
    ['a function', () => {}],
  ])('%s becomes IML_HOST_VALUE', (_, thrown) =>
    expect(asImlError(thrown)).toMatchObject({ kind: 'type', code: 'IML_HOST_VALUE' }),
  );
  it('of a proxy in the scope becomes IML_HOST_VALUE in a call, too', () => {
    const scope = {
      get broken(): never {
        throw trapped();
      },
    };
    expect(templateFailure('{{broken}}', scope)).toMatchObject({ kind: 'type', code: 'IML_HOST_VALUE' });
    expect(templateFailure('{{upper(broken)}}', scope)).toMatchObject({ code: 'IML_HOST_VALUE' });
  });
  it('becomes IML_LIMIT if it is a stack overflow', () => {
    const thrown = new RangeError('Maximum call stack size exceeded');
    expect(asImlError(thrown)).toMatchObject({
      code: 'IML_LIMIT',
      kind: 'limit',
      message: 'The expression is nested too deeply for the remaining call stack.',
      cause: thrown,
    });
  });
  it('of a getter in the scope becomes IML_HOST_VALUE with the call in the message', () => {
    const scope = {
      get broken(): never {
        throw new TypeError('secret');
      },
    };
    expect(templateFailure('{{broken}}', scope)).toMatchObject({ kind: 'type', code: 'IML_HOST_VALUE' });
    const error = imlErrorOf(() => evaluate('{{upper(broken)}}', scope));
    expect(error.message).toBe(
      "Function 'upper' finished with error! A value of the scope threw an error while it was read.",
    );
    expect(JSON.stringify(error)).not.toContain('secret');
  });
});
