import { EngineError } from '../../shared/errors/engine-error.js';
import { flag, integer, object, type Schema, text } from '../../shared/schema/build.js';
import { compileSchema } from '../../shared/schema/compile-schema.js';
import { didYouMean } from '../../shared/suggest.js';
import type { FeatureControl, License } from '../store/rows.js';
import { DEFAULT_LICENSE, LICENSE_SCHEMA, licenseProblem } from './license.js';

/** Names of the features of an organization. [inf] */
export const FEATURES: { readonly lockedKeys: 'lockedConnections'; readonly privateSpaces: 'privateSpaces' } =
  Object.freeze({ lockedKeys: 'lockedConnections', privateSpaces: 'privateSpaces' });

interface FeatureSwitches {
  readonly lockedConnections?: boolean;
  readonly privateSpaces?: boolean;
}

/** Rules of an instance, as `createStoreBackend` and the file of `iml rest --settings` have them. */
export interface RestSettings {
  /** Features of new organizations by name. Default: all are on. */
  readonly features?: FeatureSwitches | undefined;
  /** License of organizations that are created without one. */
  readonly defaultLicense?: License | undefined;
  /** Product of organizations without a subscription. Default `Free`. */
  readonly defaultProductName?: string | undefined;
  /** Makes a white-label instance: each license names this `productManagement`. Default: the public cloud. */
  readonly whiteLabel?: { readonly productManagement: string } | undefined;
  /** How long the zones need to know a new organization. Default 0. */
  readonly syncDelayMs?: number | undefined;
  /** Default: 14 days. */
  readonly invitationLifetimeMs?: number | undefined;
}

/** The settings of an instance with their defaults. */
export interface InstanceSettings {
  readonly defaultLicense: License;
  readonly defaultProductName: string;
  readonly defaultFeatures: readonly FeatureControl[];
  /** Whether this is the public cloud; else it is a white-label instance. */
  readonly publicCloud: boolean;
  /** The one value `license.productManagement` may have. */
  readonly productManagement: string;
  readonly syncDelayMs: number;
  readonly invitationLifetimeMs: number;
}

const CLOSED = { additionalProperties: false } as const;
const DURATION = integer({ minimum: 0 });
const FOURTEEN_DAYS_MS = 14 * 24 * 60 * 60 * 1000;

/** The schema of each setting. Unknown members are refused. */
export const SETTING_SCHEMAS: {
  readonly [K in keyof RestSettings]-?: Schema<Exclude<RestSettings[K], undefined>>;
} = {
  features: object({}, { lockedConnections: flag(), privateSpaces: flag() }, CLOSED),
  defaultLicense: LICENSE_SCHEMA,
  defaultProductName: text({ minLength: 1 }),
  whiteLabel: object({ productManagement: text({ minLength: 1, maxLength: 64 }) }, {}, CLOSED),
  syncDelayMs: DURATION,
  invitationLifetimeMs: DURATION,
};

const SETTINGS_SCHEMA = object({}, SETTING_SCHEMAS, CLOSED);

/**
 * Checks settings against a schema.
 *
 * @param what name of the settings in messages: `The settings of createStoreBackend`
 * @throws EngineError (USAGE) with the name of the member that does not fit
 */
export function assertSettings(value: unknown, schema: Schema<unknown>, what: string): void {
  const [problem] = compileSchema(schema)(value);
  if (problem === undefined) return;
  const { path, message, unknown } = problem;
  const member = path.length === 0 ? what : `${what}: "${path.join('.')}"`;
  const hint = unknown === undefined ? '' : didYouMean(unknown.name, unknown.known);
  throw new EngineError('USAGE', `${member} ${message}.${hint}`);
}

/**
 * Checks the settings of an instance and adds the defaults.
 *
 * @throws EngineError (USAGE) with the name of the member that does not fit
 */
export function completeSettings(given: RestSettings, what: string): InstanceSettings {
  assertSettings(given, SETTINGS_SCHEMA, what);
  const { features, defaultLicense, defaultProductName = 'Free', whiteLabel } = given;
  const { syncDelayMs = 0, invitationLifetimeMs = FOURTEEN_DAYS_MS } = given;
  const publicCloud = whiteLabel === undefined;
  const { productManagement } = whiteLabel ?? { productManagement: 'selfService' };
  const license = { productManagement, ...(defaultLicense ?? DEFAULT_LICENSE) };
  const problem = licenseProblem(license, { publicCloud, productManagement });
  if (problem !== undefined) throw new EngineError('USAGE', `${what}: "defaultLicense": ${problem}`);
  return {
    defaultLicense: license,
    defaultProductName,
    defaultFeatures: Object.values(FEATURES).map((name) => ({ name, enabled: features?.[name] ?? true })),
    publicCloud,
    productManagement,
    syncDelayMs,
    invitationLifetimeMs,
  };
}
