import path from 'node:path';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { collectWarnings, type Document, type Warn, type Warning } from '../document/document.js';
import { readDocument } from '../document/jsonc.js';
import {
  type AppFolder,
  type FoundEntry,
  kindFolders,
  listFiles,
  SPEC_EXTENSIONS,
  SPEC_FILE,
} from './app-folder.js';
import {
  type AppParts,
  CODE_TYPES,
  COMPONENT_KINDS,
  type CodeType,
  type ComponentField,
  type ComponentKind,
  type ComponentPart,
  GENERAL_CODE_TYPES,
} from './code-types.js';
import {
  type CodeFile,
  type CodeReader,
  createCodeReader,
  findFlatFiles,
  readFlatComponents,
} from './read-component-files.js';
import { refuseSingleFiles } from './refused-layouts.js';

/** Names of metadata files: as the exporter writes them, and as one public app has them. [src][app] */
const METADATA_FILES = ['metadata.json', 'metadata.imljson'];

/** A folder with this file is a separate app. */
const MANIFEST = 'makecomapp.json';

/** Module type numbers of the API. Source: https://github.com/integromat/vscode-apps-sdk#readme [src] */
const MODULE_TYPE_IDS: Readonly<Record<string, string>> = {
  1: 'trigger',
  4: 'action',
  9: 'search',
  10: 'instant_trigger',
  11: 'responder',
  12: 'universal',
};

/** Members of `metadata.json` by meaning; the first present one counts. [src] */
const METADATA_KEYS: Readonly<Record<ComponentField, readonly string[]>> = {
  label: ['label'],
  description: ['description'],
  type: ['type', 'type_id', 'typeId'],
  crud: ['crud', 'actionCrud'],
  connection: ['connection'],
  altConnection: ['altConnection', 'alt_connection'],
  webhook: ['webhook'],
  annotations: ['annotations'],
  attachedAccounts: ['attachedAccounts', 'attached_accounts'],
};

/** Folders of general files. [inf] */
const GENERAL_FOLDERS = ['', 'general', 'app', 'base', 'common', 'modules', 'module'];

/** Kinds whose only component can be directly in the folder of the kind. [app] */
const SINGLE_KINDS: readonly ComponentKind[] = ['connection', 'webhook'];

/**
 * Reads an app without a manifest by the names of its files: a folder per kind, in it one per component
 * with `metadata.json` and `api.imljson`, `parameters.imljson` and so on, as the exporter writes them. It also reads the names
 * of a cloned app, a `metadata.json` of the app that lists components, a connection or webhook without a folder of its own,
 * and files that name their component: `connection.communication.json`, `modules/getThing.api.json`, `functions/join.js`.
 * Source: https://github.com/integromat/vscode-apps-sdk#readme (file names of exports and clones). [inf]
 *
 * @throws SpecError SPEC_JSON, SPEC_READ.
 */
export async function readExported(folder: AppFolder, name: string): Promise<AppParts> {
  const warnings: Warning[] = [];
  const warn = collectWarnings(warnings);
  const lying = await findLyingFiles(folder);
  await refuseSingleFiles(folder, lying.files);
  const used = new Set<string>(lying.general.map(({ file }) => file));

  const reader = createCodeReader(folder, warn);
  const { documents } = await reader.read('the app', lying.general);
  if (!documents.has('base')) {
    warn('missing-file', 'The app has no base, so no address and no headers are shared.', () => ({
      file: 'base.imljson',
    }));
  }
  const appMetadata = GENERAL_FOLDERS.map((at) => findMetadata(lying.files, at)).find(Boolean);
  if (appMetadata !== undefined) used.add(appMetadata);
  const listed = appMetadata === undefined ? undefined : await readMetadata(folder, appMetadata, warn);
  const components: ComponentPart[] = [];
  const guessed = new Set<ComponentPart>();
  for (const found of lying.components) {
    for (const { file } of found.files) used.add(file);
    if (found.metadata !== undefined) used.add(found.metadata);
    const part = await readFound(folder, reader, { ...found, appName: name, listed }, warn);
    components.push(part);
    if (found.metadata === undefined && listed === undefined) guessed.add(part);
  }
  // Folders take precedence over files that name their component.
  const flat = findFlatFiles([...lying.files]).filter(
    ({ kind, component, file }) =>
      !used.has(file) && components.every((part) => part.kind !== kind || part.name !== component),
  );
  for (const { file } of flat) used.add(file);
  for (const part of await readFlatComponents(reader, flat)) {
    components.push(part);
    guessed.add(part);
  }
  warnUnused(folder, lying.files, used, warn);
  return {
    name,
    base: documents.get('base'),
    common: documents.get('common'),
    groups: documents.get('groups'),
    components: linkComponents(components, guessed),
    foreign: new Set(),
    warnings,
  };
}

