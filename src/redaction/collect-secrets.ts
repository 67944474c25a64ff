import { limitError } from '../errors/iml-error.js';
import { asImlError } from '../iml/environment/call-error.js';
import { isPlainObject, ownMember } from '../util/plain-object.js';
import { MIN_SECRET_LENGTH } from './secret-forms.js';
import { isSecretName } from './secret-names.js';

const MAX_SECRETS = 1000;
const MAX_DEPTH = 20;

/** Values that are looked at, in some 20 ms; a name counts for as many as it takes to judge one that was not met before. */
const MAX_LOOKED = 200_000;
const NAME_LOOKS = 20;

/** Values that are searched for secrets. A list that holds itself twice, or has billions of holes, has no end. */
const MAX_VALUES = 500_000;

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

/**
 * The values of connection or common data that must not be shown: all text but that under a name which plainly
 * says otherwise (`region`, `baseUrl`), and numbers under a name that says secret. [choice]
 */
export function collectSecrets(...data: readonly unknown[]): string[] {
  if (data.every((value) => value === undefined)) return [];
  return [...nameSecrets(...data).keys()];
}

/** The same with the name each stands under first; empty for one that stands in no object. */
export function nameSecrets(...data: readonly unknown[]): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  let left = MAX_VALUES;
  const spend = (): void => {
    if (left-- <= 0) throw limitError(`What may be secret holds more than ${MAX_VALUES} values.`);
  };
  try {
    for (const value of data) collect(value, '', 0, { secrets, spend });
  } catch (error) {
    // Getters and proxies of the embedder: what they throw is not what a run ends with.
    throw asImlError(error);
  }
  return secrets;
}

/**
 * The values of other data that must not be shown: all that stands under a name which says secret.
 */
export function collectNamedSecrets(data: unknown): string[] {
  const named: unknown[] = [];
  findNamed(data, 0, named, { left: MAX_LOOKED, met: new Set() });
  // What stands there without another name is not open, whatever it looks like.
  return collectSecrets({ secret: named });
}

/** How much may still be looked at, and the names that were met. */
interface Looking {
  left: number;
  readonly met: Set<string>;
}

/** No more than others may wait for: of what an answer holds beyond that, the run learns in turns (`learnBody`). */
function findNamed(value: unknown, depth: number, named: unknown[], looking: Looking): void {
  if (depth > MAX_DEPTH || named.length >= MAX_SECRETS) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && looking.left > 0; index++) {
      looking.left--;
      findNamed(value[index], depth + 1, named, looking);
    }
  } else if (isPlainObject(value)) {
    for (const name of Object.keys(value)) {
      if (looking.left <= 0) return;
      looking.left -= looking.met.has(name) ? 1 : NAME_LOOKS;
      looking.met.add(name);
      const member = ownMember(value, name);
      if (isSecretName(name, 'body')) named.push(member);
      else findNamed(member, depth + 1, named, looking);
    }
  }
}

function collect(
  value: unknown,
  name: string,
  depth: number,
  { secrets, spend }: { readonly secrets: Map<string, string>; readonly spend: () => void },
): void {
  if (secrets.size >= MAX_SECRETS || depth > MAX_DEPTH) return;
  spend();
  if (Array.isArray(value)) {
    for (const item of value) collect(item, name, depth + 1, { secrets, spend });
  } else if (isPlainObject(value)) {
    for (const [key, member] of Object.entries(value)) collect(member, key, depth + 1, { secrets, spend });
  } else if (value instanceof Uint8Array) {
    add(Buffer.from(value.subarray(0, 4096)).toString('utf8'), name, secrets);
  } else if (typeof value === 'string') {
    if (!isOpen(name, value)) add(value, name, secrets);
  } else if (typeof value === 'number' && isSecretName(name, 'body')) {
    add(String(value), name, secrets);
  }
}

function isOpen(name: string, value: string): boolean {
  if (isSecretName(name, 'body')) return false;
  if (/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/.test(value)) return true;
  return OPEN_NAMES.has(name.toLowerCase().replace(/[^a-z0-9]/g, ''));
}

function add(value: string, name: string, secrets: Map<string, string>): void {
  if (value.length >= MIN_SECRET_LENGTH && !secrets.has(value)) secrets.set(value, name);
}
