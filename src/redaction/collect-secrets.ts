import { limitError } from '../errors/iml-error.js';
import { asImlError } from '../iml/environment/call-error.js';
import { finishAtOnce, type Parts, spend } from '../iml/values/work.js';
import { isPlainObject, ownMember, type PlainObject } from '../util/plain-object.js';
import { Turns } from '../util/turns.js';
import { MAX_KNOWN_SECRETS } from './known-secrets.js';
import { MIN_SECRET_LENGTH } from './secret-forms.js';
import { isSecretName } from './secret-names.js';

/** Values that are looked at, in some 20 ms; a name counts for as many as it takes to judge one that was not met before. */
const MAX_LOOKED = 200_000;
const NAME_LOOKS = 20;

/** Values that are searched for secrets. A list of billions of holes has no end. */
const MAX_VALUES = 500_000;

/** Looks between two looks at the clock, and the steps of one: see `spend`. */
const STEP = 2000;
const STEPS_OF_LOOK = 4;

/** Names that are told from new ones; data with more have names that do not come again. */
const MAX_MET = 1000;

/** Names whose values say where or how to call, not who calls; wiping them would make a log unreadable. */
const OPEN_NAMES: ReadonlySet<string> = new Set([
  'apiversion',
  'baseurl',
  'date',
  'domain',
  'environment',
  'expires',
  'expiresat',
  'granttype',
  'host',
  'hostname',
  'instance',
  'instanceurl',
  'label',
  'lang',
  'language',
  'locale',
  'name',
  'redirecturi',
  'region',
  'scope',
  'scopes',
  'server',
  'subdomain',
  'timezone',
  'tokentype',
  'type',
  'uri',
  'url',
  'version',
]);

/** What data hold that must not be shown, each with the name it stands under first: no more of a kind than shows that it is too many. */
interface FoundSecrets {
  /** What stands under a name which says secret, at any height. */
  readonly named: Map<string, string>;
  readonly others: Map<string, string>;
}

/**
 * The values of connection or common data that must not be shown: all text but that under a name which plainly
 * says otherwise (`region`, `baseUrl`), and numbers under a name that says secret. What a name says is secret comes first, as a run
 * remembers so many only. [choice]
 *
 * @throws ImlError `IML_LIMIT` for too many values, and where `withinSteps` allows less work
 */
export function collectSecrets(...data: readonly unknown[]): string[] {
  if (data.every((value) => value === undefined)) return [];
  return [...nameSecrets(...data).keys()];
}

/** `collectSecrets` a few values at a time. */
export function* collectSecretsInParts(...data: readonly unknown[]): Parts<string[]> {
  const found = createFound();
  const walk = walkData(data, found);
  while (!isThrough(walk)) yield;
  return [...joinFound(found).keys()];
}

/** The same with the name each stands under first; empty for one that stands in no object. */
export function nameSecrets(...data: readonly unknown[]): ReadonlyMap<string, string> {
  const found = createFound();
  finish(walkData(data, found));
  return joinFound(found);
}

/**
 * `collectSecrets` for what a run is given, in turns where it is much.
 *
 * @returns the secrets themselves where nobody had to wait for them
 * @throws ImlError `IML_LIMIT` where names say of more values than a run remembers that they are secret: it could not keep them
 */
export function collectGiven(...data: readonly unknown[]): readonly string[] | Promise<readonly string[]> {
  if (data.every((value) => value === undefined)) return [];
  const found = createFound();
  const walk = walkData(data, found);
  return isThrough(walk) ? keepable(found) : goOn(walk, found);
}

async function goOn(walk: Walking, found: FoundSecrets): Promise<readonly string[]> {
  const turns = new Turns();
  do {
    if (turns.isOver) await turns.next();
  } while (!isThrough(walk));
  return keepable(found);
}

function keepable(found: FoundSecrets): readonly string[] {
  if (found.named.size <= MAX_KNOWN_SECRETS) return [...joinFound(found).keys()];
  throw limitError(
    `More than ${MAX_KNOWN_SECRETS} values stand under names that say secret: a run cannot keep so many from being shown.`,
  );
}

/**
 * The values of other data that must not be shown: all that stands under a name which says secret.
 */
export function collectNamedSecrets(data: unknown): string[] {
  return finishAtOnce(collectNamedInParts(data));
}

/** `collectNamedSecrets` a few values at a time. */
export function* collectNamedInParts(data: unknown): Parts<string[]> {
  const found = createFound();
  // What stands there without another name is not open, whatever it looks like.
  const walk = walkData([{ secret: yield* findNamed(data) }], found);
  for (let looked = 0; looked < MAX_LOOKED && !isThrough(walk); looked += STEP) yield;
  return [...joinFound(found).keys()];
}

/**
 * No more than others may wait for: of what an answer holds beyond that, the run learns in turns (`learnBody`). Level by level, so
 * that no long list hides the name that stands behind it.
 */
