import { SpecError } from '../../shared/errors/engine-error.js';
import { nameFile } from './guest-error.js';
import type { SandboxFunction, SandboxWarning } from './sandbox.js';
import { MAX_COMPILED_LENGTH, type SandboxLimits } from './sandbox-limits.js';

/**
 * The functions that a file declares something for: an empty file declares nothing, so that a call of its function is one
 * of a function that does not exist.
 *
 * @throws SpecError `SPEC_INVALID` if two functions have one name
 */
export function declaredFunctions(functions: readonly SandboxFunction[]): readonly SandboxFunction[] {
  const seen = new Set<string>();
  for (const code of functions) {
    if (seen.has(code.name)) {
      const message = `Custom function '${code.name}' has the name of another custom function; choose another one`;
      throw new SpecError('SPEC_INVALID', message, { place: { file: nameFile(code) } });
    }
    seen.add(code.name);
  }
  return functions.filter(({ code }) => code === undefined || code.trim() !== '');
}

/**
 * Checks functions without compiling them.
 *
 * @param builtins names of built-in functions
 * @param mostCompiled maximum code length that is compiled
 */
export function checkFunctions(
  functions: readonly SandboxFunction[],
  builtins: ReadonlySet<string>,
  { maxCodeLength }: SandboxLimits,
  mostCompiled: number = MAX_COMPILED_LENGTH,
): readonly SandboxWarning[] {
  return functions.flatMap((code) => [
    ...nameWarning(code, builtins),
    ...lengthWarning(code, maxCodeLength, mostCompiled),
  ]);
}

function nameWarning(code: SandboxFunction, builtins: ReadonlySet<string>): readonly SandboxWarning[] {
  if (!builtins.has(code.name) || code.code?.trim() === '') return [];
  const message = `Custom function '${code.name}' replaces the built-in function of this name (${nameFile(code)})`;
  return [{ code: 'function-replaced', message, place: { file: nameFile(code) } }];
}

/** 5000 characters of code. Source: https://developers.make.com/custom-apps-documentation/app-components/iml-functions. [doc] */
function lengthWarning(
  code: SandboxFunction,
  maxCodeLength: number,
  mostCompiled: number,
): readonly SandboxWarning[] {
  const length = code.code?.length ?? 0;
  if (length > mostCompiled)
    return [{ code: 'code-too-long', message: tellTooLong(code), place: { file: nameFile(code) } }];
  if (length <= maxCodeLength) return [];
  const message = `Custom function '${code.name}' has ${length} characters of code; Make allows at most ${maxCodeLength}`;
  return [{ code: 'code-too-long', message, place: { file: nameFile(code) } }];
}

/** The error of code above `MAX_COMPILED_LENGTH`. */
export function tellTooLong(code: SandboxFunction): string {
  return `Custom function '${code.name}' has ${code.code?.length} characters of code; at most ${MAX_COMPILED_LENGTH} are compiled (${nameFile(code)})`;
}
