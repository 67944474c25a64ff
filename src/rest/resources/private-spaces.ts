import type { PlainObject } from '../../shared/plain-object.js';
import {
  flag,
  integer,
  named,
  nullable,
  object,
  oneOf,
  type Schema,
  type SchemaMap,
  text,
} from '../../shared/schema/build.js';
import { freeText, id, listed, wrapped } from '../call/fields.js';
import { type ColumnChoice, type Paging, pageQuery, pageRecord, pickColumns } from '../call/lists.js';
import { confirmationRequired, featureDisabled, notFound } from '../problems.js';
import type { TeamSubject } from '../services/identify-call.js';
import { FEATURES } from '../services/settings.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { readRows } from '../store/read-rows.js';
import type { OrganizationRow, RestReader, TeamRow } from '../store/tables.js';
import { hasFeature } from './organization-life.js';

const TAG = 'private spaces';

const PATH = '/private-spaces/{privateSpaceId}';

const SPACE = { kind: 'team', in: 'params', name: 'privateSpaceId' } as const;

/**
 * Members of the resource `/private-spaces`, where 64-bit numbers are texts. Source:
 * https://developers.make.com/api-documentation (pagination and sorting, filtering). [src]
 */
const PRIVATE_SPACE_MEMBERS: SchemaMap = {
  id: integer(),
  name: text(),
  organizationId: integer(),
  globalAgentsEnabled: flag(),
  type: oneOf(['personal']),
  privateSpaceOwnerName: text(),
  privateSpaceOwnerEmail: text(),
  privateSpaceOwnerId: nullable(integer()),
  operationsLimit: nullable(integer()),
  transferLimit: { type: ['string', 'number', 'null'] },
  consumedOperations: nullable(integer()),
  consumedTransfer: nullable(text()),
  isPaused: nullable(flag()),
  consumedCenticredits: nullable(text()),
  operations: text(),
  transfer: text(),
  centicredits: text(),
  deleted: flag(),
  externalId: nullable(text()),
};

/** Source: https://developers.make.com/api-documentation (pagination and sorting, filtering), the type of the public client. [src] */
const PRIVATE_SPACE_SCHEMA: Schema<unknown> = named('PrivateSpace', object({}, PRIVATE_SPACE_MEMBERS));

const ALL: readonly string[] = Object.keys(PRIVATE_SPACE_MEMBERS);

const TOTALS: readonly string[] = ['operations', 'transfer', 'centicredits'];

const LIST_COLUMNS: ColumnChoice = {
  all: ALL.filter((column) => !TOTALS.includes(column)),
  default: ['id', 'name', 'organizationId'],
};

const DETAIL_COLUMNS: ColumnChoice = { all: ALL, default: LIST_COLUMNS.all };

const SORTS = { name: 'nameKey' } as const satisfies Readonly<Record<string, keyof TeamRow>>;

const PAGING: Paging = { sortBy: ['name'], defaultSortBy: 'name', defaultSortDir: 'asc', defaultLimit: 100 };

/** Average transfer per operation; the transfer limit follows from the operations limit. [inf] */
const BYTES_PER_OPERATION = 512 * 1024;

/** Maximum of a license. [seed] */
const MAX_OPERATIONS = 800_000_000;

/** The public command line sends the number as text. [src] */
const OPERATIONS_LIMIT: Schema<number | string | null> = {
  anyOf: [
    nullable(integer({ minimum: 0, maximum: MAX_OPERATIONS })),
    { type: 'string', pattern: '^\\d{1,8}$', description: 'must be integer' },
  ],
};

const listPrivateSpaces: StoreOperation = defineOperation({
  id: 'listPrivateSpaces',
  method: 'GET',
  path: '/private-spaces',
  tag: TAG,
  summary: 'Lists the private spaces of an organization.',
  scopes: ['private-spaces:read'],
  requiredQuery: { organizationId: id() },
  optionalQuery: { externalId: freeText() },
  columns: LIST_COLUMNS,
  paging: PAGING,
  subject: { kind: 'organization', in: 'query', name: 'organizationId' },
  permission: 'personal team manage',
  response: listed('privateSpaces', PRIVATE_SPACE_SCHEMA),
  handler: async ({ services, query, subject, columns, page }) => {
    assertFeature(subject.organization);
    const { organizationId, externalId } = query;
    const where = {
      organizationId,
      type: 'personal',
      ...(externalId !== undefined && { externalId }),
    } as const;
    const wanted = { where, ...pageQuery(page, SORTS) };
    const privateSpaces: PlainObject[] = [];
    let last: TeamRow | undefined;
    for await (const rows of readRows(services.store, 'teams', wanted)) {
      privateSpaces.push(...(await spaceRecords(services.store, rows, columns)));
      last = rows.at(-1) ?? last;
    }
    return { privateSpaces, pg: pageRecord(page, last) };
  },
});

const getPrivateSpace: StoreOperation = defineOperation({
  id: 'getPrivateSpace',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'Shows a private space to its members.',
  scopes: ['private-spaces:read'],
  params: { privateSpaceId: id() },
  columns: DETAIL_COLUMNS,
  subject: SPACE,
  permission: 'personal team own view',
  response: wrapped('privateSpace', PRIVATE_SPACE_SCHEMA),
  handler: async ({ services, subject, columns }) => {
    assertPrivateSpace(subject);
    const [privateSpace] = await spaceRecords(services.store, [subject.team], columns);
    return { privateSpace };
  },
});

