import { createRequire } from 'node:module';
import type moment from 'moment-timezone';

let loaded: typeof moment | undefined;

/**
 * Target of `#moment` in Node. Loads moment lazily, because its timezone data is large and most runs need no timezone.
 * Uses `require`, because expressions are synchronous.
 */
export function loadMoment(): typeof moment {
  loaded ??= createRequire(import.meta.url)('#moment-timezone') as typeof moment;
  return loaded;
}
