import { COMPONENT_KINDS, type ComponentKind } from '../../../engine/loading/code-types.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';
import {
  type LocalApp,
  type LocalComponent,
  type LocalText,
  type ManifestOrigin,
  md5,
  membersOf,
  type NamePair,
} from './local-app.js';
import { keyOf, type RemoteApp, type RemoteComponent, type RemoteName } from './make-api.js';

/** What both sides had after the last pull or push. */
export interface SyncState {
  /** By `textKey`: MD5 of the local text, and the sum of the remote one. */
  readonly texts: Record<string, { readonly local: string; readonly remote: string }>;
  /** By `KIND NAME`: members in the names of the API. */
  readonly members: Record<string, PlainObject>;
}

/** Key of a text in the state, with the local name. */
export function textKey({ kind, name, section }: Pick<LocalText, 'kind' | 'name' | 'section'>): string {
  return `${kind} ${name} ${section}`;
}

export type SyncStatus =
  | 'new here'
  | 'new there'
  | 'changed here'
  | 'changed there'
  | 'conflict'
  | 'deleted here'
  | 'deleted there'
  | 'renamed'
  | 'external'
  | 'ignored';

/** A difference between the folder and the API. */
export type Difference = {
  readonly status: SyncStatus;
  readonly kind: ComponentKind | 'app';
  /** Local name, or the remote one of a component that is only there. */
  readonly name: string;
  /** A section, a member such as `label`, or empty for the component itself. */
  readonly what: string;
  /** Local name of a renamed component in the mapping. */
  readonly was?: string;
};

/** A text that differs, and where it is. */
export interface TextDifference extends Difference {
  readonly text: LocalText;
  readonly remote: RemoteName;
}

/** Members of a component that differ. */
export interface MemberDifference extends Difference {
  readonly remote: RemoteName;
  readonly local: unknown;
  readonly there: unknown;
}

/** A component that only the API has. */
export interface NewThere {
  readonly kind: ComponentKind;
  readonly component: RemoteComponent;
}

export interface Comparison {
  readonly pairs: readonly NamePair[];
  /** Pairs that the mapping of the manifest does not have yet. */
  readonly adopted: readonly NamePair[];
  readonly newHere: readonly LocalComponent[];
  readonly newThere: readonly NewThere[];
  /** Components of the mapping that the manifest no longer has, also under another name. */
  readonly deletedHere: readonly NewThere[];
  readonly texts: readonly TextDifference[];
  readonly members: readonly MemberDifference[];
  /** Components that the mapping names and the API no longer has. */
  readonly deletedThere: readonly NamePair[];
  /** References to components that are not there and will not be. */
  readonly broken: readonly string[];
  readonly all: readonly Difference[];
}

/** Empty contents of a section. */
const BLANK: ReadonlySet<string> = new Set(['', '[]', '{}', '{ }', '[ ]', 'null', '[]\n', '{}\n'].map(md5));

function isBlank(sums: readonly string[]): boolean {
  return sums.every((sum) => BLANK.has(sum));
}

/** One value for the sums of a text, to notice its change. */
export function sumOf(sums: readonly string[]): string {
  return sums.at(-1) ?? '';
}

interface Mapping {
  readonly pairs: NamePair[];
  readonly adopted: NamePair[];
  readonly newHere: LocalComponent[];
  readonly newThere: NewThere[];
  readonly deletedHere: NewThere[];
  readonly deletedThere: NamePair[];
  readonly all: Difference[];
}

/**
 * Compares a folder with the API. A text or member that changed on both sides since the state is a conflict, and so is
 * one that differs without a state, unless one side holds nothing.
 */
