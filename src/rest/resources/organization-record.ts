import type { PlainObject } from '../../shared/plain-object.js';
import {
  dateTime,
  flag,
  freeForm,
  integer,
  list,
  named,
  nullable,
  object,
  oneOf,
  type Schema,
  text,
} from '../../shared/schema/build.js';
import type { Tally, Where } from '../../shared/store/record-store.js';
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
import { readRows } from '../store/read-rows.js';
import { advanceSubscription, PERIOD_COLUMNS, pausePhase } from '../store/subscription-state.js';
import type { MembershipRow, OrganizationRow, RestReader, TeamRow } from '../store/tables.js';

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

type Column = keyof OrganizationRow & string;

type ReadColumns<C extends Column> = Pick<OrganizationRow, C | 'id' | 'zone'>;

/** The columns of the table that some columns of the API need. */
function columnsToRead(columns: readonly string[]): readonly Column[] {
  const read = columns.flatMap((column) => MEMBERS[column]?.reads ?? []);
  return [
    ...new Set(columns.some((column) => CURRENT_ZONE_ONLY.has(column)) ? ['zone' as const, ...read] : read),
  ];
}

/** Records of the API from rows with `columnsToRead`. Reads other tables once for all rows. */
async function organizationRecords(
  { zones }: Pick<RestServices, 'zones'>,
  reader: RestReader,
  rows: readonly ReadColumns<never>[],
  options: RecordOptions,
): Promise<readonly PlainObject[]> {
  const { columns, userId, nowMs, inList } = options;
  const ids = rows.map((row) => row.id);
  const facts = options.teamsOfNew ? factsOfNew(options.teamsOfNew) : await readFacts(reader, ids, options);
  const { domain, runsApps } = zones.current;
  const here = findMembers(columns.filter((column) => runsApps || column !== 'privateSpaces'));
  const elsewhere = here.filter(({ column }) => !inList || !CURRENT_ZONE_ONLY.has(column));
  if (here.every(({ column }) => STORED.has(column))) {
    // The common case: rows with the right columns only are returned without a copy.
    if (here.length === elsewhere.length && hasColumns(rows[0], here)) return rows;
    return rows.map((row) => copyColumns(row, row.zone === domain ? here : elsewhere));
  }
  const usesConsumption = here.some(({ reads }) => reads === CONSUMPTION_COLUMNS);
  return rows.map((row) => {
    // Shows only members whose columns were read.
    const whole = row as OrganizationRow;
    const subject: Facts<Column> = {
      row: whole,
      userId,
      consumption: usesConsumption ? consumptionAt(whole, nowMs) : NO_CONSUMPTION,
      paused: facts.paused.has(row.id),
      teams: facts.teams.get(row.id) ?? [],
      scenarios: facts.scenarios.get(row.id) ?? NO_SCENARIOS,
    };
    const record: PlainObject = {};
    for (const { column, of } of row.zone === domain ? here : elsewhere) record[column] = of(subject);
    return record;
  });
}

/** The names are those of `MEMBERS`, so they cannot collide with members of `Object.prototype`. */
function findMembers(columns: readonly string[]): readonly NamedMember[] {
  return columns.flatMap((column) => NAMED.get(column) ?? []);
}

/**
 * Whether a row has exactly the columns of some members, in that order. All rows of a query have the same columns.
 */
function hasColumns(row: object = {}, members: readonly NamedMember[]): boolean {
  const names = Object.keys(row);
  return names.length === members.length && members.every(({ column }, index) => column === names[index]);
}

function copyColumns(row: Readonly<Partial<OrganizationRow>>, members: readonly NamedMember[]): PlainObject {
  const record: PlainObject = {};
  // Unchanged members have the names of their columns.
  for (const { column } of members) record[column] = row[column as Column];
  return record;
}

/** One organization with all or the requested columns. */
export async function organizationRecord(
  services: Pick<RestServices, 'zones' | 'store'>,
  row: OrganizationRow,
  options: Omit<RecordOptions, 'inList' | 'columns'> & { readonly columns?: readonly string[] },
): Promise<PlainObject> {
  const wanted = { columns: ALL_ORGANIZATION_COLUMNS.all, ...options, inList: false };
  const [record = {}] = await organizationRecords(services, services.store, [row], wanted);
  return record;
}

