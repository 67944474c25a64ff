import { flag, integer, object, text } from '../../shared/schema/build.js';
import { TEAM_ADMIN_ROLE_ID } from '../call/access.js';
import type { Team } from '../call/answers.js';
import { id, listed, properName, wrapped } from '../call/fields.js';
import { type ColumnChoice, type Paging, pageQuery, pageRecord } from '../call/lists.js';
import { confirmationRequired, limitExceeded, notFound } from '../problems.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { type RestReader, sentColumns, type TeamRow } from '../store/tables.js';
import { addTeam, removeTeams } from './organization-life.js';
import { createResource, memberMaker, requireMembers, sentSchemas } from './resource.js';

const TAG = 'teams';
const PATH = '/teams/{teamId}';
const TEAM = { kind: 'team', in: 'params', name: 'teamId' } as const;

const member = memberMaker<'teams', ReadonlyMap<number, number>>();

/** The facts are the numbers of active scenarios by team. Source: https://developers.make.com/api-documentation (users, teams, enums) [doc]; further columns the type of the public client [src]. */
const RESOURCE = createResource<Team, 'teams', ReadonlyMap<number, number>, 'Team'>('Team', 'teams', {
  id: member(integer(), [], (row) => row.id),
  activeScenarios: member(integer(), [], (row, active) => active.get(row.id) ?? 0),
  activeApps: member(integer(), [], () => 0),
  operations: member(text(), ['consumedOperations'], (row) => String(row.consumedOperations)),
  transfer: member(text(), ['consumedTransfer'], (row) => String(row.consumedTransfer)),
});

const TEAM_SCHEMA = RESOURCE.schema;
const DEFAULT_COLUMNS = ['id', 'name', 'organizationId'] as const;
const COLUMNS: ColumnChoice = { all: RESOURCE.columns, default: DEFAULT_COLUMNS };
const CREATED_SCHEMA = requireMembers('CreatedTeam', RESOURCE, DEFAULT_COLUMNS);
const SORTS = { id: 'id', name: 'nameKey' } as const satisfies Readonly<Record<string, keyof TeamRow>>;
const PAGING: Paging = {
  sortBy: Object.keys(SORTS),
  defaultSortBy: 'name',
  defaultSortDir: 'asc',
  defaultLimit: 10_000,
};

/** Maximum number of teams of any license: responses with an organization contain all of them. [choice] */
const MAX_TEAMS = 1000;

const listTeams: StoreOperation = defineOperation({
  id: 'listTeams',
  method: 'GET',
  path: '/teams',
  tag: TAG,
  summary: 'Lists the teams of an organization.',
  scopes: ['teams:read'],
  requiredQuery: { organizationId: id() },
  optionalQuery: { includePrivateSpaces: flag({ default: false }) },
  columns: COLUMNS,
  paging: PAGING,
  subject: { kind: 'organization', in: 'query', name: 'organizationId' },
  permission: 'organization view',
  response: listed('teams', TEAM_SCHEMA),
  handler: async ({ services, caller, query, columns, page }) => {
    const { organizationId, includePrivateSpaces } = query;
    // Standard teams have no owner; callers see only their own private space. [inf]
    const ownerId = includePrivateSpaces ? [null, caller.user.id] : null;
    const where = { organizationId, ownerId };
    const rows = await services.store.find('teams', { where, ...pageQuery(page, SORTS) });
    return { teams: await teamRecords(services.store, rows, columns), pg: pageRecord(page, rows.at(-1)) };
  },
});

const NEW_TEAM = sentSchemas('teams', 'createTeam');

const createTeam: StoreOperation = defineOperation({
  id: 'createTeam',
  method: 'POST',
  path: '/teams',
  tag: TAG,
  summary: 'Creates a team; the caller becomes its admin.',
  scopes: ['teams:write'],
  body: object({ name: properName(), organizationId: id(), ...NEW_TEAM.required }, { ...NEW_TEAM.optional }),
  subject: { kind: 'organization', in: 'body', name: 'organizationId' },
  permission: 'team add',
  response: object({
    team: CREATED_SCHEMA,
    userTeamRole: object({
      usersRoleId: integer(),
      userId: integer(),
      teamId: integer(),
      changeable: flag(),
      ssoPending: flag(),
    }),
  }),
  handler: async ({ services, caller, body, nowMs }) => {
    const { organizationId } = body;
    const userId = caller.user.id;
    const team = await services.store.transaction(async (writer) => {
      const organization = await writer.get('organizations', { id: organizationId });
      if (!organization) throw notFound('Organization');
      const { teams } = organization.license;
      const limit = typeof teams === 'number' ? Math.min(teams, MAX_TEAMS) : MAX_TEAMS;
      const count = await writer.count('teams', { organizationId, type: 'standard' });
      if (count >= limit) throw limitExceeded(`The license allows ${limit} teams.`);
      const { name } = body;
      const sent = sentColumns('teams', 'createTeam', body);
      return addTeam(writer, { organizationId, name, adminId: userId, nowMs, sent });
    });
    const role = {
      usersRoleId: TEAM_ADMIN_ROLE_ID,
      userId,
      teamId: team.id,
      changeable: true,
      ssoPending: false,
    };
    return { team: await teamRecord(services.store, team, DEFAULT_COLUMNS), userTeamRole: role };
  },
});

const getTeam: StoreOperation = defineOperation({
  id: 'getTeam',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'Shows a team.',
  scopes: ['teams:read'],
  params: { teamId: id() },
  columns: COLUMNS,
  subject: TEAM,
  permission: 'team view',
  response: wrapped('team', TEAM_SCHEMA),
  handler: async ({ services, subject, columns }) => ({
    team: await teamRecord(services.store, subject.team, columns),
  }),
});

const deleteTeam: StoreOperation = defineOperation({
  id: 'deleteTeam',
  method: 'DELETE',
  path: PATH,
  tag: TAG,
  summary: 'Deletes a team with its keys; needs `confirmed=true`.',
  scopes: ['teams:write'],
  params: { teamId: id() },
  optionalQuery: { confirmed: flag({ default: false }) },
  subject: TEAM,
  permission: 'team delete',
  response: wrapped('team', integer()),
  handler: async ({ services, params, query, subject }) => {
    const { teamId } = params;
    // Private spaces cannot be deleted through the API. [src]
    if (subject.team.type === 'personal') throw notFound('Team');
    if (query.confirmed !== true) throw confirmationRequired('Send confirmed=true to delete the team.');
    await services.store.transaction(async (writer) => {
      if (!(await writer.get('teams', { id: teamId }))) throw notFound('Team');
      await removeTeams(writer, { id: teamId });
    });
    return { team: teamId };
  },
});

async function teamRecord(
  reader: RestReader,
  row: TeamRow,
  columns: readonly string[],
): Promise<Partial<Team>> {
  const [record = {}] = await teamRecords(reader, [row], columns);
  return record;
}

async function teamRecords(
  reader: RestReader,
  rows: readonly TeamRow[],
  columns: readonly string[],
): Promise<readonly Partial<Team>[]> {
  const teamId = rows.map((row) => row.id);
  const active = columns.includes('activeScenarios')
    ? await reader.countBy('scenarios', 'teamId', { teamId, active: true })
    : new Map<number, number>();
  return rows.map((row) => RESOURCE.record(row, active, columns));
}

export const TEAM_OPERATIONS: readonly StoreOperation[] = [listTeams, createTeam, getTeam, deleteTeam];