export function compareApps(
  local: LocalApp,
  remote: RemoteApp,
  { origin, state }: { readonly origin: ManifestOrigin; readonly state: SyncState },
): Comparison {
  const mapping: Mapping = {
    ...{ pairs: [], adopted: [], newHere: [], newThere: [] },
    ...{ deletedHere: [], deletedThere: [], all: [] },
  };
  for (const kind of COMPONENT_KINDS) mapKind(kind, { local, remote, origin, mapping });
  const { pairs, newHere } = mapping;
  const remoteOf = (kind: ComponentKind, name: string): string | undefined =>
    pairs.find((pair) => pair.kind === kind && pair.local === name)?.remote;

  const texts: TextDifference[] = [];
  for (const text of local.texts) {
    const name = text.kind === 'app' ? '' : remoteOf(text.kind, text.name);
    if (name === undefined) continue;
    const found = remote.components[text.kind as ComponentKind]?.find((one) => one.name === name);
    if (found?.isExternal === true) continue;
    const target = { kind: text.kind, name };
    const sums = remote.sums.get(keyOf(target))?.get(text.section) ?? [];
    const context = text.section === 'context' ? found?.members['context'] : undefined;
    const own = text.section === 'context' ? (typeof context === 'string' ? [md5(context)] : []) : sums;
    const status = compareText(text.text, own, state.texts[textKey(text)]);
    if (status !== undefined) {
      texts.push({ status, kind: text.kind, name: text.name, what: text.section, text, remote: target });
    }
  }

  const broken: string[] = [];
  const willExist = (kind: ComponentKind, name: string): boolean =>
    [...newHere, ...mapping.all.filter(({ status }) => status === 'renamed')].some(
      (one) => one.kind === kind && one.name === name,
    );
  const members: MemberDifference[] = [];
  for (const component of local.components) {
    const name = remoteOf(component.kind, component.name);
    const own = membersOf(component, (kind, other) => {
      const there = remoteOf(kind, other);
      if (there === undefined && !willExist(kind, other)) {
        broken.push(
          `${component.kind} ${component.name} refers to the ${kind} "${other}", which the API does not have`,
        );
      }
      return there;
    });
    const found = remote.components[component.kind].find((one) => one.name === name);
    if (name === undefined || found === undefined || found.isExternal) continue;
    const before = state.members[`${component.kind} ${component.name}`];
    for (const [member, value] of Object.entries(own)) {
      // The reference to a new component follows its creation.
      const status =
        value === undefined ? 'changed here' : compareMember(value, found.members[member], before, member);
      if (status === undefined) continue;
      members.push({
        ...{ status, kind: component.kind, name: component.name, what: member },
        ...{ remote: { kind: component.kind, name }, local: value, there: found.members[member] },
      });
    }
  }
  const created = newHere.map(({ kind, name }): Difference => ({ status: 'new here', kind, name, what: '' }));
  const cloned = mapping.newThere.map(
    ({ kind, component }): Difference => ({ status: 'new there', kind, name: component.name, what: '' }),
  );
  const plain = [...texts, ...members].map(({ status, kind, name, what }) => ({ status, kind, name, what }));
  return { ...mapping, texts, members, broken, all: [...created, ...cloned, ...mapping.all, ...plain] };
}

function compareText(
  text: string | undefined,
  sums: readonly string[],
  before: { readonly local: string; readonly remote: string } | undefined,
): SyncStatus | undefined {
  // A missing file is restored by a pull; a push leaves it alone.
  if (text === undefined) return sums.length === 0 ? undefined : 'changed there';
  const own = md5(text);
  if (sums.includes(own)) return undefined;
  // An empty list of the folder is written once, so that its bytes come back.
  if (isBlank(sums) && BLANK.has(own))
    return sums.length === 0 && before === undefined && text !== '' ? 'changed here' : undefined;
  if (before === undefined) {
    if (isBlank(sums)) return 'changed here';
    return BLANK.has(own) ? 'changed there' : 'conflict';
  }
  const isChangedHere = own !== before.local;
  const isChangedThere = sumOf(sums) !== before.remote && !sums.includes(before.remote);
  if (isChangedHere && isChangedThere) return 'conflict';
  if (isChangedHere) return 'changed here';
  return isChangedThere ? 'changed there' : undefined;
}

/** Whether a member holds nothing: the API shows some empty members as null, and new ones as empty lists. */
function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0) ||
    (isPlainObject(value) && Object.keys(value).length === 0)
  );
}

/** Whether two values of a member are equal; empty ones are. */
export function isSame(one: unknown, other: unknown): boolean {
  return isEmpty(one) ? isEmpty(other) : JSON.stringify(one) === JSON.stringify(other);
}

function compareMember(
  own: unknown,
  there: unknown,
  before: PlainObject | undefined,
  member: string,
): SyncStatus | undefined {
  if (isSame(own, there)) return undefined;
  if (before === undefined || !Object.hasOwn(before, member)) {
    if (isEmpty(there)) return 'changed here';
    return isEmpty(own) ? 'changed there' : 'conflict';
  }
  const isChangedHere = !isSame(own, before[member]);
  const isChangedThere = !isSame(there, before[member]);
  if (isChangedHere && isChangedThere) return 'conflict';
  return isChangedHere ? 'changed here' : 'changed there';
}

