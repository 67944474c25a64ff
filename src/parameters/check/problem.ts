import { AppError } from '../../errors/app-error.js';
import type { SourceLocation } from '../../errors/source-location.js';
import { classifyValue, describeType } from '../../iml/values/value-kind.js';
import type { ItemSpec, ParameterElement, ParameterSpec, ParameterType } from '../form/parameter-spec.js';
import { copyItems } from '../values/copy-value.js';

/**
 * What is wrong: a required value is missing, a value has another type, is outside of the limits or matches no pattern,
 * is none of the choices, cannot be read, stands too deep, or belongs to no field (`unknown`, where that is asked for).
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

/** One thing that is wrong with the values of a form. */
export interface Problem {
  readonly kind: ProblemKind;
  /** Where the value stands, as a path of the language: `items[2].email`; empty for the values as a whole. */
  readonly path: string;
  /** The sentence shown to the user. */
  readonly message: string;
  /** What the form asks for. */
  readonly expected: string;
  /** What came instead, shortened; never the text of a secret. */
  readonly received: string;
  /** Where the field is written. */
  readonly place: SourceLocation | undefined;
}

const SHOWN_LENGTH = 60;

const SECRET_TYPES: ReadonlySet<ParameterType> = new Set(['password', 'hidden', 'cert', 'pkey']);

/** `Missing value of required parameter 'x'.` Worded as runs on the platform word it. [inf] */
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
    // A place is found by reading the file once more, and only that of the first problem is told.
    get place() {
      return field.spec.place;
    },
  };
}

/**
 * The error of a form: one problem speaks for itself, several are counted in the message and listed in `suberrors`.
 * The wording is ours. [choice]
 */
export function bundleValidationError(problems: readonly Problem[], count: number): AppError {
  const sole = count === 1 ? problems[0] : undefined;
  const message = sole?.message ?? `Validation failed for ${count} parameter(s).`;
  const suberrors = problems.map((problem) => problem.message);
  if (count > problems.length) suberrors.push(`${count - problems.length} more.`);
  return new AppError('BundleValidationError', message, { suberrors, place: problems[0]?.place });
}

/** A value in a few words: `text "abc"`, `an array of 3 items`. The contents of arrays and collections are not shown. */
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

/** Text in quotes, cut to a line's length. */
export function quote(text: string): string {
  return text.length <= SHOWN_LENGTH
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, SHOWN_LENGTH))}... (${text.length} characters)`;
}

/** Fields of which it is known: a field may hold many, and many of its values be wrong. */
const JUDGED = new WeakMap<ParameterSpec, boolean>();

/** Whether the value of a field, or of one it holds, may not be shown. */
function isSecret(spec: ParameterSpec): boolean {
  const known = JUDGED.get(spec);
  if (known !== undefined) return known;
  const judged = SECRET_TYPES.has(spec.type) || (spec.spec !== undefined && holdsSecret(spec.spec));
  JUDGED.set(spec, judged);
  return judged;
}

function holdsSecret(spec: ItemSpec): boolean {
  if (spec.kind === 'item') return isSecret(spec.item);
  // A field that an RPC describes may be a secret.
  return spec.fields.some((field: ParameterElement) => field.kind === 'reference' || isSecret(field));
}

const NAME = /^[A-Za-z_$][\w$]*$/;

/**
 * The path of a member, written as the language writes it: `items[2].email`, ``headers.`X-Key` ``.
 * With `parameters.` in front it is the expression that reads the value.
 */
export function memberPath(parent: string, name: string): string {
  const step = NAME.test(name) ? name : `\`${name.slice(0, 128)}\``;
  return parent === '' ? step : `${parent}.${step}`;
}

/** The path of an item; `index` counts from 0, the path from 1 as paths of the language do. */
export function itemPath(parent: string, index: number): string {
  return `${parent}[${index + 1}]`;
}
