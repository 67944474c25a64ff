import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpuMsOf } from '../cpu-time.js';
import { callIn, failureOf, openSandbox } from './open-sandbox.js';

type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/** Each is terminated from outside; `expected` is a part of the message. */
const ENDLESS: readonly (readonly [name: string, body: string, expected: string])[] = [
  ['loop', 'for (;;);', 'ran longer than 0.4 s'],
  ['caught', 'for (;;) try { for (;;); } catch { } finally { continue; }', 'ran longer than 0.4 s'],
  ['pattern', "return /(a+)+$/.test('a'.repeat(50) + 'b')", 'ran longer than 0.4 s'],
  ['getter', 'return { get endless() { for (;;); } }', 'ran longer than 0.4 s'],
  ['sortEndless', 'return [2, 1].sort(() => { for (;;); })', 'ran longer than 0.4 s'],
  [
    'ownMessage',
    "const e = new Error(); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e",
    'ran longer',
  ],
];

/** Each needs more memory or a deeper stack than available, regardless of time. */
const GROWING: readonly (readonly [name: string, body: string, expected: string])[] = [
  ['texts', "const list = []; for (;;) list.push('x'.repeat(1e5) + list.length)", 'MB of memory'],
  ['doubling', "let text = 'x'; for (;;) text += text", ''],
  ['bytes', 'const list = []; for (;;) list.push(new Uint8Array(1e6))', 'MB of memory'],
  ['hugeResult', "return Array.from({ length: 1e6 }, (_, index) => 'item ' + index)", ''],
  // If the memory has no space for an error object, QuickJS throws null.
  ['holes', 'return new Array(4294967295)', 'MB of memory'],
  ['length', 'const list = []; list.length = 3e7; return list', 'MB of memory'],
  ['objects', 'const list = []; for (;;) list.push({ at: [list.length] })', 'MB of memory'],
  [
    'thrownAgain',
    'const list = []; try { for (;;) list.push({ at: [list.length] }) } catch (e) { throw e }',
    'MB of memory',
  ],
  ['keptForGood', 'globalThis.all = []; for (;;) all.push({ at: [all.length] })', 'MB of memory'],
  ['shown', 'debug(new Array(4294967295))', 'MB of memory'],
  [
    'unfolding',
    'let tree = [1]; for (let i = 0; i < 40; i++) tree = [tree, tree]; return tree',
    'contains more than',
  ],
  ['recursion', 'return (function down(n) { return down(n + 1) + 1 })(0)', 'too deeply'],
  ['parseDeep', "return JSON.parse('['.repeat(1e6))", 'too deeply'],
  ['self', 'return iml.self() + 1', 'too deeply'],
  ['ping', 'return iml.pong()', 'too deeply'],
  ['pong', 'return iml.ping()', 'too deeply'],
];

let hasty: Sandbox;
let patient: Sandbox;

beforeAll(async () => {
  const toCodes = (cases: typeof ENDLESS) => ({
    ...Object.fromEntries(cases.map(([name, body]) => [name, `function ${name}() { ${body} }`])),
    echo: 'function echo(x) { return x }',
    ownNull: 'function ownNull() { throw null }',
  });
  hasty = await openSandbox(toCodes(ENDLESS));
  // A quarter of the usual memory fills in a quarter of the time.
  patient = await openSandbox(toCodes(GROWING), { limits: { timeMs: 60_000, memoryBytes: 8 * 1024 * 1024 } });
});
afterAll(() => {
  hasty.close();
  patient.close();
});

describe('a call that does not end', () => {
  const expectExhausted = async (sandbox: Sandbox, name: string, expected: string): Promise<void> => {
    const cpuMs = await cpuMsOf(() => {
      const { code, message } = failureOf(sandbox, name);
      expect({ code, message }).toEqual({ code: 'IML_LIMIT', message: expect.stringContaining(expected) });
      expect(message).toContain(`'${name}'`);
    });
    expect(cpuMs).toBeLessThan(8000);
    expect(callIn(sandbox, 'echo', { still: ['here'] })).toEqual({ still: ['here'] });
  };

  it.each(ENDLESS)('ends %s with IML_LIMIT, and the next call works', async (name, _body, expected) => {
    await expectExhausted(hasty, name, expected);
  });

  it.each(GROWING)('ends %s with IML_LIMIT, and the next call works', async (name, _body, expected) => {
    await expectExhausted(patient, name, expected);
  });

  it('has 32 MB of memory by default', async () => {
    const fill = "function fill() { const list = []; for (;;) list.push('x'.repeat(1e5) + list.length) }";
    using own = await openSandbox({ fill }, { limits: { timeMs: 60_000 } });
    expect(failureOf(own, 'fill').message).toContain('needs more than 32 MB of memory');
  });

  it('keeps null as a thrown reason, regardless of earlier memory errors', () => {
    const own = {
      code: 'IML_FUNCTION',
      message: "Custom function 'ownNull' failed: null (functions/ownNull/code.js)",
    };
    expect(failureOf(patient, 'ownNull')).toEqual(own);
    expect(failureOf(patient, 'objects').code).toBe('IML_LIMIT');
    expect(failureOf(patient, 'ownNull')).toEqual(own);
  });

  it('may catch its own stack overflow and continue', async () => {
    using own = await openSandbox({
      f: 'function f() { const down = () => down(); try { down() } catch (e) { return e.message } }',
    });
    expect(callIn(own, 'f')).toBe('stack overflow');
    expect(callIn(own, 'f')).toBe('stack overflow');
  });
});

