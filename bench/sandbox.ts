import { createSandbox } from '../src/engine/sandbox/create-sandbox.js';
import type { Environment, ImlFunction } from '../src/language/environment.js';

/** Compares a custom function in the sandbox with a plain call of the same function, and measures what one more app costs. */

const ENVIRONMENT: Environment = {
  now: () => 0,
  random: () => 0.5,
  uuid: () => '00000000-0000-4000-8000-000000000000',
  timezone: 'UTC',
  semantics: 'runtime',
  platformVersion: 2,
  digest: () => new Uint8Array(0),
};

const ROW = {
  id: 1,
  name: 'Ada',
  tags: ['a', 'b', 'c'],
  address: { city: 'London', zip: 'N1' },
  active: true,
};

const CASES: readonly {
  name: string;
  code: string;
  plain: (...args: never[]) => unknown;
  args: readonly unknown[];
}[] = [
  { name: 'number', code: 'function f(x) { return x + 1 }', plain: (x: number) => x + 1, args: [1] },
  {
    name: 'row',
    code: 'function f(x) { return { ...x, id: 2 } }',
    plain: (x: object) => ({ ...x, id: 2 }),
    args: [ROW],
  },
  {
    name: 'date',
    code: 'function f(x) { return new Date(+x + 1) }',
    plain: (x: Date) => new Date(+x + 1),
    args: [new Date(0)],
  },
  {
    name: '1000 rows',
    code: 'function f(x) { return x.filter((row) => row.active) }',
    plain: (x: (typeof ROW)[]) => x.filter((row) => row.active),
    args: [Array.from({ length: 1000 }, () => ROW)],
  },
];

/** Median of five runs, in microseconds per call. */
function measure(call: () => unknown, budgetMs: number): number {
  const runs = Array.from({ length: 5 }, () => {
    const started = performance.now();
    let calls = 0;
    for (; performance.now() - started < budgetMs; calls++) call();
    return ((performance.now() - started) * 1000) / calls;
  });
  return runs.sort((a, b) => a - b)[2] ?? Number.NaN;
}

for (const { name, code, plain, args } of CASES) {
  using sandbox = await createSandbox({ functions: [{ name: 'f', code, file: undefined }], builtins: {} });
  const f = sandbox.functions['f'] as ImlFunction;
  const native = plain as (...parameters: readonly unknown[]) => unknown;
  const same = JSON.stringify(f(ENVIRONMENT, ...args)) === JSON.stringify(native(...args));
  if (!same) throw new Error(`${name}: results differ`);
  const inside = measure(() => f(ENVIRONMENT, ...args), 200);
  const outside = measure(() => native(...args), 50);
  console.log(
    `${name.padEnd(12)} ${inside.toFixed(1)} us per call, ${Math.round(inside / outside)} times a plain call`,
  );
}

const APPS = 40;
const opened = [];
const open = () =>
  createSandbox({
    functions: [{ name: 'f', code: 'function f(x) { return x }', file: undefined }],
    builtins: {},
  });
// The first one loads QuickJS.
opened.push(await open());
const before = process.memoryUsage().rss;
const cpu = process.cpuUsage();
for (let app = 0; app < APPS; app++) {
  const sandbox = await open();
  sandbox.functions['f']?.(ENVIRONMENT, ROW);
  opened.push(sandbox);
}
const { user, system } = process.cpuUsage(cpu);
const megabytes = (process.memoryUsage().rss - before) / APPS / 1e6;
console.log(`one more app ${megabytes.toFixed(1)} MB, ${((user + system) / APPS / 1000).toFixed(1)} ms CPU`);
for (const sandbox of opened) sandbox.close();