/** The values that members of a record derive from. */
interface Facts<C extends Column> {
  readonly row: ReadColumns<C>;
  readonly userId: number;
  /** Read for columns that derive from it. */
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

interface Member {
  /** The columns that the member reads. */
  readonly reads: readonly Column[];
  readonly of: (facts: Facts<Column>) => unknown;
}

interface NamedMember extends Member {
  readonly column: string;
}

function member<C extends Column>(reads: readonly C[], of: (facts: Facts<C>) => unknown): Member {
  return { reads, of };
}

/** A member that is the stored column of the same name. */
function stored(column: Column): Member {
  STORED.add(column);
  return member([column], ({ row }) => row[column]);
}

const STORED = new Set<string>();

function instant(of: (consumption: Consumption) => number): Member {
  return member(CONSUMPTION_COLUMNS, ({ consumption }) => iso(of(consumption)));
}

const iso = (instantMs: number): string => new Date(instantMs).toISOString();

type Counter = 'operations' | 'transfer' | 'centicredits';

/** 64-bit counters are texts. [app] */
function consumed(counter: Counter): Member {
  return member(CONSUMPTION_COLUMNS, ({ consumption }) => String(consumption[counter]));
}

/**
 * While a pause is in effect the organization counts as unlicensed, with nothing left to use; its license is kept for later.
 * Source: https://developers.make.com/api-documentation (States and transitions). [seed]
 */
function unused(limitName: 'operations' | 'transfer', counter: Counter): Member {
  return member(CONSUMPTION_COLUMNS, ({ row, consumption, paused }) => {
    const limit = row.license[limitName];
    if (paused || typeof limit !== 'number') return '0';
    return String(Math.max(0, limit - consumption[counter]));
  });
}

/** A member with the same value in all records. */
function constant(value: unknown): Member {
  return member([], () => value);
}

/** Computes each member separately, so that a list reads only the shown ones. */
const MEMBERS: Readonly<Record<string, Member>> = {
  id: stored('id'),
  name: stored('name'),
  createdAt: member(['createdAt'], ({ row }) => iso(row.createdAt)),
  serviceName: stored('serviceName'),
  nextReset: instant((consumption) => consumption.nextReset),
  lastReset: instant((consumption) => consumption.lastReset),
  isPaused: member([], ({ paused }) => paused),
  countryId: stored('countryId'),
  timezoneId: stored('timezoneId'),
  // Rows of deleted organizations are gone.
  deleted: constant(false),
  license: member(['license'], ({ row, paused }) => (paused ? {} : row.license)),
  zone: stored('zone'),
  teams: member([], ({ teams }) =>
    teams.filter((it) => it.type === 'standard').map(({ id, name }) => ({ id, name })),
  ),
  productName: stored('productName'),
  ssoType: stored('ssoType'),
  scenarios: member([], ({ scenarios }) => scenarios.count),
  activeScenarios: member([], ({ scenarios }) => scenarios.sum),
  tfaEnforced: stored('tfaEnforced'),
  userSessionTimeout: stored('userSessionTimeout'),
  featureControls: stored('featureControls'),
  privateSpaces: member(['hasAdminVisibility'], privateSpaces),
  regionId: stored('regionId'),
  externalId: stored('externalId'),
  solutionPartnerLink: constant(null),
  sharedScenarioPartnerCode: constant(null),
  operations: consumed('operations'),
  transfer: consumed('transfer'),
  operationsExt: constant('0'),
  transferExt: constant('0'),
  unusedOperations: unused('operations', 'operations'),
  unusedTransfer: unused('transfer', 'transfer'),
  centicreditsConsumed: consumed('centicredits'),
  centicreditsExtra: constant('0'),
  unusedCenticredits: unused('operations', 'centicredits'),
  autoPurchasingActivated: constant(false),
  autoPurchaseInProgress: constant(false),
  features: constant({}),
  activeApps: constant(0),
};

const NAMED: ReadonlyMap<string, NamedMember> = new Map(
  Object.entries(MEMBERS).map(([column, it]) => [column, { column, ...it }] as const),
);

/** Private spaces are shown to their members only. Source: https://developers.make.com/api-documentation (Organization, rule 1). [seed] */
function privateSpaces({ teams, row, userId }: Facts<'hasAdminVisibility'>): readonly PlainObject[] {
  const { hasAdminVisibility } = row;
  return teams
    .filter((team) => team.type === 'personal')
    .map(({ id, name, ownerId }) => ({ id, name, isOwner: ownerId === userId, hasAdminVisibility }));
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

/** Source: https://developers.make.com/api-documentation (Organization) [seed]; members behind `privateSpaces` https://developers.make.com/api-documentation (organizations) [app]. */
export const ORGANIZATION_SCHEMA: Schema<unknown> = named(
  'Organization',
  object(
    {},
    {
      id: integer(),
      name: text(),
      createdAt: dateTime(),
      serviceName: text(),
      nextReset: dateTime(),
      lastReset: dateTime(),
      isPaused: flag(),
      countryId: integer(),
      timezoneId: integer(),
      deleted: flag(),
      license: freeForm(),
      zone: text(),
      teams: list(object({ id: integer(), name: text() })),
      productName: text(),
      ssoType: nullable(oneOf(['oauth2', 'saml2', 'none'])),
      scenarios: integer(),
      activeScenarios: integer(),
      tfaEnforced: flag(),
      userSessionTimeout: integer(),
      featureControls: list(object({ name: text(), enabled: flag() })),
      privateSpaces: list(
        object({ id: integer(), name: text(), isOwner: flag(), hasAdminVisibility: flag() }),
      ),
      regionId: integer(),
      externalId: nullable(text()),
      solutionPartnerLink: nullable(text()),
      sharedScenarioPartnerCode: nullable(text()),
      operations: text(),
      transfer: text(),
      operationsExt: text(),
      transferExt: text(),
      unusedOperations: text(),
      unusedTransfer: text(),
      centicreditsConsumed: text(),
      centicreditsExtra: text(),
      unusedCenticredits: text(),
      autoPurchasingActivated: flag(),
      autoPurchaseInProgress: flag(),
      features: freeForm(),
      activeApps: integer(),
    },
  ),
);

const ALL: readonly string[] = Object.keys(ORGANIZATION_SCHEMA['properties'] ?? {});

/** Source: https://developers.make.com/api-documentation (Organizations, rule 1). [seed] */
export const ORGANIZATION_COLUMNS: ColumnChoice = { all: ALL, default: ['id', 'name', 'timezoneId'] };

export const ALL_ORGANIZATION_COLUMNS: ColumnChoice = { all: ALL, default: ALL };

/** The complete organization, as the response to its creation and change. [seed] */
export const FULL_ORGANIZATION_SCHEMA: Schema<unknown> = {
  ...ORGANIZATION_SCHEMA,
  title: 'FullOrganization',
  required: ALL.filter((column) => column !== 'privateSpaces'),
};

/** Source: https://developers.make.com/api-documentation (Invitation detail and accept-invitation records). [seed] */
export const ORGANIZATION_ROLE_SCHEMA: Schema<unknown> = named(
  'UserOrganizationRole',
  object({
    userId: integer(),
    organizationId: integer(),
    usersRoleId: integer(),
    invitation: nullable(text()),
  }),
);

export function organizationRoleRecord(row: MembershipRow): Omit<MembershipRow, 'id'> {
  const { userId, organizationId, usersRoleId, invitation } = row;
  return { userId, organizationId, usersRoleId, invitation };
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
): Promise<{ readonly organizations: readonly PlainObject[]; readonly pg: PageRecord }> {
  const { where, columns, page } = options;
  const wanted = { columns: columnsToRead([...columns, page.sortBy]), where, ...pageQuery(page, SORTS) };
  type Rows = Parameters<typeof organizationRecords>[2];
  const show = (shown: Rows, names: readonly string[]): Promise<readonly PlainObject[]> =>
    organizationRecords(services, services.store, shown, { ...options, columns: names });
  const organizations: PlainObject[] = [];
  let lastRows: Rows = [];
  for await (const rows of readRows(services.store, 'organizations', wanted)) {
    organizations.push(...(await show(rows, columns)));
    if (rows.length > 0) lastRows = rows.slice(-1);
  }
  const [last] = await show(lastRows, [page.sortBy]);
  return { organizations, pg: pageRecord(page, last) };
}
