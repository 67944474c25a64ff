/**
 * Every type a parameter can have, as the platform knows them: those of the documentation, those its own validator adds
 * (`checkbox`, `radio`, `list`, `editor`, `upload`, ...), and those that name something of the platform (`account`, `hook`, ...).
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/parameters [doc]; the field types of
 * https://www.npmjs.com/package/@makehq/forman-schema. [src]
 */
export const PARAMETER_TYPES = [
  'account',
  'aiagent',
  'any',
  'array',
  'banner',
  'boolean',
  'buffer',
  'cert',
  'checkbox',
  'collection',
  'color',
  'datastore',
  'date',
  'device',
  'editor',
  'email',
  'file',
  'filename',
  'filestorage',
  'filter',
  'folder',
  'hidden',
  'hook',
  'html',
  'integer',
  'json',
  'keychain',
  'list',
  'markdown',
  'number',
  'password',
  'path',
  'pkey',
  'port',
  'radio',
  'scenario',
  'select',
  'separator',
  'text',
  'time',
  'timestamp',
  'timezone',
  'udt',
  'udtspec',
  'udttype',
  'uinteger',
  'upload',
  'url',
  'uuid',
] as const;

/** The type of a parameter, one of `PARAMETER_TYPES`. */
export type ParameterType = (typeof PARAMETER_TYPES)[number];

/** What a form treats alike, for the types that are more than one value in a box. */
export type TypeFamily = 'decoration' | 'boolean' | 'select' | 'list' | 'reference' | 'path';

const FAMILIES: ReadonlyMap<ParameterType, TypeFamily> = new Map<ParameterType, TypeFamily>([
  ['banner', 'decoration'],
  ['html', 'decoration'],
  ['markdown', 'decoration'],
  ['separator', 'decoration'],
  ['boolean', 'boolean'],
  ['checkbox', 'boolean'],
  ['list', 'select'],
  ['radio', 'select'],
  ['select', 'select'],
  ['array', 'list'],
  ['filestorage', 'list'],
  ['udtspec', 'list'],
  ['upload', 'list'],
  ['account', 'reference'],
  ['aiagent', 'reference'],
  ['datastore', 'reference'],
  ['device', 'reference'],
  ['hook', 'reference'],
  ['keychain', 'reference'],
  ['scenario', 'reference'],
  ['file', 'path'],
  ['folder', 'path'],
]);

/** `decoration` has no value, `reference` holds the id of something on the platform; undefined for all other types. */
export function findFamily(type: ParameterType): TypeFamily | undefined {
  return FAMILIES.get(type);
}

/** Whether the value is always a list: not so of a select, which holds one where several can be chosen. */
export function isListType(type: ParameterType): boolean {
  return findFamily(type) === 'list' || type === 'filter';
}

const TYPES: ReadonlySet<unknown> = new Set(PARAMETER_TYPES);

/** `account:slack` says which accounts may be chosen; the type is what stands before the colon. [src] */
const QUALIFIED = /^(account|device|hook|keychain|udt):/;

/** The type that is written in a form; undefined for a value that is none. */
export function readParameterType(value: unknown): ParameterType | undefined {
  const name = typeof value === 'string' ? (QUALIFIED.exec(value)?.[1] ?? value) : undefined;
  return TYPES.has(name) ? (name as ParameterType) : undefined; // a member of PARAMETER_TYPES, as just checked
}
