import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readDocument } from '../../../engine/document/jsonc.js';
import { CODE_TYPES, type ComponentKind, GENERAL_CODE_TYPES } from '../../../engine/loading/code-types.js';
import { MANIFEST } from '../../../engine/loading/read-manifest.js';
import { EngineError, isEngineError, TransportError } from '../../../shared/errors/engine-error.js';
import { createFolderWriter, type FolderWriter, relativePath, toFileName } from '../../../shared/files.js';
import { mergeLines } from '../../../shared/line-diff.js';
import { isPlainObject, ownMember, type PlainObject, readAt } from '../../../shared/plain-object.js';
import { type AppFiles, openAppFiles } from '../app-files.js';
import { nameProblem, splitWords } from '../names.js';
import { componentFile, extensionOf, freeStem, type Manifest, recordsOf, withMember } from '../new-files.js';
import {
  type Comparison,
  compareApps,
  isSame,
  type MemberDifference,
  type SyncState,
  sumOf,
  type TextDifference,
  textKey,
} from './compare.js';
import {
  creationOf,
  type LeftFile,
  type LocalText,
  listOrigins,
  type ManifestOrigin,
  md5,
  membersOf,
  moduleTypeOf,
  readLocalApp,
  sectionOf,
} from './local-app.js';
import { keyOf, type MakeApi, type RemoteApp, type RemoteComponent, type RemoteName } from './make-api.js';

/** A folder and the API that it is compared with. */
export interface SyncInput {
  /** Absolute folder of the manifest. */
  readonly root: string;
  readonly manifest: Manifest;
  /** Index in `origins` of the manifest. */
  readonly index: number;
  readonly api: MakeApi;
}

/** A compared folder. */
export interface SyncPlan extends SyncInput {
  readonly origin: ManifestOrigin;
  /** Empty without a record. */
  readonly state: SyncState;
  /** Whether the folder has a record of an earlier exchange. */
  readonly hasRecord: boolean;
  readonly remote: RemoteApp;
  readonly comparison: Comparison;
  /** Paths of the manifest that are neither read nor written. */
  readonly left: readonly LeftFile[];
}

/** Reports one written thing: `module listContacts api`. */
export type OnWritten = (what: string) => Promise<void>;

/** Reads the folder and the API, and compares them. Writes nothing. */
export async function planSync(input: SyncInput): Promise<SyncPlan> {
  const { root, manifest, index, api } = input;
  const origin = listOrigins(manifest).find((one) => one.index === index);
  if (origin === undefined) throw new TypeError(`The manifest has no origin ${index}.`);
  const [local, record, remote] = await Promise.all([
    readLocalApp(root, manifest),
    readState(root, origin),
    readRemote(api),
  ]);
  const state = record ?? { texts: {}, members: {} };
  const comparison = compareApps(local, remote, { origin, state });
  const hasRecord = record !== undefined;
  return { ...input, origin, state, hasRecord, remote, comparison, left: local.left };
}

/** Reads the app with the sums of its texts. */
async function readRemote(api: MakeApi): Promise<RemoteApp> {
  const found = await api.readApp();
  return found.sums.size > 0 ? found : { ...found, sums: await readAllSums(api, found) };
}

/** MD5 sums of all texts, for tokens that the checksum is not open to. */
async function readAllSums(api: MakeApi, { components }: RemoteApp): Promise<RemoteApp['sums']> {
  const names: RemoteName[] = [
    { kind: 'app', name: '' },
    ...Object.entries(components).flatMap(([kind, list]) =>
      list.filter(({ isExternal }) => !isExternal).map(({ name }) => ({ kind: kind as ComponentKind, name })),
    ),
  ];
  const all = new Map<string, Map<string, string[]>>();
  for (const name of names) {
    const sums = new Map<string, string[]>();
    for (const section of sectionsOf(name.kind)) sums.set(section, [md5(await api.readText(name, section))]);
    all.set(keyOf(name), sums);
  }
  return all;
}

function codesOf(kind: ComponentKind | 'app'): readonly string[] {
  return Object.keys(kind === 'app' ? GENERAL_CODE_TYPES : CODE_TYPES[kind]);
}

/** Sections with an address of their own. */
function sectionsOf(kind: ComponentKind | 'app'): readonly string[] {
  return codesOf(kind).flatMap((code) => (code === 'context' ? [] : [sectionOf(kind, code)]));
}

