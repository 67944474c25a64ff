import { ANY_TEXT, checkOptions, type OptionShapes, TEXT_LIST } from '../shared/errors/check-options.js';
import { type ApiScope, SCOPE_NAMES } from './call/scopes.js';
import { createOrganization } from './organizations/organization-life.js';
import type { RestServices } from './services/services.js';
import type { UserRow } from './store/tables.js';
import { addUser } from './users/add-user.js';
import { addToken } from './users/api-tokens.js';

/** Role of the first administrator of an instance. [inf] */
const ADMINISTRATOR_ROLE_ID = 1;

/** The first administrator of an instance. */
export interface FirstUser {
  readonly name: string;
  readonly email: string;
}

const FIRST_USER: OptionShapes<FirstUser> = { name: ANY_TEXT, email: ANY_TEXT };

/**
 * Creates the first administrator with an organization and a token of all scopes. Returns the token, or undefined if
 * there are users already: of nodes that start together, one gets it.
 */
export async function bootstrap(services: RestServices, first: FirstUser): Promise<string | undefined> {
  checkOptions(first, FIRST_USER, 'The first user of bootstrap', ['name', 'email']);
  const nowMs = services.clock.now();
  const token = services.uuid();
  return services.store.transaction(async (writer) => {
    if ((await writer.count('users')) > 0) return undefined;
    const user = await addUser(writer, { ...first, usersAdminsRoleId: ADMINISTRATOR_ROLE_ID }, nowMs);
    const { countryId, timezoneId } = user;
    const { defaultLicense: license } = services.settings;
    const zone = services.zones.current;
    const name = 'My Organization';
    await createOrganization(services, writer, {
      name,
      zone,
      license,
      ownerId: user.id,
      countryId,
      timezoneId,
      nowMs,
    });
    await addToken(writer, { userId: user.id, label: 'first token', scopes: SCOPE_NAMES, token, nowMs });
    return token;
  });
}

/** Input of `makeToken`. */
export interface TokenWish {
  /** Email address of the user. Default: the first administrator. */
  readonly email: string | undefined;
  readonly label: string;
  readonly scopes: readonly ApiScope[];
}

const WISH: OptionShapes<TokenWish> = { email: ANY_TEXT, label: ANY_TEXT, scopes: TEXT_LIST };

/** Creates another token. Returns undefined if the user does not exist. */
export async function makeToken(services: RestServices, wish: TokenWish): Promise<string | undefined> {
  checkOptions(wish, WISH, 'The token of makeToken', ['label', 'scopes']);
  const nowMs = services.clock.now();
  const token = services.uuid();
  const { email, label, scopes } = wish;
  return services.store.transaction(async (writer) => {
    const admins = await writer.find('users', {
      where: { usersAdminsRoleId: ADMINISTRATOR_ROLE_ID },
      limit: 1,
    });
    const user: UserRow | undefined =
      email === undefined ? admins[0] : await writer.get('users', { email: email.toLowerCase() });
    if (!user) return undefined;
    await addToken(writer, { userId: user.id, label, scopes, token, nowMs });
    return token;
  });
}
