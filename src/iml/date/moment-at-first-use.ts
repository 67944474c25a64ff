import { createRequire } from 'node:module';
import type moment from 'moment-timezone';

let loaded: typeof moment | undefined;

/**
 * What `#moment` is in Node: its data take longer to read than a short run, and most runs name no zone. Only `require`
 * loads without waiting, which expressions cannot.
 */
export function loadMoment(): typeof moment {
  loaded ??= createRequire(import.meta.url)('#moment-timezone') as typeof moment;
  return loaded;
}