/** Order of creation: referenced components first. */
const CREATED = ['connection', 'webhook', 'rpc', 'module', 'function', 'endpoint'] as const;
/** Order of texts. Groups follow the modules that they name. */
const WRITTEN = ['app', 'connection', 'rpc', 'webhook', 'module', 'function', 'endpoint'] as const;

/** Why a push or pull stopped, or what failed in it. */
export interface SyncResult {
  /** Number of written texts, members and components. */
  readonly written: number;
  readonly failures: readonly string[];
  /** Whether the connection was lost, which ends the exchange. */
  readonly isLost: boolean;
}

interface Run {
  readonly plan: SyncPlan;
  readonly files: AppFiles;
  readonly writer: FolderWriter;
  readonly onWritten: OnWritten;
  manifest: Manifest;
  readonly state: SyncState;
  written: number;
  readonly failures: string[];
  isLost: boolean;
}

function startRun(plan: SyncPlan, onWritten: OnWritten): Run {
  return {
    plan,
    onWritten,
    files: openAppFiles(plan.root),
    writer: createFolderWriter(plan.root),
    manifest: plan.manifest,
    state: { texts: { ...plan.state.texts }, members: { ...plan.state.members } },
    written: 0,
    failures: [],
    isLost: false,
  };
}

async function noteWritten(run: Run, what: string): Promise<void> {
  run.written++;
  await run.onWritten(what);
}

