import type { AppParts, ComponentPart } from '../assembling/app-parts.js';
import {
  CODE_TYPES,
  COMPONENT_KINDS,
  type CodeType,
  type ComponentKind,
  GENERAL_CODE_TYPES,
} from '../assembling/code-types.js';
import { collectWarnings, type Warning } from '../document/document.js';
import { type AppFolder, listFiles, SPEC_EXTENSIONS, SPEC_FILE } from './app-folder.js';
import { type CodeFile, type CodeReader, createCodeReader } from './read-component-files.js';

/** `module.getTask.api.imljson`: kind, name, section; the name may be absent where there is one component of the kind. */
const FLAT_FILE = /^([a-z]+)(?:\.([A-Za-z0-9_-]+))?\.([a-zA-Z-]+)\.(?:imljson|iml\.jsonc?|jsonc?)$/;

export interface FlatFile extends CodeFile {
  readonly kind: ComponentKind;
  readonly component: string;
}

/** Whether the files of a folder are an app in the flat layout. */
export function isFlat(files: readonly string[]): boolean {
  return files.some((file) => readFlatName(file)?.name === 'communication');
}

/** Recognized files of a folder. */
export function findFlatFiles(files: readonly string[]): readonly FlatFile[] {
  return files.flatMap((file) => readFlatName(file) ?? []);
}

function readFlatName(file: string): FlatFile | undefined {
  const [, first, name, section] = FLAT_FILE.exec(file) ?? [];
  const kind = COMPONENT_KINDS.find((one) => one === first);
  const found = kind && findCodeType(CODE_TYPES[kind], section);
  if (kind === undefined || found === undefined || found[1].contents === 'source') return undefined;
  return {
    kind,
    component: name ?? kind,
    name: found[0],
    type: found[1],
    file,
    locationOf: () => ({ file }),
  };
}

function findCodeType(
  types: Readonly<Record<string, CodeType>>,
  section: string | undefined,
): readonly [string, CodeType] | undefined {
  return Object.entries(types).find(([, { section: own, part }]) => section === own || section === part);
}

/**
 * Reads an app whose files lie flat in one folder and say by their names what they are, as one public app has them. No tool
 * of the platform writes that, so it warns (`undeclared-component`). What no file says is guessed: a
 * connection or webhook that is the only one is everybody's, and a module without communication that of the webhook. [inf]
 *
 * @throws SpecError SPEC_JSON, SPEC_READ.
 */
export async function readFlat(folder: AppFolder, name: string): Promise<AppParts> {
  const warnings: Warning[] = [];
  const warn = collectWarnings(warnings);
  const reader = createCodeReader(folder, warn);
  const entries = listFiles(folder.root, (_names, relative) => relative === '');
  const files = entries.filter(({ isFolder }) => !isFolder).map(({ path }) => path);
  const general = Object.entries(GENERAL_CODE_TYPES).flatMap(([part, type]): CodeFile[] => {
    const file = SPEC_EXTENSIONS.map((extension) => part + extension).find((one) => files.includes(one));
    return file === undefined ? [] : [{ name: part, type, file, locationOf: () => ({ file }) }];
  });
  const { documents } = await reader.read('the app', general);
  const flat = findFlatFiles(files);
  const components = await readFlatComponents(reader, flat);
  const used = new Set([...general, ...flat].map(({ file }) => file));
  for (const file of files.filter((one) => SPEC_FILE.test(one) && !used.has(one))) {
    warn('undeclared-file', 'The name of this file means nothing in a flat app, so it is not read.', () => ({
      file,
    }));
  }
  const message = `All files of the app lie in one folder, which no tool of the platform writes. Its ${components.length} components are loaded by the names of their files, their types and connections guessed; a makecomapp.json would say them.`;
  for (const { locationOf } of components.slice(0, 1)) warn('undeclared-component', message, locationOf);
  return {
    name,
    components,
    warnings,
    foreign: new Set(),
    base: documents.get('base'),
    common: documents.get('common'),
    groups: documents.get('groups'),
  };
}

/** Reads components of the flat layout. */
export async function readFlatComponents(
  reader: CodeReader,
  files: readonly FlatFile[],
): Promise<readonly ComponentPart[]> {
  const named = new Map<string, readonly FlatFile[]>();
  for (const file of files) {
    const key = `${file.kind} ${file.component}`;
    named.set(key, [...(named.get(key) ?? []), file]);
  }
  const only = (kind: ComponentKind): string | undefined => {
    const names = new Set(files.filter((file) => file.kind === kind).map(({ component }) => component));
    return names.size === 1 ? [...names][0] : undefined;
  };
  const components: ComponentPart[] = [];
  for (const parts of named.values()) {
    const [first] = parts;
    if (first === undefined) continue;
    const { kind, component } = first;
    const read = await reader.read(`${kind} "${component}"`, parts);
    const isOfWebhook = kind === 'module' && !read.documents.has('communication');
    const connection = kind === 'connection' ? undefined : only('connection');
    components.push({
      ...read,
      kind,
      name: component,
      locationOf: first.locationOf,
      refuse: () => {},
      fields: { connection, ...(isOfWebhook && { webhook: only('webhook') }) },
    });
  }
  return components;
}
