import { nameKey, type RestWriter, type UserRow } from '../store/tables.js';

/** What an account is made of; the rest is what everybody starts with. */
export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly usersAdminsRoleId: number | null;
}

/** Adds an account with the settings everybody starts with. */
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

/** Europe/Prague and Czechia, where the service comes from. [inf] */
const DEFAULT_TIMEZONE_ID = 113;
const DEFAULT_COUNTRY_ID = 64;
