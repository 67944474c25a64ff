import {
  ANY_LIST,
  ANY_TEXT,
  checkOptions,
  type OptionShapes,
  TEXT_LIST,
  wholeNumber,
} from '../shared/errors/check-options.js';
import { type ApiScope, SCOPE_NAMES } from './call/access.js';
import { addToken } from './resources/api-tokens.js';
import { createOrganization } from './resources/organization-life.js';
import { addUser } from './resources/users.js';
import type { RestServices } from './services/services.js';
import type { UserRow } from './store/tables.js';

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

/** An app of an instance, with the organizations that have installed it. */
export interface RegisteredApp {
  readonly name: string;
  readonly label: string;
  readonly version: number;
  /** Default 0. */
  readonly premiumTier?: number | undefined;
  /** Ids of organizations. Default: none. */
  readonly installedIn?: readonly number[] | undefined;
}

const SHAPES: OptionShapes<RegisteredApp> = {
  name: ANY_TEXT,
  label: ANY_TEXT,
  version: wholeNumber(0),
  premiumTier: wholeNumber(0),
  installedIn: ANY_LIST,
};

/**
 * Registers apps of an instance, so that `GET /admin/apps` and `GET /organizations/{organizationId}/apps` list them.
 * Updates an app that is registered already. The owner of an organization counts as the user who installed it.
 */
export async function registerApps(
  { store, clock }: Pick<RestServices, 'store' | 'clock'>,
  apps: readonly RegisteredApp[],
): Promise<void> {
  for (const app of apps) {
    checkOptions(app, SHAPES, 'An app of registerApps', ['name', 'label', 'version']);
  }
  await store.transaction(async (writer) => {
    for (const { name, label, version, premiumTier = 0, installedIn = [] } of apps) {
      const row = { name, label, version, premiumTier };
      if ((await writer.update('apps', { name }, row)) === 0) await writer.insert('apps', row);
      for (const organizationId of installedIn) {
        const installation = { organizationId, appName: name };
        const changed = await writer.update('installedApps', installation, { appVersion: version });
        if (changed > 0) continue;
        const [first] = await writer.find('memberships', {
          where: { organizationId },
          sortBy: 'id',
          limit: 1,
        });
        if (first === undefined) continue;
        await writer.insert('installedApps', {
          ...installation,
          appVersion: version,
          installedAt: clock.now(),
          installedBy: first.userId,
        });
      }
    }
  });
}
