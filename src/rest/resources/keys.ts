import type { PlainObject } from '../../shared/plain-object.js';
import {
  flag,
  freeForm,
  integer,
  list,
  named,
  object,
  oneOf,
  type Schema,
  text,
} from '../../shared/schema/build.js';
import type { Key, KeyType, OperationAnswer, ParameterDescriptor } from '../call/answers.js';
import { id, KEY_TYPE_NAMES, keyName, wrapped } from '../call/fields.js';
import type { ColumnChoice } from '../call/lists.js';
import {
  badRequest,
  confirmationRequired,
  featureDisabled,
  forbidden,
  invalidParameter,
  notFound,
  refused,
} from '../problems.js';
import { isAllowed, type KeySubject, type TeamSubject } from '../services/identify-call.js';
import { keyContext } from '../services/seal.js';
import type { RestServices } from '../services/services.js';
import { FEATURES } from '../services/settings.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { readAllRows } from '../store/read-rows.js';
import { type KeyRow, nameKey, type RestReader, type RestWriter } from '../store/tables.js';
import { KEY_TYPES, keyTypeByName, readKeyParameters } from './key-types.js';
import { hasFeature } from './organization-life.js';
import { createResource, memberMaker, requireMembers } from './resource.js';

/** Source: https://developers.make.com/api-documentation (Key). [seed] */
const RESOURCE = createResource<Key, 'keys', undefined, 'Key'>('Key', 'keys', {
  id: memberMaker<'keys', undefined>()(integer(), [], (row) => row.id),
});

const KEY_SCHEMA = RESOURCE.schema;

/** The response of the operations that lock and unlock a key. [seed] */
const VISIBILITY_SCHEMA: Schema<OperationAnswer<'setKeyLocked'>> = object({
  key: object({ id: integer(), visibility: oneOf(['team', 'locked']) }),
});

const DESCRIPTOR = 'ParameterDescriptor';

/** A nested list of descriptors: the document references the enclosing schema. */
const NESTED = list<ParameterDescriptor>({ $ref: `#/components/schemas/${DESCRIPTOR}` });

/** Source: https://developers.make.com/api-documentation (Key type, parameter descriptor). [seed] */
const DESCRIPTOR_SCHEMA: Schema<ParameterDescriptor> = named(
  DESCRIPTOR,
  object(
    {
      name: text(),
      label: text(),
      type: oneOf(['text', 'password', 'select', 'pkey', 'cert', 'boolean']),
      required: flag(),
    },
    {
      default: {} as Schema<string | boolean>,
      help: text(),
      multiline: flag(),
      options: list(object({ label: text(), value: text() }, { nested: NESTED })),
    },
  ),
);

const KEY_TYPE_SCHEMA: Schema<KeyType> = named(
  'KeyType',
  object({
    name: text(),
    label: text(),
    parameters: list(DESCRIPTOR_SCHEMA),
    componentType: oneOf(['key']),
    author: text(),
    version: text(),
    theme: text(),
    icon: text(),
  }),
);

/** Source: https://developers.make.com/api-documentation (keys, cols) [doc]; default https://developers.make.com/api-documentation [seed]. */
const KEY_COLUMNS: ColumnChoice = {
  all: RESOURCE.columns,
  default: ['id', 'name'],
};

/** Columns of the response to creations and updates. [seed] */
const WRITTEN_KEY_COLUMNS = ['id', 'name', 'typeName', 'teamId', 'packageName', 'theme'] as const;

const WRITTEN_KEY_SCHEMA = requireMembers('WrittenKey', RESOURCE, WRITTEN_KEY_COLUMNS);

const TAG = 'keys';

const PATH = '/keys/{keyId}';

/** Options of operations on one key. */
const ONE = {
  tag: TAG,
  params: { keyId: id() },
  subject: { kind: 'key', in: 'params', name: 'keyId' },
} as const;

const SET_VISIBILITY = {
  ...ONE,
  method: 'POST',
  scopes: ['keys:write'],
  permission: 'key view',
  response: VISIBILITY_SCHEMA,
} as const;

const listKeys: StoreOperation = defineOperation({
  id: 'listKeys',
  method: 'GET',
  path: '/keys',
  tag: TAG,
  summary: 'Lists the keys of a team.',
  scopes: ['keys:read'],
  requiredQuery: { teamId: id() },
  optionalQuery: { typeName: oneOf(KEY_TYPE_NAMES) },
  columns: KEY_COLUMNS,
  subject: { kind: 'team', in: 'query', name: 'teamId' },
  permission: 'key view',
  response: wrapped('keys', list(KEY_SCHEMA)),
  handler: async ({ services, query, columns }) => {
    const { teamId, typeName } = query;
    const where = { teamId, ...(typeName !== undefined && { typeName }) };
    const rows = await readAllRows(services.store, 'keys', {
      columns: RESOURCE.reads(columns),
      where,
      sortBy: 'nameKey',
    });
    return { keys: rows.map((row) => RESOURCE.record(row, undefined, columns)) };
  },
});

