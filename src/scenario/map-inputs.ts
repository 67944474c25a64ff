import { validateParameters } from '../engine/parameters/validate-parameters.js';
import type { Evaluate } from '../language/compile/compile-expression.js';
import { type CompileOptions, compile } from '../language/compile.js';
import type { Scope } from '../language/environment.js';
import type { AppError } from '../shared/errors/app-error.js';
import { isPlainObject, type PlainObject, setMember } from '../shared/plain-object.js';
import type { FlowModule } from './flow.js';

/** The compiled parameter mapping of a step. */
export interface InputMapping {
  readonly evaluate: Evaluate;
  /** Paths of templates that may produce empty text intentionally. */
  readonly forced: ReadonlySet<string>;
}

export type MappedInputs =
  | { readonly ok: true; readonly parameters: PlainObject }
  | { readonly ok: false; readonly error: AppError };

/** Compiles the parameter mapping of a step. */
export function compileInputs(templates: unknown, options: CompileOptions): InputMapping {
  const forced = new Set<string>();
  collectForced(templates, '', forced);
  return { evaluate: compile(templates ?? {}, options), forced };
}

/**
 * Evaluates the parameters of a module with the outputs of previous modules and applies the rules for empty values:
 * empty text counts as unset, unless `emptystring` produced it; `erase` is null, which clears a field; `ignore` omits
 * it. Converts and checks values by the module's form, if any.
 *
 * @returns a BundleValidationError for invalid values
 * @throws ImlError for a failed expression
 * @see https://developers.make.com/custom-apps-documentation/other/processing-of-empty-values
 */
export async function mapInputs(
  mapping: InputMapping,
  module: FlowModule,
  scope: Scope,
  options: CompileOptions,
): Promise<MappedInputs> {
  const platformVersion = options.platformVersion ?? 2;
  const value = mapping.evaluate(scope);
  const evaluated = isPlainObject(value) ? value : {};
  const isForced = (path: string): boolean => mapping.forced.has(path);
  const dropEmpty = (values: PlainObject): PlainObject =>
    withoutEmpty(values, '', { isForced, platformVersion });
  if (module.parameters === undefined) return { ok: true, parameters: dropEmpty(evaluated) };
  const checked = await validateParameters(module.parameters, evaluated, {
    platformVersion,
    mapped: true,
    forcedEmpty: isForced,
    timezone: options.timezone ?? 'UTC',
  });
  if (!checked.ok) return checked;
  return { ok: true, parameters: dropEmpty(checked.values) };
}

/** Largest depth of fields; deeper values are data. */
const MAX_DEPTH = 64;

/** Paths of the language, starting at 1: `items[2].email`. */
function collectForced(template: unknown, path: string, forced: Set<string>, depth = 0): void {
  if (depth > MAX_DEPTH) return;
  if (typeof template === 'string') {
    if (isEmptyOnPurpose(template)) forced.add(path);
  } else if (Array.isArray(template)) {
    for (const [index, item] of template.entries()) {
      collectForced(item, `${path}[${index + 1}]`, forced, depth + 1);
    }
  } else if (isPlainObject(template)) {
    for (const [name, member] of Object.entries(template)) {
      collectForced(member, memberPath(path, name), forced, depth + 1);
    }
  }
}

/** Whether an expression uses `emptystring`, in one piece up to a closing brace. */
function isEmptyOnPurpose(template: string): boolean {
  if (!template.includes('emptystring')) return false;
  return template.split('}').some((piece) => {
    const start = piece.indexOf('{{');
    return start !== -1 && /\bemptystring\b/.test(piece.slice(start));
  });
}

function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

interface EmptyRules {
  readonly isForced: (path: string) => boolean;
  readonly platformVersion: 1 | 2;
}

/** Applies the rules of text to values without a form. Items of lists keep their positions. */
function withoutEmpty(values: PlainObject, path: string, rules: EmptyRules, depth = 0): PlainObject {
  const result: PlainObject = {};
  for (const [name, value] of Object.entries(values)) {
    const at = memberPath(path, name);
    const kept =
      value === '' && !rules.isForced(at)
        ? rules.platformVersion === 1
          ? null
          : undefined
        : isPlainObject(value) && depth < MAX_DEPTH
          ? withoutEmpty(value, at, rules, depth + 1)
          : value;
    if (kept !== undefined) setMember(result, name, kept);
  }
  return result;
}
