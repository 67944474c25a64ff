import { existsSync } from 'node:fs';
import path from 'node:path';
import type { App } from '../../engine/document/app.js';
import { SPEC_EXTENSIONS } from '../../engine/loading/app-folder.js';
import {
  CODE_TYPES,
  COMPONENT_KINDS,
  type CodeType,
  type ComponentKind,
  GENERAL_CODE_TYPES,
} from '../../engine/loading/code-types.js';
import { isPlainObject, ownMember, type PlainObject, readAt } from '../../shared/plain-object.js';
import { type Manifest, printJson, readManifestText, recordsOf, withMember } from './new-files.js';

/** A manifest and a description of its additions. */
export interface Migration {
  readonly manifest: Manifest;
  readonly changes: readonly string[];
}

/**
 * Brings a manifest to the form that the editor of the platform writes: `moduleType` instead of `moduleSubtype`, all
 * kinds of components, all lists of `idMapping`, and rows for components that lie in the folder and have none. Keeps
 * comments. Without a manifest, makes one that names the files of the app. [src]
 *
 * @param root absolute folder of the app
 */
export function migrateManifest(root: string, app: App, manifest: Manifest | undefined): Migration {
  const changes: string[] = [];
  let current =
    manifest ??
    readManifestText(printJson({ fileVersion: 1, generalCodeFiles: {}, components: {}, origins: [] }));
  const change = (at: readonly (string | number)[], value: unknown, note: string): void => {
    current = withMember(current, at, value);
    changes.push(note);
  };
  if (ownMember(current.value, 'fileVersion') === undefined) change(['fileVersion'], 1, 'fileVersion 1');
  for (const [code, file] of Object.entries(generalFiles(root, app))) {
    const general = ownMember(current.value, 'generalCodeFiles');
    if (isPlainObject(general) && Object.hasOwn(general, code)) continue;
    change(['generalCodeFiles', code], file, `${code}: ${file ?? 'not stored here'}`);
  }
  const components = ownMember(current.value, 'components');
  for (const kind of COMPONENT_KINDS) {
    const list = readAt(components, kind);
    // Older manifests have lists, or lack kinds without components.
    if (!isPlainObject(list)) change(['components', kind], {}, `a place for ${kind} components`);
    for (const [name, row] of recordsOf(current, kind)) {
      if (row === null || kind !== 'module' || !Object.hasOwn(row, 'moduleSubtype')) continue;
      const { moduleSubtype, ...rest } = row;
      const upgraded = Object.hasOwn(row, 'moduleType') ? rest : { ...rest, moduleType: moduleSubtype };
      change(['components', kind, name], upgraded, `module ${name}: moduleType instead of moduleSubtype`);
    }
    const known = recordsOf(current, kind);
    for (const [name, component] of app[`${kind}s` as const] as ReadonlyMap<string, object>) {
      if (known.has(name)) continue;
      change(['components', kind, name], rowOf(root, kind, component), `${kind} ${name}`);
    }
  }
  const origins = ownMember(current.value, 'origins');
  if (!Array.isArray(origins)) change(['origins'], [], 'origins');
  for (const [index, origin] of (Array.isArray(origins) ? (origins as unknown[]) : []).entries()) {
    const mapping = readAt(origin, 'idMapping');
    if (!isPlainObject(mapping)) continue;
    for (const kind of COMPONENT_KINDS) {
      if (Object.hasOwn(mapping, kind)) continue;
      change(['origins', index, 'idMapping', kind], [], `origin ${index + 1}: a list of ${kind} names`);
    }
  }
  return { manifest: current, changes };
}

function generalFiles(root: string, { base, common, groups }: App): Readonly<Record<string, string | null>> {
  const readme = ['README.md', 'readme.md', 'Readme.md'].find((file) => existsSync(path.join(root, file)));
  const files = { base: base?.file, common: common?.file, readme, groups: groups?.file };
  return Object.fromEntries(
    Object.keys(GENERAL_CODE_TYPES).map((code) => [code, files[code as keyof typeof files] ?? null]),
  );
}

function rowOf(root: string, kind: ComponentKind, component: object): PlainObject {
  const text = (member: string): string | null => {
    const value = ownMember(component, member);
    return typeof value === 'string' ? value : null;
  };
  const label = { label: text('label') ?? text('name') };
  const connections = { connection: text('connection'), altConnection: text('altConnection') };
  const codeFiles = filesOf(root, kind, component);
  switch (kind) {
    case 'connection':
      return { ...label, connectionType: text('type'), codeFiles };
    case 'webhook':
      return { ...label, webhookType: text('type'), ...connections, codeFiles };
    case 'module': {
      const type = text('type');
      return {
        ...label,
        description: text('description') ?? '',
        moduleType: type,
        ...(type === 'action' && { actionCrud: text('crud') }),
        ...(type === 'instant_trigger' ? { webhook: text('webhook') } : connections),
        codeFiles,
      };
    }
    case 'rpc':
      return { ...label, ...connections, codeFiles };
    case 'function':
      return { codeFiles };
    case 'endpoint':
      return { ...label, description: text('description') ?? '', codeFiles };
  }
}

/** Files by code type: those that were read, and those beside them that loading an app has no use for. */
function filesOf(root: string, kind: ComponentKind, component: object): PlainObject {
  if (kind === 'function') {
    return { code: ownMember(component, 'file') ?? null, test: ownMember(component, 'testFile') ?? null };
  }
  const types: readonly [string, CodeType][] = Object.entries(CODE_TYPES[kind]);
  const read = types.map(([code]): readonly [string, string | undefined] => {
    const document = ownMember(component, code);
    const file: unknown =
      typeof document === 'object' && document !== null ? Reflect.get(document, 'file') : undefined;
    return [code, typeof file === 'string' ? file : undefined];
  });
  const folder = read.flatMap(([, file]) => (file === undefined ? [] : [path.posix.dirname(file)]))[0];
  return Object.fromEntries(
    types.map(([code, { section, part }], index) => {
      const known = read[index]?.[1];
      // In a flat folder the names of neighbours belong to other components.
      if (known !== undefined || folder === undefined || folder === '.') return [code, known ?? null];
      const extensions = code === 'context' ? ['.md'] : SPEC_EXTENSIONS;
      const names = [section, part].flatMap((stem) =>
        extensions.map((extension) => `${folder}/${stem}${extension}`),
      );
      return [code, names.find((file) => existsSync(path.join(root, file))) ?? null];
    }),
  );
}
