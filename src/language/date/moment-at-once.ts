import moment from 'moment-timezone';

/** Target of `#moment` in browsers and bundles, which cannot load a module synchronously. */
export function loadMoment(): typeof moment {
  return moment;
}
