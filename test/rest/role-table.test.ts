import { describe, expect, it } from 'vitest';
import {
  allows,
  mayAnyInviterGive,
  mayGiveRole,
  OWNER_ROLE_ID,
  roleById,
  TEAM_ADMIN_ROLE_ID,
  TEAM_MEMBER_ROLE_ID,
} from '../../src/rest/call/access.js';
import { ROLES } from '../../src/rest/index.js';
import { GIVES, gives, PAIRS, title } from './role-pairs.js';

const KEYS = ['key view', 'key add', 'key edit', 'key delete'];
const ADMIN = [
  ...['organization view', 'organization edit', 'organization invite'],
  ...['team add', 'team delete', 'team view', 'personal team manage', 'personal team own view'],
  ...KEYS,
];

/** A second copy of the table: a change of permissions must be repeated here on purpose. */
const TABLE: readonly (readonly [id: number, name: string, category: string, may: readonly string[]])[] = [
  [1, 'Team Admin', 'team', ['team view', 'team delete', ...KEYS]],
  [2, 'Team Member', 'team', ['team view', ...KEYS]],
  [3, 'Team Monitoring', 'team', ['team view', 'key view']],
  [4, 'Team Operator', 'team', ['team view', 'key view']],
  [5, 'Team Restricted Member', 'team', ['team view', 'key view']],
  [11, 'Owner', 'organization', [...ADMIN, 'organization delete', 'organization billing']],
  [12, 'Admin', 'organization', ADMIN],
  [13, 'Member', 'organization', ['organization view', 'personal team own view']],
  [14, 'Accountant', 'organization', ['organization view', 'organization billing']],
  [15, 'App Developer', 'organization', ['organization view', 'personal team own view']],
  [16, 'Guest', 'organization', ['organization view']],
];

it.each(TABLE)('role %s, %s of an %s, has exactly the listed permissions', (id, name, category, may) => {
  expect(roleById(id)).toEqual({
    id,
    name,
    category,
    subsidiary: name !== 'Owner',
    managementType: 'system_locked',
    identifier: name.toLowerCase().replaceAll(' ', '_'),
    description: null,
    permissions: may,
  });
  const all = new Set(ROLES.flatMap(({ permissions }) => permissions));
  for (const permission of all) expect(allows(id, permission)).toBe(may.includes(permission));
});

it('there is no other role, and no permission without a role', () => {
  expect(ROLES.map(({ id }) => id)).toEqual(TABLE.map(([id]) => id));
  expect([TEAM_ADMIN_ROLE_ID, TEAM_MEMBER_ROLE_ID, OWNER_ROLE_ID]).toEqual([1, 2, 11]);
  expect(roleById(99)).toBeUndefined();
  expect(allows(undefined, 'organization view')).toBe(false);
  expect(allows(99, 'organization view')).toBe(false);
});

describe('the table of roles', () => {
  it('lists every role once', () => {
    expect(new Set(ROLES.map((it) => it.id)).size).toBe(ROLES.length);
    expect(new Set(ROLES.map((it) => it.identifier)).size).toBe(ROLES.length);
  });

  it.each(PAIRS.map((pair) => [title(pair), ...pair] as const))('%s', (_, giver, given) => {
    expect(mayGiveRole(giver.id, given.id)).toBe(gives(giver, given));
  });

  it('lets no role grant a permission that it lacks', () => {
    for (const [giver, given] of PAIRS.filter(([one, other]) => mayGiveRole(one.id, other.id))) {
      expect(given.permissions.filter((it) => !allows(giver.id, it))).toEqual([]);
    }
  });

  it('grants nothing without a role, and no unknown role', () => {
    expect(mayGiveRole(undefined, 16)).toBe(false);
    expect(mayGiveRole(11, 99)).toBe(false);
    expect(mayGiveRole(99, 16)).toBe(false);
  });

  it('gives an invitation without inviter the rights of the lowest inviting role', () => {
    const trusted = ROLES.filter((it) => mayAnyInviterGive(it.id)).map((it) => it.identifier);
    expect(trusted).toEqual(GIVES['admin']);
  });

  it('gives a creator of a team no additional rights: the team admin has no right that the creator lacks', () => {
    const admin = ROLES.find((it) => it.identifier === 'team_admin');
    for (const role of ROLES.filter((it) => allows(it.id, 'team add'))) {
      expect(admin?.permissions.filter((it) => !allows(role.id, it))).toEqual([]);
    }
  });
});
