import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryInUse } from './collect-garbage.js';
import { callIn, failureOf, openSandbox } from './open-sandbox.js';

const CODES = {
  echo: 'function echo(x) { return x }',
  rec: 'function rec(n) { return rec(n + 1) + 1 }',
  parse: "function parse() { return JSON.parse('['.repeat(1e6)) }",
};

describe('deep stacks of the host', () => {
  it.each([
    ['echo', ['value', 'IML_LIMIT']],
    ['rec', ['IML_LIMIT']],
    ['parse', ['IML_LIMIT', 'IML_FUNCTION']],
  ])('ends %s with one of %j at every depth, and the sandbox stays usable', async (name, allowed) => {
    using sandbox = await openSandbox(CODES);
    const seen = new Set<string>();
    const attempt = (called: string): string => {
      try {
        return callIn(sandbox, called, 1) === 1 ? 'value' : 'wrong';
      } catch (error) {
        return String((error as { code?: string }).code ?? error);
      }
    };
    // The last frames have no stack even for the call of the test: they return to their caller.
    let handedUp = 0;
    const down = (): void => {
      try {
        down();
      } catch (error) {
        const outcome = attempt(name);
        if (outcome.startsWith('RangeError')) {
          handedUp++;
          throw error;
        }
        seen.add(outcome);
      }
    };
    down();
    expect(handedUp).toBeLessThan(1000);
    const climb = (depth: number): void => {
      if (depth > 0) climb(depth - 1);
      else seen.add(attempt(name));
    };
    for (let depth = 400; depth < 6000; depth += 400) climb(depth);
    expect([...seen].filter((outcome) => !allowed.includes(outcome))).toEqual([]);
    expect(seen.size).toBeGreaterThan(0);
    expect(attempt('echo')).toBe('value');
  });
});

describe('a worker thread', () => {
  let folder: string;

  // Node 20 runs no TypeScript: the folders that the sandbox needs are compiled beside their dependencies.
  beforeAll(() => {
    const root = join(import.meta.dirname, '../..');
    folder = mkdtempSync(join(root, 'node_modules/.sandbox-test-'));
    for (const part of ['src/engine/sandbox', 'src/language', 'src/shared/errors', 'src/shared']) {
      for (const entry of readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })) {
        if (!entry.endsWith('.ts') || entry.endsWith('.d.ts')) continue;
        const target = join(folder, relative('src', part), entry.replace(/ts$/, 'js'));
        mkdirSync(dirname(target), { recursive: true });
        const source = readFileSync(join(root, part, entry), 'utf8');
        writeFileSync(target, transformSync(source, { loader: 'ts', target: 'es2022' }).code);
      }
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'worker.js'), WORKER);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([{}, { stackSizeMb: 1 }, { stackSizeMb: 16 }])(
    'ends %j with typed errors and stays usable',
    async (resourceLimits) => {
      const worker = new Worker(join(folder, 'worker.js'), { resourceLimits, workerData: CODES });
      const outcomes = await new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
        worker.once('exit', (code) => reject(new Error(`exit ${code}`)));
      });
      await worker.terminate();
      // With more stack than QuickJS can use, the nested brackets fail as invalid JSON.
      const typed = expect.stringMatching(/^IML_(LIMIT|FUNCTION)$/);
      expect(outcomes).toEqual([1, 'IML_LIMIT', 2, typed, 3, 'IML_LIMIT or value', 4]);
    },
  );
});

