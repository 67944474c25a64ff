import { randomUUID } from 'node:crypto';
import {
  type BackendCall,
  badRequest,
  confirmationRequired,
  forbidden,
  invalidParameter,
  notFound,
  type RestBackend,
  ROLES,
  refused,
} from '../../src/rest/index.js';

/** A user with a token of all scopes, and the role in the first organization. */
export interface SeededUser {
  readonly name: string;
  readonly token: string;
  readonly role?: string;
  readonly isAdministrator?: boolean;
}

type Page = BackendCall<'listTeams'>['page'];
type License = Readonly<Record<string, unknown>>;
type Place = Pick<Organization, 'countryId' | 'timezoneId'>;
type Organization = ReturnType<typeof newOrganization>;
type Team = ReturnType<typeof newTeam>;
type Member = ReturnType<typeof newMember>;
type Key = ReturnType<typeof newKey>;

const SCOPES = ['organizations', 'teams', 'keys', 'user', 'private-spaces', 'admin']
  .flatMap((name) => [`${name}:read`, `${name}:write`])
  .concat('apps:read', 'system:read');
const DAY_MS = 86_400_000;
const START = '2026-01-01T00:00:00.000Z';
const NEXT = '2026-02-01T00:00:00.000Z';
const REGIONS = [{ id: 1, name: 'EU' }];
const TIMEZONES = [{ id: 1, name: 'Europe/Prague', code: 'Europe/Prague', offset: '+01:00' }];
const COUNTRIES = [{ id: 1, name: 'Czechia', code: 'CZE', code2: 'CZ' }];
const PRICES = [11, 21].map((id) => ({ id, price: id, currencyCode: 'usd', period: 'month' }));
const BYTES = { transfer: 536_870_912, dsslimit: 1_048_576, fslimit: 5_242_880 };
const LICENSE: License = { ...BYTES, operations: 1000, dslimit: 1, interval: 15, iolimit: 10 };
const KEY_TYPES = [keyType('basicauth', ['authUser', 'authPass']), keyType('aes-key', ['key'])];
const OK = { ok: 1 };

function keyType(name: string, parameters: readonly string[]) {
  const descriptors = parameters.map(
    (it) => ({ name: it, label: it, type: 'password', required: true }) as const,
  );
  const about = { componentType: 'key', author: 'memory', version: '1', theme: '#000000' } as const;
  return { ...about, name, label: name, parameters: descriptors, icon: 'https://example.com/key.png' };
}

function roleId(identifier: string | undefined): number {
  return ROLES.find((role) => role.identifier === identifier)?.id ?? 0;
}

function newUser(id: number, name: string, email: string, isAdministrator = false) {
  const places = { timezoneId: 1, timezone: 'Europe/Prague', localeId: 1, locale: 'en_US', countryId: 1 };
  const security = { tfaStatus: null, tfaEnabled: false, hasPassword: true, deleted: false };
  const account = { created: START, supportEligible: true, features: {}, emailNotifications: [] };
  const avatar = 'https://example.com/avatar.png';
  const usersAdminsRoleId = isAdministrator ? 1 : null;
  return { id, name, email, avatar, usersAdminsRoleId, language: 'en', ...places, ...security, ...account };
}

function newOrganization(id: number, name: string, license: License = LICENSE) {
  const places = { regionId: 1, countryId: 1, timezoneId: 1, zone: 'eu1.example.com', serviceName: 'memory' };
  const times = { createdAt: START, lastReset: START, nextReset: NEXT, userSessionTimeout: 86_400 };
  const used = { operations: '0', transfer: '0', centicreditsConsumed: '0' };
  const bought = { operationsExt: '0', transferExt: '0', centicreditsExtra: '0' };
  const left = { unusedOperations: '1000', unusedTransfer: '536870912', unusedCenticredits: '0' };
  const numbers = { scenarios: 0, activeScenarios: 0, activeApps: 0 };
  const flags = { isPaused: false, deleted: false, tfaEnforced: false };
  const purchasing = { autoPurchasingActivated: false, autoPurchaseInProgress: false };
  const partner = { solutionPartnerLink: null, sharedScenarioPartnerCode: null };
  const empty = { externalId: null, ssoType: null, featureControls: [], features: {}, privateSpaces: [] };
  const further = { ...numbers, ...flags, ...purchasing, ...partner, ...empty };
  return {
    id,
    name,
    license,
    productName: 'Free',
    ...places,
    ...times,
    ...used,
    ...bought,
    ...left,
    ...further,
  };
}

