import { ownMember, type PlainObject, setMember } from '../../shared/plain-object.js';
import { badRequest, invalidParameter, missingParameter } from '../problems.js';
import type { KeyType, ParameterDescriptor } from './key-types.js';

/** Maximum length of one parameter in UTF-16 units. [inf] */
const MAX_LENGTH = 64 * 1024;

/** Sentences of the API about files. Source: https://developers.make.com/api-documentation (keys). [doc] */
const INVALID_FILE = 'Invalid input file';
const TOO_BIG = 'File is too big';
const NO_PRIVATE_KEY = 'File is not a valid primary key';
const NO_CERTIFICATE = 'File is not a valid certificate';

/**
 * The parameters of a key as its type describes them. Absent ones keep their value or take the default; nested ones
 * are those of the chosen option. Refuses parameters without a field: nothing would store the secret. [inf]
 * @throws RestError 400 `SC400`
 */
export function readKeyParameters(
  type: KeyType,
  sent: Readonly<PlainObject>,
  before: Readonly<PlainObject> = {},
): PlainObject {
  const read: PlainObject = {};
  const known = fieldNames(type.parameters);
  const problems = Object.keys(sent)
    .filter((name) => !known.includes(name))
    .map((name) => invalidParameter(`parameters.${name.slice(0, 80)}`, `must be one of ${known.join(', ')}`));
  readFields(type.parameters, { ...before, ...sent }, { read, problems });
  if (problems.length > 0) throw badRequest(problems);
  return read;
}

/** Names of all fields, whatever option is chosen. */
function fieldNames(descriptors: readonly ParameterDescriptor[]): readonly string[] {
  return descriptors.flatMap(({ name, options = [] }) => [
    name,
    ...options.flatMap((option) => fieldNames(option.nested ?? [])),
  ]);
}

interface Result {
  readonly read: PlainObject;
  readonly problems: string[];
}

function readFields(
  descriptors: readonly ParameterDescriptor[],
  parameters: Readonly<PlainObject>,
  result: Result,
): void {
  for (const descriptor of descriptors) {
    const { name, required, options } = descriptor;
    const value = ownMember(parameters, name) ?? descriptor.default;
    const label = `parameters.${name}`;
    if (value === undefined || value === null || value === '') {
      if (required) result.problems.push(missingParameter(label));
      continue;
    }
    const problem = valueProblem(descriptor, value);
    if (problem !== undefined) {
      result.problems.push(invalidParameter(label, problem));
      continue;
    }
    setMember(result.read, name, value);
    const nested = options?.find((option) => option.value === value)?.nested;
    if (nested) readFields(nested, parameters, result);
  }
}

function valueProblem({ type, options = [] }: ParameterDescriptor, value: unknown): string | undefined {
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'must be boolean';
  const isFile = type === 'pkey' || type === 'cert';
  if (typeof value !== 'string') return isFile ? INVALID_FILE : 'must be string';
  if (value.length > MAX_LENGTH) return isFile ? TOO_BIG : `must be at most ${MAX_LENGTH} characters long`;
  switch (type) {
    case 'select': {
      const values = options.map((option) => JSON.stringify(option.value));
      return values.includes(JSON.stringify(value)) ? undefined : `must be one of ${values.join(', ')}`;
    }
    case 'pkey':
      return isPem(value, /^(?:[A-Z]{2,10} |ENCRYPTED )?PRIVATE KEY$/) ? undefined : NO_PRIVATE_KEY;
    case 'cert':
      return isPem(value, /^(?:TRUSTED |X509 )?CERTIFICATE$/) ? undefined : NO_CERTIFICATE;
    case 'text':
    case 'password':
      return undefined;
  }
}

const PEM =
  /^-----BEGIN ([A-Z0-9 ]{1,40})-----\r?\n([A-Za-z0-9+/=\s:,-]+)\r?\n-----END ([A-Z0-9 ]{1,40})-----$/;

/** Whether a text is one PEM block of a kind. The content is not checked. */
function isPem(text: string, kind: RegExp): boolean {
  const match = PEM.exec(text.trim());
  return match !== null && match[1] === match[3] && kind.test(match[1] ?? '');
}
