import {
  dateTime,
  flag,
  freeForm,
  integer,
  list,
  nullable,
  object,
  type Schema,
  text,
} from '../../shared/schema/build.js';
import type { Tally, Where } from '../../shared/store/record-store.js';
import type { FullOrganization, Organization, UserOrganizationRole } from '../call/answers.js';
import {
  type ColumnChoice,
  type ListPage,
  type PageRecord,
  type Paging,
  pageQuery,
  pageRecord,
} from '../call/lists.js';
import { CONSUMPTION_COLUMNS, type Consumption, consumptionAt } from '../services/license.js';
import type { RestServices } from '../services/services.js';
import { advanceSubscription, PERIOD_COLUMNS, pausePhase } from '../store/subscription-state.js';
import type { MembershipRow, OrganizationRow, RestReader, TeamRow } from '../store/tables.js';
import { createResource, type Member, memberMaker, requireMembers } from './resource.js';

/** Columns a list gives only for organizations of the current zone. [seed] */
const CURRENT_ZONE_ONLY: ReadonlySet<string> = new Set(['serviceName', 'isPaused', 'license']);

const PAUSE_COLUMNS = ['isPaused', 'license', 'unusedOperations', 'unusedTransfer', 'unusedCenticredits'];

export interface RecordOptions {
  readonly columns: readonly string[];
  /** The user whose private spaces are shown. */
  readonly userId: number;
  readonly nowMs: number;
  /** Whether organizations of other zones show fewer columns. */
  readonly inList: boolean;
  /** The teams of an organization that was just created, which need no read. */
  readonly teamsOfNew?: readonly ShownTeam[] | undefined;
}

/** The values of a record that are not in its row. */
interface Facts {
  readonly userId: number;
  /** Read for members that derive from it. */
  readonly consumption: Consumption;
  readonly paused: boolean;
  /** Standard teams, and the private spaces of the user. */
  readonly teams: readonly ShownTeam[];
  /** The number of scenarios, and of active ones as `sum`. */
  readonly scenarios: Tally;
}

const NO_SCENARIOS: Tally = { count: 0, sum: 0 };

const NO_CONSUMPTION: Consumption = {
  lastReset: 0,
  nextReset: 0,
  resetAnchorAt: null,
  operations: 0,
  transfer: 0,
  centicredits: 0,
};

const member = memberMaker<'organizations', Facts>();

type OrganizationMember<V> = Member<'organizations', Facts, V>;

function instant(of: (consumption: Consumption) => number): OrganizationMember<string> {
  return member(dateTime(), CONSUMPTION_COLUMNS, (_, { consumption }) =>
    new Date(of(consumption)).toISOString(),
  );
}

type Counter = 'operations' | 'transfer' | 'centicredits';

/** 64-bit counters are texts. [app] */
function consumed(counter: Counter): OrganizationMember<string> {
  return member(text(), CONSUMPTION_COLUMNS, (_, { consumption }) => String(consumption[counter]));
}

/**
 * While a pause is in effect the organization counts as unlicensed, with nothing left to use; its license is kept for later.
 * Source: https://developers.make.com/api-documentation (States and transitions). [seed]
 */
function unused(limitName: 'operations' | 'transfer', counter: Counter): OrganizationMember<string> {
  return member(text(), CONSUMPTION_COLUMNS, ({ license }, { consumption, paused }) => {
    const limit = license[limitName];
    if (paused || typeof limit !== 'number') return '0';
    return String(Math.max(0, limit - consumption[counter]));
  });
}

/** A member with the same value in all records. */
function constant<V>(schema: Schema<V>, value: NoInfer<V>): OrganizationMember<V> {
  return member(schema, [], () => value);
}

