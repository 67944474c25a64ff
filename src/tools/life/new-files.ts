import { editJson, type JsonEdit } from '../../engine/document/edit-json.js';
import { readDocument } from '../../engine/document/jsonc.js';
import { CODE_TYPES, COMPONENT_KINDS, type ComponentKind } from '../../engine/loading/code-types.js';
import { MANIFEST } from '../../engine/loading/read-manifest.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject, readAt, setMember } from '../../shared/plain-object.js';
import { escapeUnsafe } from '../../shared/text.js';
import { toKebab } from './names.js';
import type { NewComponent } from './templates.js';

/** A manifest that commands edit. */
export interface Manifest {
  /** As in the file, with comments. */
  readonly text: string;
  readonly value: PlainObject;
}

/** @throws SpecError SPEC_JSON; EngineError (USAGE) for a manifest that holds no object */
export function readManifestText(text: string): Manifest {
  const { value } = readDocument(text, MANIFEST);
  if (!isPlainObject(value)) throw new EngineError('USAGE', `${MANIFEST} is not an object.`);
  return { text, value };
}

/**
 * The manifest of a new app without components.
 *
 * @param extension of its base
 * @param common path of its common data; null without any
 */
export function newManifest(
  extension: string,
  common: string | null,
): Manifest & {
  readonly general: { readonly base: string; readonly readme: string; readonly groups: string };
} {
  const general = { base: `general/base${extension}`, readme: 'README.md', groups: 'modules/groups.json' };
  const components = Object.fromEntries(COMPONENT_KINDS.map((kind) => [kind, {}]));
  const { base, ...others } = general;
  const value = { fileVersion: 1, generalCodeFiles: { base, common, ...others }, components, origins: [] };
  return { ...readManifestText(printJson(value)), general };
}

/** The records of a kind by name; null for a component that is left out on purpose. */
export function recordsOf(manifest: Manifest, kind: ComponentKind): ReadonlyMap<string, PlainObject | null> {
  const records = readAt(manifest.value, 'components', kind);
  if (!isPlainObject(records)) return new Map();
  return new Map(Object.entries(records).map(([name, row]) => [name, isPlainObject(row) ? row : null]));
}

