import { nodeDigest } from './digest.js';
import type { Environment, Semantics } from './environment.js';

/** What expressions read besides their scope; every field has a default. */
export interface EnvironmentOptions {
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
  /** A number from 0 to below 1. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** An RFC 4122 version 4 text. Default: `crypto.randomUUID`. */
  readonly uuid?: (() => string) | undefined;
  /** Scenario timezone, a tz database name. Default: `UTC`. */
  readonly timezone?: string | undefined;
  /** `runtime` (default): as Make runs expressions; `documented`: as its documentation says. */
  readonly semantics?: Semantics | undefined;
  /** 2 (default), or 1 for apps in which a missing value shows as null. */
  readonly platformVersion?: 1 | 2 | undefined;
  /** Hashes for md5, sha1, sha256 and sha512. Default: Node's; elsewhere it has to be given. */
  readonly digest?: Environment['digest'] | undefined;
}

/** All defaults: whoever gives this object gets the same environment each time. */
export const NO_OPTIONS: EnvironmentOptions = Object.freeze({});

/** The environment that options describe, defaults filled in. */
export function toEnvironment(options: EnvironmentOptions): Environment {
  return options === NO_OPTIONS ? DEFAULT_ENVIRONMENT : createEnvironment(options);
}

const DEFAULT_ENVIRONMENT: Environment = Object.freeze(createEnvironment(NO_OPTIONS));

function createEnvironment(options: EnvironmentOptions): Environment {
  const { now, random, uuid } = options;
  return {
    now: now ?? (() => Date.now()),
    random: random ?? (() => Math.random()),
    uuid: uuid ?? (() => globalThis.crypto.randomUUID()),
    timezone: options.timezone ?? 'UTC',
    semantics: options.semantics ?? 'runtime',
    platformVersion: options.platformVersion ?? 2,
    digest: options.digest ?? nodeDigest,
  };
}
