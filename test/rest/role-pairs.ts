import { ROLES, type Role } from '../../src/rest/call/roles.js';

/** Which role may give which, by identifier. Everything that is not here is refused. */
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
