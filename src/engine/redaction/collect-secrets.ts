import { asImlError } from '../../language/environment.js';
import { limitError } from '../../shared/errors/iml-error.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { type HiddenPaths, NO_PATHS } from './sanitize-paths.js';
import { MAX_KNOWN_SECRETS, MIN_SECRET_LENGTH } from './secret-matcher.js';
import { isSecretName } from './secret-names.js';

/** Values that are searched for secrets: a sparse list may claim billions of items. */
const MAX_VALUES = 500_000;

/** Values that are searched for secret names: no response holds more. */
const MAX_NAMED_VALUES = 3_000_000;

/** Bytes of binary data that are searched as text. */
const MAX_BYTES = 4096;

/** Names whose values say where or how to send requests; replacing those would make a log unreadable. */
const OPEN_NAME =
  /^(?:apiversion|baseurl|date|domain|environment|expires|expiresat|granttype|host|hostname|instance|instanceurl|label|lang|language|locale|name|redirecturi|region|scopes?|server|subdomain|timezone|tokentype|type|uri|url|version)$/;

/** Secrets of data, each with the first name it stands under; empty for a value outside of an object. */
interface FoundSecrets {
  /** Values under a secret name, at any depth. */
  readonly named: Map<string, string>;
  /** Other texts. */
  readonly others: Map<string, string>;
}

/**
 * Texts of data that must not be shown, such as those of a connection: every text except dates and those under an open
 * name, and numbers under a secret name. Those under secret names come first, as a run keeps a limited number. [choice]
 *
 * @throws ImlError `IML_LIMIT` for too many values; `IML_HOST_VALUE` for values that throw while they are read
 */
export function collectSecrets(...data: readonly unknown[]): string[] {
  return [...nameSecrets(...data).keys()];
}

/** `collectSecrets` with the first name of each secret. */
export function nameSecrets(...data: readonly unknown[]): ReadonlyMap<string, string> {
  const { named, others } = findSecrets(data, MAX_VALUES);
  if (named.size === 0) return others;
  for (const [value, name] of others) if (!named.has(value)) named.set(value, name);
  return named;
}

/**
 * `collectSecrets` for the input of a run.
 *
 * @throws ImlError `IML_LIMIT` for more values under secret names than a run can keep
 */
export function collectGiven(...data: readonly unknown[]): string[] {
  const { named, others } = findSecrets(data, MAX_VALUES);
  if (named.size > MAX_KNOWN_SECRETS) {
    throw limitError(
      `Too many secrets: more than ${MAX_KNOWN_SECRETS} values have a secret name. A run cannot redact so many.`,
    );
  }
  return [...new Set([...named.keys(), ...others.keys()])];
}

/** Texts and numbers of other data that must not be shown: all values under a secret name. */
export function collectNamedSecrets(data: unknown): string[] {
  return [...findSecrets([data], MAX_NAMED_VALUES).named.keys()];
}

function findSecrets(data: readonly unknown[], maxValues: number): FoundSecrets {
  const found: FoundSecrets = { named: new Map(), others: new Map() };
  try {
    walkValues(
      data,
      NO_PATHS,
      (value, { name, isNamed, isBelowSecret }) => {
        const secrets = isNamed || isBelowSecret ? found.named : found.others;
        if (typeof value === 'string') {
          if (isNamed || !isOpen(name, value)) addSecret(value, name, secrets);
        } else if (typeof value === 'object') {
          addSecret(Buffer.from(value.subarray(0, MAX_BYTES)).toString('utf8'), name, secrets);
        } else if (isNamed) addSecret(String(value), name, secrets);
      },
      maxValues,
    );
  } catch (error) {
    // Getters and proxies of the embedder may throw anything.
    throw asImlError(error);
  }
  return found;
}

function isOpen(name: string, value: string): boolean {
  if (/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/.test(value)) return true;
  return OPEN_NAME.test(name.toLowerCase().replace(/[^a-z0-9]/g, ''));
}

function addSecret(value: string, name: string, secrets: Map<string, string>): void {
  if (value.length < MIN_SECRET_LENGTH || secrets.size > MAX_KNOWN_SECRETS) return;
  if (!secrets.has(value)) secrets.set(value, name);
}

/** Where a value stands in data. */
export interface ValueStanding {
  /** The closest name above it: items of a list have the name of the list. */
  readonly name: string;
  /** Whether that name is secret. */
  readonly isNamed: boolean;
  /** Whether a name further above is secret. */
  readonly isBelowSecret: boolean;
  /** The paths of `log.sanitize` from here on. */
  readonly paths: HiddenPaths;
}

type VisitValue = (value: string | number | bigint | Uint8Array, standing: ValueStanding) => void;

/**
 * Visits all texts, numbers and bytes of a value in order. Without recursion, as data may be deeper than the stack allows.
 *
 * @throws ImlError `IML_LIMIT` for too many values
 */
export function walkValues(data: unknown, paths: HiddenPaths, visit: VisitValue, maxValues: number): void {
  const open = [[[data, { name: '', isNamed: false, isBelowSecret: false, paths }] as Standing].values()];
  const seen = new Map<object, number>();
  let left = maxValues;
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const next = level.next();
    if (next.done === true) {
      open.pop();
      continue;
    }
    const [value, standing] = next.value;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
      visit(value, standing);
    } else if (value instanceof Uint8Array) visit(value, standing);
    else if ((Array.isArray(value) || isPlainObject(value)) && !wasSeen(value, standing, seen)) {
      const names = Array.isArray(value) ? undefined : Object.keys(value);
      left -= names?.length ?? (value as unknown[]).length;
      if (left < 0) throw limitError(`Too many values to redact: more than ${maxValues}.`);
      open.push(listMembers(value, names, standing));
    }
  }
}

type Standing = readonly [value: unknown, standing: ValueStanding];

function* listMembers(
  value: object,
  names: readonly string[] | undefined,
  standing: ValueStanding,
): ArrayIterator<Standing> {
  if (names === undefined) for (const item of value as unknown[]) yield [item, standing];
  const isBelowSecret = standing.isNamed || standing.isBelowSecret;
  for (const name of names ?? []) {
    const below = standing.paths.below.get(name) ?? NO_PATHS;
    const isNamed = isSecretName(name, 'body');
    yield [ownMember(value as PlainObject, name), { name, isNamed, isBelowSecret, paths: below }];
  }
}

/** Data may be circular, or hold one object under names that treat it differently. */
function wasSeen(value: object, standing: ValueStanding, seen: Map<object, number>): boolean {
  const { name, isNamed, isBelowSecret, paths } = standing;
  if (paths !== NO_PATHS) return false;
  const kind = (isNamed ? 1 : 0) + (isBelowSecret ? 2 : 0) + (!isNamed && isOpen(name, '') ? 4 : 0);
  const kinds = seen.get(value) ?? 0;
  seen.set(value, kinds | (1 << kind));
  return (kinds & (1 << kind)) !== 0;
}
