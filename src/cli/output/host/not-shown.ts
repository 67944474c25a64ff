import { isPlainObject, ownMember, type PlainObject } from '../../../util/plain-object.js';

/** Replaces content whose secrets are unknown or too many. */
export const NOT_SHOWN = '[not shown: it may hold secrets of a hook that is gone, or too many]';

/** Members of an error that contain no input data. */
const OPEN_MEMBERS: readonly string[] = ['name', 'type', 'code', 'statusCode', 'phase', 'place'];

/** A stored error without its messages. */
export function withoutTexts(error: unknown): unknown {
  if (!isPlainObject(error)) return error === null ? null : NOT_SHOWN;
  const open = OPEN_MEMBERS.filter((name) => Object.hasOwn(error, name));
  const shown: PlainObject = Object.fromEntries(open.map((name) => [name, ownMember(error, name)]));
  return { ...shown, message: NOT_SHOWN };
}
