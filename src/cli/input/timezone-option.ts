import { findZone } from '../../iml/date/zone.js';
import { usageError } from '../usage-error.js';

/** @throws EngineError (USAGE) for a name that is not in the tz database */
export function readTimezone(text: string | undefined): string | undefined {
  if (text === undefined || findZone(text) !== undefined) return text;
  throw usageError(`--timezone: "${text}" is no timezone, such as Europe/Prague.`);
}
