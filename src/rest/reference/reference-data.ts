import { badRequest, invalidParameter } from '../problems.js';
import type { ZoneDirectory } from '../services/ports.js';
import { COUNTRIES } from './countries.js';
import { TIMEZONES } from './timezones.js';

export interface ReferencedIds {
  readonly countryId?: number | undefined;
  readonly timezoneId?: number | undefined;
  readonly regionId?: number | undefined;
}

/**
 * Checks that ids are in the lists of the API. Source: https://developers.make.com/api-documentation (Organizations,
 * rule 4). [seed]
 * @throws RestError 400 `SC400`
 */
export function assertReferences(ids: ReferencedIds, zones: ZoneDirectory): void {
  const lists = [
    ['countryId', ids.countryId, COUNTRIES, '/enums/countries'],
    ['timezoneId', ids.timezoneId, TIMEZONES, '/enums/timezones'],
    ['regionId', ids.regionId, zones.regions, '/enums/imt-regions'],
  ] as const;
  const problems = lists
    .filter(([, id, entries]) => id !== undefined && !entries.some((entry) => entry.id === id))
    .map(([name, , , path]) => invalidParameter(name, `must be an id of ${path}`));
  if (problems.length > 0) throw badRequest(problems);
}