const createKey: StoreOperation = defineOperation({
  id: 'createKey',
  method: 'POST',
  path: '/keys',
  tag: TAG,
  summary: 'Stores a key; its parameters are never shown again.',
  scopes: ['keys:write'],
  body: object(
    { teamId: id(), name: keyName(), typeName: text({ maxLength: 64 }), parameters: freeForm() },
    { visibility: oneOf(['team', 'locked'], { default: 'team' }) },
  ),
  subject: { kind: 'team', in: 'body', name: 'teamId' },
  permission: 'key add',
  response: wrapped('key', WRITTEN_KEY_SCHEMA),
  handler: async ({ services, caller, body, subject, nowMs }) => {
    const { teamId, name, typeName, visibility = 'team' } = body;
    const type = keyTypeByName(typeName);
    if (!type)
      throw badRequest([invalidParameter('typeName', 'must be the name of a type of GET /keys/types')]);
    const parameters = readKeyParameters(type, body.parameters);
    const organizationId = subject.organization.id;
    if (visibility === 'locked') {
      assertLockable(subject);
      await provision(services, organizationId, caller.user.id);
    }
    const row = await services.store.transaction(async (writer) => {
      if (!(await writer.get('teams', { id: teamId }))) throw notFound('Team');
      const key = await writer.insert('keys', {
        organizationId,
        teamId,
        name,
        nameKey: nameKey(name),
        typeName,
        packageName: null,
        theme: type.theme,
        visibility,
        authorId: caller.user.id,
        parameters: sealParameters(services, { teamId, typeName }, parameters),
        createdAt: nowMs,
      });
      if (visibility === 'locked')
        await writer.insert('keyAdmins', { keyId: key.id, userId: caller.user.id });
      return key;
    });
    return { key: RESOURCE.record(row, undefined, WRITTEN_KEY_COLUMNS) };
  },
});

const listKeyTypes: StoreOperation = defineOperation({
  id: 'listKeyTypes',
  method: 'GET',
  path: '/keys/types',
  tag: TAG,
  summary: 'Lists the types of keys with their parameters.',
  scopes: ['keys:read'],
  response: wrapped('keysTypes', list(KEY_TYPE_SCHEMA)),
  handler: async () => ({ keysTypes: KEY_TYPES }),
});

const getKey: StoreOperation = defineOperation({
  ...ONE,
  id: 'getKey',
  method: 'GET',
  path: PATH,
  summary: 'Shows a key without its parameters.',
  scopes: ['keys:read'],
  columns: KEY_COLUMNS,
  permission: 'key view',
  response: wrapped('key', KEY_SCHEMA),
  handler: async ({ subject, columns }) => ({ key: RESOURCE.record(subject.key, undefined, columns) }),
});

const updateKey: StoreOperation = defineOperation({
  ...ONE,
  id: 'updateKey',
  method: 'PATCH',
  path: PATH,
  summary: 'Changes the name or the parameters of a key. Absent members keep their values.',
  scopes: ['keys:write'],
  body: object({}, { name: keyName(), parameters: freeForm() }),
  permission: 'key edit',
  response: wrapped('key', WRITTEN_KEY_SCHEMA),
  handler: async ({ services, caller, params, body, subject }) => {
    const { name, parameters } = body;
    const row = await services.store.transaction(async (writer) => {
      const key = await currentKey(writer, params.keyId);
      await assertMayChange(writer, key, caller.user.id);
      const change = {
        ...(name !== undefined && { name, nameKey: nameKey(name) }),
        ...(parameters !== undefined && { parameters: mergeParameters(services, key, parameters) }),
      };
      if (Object.keys(change).length > 0) await writer.update('keys', { id: key.id }, change);
      return { ...key, ...change };
    });
    return { key: RESOURCE.record({ ...subject.key, ...row }, undefined, WRITTEN_KEY_COLUMNS) };
  },
});

const deleteKey: StoreOperation = defineOperation({
  ...ONE,
  id: 'deleteKey',
  method: 'DELETE',
  path: PATH,
  summary: 'Deletes a key; needs `confirmed=true`.',
  scopes: ['keys:write'],
  optionalQuery: { confirmed: flag({ default: false }) },
  permission: 'key delete',
  response: wrapped('key', integer()),
  handler: async ({ services, caller, params, query }) => {
    const { keyId } = params;
    if (query.confirmed !== true) throw confirmationRequired('Send confirmed=true to delete the key.');
    await services.store.transaction(async (writer) => {
      await assertMayChange(writer, await currentKey(writer, keyId), caller.user.id);
      await writer.remove('keyAdmins', { keyId });
      await writer.remove('keys', { id: keyId });
    });
    return { key: keyId };
  },
});

