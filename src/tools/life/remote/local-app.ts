import { createHash } from 'node:crypto';
import {
  CODE_TYPES,
  COMPONENT_KINDS,
  type ComponentKind,
  GENERAL_CODE_TYPES,
} from '../../../engine/loading/code-types.js';
import { isPlainObject, ownMember, type PlainObject, readAt } from '../../../shared/plain-object.js';
import { openAppFiles } from '../app-files.js';
import { type Manifest, recordsOf } from '../new-files.js';
import type { Origin } from './make-api.js';

/** A text of the app that the manifest names. */
export interface LocalText {
  readonly kind: ComponentKind | 'app';
  /** Local name; empty for the app itself. */
  readonly name: string;
  /** Name of the section in the API. */
  readonly section: string;
  /** As in the manifest. */
  readonly path: string;
  /** Undefined if the file does not exist. */
  readonly text: string | undefined;
}

/** A component of the manifest. */
export interface LocalComponent {
  readonly kind: ComponentKind;
  readonly name: string;
  readonly row: PlainObject;
}

/** The app in a folder, as far as the platform keeps it. */
export interface LocalApp {
  readonly components: readonly LocalComponent[];
  readonly texts: readonly LocalText[];
  readonly left: readonly LeftFile[];
}

/** A path of the manifest that names no file of the app: it is neither read nor written. */
export interface LeftFile {
  readonly file: string;
  /** End of a sentence about the file. */
  readonly problem: string;
}

/** Name of a section in the API by code type. [src] */
export function sectionOf(kind: ComponentKind | 'app', code: string): string {
  if (kind === 'endpoint' && (code === 'input' || code === 'output')) return `${code}Parameters`;
  const types = kind === 'app' ? GENERAL_CODE_TYPES : CODE_TYPES[kind];
  return types[code]?.section ?? code;
}

/** Reads the files that a manifest names. */
export async function readLocalApp(root: string, manifest: Manifest): Promise<LocalApp> {
  const components = COMPONENT_KINDS.flatMap((kind) =>
    [...recordsOf(manifest, kind)].flatMap(([name, row]): LocalComponent[] =>
      row === null ? [] : [{ kind, name, row }],
    ),
  );
  const owners: readonly (Pick<LocalText, 'kind' | 'name'> & {
    readonly files: unknown;
    readonly codes: readonly string[];
  })[] = [
    {
      kind: 'app',
      name: '',
      files: ownMember(manifest.value, 'generalCodeFiles'),
      codes: Object.keys(GENERAL_CODE_TYPES),
    },
    ...components.map(({ kind, name, row }) => ({
      kind,
      name,
      files: ownMember(row, 'codeFiles'),
      codes: Object.keys(CODE_TYPES[kind]),
    })),
  ];
  const texts: LocalText[] = [];
  const left: LeftFile[] = [];
  const appFiles = openAppFiles(root);
  for (const { kind, name, files, codes } of owners) {
    for (const code of codes) {
      const file = readAt(files, code);
      if (typeof file !== 'string' || file === '') continue;
      const problem = await appFiles.problemOf(file);
      if (problem !== undefined) {
        left.push({ file, problem });
        continue;
      }
      const text = await appFiles.read(file);
      texts.push({ kind, name, section: sectionOf(kind, code), path: file, text });
    }
  }
  return { components, texts, left };
}

/** MD5 of a text in UTF-8, as the platform computes it. [src] */
export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** Ids of module types in the API. [src] */
const TYPE_IDS: Readonly<Record<string, number>> = {
  trigger: 1,
  action: 4,
  search: 9,
  instant_trigger: 10,
  responder: 11,
  universal: 12,
};

/** The module type of an id of the API. */
export function moduleTypeOf(id: unknown): string | undefined {
  return Object.keys(TYPE_IDS).find((type) => TYPE_IDS[type] === id);
}

