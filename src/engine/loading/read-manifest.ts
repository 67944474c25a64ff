import { SpecError } from '../../shared/errors/engine-error.js';
import { childPointer, type SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { didYouMean } from '../../shared/suggest.js';
import { ENDPOINT_HINTS } from '../document/app.js';
import {
  collectWarnings,
  type Document,
  limitWarnings,
  type Warn,
  type Warning,
} from '../document/document.js';
import { readDocument } from '../document/jsonc.js';
import { ANYTHING, described, type KeyShape, only, type Shape } from '../document/shape.js';
import type { AppFolder } from './app-folder.js';
import {
  type AppParts,
  CODE_TYPES,
  COMPONENT_KINDS,
  CONNECTION_TYPE_NAMES,
  type CodeType,
  type ComponentField,
  type ComponentKind,
  type ComponentPart,
  CRUD_KINDS,
  GENERAL_CODE_TYPES,
  MODULE_TYPES,
  WEBHOOK_TYPES,
} from './code-types.js';
import { type CodeFile, createCodeReader } from './read-component-files.js';

const WORD: KeyShape = { types: ['string'] };

const HINTS: Shape = {
  title: 'annotations of an endpoint',
  isOpen: true,
  keys: Object.fromEntries(
    ENDPOINT_HINTS.map((name) => [name, described('true or false.', { types: ['boolean'] })]),
  ),
};

/** Metadata of a component. Source: https://github.com/integromat/vscode-apps-sdk#readme (makecomapp.json). [src] */
const RECORD_KEYS: Readonly<Record<string, KeyShape>> = {
  label: described('Label of the component.', WORD),
  description: described('Description of the component.', WORD),
  connectionType: described('Type of the connection.', WORD, [...CONNECTION_TYPE_NAMES.keys()]),
  webhookType: described('`web`: an address for each user; `web-shared`: one for all.', WORD, WEBHOOK_TYPES),
  moduleType: described('Type of the module.', WORD, MODULE_TYPES),
  moduleSubtype: described('The old name of moduleType.', WORD, MODULE_TYPES),
  actionCrud: described('CRUD type of an action.', WORD, CRUD_KINDS),
  connection: described('Name of the connection it runs with.', WORD),
  altConnection: described('Name of a second connection that a user may choose.', WORD),
  webhook: described('Name of the webhook of an instant trigger.', WORD),
  annotations: described('Hints of an endpoint for AI callers.', only(HINTS)),
  attachedAccounts: described('Names of the connections that an endpoint may use.'),
};

function recordShape(kind: ComponentKind): Shape {
  return {
    title: `a ${kind}`,
    required: ['codeFiles'],
    keys: {
      codeFiles: described('Its files.', only(filesShape(`files of a ${kind}`, CODE_TYPES[kind]))),
      ...RECORD_KEYS,
    },
  };
}

function filesShape(title: string, types: Readonly<Record<string, CodeType>>): Shape {
  const about = (name: string, { part }: CodeType): KeyShape =>
    described(
      `Path of ${name}, from the manifest on; null where it is not kept here. As the editor names it: \`*.${part}.*\`.`,
      WORD,
    );
  return {
    title,
    keys: Object.fromEntries(Object.entries(types).map(([name, type]) => [name, about(name, type)])),
  };
}

const NAMED = /^/;

/** Structure of a manifest. */
export const MANIFEST_SHAPE: Shape = {
  title: 'makecomapp.json',
  keys: {
    fileVersion: described('Version of the form of this file: 1.', { types: ['number'] }),
    generalCodeFiles: described(
      'Files of the app itself.',
      only(filesShape('files of the app', GENERAL_CODE_TYPES)),
    ),
    components: described(
      'The components of the app by kind, then by name.',
      only({
        title: 'components',
        keys: Object.fromEntries(
          COMPONENT_KINDS.map((kind): [string, KeyShape] => [
            kind,
            described(
              `The ${kind}s of the app by name.`,
              only({
                title: `${kind}s by name`,
                keys: {},
                pattern: { key: NAMED, rule: only(recordShape(kind)) },
              }),
            ),
          ]),
        ),
      }),
    ),
    origins: described('Where the app lives on the platform.', {
      types: ['array'],
      each: true,
      shape: {
        title: 'an origin',
        isOpen: true,
        keys: {
          label: described('Name in the editor.', WORD),
          baseUrl: described('Address of the API of the zone.', WORD),
          appId: described('Name of the app there.', WORD),
          appVersion: described('Version of the app there.', { types: ['number'] }),
          idMapping: described('Names of components there and here.', ANYTHING),
          apikeyFile: described('File of the API key; it stays out of the repository.', WORD),
        },
      },
    }),
  },
};

/** Keys of component records of all kinds. */
const COMPONENT_KEYS: readonly string[] = ['codeFiles', ...Object.keys(RECORD_KEYS)];

export const MANIFEST = 'makecomapp.json';

/** Source: https://github.com/integromat/vscode-apps-sdk#readme (makecomapp.json). [src] */
const FILE_VERSION = 1;
const MANIFEST_KEYS = Object.keys(MANIFEST_SHAPE.keys);

/** The parts of an app with a manifest, and its declared files. */
export interface ManifestParts extends AppParts {
  /** Paths relative to the app, as in the manifest. */
  readonly declared: ReadonlySet<string>;
  /** Extended while components are assembled. */
  readonly warnings: Warning[];
  /** Declared components, such as `module getThing`, and general parts, such as `base`. */
  readonly named: ReadonlySet<string>;
}

interface Manifest {
  readonly document: Document;
  readonly warn: Warn;
  readonly declared: Set<string>;
  readonly named: Set<string>;
}

/**
 * Reads `makecomapp.json` and the files it names. Paths in it are free, so nothing is guessed from names.
 * Defects of single components become warnings.
 *
 * @throws SpecError SPEC_JSON, SPEC_INVALID (the file holds no object), SPEC_MISSING, SPEC_READ.
 */
export async function readManifest(folder: AppFolder, name: string): Promise<ManifestParts> {
  const warnings: Warning[] = [];
  const warn = collectWarnings(warnings);
  const text = await folder.read(MANIFEST, () => ({ file: MANIFEST }));
  if (text === undefined) {
    throw new SpecError('SPEC_MISSING', `The folder has no ${MANIFEST}.`, { place: { file: MANIFEST } });
  }
  const document = readDocument(text, MANIFEST, warn);
  const root = document.value;
  if (!isPlainObject(root)) {
    throw new SpecError('SPEC_INVALID', `${MANIFEST} is not an object.`, { place: document.locationOf('') });
  }
  const manifest: Manifest = {
    document,
    warn: limitWarnings(warn),
    declared: new Set([MANIFEST]),
    named: new Set(),
  };
  checkKeys(manifest, root, MANIFEST_KEYS, '');
  const version = ownMember(root, 'fileVersion');
  if (version !== undefined && version !== FILE_VERSION) {
    const message = `This is not version ${FILE_VERSION} of ${MANIFEST}; it is read as if it were.`;
    manifest.warn('wrong-type', message, () => document.locationOf('/fileVersion'));
  }

  const reader = createCodeReader(folder, warn);
  const generalCodes = ownMember(root, 'generalCodeFiles');
  for (const part of isPlainObject(generalCodes) ? Object.keys(generalCodes) : []) manifest.named.add(part);
  const general = readCodeFiles(manifest, GENERAL_CODE_TYPES, root, '/generalCodeFiles');
  // A readme is often outside the app and is not read.
  const { documents } = await reader.read(
    'the app',
    general.filter(({ name: part }) => part !== 'readme'),
  );
  const components: ComponentPart[] = [];
  for (const found of findRecords(manifest, ownMember(root, 'components'))) {
    const { kind, name: local, record, pointer } = found;
    const files = readCodeFiles(manifest, CODE_TYPES[kind], record, `${pointer}/codeFiles`);
    const read = await reader.read(`${kind} "${local}"`, files);
    components.push({ ...read, ...readPart(manifest, found) });
  }
  return {
    name,
    base: documents.get('base'),
    common: documents.get('common'),
    groups: documents.get('groups'),
    components,
    appIds: listAppIds(ownMember(root, 'origins')),
    foreign: foreignNames(ownMember(root, 'origins')),
    warnings,
    declared: manifest.declared,
    named: manifest.named,
  };
}

interface FoundRecord {
  readonly kind: ComponentKind;
  readonly name: string;
  readonly record: PlainObject;
  readonly pointer: string;
}

function findRecords(manifest: Manifest, components: unknown): FoundRecord[] {
  const pointer = '/components';
  if (!isRecord(manifest, components, pointer, 'The list of components')) return [];
  checkKeys(manifest, components, COMPONENT_KINDS, pointer);
  return COMPONENT_KINDS.flatMap((kind) => {
    const ofKind = ownMember(components, kind);
    const at = childPointer(pointer, kind);
    // Older files lack kinds without components. [src]
    if (ofKind === undefined || !isRecord(manifest, ofKind, at, `The list of ${kind}s`)) return [];
    return Object.entries(ofKind).flatMap(([name, record]): FoundRecord[] => {
      const recordPointer = childPointer(at, name);
      manifest.named.add(`${kind} ${name}`);
      if (!isRecord(manifest, record, recordPointer, `The ${kind} "${name}"`)) return [];
      checkKeys(manifest, record, COMPONENT_KEYS, recordPointer);
      return [{ kind, name, record, pointer: recordPointer }];
    });
  });
}

/** Whether a value is an object; warns otherwise. */
function isRecord(manifest: Manifest, value: unknown, pointer: string, title: string): value is PlainObject {
  if (isPlainObject(value)) return true;
  const place = (): SourceLocation => manifest.document.locationOf(pointer);
  if (value === null) manifest.warn('null-component', `${title} is null and is ignored.`, place);
  else if (Array.isArray(value)) {
    const what = value.length === 0 ? 'an empty array; expected an object' : 'an array, and is ignored';
    manifest.warn('component-is-array', `${title} is ${what}.`, place);
  } else manifest.warn('wrong-type', `${title} is not an object and is ignored.`, place);
  return false;
}

function checkKeys(manifest: Manifest, value: PlainObject, known: readonly string[], pointer: string): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key) || key === '$schema') continue;
    const at = childPointer(pointer, key);
    manifest.warn('unknown-key', `Unknown key "${key}" in ${MANIFEST}.${didYouMean(key, known)}`, () =>
      manifest.document.locationOf(at, undefined, 'key'),
    );
  }
}