function newTeam(id: number, name: string, organizationId: number) {
  const limits = { operationsLimit: null as number | null, transferLimit: null, isPaused: false };
  const numbers = { consumedOperations: 0, activeScenarios: 0, activeApps: 0 };
  const texts = { consumedTransfer: '0', operations: '0', transfer: '0' };
  return { id, name, organizationId, type: 'standard' as const, ...limits, ...numbers, ...texts };
}

function newSpace(id: number, organizationId: number, owner: ReturnType<typeof newUser>) {
  const empty = { externalId: null, globalAgentsEnabled: false, deleted: false };
  const consumed = { centicredits: '0', consumedCenticredits: '0' };
  return {
    ...newTeam(id, 'Private space', organizationId),
    ...empty,
    ...consumed,
    type: 'personal' as const,
    privateSpaceOwnerId: owner.id,
    privateSpaceOwnerName: owner.name,
    privateSpaceOwnerEmail: owner.email,
  };
}

/** `invitation` is the hash of an open invitation. */
function newMember(organizationId: number, userId: number, usersRoleId: number, invitation: string | null) {
  return { organizationId, userId, usersRoleId, invitation };
}

function newKey(id: number, authorId: number, body: BackendCall<'createKey'>['body']) {
  const { visibility = 'team', ...sent } = body;
  return { id, ...sent, visibility, authorId, packageName: null, theme: '#000000' };
}

/** A key as the responses to its creation and change show it. */
function writtenKey({ authorId: _, parameters: __, visibility: ___, ...key }: Key) {
  return key;
}

function newSubscription(priceId: number, nextBill: string) {
  return { priceId, nextBill, pauseStartsAt: null as string | null, pauseEndsAt: null as string | null };
}

function pick<T extends object>(record: T, columns: readonly string[]): Partial<T> {
  const shown = Object.entries(record).filter(([name]) => columns.includes(name));
  return Object.fromEntries(shown) as Partial<T>;
}

/** A page of records, and its `pg`. */
function paged<T extends object>(records: readonly T[], page: Page, columns: readonly string[]) {
  const key = (record: T): string | number => Object(record)[page.sortBy];
  const compare = (a: T, b: T): number => (key(a) < key(b) ? -1 : Number(key(a) > key(b)));
  const sorted = [...records].sort((a, b) => compare(a, b) * (page.sortDir === 'desc' ? -1 : 1));
  const shown = sorted.slice(page.offset, page.offset + page.limit);
  const [last] = shown.slice(-1);
  const pg = { ...page, last: last ? String(key(last)) : '', showLast: false };
  return { shown: shown.map((record) => pick(record, columns)), pg };
}

function require<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw notFound(what);
  return found;
}

function byId<T extends { readonly id: number }>(rows: readonly T[], id: number, what: string): T {
  return require(rows.find((row) => row.id === id), what);
}

function assertKnown(name: string, rows: readonly { readonly id: number }[], id: number | undefined): void {
  if (id !== undefined && !rows.some((row) => row.id === id)) {
    throw badRequest([invalidParameter(name, 'must be known')]);
  }
}

