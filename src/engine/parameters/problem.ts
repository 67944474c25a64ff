import { classifyValue, describeType } from '../../language/values/value.js';
import { AppError } from '../../shared/errors/app-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import { copyItems } from './copy-value.js';
import type { ItemSpec, ParameterElement, ParameterSpec, ParameterType } from './parameter-spec.js';

/**
 * Kind of a problem: a required value is missing, a value has the wrong type, violates a limit or pattern, is not an
 * option, cannot be read, is nested too deep, or belongs to no field (`unknown`, reported on request).
 */
export type ProblemKind =
  | 'missing'
  | 'type'
  | 'limit'
  | 'pattern'
  | 'choice'
  | 'unreadable'
  | 'depth'
  | 'unknown';

/** A problem with a value of a form. */
export interface Problem {
  readonly kind: ProblemKind;
  /** Path of the value in the language: `items[2].email`; empty for the values as a whole. */
  readonly path: string;
  /** Message for the user. */
  readonly message: string;
  /** Expected value. */
  readonly expected: string;
  /** Received value, shortened; never the text of a secret. */
  readonly received: string;
  /** Location of the field. */
  readonly place: SourceLocation | undefined;
}

const SHOWN_LENGTH = 60;

const SECRET_TYPES: ReadonlySet<ParameterType> = new Set(['password', 'hidden', 'cert', 'pkey']);

/** `Missing value of required parameter 'x'.` Same wording as the platform. [inf] */
export function missingProblem(path: string, spec: ParameterSpec): Problem {
  return {
    kind: 'missing',
    path,
    message: `Missing value of required parameter '${path}'.`,
    expected: 'a value',
    received: 'nothing',
    get place() {
      return spec.place;
    },
  };
}

/** `Invalid integer in parameter 'x': expected a whole number, got text "abc".` */
export function invalidProblem(
  kind: Exclude<ProblemKind, 'missing' | 'unknown'>,
  field: { readonly path: string; readonly spec: ParameterSpec },
  expected: string,
  value: unknown,
): Problem {
  const received = isSecret(field.spec) ? 'a value that is not shown' : describeValue(value);
  const noun = kind === 'type' && field.spec.type !== 'any' ? field.spec.type : 'value';
  return {
    kind,
    path: field.path,
    message: `Invalid ${noun} in parameter '${field.path}': expected ${expected}, got ${received}.`,
    expected,
    received,
    // Computed on demand, as it reads the file again and only the first problem's location is used.
    get place() {
      return field.spec.place;
    },
  };
}

/**
 * Creates the error of a form: the message of a single problem, or a count with all messages in `suberrors`. [choice]
 */
export function bundleValidationError(problems: readonly Problem[], count: number): AppError {
  const sole = count === 1 ? problems[0] : undefined;
  const message = sole?.message ?? `Validation failed for ${count} parameter(s).`;
  const suberrors = problems.map((problem) => problem.message);
  if (count > problems.length) suberrors.push(`${count - problems.length} more.`);
  return new AppError('BundleValidationError', message, { suberrors, place: problems[0]?.place });
}

/**
 * Describes a value for a message: `text "abc"`, `an array of 3 items`. Omits the contents of arrays and collections.
 */
export function describeValue(value: unknown): string {
  const kind = classifyValue(value);
  switch (kind) {
    case 'text':
      return `text ${quote(String(value))}`;
    case 'number':
      return `number ${String(value)}`;
    case 'boolean':
      return `boolean ${String(value)}`;
    case 'date':
      return value instanceof Date && !Number.isNaN(value.getTime())
        ? `date ${value.toISOString()}`
        : 'an invalid date';
    case 'array':
      return `an array of ${copyItems(value)?.length ?? 0} item(s)`;
    default:
      return describeType(value);
  }
}

/** Quotes a text and shortens it to the length of a line. */
export function quote(text: string): string {
  return text.length <= SHOWN_LENGTH
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, SHOWN_LENGTH))}... (${text.length} characters)`;
}

/** Cached, as a field may have many invalid values. */
const SECRET_SPECS = new WeakMap<ParameterSpec, boolean>();

/** Whether the value of a field, or of a nested field, is secret. */
function isSecret(spec: ParameterSpec): boolean {
  const known = SECRET_SPECS.get(spec);
  if (known !== undefined) return known;
  const secret = SECRET_TYPES.has(spec.type) || (spec.spec !== undefined && holdsSecret(spec.spec));
  SECRET_SPECS.set(spec, secret);
  return secret;
}

function holdsSecret(spec: ItemSpec): boolean {
  if (spec.kind === 'item') return isSecret(spec.item);
  // An RPC may describe a secret field.
  return spec.fields.some((field: ParameterElement) => field.kind === 'reference' || isSecret(field));
}

const NAME = /^[A-Za-z_$][\w$]*$/;

/**
 * Returns the path of a member as the language writes it: `items[2].email`, ``headers.`X-Key` ``. Prefixed with
 * `parameters.` it is an expression.
 */
export function memberPath(parent: string, name: string): string {
  const step = NAME.test(name) ? name : `\`${name.slice(0, 128)}\``;
  return parent === '' ? step : `${parent}.${step}`;
}

/** Returns the path of an item. `index` starts at 0, paths of the language at 1. */
export function itemPath(parent: string, index: number): string {
  return `${parent}[${index + 1}]`;
}
