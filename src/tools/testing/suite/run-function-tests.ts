import type { App, FunctionComponent } from '../../../engine/document/app.js';
import { APP_FUNCTIONS } from '../../../engine/loading/app-functions.js';
import { GuestError } from '../../../engine/sandbox/check-functions.js';
import type { SandboxFunction } from '../../../engine/sandbox/sandbox.js';
import { toEnvironment } from '../../../language/environment.js';
import { ImlError } from '../../../shared/errors/iml-error.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { createSeededRandom } from '../fixtures/seeded-random.js';

/** The result of one `it`, or of a file that could not run. */
export interface FunctionTestResult {
  /** `removeEmpty > keeps zero`: function, groups, test. */
  readonly name: string;
  /** The reason of the failure; undefined for a passed test. */
  readonly message: string | undefined;
  /** Location in the test file or in a function of the app. */
  readonly place: SourceLocation;
}

/**
 * Limits of one test file. Source: https://github.com/integromat/vscode-apps-sdk (tests of custom functions). [src]
 */
const TEST_LIMITS = Object.freeze({ timeMs: 5000, maxCodeLength: Number.POSITIVE_INFINITY });

/** The current time in tests of functions. [choice] */
const NOW_MS: number = Date.UTC(2024, 0, 1);

/**
 * Runs the tests of one custom function in the sandbox of the functions. A test file that does not compile, takes too
 * long or contains no test is a failure.
 */
export async function runFunctionTests(
  app: App,
  { name, test = '', testFile }: FunctionComponent,
): Promise<readonly FunctionTestResult[]> {
  const file = testFile ?? `functions/${name}/${name}.test.js`;
  const names = [...app.functions.keys()];
  const harnessed = harnessTests(test, names);
  const functions: readonly SandboxFunction[] = [
    ...app.functions.values(),
    { name: HARNESS_NAME, code: harnessed.code, file },
  ];
  const { createSandbox } = await import('../../../engine/sandbox/create-sandbox.js');
  const sandbox = await createSandbox({ functions, builtins: APP_FUNCTIONS, limits: TEST_LIMITS });
  const failure = (message: string, place: SourceLocation = { file }): FunctionTestResult => ({
    name,
    message,
    place,
  });
  try {
    const broken = sandbox.warnings.find(({ code, place }) => code === 'syntax' && place.file === file);
    if (broken !== undefined) return [failure(broken.message, broken.place)];
    const environment = toEnvironment({ ...createSeededRandom(), now: () => NOW_MS });
    const results = sandbox.functions[HARNESS_NAME]?.(environment) as readonly GuestTestResult[];
    if (results.length === 0) return [failure('This file contains no test. Write it("...", () => { ... }).')];
    const frames: FrameReader = { functions, tests: functions.length - 1, prefix: harnessed.prefixLength };
    return results.map(({ path, message, stack }) => ({
      name: [name, ...path].join(' > '),
      message,
      place: (stack === undefined ? undefined : findPlace(stack, frames)) ?? { file },
    }));
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    const { cause } = error;
    return [failure(ownMessage(error.message), cause instanceof GuestError ? cause.place : undefined)];
  } finally {
    sandbox.close();
  }
}

/** Authors know the file, not the function that wraps it. */
function ownMessage(message: string): string {
  return message.replace(`Custom function '${HARNESS_NAME}'`, 'The test file');
}

interface FrameReader {
  readonly functions: readonly SandboxFunction[];
  /** Index of the test file. */
  readonly tests: number;
  readonly prefix: number;
}

const FRAME = /function-(\d{1,6}):(\d{1,9}):(\d{1,9})/g;
/** Lines of the wrapper before each file. */
const WRAPPER_LINES = 1;

/** The first location of the author's code in a stack. */
function findPlace(stack: string, { functions, tests, prefix }: FrameReader): SourceLocation | undefined {
  for (const match of stack.matchAll(FRAME)) {
    const [index, line, column] = match.slice(1).map(Number) as [number, number, number];
    const code = functions[index];
    const own = line - WRAPPER_LINES;
    if (code === undefined || own < 1) continue;
    const isFirst = index === tests && own === 1;
    if (isFirst && column <= prefix) continue;
    return { file: code.file, line: own, column: isFirst ? column - prefix : column };
  }
  return undefined;
}

/** Name of the function that wraps a test file and returns the results. */
const HARNESS_NAME = 'imlFunctionTests';

/** A test result from the sandbox. */
interface GuestTestResult {
  /** Names of the groups and of the test. */
  readonly path: readonly string[];
  /** Undefined for a passed test. */
  readonly message?: string;
  readonly stack?: string;
}