/** A backend in memory with every operation of organizations, users, teams, keys and subscriptions. */
export function createMemoryBackend(seeded: readonly SeededUser[]): RestBackend {
  let lastId = seeded.length;
  let organizations = [newOrganization(1, 'Acme')];
  let members: Member[] = [];
  let teams: Team[] = [];
  let spaces: ReturnType<typeof newSpace>[] = [];
  let teamMembers: { userId: number; teamId: number; usersRoleId: number }[] = [];
  let keys: Key[] = [];
  const subscriptions = new Map<number, ReturnType<typeof newSubscription>>();
  const users = seeded.map(({ name, isAdministrator }, index) =>
    newUser(index + 1, name, `${name}@example.com`, isAdministrator),
  );
  const seededTokens = seeded.map(({ token }, index) => ({ token, userId: index + 1, scope: SCOPES }));
  let tokens = seededTokens.map((it) => ({ ...it, label: 'seed', created: START }));
  for (const [index, { role }] of seeded.entries()) if (role) join(1, index + 1, roleId(role));

  function join(organizationId: number, userId: number, usersRoleId: number): Member {
    const member = newMember(organizationId, userId, usersRoleId, null);
    members.push(member);
    spaces.push(newSpace(++lastId, organizationId, byId(users, userId, 'User')));
    return member;
  }

  function addOrganization(
    ownerId: number,
    { name, license, ...place }: { name: string; license?: License; regionId?: number } & Partial<Place>,
  ) {
    assertKnown('regionId', REGIONS, place.regionId);
    assertPlace(place);
    const organization = { ...newOrganization(++lastId, name, license), ...place };
    organizations.push(organization);
    const userOrganizationRole = join(organization.id, ownerId, roleId('owner'));
    return { organization: shown(organization), userOrganizationRole };
  }

  function assertPlace({ countryId, timezoneId }: Partial<Place>): void {
    assertKnown('countryId', COUNTRIES, countryId);
    assertKnown('timezoneId', TIMEZONES, timezoneId);
  }

  function removeOrganization(organizationId: number) {
    byId(organizations, organizationId, 'Organization');
    for (const team of teams.filter((it) => it.organizationId === organizationId)) removeTeam(team.id);
    organizations = organizations.filter(({ id }) => id !== organizationId);
    members = members.filter((it) => it.organizationId !== organizationId);
    spaces = spaces.filter((it) => it.organizationId !== organizationId);
    subscriptions.delete(organizationId);
    return { organization: organizationId };
  }

  function removeTeam(teamId: number): void {
    teams = teams.filter(({ id }) => id !== teamId);
    keys = keys.filter((key) => key.teamId !== teamId);
    teamMembers = teamMembers.filter((it) => it.teamId !== teamId);
  }

  function shown(organization: Organization) {
    const own = teams.filter((it) => it.organizationId === organization.id);
    return { ...organization, teams: own.map(({ id, name }) => ({ id, name })) };
  }

  function person(userId: number) {
    const roles = teamMembers.filter((it) => it.userId === userId);
    const userOrganizationRoles = members.filter((it) => it.userId === userId);
    const userTeamRoles = roles.map((role) => ({ ...role, changeable: true }));
    const userTeamIds = roles.map(({ teamId }) => teamId);
    const user = byId(users, userId, 'User');
    return { ...user, userTeamIds, privateSpace: null, userOrganizationRoles, userTeamRoles };
  }

  /** Roles of a user in an organization. Those of open invitations do not count. */
  function rolesIn(organizationId: number, userId: number): readonly number[] {
    const own = members.filter((it) => it.organizationId === organizationId && it.userId === userId);
    return own.filter(({ invitation }) => invitation === null).map(({ usersRoleId }) => usersRoleId);
  }

  function permissions(roleIds: readonly number[]): readonly string[] {
    return ROLES.filter(({ id }) => roleIds.includes(id)).flatMap((role) => role.permissions);
  }

  function invitation(hash: string): Member {
    return require(members.find((it) => it.invitation === hash), 'Invitation');
  }

  function subscription(organizationId: number): ReturnType<typeof newSubscription> {
    return require(subscriptions.get(organizationId), 'Subscription');
  }

  /** Checks that the user may change a key. */
  function ownKey(keyId: number, userId: number): Key {
    const key = byId(keys, keyId, 'Key');
    if (key.visibility === 'locked' && key.authorId !== userId) throw forbidden();
    return key;
  }

  return {
    async identify({ token }) {
      const found = tokens.find((it) => it.token === token);
      if (!found) return undefined;
      const { userId, scope: scopes } = found;
      const isAdministrator = byId(users, userId, 'User').usersAdminsRoleId !== null;
      return { userId, scopes, isAdministrator, authUsed: 'token', data: undefined };
    },

    async findSubject({ kind, id, caller }) {
      const teamId = kind === 'key' ? keys.find((key) => key.id === id)?.teamId : id;
      const team = [...teams, ...spaces].find((it) => it.id === teamId);
      const organizationId = kind === 'organization' ? id : team?.organizationId;
      if (organizationId === undefined || !organizations.some((it) => it.id === organizationId))
        return undefined;
      const own = teamMembers.filter((it) => it.userId === caller.userId && it.teamId === team?.id);
      const inTeam = kind === 'organization' ? [] : own.map(({ usersRoleId }) => usersRoleId);
      return { roleIds: [...rolesIn(organizationId, caller.userId), ...inTeam], data: undefined };
    },

    operations: {
      ping: async () => 'pong',

      listOrganizations: async ({ caller, columns, page }) => {
        const own = organizations.filter(({ id }) => rolesIn(id, caller.userId).length > 0);
        const { shown: found, pg } = paged(own.map(shown), page, columns);
        return { organizations: found, pg };
      },
      createOrganization: async ({ body, caller }) => addOrganization(caller.userId, body),
      getOrganization: async ({ params, columns }) => ({
        organization: pick(shown(byId(organizations, params.organizationId, 'Organization')), columns),
      }),
      updateOrganization: async ({ params, body }) => {
        assertPlace(body);
        const organization = byId(organizations, params.organizationId, 'Organization');
        return { organization: shown(Object.assign(organization, body)) };
      },
      deleteOrganization: async ({ params }) => removeOrganization(params.organizationId),
      listInstalledApps: async () => ({ installedApps: [] }),
      listPayments: async () => ({ payments: [] }),

      listInstanceOrganizations: async ({ query, columns, page }) => {
        const { id, name } = query;
        const found = organizations.filter((it) => (id ?? it.id) === it.id && (name ?? it.name) === it.name);
        const { shown: records, pg } = paged(found.map(shown), page, columns);
        return { organizations: records, pg };
      },
      createInstanceOrganization: async ({ body, caller }) => {
        const { userOrgAdmin = caller.userId, ...rest } = body;
        assertKnown('userOrgAdmin', users, userOrgAdmin);
        return { organization: addOrganization(userOrgAdmin, rest).organization };
      },
      updateInstanceOrganization: async ({ params, body }) => {
        const { performReset: _, ...change } = body;
        assertPlace(change);
        const organization = byId(organizations, params.organizationId, 'Organization');
        return { organization: shown(Object.assign(organization, change)) };
      },
      deleteInstanceOrganization: async ({ params }) => removeOrganization(params.organizationId),
      getDefaultLicense: async () => ({ license: LICENSE }),
      listInstanceUsers: async ({ columns, page }) => {
        const { shown: found, pg } = paged(
          users.map(({ id }) => person(id)),
          page,
          columns,
        );
        return { users: found, pg };
      },
      listInstanceApps: async () => ({ apps: [] }),
      getInstanceApp: () => Promise.reject(notFound('App')),

      getSubscription: async ({ params }) => {
        const { priceId, nextBill, ...pause } = subscription(params.organizationId);
        const product = { id: 1, name: 'Core', nextBill, price: byId(PRICES, priceId, 'Price') };
        return { product, ...pause, isSubscriptionPaused: false };
      },
      createSubscription: async ({ params, body, addresses, nowMs }) => {
        assertKnown('priceId', PRICES, body.priceId);
        const nextBill = new Date(nowMs + 30 * DAY_MS).toISOString();
        subscriptions.set(params.organizationId, newSubscription(body.priceId, nextBill));
        return { sessionId: ++lastId, subscriptionId: lastId, url: `${addresses.origin}/checkout` };
      },
      changeSubscription: async ({ params, body }) => {
        assertKnown('priceId', PRICES, body.priceId);
        subscription(params.organizationId).priceId = body.priceId;
        return OK;
      },
      cancelSubscription: async ({ params }) => {
        subscription(params.organizationId);
        subscriptions.delete(params.organizationId);
        return OK;
      },
      pauseSubscription: async ({ params, body }) => {
        const paused = subscription(params.organizationId);
        if (Date.parse(body.resumeAt) <= Date.parse(paused.nextBill)) {
          throw badRequest([invalidParameter('resumeAt', 'must be after the next bill')]);
        }
        Object.assign(paused, { pauseStartsAt: paused.nextBill, pauseEndsAt: body.resumeAt });
        return OK;
      },
      unpauseSubscription: async ({ params }) => {
        const paused = subscription(params.organizationId);
        if (paused.pauseStartsAt === null) {
          throw refused('IM016', { message: 'Forbidden', detail: 'The subscription is not paused.' });
        }
        Object.assign(paused, { pauseStartsAt: null, pauseEndsAt: null });
        return OK;
      },

      inviteUser: async ({ params, body, caller }) => {
        const { usersRoleId, name } = body;
        assertKnown('usersRoleId', ROLES, usersRoleId);
        const held = permissions(rolesIn(params.organizationId, caller.userId));
        if (permissions([usersRoleId]).some((it) => !held.includes(it))) throw forbidden();
        const email = body.email.toLowerCase();
        const known = users.find((user) => user.email === email);
        const user = known ?? newUser(++lastId, name, email);
        if (!known) users.push(user);
        const invited = newMember(params.organizationId, user.id, usersRoleId, randomUUID());
        members.push(invited);
        return { user: person(user.id), userOrganizationRole: invited };
      },
      listOwnInvitations: async ({ caller }) => ({
        userOrganizationInvitations: members.flatMap(({ userId, invitation: hash, ...rest }) => {
          if (userId !== caller.userId || hash === null) return [];
          const { name, zone } = byId(organizations, rest.organizationId, 'Organization');
          return [{ ...rest, hash, invitation: 'pending', organizationName: name, zone }];
        }),
      }),
      getInvitation: async ({ query }) => {
        const open = invitation(query.hash);
        const { id, name } = byId(organizations, open.organizationId, 'Organization');
        const user = person(open.userId);
        return { organization: { id, name }, user, userOrganizationRole: open };
      },
      acceptInvitation: async ({ body, caller }) => {
        const open = invitation(body.hash);
        if (open.userId !== caller.userId) throw forbidden();
        members = members.filter((it) => it !== open);
        const role = join(open.organizationId, caller.userId, open.usersRoleId);
        return { user: person(caller.userId), userOrganizationRole: role };
      },

      getMe: async ({ caller, columns }) => ({ authUser: pick(person(caller.userId), columns) }),
      getCurrentAuthorization: async ({ caller }) => ({
        authorization: { authUsed: caller.authUsed, scope: [...caller.scopes] },
      }),
      listApiTokens: async ({ caller }) => {
        const own = tokens.filter(({ userId }) => userId === caller.userId);
        return { apiTokens: own.map((it) => ({ ...it, token: it.token.slice(0, 4) })) };
      },
      createApiToken: async ({ body, caller, nowMs }) => {
        const held = [...caller.scopes];
        if (body.scope.some((scope) => !held.includes(scope))) throw forbidden();
        const { label, scope } = body;
        const apiToken = {
          label,
          scope: [...scope],
          token: randomUUID(),
          created: new Date(nowMs).toISOString(),
        };
        tokens.push({ ...apiToken, userId: caller.userId });
        return { apiToken };
      },
      deleteApiToken: async ({ params: { timestamp }, caller }) => {
        const own = tokens.find((it) => it.userId === caller.userId && it.created === timestamp);
        require(own, 'API token');
        tokens = tokens.filter((it) => it !== own);
        return { apiToken: timestamp };
      },
      listRoles: async ({ query }) => ({
        usersRoles: ROLES.filter(({ category }) => category === (query.category ?? category)),
      }),
      getRole: async ({ params }) => ({ usersRole: byId(ROLES, params.roleId, 'Role') }),

      listTeams: async ({ query, columns, page }) => {
        const found = teams.filter(({ organizationId }) => organizationId === query.organizationId);
        const { shown: records, pg } = paged(found, page, columns);
        return { teams: records, pg };
      },
      createTeam: async ({ body, caller }) => {
        const { name, organizationId } = body;
        const team = newTeam(++lastId, name, organizationId);
        teams.push(team);
        const role = { userId: caller.userId, teamId: team.id, usersRoleId: roleId('team_admin') };
        teamMembers.push(role);
        const userTeamRole = { ...role, changeable: true, ssoPending: false };
        return { team: { id: team.id, name, organizationId }, userTeamRole };
      },
      getTeam: async ({ params, columns }) => ({ team: pick(byId(teams, params.teamId, 'Team'), columns) }),
      deleteTeam: async ({ params, query }) => {
        if (!query.confirmed) throw confirmationRequired('Send confirmed=true to delete the team.');
        removeTeam(params.teamId);
        return { team: params.teamId };
      },

      listPrivateSpaces: async ({ query, columns, page }) => {
        const found = spaces.filter(({ organizationId }) => organizationId === query.organizationId);
        const { shown: records, pg } = paged(found, page, columns);
        return { privateSpaces: records, pg };
      },
      getPrivateSpace: async ({ params, columns }) => ({
        privateSpace: pick(byId(spaces, params.privateSpaceId, 'Private space'), columns),
      }),
      updatePrivateSpace: async ({ params, body: { operationsLimit: limit } }) => {
        const space = byId(spaces, params.privateSpaceId, 'Private space');
        if (limit !== undefined) space.operationsLimit = limit === null ? null : Number(limit);
        return { privateSpace: space };
      },

      listKeys: async ({ query, columns }) => {
        const { teamId, typeName } = query;
        const found = keys.filter((it) => it.teamId === teamId && it.typeName === (typeName ?? it.typeName));
        return { keys: found.map((key) => pick(key, columns)) };
      },
      createKey: async ({ body, caller }) => {
        const type = KEY_TYPES.find(({ name }) => name === body.typeName);
        if (!type) throw badRequest([invalidParameter('typeName', 'must be known')]);
        const absent = type.parameters.filter(({ name }) => !Object.hasOwn(body.parameters, name));
        if (absent.length > 0)
          throw badRequest(absent.map(({ name }) => invalidParameter(name, 'must be set')));
        const key = newKey(++lastId, caller.userId, body);
        keys.push(key);
        return { key: writtenKey(key) };
      },
      listKeyTypes: async () => ({ keysTypes: KEY_TYPES }),
      getKey: async ({ params, columns }) => ({ key: pick(byId(keys, params.keyId, 'Key'), columns) }),
      updateKey: async ({ params, body, caller }) => {
        const key = ownKey(params.keyId, caller.userId);
        Object.assign(key, body, { parameters: { ...key.parameters, ...body.parameters } });
        return { key: writtenKey(key) };
      },
      deleteKey: async ({ params, query, caller }) => {
        const { id } = ownKey(params.keyId, caller.userId);
        if (!query.confirmed) throw confirmationRequired('Send confirmed=true to delete the key.');
        keys = keys.filter((key) => key.id !== id);
        return { key: id };
      },
      setKeyLocked: async ({ params, caller }) => {
        const key = ownKey(params.keyId, caller.userId);
        if (key.authorId !== caller.userId) throw forbidden();
        key.visibility = 'locked';
        return { key: { id: key.id, visibility: key.visibility } };
      },
      setKeyTeam: async ({ params, caller }) => {
        const key = ownKey(params.keyId, caller.userId);
        key.visibility = 'team';
        return { key: { id: key.id, visibility: key.visibility } };
      },

      listTimezones: async () => ({ timezones: TIMEZONES }),
      listCountries: async () => ({ countries: COUNTRIES }),
      listRegions: async () => ({ imtRegions: REGIONS }),
      listZones: async () => ({ imtZones: [{ id: 1, domain: 'eu1.example.com', name: 'EU' }] }),
      listOrganizationFeatures: async () => ({ organizationFeatures: [] }),
      listUserFeatures: async () => ({ userFeatures: [] }),
      listScopes: async () => ({ userApiTokenScopes: SCOPES.map((name) => ({ name })) }),
      listLocales: async () => ({ locales: [{ id: 1, name: 'English', code: 'en_US' }] }),
      listLanguages: async () => ({ languages: [{ code: 'en', name: 'English' }] }),
      listEmailNotifications: async () => ({ userEmailNotifications: [] }),
      listVariableTypes: async () => ({ variableTypes: [{ id: 1, name: 'number', teamOnly: false }] }),
      listReviewStatuses: async () => ({ reviewStatuses: [{ value: 'approved', label: 'Approved' }] }),
      listModuleTypes: async () => ({ moduleTypes: [{ id: 4, name: 'Action' }] }),
      listConnectedSystemApps: async () => ({ connectedSystemApps: [] }),
    },
  };
}
