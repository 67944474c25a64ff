import { flag, integer, nullable, object, oneOf, type Schema, text } from '../../shared/schema/build.js';
import type { OwnPrivateSpace, PrivateSpace } from '../call/answers.js';
import { freeText, id, listed, wrapped } from '../call/fields.js';
import { type ColumnChoice, type Paging, pageQuery, pageRecord } from '../call/lists.js';
import { confirmationRequired, featureDisabled, notFound } from '../problems.js';
import type { TeamSubject } from '../services/identify-call.js';
import { FEATURES } from '../services/settings.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import type { OrganizationRow, RestReader, TeamRow, UserRow } from '../store/tables.js';
import { hasFeature } from './organization-life.js';
import { createResource, memberMaker, requireMembers } from './resource.js';

const TAG = 'private spaces';

const PATH = '/private-spaces/{privateSpaceId}';

const SPACE = { kind: 'team', in: 'params', name: 'privateSpaceId' } as const;

/** A 64-bit number is a text; the response to a change has a number. [src] */
const TRANSFER_LIMIT: Schema<string | number | null> = { type: ['string', 'number', 'null'] };

/** The account of the owner. */
type Owner = Pick<UserRow, 'name' | 'email'> | undefined;

const member = memberMaker<'teams', Owner>();

/** Source: https://developers.make.com/api-documentation (pagination and sorting, filtering), the type of the public client. [src] */
const RESOURCE = createResource<PrivateSpace, 'teams', Owner, 'PrivateSpace'>('PrivateSpace', 'teams', {
  id: member(integer(), [], (row) => row.id),
  type: member(oneOf(['personal']), [], () => 'personal'),
  privateSpaceOwnerName: member(text(), [], (_, owner) => owner?.name ?? ''),
  privateSpaceOwnerEmail: member(text(), [], (_, owner) => owner?.email ?? ''),
  privateSpaceOwnerId: member(nullable(integer()), ['ownerId'], (row) => row.ownerId),
  transferLimit: member(TRANSFER_LIMIT, ['transferLimit'], ({ transferLimit }) =>
    transferLimit === null ? null : String(transferLimit),
  ),
  operations: member(text(), ['consumedOperations'], (row) => String(row.consumedOperations)),
  transfer: member(text(), ['consumedTransfer'], (row) => String(row.consumedTransfer)),
  centicredits: member(text(), ['consumedCenticredits'], (row) => String(row.consumedCenticredits)),
  deleted: member(flag(), [], () => false),
});

const PRIVATE_SPACE_SCHEMA = RESOURCE.schema;

const CHANGED_SCHEMA = requireMembers('ChangedPrivateSpace', RESOURCE, ['id', 'operationsLimit']);

const ALL = RESOURCE.columns;

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
    const rows = await services.store.find('teams', { where, ...pageQuery(page, SORTS) });
    const privateSpaces = await spaceRecords(services.store, rows, columns);
    return { privateSpaces, pg: pageRecord(page, rows.at(-1)) };
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
  response: wrapped('privateSpace', CHANGED_SCHEMA),
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
): Promise<readonly Partial<PrivateSpace>[]> {
  const ownerIds = rows.map((row) => row.ownerId).filter((ownerId) => ownerId !== null);
  const users = await reader.find('users', { where: { id: ownerIds }, columns: ['name', 'email'] });
  const owners = new Map<number | null, Owner>(users.map((user) => [user.id, user]));
  return rows.map((row) => RESOURCE.record(row, owners.get(row.ownerId), columns));
}

export const PRIVATE_SPACE_OPERATIONS: readonly StoreOperation[] = [
  listPrivateSpaces,
  getPrivateSpace,
  updatePrivateSpace,
];

const ownMember = memberMaker<'teams', undefined>();

/** The private space as a member of a user. Source: https://developers.make.com/api-documentation (privateSpace fields). [seed] */
const OWN_SPACE = createResource<OwnPrivateSpace, 'teams', undefined, 'OwnPrivateSpace'>(
  'OwnPrivateSpace',
  'teams',
  {
    id: ownMember(integer(), [], (row) => row.id),
    type: ownMember(oneOf(['personal']), [], () => 'personal'),
  },
);

export const OWN_SPACE_SCHEMA: Schema<OwnPrivateSpace> = requireMembers(
  'OwnPrivateSpace',
  OWN_SPACE,
  OWN_SPACE.columns,
);

export function ownSpaceRecord(team: TeamRow): OwnPrivateSpace {
  // Without chosen columns a record has all members.
  return OWN_SPACE.record(team, undefined) as OwnPrivateSpace;
}