/**
 * Names of connections and webhooks that components refer to. The synchronization of the platform lists connections as
 * `attachedAccounts` and writes the path of the folder or the name that the platform made, which no file tells: of an
 * app with one connection it is that one. Components without metadata use the only connection, too. [app][inf]
 */
export function linkComponents(
  components: readonly ComponentPart[],
  guessed: ReadonlySet<ComponentPart> = new Set(),
): readonly ComponentPart[] {
  const names = (kind: ComponentKind): readonly string[] =>
    components.filter((part) => part.kind === kind).map((part) => part.name);
  const known = { connection: names('connection'), webhook: names('webhook') };
  const resolve = (kind: keyof typeof known, value: unknown): unknown => {
    if (typeof value !== 'string' || known[kind].includes(value)) return value;
    const last = path.posix.basename(value);
    return known[kind].includes(last) ? last : value;
  };
  const attached = (value: unknown): unknown => {
    const resolved = resolve('connection', value);
    const isKnown = typeof resolved === 'string' && known.connection.includes(resolved);
    return typeof value !== 'string' || isKnown || known.connection.length !== 1
      ? resolved
      : known.connection[0];
  };
  return components.map((part) => {
    const { connection, altConnection, webhook, attachedAccounts } = part.fields;
    if (part.kind === 'connection' || part.kind === 'function') return part;
    if (part.kind === 'endpoint' && Array.isArray(attachedAccounts)) {
      return { ...part, fields: { ...part.fields, attachedAccounts: attachedAccounts.map(attached) } };
    }
    const [first, second] = Array.isArray(attachedAccounts) ? attachedAccounts.map(attached) : [];
    const only = guessed.has(part) && known.connection.length === 1 ? known.connection[0] : undefined;
    const fields = {
      ...part.fields,
      connection: resolve('connection', connection) ?? first ?? only,
      altConnection: resolve('connection', altConnection) ?? second,
      webhook: resolve('webhook', webhook),
    };
    return { ...part, fields };
  });
}

/** A component in its own folder with its recognized files. */
export interface FoundComponent {
  readonly kind: ComponentKind;
  readonly folder: string;
  readonly files: readonly CodeFile[];
  /** File with its metadata. */
  readonly metadata: string | undefined;
  /** Whether the folder is that of the kind and does not name the component. */
  readonly isUnnamed?: boolean;
}

/** A component with its metadata. */
interface NamedComponent extends FoundComponent {
  readonly appName?: string;
  /** The `metadata.json` of the app. */
  readonly listed?: Document | undefined;
}

/** Files of an app folder, classified by name. */
export interface LyingFiles {
  readonly files: ReadonlySet<string>;
  readonly general: readonly CodeFile[];
  readonly components: readonly FoundComponent[];
}

/** Checks names only; reads nothing. */
export async function findLyingFiles(folder: AppFolder): Promise<LyingFiles> {
  const entries = listFiles(folder.root, (_names, relative) => isOfApp(relative));
  const files = new Set(entries.filter((entry) => !entry.isFolder).map((entry) => entry.path));
  const names = groupByFolder(files);
  const components = componentFolders(entries).map(({ kind, path: at }) => ({
    kind,
    folder: at,
    metadata: findMetadata(files, at),
    // The synchronization of the platform writes `functions/NAME/test/test.js`. [app]
    files: codeFiles(
      names,
      CODE_TYPES[kind],
      kind === 'function' ? [at, `${at}/test`] : [at],
      path.posix.basename(at),
    ),
  }));
  const unnamed = SINGLE_KINDS.flatMap((kind) =>
    kindFolders(kind).flatMap((at): FoundComponent[] => {
      const found = codeFiles(names, CODE_TYPES[kind], [at], kind);
      const isComponent = found.some(({ type }) => type.runs);
      const metadata = findMetadata(files, at);
      return isComponent ? [{ kind, folder: at, files: found, metadata, isUnnamed: true }] : [];
    }),
  );
  return {
    files,
    general: codeFiles(names, GENERAL_CODE_TYPES, GENERAL_FOLDERS, ''),
    components: [...components, ...unnamed],
  };
}

function findMetadata(files: ReadonlySet<string>, at: string): string | undefined {
  return METADATA_FILES.map((name) => (at === '' ? name : `${at}/${name}`)).find((file) => files.has(file));
}