/** Source: https://developers.make.com/api-documentation (States and transitions, key visibility). [seed] */
const setLocked: StoreOperation = defineOperation({
  ...SET_VISIBILITY,
  id: 'setKeyLocked',
  path: `${PATH}/set-locked`,
  summary: 'Locks a key of the caller; the caller becomes its only admin.',
  handler: async ({ services, caller, params, subject }) => {
    const { keyId } = params;
    const userId = caller.user.id;
    assertLockable(subject, userId);
    if (subject.key.visibility !== 'locked') await provision(services, subject.organization.id, userId);
    await services.store.transaction(async (writer) => {
      const key = await currentKey(writer, keyId);
      assertLockable({ ...subject, key }, userId);
      if (key.visibility === 'locked') return;
      await writer.remove('keyAdmins', { keyId });
      await writer.insert('keyAdmins', { keyId, userId });
      await writer.update('keys', { id: keyId }, { visibility: 'locked' });
    });
    return { key: { id: keyId, visibility: 'locked' } };
  },
});

/** Source: the same table. [seed] */
const setTeam: StoreOperation = defineOperation({
  ...SET_VISIBILITY,
  id: 'setKeyTeam',
  path: `${PATH}/set-team`,
  summary: 'Opens a key to its team and clears its access list.',
  handler: async ({ services, caller, params, subject }) => {
    const { keyId } = params;
    await services.store.transaction(async (writer) => {
      const key = await currentKey(writer, keyId);
      const current: KeySubject = { ...subject, key };
      assertUnlockable(current, await isKeyAdmin(writer, key, caller.user.id));
      await writer.remove('keyAdmins', { keyId });
      await writer.update('keys', { id: keyId }, { visibility: 'team' });
    });
    return { key: { id: keyId, visibility: 'team' } };
  },
});

async function currentKey(writer: RestWriter, keyId: number): Promise<KeyRow> {
  const key = await writer.get('keys', { id: keyId });
  if (!key) throw notFound('Key');
  return key;
}

/** Source: https://developers.make.com/api-documentation (Errors: 422, the key is not created). [seed] */
async function provision(
  { accessLists }: RestServices,
  organizationId: number,
  userId: number,
): Promise<void> {
  try {
    await accessLists.provision({ organizationId, userId });
  } catch (cause) {
    const detail = 'The access list of the key cannot be provisioned.';
    throw refused('SC422', { status: 422, message: 'Unprocessable Entity', detail, cause });
  }
}

type SealedRow = Pick<KeyRow, 'teamId' | 'typeName'>;

function sealParameters({ seal }: RestServices, row: SealedRow, parameters: PlainObject): string {
  return seal.seal(JSON.stringify(parameters), keyContext(row));
}

/** Sent parameters replace stored ones of the same name. [inf] */
function mergeParameters(services: RestServices, key: KeyRow, sent: Readonly<PlainObject>): string {
  const type = keyTypeByName(key.typeName);
  if (!type) throw notFound('Key type');
  const before: PlainObject = JSON.parse(services.seal.open(key.parameters, keyContext(key)));
  return sealParameters(services, key, readKeyParameters(type, sent, before));
}

export const KEY_OPERATIONS: readonly StoreOperation[] = [
  listKeys,
  createKey,
  listKeyTypes,
  getKey,
  updateKey,
  deleteKey,
  setLocked,
  setTeam,
];

/**
 * Access rules of keys. Source: https://developers.make.com/api-documentation (States and transitions, Errors).
 * [seed]
 */

/**
 * A new key may be locked if the organization has the feature; an existing one only by its author.
 * @throws RestError 400 `IM903`, 403 `SC403`
 */
function assertLockable(subject: TeamSubject | KeySubject, userId?: number): void {
  assertFeature(subject);
  if ('key' in subject && (subject.key.authorId === null || subject.key.authorId !== userId)) {
    throw forbidden('Only the author of a key can lock it.');
  }
}

/**
 * An admin of a locked key may unlock it; every user who may edit an unlocked key may unlock it.
 * @throws RestError 400 `IM903`, 403 `SC403`
 */
function assertUnlockable(subject: KeySubject, isAdmin: boolean): void {
  assertFeature(subject);
  const allowed = subject.key.visibility === 'locked' ? isAdmin : isAllowed(subject, 'key edit');
  if (!allowed) throw forbidden();
}

/** Only its admins may change and delete a locked key. [inf] */
async function assertMayChange(reader: RestReader, key: KeyRow, userId: number): Promise<void> {
  if (key.visibility === 'locked' && !(await isKeyAdmin(reader, key, userId))) throw forbidden();
}

async function isKeyAdmin(reader: RestReader, key: KeyRow, userId: number): Promise<boolean> {
  return (await reader.get('keyAdmins', { keyId: key.id, userId })) !== undefined;
}

function assertFeature({ organization }: TeamSubject): void {
  if (!hasFeature(organization, FEATURES.lockedKeys)) throw featureDisabled('Locked connections');
}
