import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';
import { type Authentication, baseTemplate, connectionTemplate } from '../connection-templates.js';
import { toLabel } from '../names.js';
import type { AddedComponent } from '../new-files.js';
import { moduleTemplate, type NewComponent, readmeTemplate } from '../templates.js';
import { type ImportedModule, type ModuleOptions, makeModule } from './modules.js';
import { type LeftOut, listOperations, type Operation, type OperationList, tagsOf } from './operations.js';
import { firstSentences, plainLine, wordsOf } from './plain-text.js';
import type { OpenApiDocument } from './read-openapi.js';
import { createReferences } from './references.js';
import { chooseCredentials } from './security.js';
import { chooseAccount, chooseServer, findError } from './service.js';

/** The app of a document. */
export interface ImportedApp {
  readonly label: string;
  /** Contents by code type of the app: base, common, readme, groups. */
  readonly general: Readonly<Record<string, unknown>>;
  readonly components: readonly AddedComponent[];
  readonly modules: readonly ImportedModule[];
  readonly leftOut: readonly LeftOut[];
  /** About the base and the connection. */
  readonly notes: readonly string[];
  /** References that could not be resolved, each with the reason. */
  readonly unresolved: readonly string[];
  /** `Acme API 1.2.0 (OpenAPI 3.1.0)`. */
  readonly title: string;
}

export interface ImportOptions {
  /** Undefined: the title of the document. */
  readonly label: string | undefined;
  /** Without the trailing slash. */
  readonly baseUrl: string;
  readonly authentication: Authentication | undefined;
  readonly accountPath: string | undefined;
  /** Only operations with one of these tags; empty for all. */
  readonly tags: readonly string[];
  /** Names of modules by operation, from an earlier import. */
  readonly knownNames: ReadonlyMap<string, string>;
  /** Operations whose modules were deleted by hand. */
  readonly deleted: ReadonlySet<string>;
  /** Names of further modules of the app. */
  readonly otherNames: readonly string[];
}

/** Name of the connection. */
const CONNECTION = 'account';
const UNIVERSAL = 'makeApiCall';

/** The address of a document; undefined if it names none that is absolute. */
export function readServer({ root }: OpenApiDocument): string | undefined {
  return chooseServer(ownMember(root, 'servers')).url;
}

/** Converts a document into the components of an app. Sends no requests. */
export function importOpenApi({ root, version, open }: OpenApiDocument, options: ImportOptions): ImportedApp {
  const { baseUrl } = options;
  const references = createReferences(root, open);
  const { operations, leftOut } = listOperations(root, references, options.tags);
  const info = readInfo(root);
  const label = options.label ?? (info.title || 'API');
  const wanted = options.authentication;
  const credentials = chooseCredentials({ root, references, operations, baseUrl, wanted });
  const api = { ...credentials.api, baseUrl };
  const error = findError(operations, references);
  const account = chooseAccount(operations, references, options.accountPath);
  const connection = api.authentication === 'none' ? undefined : CONNECTION;
  const shared = { references, credentials, connection, serverOf: serverOf(baseUrl) };
  const made = makeModules({ operations, leftOut }, shared, options);
  const universal = { name: UNIVERSAL, label: undefined, path: undefined, connection };
  const server = chooseServer(ownMember(root, 'servers'));
  return {
    label,
    title: `${label} ${info.version}`.trim().concat(` (OpenAPI ${version})`),
    general: {
      base: baseTemplate(api, error),
      common: {},
      readme: `${readmeTemplate(label)}${info.description === '' ? '' : `\n${info.description}\n`}`,
      groups: makeGroups(root, made.modules),
    },
    components: [
      ...(connection === undefined
        ? []
        : [component('connection', connection, connectionTemplate(api, label, account.account, error))]),
      ...made.modules.map((module) => component('module', module.name, module.component)),
      component('module', UNIVERSAL, moduleTemplate('universal', universal, baseUrl)),
    ],
    ...made,
    notes: [
      ...(server.url === baseUrl ? server.notes : []),
      ...credentials.notes,
      ...(connection === undefined ? [] : account.notes),
      ...(error === undefined ? ['No error response has a message: the base reads `body.message`.'] : []),
    ],
    unresolved: [...references.problems].map(
      ([reference, problem]) => `The reference \`${reference}\` ${problem}.`,
    ),
  };
}

function component(kind: AddedComponent['kind'], name: string, content: NewComponent): AddedComponent {
  return { kind, name, component: content };
}

/** Texts of `info`; empty if absent. */
function readInfo(root: PlainObject): Readonly<Record<'title' | 'version' | 'description', string>> {
  const written = ownMember(root, 'info');
  const info = isPlainObject(written) ? written : {};
  return {
    title: plainLine(ownMember(info, 'title')).slice(0, 100),
    version: plainLine(ownMember(info, 'version')).slice(0, 100),
    description: firstSentences(ownMember(info, 'description'), 400),
  };
}

/** Creates the modules of all operations, and lists the reason for each operation without one. */
function makeModules(
  { operations, leftOut: before }: OperationList,
  shared: Omit<ModuleOptions, 'taken' | 'knownName'>,
  { knownNames, deleted, otherNames }: ImportOptions,
): Pick<ImportedApp, 'modules' | 'leftOut'> {
  const taken = new Set([UNIVERSAL, ...otherNames, ...knownNames.values()].map((name) => name.toLowerCase()));
  const modules: ImportedModule[] = [];
  const leftOut = [...before];
  for (const operation of operations) {
    const { key } = operation;
    const made = deleted.has(key)
      ? { key, reason: 'Its module was deleted from the app.' }
      : makeModule(operation, { ...shared, taken, knownName: knownNames.get(key) });
    if ('reason' in made) leftOut.push(made);
    else {
      modules.push(made);
      taken.add(made.name.toLowerCase());
    }
  }
  return { modules, leftOut };
}

/** Operations may have servers of their own, such as one for uploads. */
function serverOf(baseUrl: string): (operation: Operation) => string {
  return ({ servers }) => {
    const { url } = chooseServer(servers);
    return url === undefined || url === baseUrl ? '' : url;
  };
}

/** Groups by the first tag of each operation, in the order of the document. A group has several modules. */
function makeGroups(root: PlainObject, modules: readonly ImportedModule[]): readonly PlainObject[] {
  const tags = ownMember(root, 'tags');
  const order = (Array.isArray(tags) ? tags.filter(isPlainObject) : []).map((tag) =>
    String(ownMember(tag, 'name')),
  );
  const groups = new Map<string, string[]>(order.map((tag) => [tag, []]));
  for (const { name, operation } of modules) {
    const [tag = subjectOf(operation.path)] = tagsOf(operation);
    const group = groups.get(tag) ?? [];
    group.push(name);
    groups.set(tag, group);
  }
  const others: string[] = [];
  const listed: PlainObject[] = [];
  for (const [tag, names] of groups) {
    if (names.length === 1 || /^other$/i.test(tag)) others.push(...names);
    else if (names.length > 1) listed.push({ label: groupLabel(tag), modules: names });
  }
  return [...listed, { label: 'Other', modules: [...others, UNIVERSAL] }];
}

function subjectOf(path: string): string {
  return (
    path.split('/').find((part) => part !== '' && !/[{}]|^(?:api|rest|v\d[\w.]*)$/i.test(part)) ?? 'Other'
  );
}

/** A tag as people wrote it; identifiers become words. */
function groupLabel(tag: string): string {
  const text = plainLine(tag).slice(0, 60);
  return /\s|^\p{Lu}\p{Ll}+$/u.test(text) ? text : toLabel(wordsOf(text)) || text;
}