/** The names of a kind of component here and there. */
export interface NamePair {
  readonly kind: ComponentKind;
  readonly local: string;
  readonly remote: string;
}

/** The members of a component in the names of the API. References are names there; undefined if one is not there. */
export function membersOf(
  { kind, row }: LocalComponent,
  remoteName: (kind: ComponentKind, local: string) => string | undefined,
): PlainObject {
  const reference = (member: string, of: ComponentKind): PlainObject => {
    const local = ownMember(row, member);
    if (local === undefined) return {};
    return { [member]: typeof local === 'string' && local !== '' ? remoteName(of, local) : null };
  };
  const plain = (...names: readonly string[]): PlainObject =>
    Object.fromEntries(names.flatMap((name) => (Object.hasOwn(row, name) ? [[name, row[name] ?? '']] : [])));
  const connections = {
    ...reference('connection', 'connection'),
    ...reference('altConnection', 'connection'),
  };
  switch (kind) {
    case 'module': {
      const type = String(row['moduleType'] ?? row['moduleSubtype'] ?? 'action');
      const typeId = TYPE_IDS[type];
      return {
        ...plain('label', 'description'),
        ...(typeId !== undefined && { typeId }),
        ...(Object.hasOwn(row, 'actionCrud') && { crud: row['actionCrud'] ?? null }),
        ...connections,
        ...reference('webhook', 'webhook'),
      };
    }
    case 'connection':
      return plain('label');
    case 'webhook':
    case 'rpc':
      return { ...plain('label'), ...connections };
    case 'endpoint': {
      const accounts = row['attachedAccounts'];
      return {
        ...plain('label', 'description', 'annotations'),
        ...(Array.isArray(accounts) && {
          attachedAccounts: accounts.map((name) => remoteName('connection', String(name))),
        }),
      };
    }
    case 'function':
      return {};
  }
}

/** What `POST` needs besides the members of `membersOf`. */
export function creationOf({ kind, name, row }: LocalComponent, members: PlainObject): PlainObject {
  const label = typeof members['label'] === 'string' && members['label'] !== '' ? members['label'] : name;
  switch (kind) {
    case 'module':
      return {
        name,
        label,
        description: String(members['description'] ?? ''),
        typeId: members['typeId'] ?? TYPE_IDS['action'],
        moduleInitMode: 'blank',
        ...(members['typeId'] === TYPE_IDS['universal'] && { subtype: 'Universal' }),
        ...(typeof members['webhook'] === 'string' && { webhook: members['webhook'] }),
      };
    case 'connection':
      return { type: String(row['connectionType'] ?? 'basic'), label };
    case 'webhook':
      return { type: String(row['webhookType'] ?? 'web'), label };
    case 'function':
      return { name };
    default:
      return { name, label };
  }
}

/** An origin of the manifest. */
export interface ManifestOrigin extends Origin {
  readonly index: number;
  readonly label: string | undefined;
  /** Path of the file with the API key, from the manifest on. */
  readonly apikeyFile: string | undefined;
  readonly idMapping: PlainObject;
}

/** The origins of a manifest; incomplete ones are left out. */
export function listOrigins(manifest: Manifest): readonly ManifestOrigin[] {
  const origins = ownMember(manifest.value, 'origins');
  return (Array.isArray(origins) ? origins : []).flatMap((origin: unknown, index): ManifestOrigin[] => {
    if (!isPlainObject(origin)) return [];
    const { baseUrl, appId, appVersion, label, apikeyFile, idMapping } = origin;
    if (typeof baseUrl !== 'string' || typeof appId !== 'string') return [];
    return [
      {
        index,
        baseUrl,
        appId,
        appVersion: typeof appVersion === 'number' ? appVersion : 1,
        label: typeof label === 'string' ? label : undefined,
        apikeyFile: typeof apikeyFile === 'string' ? apikeyFile : undefined,
        idMapping: isPlainObject(idMapping) ? idMapping : {},
      },
    ];
  });
}
