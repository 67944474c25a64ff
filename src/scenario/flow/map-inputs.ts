import type { AppError } from '../../errors/app-error.js';
import type { Evaluate } from '../../iml/compile/compile-expression.js';
import { type CompileOptions, compile } from '../../iml/compile.js';
import type { Scope } from '../../iml/environment/environment.js';
import { validateParameters } from '../../parameters/check/validate-parameters.js';
import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';
import type { FlowModule } from './flow.js';

/** The mapped parameters of a step, ready to be evaluated. */
export interface InputMapping {
  readonly evaluate: Evaluate;
  /** Paths of templates that can give an empty text on purpose. */
  readonly forced: ReadonlySet<string>;
}

export type MappedInputs =
  | { readonly ok: true; readonly parameters: PlainObject }
  | { readonly ok: false; readonly error: AppError };

/** Compiles the mapping of a step. */
export function compileInputs(templates: unknown, options: CompileOptions): InputMapping {
  const forced = new Set<string>();
  collectForced(templates, '', forced);
  return { evaluate: compile(templates ?? {}, options), forced };
}

/**
 * Evaluates the parameters of a module over the outputs of the modules before it, and applies the rules for empty
 * values: empty text is a field left empty, unless `emptystring` wrote it; `erase` is null, which clears a field;
 * `ignore` leaves it out. Where the module's form is known, values are converted and checked by it.
 *
 * @returns a BundleValidationError for values the form does not allow
 * @throws ImlError for an expression that fails
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

/** Levels in which empty values are looked for; what is below is data from elsewhere, not fields. */
const MAX_DEPTH = 64;

/** Paths are those of the language, counted from 1: `items[2].email`. */
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

/** Whether an expression of a text names `emptystring`: in one piece up to a brace that closes, however many open. */
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

/** Of what no form describes: the rules of text. Items of lists keep their places. */
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