/** Source: https://developers.make.com/api-documentation (Organization) [seed]; members behind `privateSpaces` https://developers.make.com/api-documentation (organizations) [app]. */
const ORGANIZATION = createResource<Organization, 'organizations', Facts, 'Organization'>(
  'Organization',
  'organizations',
  {
    id: member(integer(), [], (row) => row.id),
    nextReset: instant((consumption) => consumption.nextReset),
    lastReset: instant((consumption) => consumption.lastReset),
    isPaused: member(flag(), [], (_, { paused }) => paused),
    // Rows of deleted organizations are gone.
    deleted: constant(flag(), false),
    license: member(freeForm(), ['license'], (row, { paused }) => (paused ? {} : row.license)),
    teams: member(list(object({ id: integer(), name: text() })), [], (_, { teams }) =>
      teams.filter((it) => it.type === 'standard').map(({ id, name }) => ({ id, name })),
    ),
    scenarios: member(integer(), [], (_, { scenarios }) => scenarios.count),
    activeScenarios: member(integer(), [], (_, { scenarios }) => scenarios.sum),
    featureControls: member(
      list(object({ name: text(), enabled: flag() })),
      ['featureControls'],
      (row) => row.featureControls,
    ),
    // Private spaces are shown to their members only. Source: https://developers.make.com/api-documentation (Organization, rule 1). [seed]
    privateSpaces: member(
      list(object({ id: integer(), name: text(), isOwner: flag(), hasAdminVisibility: flag() })),
      ['hasAdminVisibility'],
      ({ hasAdminVisibility }, { teams, userId }) =>
        teams
          .filter((team) => team.type === 'personal')
          .map(({ id, name, ownerId }) => ({ id, name, isOwner: ownerId === userId, hasAdminVisibility })),
    ),
    solutionPartnerLink: constant(nullable(text()), null),
    sharedScenarioPartnerCode: constant(nullable(text()), null),
    operations: consumed('operations'),
    transfer: consumed('transfer'),
    operationsExt: constant(text(), '0'),
    transferExt: constant(text(), '0'),
    unusedOperations: unused('operations', 'operations'),
    unusedTransfer: unused('transfer', 'transfer'),
    centicreditsConsumed: consumed('centicredits'),
    centicreditsExtra: constant(text(), '0'),
    unusedCenticredits: unused('operations', 'centicredits'),
    autoPurchasingActivated: constant(flag(), false),
    autoPurchaseInProgress: constant(flag(), false),
    features: constant(freeForm(), {}),
    activeApps: constant(integer(), 0),
  },
);

/** The columns of the table that some columns of the API need. */
function columnsToRead(columns: readonly string[]): readonly (keyof OrganizationRow & string)[] {
  const read = ORGANIZATION.reads(columns);
  return columns.some((column) => CURRENT_ZONE_ONLY.has(column))
    ? [...new Set([...read, 'zone' as const])]
    : read;
}

/** Records of the API from rows with `columnsToRead`. Reads other tables once for all rows. */
async function organizationRecords(
  { zones }: Pick<RestServices, 'zones'>,
  reader: RestReader,
  rows: readonly Pick<OrganizationRow, 'id' | 'zone'>[],
  options: RecordOptions,
): Promise<readonly Partial<Organization>[]> {
  const { columns, userId, nowMs, inList } = options;
  const ids = rows.map((row) => row.id);
  const facts = options.teamsOfNew ? factsOfNew(options.teamsOfNew) : await readFacts(reader, ids, options);
  const { domain, runsApps } = zones.current;
  const here = columns.filter((column) => runsApps || column !== 'privateSpaces');
  const elsewhere = here.filter((column) => !inList || !CURRENT_ZONE_ONLY.has(column));
  const usesConsumption = ORGANIZATION.reads(here).includes('resetAnchorAt');
  return rows.map((row) => {
    const subject = {
      userId,
      // `columnsToRead` has its columns.
      consumption: usesConsumption ? consumptionAt(row as OrganizationRow, nowMs) : NO_CONSUMPTION,
      paused: facts.paused.has(row.id),
      teams: facts.teams.get(row.id) ?? [],
      scenarios: facts.scenarios.get(row.id) ?? NO_SCENARIOS,
    };
    return ORGANIZATION.record(row, subject, row.zone === domain ? here : elsewhere);
  });
}

/** One organization with all or the requested columns. */
export async function organizationRecord(
  services: Pick<RestServices, 'zones' | 'store'>,
  row: OrganizationRow,
  options: Omit<RecordOptions, 'inList' | 'columns'> & { readonly columns?: readonly string[] },
): Promise<Partial<Organization>> {
  const wanted = { columns: ALL_ORGANIZATION_COLUMNS.all, ...options, inList: false };
  const [record = {}] = await organizationRecords(services, services.store, [row], wanted);
  return record;
}

interface SharedFacts {
  readonly paused: ReadonlySet<number>;
  readonly teams: ReadonlyMap<number, readonly ShownTeam[]>;
  readonly scenarios: ReadonlyMap<number, Tally>;
}

const TEAM_COLUMNS = ['organizationId', 'name', 'type', 'ownerId'] as const;

type ShownTeam = Pick<TeamRow, 'id' | (typeof TEAM_COLUMNS)[number]>;