interface KindInput {
  readonly local: LocalApp;
  readonly remote: RemoteApp;
  readonly origin: ManifestOrigin;
  /** Extended by the kind. */
  readonly mapping: Mapping;
}

/** Pairs the components of a kind: by the mapping of the manifest, then by name. */
function mapKind(kind: ComponentKind, { local, remote, origin, mapping }: KindInput): void {
  const here = new Map(local.components.filter((one) => one.kind === kind).map((one) => [one.name, one]));
  const there = new Map(remote.components[kind].map((one) => [one.name, one]));
  const unused = new Map<string, RemoteComponent>();
  const rows = ownMember(origin.idMapping, kind);
  for (const row of Array.isArray(rows) ? (rows as unknown[]) : []) {
    if (!isPlainObject(row)) continue;
    const [localName, remoteName] = [ownMember(row, 'local'), ownMember(row, 'remote')];
    if (typeof localName !== 'string' || typeof remoteName !== 'string') {
      // null: left out on purpose. [src]
      const name = String(localName ?? remoteName ?? '');
      here.delete(name);
      there.delete(name);
      mapping.all.push({ status: 'ignored', kind, name, what: '' });
      continue;
    }
    const [own, found] = [here.get(localName), there.get(remoteName)];
    const pair = { kind, local: localName, remote: remoteName };
    if (own !== undefined && found !== undefined) {
      here.delete(localName);
      there.delete(remoteName);
      mapping.pairs.push(pair);
      if (found.isExternal) mapping.all.push({ status: 'external', kind, name: localName, what: '' });
    } else if (own !== undefined) {
      here.delete(localName);
      mapping.deletedThere.push(pair);
      mapping.all.push({ status: 'deleted there', kind, name: localName, what: '' });
    } else if (found?.isExternal === false) {
      there.delete(remoteName);
      mapping.deletedHere.push({ kind, component: found });
      unused.set(localName, found);
    }
  }
  for (const [name, component] of here) {
    const match = there.get(name) ?? findUnnamed(component, [...there.values()], remote);
    if (match === undefined) {
      const before = [...unused].find(([, one]) => isRenamed(component, one, { local, remote }))?.[0];
      if (before === undefined) mapping.newHere.push(component);
      else mapping.all.push({ status: 'renamed', kind, name, what: '', was: before });
      unused.delete(before ?? '');
      continue;
    }
    there.delete(match.name);
    const pair = { kind, local: name, remote: match.name };
    mapping.pairs.push(pair);
    mapping.adopted.push(pair);
  }
  for (const name of unused.keys()) mapping.all.push({ status: 'deleted here', kind, name, what: '' });
  for (const component of there.values()) {
    if (component.isExternal) mapping.all.push({ status: 'external', kind, name: component.name, what: '' });
    else mapping.newThere.push({ kind, component });
  }
}

/** Whether a local component has most texts of one in the API. */
function isRenamed(
  { kind, name }: LocalComponent,
  component: RemoteComponent,
  { local, remote }: Pick<KindInput, 'local' | 'remote'>,
): boolean {
  const sums = remote.sums.get(keyOf({ kind, name: component.name }));
  const own = local.texts.filter(
    (one) => one.kind === kind && one.name === name && one.text !== undefined && !BLANK.has(md5(one.text)),
  );
  const same = own.filter(({ section, text }) => sums?.get(section)?.includes(md5(text ?? '')));
  return same.length > 0 && same.length * 2 >= own.length;
}

/**
 * A connection or webhook without content that an interrupted push created: the server made its name, and the manifest
 * does not have it yet.
 */
function findUnnamed(
  { kind, name, row }: LocalComponent,
  there: readonly RemoteComponent[],
  { sums }: RemoteApp,
): RemoteComponent | undefined {
  if (kind !== 'connection' && kind !== 'webhook') return undefined;
  const type = String(row[`${kind}Type`] ?? (kind === 'webhook' ? 'web' : 'basic'));
  const label = typeof row['label'] === 'string' && row['label'] !== '' ? row['label'] : name;
  return there.find((one) => {
    const sections = sums.get(keyOf({ kind, name: one.name }));
    const isEmpty =
      sections !== undefined && [...sections].every(([section, own]) => section === 'label' || isBlank(own));
    return isEmpty && !one.isExternal && one.members['type'] === type && one.members['label'] === label;
  });
}
