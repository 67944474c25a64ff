import { FEATURES, hasFeature } from '../organizations/organization-life.js';
import { featureDisabled, forbidden } from '../problems.js';
import type { KeySubject, TeamSubject } from '../services/locate.js';
import { isAllowed } from '../services/locate.js';
import type { KeyRow, RestReader } from '../store/tables.js';

/**
 * Access rules of keys. Source: https://developers.make.com/api-documentation (States and transitions, Errors).
 * [seed]
 */

/**
 * A new key may be locked if the organization has the feature; an existing one only by its author.
 * @throws RestError 400 `IM903`, 403 `SC403`
 */
export function assertLockable(subject: TeamSubject | KeySubject, userId?: number): void {
  assertFeature(subject);
  if ('key' in subject && (subject.key.authorId === null || subject.key.authorId !== userId)) {
    throw forbidden('Only the author of a key can lock it.');
  }
}

/**
 * An admin of a locked key may unlock it; every user who may edit an unlocked key may unlock it.
 * @throws RestError 400 `IM903`, 403 `SC403`
 */
export function assertUnlockable(subject: KeySubject, isAdmin: boolean): void {
  assertFeature(subject);
  const allowed = subject.key.visibility === 'locked' ? isAdmin : isAllowed(subject, 'key edit');
  if (!allowed) throw forbidden();
}

/** Only its admins may change and delete a locked key. [inf] */
export async function assertMayChange(reader: RestReader, key: KeyRow, userId: number): Promise<void> {
  if (key.visibility === 'locked' && !(await isKeyAdmin(reader, key, userId))) throw forbidden();
}

export async function isKeyAdmin(reader: RestReader, key: KeyRow, userId: number): Promise<boolean> {
  return (await reader.get('keyAdmins', { keyId: key.id, userId })) !== undefined;
}

function assertFeature({ organization }: TeamSubject): void {
  if (!hasFeature(organization, FEATURES.lockedKeys)) throw featureDisabled('Locked connections');
}