/** Reads the values of other tables that the columns need. A page is small enough for one condition. */
async function readFacts(
  reader: RestReader,
  organizationId: readonly number[],
  { columns, userId, nowMs }: RecordOptions,
): Promise<SharedFacts> {
  const needs = (...names: readonly string[]): boolean => names.some((name) => columns.includes(name));
  // Private spaces of other users are not read.
  const seen = { organizationId, ownerId: [null, userId] };
  // Every pause has a start. A pause that is over stays in the row until a write.
  const begun = { organizationId, pauseStartsAt: { atMost: nowMs } };
  const facts = await reader.queryAll({
    teams: needs('teams', 'privateSpaces')
      ? { find: 'teams', columns: TEAM_COLUMNS, where: seen }
      : undefined,
    scenarios: needs('scenarios', 'activeScenarios')
      ? { tally: 'scenarios', column: 'organizationId', summed: 'active', where: { organizationId } }
      : undefined,
    pauses: needs(...PAUSE_COLUMNS)
      ? { find: 'subscriptions', columns: PERIOD_COLUMNS, where: begun }
      : undefined,
  });
  const paused = facts.pauses?.filter(
    (row) => pausePhase(advanceSubscription(row, nowMs).row, nowMs) === 'in effect',
  );
  return {
    teams: groupBy(facts.teams ?? [], (team) => team.organizationId),
    scenarios: facts.scenarios ?? new Map<number, Tally>(),
    paused: new Set(paused?.map((row) => row.organizationId)),
  };
}

function factsOfNew(teams: readonly ShownTeam[]): SharedFacts {
  return {
    teams: groupBy(teams, (team) => team.organizationId),
    scenarios: new Map<number, Tally>(),
    paused: new Set<number>(),
  };
}

function groupBy<T, K>(items: readonly T[], readKey: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(readKey(item));
    if (group) group.push(item);
    else groups.set(readKey(item), [item]);
  }
  return groups;
}

export const ORGANIZATION_SCHEMA: Schema<Partial<Organization>> = ORGANIZATION.schema;

const ALL = ORGANIZATION.columns;

/** Source: https://developers.make.com/api-documentation (Organizations, rule 1). [seed] */
export const ORGANIZATION_COLUMNS: ColumnChoice = { all: ALL, default: ['id', 'name', 'timezoneId'] };

export const ALL_ORGANIZATION_COLUMNS: ColumnChoice = { all: ALL, default: ALL };

/** The complete organization, as the response to its creation and change. [seed] */
export const FULL_ORGANIZATION_SCHEMA: Schema<FullOrganization> = requireMembers(
  'FullOrganization',
  ORGANIZATION,
  ALL.filter((column) => column !== 'privateSpaces'),
);

/** Source: https://developers.make.com/api-documentation (Invitation detail and accept-invitation records). [seed] */
const ORGANIZATION_ROLE = createResource<
  UserOrganizationRole,
  'memberships',
  undefined,
  'UserOrganizationRole'
>('UserOrganizationRole', 'memberships', {});

export const ORGANIZATION_ROLE_SCHEMA: Schema<UserOrganizationRole> = requireMembers(
  'UserOrganizationRole',
  ORGANIZATION_ROLE,
  ORGANIZATION_ROLE.columns,
);

export function organizationRoleRecord({ id: _, ...row }: MembershipRow): UserOrganizationRole {
  return row;
}

/** Sort keys of organizations, with their columns. */
const SORTS: Readonly<Record<string, keyof OrganizationRow>> = {
  id: 'id',
  name: 'nameKey',
  createdAt: 'createdAt',
  zone: 'zone',
  countryId: 'countryId',
  timezoneId: 'timezoneId',
  productName: 'productName',
  nextReset: 'nextReset',
  lastReset: 'lastReset',
};

/** Source: https://developers.make.com/api-documentation (Organizations, rule 1) [seed]; limit https://developers.make.com/api-documentation (pagination and sorting, filtering) [src]. */
export const ORGANIZATION_PAGING: Paging = {
  sortBy: Object.keys(SORTS),
  defaultSortBy: 'name',
  defaultSortDir: 'asc',
  defaultLimit: 10_000,
};

export interface OrganizationListOptions {
  readonly where: Where<OrganizationRow>;
  readonly columns: readonly string[];
  readonly page: ListPage;
  /** The user whose private spaces are shown. */
  readonly userId: number;
  readonly nowMs: number;
  /** Whether organizations of other zones show fewer columns. */
  readonly inList: boolean;
}

/** A page of organizations. Reads only the columns it shows. */
export async function listOrganizations(
  services: RestServices,
  options: OrganizationListOptions,
): Promise<{ readonly organizations: readonly Partial<Organization>[]; readonly pg: PageRecord }> {
  const { where, columns, page } = options;
  const wanted = { columns: columnsToRead([...columns, page.sortBy]), where, ...pageQuery(page, SORTS) };
  const { store } = services;
  const rows = await store.find('organizations', wanted);
  const organizations = await organizationRecords(services, store, rows, options);
  const sortOptions = { ...options, columns: [page.sortBy] };
  const [last] = await organizationRecords(services, store, rows.slice(-1), sortOptions);
  return { organizations, pg: pageRecord(page, last) };
}
