import { createContext, Script } from 'node:vm';
import {
  acceptDebug,
  type Environment,
  type FunctionTable,
  type ImlFunction,
} from '../../language/environment.js';
import { functionError, ImlError, limitError } from '../../shared/errors/iml-error.js';
import { formatLocation, type SourceLocation } from '../../shared/errors/source-location.js';
import { type PlainObject, setMember } from '../../shared/plain-object.js';
import { checkFunctions, declaredFunctions, nameFile } from './check-functions.js';
import { declaredNames, FACTORY_LINES, writeFactory } from './load-functions.js';
import {
  CONSOLE_METHODS,
  DEFAULT_SANDBOX_LIMITS,
  GLOBAL_FUNCTIONS,
  type Sandbox,
  type SandboxFunction,
  type SandboxOptions,
  type SandboxWarning,
} from './sandbox.js';

type AuthorFunction = (this: { timezone: string }, ...args: unknown[]) => unknown;

/** Shared state of the functions of an app. */
interface Session {
  readonly options: SandboxOptions;
  readonly timeoutMs: number;
  /** The environment of the outermost call. */
  environment: Environment | undefined;
}

/**
 * Runs custom functions in `node:vm`, in this process and engine, so that a debugger can step into them.
 *
 * **This is no security boundary.** The code can reach the process, its files and its secrets; `node:vm` separates
 * names, not rights. Only for code you would run with `node` yourself. Values are passed as they are, memory and
 * stack have no limit of their own, and only the time of a call is bounded.
 *
 * @throws SpecError `SPEC_INVALID` as `createSandbox`.
 */
export function createTrustedFunctions(options: SandboxOptions): Sandbox {
  const functions = declaredFunctions(options.functions);
  const timeoutMs = options.limits?.timeMs ?? DEFAULT_SANDBOX_LIMITS.timeMs;
  const session: Session = { options: { ...options, functions }, timeoutMs, environment: undefined };
  const limits = { ...DEFAULT_SANDBOX_LIMITS, ...options.limits };
  const warnings: SandboxWarning[] = [
    ...checkFunctions(functions, new Set(Object.keys(options.builtins)), limits, Number.POSITIVE_INFINITY),
  ];
  const table: PlainObject = {};
  const iml: PlainObject = {};
  const debug = (...values: unknown[]): void => tellTrusted(session, values);
  const globals = createContext({
    Buffer,
    iml,
    environment: createEnvironmentView(session),
    debug,
    console: Object.fromEntries(CONSOLE_METHODS.map((method) => [method, debug])),
  });
  for (const [name, builtin] of Object.entries(options.builtins)) {
    const call = (...args: unknown[]): unknown => builtin(currentEnvironment(session), ...args);
    setMember(iml, name, call);
    if (GLOBAL_FUNCTIONS.includes(name)) setMember(globals as PlainObject, name, call);
  }
  for (const [index, code] of functions.entries()) {
    const run = compileTrusted(session, index, globals, warnings);
    setMember(iml, code.name, (...args: unknown[]) => run(currentEnvironment(session), ...args));
    setMember(
      table,
      code.name,
      acceptDebug((...args) => run(...args)),
    );
  }
  const close = (): void => undefined;
  return { functions: table as FunctionTable, warnings, close, [Symbol.dispose]: close };
}

function tellTrusted({ options, environment }: Session, values: readonly unknown[]): void {
  const stack = String(new Error('debug').stack);
  const code = options.functions.find((candidate) => stack.includes(`${nameFile(candidate)}:`));
  if (code)
    environment?.onDebug?.({ function: code.name, values, place: placeInFile(stack, nameFile(code)) });
}

function currentEnvironment(session: Session): Environment {
  if (!session.environment)
    throw functionError('Functions of `iml` can be called while a custom function runs only');
  return session.environment;
}

function createEnvironmentView(session: Session): PlainObject {
  return Object.defineProperty({ ...session.options.environment }, 'timezone', {
    get: () => session.environment?.timezone,
    enumerable: true,
  });
}

function compileTrusted(
  session: Session,
  index: number,
  globals: object,
  warnings: SandboxWarning[],
): ImlFunction {
  const code = session.options.functions[index];
  const file = code ? nameFile(code) : '';
  const source = code?.code;
  const names = declaredNames(source ?? '', code?.name ?? '');
  try {
    if (!code || source === undefined) throw new Error('it has no code');
    new Script(source, { filename: file });
    if (names.length === 0) throw new Error(`it declares no function '${code.name}'`);
    // The wrapper adds one line. The offset makes a debugger show the line numbers of the author.
    const script = new Script(writeFactory(source, names), { filename: file, lineOffset: -FACTORY_LINES });
    return (environment, ...args) => callTrusted(session, { code, script, globals }, environment, args);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Custom function '${code?.name}' does not compile: ${reason} (${file})`;
    warnings.push({ code: source === undefined ? 'missing-file' : 'syntax', message, place: { file } });
    return () => {
      throw functionError(message);
    };
  }
}

interface Compiled {
  readonly code: SandboxFunction;
  readonly script: Script;
  readonly globals: object;
}

const CALL = new Script('globalThis[" call"]()');

function callTrusted(
  session: Session,
  { code, script, globals }: Compiled,
  environment: Environment,
  args: readonly unknown[],
): unknown {
  const invoke = (): unknown => {
    const candidates: unknown[] = script.runInContext(globals)();
    const found = candidates.find((candidate) => typeof candidate === 'function') as
      | AuthorFunction
      | undefined;
    if (!found) throw new TypeError(`it declares no function '${code.name}'`);
    return found.apply({ timezone: environment.timezone }, [...args]);
  };
  const outermost = session.environment === undefined;
  if (!outermost) return invoke();
  session.environment = environment;
  try {
    Object.defineProperty(globals, ' call', { value: invoke, configurable: true });
    const { timeoutMs } = session;
    // node:vm takes neither 0 nor Infinity.
    const limit = Number.isFinite(timeoutMs) ? { timeout: Math.max(1, timeoutMs) } : {};
    return refusePromise(CALL.runInContext(globals, limit));
  } catch (error) {
    throw toImlError(error, code, session.timeoutMs);
  } finally {
    session.environment = undefined;
  }
}

function refusePromise(result: unknown): unknown {
  if (
    typeof result === 'object' &&
    result !== null &&
    'then' in result &&
    typeof result.then === 'function'
  ) {
    throw new TypeError('The function returned a promise: custom functions are synchronous');
  }
  return result;
}

/** Errors of another realm are recognized by their members. */
function toImlError(error: unknown, code: SandboxFunction, timeoutMs: number): ImlError {
  const {
    message,
    stack,
    code: errno,
  } = Object(error) as { message?: unknown; stack?: unknown; code?: unknown };
  const place = placeInFile(String(stack), nameFile(code));
  if (errno === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
    return limitError(`Custom function '${code.name}' ran longer than ${timeoutMs / 1000} s (${place.file})`);
  }
  const reason = typeof message === 'string' ? message : String(error);
  const text = `Custom function '${code.name}' failed: ${reason.slice(0, 2000)} (${formatLocation(place)})`;
  if (error instanceof ImlError && error.code === 'IML_LIMIT') return limitError(text);
  return functionError(text, error);
}

function placeInFile(stack: string, file: string): SourceLocation {
  // Node may prepend the source line with the file name, without a column.
  const frames = stack.split(`${file}:`).slice(1);
  const match = frames.map((frame) => /^(\d+):(\d+)/.exec(frame)).find((found) => found !== null);
  return match ? { file, line: Number(match[1]), column: Number(match[2]) } : { file };
}