/** A wrapped test file. The wrapper is on its first line, so that line numbers stay the same. */
export interface HarnessedTests {
  readonly code: string;
  /** Length of the wrapper on the first line. */
  readonly prefixLength: number;
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/**
 * Wraps a test file in a function with the globals of Make's runner: `describe`, `it`, `assert`, `iml`, `environment`
 * and the custom functions. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/iml-functions. [doc][inf]
 */
function harnessTests(code: string, functionNames: readonly string[]): HarnessedTests {
  const names = functionNames.filter((name) => IDENTIFIER.test(name) && !RESERVED.has(name));
  const lent = ['describe', 'it', 'assert', ...names];
  const values = ['describe', 'it', 'assert', ...names.map((name) => `iml[${JSON.stringify(name)}]`)];
  const prefix = `function ${HARNESS_NAME}() { ${HARNESS} (function (${lent.join(', ')}) { (function () { `;
  const suffix = `\n}).call({ timezone: environment.timezone }); })(${values.join(', ')}); return results; }`;
  return { code: prefix + code.replace(/^\uFEFF/, '') + suffix, prefixLength: prefix.length };
}

/** Words that cannot be parameter names. */
const RESERVED: ReadonlySet<string> = new Set(
  `await break case catch class const continue debugger default delete do else enum export extends false finally for
  function if implements import in instanceof interface let new null package private protected public return static
  super switch this throw true try typeof var void while with yield arguments eval describe it assert`.split(
    /\s+/,
  ),
);

/** Runs in the sandbox. Joined into one line, so it cannot contain line comments. */
const HARNESS = `
const results = [];
const groups = [];
const show = (value) => {
  if (typeof value === 'function') return '[function]';
  if (value instanceof Error) return String(value);
  if (Buffer.isBuffer(value)) return 'Buffer ' + value.toString('base64');
  try { const text = JSON.stringify(value); return text === undefined ? String(value) : text; }
  catch (error) { return String(value); }
};
const fail = (message, standard) => {
  if (message instanceof Error) throw message;
  const error = new Error(message === undefined ? standard : String(message) + ' (' + standard + ')');
  error.name = 'AssertionError';
  throw error;
};
const isSame = (a, b, strict) => strict ? Object.is(a, b) : a == b || (a !== a && b !== b);
const isDeep = (a, b, strict) => {
  if (isSame(a, b, strict)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Date || b instanceof Date) return a instanceof Date && b instanceof Date && Object.is(a.getTime(), b.getTime());
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.prototype.hasOwnProperty.call(b, name) && isDeep(a[name], b[name], strict));
};
const expected = (want, got) => 'expected ' + show(want) + ', got ' + show(got);
const throwsAs = (wanted, error) => {
  if (wanted === undefined || typeof wanted === 'string') return true;
  if (wanted instanceof RegExp) return wanted.test(String(error && error.message !== undefined ? error.message : error));
  if (typeof wanted === 'function') return wanted.prototype !== undefined && error instanceof wanted ? true : wanted.prototype === undefined || !(wanted.prototype instanceof Error) ? wanted(error) === true : false;
  return Object.keys(wanted).every((name) => wanted[name] instanceof RegExp ? wanted[name].test(String(error[name])) : isDeep(error[name], wanted[name], true));
};
const assert = (value, message) => { if (!value) fail(message, 'expected a value that is truthy, got ' + show(value)); };
assert.ok = (value, message) => { if (!value) fail(message, 'expected a value that is truthy, got ' + show(value)); };
assert.equal = (got, want, message) => { if (!isSame(got, want, false)) fail(message, expected(want, got)); };
assert.notEqual = (got, want, message) => { if (isSame(got, want, false)) fail(message, 'expected anything but ' + show(want)); };
assert.strictEqual = (got, want, message) => { if (!isSame(got, want, true)) fail(message, expected(want, got)); };
assert.notStrictEqual = (got, want, message) => { if (isSame(got, want, true)) fail(message, 'expected anything but ' + show(want)); };
assert.deepEqual = (got, want, message) => { if (!isDeep(got, want, false)) fail(message, expected(want, got)); };
assert.deepStrictEqual = (got, want, message) => { if (!isDeep(got, want, true)) fail(message, expected(want, got)); };
assert.notDeepEqual = (got, want, message) => { if (isDeep(got, want, false)) fail(message, 'expected anything but ' + show(want)); };
assert.notDeepStrictEqual = (got, want, message) => { if (isDeep(got, want, true)) fail(message, 'expected anything but ' + show(want)); };
assert.match = (text, pattern, message) => { if (!pattern.test(text)) fail(message, 'expected a match of ' + pattern + ', got ' + show(text)); };
assert.doesNotMatch = (text, pattern, message) => { if (pattern.test(text)) fail(message, 'expected no match of ' + pattern + ', got ' + show(text)); };
assert.fail = (message) => fail(message, 'assert.fail');
assert.throws = (work, wanted, message) => {
  try { work(); }
  catch (error) { if (!throwsAs(wanted, error)) fail(message, 'a different error was thrown: ' + show(error)); return; }
  fail(typeof wanted === 'string' ? wanted : message, 'expected an error, got none');
};
assert.doesNotThrow = (work, message) => {
  try { work(); }
  catch (error) { fail(typeof message === 'string' ? message : undefined, 'expected no error, got ' + show(error)); }
};
assert.strict = assert;
const describe = (name, work) => {
  groups.push(String(name));
  try { work(); } finally { groups.pop(); }
};
const it = (name, work) => {
  const path = groups.concat(String(name));
  try {
    const result = work();
    if (typeof result === 'object' && result !== null && typeof result.then === 'function') throw new TypeError('The test returned a promise: tests of custom functions are synchronous');
    results.push({ path });
  } catch (error) {
    if (error instanceof InternalError) throw error;
    const isError = error instanceof Error;
    results.push({ path, message: isError ? (error.name === 'AssertionError' ? '' : error.name + ': ') + error.message : show(error), stack: isError ? String(error.stack) : '' });
  }
};
`
  .trim()
  .replaceAll('\n', ' ');
