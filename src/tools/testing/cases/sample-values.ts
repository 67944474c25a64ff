import type { ParameterElement, ParameterSpec } from '../../../engine/parameters/parameter-spec.js';
import { isPlainObject, type PlainObject, setMember } from '../../../shared/plain-object.js';
import type { NeededKind } from './template-paths.js';

/** Levels of fields in fields that samples follow. */
const MAX_DEPTH = 6;

/**
 * Values for the fields of a form that have to be filled in, or are: required ones and those with a default.
 *
 * @param isNeeded whether an expression fails without a field: it is filled in, too. Default: none fails
 */
export function sampleParameters(
  elements: readonly ParameterElement[],
  isNeeded: (name: string) => boolean = () => false,
  depth: number = 0,
): PlainObject {
  const values: PlainObject = {};
  for (const element of elements) {
    if (element.kind !== 'parameter' || element.name === undefined) continue;
    const isFilled = element.default !== undefined && element.default !== null;
    const isLeftOut = !element.required && (!isFilled || DATES.has(element.type));
    if (isLeftOut && !isNeeded(element.name)) continue;
    const value = sampleField(element, depth);
    if (value === undefined) continue;
    setMember(values, element.name, value);
    if (element.type === 'boolean' && value === true && element.nested !== undefined && depth < MAX_DEPTH) {
      Object.assign(values, sampleParameters(element.nested, isNeeded, depth + 1));
    }
  }
  return values;
}

/** An optional date mostly filters: without it more answers fit. */
const DATES: ReadonlySet<string> = new Set(['date', 'timestamp', 'time']);

/** A value that the checks of a field let through, as far as they can be met without knowing more. */
function sampleField(field: ParameterSpec, depth: number): unknown {
  if (field.default !== undefined && field.default !== null) return field.default;
  const [option] = field.choices?.options ?? [];
  const { enum: allowed } = field.validate === false ? {} : field.validate;
  const single = option?.value ?? allowed?.[0] ?? sampleOfType(field, depth);
  const isList = field.multiple && !Array.isArray(single) && single !== undefined;
  return isList ? [single] : single;
}

/** Types of form elements, which have no value. */
const WITHOUT_VALUE: ReadonlySet<string> = new Set(
  'banner separator account hook datastore device keychain scenario udt aiagent'.split(' '),
);

function sampleOfType(field: ParameterSpec, depth: number): unknown {
  const { type, validate, spec } = field;
  const min = validate === false ? undefined : validate.min;
  if (WITHOUT_VALUE.has(type)) return undefined;
  switch (type) {
    case 'boolean':
    case 'checkbox':
      return true;
    case 'number':
    case 'integer':
    case 'uinteger':
    case 'port':
      return Math.max(1, min ?? 1);
    case 'date':
    case 'timestamp':
      return SAMPLE_DATE;
    case 'time':
      return '12:00';
    case 'email':
      return 'ann@example.com';
    case 'url':
      return 'https://example.com/';
    case 'uuid':
      return '00000000-0000-4000-8000-000000000001';
    case 'timezone':
      return 'UTC';
    case 'color':
      return '#336699';
    case 'json':
      return '{}';
    case 'buffer':
      return { $buffer: Buffer.from('sample').toString('base64') };
    case 'filter':
      return [];
    case 'collection':
      return spec?.kind === 'fields' && depth < MAX_DEPTH
        ? sampleParameters(spec.fields, undefined, depth + 1)
        : {};
    case 'array':
      if (spec === undefined || depth >= MAX_DEPTH) return ['sample'];
      return [
        spec.kind === 'fields'
          ? sampleParameters(spec.fields, undefined, depth + 1)
          : sampleField(spec.item, depth + 1),
      ];
    default:
      return sampleText(field.name ?? 'text', min);
  }
}

/** Address of a universal module, after the base URL. */
const ADDRESS = /(?:^|[a-z_])(?:url|uri|path|endpoint)$/i;

function sampleText(name: string, min: number | undefined): string {
  if (ADDRESS.test(name)) return '/sample'.padEnd(min ?? 0, '.');
  return `sample ${name}`.padEnd(min ?? 0, '.');
}

const SAMPLE_NUMBER = 3600;
const SAMPLE_DATE = '2026-01-31T12:00:00.000Z';

/** A value for a member of a response: what samples of the app have under its name, else what its use or its name suggests. */
export function sampleMember(name: string, samples: unknown, needed: NeededKind | undefined): unknown {
  const sample = findMember(samples, name, 0);
  if (sample !== undefined && sample !== null) return sample;
  if (needed === 'date') return SAMPLE_DATE;
  if (needed === 'number' || NUMBERS.test(name)) return SAMPLE_NUMBER;
  if (/(?:^|_)id$|Id$/.test(name)) return 1;
  if (/(?:date|time|_at|At)$/.test(name)) return SAMPLE_DATE;
  if (/email$/i.test(name)) return 'ann@example.com';
  if (/url$|link$/i.test(name)) return 'https://example.com/';
  if (/^(?:is|has|can)[A-Z_]|^(?:ok|success|enabled|active)$/.test(name)) return true;
  return `sample ${name}`;
}

const NUMBERS =
  /(?:expires|count|total|amount|price|cents|quantity|limit|offset|page|size|seconds)(?:_?in)?$/i;

function findMember(value: unknown, name: string, depth: number): unknown {
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return findMember(value[0], name, depth + 1);
  if (!isPlainObject(value)) return undefined;
  if (Object.hasOwn(value, name)) return value[name];
  for (const member of Object.values(value)) {
    const found = findMember(member, name, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
