import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { cpuMsOf } from '../cpu-time.js';
import { callIn, failureOf, openSandbox } from './open-sandbox.js';

let sandbox: Sandbox;

/** Each ends a call from outside; `expected` is a part of the message. */
const ENDLESS: readonly (readonly [name: string, body: string, expected: string])[] = [
  ['loop', 'for (;;);', 'ran longer than 0.4 s'],
  ['caught', 'for (;;) try { for (;;); } catch { } finally { continue; }', 'ran longer than 0.4 s'],
  ['pattern', "return /(a+)+$/.test('a'.repeat(50) + 'b')", 'ran longer than 0.4 s'],
  ['needle', "return 'a'.repeat(3e6).indexOf('a'.repeat(15e5) + 'b')", 'ran longer than 0.4 s'],
  ['splitter', "return 'a'.repeat(3e6).split('a'.repeat(15e5) + 'b')", 'ran longer than 0.4 s'],
  ['arrayLike', 'return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)', 'ran longer than 0.4 s'],
  ['sparse', 'return new Array(2 ** 32 - 1).every(Boolean)', 'ran longer than 0.4 s'],
  ['getter', 'return { get endless() { for (;;); } }', 'ran longer than 0.4 s'],
  ['sortEndless', 'return [2, 1].sort(() => { for (;;); })', 'ran longer than 0.4 s'],
  [
    'ownMessage',
    "const e = new Error(); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e",
    'ran longer',
  ],
  ['texts', "const list = []; for (;;) list.push('x'.repeat(1e5) + list.length)", 'MB of memory'],
  ['doubling', "let text = 'x'; for (;;) text += text", ''],
  ['bytes', 'const list = []; for (;;) list.push(new Uint8Array(1e6))', 'MB of memory'],
  ['hugeResult', "return Array.from({ length: 1e6 }, (_, index) => 'item ' + index)", ''],
  ['unfolding', 'let tree = [1]; for (let i = 0; i < 40; i++) tree = [tree, tree]; return tree', ''],
  ['recursion', 'return (function down(n) { return down(n + 1) + 1 })(0)', 'too deeply'],
  ['parseDeep', "return JSON.parse('['.repeat(1e6))", 'too deeply'],
  ['self', 'return iml.self() + 1', 'too deeply'],
  ['ping', 'return iml.pong()', 'too deeply'],
  ['pong', 'return iml.ping()', 'too deeply'],
];

beforeAll(async () => {
  const codes = Object.fromEntries(ENDLESS.map(([name, body]) => [name, `function ${name}() { ${body} }`]));
  sandbox = await openSandbox({ ...codes, echo: 'function echo(x) { return x }' });
});
afterAll(() => sandbox.close());

describe('a call that would not end', () => {
  it.each(ENDLESS)('%s gives IML_LIMIT, and the next call works', async (name, _body, expected) => {
    const cpuMs = await cpuMsOf(() => {
      const { code, message } = failureOf(sandbox, name);
      expect({ code, message }).toEqual({ code: 'IML_LIMIT', message: expect.stringContaining(expected) });
      expect(message).toContain(`'${name}'`);
    });
    expect(cpuMs).toBeLessThan(8000);
    expect(callIn(sandbox, 'echo', { still: ['here'] })).toEqual({ still: ['here'] });
  });

  it('may catch its own stack overflow and go on', async () => {
    using own = await openSandbox({
      f: 'function f() { const down = () => down(); try { down() } catch (e) { return e.message } }',
    });
    expect(callIn(own, 'f')).toBe('stack overflow');
    expect(callIn(own, 'f')).toBe('stack overflow');
  });
});

describe('the time limit', () => {
  const clockAt = (times: number[]) => ({ now: () => times.shift() ?? 400 });

  it('counts from the call, with the clock it is given', async () => {
    const spin = 'function f() { let n = 0; while (n < 3e5) n++; return n }';
    using sandboxAtLimit = await openSandbox({ f: spin }, { clock: clockAt([0]) });
    expect(callIn(sandboxAtLimit, 'f')).toBe(3e5);
    using sandboxAbove = await openSandbox(
      { f: spin },
      {
        clock: {
          now: (() => {
            let t = -401;
            return () => (t += 401);
          })(),
        },
      },
    );
    expect(failureOf(sandboxAbove, 'f').code).toBe('IML_LIMIT');
  });
});

describe('the length of code', () => {
  const ofLength = (length: number) => 'function f() { return 1 }'.padEnd(length, ' ');

  it.each([
    [4999, 0],
    [5000, 0],
    [5001, 1],
  ])('%i characters give %i warnings and still run', async (length, warnings) => {
    using own = await openSandbox({ f: ofLength(length) });
    expect(own.warnings.filter((warning) => warning.code === 'code-too-long')).toHaveLength(warnings);
    expect(callIn(own, 'f')).toBe(1);
  });
});
