import moment from 'moment-timezone';

/** What `#moment` is in browsers and in bundles, which can load nothing later that an expression could not wait for. */
export function loadMoment(): typeof moment {
  return moment;
}