describe('the time limit', () => {
  const clockAt = (times: number[]) => ({ now: () => times.shift() ?? 400 });

  it('starts with the call and uses the injected clock', async () => {
    const spin = 'function f() { let n = 0; while (n < 3e5) n++; return n }';
    const clock = { now: () => 0 };
    using sandboxAtLimit = await openSandbox({ f: spin }, { clock });
    clock.now = clockAt([0]).now;
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

describe('arguments', () => {
  it('count towards the time limit', async () => {
    const slow = { ms: 0, now: () => slow.ms };
    using sandbox = await openSandbox({ f: 'function f() { for (;;); }' }, { clock: slow });
    const late = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        slow.ms = 401;
        return 1;
      },
    });
    expect(failureOf(sandbox, 'f', late).message).toContain('ran longer than 0.4 s');
  });
});

describe('the time limit after a rewind', () => {
  it.each([
    ['a kill', (own: Sandbox) => failureOf(own, 'endless')],
    ['a left-over job', (own: Sandbox) => callIn(own, 'leaveJob')],
  ])('still applies: %s', async (_name, rewind) => {
    using own = await openSandbox({
      endless: 'function endless() { for (;;); }',
      leaveJob: 'function leaveJob() { Promise.resolve().then(() => 1); return 1 }',
    });
    rewind(own);
    expect(failureOf(own, 'endless').message).toContain('ran longer than 0.4 s');
  });
});

describe('built-in functions called from a custom function', () => {
  it.each([
    ['in a loop', 'for (;;) iml.slow()'],
    ['with failures caught', 'for (;;) try { iml.slow() } catch { }'],
    ['in a native loop', 'return [..."x".repeat(1000)].map(() => iml.slow())'],
    ['as a getter', 'return { get a() { for (;;) try { iml.slow() } catch { } } }'],
  ])('end the call with the one that exceeds the limit: %s', async (_name, body) => {
    const clock = { ms: 0, now: () => clock.ms };
    let calls = 0;
    const slow = () => {
      calls++;
      clock.ms += 50;
      return calls;
    };
    using own = await openSandbox({ f: `function f() { ${body} }` }, { clock, builtins: { slow } });
    for (let round = 1; round <= 3; round++) {
      expect(failureOf(own, 'f')).toEqual({
        code: 'IML_LIMIT',
        message: "Custom function 'f' ran longer than 0.4 s (functions/f/code.js)",
      });
      expect(calls).toBe(9 * round);
    }
  });
});

describe('heavy native work', () => {
  it('within time and memory does not end a call, also after a rewind', async () => {
    const numbers =
      'function numbers() { const list = []; for (let i = 0; i < 2e6; i++) list.push(i); return list }';
    const endless = 'function endless() { for (;;); }';
    const clock = { ms: 0, now: () => clock.ms++ };
    using own = await openSandbox({ numbers, endless }, { clock, limits: { timeMs: 60_000 } });
    clock.now = () => (clock.ms += 20_000);
    failureOf(own, 'endless');
    clock.now = () => clock.ms;
    expect(callIn(own, 'numbers')).toHaveLength(2e6);
  });
});

describe('the length of code', () => {
  const ofLength = (length: number) => 'function f() { return 1 }'.padEnd(length, ' ');

  it.each([
    [4999, 0],
    [5000, 0],
    [5001, 1],
  ])('%i characters cause %i warnings and still run', async (length, warnings) => {
    using own = await openSandbox({ f: ofLength(length) });
    expect(own.warnings.filter((warning) => warning.code === 'code-too-long')).toHaveLength(warnings);
    expect(callIn(own, 'f')).toBe(1);
  });
});
