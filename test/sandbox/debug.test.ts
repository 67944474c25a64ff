import { describe, expect, it } from 'vitest';
import { createTrustedFunctions } from '../../src/engine/sandbox/trusted-functions.js';
import type { Environment } from '../../src/language/index.js';
import { BUILTINS, callIn, ENVIRONMENT, openSandbox } from './open-sandbox.js';

type DebugOutput = Parameters<NonNullable<Environment['onDebug']>>[0];

const CODE = `function f(x) {
  debug('given', x);
  return x;
}`;

const SAID: DebugOutput = {
  function: 'f',
  values: ['given', { a: 1 }],
  place: { file: 'functions/f/code.js', line: 2, column: expect.any(Number) },
};

describe('debug', () => {
  it('passes its arguments and the source location to the listener', async () => {
    const told: DebugOutput[] = [];
    using sandbox = await openSandbox({ f: CODE });
    const environment = { ...ENVIRONMENT, onDebug: (output: DebugOutput) => told.push(output) };
    expect(sandbox.functions['f']?.(environment, { a: 1 })).toEqual({ a: 1 });
    expect(told).toEqual([SAID]);
  });

  it('does nothing without a listener', async () => {
    using sandbox = await openSandbox({ f: CODE });
    expect(callIn(sandbox, 'f', 1)).toBe(1);
  });

  it.each([
    ['a cycle', 'const x = {}; x.x = x; debug(x)', /contains itself/],
    ['a promise', 'debug(Promise.resolve(1))', /promise/],
    ['a BigInt', 'debug(10n)', /BigInt/],
  ])('describes a value that it cannot show: %s', async (_name, statement, reason) => {
    const told: DebugOutput[] = [];
    using sandbox = await openSandbox({ f: `function f() { ${statement}; return 'done' }` });
    const environment = { ...ENVIRONMENT, onDebug: (output: DebugOutput) => told.push(output) };
    expect(sandbox.functions['f']?.(environment)).toBe('done');
    expect(told.map(({ values }) => values)).toEqual([[expect.stringMatching(reason)]]);
  });

  it('works with trusted functions', () => {
    const told: DebugOutput[] = [];
    const functions = [{ name: 'f', code: CODE, file: 'functions/f/code.js' }];
    const trusted = createTrustedFunctions({ functions, builtins: BUILTINS });
    const environment = { ...ENVIRONMENT, onDebug: (output: DebugOutput) => told.push(output) };
    trusted.functions['f']?.(environment, { a: 1 });
    expect(told).toEqual([SAID]);
  });
});
