import { flag, integer, named, object, oneOf, type Schema, text } from '../../shared/schema/build.js';
import { invalidParameter, missingParameter } from '../problems.js';
import type { License } from '../store/rows.js';
import { addUtcMonths } from '../store/subscription-state.js';

/** A whole number with bounds, as the table of the specification gives them. */
function bounded(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Schema<number> {
  return integer({ minimum, maximum });
}

/**
 * The license of an organization: 34 parameters with their bounds; other members are kept as they are.
 * Source: https://developers.make.com/white-label-documentation (White-label organization license). [seed]
 */
export const LICENSE_SCHEMA: Schema<License> = named(
  'License',
  object(
    {
      operations: bounded(0, 800_000_000),
      transfer: bounded(104_857_600, 1_099_511_627_776),
      dslimit: bounded(1, 1000),
      dsslimit: bounded(1, 2_306_867_200),
      interval: bounded(1, 15),
      fslimit: bounded(5_242_880, 1_048_576_000),
      iolimit: bounded(10, 10_000),
    },
    {
      restartPeriod: oneOf(['1 month', '1 year']),
      teams: bounded(1, 1000),
      retention: oneOf([7, 30, 60]),
      premiumApps: bounded(1, 10),
      priority: oneOf(['low', 'medium', 'high']),
      allowOverage: bounded(100, 200),
      apiLimit: bounded(0, 2000),
      fulltext: flag(),
      dedicatedSso: flag(),
      installPublicApps: flag(),
      creatingTemplates: flag(),
      scenarios: bounded(1, 1_000_000),
      dlqStorage: bounded(1, 2_097_152_000),
      executionTime: bounded(5, 45),
      customVariables: flag(),
      customFunctions: flag(),
      productManagement: text({ minLength: 1, maxLength: 64 }),
      gracePeriod: oneOf([0]),
      appslimit: bounded(0),
      onDemandScheduling: flag(),
      scenarioIO: flag(),
      customProperties: bounded(0),
      auditLogsDays: bounded(0),
      webhookLogRetentionDays: bounded(3, 30),
      dynamicDependencies: flag(),
      dynamicConnections: flag(),
      scenarioRelationTree: flag(),
    },
    // Licenses of the platform have further parameters. [app]
    { additionalProperties: true },
  ),
);

/** Values of absent parameters. Source: the same table. [seed] */
const LICENSE_DEFAULTS: License = Object.freeze({
  retention: 60,
  apiLimit: 0,
  customProperties: 100,
  auditLogsDays: 0,
  webhookLogRetentionDays: 3,
  dynamicDependencies: false,
  dynamicConnections: false,
  scenarioRelationTree: false,
});

/** High limits within all bounds, so that an instance does not stop its owner. [inf] */
export const DEFAULT_LICENSE: License = Object.freeze({
  ...LICENSE_DEFAULTS,
  restartPeriod: '1 month',
  operations: 1_000_000,
  transfer: 536_870_912_000,
  dslimit: 1000,
  dsslimit: 1_048_576_000,
  interval: 1,
  priority: 'medium',
  apiLimit: 1000,
  fulltext: true,
  installPublicApps: true,
  creatingTemplates: true,
  dlqStorage: 1_048_576_000,
  executionTime: 40,
  fslimit: 524_288_000,
  iolimit: 10_000,
  gracePeriod: 0,
  onDemandScheduling: true,
  scenarioIO: true,
});

/**
 * Maximum characters of a license as JSON; its known parameters take 1000. A list shows the licenses of 10,000
 * organizations. [choice]
 */
const MAX_LICENSE = 8192;

/** Settings that the rules of licenses depend on. */
interface LicenseRules {
  readonly productManagement: string;
  readonly publicCloud: boolean;
}

/**
 * The problem of a license that matches its schema. Source: https://developers.make.com/api-documentation
 * (dynamicConnections; productManagement: one value, required on the white-label platform). [seed]
 */
export function licenseProblem(license: License, rules: LicenseRules): string | undefined {
  if (license['dynamicConnections'] === true && license['dynamicDependencies'] !== true) {
    return invalidParameter('license.dynamicConnections', 'requires dynamicDependencies to be enabled');
  }
  if (JSON.stringify(license).length > MAX_LICENSE) {
    return invalidParameter('license', `must not have more than ${MAX_LICENSE} characters of JSON`);
  }
  const { productManagement = rules.publicCloud ? rules.productManagement : undefined } = license;
  if (productManagement === undefined) return missingParameter('license.productManagement');
  if (productManagement === rules.productManagement) return undefined;
  return invalidParameter('license.productManagement', `must be ${JSON.stringify(rules.productManagement)}`);
}

/** The stored form of a license, with the values of its absent parameters. */
export function completeLicense(
  license: License,
  { productManagement }: Pick<LicenseRules, 'productManagement'>,
): License {
  return { ...LICENSE_DEFAULTS, gracePeriod: 0, productManagement, ...license };
}

/** The time of the reset that follows one at `fromMs`. */
export function nextResetAfter(license: License, fromMs: number): number {
  return addUtcMonths(fromMs, license['restartPeriod'] === '1 year' ? 12 : 1);
}

/** Consumption of an organization since its last reset. */
export interface Consumption {
  readonly lastReset: number;
  readonly nextReset: number;
  /** Day and time of day of later resets: after February 28 the next reset is on the 31st again. */
  readonly resetAnchorAt: number | null;
  readonly operations: number;
  readonly transfer: number;
  readonly centicredits: number;
}

/** Maximum number of resets per call. With a clock that is further ahead, the current time becomes the last reset. */
const MAX_RESETS = 1200;

/** The columns of an organization that `consumptionAt` reads. */
export const CONSUMPTION_COLUMNS = [
  'lastReset',
  'nextReset',
  'resetAnchorAt',
  'operations',
  'transfer',
  'centicredits',
  'license',
] as const;

/** Consumption at a moment: it starts at 0 again with each reset. Pure, so that all nodes agree. */
export function consumptionAt(row: Consumption & { readonly license: License }, nowMs: number): Consumption {
  const { lastReset, nextReset, operations, transfer, centicredits, license } = row;
  const anchorAt = findAnchor(row);
  if (nowMs < nextReset) {
    return { lastReset, nextReset, resetAnchorAt: anchorAt, operations, transfer, centicredits };
  }
  const months = license['restartPeriod'] === '1 year' ? 12 : 1;
  const offset = countMonths(anchorAt, nextReset);
  const resetAt = (index: number): number => addUtcMonths(anchorAt, offset + index * months);
  let passed = 0;
  while (passed < MAX_RESETS && resetAt(passed + 1) <= nowMs) passed++;
  const none = { operations: 0, transfer: 0, centicredits: 0 };
  return passed < MAX_RESETS
    ? { lastReset: resetAt(passed), nextReset: resetAt(passed + 1), resetAnchorAt: anchorAt, ...none }
    : { lastReset: nowMs, nextReset: addUtcMonths(nowMs, months), resetAnchorAt: nowMs, ...none };
}

/** The stored anchor if it leads to the next reset, else that reset. */
function findAnchor({ resetAnchorAt, nextReset }: Pick<Consumption, 'resetAnchorAt' | 'nextReset'>): number {
  if (typeof resetAnchorAt !== 'number') return nextReset;
  return addUtcMonths(resetAnchorAt, countMonths(resetAnchorAt, nextReset)) === nextReset
    ? resetAnchorAt
    : nextReset;
}

/** Number of calendar months between two times, regardless of their days. UTC. */
function countMonths(fromMs: number, toMs: number): number {
  const [from, to] = [new Date(fromMs), new Date(toMs)];
  return (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
}
