import { SpecError } from '../../shared/errors/engine-error.js';
import { formatLocation, type SourceLocation } from '../../shared/errors/source-location.js';
import {
  collectWarnings,
  type Document,
  limitWarnings,
  type Warn,
  type Warning,
} from '../document/document.js';
import { readDocument } from '../document/jsonc.js';
import { type AppFolder, kindFolders, listFiles, SPEC_EXTENSIONS, SPEC_FILE } from './app-folder.js';
import {
  type AppParts,
  CODE_TYPES,
  COMPONENT_KINDS,
  type CodeType,
  type ComponentKind,
  type ComponentPart,
  GENERAL_CODE_TYPES,
  type SourceText,
} from './code-types.js';

/** A file of a component. */
export interface CodeFile {
  /** Code type as in the manifest. */
  readonly name: string;
  readonly type: CodeType;
  /** Relative to the app. */
  readonly file: string;
  /** Location of the path, for errors and warnings. */
  readonly locationOf: () => SourceLocation;
}

export interface ReadFiles {
  readonly documents: ReadonlyMap<string, Document>;
  readonly sources: ReadonlyMap<string, SourceText>;
}

/** Reads the files of components, each once. */
export interface CodeReader {
  /** @throws SpecError SPEC_MISSING, SPEC_READ, SPEC_JSON. */
  readonly read: (owner: string, files: readonly CodeFile[]) => Promise<ReadFiles>;
}

/** Creates a reader. Optional missing files, empty files and duplicate uses become warnings. */
export function createCodeReader(folder: AppFolder, warn: Warn): CodeReader {
  const known = new Map<string, Document | undefined>();
  const warnMissing = limitWarnings(warn);

  const parseDocument = (text: string, code: CodeFile): Document | undefined => {
    if (known.has(code.file)) return known.get(code.file);
    // Unused parts can be empty files.
    const document = text.trim() === '' ? undefined : readDocument(text, code.file, warn);
    if (document === undefined) {
      warnMissing('missing-file', `The file is empty; expected ${code.name}.`, () => ({
        file: code.file,
      }));
    }
    known.set(code.file, document);
    return document;
  };

  return {
    read: async (owner, files) => {
      const documents = new Map<string, Document>();
      const sources = new Map<string, SourceText>();
      for (const code of files) {
        const text = await readText(folder, owner, code, warnMissing);
        if (text === undefined) continue;
        if (code.type.contents === 'source') {
          sources.set(code.name, { text: text.replace(/^\uFEFF/, ''), file: code.file });
          continue;
        }
        const document = parseDocument(text, code);
        if (document) documents.set(code.name, document);
      }
      return { documents, sources };
    },
  };
}

/** The text of a file; undefined with a warning if it is optional and missing. */
async function readText(
  folder: AppFolder,
  owner: string,
  code: CodeFile,
  warn: Warn,
): Promise<string | undefined> {
  try {
    const text = await folder.read(code.file, code.locationOf);
    if (text === undefined) tellMissing(owner, code, warn);
    return text;
  } catch (error) {
    if (!(error instanceof SpecError) || error.code !== 'SPEC_READ' || code.type.runs) throw error;
    warn('unread-file', error.message, code.locationOf);
    return undefined;
  }
}

function tellMissing(owner: string, code: CodeFile, warn: Warn): void {
  const message = `The ${code.name} of ${owner} is in the file "${code.file}", which does not exist.`;
  if (code.type.runs) {
    const place = code.locationOf();
    throw new SpecError('SPEC_MISSING', `${formatLocation(place)}: ${message}`, { place });
  }
  warn('missing-file', message, code.locationOf);
}

/** `module.getTask.api.imljson`: kind, name, section. The name may be absent if the kind has one component. */
const FLAT_FILE = /^([a-z]+)(?:\.([A-Za-z0-9_-]+))?\.([a-zA-Z-]+)\.(?:imljson|iml\.jsonc?|jsonc?)$/;

/** `function.joinNames.js` and its test `function.joinNames.test.js`. */
const FUNCTION_FILE = /^function\.([A-Za-z_$][\w$]*)(?:\.(code|test))?\.js$/;

export interface FlatFile extends CodeFile {
  readonly kind: ComponentKind;
  readonly component: string;
}

/** Whether the files of a folder are an app in the flat layout. */
export function isFlat(files: readonly string[]): boolean {
  return files.some((file) => readFlatName(file)?.name === 'communication');
}

/** Files whose names say kind, component and part: `module.getTask.api.json`, `modules/getTask.api.json`. */
export function findFlatFiles(files: readonly string[]): readonly FlatFile[] {
  return files.flatMap((file) => readFlatName(file) ?? []);
}

function readFlatName(file: string): FlatFile | undefined {
  const [folder = '', inFolder, ...deeper] = file.split('/');
  const ofFolder = COMPONENT_KINDS.find((kind) => kindFolders(kind).includes(folder));
  if (deeper.length > 0 || (inFolder !== undefined && ofFolder === undefined)) return undefined;
  const name = inFolder === undefined ? file : `${ofFolder}.${inFolder}`;
  const [, first, component, section] = FLAT_FILE.exec(name) ?? [];
  const [, functionName, part = 'code'] = FUNCTION_FILE.exec(name) ?? [];
  const kind = functionName === undefined ? COMPONENT_KINDS.find((one) => one === first) : 'function';
  const found = kind && findCodeType(CODE_TYPES[kind], functionName === undefined ? section : part);
  if (kind === undefined || found === undefined) return undefined;
  if ((found[1].contents === 'source') !== (functionName !== undefined)) return undefined;
  // In the folder of a kind, a file without a name is that of the only component.
  if (inFolder !== undefined && component === undefined && functionName === undefined) return undefined;
  return {
    kind,
    component: functionName ?? component ?? kind,
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