/** Runs work whose failure does not stop the others, unless the connection is lost. */
async function attempt(run: Run, what: string, work: () => Promise<void>): Promise<void> {
  if (run.isLost) return;
  try {
    await work();
  } catch (error) {
    run.isLost = isEngineError(error, TransportError) && error.retryable;
    run.failures.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function endRun({ written, failures, isLost }: Run): SyncResult {
  return { written, failures, isLost };
}

/**
 * Compares a text of the API with the plan again, right before it is replaced.
 *
 * @throws EngineError (USAGE) if another client changed it
 */
async function assertTextUnchanged({ plan }: Run, { remote, what }: TextDifference): Promise<void> {
  if (what === 'context') return assertMembersUnchanged({ plan }, remote, [what]);
  const { api } = plan;
  const planned = plan.remote.sums.get(keyOf(remote))?.get(what) ?? [];
  const sums = await api.readSums();
  const now = sums ? (sums.get(keyOf(remote))?.get(what) ?? []) : [md5(await api.readText(remote, what))];
  assertUnchanged(isSame(planned, now));
}

/** @throws EngineError (USAGE) if another client changed one of the members since the plan */
async function assertMembersUnchanged(
  { plan }: Pick<Run, 'plan'>,
  { kind, name }: RemoteName,
  members: readonly string[],
): Promise<void> {
  if (kind === 'app') return;
  const planned = plan.remote.components[kind].find((one) => one.name === name)?.members ?? {};
  const { members: now } = await plan.api.readComponent(kind, name);
  // Lists of components do not show every member.
  assertUnchanged(
    members.every((member) => !Object.hasOwn(planned, member) || isSame(planned[member], now[member])),
  );
}

function assertUnchanged(isUnchanged: boolean): void {
  if (isUnchanged) return;
  throw new EngineError('USAGE', 'It changed after the plan was made, so it stays. Run the command again.');
}

/**
 * Writes local changes to the API. New components are created first, and the manifest names each at once, so that an
 * interrupted push can be repeated. Texts that fail are reported; the others are written. A lost connection ends the
 * push. What another client changed since the plan stays.
 *
 * @param force whether the local side of a conflict replaces the other
 */
export async function push(
  plan: SyncPlan,
  { force, onWritten }: { readonly force: boolean; readonly onWritten: OnWritten },
): Promise<SyncResult> {
  const run = startRun(plan, onWritten);
  const { api, comparison } = plan;
  for (const { kind, local, remote } of comparison.adopted) addMapping(run, kind, { local, remote });
  await saveManifest(run);
  const created = await createComponents(run);
  try {
    await saveManifest(run);
    const local = await readLocalApp(plan.root, run.manifest);
    const wins = (status: string): boolean => status === 'changed here' || (force && status === 'conflict');
    const differences = comparison.texts.filter(({ status }) => wins(status));
    const ofNew = local.texts.flatMap((text): TextDifference[] => {
      const name = created.get(`${text.kind} ${text.name}`);
      if (name === undefined || text.text === undefined || text.text.trim() === '') return [];
      const what = text.section;
      return [
        {
          status: 'changed here',
          kind: text.kind,
          name: text.name,
          what,
          text,
          remote: { kind: text.kind, name },
        },
      ];
    });
    const all = [...differences, ...ofNew].filter(({ text }) => text.text !== undefined);
    const isGroups = ({ kind, what }: TextDifference): boolean => kind === 'app' && what === 'groups';
    const ordered = [
      ...WRITTEN.flatMap((kind) => all.filter((one) => one.kind === kind && !isGroups(one))),
      ...all.filter(isGroups),
    ];
    for (const difference of ordered) {
      const { text, remote, kind, name, what } = difference;
      const title = [kind, name, what].filter((word) => word !== '').join(' ');
      await attempt(run, title, async () => {
        const content = text.text ?? '';
        if (!created.has(`${kind} ${name}`)) await assertTextUnchanged(run, difference);
        if (what === 'context') await api.change(remote, { context: content });
        else await api.writeText(remote, what, content);
        run.state.texts[textKey(text)] = { local: md5(content), remote: md5(content) };
        await noteWritten(run, title);
      });
    }
    await pushMembers(run, created, wins);
  } finally {
    await saveState(run);
  }
  if (run.written > 0)
    await attempt(run, 'comparison with Make', async () => refreshState(run, await readRemote(api)));
  return endRun(run);
}

/** @returns remote names of created components by kind and local name */
async function createComponents(run: Run): Promise<ReadonlyMap<string, string>> {
  const { api, comparison } = run.plan;
  const created = new Map<string, string>();
  const remoteOf = (kind: ComponentKind, name: string): string | undefined =>
    created.get(`${kind} ${name}`) ??
    comparison.pairs.find((pair) => pair.kind === kind && pair.local === name)?.remote;
  for (const kind of CREATED) {
    for (const component of comparison.newHere.filter((one) => one.kind === kind)) {
      const { name } = component;
      await attempt(run, `${kind} ${name}`, async () => {
        const made = await api.create(kind, creationOf(component, membersOf(component, remoteOf)));
        created.set(`${kind} ${name}`, made.name);
        run.state.members[`${kind} ${name}`] = { ...made.members };
        addMapping(run, kind, { local: name, remote: made.name });
        await saveManifest(run);
        await noteWritten(run, `${kind} ${name}`);
      });
    }
  }
  return created;
}

async function pushMembers(
  run: Run,
  created: ReadonlyMap<string, string>,
  wins: (status: string) => boolean,
): Promise<void> {
  const { api, comparison } = run.plan;
  const local = await readLocalApp(run.plan.root, run.manifest);
  const remoteOf = (kind: ComponentKind, name: string): string | undefined =>
    created.get(`${kind} ${name}`) ??
    comparison.pairs.find((pair) => pair.kind === kind && pair.local === name)?.remote;
  for (const component of local.components) {
    const { kind, name } = component;
    const remote = remoteOf(kind, name);
    if (remote === undefined) continue;
    const own = membersOf(component, remoteOf);
    const before = created.has(`${kind} ${name}`) ? run.state.members[`${kind} ${name}`] : undefined;
    const isChanged = (member: string): boolean =>
      before === undefined
        ? comparison.members.some(
            (one) => one.kind === kind && one.name === name && one.what === member && wins(one.status),
          )
        : JSON.stringify(before[member] ?? null) !== JSON.stringify(own[member] ?? null);
    const entries = Object.entries(own).filter(([member, value]) => value !== undefined && isChanged(member));
    if (entries.length === 0) continue;
    const names = entries.map(([member]) => member).join(', ');
    await attempt(run, `${kind} ${name} ${names}`, async () => {
      if (before === undefined)
        await assertMembersUnchanged(
          run,
          { kind, name: remote },
          entries.map(([member]) => member),
        );
      await api.change({ kind, name: remote }, Object.fromEntries(entries));
      await noteWritten(run, `${kind} ${name} ${names}`);
    });
  }
}

/** Writes the record of an exchange that had nothing to write, which can be old after a merge of Git. */
export async function refreshRecord(plan: SyncPlan): Promise<void> {
  await refreshState(
    startRun(plan, async () => undefined),
    plan.remote,
  );
}

/** Notes what both sides have in common now. */
async function refreshState(run: Run, remote: RemoteApp): Promise<void> {
  const { sums } = remote;
  const origin = listOrigins(run.manifest).find(({ index }) => index === run.plan.index);
  if (origin === undefined) return;
  const local = await readLocalApp(run.plan.root, run.manifest);
  const state: SyncState = { texts: {}, members: {} };
  const { pairs, texts, members } = compareApps(local, remote, { origin, state: run.state });
  const differs = new Set(texts.map(({ text }) => textKey(text)));
  for (const text of local.texts) {
    const name =
      text.kind === 'app'
        ? ''
        : pairs.find((one) => one.kind === text.kind && one.local === text.name)?.remote;
    if (name === undefined || text.text === undefined) continue;
    const key = textKey(text);
    const before = run.state.texts[key];
    const own = sums.get(keyOf({ kind: text.kind, name }))?.get(text.section) ?? [];
    if (!differs.has(key)) state.texts[key] = { local: md5(text.text), remote: sumOf(own) };
    else if (before !== undefined) state.texts[key] = before;
  }
  for (const { kind, local: own, remote: name } of pairs) {
    const found = remote.components[kind].find((one) => one.name === name);
    const key = `${kind} ${own}`;
    const kept = members.filter((one) => one.kind === kind && one.name === own);
    const before = run.state.members[key] ?? {};
    state.members[key] = {
      ...found?.members,
      ...Object.fromEntries(
        kept.flatMap(({ what }) => (Object.hasOwn(before, what) ? [[what, before[what]]] : [])),
      ),
    };
    for (const { what } of kept) if (!Object.hasOwn(before, what)) delete state.members[key][what];
  }
  await writeState(run, state);
}

/** What a pull does with a conflict. */
export type OnConflict = 'keep' | 'replace' | 'merge';

/**
 * Writes changes of the API to the folder: texts, metadata, and new components with their files. What changed in the
 * folder since the plan stays.
 *
 * @param onConflict `replace` writes the side of the API. `merge` writes texts of both sides between conflict markers,
 * and keeps local members; then the local side counts as changed
 */
export async function pull(
  plan: SyncPlan,
  { onConflict, onWritten }: { readonly onConflict: OnConflict; readonly onWritten: OnWritten },
): Promise<SyncResult> {
  const run = startRun(plan, onWritten);
  const { comparison } = plan;
  const wins = (status: string): boolean =>
    status === 'changed there' || (onConflict === 'replace' && status === 'conflict');
  for (const { kind, local, remote } of comparison.adopted) addMapping(run, kind, { local, remote });
  for (const { text, remote, status, what } of comparison.texts) {
    const merges = onConflict === 'merge' && status === 'conflict';
    if (!wins(status) && !merges) continue;
    await attempt(run, text.path, async () => {
      const content = await readRemoteText(plan, remote, what);
      assertUnchanged((await run.files.read(text.path)) === text.text);
      await run.files.write(text.path, merges ? mergeLines(text.text ?? '', content) : content);
      noteText(run, { ...text, text: content }, remote);
      await noteWritten(run, text.path);
    });
  }
  for (const { kind, component } of comparison.newThere) {
    await attempt(run, `${kind} ${component.name}`, async () => {
      await cloneComponent(run, kind, component);
      await noteWritten(run, `${kind} ${component.name}`);
    });
  }
  pullMembers(
    run,
    comparison.members.filter(({ status }) => wins(status)),
  );
  if (onConflict === 'merge') {
    for (const { kind, name, what, there, status } of comparison.members) {
      const key = `${kind} ${name}`;
      if (status === 'conflict') run.state.members[key] = { ...run.state.members[key], [what]: there };
    }
  }
  await saveManifest(run);
  await saveState(run);
  await attempt(run, 'comparison with Make', async () => refreshState(run, await readRemote(run.plan.api)));
  return endRun(run);
}

/** A text as the API has it. */
export async function readRemoteText(
  { api, remote }: Pick<SyncPlan, 'api' | 'remote'>,
  name: RemoteName,
  section: string,
): Promise<string> {
  if (section !== 'context' || name.kind === 'app') return api.readText(name, section);
  const found = remote.components[name.kind].find((one) => one.name === name.name);
  return String(found?.members['context'] ?? '');
}

async function cloneComponent(run: Run, kind: ComponentKind, component: RemoteComponent): Promise<void> {
  const taken = recordsOf(run.manifest, kind);
  const wanted = localName(run, kind, component.name) ?? newLocalName(run, kind, component);
  let local = wanted;
  for (let number = 2; taken.has(local); number++) local = `${wanted}${number}`;
  const type = String(component.members['type'] ?? '');
  const isOauth = kind === 'connection' && type.startsWith('oauth');
  const stem = freeStem(run.manifest, kind, toFileName(local));
  const codeFiles: PlainObject = {};
  const typeId = component.members['typeId'];
  for (const code of codesOf(kind)) {
    // Only polling triggers have an epoch, and secrets of common data stay where they are.
    const isLeftOut = (kind === 'module' && code === 'epoch' && typeId !== 1) || code === 'common';
    if (isLeftOut) {
      if (code === 'common') codeFiles[code] = null;
      continue;
    }
    const section = sectionOf(kind, code);
    const text = await readRemoteText(run.plan, { kind, name: component.name }, section);
    const file = componentFile(kind, stem, code, { extension: extensionOf(run.manifest), isOauth });
    const content = text === 'null' ? emptyText(code) : text;
    await run.files.write(file, content);
    noteText(run, { kind, name: local, section, path: file, text: content }, { kind, name: component.name });
    codeFiles[code] = file;
  }
  const row = { ...rowOf(run, kind, component.members), codeFiles };
  run.manifest = withMember(run.manifest, ['components', kind, local], row);
  addMapping(run, kind, { local, remote: component.name });
}

/**
 * The local name of a new component. Make names connections and webhooks after the app, so they get the names that
 * `iml init app` and `iml add webhook` give: `account`, and the words of the label.
 */
function newLocalName({ plan }: Run, kind: ComponentKind, { name, members }: RemoteComponent): string {
  if (kind === 'connection') {
    const { appId } = plan.origin;
    return name.startsWith(appId) ? `account${name.slice(appId.length)}` : name;
  }
  if (kind !== 'webhook') return name;
  const words = splitWords(String(members['label'] ?? ''));
  const made = words.map((word, index) =>
    index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1),
  );
  return nameProblem(kind, made.join('')) === undefined ? made.join('') : name;
}

/** Notes a text that was read as what both sides have. */
function noteText(run: Run, text: LocalText, remote: RemoteName): void {
  const sums = run.plan.remote.sums.get(keyOf(remote))?.get(text.section) ?? [];
  run.state.texts[textKey(text)] = { local: md5(text.text ?? ''), remote: sumOf(sums) };
}

function emptyText(code: string): string {
  return code === 'samples' || code === 'communication' ? '{}' : '[]';
}

/** The manifest row of a component. References are local names; those that are not here become null. */
function rowOf(run: Run, kind: ComponentKind, members: Readonly<PlainObject>): PlainObject {
  const local = (of: ComponentKind, name: unknown): string | null => localName(run, of, name) ?? null;
  const connections = {
    connection: local('connection', members['connection']),
    altConnection: local('connection', members['altConnection']),
  };
  const label = members['label'] ?? '';
  switch (kind) {
    case 'module': {
      const moduleType = moduleTypeOf(members['typeId']) ?? 'action';
      return {
        label,
        description: members['description'] ?? '',
        moduleType,
        ...(moduleType === 'action' && { actionCrud: members['crud'] ?? null }),
        ...(moduleType === 'instant_trigger'
          ? { webhook: local('webhook', members['webhook']) }
          : connections),
      };
    }
    case 'connection':
      return { label, connectionType: String(members['type'] ?? 'basic') };
    case 'webhook':
      return { label, webhookType: String(members['type'] ?? 'web'), ...connections };
    case 'rpc':
      return { label, ...connections };
    case 'function':
      return {};
    case 'endpoint': {
      const accounts = members['attachedAccounts'];
      return {
        label,
        description: members['description'] ?? '',
        annotations: members['annotations'] ?? {},
        attachedAccounts: (Array.isArray(accounts) ? accounts : []).flatMap(
          (name) => local('connection', name) ?? [],
        ),
      };
    }
  }
}

function localName(run: Run, kind: ComponentKind, remote: unknown): string | undefined {
  if (typeof remote !== 'string') return undefined;
  const origin = listOrigins(run.manifest).find(({ index }) => index === run.plan.index);
  const rows = origin && ownMember(origin.idMapping, kind);
  const row = (Array.isArray(rows) ? rows : []).find(
    (one: unknown) => isPlainObject(one) && ownMember(one, 'remote') === remote,
  );
  const local: unknown = readAt(row, 'local');
  return typeof local === 'string' ? local : undefined;
}

/** Members of the API by their name in the manifest. */
const MANIFEST_MEMBERS: Readonly<Record<string, string>> = { typeId: 'moduleType', crud: 'actionCrud' };

function pullMembers(run: Run, differences: readonly MemberDifference[]): void {
  for (const { kind, name, what, there } of differences) {
    if (kind === 'app') continue;
    const value =
      what === 'typeId'
        ? moduleTypeOf(there)
        : what === 'connection' || what === 'altConnection' || what === 'webhook'
          ? (localName(run, what === 'webhook' ? 'webhook' : 'connection', there) ?? null)
          : what === 'attachedAccounts' && Array.isArray(there)
            ? there.flatMap((account) => localName(run, 'connection', account) ?? [])
            : there;
    if (value === undefined) continue;
    run.manifest = withMember(
      run.manifest,
      ['components', kind, name, MANIFEST_MEMBERS[what] ?? what],
      value,
    );
    run.written++;
  }
}

/** Adds a row to the mapping of the origin. */
function addMapping(
  run: Run,
  kind: ComponentKind,
  pair: { readonly local: string; readonly remote: string },
): void {
  const { index } = run.plan;
  const origin = listOrigins(run.manifest).find((one) => one.index === index);
  const rows = origin === undefined ? undefined : ownMember(origin.idMapping, kind);
  const kept = (Array.isArray(rows) ? (rows as unknown[]) : []).filter(
    (row) => !isPlainObject(row) || ownMember(row, 'local') !== pair.local,
  );
  run.manifest = withMember(run.manifest, ['origins', index, 'idMapping', kind], [...kept, pair]);
}

async function saveManifest(run: Run): Promise<void> {
  const file = path.join(run.plan.root, MANIFEST);
  const current = await readFile(file, 'utf8').catch(() => undefined);
  if (current !== run.manifest.text) await run.writer.replace(file, run.manifest.text);
}

/** Beside the manifest, because it is about these files: `.iml/remote/eu1.make.com_acme_1.json`. */
function stateFile(root: string, { baseUrl, appId, appVersion }: ManifestOrigin): string {
  const { host } = new URL(baseUrl);
  return path.join(root, '.iml', 'remote', `${toFileName(`${host}_${appId}_${appVersion}`)}.json`);
}

/** Undefined without a file. @throws EngineError (USAGE) if Git could not merge it; SpecError (SPEC_JSON) */
async function readState(root: string, origin: ManifestOrigin): Promise<SyncState | undefined> {
  const file = stateFile(root, origin);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const shown = relativePath(root, file);
  if (text.includes('\n<<<<<<< '))
    throw new EngineError(
      'USAGE',
      `${shown} has conflict markers of Git. Take either side, such as with git checkout --ours, then iml push or iml pull completes it.`,
    );
  const { value } = readDocument(text, shown);
  if (!isPlainObject(value)) return undefined;
  const { texts, members } = value;
  const isText = (one: unknown): one is { local: string; remote: string } =>
    isPlainObject(one) && typeof one['local'] === 'string' && typeof one['remote'] === 'string';
  const entries = isPlainObject(texts) ? Object.entries(texts) : [];
  return {
    texts: Object.fromEntries(entries.flatMap(([key, one]) => (isText(one) ? [[key, one]] : []))),
    members: isPlainObject(members)
      ? Object.fromEntries(
          Object.entries(members).flatMap(([key, one]) => (isPlainObject(one) ? [[key, one]] : [])),
        )
      : {},
  };
}

async function saveState(run: Run): Promise<void> {
  await writeState(run, run.state);
}

async function writeState(run: Run, state: SyncState): Promise<void> {
  const file = stateFile(run.plan.root, run.plan.origin);
  const sorted = (record: object): object =>
    Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
  const text = `${JSON.stringify({ texts: sorted(state.texts), members: sorted(state.members) }, null, 2)}\n`;
  await run.writer.replace(file, text);
}
