import { nameKey, type RestWriter, type UserRow } from '../store/tables.js';

/** Input of `addUser`; other members have defaults. */
export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly usersAdminsRoleId: number | null;
}

/** Adds a user with default settings. */
export function addUser(
  writer: RestWriter,
  { name, email, usersAdminsRoleId }: NewUser,
  nowMs: number,
): Promise<UserRow> {
  return writer.insert('users', {
    name,
    nameKey: nameKey(name),
    email: email.toLowerCase(),
    language: 'en',
    timezoneId: DEFAULT_TIMEZONE_ID,
    localeId: 1,
    countryId: DEFAULT_COUNTRY_ID,
    features: { allow_apps: true },
    avatar: 'https://www.gravatar.com/avatar/00000000000000000000000000000000?d=mp',
    lastLogin: null,
    tfaStatus: null,
    usersAdminsRoleId,
    createdAt: nowMs,
    deleted: false,
  });
}

/** Europe/Prague and Czechia, the home of the platform. [inf] */
const DEFAULT_TIMEZONE_ID = 113;
const DEFAULT_COUNTRY_ID = 64;
