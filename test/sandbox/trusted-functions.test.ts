import { describe, expect, it } from 'vitest';
import { createTrustedFunctions } from '../../src/engine/sandbox/trusted-functions.js';
import { BUILTINS, callIn, ENVIRONMENT, failureOf } from './open-sandbox.js';

const trust = (codes: Readonly<Record<string, string>>) =>
  createTrustedFunctions({
    functions: Object.entries(codes).map(([name, code]) => ({
      name,
      code,
      file: `functions/${name}/code.js`,
    })),
    builtins: BUILTINS,
    limits: { timeMs: 300 },
  });

describe('trusted functions', () => {
  it('run as in the sandbox', () => {
    const sandbox = trust({
      a: "function a(x) { return [iml.b(x), iml.join([1, 2], '-'), this.timezone, environment.timezone] }",
      b: 'const b = (x) => x + 1',
    });
    expect([...(callIn(sandbox, 'a', 1) as unknown[])]).toEqual([2, '1-2', 'Europe/Prague', 'Europe/Prague']);
  });

  it('report the source location of an error', () => {
    const sandbox = trust({
      f: 'function f() {\n  throw new Error("no")\n}',
      bad: 'function bad( {',
      p: 'async function p() {}',
      t: 'function t() { throw "x" }',
    });
    expect(failureOf(sandbox, 'f')).toEqual({
      code: 'IML_FUNCTION',
      message: "Custom function 'f' failed: no (functions/f/code.js:2:9)",
    });
    expect(failureOf(sandbox, 'bad').message).toMatch(
      /'bad' does not compile: .* \(functions\/bad\/code\.js\)/,
    );
    expect(failureOf(sandbox, 'p').message).toMatch(/promise/);
    expect(failureOf(sandbox, 't').message).toBe("Custom function 't' failed: x (functions/t/code.js)");
    expect(sandbox.warnings.map((warning) => warning.code)).toEqual(['syntax']);
  });

  it('stop at the time limit', () => {
    expect(failureOf(trust({ f: 'function f() { for (;;); }' }), 'f')).toEqual({
      code: 'IML_LIMIT',
      message: "Custom function 'f' ran longer than 0.3 s (functions/f/code.js)",
    });
  });

  it('compile regardless of their length', () => {
    const own = trust({ f: 'function f() { return 1 }'.padEnd(65_537) });
    expect(callIn(own, 'f')).toBe(1);
    expect(own.warnings.map(({ message }) => message)).toEqual([
      "Custom function 'f' has 65537 characters of code; the platform takes at most 5000",
    ]);
  });

  it('replace a built-in function of the same name', () => {
    const { functions, warnings } = trust({ join: "function join() { return 'own' }" });
    expect(functions['join']?.(ENVIRONMENT)).toBe('own');
    expect(warnings.map(({ code }) => code)).toEqual(['function-replaced']);
  });
});
