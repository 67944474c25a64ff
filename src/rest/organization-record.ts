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
} from '../schema/build.js';
import type { PlainObject } from '../util/plain-object.js';
import { consumptionAt, type ResetState } from './license.js';
import type { ColumnChoice } from './operation.js';
import type { RestServices } from './services.js';
import { advanceSubscription, pausePhase } from './subscription-state.js';
import type { OrganizationRow, RestReader, ScenarioRow, TeamRow } from './tables.js';

/** Source: specification/000 (Organization) [seed]; members behind `privateSpaces` reference/rest-api.md section 2 [app]. */
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

/** Source: specification/000 (Organizations, rule 1). [seed] */
export const ORGANIZATION_COLUMNS: ColumnChoice = { all: ALL, default: ['id', 'name', 'timezoneId'] };
export const ORGANIZATION_DETAIL_COLUMNS: ColumnChoice = { all: ALL, default: ALL };

/** Columns a list gives only for organizations of the current zone. [seed] */
const CURRENT_ZONE_ONLY: ReadonlySet<string> = new Set(['serviceName', 'isPaused', 'license']);
const PAUSE_COLUMNS = ['isPaused', 'license', 'unusedOperations', 'unusedTransfer', 'unusedCenticredits'];

export interface RecordOptions {
  readonly columns: readonly string[];
  /** Whose private spaces are shown. */
  readonly userId: number;
  readonly nowMs: number;
  /** Whether this is a list, which tells less of other zones. */
  readonly inList: boolean;
}

/** Organizations as the API shows them. Only what the columns need is read, for all of them at once. */
export async function organizationRecords(
  services: Pick<RestServices, 'zones'>,
  reader: RestReader,
  rows: readonly OrganizationRow[],
  options: RecordOptions,
): Promise<readonly PlainObject[]> {
  const wanted = new Set(options.columns);
  const ids = rows.map((row) => row.id);
  const needs = (...columns: readonly string[]): boolean => columns.some((column) => wanted.has(column));
  const [teams, scenarios, paused] = await Promise.all([
    readGroups<TeamRow>(needs('teams', 'privateSpaces') ? ids : [], (organizationId) =>
      reader.find('teams', { where: { organizationId } }),
    ),
    readGroups<ScenarioRow>(needs('scenarios', 'activeScenarios') ? ids : [], (organizationId) =>
      reader.find('scenarios', { where: { organizationId } }),
    ),
    needs(...PAUSE_COLUMNS) ? readPaused(reader, ids, options.nowMs) : new Set<number>(),
  ]);
  const currentZone = services.zones.current.domain;
  const elsewhere = options.columns.filter((column) => !options.inList || !CURRENT_ZONE_ONLY.has(column));
  return rows.map((row) => {
    const facts: Facts = {
      row,
      userId: options.userId,
      paused: paused.has(row.id),
      teams: teams.get(row.id) ?? [],
      scenarios: scenarios.get(row.id) ?? [],
      state: consumptionAt(row, options.nowMs),
    };
    const columns = row.zone === currentZone ? options.columns : elsewhere;
    return Object.fromEntries(columns.map((column) => [column, MEMBERS[column]?.(facts)]));
  });
}

/** One organization with all of its columns. */
export async function organizationRecord(
  services: Pick<RestServices, 'zones'>,
  reader: RestReader,
  row: OrganizationRow,
  options: Omit<RecordOptions, 'inList' | 'columns'> & { readonly columns?: readonly string[] },
): Promise<PlainObject> {
  const records = await organizationRecords(services, reader, [row], {
    columns: ALL,
    ...options,
    inList: false,
  });
  return records[0] ?? {};
}

/** What the members of one record are made of. */
interface Facts {
  readonly row: OrganizationRow;
  readonly userId: number;
  readonly paused: boolean;
  readonly teams: readonly TeamRow[];
  readonly scenarios: readonly ScenarioRow[];
  readonly state: ResetState;
}

const iso = (instantMs: number): string => new Date(instantMs).toISOString();

/**
 * While a pause is in effect the organization counts as unlicensed, with nothing left to use; its license is kept for later.
 * Source: specification/000 (States and transitions). [seed] 64-bit counters are texts [app].
 */