/** File names by folder; `.` is the app. */
function groupByFolder(files: Iterable<string>): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>();
  for (const file of files) {
    const folder = path.posix.dirname(file);
    const names = folders.get(folder);
    if (names === undefined) folders.set(folder, new Set([path.posix.basename(file)]));
    else names.add(path.posix.basename(file));
  }
  return folders;
}

/** Reads a component. @throws SpecError SPEC_JSON, SPEC_READ */
export async function readFound(
  folder: AppFolder,
  reader: CodeReader,
  { kind, folder: at, files, metadata: file, isUnnamed = false, appName, listed }: NamedComponent,
  warn: Warn,
): Promise<ComponentPart> {
  const metadata = file === undefined ? undefined : await readMetadata(folder, file, warn);
  // Make names the first connection after the app. [src]
  const ownName = isUnnamed ? (appName ?? kind) : path.posix.basename(at);
  const record =
    metadata === undefined ? findListed(listed, kind, isUnnamed ? undefined : ownName) : undefined;
  const expected = file ?? `${at}/${METADATA_FILES[0]}`;
  const source: MetadataSource = record ?? { document: metadata, pointer: '', file: expected };
  const part = readPart(kind, { ...source, ownName }, warn);
  return { ...(await reader.read(`${kind} "${part.name}"`, files)), ...part };
}

/** The record of a component in the `metadata.json` of the app: `modules: [{ name, typeId }]`. [app] */
function findListed(
  document: Document | undefined,
  kind: ComponentKind,
  name: string | undefined,
): MetadataSource | undefined {
  const list = isPlainObject(document?.value) ? ownMember(document.value, `${kind}s`) : undefined;
  if (document === undefined || !Array.isArray(list)) return undefined;
  const index = list.findIndex(
    (record) =>
      isPlainObject(record) && (name === undefined ? list.length === 1 : ownMember(record, 'name') === name),
  );
  return index < 0 ? undefined : { document, pointer: `/${kind}s/${index}`, file: document.file ?? '' };
}

/** Whether a path is in the root, `general`, or a folder of a kind. */
function isOfApp(relative: string): boolean {
  const [top = '', ...rest] = relative.split('/');
  if (GENERAL_FOLDERS.includes(relative)) return true;
  if (rest.length === 2) return kindFolders('function').includes(top) && rest[1] === 'test';
  return rest.length <= 1 && COMPONENT_KINDS.some((kind) => kindFolders(kind).includes(top));
}

function componentFolders(entries: readonly FoundEntry[]): { kind: ComponentKind; path: string }[] {
  return COMPONENT_KINDS.flatMap((kind) => {
    const ofKind = entries.filter((entry) => {
      const steps = entry.path.split('/');
      return entry.isFolder && steps.length === 2 && kindFolders(kind).includes(steps[0] ?? '');
    });
    return ofKind.map((entry) => ({ kind, path: entry.path }));
  });
}

/** Placeholder of the component name; not valid in file names. */
const COMPONENT = '\0';

function codeFiles(
  namesIn: ReadonlyMap<string, ReadonlySet<string>>,
  types: Readonly<Record<string, CodeType>>,
  folders: readonly string[],
  component: string,
): CodeFile[] {
  const known = folders.map((folder) => maskComponent(namesIn.get(folder === '' ? '.' : folder), component));
  return Object.entries(types).flatMap(([name, type]): CodeFile[] => {
    for (const [index, folder] of folders.entries()) {
      const found = fileNames(type).find((candidate) => known[index]?.has(candidate));
      if (found === undefined) continue;
      const fileName = found.replace(COMPONENT, () => component);
      const file = folder === '' ? fileName : `${folder}/${fileName}`;
      return [{ name, type, file, locationOf: () => ({ file }) }];
    }
    return [];
  });
}

/** File names with the component name replaced by the placeholder. */
function maskComponent(names: ReadonlySet<string> = new Set(), component: string): ReadonlySet<string> {
  const own = [...names].filter((name) => component !== '' && name.startsWith(`${component}.`));
  return new Set([...names, ...own.map((name) => COMPONENT + name.slice(component.length))]);
}

const FILE_NAMES = new Map<CodeType, readonly string[]>();

/** Possible names of a file: as exported (`api.imljson`), then as cloned (`x.communication.iml.json`). */
function fileNames(type: CodeType): readonly string[] {
  const names = FILE_NAMES.get(type) ?? listFileNames(type);
  FILE_NAMES.set(type, names);
  return names;
}

