import { ROLES } from '../../src/rest/index.js';

type Role = (typeof ROLES)[number];

/** The roles that each role may grant, by identifier. All others are refused. */
export const GIVES: Readonly<Record<string, readonly string[]>> = {
  owner: ['owner', 'admin', 'member', 'accountant', 'app_developer', 'guest'],
  admin: ['admin', 'member', 'app_developer', 'guest'],
};

export const PAIRS: readonly (readonly [Role, Role])[] = ROLES.flatMap((giver) =>
  ROLES.map((given) => [giver, given] as const),
);
export function gives(giver: Role, given: Role): boolean {
  return GIVES[giver.identifier]?.includes(given.identifier) ?? false;
}

export const title = ([giver, given]: readonly [Role, Role]): string =>
  `${giver.identifier} to ${given.identifier}`;