function unused({ row, paused }: Facts, member: string, used: number): string {
  const limit = row.license[member];
  return paused || typeof limit !== 'number' ? '0' : String(Math.max(0, limit - used));
}

/** Each member by itself, so that a list makes only those it shows. */
const MEMBERS: Readonly<Record<string, (facts: Facts) => unknown>> = {
  id: ({ row }) => row.id,
  name: ({ row }) => row.name,
  createdAt: ({ row }) => iso(row.createdAt),
  serviceName: ({ row }) => row.serviceName,
  nextReset: ({ state }) => iso(state.nextReset),
  lastReset: ({ state }) => iso(state.lastReset),
  isPaused: ({ paused }) => paused,
  countryId: ({ row }) => row.countryId,
  timezoneId: ({ row }) => row.timezoneId,
  // Rows of deleted organizations are gone.
  deleted: () => false,
  license: ({ row, paused }) => (paused ? {} : row.license),
  zone: ({ row }) => row.zone,
  teams: ({ teams }) => teams.filter((it) => it.type === 'standard').map(({ id, name }) => ({ id, name })),
  productName: ({ row }) => row.productName,
  ssoType: ({ row }) => row.ssoType,
  scenarios: ({ scenarios }) => scenarios.length,
  activeScenarios: ({ scenarios }) => scenarios.filter((it) => it.active).length,
  tfaEnforced: ({ row }) => row.tfaEnforced,
  userSessionTimeout: ({ row }) => row.userSessionTimeout,
  featureControls: ({ row }) => row.featureControls,
  privateSpaces,
  regionId: ({ row }) => row.regionId,
  externalId: ({ row }) => row.externalId,
  solutionPartnerLink: () => null,
  sharedScenarioPartnerCode: () => null,
  operations: ({ state }) => String(state.operations),
  transfer: ({ state }) => String(state.transfer),
  operationsExt: () => '0',
  transferExt: () => '0',
  unusedOperations: (facts) => unused(facts, 'operations', facts.state.operations),
  unusedTransfer: (facts) => unused(facts, 'transfer', facts.state.transfer),
  centicreditsConsumed: ({ state }) => String(state.centicredits),
  centicreditsExtra: () => '0',
  unusedCenticredits: (facts) => unused(facts, 'operations', facts.state.centicredits),
  autoPurchasingActivated: () => false,
  autoPurchaseInProgress: () => false,
  features: () => ({}),
  activeApps: () => 0,
};

/** Private spaces are shown to their members only. Source: specification/000 (Organization, rule 1). [seed] */
function privateSpaces({ teams, row, userId }: Facts): readonly PlainObject[] {
  const own = teams.filter((team) => team.type === 'personal' && team.ownerId === userId);
  const { hasAdminVisibility } = row;
  return own.map(({ id, name }) => ({ id, name, isOwner: true, hasAdminVisibility }));
}

/** Values in one condition; both databases take some tens of thousands. */
const CHUNK = 5000;

function chunks(ids: readonly number[]): readonly (readonly number[])[] {
  return Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, index) =>
    ids.slice(index * CHUNK, (index + 1) * CHUNK),
  );
}

async function readGroups<R extends { readonly organizationId: number }>(
  ids: readonly number[],
  find: (organizationId: readonly number[]) => Promise<readonly R[]>,
): Promise<ReadonlyMap<number, readonly R[]>> {
  const groups = new Map<number, R[]>();
  for (const chunk of chunks(ids)) {
    for (const row of await find(chunk)) {
      const group = groups.get(row.organizationId);
      if (group) group.push(row);
      else groups.set(row.organizationId, [row]);
    }
  }
  return groups;
}

async function readPaused(reader: RestReader, ids: readonly number[], nowMs: number): Promise<Set<number>> {
  const paused = new Set<number>();
  for (const chunk of chunks(ids)) {
    for (const row of await reader.find('subscriptions', { where: { organizationId: chunk } })) {
      if (row.pauseStartsAt === null) continue;
      if (pausePhase(advanceSubscription(row, nowMs).row, nowMs) === 'in effect')
        paused.add(row.organizationId);
    }
  }
  return paused;
}