function listFileNames(type: CodeType): readonly string[] {
  const stems = [type.section, type.part];
  if (type.part === 'communication') stems.push('api-oauth', 'oauth-communication');
  // Names in downloaded endpoints. [app]
  if (type.part === 'input' || type.part === 'output') stems.push(`${type.part}_parameters`);
  if (type.part === 'context') return ['context.md', `${COMPONENT}.context.md`];
  if (type.contents === 'source') return [`${type.part}.js`, `${COMPONENT}.${type.part}.js`];
  const own = [...stems, ...stems.map((stem) => `${COMPONENT}.${stem}`)];
  return own.flatMap((stem) => SPEC_EXTENSIONS.map((extension) => stem + extension));
}

async function readMetadata(folder: AppFolder, file: string, warn: Warn): Promise<Document | undefined> {
  const text = await folder.read(file, () => ({ file }));
  if (text === undefined) return undefined;
  const document = readDocument(text, file, warn);
  if (isPlainObject(document.value)) return document;
  warn('wrong-type', 'The file is not an object and is ignored.', () => document.locationOf(''));
  return undefined;
}

/** Location of the record of a component. */
interface MetadataSource {
  readonly document: Document | undefined;
  readonly pointer: string;
  readonly file: string;
}

function readPart(
  kind: ComponentKind,
  { document: metadata, pointer, file, ownName }: MetadataSource & { readonly ownName: string },
  warn: Warn,
): Omit<ComponentPart, 'documents' | 'sources'> {
  const record = readRecord(metadata, pointer);
  const locationOf = (field?: ComponentField): SourceLocation => {
    const isAttached = field === 'connection' || field === 'altConnection';
    const keys = field === undefined ? [] : METADATA_KEYS[field];
    const key = [...keys, ...(isAttached ? METADATA_KEYS.attachedAccounts : [])].find((candidate) =>
      Object.hasOwn(record, candidate),
    );
    return metadata?.locationOf(key === undefined ? pointer : `${pointer}/${key}`) ?? { file };
  };
  const given = ownMember(record, 'name');
  const name = typeof given === 'string' && given !== '' ? given : ownName;
  // Exports have none for functions. [src]
  if (metadata === undefined && kind !== 'function') {
    warn(
      'missing-file',
      `The ${kind} "${name}" has no metadata.json, so its type and connection are guessed.`,
      locationOf,
    );
  }
  const fields = Object.fromEntries(
    Object.entries(METADATA_KEYS).map(([field, keys]) => {
      const key = keys.find((candidate) => Object.hasOwn(record, candidate));
      const value = key === undefined ? undefined : record[key];
      return [field, field === 'type' ? typeName(kind, value) : value];
    }),
  );
  return {
    kind,
    name,
    fields,
    locationOf,
    refuse: (field, message) => warn('wrong-type', message, () => locationOf(field)),
  };
}

function readRecord(document: Document | undefined, pointer: string): PlainObject {
  let value = document?.value;
  for (const step of pointer.split('/').slice(1)) {
    value = Array.isArray(value)
      ? value[Number(step)]
      : isPlainObject(value)
        ? ownMember(value, step)
        : undefined;
  }
  return isPlainObject(value) ? value : {};
}

function typeName(kind: ComponentKind, value: unknown): unknown {
  if (kind === 'module' && (typeof value === 'number' || typeof value === 'string')) {
    return ownMember(MODULE_TYPE_IDS, String(value)) ?? value;
  }
  // The API distinguishes OAuth 1 and 2; the sections of the communication decide. [inf]
  return kind === 'connection' && typeof value === 'string' && value.startsWith('oauth') ? 'oauth' : value;
}

/** Warns about unused files in component folders and unused specification files. */
function warnUnused(
  { root }: AppFolder,
  files: ReadonlySet<string>,
  used: ReadonlySet<string>,
  warn: Warn,
): void {
  const elsewhere = listFiles(root, (names, relative) => relative === '' || !names.includes(MANIFEST))
    .filter(({ isFolder, path: file }) => !isFolder && SPEC_FILE.test(file))
    .map(({ path: file }) => file);
  for (const file of new Set([...files, ...elsewhere])) {
    const isCandidate = file.split('/').length === 3 || SPEC_FILE.test(file);
    if (!isCandidate || used.has(file) || !(files.has(file) || SPEC_FILE.test(file))) continue;
    warn(
      'undeclared-file',
      'The name of this file means nothing in an exported app, so it is not read.',
      () => ({ file }),
    );
  }
}
