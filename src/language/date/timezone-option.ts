import type { OptionShape } from '../../shared/errors/check-options.js';
import { findZone } from './zone.js';

/** An option that names a timezone. */
export const TIMEZONE: OptionShape = {
  expected: 'a timezone of the tz database, such as Europe/Prague',
  fits: (value) => typeof value === 'string' && findZone(value) !== undefined,
};
