import path from 'node:path';
import { CODE_TYPES, type ComponentKind } from '../../engine/assembling/code-types.js';
import { editJson } from '../../engine/document/edit-json.js';
import { readDocument } from '../../engine/document/jsonc.js';
import { MANIFEST } from '../../engine/loading/read-manifest.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
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

/** The records of a kind by name; null for a component that is left out on purpose. */
export function recordsOf(manifest: Manifest, kind: ComponentKind): ReadonlyMap<string, PlainObject | null> {
  const components = ownMember(manifest.value, 'components');
  const records = isPlainObject(components) ? ownMember(components, kind) : undefined;
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

/** JSON as the templates write it. */
export function printJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
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

/** A folder name that no declared file of the kind uses, upper and lower case alike. */
export function freeStem(manifest: Manifest, kind: ComponentKind, name: string): string {
  const used = manifest.text.toLowerCase();
  const plain = toKebab(name);
  let stem = plain;
  for (let number = 2; used.includes(`${kind}s/${stem}/`); number++) stem = `${plain}-${number}`;
  return stem;
}

/** The files and the manifest row of a new component, and the manifest with it. */
export interface ComponentAddition {
  readonly files: readonly NewAppFile[];
  readonly manifest: Manifest;
}

/**
 * Adds a component to a manifest. Keeps the comments and the layout of the manifest.
 *
 * @throws EngineError (USAGE) if the manifest has a component of this name
 */
export function addComponent(
  manifest: Manifest,
  {
    kind,
    name,
    component,
  }: { readonly kind: ComponentKind; readonly name: string; readonly component: NewComponent },
): ComponentAddition {
  if (recordsOf(manifest, kind).has(name)) {
    throw new EngineError('USAGE', `${MANIFEST} already has a ${kind} "${name}".`);
  }
  const stem = freeStem(manifest, kind, name);
  const extension = extensionOf(manifest);
  const isOauth = component.row['connectionType'] === 'oauth';
  const files = Object.entries(component.files).map(([code, content]) => ({
    code,
    path: componentFile(kind, stem, code, { extension, isOauth }),
    content: typeof content === 'string' ? content : printJson(content),
  }));
  const absent = Object.keys(CODE_TYPES[kind]).filter(
    (code) => !Object.hasOwn(component.files, code) && (kind !== 'module' || code !== 'epoch'),
  );
  const codeFiles = Object.fromEntries([
    ...files.map((file) => [file.code, file.path] as const),
    ...absent.map((code) => [code, null] as const),
  ]);
  const row = { ...component.row, codeFiles };
  return { files, manifest: withMember(manifest, ['components', kind, name], row) };
}

/** A manifest with a changed member. */
export function withMember(manifest: Manifest, at: readonly (string | number)[], value: unknown): Manifest {
  const mark = manifest.text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const text = mark + editJson(manifest.text.slice(mark.length), [{ path: at, value }]);
  return readManifestText(text);
}

/** Whether a path of a manifest stays in the folder of the app. */
export function isInside(file: string): boolean {
  const normal = path.posix.normalize(file.replaceAll('\\', '/'));
  return !path.posix.isAbsolute(normal) && normal !== '..' && !normal.startsWith('../');
}