const updatePrivateSpace: StoreOperation = defineOperation({
  id: 'updatePrivateSpace',
  method: 'PATCH',
  path: PATH,
  tag: TAG,
  summary:
    'Changes the limit of a private space; one below its consumption needs `confirmed=true` and pauses it.',
  scopes: ['private-spaces:write'],
  params: { privateSpaceId: id() },
  optionalQuery: { confirmed: flag({ default: false }) },
  body: object({}, { operationsLimit: OPERATIONS_LIMIT }),
  subject: SPACE,
  permission: 'personal team manage',
  response: wrapped('privateSpace', PRIVATE_SPACE_SCHEMA),
  handler: async ({ services, params, query, body, subject }) => {
    assertPrivateSpace(subject);
    const limit = body.operationsLimit;
    const operationsLimit = typeof limit === 'string' ? Number(limit) : limit;
    const row = await services.store.transaction(async (writer) => {
      const team = await writer.get('teams', { id: params.privateSpaceId });
      if (!team) throw notFound('Private space');
      if (operationsLimit === undefined) return team;
      const isPaused = operationsLimit !== null && operationsLimit < team.consumedOperations;
      if (isPaused && query.confirmed !== true) {
        throw confirmationRequired(
          'The limit is below the consumption; send confirmed=true to pause the space.',
        );
      }
      const transferLimit = operationsLimit === null ? null : operationsLimit * BYTES_PER_OPERATION;
      await writer.update('teams', { id: team.id }, { operationsLimit, transferLimit, isPaused });
      return { ...team, operationsLimit, transferLimit, isPaused };
    });
    // The response to a change has the limit as a number. [src]
    const [record] = await spaceRecords(services.store, [row], ALL);
    return { privateSpace: { ...record, transferLimit: row.transferLimit } };
  },
});

function assertFeature(organization: OrganizationRow): void {
  if (!hasFeature(organization, FEATURES.privateSpaces)) throw featureDisabled('Private spaces');
}

function assertPrivateSpace(subject: TeamSubject): void {
  assertFeature(subject.organization);
  if (subject.team.type !== 'personal') throw notFound('Private space');
}

async function spaceRecords(
  reader: RestReader,
  rows: readonly TeamRow[],
  columns: readonly string[],
): Promise<readonly PlainObject[]> {
  const ownerIds = rows.map((row) => row.ownerId).filter((ownerId) => ownerId !== null);
  const users = await reader.find('users', { where: { id: ownerIds }, columns: ['name', 'email'] });
  const owners = new Map(users.map((user) => [user.id, user]));
  return rows.map((row) => {
    const owner = row.ownerId === null ? undefined : owners.get(row.ownerId);
    const record = {
      ...privateSpaceRecord(row),
      privateSpaceOwnerName: owner?.name ?? '',
      privateSpaceOwnerEmail: owner?.email ?? '',
      operations: String(row.consumedOperations),
      transfer: String(row.consumedTransfer),
      centicredits: String(row.consumedCenticredits),
      deleted: false,
      externalId: row.externalId,
    };
    return pickColumns(record, columns);
  });
}

export const PRIVATE_SPACE_OPERATIONS: readonly StoreOperation[] = [
  listPrivateSpaces,
  getPrivateSpace,
  updatePrivateSpace,
];

/** The private space as a member of a user. Source: https://developers.make.com/api-documentation (privateSpace fields). [seed] */
export const OWN_SPACE_SCHEMA: Schema<unknown> = named(
  'OwnPrivateSpace',
  object({
    id: integer(),
    name: text(),
    globalAgentsEnabled: flag(),
    type: oneOf(['personal']),
    operationsLimit: nullable(integer()),
    transferLimit: nullable(integer()),
    consumedOperations: nullable(integer()),
    consumedTransfer: nullable(integer()),
    isPaused: nullable(flag()),
    consumedCenticredits: nullable(integer()),
  }),
);

/** Here all numbers are numbers, also 64-bit ones. [seed] */
export function ownSpaceRecord(team: TeamRow): PlainObject {
  const { id, name, globalAgentsEnabled, operationsLimit, transferLimit, isPaused } = team;
  const { consumedOperations, consumedTransfer, consumedCenticredits } = team;
  return {
    id,
    name,
    globalAgentsEnabled,
    type: 'personal',
    operationsLimit,
    transferLimit,
    consumedOperations,
    consumedTransfer,
    isPaused,
    consumedCenticredits,
  };
}

/** A private space without the members of its owner's account. */
function privateSpaceRecord(team: TeamRow): PlainObject {
  return {
    id: team.id,
    name: team.name,
    organizationId: team.organizationId,
    globalAgentsEnabled: team.globalAgentsEnabled,
    type: 'personal',
    privateSpaceOwnerId: team.ownerId,
    operationsLimit: team.operationsLimit,
    transferLimit: team.transferLimit === null ? null : String(team.transferLimit),
    consumedOperations: team.consumedOperations,
    consumedTransfer: String(team.consumedTransfer),
    isPaused: team.isPaused,
    consumedCenticredits: String(team.consumedCenticredits),
  };
}
