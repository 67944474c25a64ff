import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createLocalBilling, type LocalCoupon } from '../../../rest/billing/billing.js';
import type { RegisteredApp } from '../../../rest/bootstrap.js';
import type { StoreBackendOptions } from '../../../rest/create-store-backend.js';
import { LICENSE_SCHEMA } from '../../../rest/services/license.js';
import type { Price } from '../../../rest/services/ports.js';
import type { License } from '../../../rest/store/tables.js';
import type { PlainObject } from '../../../shared/plain-object.js';
import { readErrno } from '../../../shared/read-regular-file.js';
import {
  flag,
  freeForm,
  integer,
  list,
  number,
  object,
  oneOf,
  type Schema,
  text,
} from '../../../shared/schema/build.js';
import { compileSchema } from '../../../shared/schema/compile-schema.js';
import { didYouMean } from '../../../shared/suggest.js';
import { readUnquoted } from '../../check/read-unquoted.js';
import type { Io } from '../io.js';
import { usageError } from '../usage-error.js';

/** The content of the `--settings` file. */
export interface RestConfig {
  readonly prices?: readonly Price[] | undefined;
  readonly coupons?: readonly LocalCoupon[] | undefined;
  /** Features of new organizations by name, such as `privateSpaces` and `lockedConnections`. */
  readonly features?: Readonly<Record<string, boolean>> | undefined;
  readonly defaultLicense?: License | undefined;
  readonly defaultProductName?: string | undefined;
  /** White-label instance; its licenses have this `productManagement`. */
  readonly whiteLabel?: { readonly productManagement: string } | undefined;
  /** Receives each notification as a POST request with JSON. */
  readonly notifications?: { readonly url: string } | undefined;
  /** Receives each access list as a POST request. A response other than 2xx is a 422 for the caller. */
  readonly accessLists?: { readonly url: string } | undefined;
  readonly apps?: readonly RegisteredApp[] | undefined;
}

const CLOSED = { additionalProperties: false } as const;
const ADDRESS = object(
  { url: text({ pattern: '^https?://', description: 'must be an http or https address' }) },
  {},
  CLOSED,
);

const CONFIG_SCHEMA: Schema<unknown> = object(
  {},
  {
    $schema: text(),
    prices: list(
      object(
        {
          id: integer({ minimum: 1 }),
          productId: integer({ minimum: 1 }),
          productName: text({ minLength: 1 }),
          amount: number({ minimum: 0 }),
          currencyCode: text({ pattern: '^[A-Z]{3}$', description: 'must be a currency code such as USD' }),
          period: oneOf(['month', 'year']),
          selfService: flag(),
          license: freeForm(),
        },
        {},
        CLOSED,
      ),
    ),
    coupons: list(
      object({ code: text({ minLength: 1 }), factor: number({ minimum: 0, maximum: 1 }) }, {}, CLOSED),
    ),
    features: freeForm({ additionalProperties: { type: 'boolean' } }),
    defaultLicense: LICENSE_SCHEMA,
    defaultProductName: text({ minLength: 1 }),
    whiteLabel: object({ productManagement: text({ minLength: 1, maxLength: 64 }) }, {}, CLOSED),
    notifications: ADDRESS,
    accessLists: ADDRESS,
    apps: list(
      object(
        { name: text({ minLength: 1 }), label: text({ minLength: 1 }), version: integer({ minimum: 1 }) },
        { premiumTier: integer({ minimum: 0 }), installedIn: list(integer({ minimum: 1 })) },
        CLOSED,
      ),
    ),
  },
  CLOSED,
);

/** Reads the file of `--settings`: JSON with comments. @throws EngineError (USAGE), SpecError (SPEC_JSON) */
export async function readRestConfig(file: string | undefined, io: Io): Promise<RestConfig> {
  if (file === undefined) return {};
  const written = await readFile(path.resolve(io.cwd, file), 'utf8').catch((error: unknown) => {
    throw usageError(`--settings: the file "${file}" cannot be read (${readErrno(error)}).`, error);
  });
  const { value } = readUnquoted(written, file);
  const [problem] = compileSchema(CONFIG_SCHEMA as PlainObject)(value);
  if (problem === undefined) return value as RestConfig;
  const { path: steps, message, unknown } = problem;
  const hint = unknown === undefined ? '' : didYouMean(unknown.name, unknown.known);
  throw usageError(`--settings: "${steps.join('.')}" of ${file} ${message}.${hint}`);
}

/** The options of an instance that a file of `--settings` stands for. */
export function toRestOptions(config: RestConfig): Partial<StoreBackendOptions> {
  const { prices, coupons, features, defaultLicense, defaultProductName, whiteLabel } = config;
  const { notifications, accessLists } = config;
  return {
    ...((prices !== undefined || coupons !== undefined) && {
      billing: createLocalBilling({ prices, coupons }),
    }),
    ...(notifications && { notifications: { notify: (it) => post('notification', notifications.url, it) } }),
    ...(accessLists && { accessLists: { provision: (it) => post('access list', accessLists.url, it) } }),
    settings: {
      ...(defaultLicense && { defaultLicense }),
      ...(defaultProductName !== undefined && { defaultProductName }),
      ...(whiteLabel && { publicCloud: false, productManagement: whiteLabel.productManagement }),
      ...(features && {
        defaultFeatures: Object.entries(features).map(([name, enabled]) => ({ name, enabled })),
      }),
    },
  };
}

const POST_TIMEOUT_MS = 10_000;

/** Rejects for a status other than 2xx. The URL may be secret, so messages do not contain it. */
async function post(what: string, url: string, body: unknown): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(POST_TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The ${what} was refused with status ${response.status}.`);
}
