import { describe, expect, it } from 'vitest';
import { finishPending } from '../../src/iml/values/finish-pending.js';
import { openJournal, withJournal } from '../../src/iml/values/work.js';
import { createSandbox } from '../../src/sandbox/create-sandbox.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { BUILTINS, callIn } from './open-sandbox.js';

/** A thread that does what `script` says. */
function entry(script: string): URL {
  const code = `import { parentPort, workerData } from 'node:worker_threads'; ${script}`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

const READY = "parentPort.postMessage({ kind: 'ready', warnings: [] });";
const ON_CALL = "parentPort.on('message', ({ kind }) => kind === 'call' &&";

function openWith(script: string, code = 'function f(a) { return a }', timeMs = 300): Promise<Sandbox> {
  return createSandbox({
    functions: [{ name: 'f', code, file: 'f.js' }],
    builtins: BUILTINS,
    limits: { timeMs },
    thread: { entry: entry(script), attemptMs: 0 },
  });
}

/** Calls `f` as an expression does that may be begun anew. */
async function call(sandbox: Sandbox, ...args: unknown[]): Promise<unknown> {
  const journal = openJournal();
  const rules = {
    maxSteps: 1e6,
    assertGoesOn: () => {},
    waitFor: (work: Promise<unknown>) => work,
  };
  for (;;) {
    try {
      return withJournal(journal, () => callIn(sandbox, 'f', ...args));
    } catch (error) {
      if (journal.pending === undefined) throw error;
      await finishPending(journal.pending, journal, rules);
    }
  }
}

describe('a thread for custom functions', () => {
  it.each([
    ['does not load', 'import "./nowhere.js";'],
    ['throws as it starts', 'throw new Error("no")'],
    ['ends as it starts', 'process.exit()'],
  ])('that %s is done without', async (_what, script) => {
    using sandbox = await openWith(script);
    expect(await call(sandbox, [1, { a: 2 }])).toEqual([1, { a: 2 }]);
    await expect(call(sandbox, 1n)).rejects.toThrow('BigInt');
  });

  it.each([
    ['ends', `${READY} ${ON_CALL} process.exit());`, 'was stopped: it needs more than its sandbox can give'],
    [
      'runs out of memory',
      `${READY} ${ON_CALL} (() => { const all = []; for (;;) all.push(new Array(1e6).fill(1.5)) })());`,
      'was stopped: it needs more than its sandbox can give',
    ],
    ['goes on behind its time', `${READY} ${ON_CALL} (() => { for (;;); })());`, 'ran longer than 0.3 s'],
    [
      'leaves nothing',
      `${READY} ${ON_CALL} parentPort.postMessage({ kind: 'done', pieces: 1, tookMs: 1 }));`,
      'was stopped',
    ],
  ])(
    'that %s while it is at work ends the call, and the next one gets another',
    async (_what, script, expected) => {
      // Whether memory is short within a time is the machine's matter.
      using sandbox = await openWith(script, undefined, expected.includes('0.3 s') ? 300 : 60_000);
      for (let times = 0; times < 2; times++) {
        await expect(call(sandbox, 1)).rejects.toMatchObject({
          code: 'IML_LIMIT',
          message: expect.stringContaining(expected),
        });
      }
    },
  );

  it('is not asked where nobody can wait', async () => {
    using sandbox = await openWith('process.exit()');
    expect(callIn(sandbox, 'f', 'here')).toBe('here');
  });

  it('that cannot be had for a file that takes long to compile leaves it to this one', async () => {
    const names = Array.from({ length: 7000 }, (_, n) => `#p${n}=1;`).join('');
    const code = `class A {${names}} function f(a) { return a }`;
    using sandbox = await openWith('process.exit()', code, 30_000);
    expect(sandbox.warnings.map(({ code: kind }) => kind)).toEqual(['code-too-long']);
    expect(await call(sandbox, 1)).toBe(1);
  });
});

describe('places for threads', () => {
  const answer = (wait: (work: string) => string): string => {
    const work = `workerData.results.postMessage({ marks: '{v.', values: ['value', 1] });
      parentPort.postMessage({ kind: 'done', pieces: 1, tookMs: 1 });`;
    return `${READY} parentPort.on('message', ({ kind }) => { if (kind === 'call') { ${wait(work)} } });`;
  };
  const ANSWERS = answer((work) => work);
  const SLOWLY = answer((work) => `setTimeout(() => { ${work} }, 30);`);
  const NEVER = answer(() => '');

  async function openAll(script: string, count: number, timeMs?: number): Promise<Sandbox[]> {
    return Promise.all(Array.from({ length: count }, () => openWith(script, undefined, timeMs)));
  }

  const closeAll = (sandboxes: readonly Sandbox[]): void => {
    for (const { close } of sandboxes) close();
  };

  it('are made by those that rest, one for each who needs one', async () => {
    const resting = await openAll(ANSWERS, 8);
    await Promise.all(resting.map((sandbox) => call(sandbox)));
    const busy = await openAll(NEVER, 3, 1e9);
    const calls = busy.map((sandbox) => call(sandbox).catch(() => 'closed'));
    using last = await openWith(ANSWERS);
    expect(await call(last)).toBe(1);
    closeAll([...busy, ...resting]);
    expect(await Promise.all(calls)).toEqual(['closed', 'closed', 'closed']);
  });

  it('are not waited for by who is closed', async () => {
    const busy = await openAll(NEVER, 8, 1e9);
    const calls = busy.map((sandbox) => call(sandbox).catch(() => 'closed'));
    const late = await openWith(ANSWERS);
    const waiting = [call(late), call(late)];
    setImmediate(() => setImmediate(late.close));
    for (const work of waiting) await expect(work).rejects.toThrow('after its sandbox was closed');
    closeAll(busy);
    await Promise.all(calls);
  });

  it('are left to others by who never has a rest', async () => {
    const busy = await openAll(SLOWLY, 8, 60_000);
    let isOver = false;
    const goOn = async (sandbox: Sandbox): Promise<void> => {
      while (!isOver) await call(sandbox);
    };
    const streams = busy.flatMap((sandbox) => [goOn(sandbox), goOn(sandbox)]);
    using late = await openWith(ANSWERS);
    expect(await call(late)).toBe(1);
    isOver = true;
    await Promise.all(streams);
    closeAll(busy);
  });
});