function readCodeFiles(
  manifest: Manifest,
  types: Readonly<Record<string, CodeType>>,
  owner: PlainObject,
  pointer: string,
): CodeFile[] {
  const value = ownMember(owner, pointer.slice(pointer.lastIndexOf('/') + 1));
  if (!isPlainObject(value)) {
    const what = value === undefined ? 'missing' : 'no object';
    const message = `${pointer.slice(1).replaceAll('/', '.')} is ${what}, so it names no files.`;
    manifest.warn('wrong-type', message, () => manifest.document.locationOf(pointer));
    return [];
  }
  checkKeys(manifest, value, Object.keys(types), pointer);
  return Object.entries(types).flatMap(([name, type]): CodeFile[] => {
    const file = ownMember(value, name);
    // null: not kept locally. [src]
    if (file === undefined || file === null) return [];
    const at = childPointer(pointer, name);
    if (typeof file !== 'string' || file.trim() === '') {
      manifest.warn('wrong-type', `The path of ${name} is not text.`, () => manifest.document.locationOf(at));
      return [];
    }
    manifest.declared.add(file);
    return [{ name, type, file, locationOf: () => manifest.document.locationOf(at) }];
  });
}

function readPart(
  manifest: Manifest,
  { kind, name, record, pointer }: FoundRecord,
): Omit<ComponentPart, 'documents' | 'sources'> {
  const upgraded =
    kind === 'module' &&
    ownMember(record, 'moduleType') === undefined &&
    Object.hasOwn(record, 'moduleSubtype');
  const keys: Readonly<Record<ComponentField, string>> = {
    label: 'label',
    description: 'description',
    // Older files say moduleSubtype. [src]
    type: upgraded ? 'moduleSubtype' : `${kind}Type`,
    crud: 'actionCrud',
    connection: 'connection',
    altConnection: 'altConnection',
    webhook: 'webhook',
    annotations: 'annotations',
    attachedAccounts: 'attachedAccounts',
  };
  const locationOf = (field?: ComponentField): SourceLocation => {
    if (field === undefined) return manifest.document.locationOf(pointer, undefined, 'key');
    return manifest.document.locationOf(childPointer(pointer, keys[field]));
  };
  if (upgraded) {
    const message = `The module "${name}" has a moduleSubtype, the old name of moduleType.`;
    manifest.warn('upgraded', message, () => locationOf('type'));
  }
  const fields = Object.fromEntries(
    Object.entries(keys).map(([field, key]) => [field, ownMember(record, key)]),
  );
  return {
    kind,
    name,
    fields,
    locationOf,
    refuse: (field, message) => manifest.warn('wrong-type', message, () => locationOf(field)),
  };
}

/** IDs of the app in its origins. */
function listAppIds(origins: unknown): readonly string[] {
  const ids = new Set<string>();
  for (const origin of Array.isArray(origins) ? (origins as unknown[]) : []) {
    const id = isPlainObject(origin) ? ownMember(origin, 'appId') : undefined;
    if (typeof id === 'string' && id !== '') ids.add(id);
  }
  return [...ids];
}

/** Components of another app (`idMapping`, `nonOwnedByApp`). [src] */
function foreignNames(origins: unknown): Set<string> {
  const names = new Set<string>();
  for (const origin of Array.isArray(origins) ? (origins as unknown[]) : []) {
    const mapping = isPlainObject(origin) ? ownMember(origin, 'idMapping') : undefined;
    for (const kind of ['connection', 'webhook']) {
      const pairs = isPlainObject(mapping) ? ownMember(mapping, kind) : undefined;
      for (const pair of Array.isArray(pairs) ? (pairs as unknown[]) : []) {
        if (!isPlainObject(pair) || ownMember(pair, 'nonOwnedByApp') !== true) continue;
        const local = ownMember(pair, 'local');
        if (typeof local === 'string') names.add(local);
      }
    }
  }
  return names;
}