const WORKER = `
import { parentPort, workerData } from 'node:worker_threads';
import { createSandbox } from './engine/sandbox/create-sandbox.js';
const functions = Object.entries(workerData).map(([name, code]) => ({ name, code, file: name }));
const sandbox = await createSandbox({ functions, builtins: {}, limits: { timeMs: 3000 } });
const environment = { now: () => 0, random: () => 0, timezone: 'UTC' };
const attempt = (name, ...args) => {
  try { return sandbox.functions[name](environment, ...args) } catch (error) { return error.code ?? String(error) }
};
let deepest;
const down = () => {
  try { down() } catch (error) {
    deepest = attempt('echo', 'value');
    if (String(deepest).startsWith('RangeError')) throw error;
  }
};
const list = [attempt('echo', 1), attempt('rec', 0), attempt('echo', 2), attempt('parse'), attempt('echo', 3)];
down();
list.push(['IML_LIMIT', 'value'].includes(deepest) ? 'IML_LIMIT or value' : deepest, attempt('echo', 4));
parentPort.postMessage(list);
`;

/** Variation by the test runner, in bytes. */
const NOISE = 5e5;

describe('memory', () => {
  it('100 000 calls leave the heap and the guest memory at their size', async () => {
    using sandbox = await openSandbox({
      f: 'const cache = []; function f(x) { cache.push(x); return { ...x, cache } }',
    });
    const call = (times: number): void => {
      for (let index = 0; index < times; index++) callIn(sandbox, 'f', { a: 1, b: ['text'] });
    };
    call(5000);
    const before = await memoryInUse();
    call(100_000);
    const after = await memoryInUse();
    // Even one number stored per call would take 800 000 bytes.
    expect(after.heap - before.heap).toBeLessThan(NOISE);
    expect(after.outside - before.outside).toBeLessThan(NOISE);
    expect(failureOf(sandbox, 'f', 1n).code).toBe('IML_FUNCTION');
  }, 120_000);

  it('calls that fail or reach a limit leave nothing behind', async () => {
    using sandbox = await openSandbox({
      fail: "function fail() { throw new Error('no') }",
      overflow: 'function overflow() { return overflow() + 1 }',
    });
    const call = (times: number): void => {
      for (let index = 0; index < times; index++) {
        expect(failureOf(sandbox, 'fail').code).toBe('IML_FUNCTION');
        if (index % 50 === 0) expect(failureOf(sandbox, 'overflow').code).toBe('IML_LIMIT');
      }
    };
    call(500);
    const before = await memoryInUse();
    call(5000);
    const after = await memoryInUse();
    expect(after.heap - before.heap).toBeLessThan(NOISE);
    expect(after.outside - before.outside).toBeLessThan(NOISE);
  }, 120_000);

  it('50 sandboxes opened and closed leave nothing behind', async () => {
    const open = async (times: number): Promise<void> => {
      for (let index = 0; index < times; index++) {
        using sandbox = await openSandbox({ f: 'function f() { return 1 }' });
        expect(callIn(sandbox, 'f')).toBe(1);
      }
    };
    await open(10);
    const before = await memoryInUse();
    await open(50);
    const after = await memoryInUse();
    // The memory of one guest takes 16 MB.
    expect(after.heap - before.heap).toBeLessThan(NOISE);
    expect(after.outside - before.outside).toBeLessThan(16e6);
  }, 120_000);
});

describe('one more app with functions', () => {
  it('takes less than 5 MB of the process', async () => {
    const open = (): ReturnType<typeof openSandbox> => openSandbox({ f: 'function f(x) { return x }' });
    const opened = [await open()];
    const before = process.memoryUsage.rss();
    for (let index = 0; index < 20; index++) {
      const sandbox = await open();
      expect(callIn(sandbox, 'f', 1)).toBe(1);
      opened.push(sandbox);
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(20 * 5e6);
    for (const sandbox of opened) sandbox.close();
  });
});

describe('a closed sandbox', () => {
  it('refuses calls with a typed error, and may be closed twice', async () => {
    const sandbox = await openSandbox(CODES);
    sandbox.close();
    sandbox[Symbol.dispose]();
    expect(failureOf(sandbox, 'echo')).toEqual({
      code: 'IML_FUNCTION',
      message: "Custom function 'echo' was called after its sandbox was closed",
    });
  });

  it('is not needed by an app without functions, which loads no QuickJS', async () => {
    using sandbox = await openSandbox({});
    expect(sandbox.functions).toEqual({});
  });
});
