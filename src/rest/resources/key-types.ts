import { ownMember, type PlainObject, setMember } from '../../shared/plain-object.js';
import type { KeyType, ParameterDescriptor } from '../call/answers.js';
import { badRequest, invalidParameter, missingParameter } from '../problems.js';

function keyType(
  name: string,
  { label, version, theme }: Pick<KeyType, 'label' | 'version' | 'theme'>,
  parameters: readonly ParameterDescriptor[],
): KeyType {
  const icon = `/img/packages/${name}.png`;
  return { name, label, parameters, componentType: 'key', author: 'make', version, theme, icon };
}

/**
 * Types with known parameters; the parameters of other names are not published. Source:
 * https://developers.make.com/api-documentation (table of key types) [seed]; versions, themes and icons
 * https://developers.make.com/api-documentation (keys) [src].
 */
export const KEY_TYPES: readonly KeyType[] = [
  keyType('aes-key', { label: 'AES', version: '3.0.12', theme: '#fa6f57' }, [
    { name: 'key', label: 'Key', type: 'text', required: true },
    {
      name: 'keyEncoding',
      label: 'Key encoding',
      type: 'select',
      required: true,
      default: 'hex',
      options: [
        { label: 'Base64', value: 'base64' },
        { label: 'Hex', value: 'hex' },
        { label: 'Plain', value: 'plain' },
      ],
    },
  ]),
  keyType('apikeyauth', { label: 'API Key Auth', version: '3.31.4', theme: '#007ee5' }, [
    { name: 'key', label: 'Key', type: 'password', required: true },
    {
      name: 'placement',
      label: 'API key placement',
      type: 'select',
      required: true,
      default: 'header',
      options: [
        { label: 'In the header', value: 'header' },
        { label: 'In the query string', value: 'qs' },
      ],
    },
    {
      name: 'name',
      label: 'API key parameter name',
      type: 'text',
      required: true,
      default: 'X-API-Key',
      help: 'Name of the API key parameter.',
    },
  ]),
  keyType('apn', { label: 'Apple Push Notifications', version: '1.1.6', theme: '#666666' }, [
    { name: 'privateKey', label: 'Private key', type: 'pkey', required: true, multiline: true },
    {
      name: 'method',
      label: 'Method',
      type: 'select',
      required: false,
      default: 'tokens',
      options: [
        {
          label: 'Tokens',
          value: 'tokens',
          nested: [
            { name: 'keyId', label: 'Key ID', type: 'text', required: true },
            { name: 'teamId', label: 'Team ID', type: 'text', required: true },
          ],
        },
        {
          label: 'Certificate',
          value: 'cert',
          nested: [
            { name: 'certificate', label: 'Certificate', type: 'cert', required: true, multiline: true },
          ],
        },
      ],
    },
    { name: 'production', label: 'Production', type: 'boolean', required: true, default: false },
  ]),
  keyType('basicauth', { label: 'HTTP Basic Auth', version: '3.31.4', theme: '#007ee5' }, [
    { name: 'authUser', label: 'User name', type: 'text', required: false },
    { name: 'authPass', label: 'Password', type: 'password', required: false },
  ]),
];

export function keyTypeByName(name: string): KeyType | undefined {
  return KEY_TYPES.find((type) => type.name === name);
}

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

/** Names of all fields, regardless of the chosen option. */
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
