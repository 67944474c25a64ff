import { createSandbox } from '../../src/engine/sandbox/create-sandbox.js';
import { type Environment, ImlError } from '../../src/language/index.js';

type SandboxOptions = Parameters<typeof createSandbox>[0];
type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

export const ENVIRONMENT: Environment = {
  now: () => Date.UTC(2024, 1, 29, 12, 0, 0),
  random: () => 0.25,
  uuid: () => '00000000-0000-4000-8000-000000000000',
  timezone: 'Europe/Prague',
  semantics: 'runtime',
  platformVersion: 2,
  digest: () => new Uint8Array(0),
};

export const BUILTINS: SandboxOptions['builtins'] = {
  join: (_environment, list, separator) => {
    if (!Array.isArray(list)) throw new ImlError('IML_FUNCTION', 'Invalid array', { kind: 'function-error' });
    return list.join(String(separator ?? ''));
  },
  zone: (environment) => environment.timezone,
  same: (_environment, value) => value,
};

/** Opens a sandbox with functions as `name: code`, and a short time limit. */
export function openSandbox(
  codes: Readonly<Record<string, string>>,
  options: Partial<SandboxOptions> = {},
): Promise<Sandbox> {
  const functions = Object.entries(codes).map(([name, code]) => ({
    name,
    code,
    file: `functions/${name}/code.js`,
  }));
  return createSandbox({ functions, builtins: BUILTINS, limits: { timeMs: 400 }, ...options });
}

export function callIn(sandbox: Sandbox, name: string, ...args: unknown[]): unknown {
  return sandbox.functions[name]?.(ENVIRONMENT, ...args);
}

/** Returns the error of a call as plain data. */
export function failureOf(
  sandbox: Sandbox,
  name: string,
  ...args: unknown[]
): { code: unknown; message: string } {
  try {
    callIn(sandbox, name, ...args);
  } catch (error) {
    const { code, message, name: errorName } = error as { code?: unknown; message: string; name: string };
    if (errorName !== 'ImlError') return { code: errorName, message };
    return { code, message };
  }
  throw new Error(`${name} did not fail`);
}

/** Returns the result of a function with this body. */
export async function evaluate(body: string, ...args: unknown[]): Promise<unknown> {
  using sandbox = await openSandbox({ f: `function f(a, b, c) { ${body} }` });
  return callIn(sandbox, 'f', ...args);
}