/** `.iml.jsonc`, `.imljson` or `.iml.json`: the extension that most files of the manifest have. */
export function extensionOf(manifest: Manifest): string {
  const count = (extension: string): number => manifest.text.split(`${extension}"`).length;
  const counts = ['.iml.json', '.iml.jsonc', '.imljson'].map((one) => [one, count(one)] as const);
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/** A file of a new component, relative to the manifest. */
export interface NewAppFile {
  readonly path: string;
  readonly content: string;
}

/** JSON as the templates write it. Invisible characters are escaped, so that a review sees them. */
export function printJson(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value, null, 2))}\n`;
}

/**
 * Name of the file of a code type, as the editor of the platform clones it:
 * `modules/get-user/get-user.communication.iml.json`. [src]
 *
 * @param stem folder and file name of the component
 */
export function componentFile(
  kind: ComponentKind,
  stem: string,
  code: string,
  { extension, isOauth = false }: { readonly extension: string; readonly isOauth?: boolean },
): string {
  const part =
    kind === 'connection' && code === 'communication' && isOauth
      ? 'oauth-communication'
      : (CODE_TYPES[kind][code]?.part ?? code);
  const folder = `${kind}s/${stem}`;
  if (kind === 'function') return `${folder}/${stem}.${code === 'test' ? 'test.js' : 'js'}`;
  if (code === 'context') return `${folder}/${stem}.context.md`;
  return `${folder}/${stem}.${part}${code === 'common' ? '.json' : extension}`;
}

/** The files and the manifest row of a new component, and the manifest with it. */
export interface ComponentAddition {
  readonly files: readonly NewAppFile[];
  readonly manifest: Manifest;
}

/** A component to add. */
export interface AddedComponent {
  readonly kind: ComponentKind;
  readonly name: string;
  readonly component: NewComponent;
}

/**
 * Adds a component to a manifest. Keeps the comments and the layout of the manifest.
 *
 * @throws EngineError (USAGE) if the manifest has a component of this name
 */
export function addComponent(manifest: Manifest, added: AddedComponent): ComponentAddition {
  return addComponents(manifest, [added]);
}

/** Adds components; see `addComponent`. */
export function addComponents(manifest: Manifest, added: readonly AddedComponent[]): ComponentAddition {
  const extension = extensionOf(manifest);
  const files: NewAppFile[] = [];
  const rowsByKind = new Map<ComponentKind, PlainObject>();
  const stems = new Map<ComponentKind, Set<string>>();
  for (const { kind, name, component } of added) {
    if (recordsOf(manifest, kind).has(name)) {
      throw new EngineError('USAGE', `${MANIFEST} already has a ${kind} "${name}".`);
    }
    const taken = stems.get(kind) ?? new Set();
    const stem = freeStem(manifest, kind, name, taken);
    stems.set(kind, taken.add(stem));
    const written = writeComponent({ kind, name, component }, stem, extension);
    files.push(...written.files);
    const rows = rowsByKind.get(kind) ?? {};
    setMember(rows, name, written.row);
    rowsByKind.set(kind, rows);
  }
  return { files, manifest: withRows(manifest, rowsByKind) };
}

/** One edit per kind into an empty list, so that a large import takes one pass. */
function withRows(manifest: Manifest, rowsByKind: ReadonlyMap<ComponentKind, PlainObject>): Manifest {
  const changes = [...rowsByKind].flatMap(([kind, rows]): JsonEdit[] => {
    if (recordsOf(manifest, kind).size === 0) return [{ path: ['components', kind], value: rows }];
    return Object.entries(rows).map(([name, value]) => ({ path: ['components', kind, name], value }));
  });
  return withMembers(manifest, changes);
}

function writeComponent(
  { kind, component }: AddedComponent,
  stem: string,
  extension: string,
): { readonly row: PlainObject; readonly files: readonly NewAppFile[] } {
  const isOauth = component.row['connectionType'] === 'oauth';
  const files = Object.entries(component.files).map(([code, content]) => ({
    code,
    path: componentFile(kind, stem, code, { extension, isOauth }),
    content: printContent(content),
  }));
  const absent = Object.keys(CODE_TYPES[kind]).filter(
    (code) => !Object.hasOwn(component.files, code) && (kind !== 'module' || code !== 'epoch'),
  );
  const codeFiles = Object.fromEntries([
    ...files.map((file) => [file.code, file.path] as const),
    ...absent.map((code) => [code, null] as const),
  ]);
  return { row: { ...component.row, codeFiles }, files };
}

/** The text of a file of a component: JSON values are printed, texts stay. */
export function printContent(content: unknown): string {
  return typeof content === 'string' ? content : printJson(content);
}

/**
 * A folder name that no declared file of the kind uses, upper and lower case alike.
 *
 * @param taken further names that are in use
 */
export function freeStem(
  manifest: Manifest,
  kind: ComponentKind,
  name: string,
  taken: ReadonlySet<string> = new Set(),
): string {
  const used = manifest.text.toLowerCase();
  const plain = toKebab(name);
  let stem = plain;
  for (let number = 2; used.includes(`${kind}s/${stem}/`) || taken.has(stem); number++)
    stem = `${plain}-${number}`;
  return stem;
}

/** A manifest with a changed member. */
export function withMember(manifest: Manifest, at: readonly (string | number)[], value: unknown): Manifest {
  return withMembers(manifest, [{ path: at, value }]);
}

/** A manifest with changed members. */
export function withMembers(manifest: Manifest, edits: readonly JsonEdit[]): Manifest {
  const { text, value } = manifest;
  // Edits of a text take time for each of its lines, so only a layout of its own is kept this way.
  if (text === printJson(value) && edits.every(isOfMembers)) {
    const changed = structuredClone(value);
    for (const { path: at, value: member } of edits) putMember(changed, at.map(String), member);
    return { text: printJson(changed), value: changed };
  }
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  return readManifestText(mark + editJson(text.slice(mark.length), edits));
}

function isOfMembers({ path: at, value }: JsonEdit): boolean {
  return value !== undefined && at.length > 0 && at.every((step) => typeof step === 'string');
}

function putMember(object: PlainObject, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    setMember(object, name, value);
    return;
  }
  const inner = ownMember(object, name);
  const next = isPlainObject(inner) ? inner : {};
  putMember(next, rest, value);
  setMember(object, name, next);
}