function* findNamed(root: unknown): Parts<readonly unknown[]> {
  const named: unknown[] = [];
  const met = new Set<string>();
  const holders: object[] = [];
  const seen = new Set<object>();
  const hold = (value: unknown): void => {
    if (!(Array.isArray(value) || isPlainObject(value)) || seen.has(value)) return;
    seen.add(value);
    holders.push(value);
  };
  hold(root);
  let left = MAX_LOOKED;
  let turnAt = left - STEP;
  for (let at = 0; at < holders.length && left > 0; at++) {
    const holder = holders[at] as PlainObject | unknown[];
    if (Array.isArray(holder)) {
      for (let index = 0; index < holder.length && left > 0; index++) {
        left--;
        hold(holder[index]);
        if (left > turnAt) continue;
        turnAt = left - STEP;
        yield;
      }
      continue;
    }
    for (const name of Object.keys(holder)) {
      if (left <= 0) break;
      if (left <= turnAt) {
        turnAt = left - STEP;
        yield;
      }
      left -= met.has(name) ? 1 : NAME_LOOKS;
      met.add(name);
      if (isSecretName(name, 'body')) named.push(ownMember(holder, name));
      else hold(ownMember(holder, name));
    }
  }
  return named;
}

/** Where a value stands. */
interface Standing {
  /** The last name above it; empty for one that stands in no object. */
  readonly name: string;
  /** Whether a name above that one says secret. */
  readonly isBelowSecret: boolean;
}

/** A list or collection that is walked through. */
interface Holder extends Standing {
  readonly value: unknown[] | PlainObject;
  /** Names of a collection; undefined for a list. */
  readonly names: readonly string[] | undefined;
  next: number;
}

type Walking = Generator<void, void>;

/** Without recursion, as data may be deeper than the stack of the host, and as it stops in between. */
function* walkData(data: readonly unknown[], found: FoundSecrets): Walking {
  const open: Holder[] = [{ value: [...data], names: undefined, next: 0, name: '', isBelowSecret: false }];
  const seen = new Map<object, number>();
  const met = new Set<string>();
  let values = 0;
  let looked = 0;
  for (let holder = open.at(-1); holder !== undefined; holder = open.at(-1)) {
    const { value, names, isBelowSecret } = holder;
    const index = holder.next++;
    if (index >= (names ?? (value as unknown[])).length || found.named.size > MAX_KNOWN_SECRETS) {
      open.pop();
      continue;
    }
    if (++values > MAX_VALUES) {
      throw limitError(`What may be secret holds more than ${MAX_VALUES} values.`);
    }
    const name = names?.[index];
    looked += name === undefined || isMet(name, met) ? 1 : NAME_LOOKS;
    const below =
      name === undefined
        ? look((value as unknown[])[index], holder, seen, found)
        : look((value as PlainObject)[name], { name, isBelowSecret }, seen, found);
    if (below !== undefined) open.push(below);
    if (looked < STEP) continue;
    looked = 0;
    yield;
  }
}

function isMet(name: string, met: Set<string>): boolean {
  if (met.has(name)) return true;
  if (met.size < MAX_MET) met.add(name);
  return false;
}

/** @returns what is to be walked through, too */
function look(
  value: unknown,
  { name, isBelowSecret }: Standing,
  seen: Map<object, number>,
  found: FoundSecrets,
): Holder | undefined {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) {
    take(value, { name, isBelowSecret }, found);
    return undefined;
  }
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return undefined;
  const standing = isList
    ? { name, isBelowSecret }
    : { name: '', isBelowSecret: isBelowSecret || isSecretName(name, 'body') };
  if (wasSeen(value, standing, seen)) return undefined;
  return { value, names: isList ? undefined : Object.keys(value), next: 0, ...standing };
}

/** Data may hold itself, or the same thing under names that say different things of it. */
function wasSeen(value: object, { name, isBelowSecret }: Standing, seen: Map<object, number>): boolean {
  const saying = name === '' ? 0 : isSecretName(name, 'body') ? 2 : isOpenName(name) ? 1 : 0;
  const way = 1 << (isBelowSecret ? saying + 3 : saying);
  const ways = seen.get(value) ?? 0;
  seen.set(value, ways | way);
  return (ways & way) !== 0;
}

function take(value: unknown, { name, isBelowSecret }: Standing, found: FoundSecrets): void {
  const isNamed = isSecretName(name, 'body');
  const secrets = isNamed || isBelowSecret ? found.named : found.others;
  if (value instanceof Uint8Array) {
    add(Buffer.from(value.subarray(0, 4096)).toString('utf8'), name, secrets);
  } else if (typeof value === 'string') {
    if (isNamed || !isOpen(name, value)) add(value, name, secrets);
  } else if (typeof value === 'number' && isNamed) {
    add(String(value), name, secrets);
  }
}

function isOpen(name: string, value: string): boolean {
  if (/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/.test(value)) return true;
  return isOpenName(name);
}

function isOpenName(name: string): boolean {
  return OPEN_NAMES.has(name.toLowerCase().replace(/[^a-z0-9]/g, ''));
}

function add(value: string, name: string, secrets: Map<string, string>): void {
  if (value.length < MIN_SECRET_LENGTH || secrets.size > MAX_KNOWN_SECRETS) return;
  if (!secrets.has(value)) secrets.set(value, name);
}

function createFound(): FoundSecrets {
  return { named: new Map(), others: new Map() };
}

function joinFound({ named, others }: FoundSecrets): ReadonlyMap<string, string> {
  if (named.size === 0) return others;
  const joined = new Map(named);
  for (const [value, name] of others) if (!joined.has(value)) joined.set(value, name);
  return joined;
}

function finish(walk: Walking): void {
  while (!isThrough(walk)) spend(STEP * STEPS_OF_LOOK);
}

/** Takes a step. */
function isThrough(walk: Walking): boolean {
  try {
    return walk.next().done === true;
  } catch (error) {
    // Getters and proxies of the embedder: what they throw is not what a run ends with.
    throw asImlError(error);
  }
}
