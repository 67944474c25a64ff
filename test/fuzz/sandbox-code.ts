import fc from 'fast-check';
import { createSandbox } from '../../src/engine/sandbox/create-sandbox.js';
import { functions as FUNCTIONS, ImlError } from '../../src/language/index.js';
import { isPlainObject } from '../plain-object.js';
import { ENVIRONMENT } from '../sandbox/open-sandbox.js';
import { assertPrototypes, cpuMs, type Target } from './target.js';

interface Input {
  readonly code: string;
}

/**
 * Where `$` stands, another expression is put. No array is huge: QuickJS interrupts none of its own loops over one, such as
 * `new Array(2 ** 32 - 1).join()` (docs/isolation.md).
 */
const LEAVES = [
  ...[
    '1',
    '-0',
    '0 / 0',
    '1e400',
    '10n',
    "'a'",
    "'\\ud800'",
    'null',
    'undefined',
    'true',
    '[]',
    '({})',
    '/a+$/g',
  ],
  ...[
    'this',
    'globalThis',
    'iml',
    'environment',
    'Symbol.iterator',
    'new Date(NaN)',
    'Buffer.alloc(3)',
    'arguments',
  ],
  ...[
    'Object.prototype',
    'Array.prototype',
    'Function.prototype',
    'JSON',
    'Reflect',
    'eval',
    'new Error("x")',
  ],
  ...['new Array(1000)', "'a'.repeat(1e5)", 'new Uint8Array(1e5)', '(function f() { return f() })()'],
];
const FORMS = [
  ...[
    '[$, $]',
    '({ a: $, __proto__: $ })',
    '({ ["__proto__"]: $ })',
    '({ get a() { return $ } })',
    '[...$]',
    '({ ...$ })',
  ],
  ...[
    'new Proxy(Object($), { get: () => $, ownKeys: () => $ })',
    'Object.create($)',
    '(() => { throw $ })()',
  ],
  ...[
    'Object.setPrototypeOf(Object($), $)',
    'Object.defineProperty(Object($), "toString", { value: () => $ })',
  ],
  ...[
    'Object.prototype.x = $',
    'Array.prototype.push = () => $',
    'JSON.stringify = () => $',
    'globalThis.x = $',
  ],
  ...[
    '$.constructor',
    '$.constructor.constructor("return this")()',
    '$.then',
    '$.length = $',
    'delete globalThis[$]',
  ],
  ...[
    'new Map([[$, $]])',
    'new Set([$])',
    'Promise.resolve($)',
    'Promise.reject($)',
    'String($)',
    'Number($)',
  ],
  ...[
    '(function* () { yield $ })()',
    '(async () => $)()',
    'JSON.parse(JSON.stringify($))',
    'Reflect.ownKeys(Object($))',
  ],
  ...[
    'Buffer.from($)',
    'Buffer.from(String($), "base64").toString("hex")',
    'debug($, $)',
    'Object.freeze($)',
    'new Date($)',
  ],
  ...[
    'iml.map($, $)',
    'iml.get($, $)',
    'iml.join($, $)',
    'iml.createJSON($)',
    'iml.parseJSON($)',
    'iml.sort($, $)',
  ],
  ...[
    'iml.replace($, $, $)',
    'iml.toCollection($, $, $)',
    'iml.formatDate($, $)',
    'iml.if($, $, $)',
    'iml[$]',
    'iml.md5($)',
  ],
  ...[
    '$ + $',
    '$ in Object($)',
    '$ instanceof Object($)',
    'new ($)($)',
    '($)($)',
    'typeof $',
    'Object.entries(Object($))',
  ],
  ...[
    '(0, eval)(String($))',
    'Function(String($))()',
    'new Function("a", "return a")($)',
    'structuredClone($)',
  ],
];
/** Few, because each uses the whole time limit or memory limit. */
const ENDLESS = [
  '(() => { while (true); })()',
  'iml.stripHTML("<a".repeat(1e5))',
  '[..."a".repeat(1e6)].sort()',
  "'a'.repeat(1e6)",
  'new Uint8Array(1e6)',
];

const codes: fc.Arbitrary<string> = fc.letrec<{ code: string }>((tie) => ({
  code: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 100, arbitrary: fc.constantFrom(...LEAVES) },
    { weight: 1, arbitrary: fc.constantFrom(...ENDLESS) },
    {
      weight: 140,
      arbitrary: fc
        .tuple(fc.constantFrom(...FORMS), fc.tuple(tie('code'), tie('code'), tie('code')))
        .map(([form, inner]) => {
          let next = 0;
          return form.replaceAll(/(?<!\$)\$(?!\{)/g, () => `(${inner[next++ % 3]})`);
        }),
    },
  ),
})).code;

/** Time limit of a call. Code without an endless loop takes a thousandth of it. */
const TIME_MS = 10;

/** Hostile custom functions: they return data or an error, and leave a clean guest for the next call. */
export async function createSandboxCode(): Promise<Target<Input> & Disposable> {
  const sandbox = await createSandbox({
    functions: [
      { name: 'run', code: 'function run(code) { return (0, eval)(code) }', file: undefined },
      {
        name: 'probe',
        code: 'function probe() { return [typeof x, [].concat(1), JSON.stringify({ a: 1 })] }',
        file: undefined,
      },
    ],
    builtins: FUNCTIONS,
    limits: { timeMs: TIME_MS, memoryBytes: 16 * 1024 * 1024 },
    // CPU time, so that a busy machine does not end fast calls.
    clock: { now: createClock() },
    environment: {},
  });
  const call = (name: string, ...args: unknown[]): unknown => sandbox.functions[name]?.(ENVIRONMENT, ...args);
  return {
    name: 'sandbox',
    input: codes.map((code) => ({ code })),
    survive: ({ code }) => {
      const startedMs = cpuMs();
      try {
        assertData(call('run', code), 0);
      } catch (error) {
        if (!(error instanceof ImlError)) throw error;
        assertReason(error, code);
      }
      const tookMs = cpuMs() - startedMs;
      if (tookMs > 500 * TIME_MS) throw new Error(`The limit of ${TIME_MS} ms ended after ${tookMs} ms.`);
      const probe = JSON.stringify(call('probe'));
      if (probe !== '["undefined",[1],"{\\"a\\":1}"]') throw new Error(`The next call finds ${probe}.`);
      assertPrototypes();
    },
    [Symbol.dispose]: () => sandbox.close(),
  };
}

/** Reading the CPU time costs more than most calls, so the result is reused for half a millisecond. */
function createClock(): () => number {
  let known = cpuMs();
  let knownAt = performance.now();
  return () => {
    const now = performance.now();
    if (now - knownAt < 0.5) return known;
    knownAt = now;
    known = cpuMs();
    return known;
  };
}

/** @throws Error if code that exhausts a limit rejects with null */
function assertReason({ message }: ImlError, code: string): void {
  if (message.includes(' failed: null (') && !code.includes('throw')) {
    throw new Error(`No reason is told: ${message}`);
  }
}

/** @throws Error for values that no expression may receive: functions, symbols, objects of guest classes */
function assertData(value: unknown, depth: number): void {
  if (depth > 50 || value instanceof Date || value instanceof Uint8Array) return;
  if (Array.isArray(value) || isPlainObject(value)) {
    for (const item of Object.values(value)) assertData(item, depth + 1);
    return;
  }
  const isData = value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value);
  if (!isData) throw new Error(`A ${typeof value} came out.`);
}
