import { describe, expect, it } from 'vitest';
import { functionError, ImlError, limitError } from '../../src/errors/iml-error.js';
import { evaluate } from '../../src/iml/compile.js';
import { asImlError, makeUnknownFunctionError, wrapCallError } from '../../src/iml/environment/call-error.js';
import { FUNCTIONS } from '../../src/iml/functions/table.js';
import { imlErrorOf, templateFailure } from './template-failure.js';

/** Whatever is asked of it throws. */
const trapped = (target: object = {}): object => {
  const refuse = (): never => {
    throw trapped();
  };
  return new Proxy(target, { getPrototypeOf: refuse, get: refuse, has: refuse });
};

const PLACE = { source: '{{f(x)}}', pointer: '/url' };

function fail(): never {
  throw new TypeError('secret');
}

const hintFor = (name: string): string | undefined =>
  makeUnknownFunctionError(name, FUNCTIONS, PLACE, 2).hint;

describe('an unknown function', () => {
  it('has the words of the platform', () =>
    expect(makeUnknownFunctionError('f', FUNCTIONS, PLACE, 2)).toMatchObject({
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
  ])('%s: %s', (name, hint) => expect(hintFor(name)).toBe(hint));
  it('prints its hint beside the message', () =>
    expect(imlErrorOf(() => evaluate('{{and(1; 2)}}')).print()).toMatch(
      /^Function 'and' not found! Write a & b\.\n/,
    ));
});

describe('wrapping', () => {
  it('puts the call in front, and keeps kind, code, hint and cause', () => {
    const cause = new Error('host');
    const inner = functionError('No.', cause);
    inner.hint = 'Try again.';
    expect(wrapCallError(inner, 'f', PLACE, 2)).toMatchObject({
      message: "Function 'f' finished with error! No.",
      kind: 'function-error',
      code: 'IML_FUNCTION',
      hint: 'Try again.',
      cause,
      offset: 2,
      place: { pointer: '/url' },
    });
  });
  it('leaves a place that is already known', () => {
    const inner = new ImlError('IML_LIMIT', 'x', { kind: 'limit', source: 'inner', offset: 1 });
    expect(wrapCallError(inner, 'f', PLACE, 2)).toMatchObject({ source: 'inner', offset: 1 });
  });
  it('leaves mistakes of syntax alone', () => {
    const inner = new ImlError('IML_SYNTAX', 'x', { kind: 'syntax' });
    expect(wrapCallError(inner, 'f', PLACE, 2)).toBe(inner);
  });
});

describe('what is thrown', () => {
  it('stays if it is an ImlError', () => {
    const error = limitError('x');
    expect(asImlError(error)).toBe(error);
  });
  it.each([new TypeError('host'), 'text', undefined, null, new RangeError('Invalid array length')])(
    '%s is a value that cannot be read',
    (thrown) => expect(asImlError(thrown)).toMatchObject({ kind: 'type', code: 'IML_HOST_VALUE' }),
  );
  it.each([
    ['a proxy whose traps throw', trapped()],
    ['one of an error', trapped(limitError('x'))],
    ['one of an error, which can be asked for its class', new Proxy(limitError('x'), { get: () => fail() })],
    ['one of a full stack', new Proxy(new RangeError('call stack'), { get: () => fail() })],
    ['a function', () => {}],
  ])('%s is one, too', (_, thrown) =>
    expect(asImlError(thrown)).toMatchObject({ kind: 'type', code: 'IML_HOST_VALUE' }),
  );
  it('by the scope as a proxy is told with the call around it', () => {
    const scope = {
      get broken(): never {
        throw trapped();
      },
    };
    expect(templateFailure('{{broken}}', scope)).toMatchObject({ kind: 'type', code: 'IML_HOST_VALUE' });
    expect(templateFailure('{{upper(broken)}}', scope)).toMatchObject({ code: 'IML_HOST_VALUE' });
  });
  it('is a limit if the stack of the host is full', () => {
    const thrown = new RangeError('Maximum call stack size exceeded');
    expect(asImlError(thrown)).toMatchObject({
      code: 'IML_LIMIT',
      kind: 'limit',
      message: 'The expression is nested too deeply for the remaining call stack.',
      cause: thrown,
    });
  });
  it('by a getter of the scope is told with the call around it', () => {
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
