import { assertObtainable } from '../../../engine/connection/authorize-connection.js';
import { compileConnection } from '../../../engine/connection/compile-connection.js';
import { ConnectionRun } from '../../../engine/connection/connection-run.js';
import { emptyConnection } from '../../../engine/connection/start-step.js';
import type {
  App,
  ConnectionComponent,
  ModuleComponent,
  WebhookComponent,
} from '../../../engine/document/app.js';
import {
  type CompiledRespond,
  compileCommunication,
  compileRespond,
} from '../../../engine/document/compile-request.js';
import type { CompiledRequest } from '../../../engine/document/compiled-request.js';
import { type Document, subDocument } from '../../../engine/document/document.js';
import { holdsTemplates } from '../../../engine/document/document-shapes.js';
import { APP_FUNCTION_NAMES } from '../../../engine/loading/app-functions.js';
import type { ComponentKind } from '../../../engine/loading/code-types.js';
import { compileTrigger } from '../../../engine/module/compile-trigger.js';
import { Poll } from '../../../engine/module/poll.js';
import { compileEpoch } from '../../../engine/module/run-epoch.js';
import { isEmptySpec, readSingleRequest } from '../../../engine/module/run-module.js';
import { moduleForm, readForm } from '../../../engine/parameters/form.js';
import { buildAnswer } from '../../../engine/run/build-answer.js';
import { assertNoEndpoint } from '../../../engine/run/endpoint-call.js';
import { endpointContext, withPosition } from '../../../engine/run/run-context.js';
import { compileWebhook } from '../../../engine/webhook/compile-webhook.js';
import { isUnusedHook, readHookData } from '../../../engine/webhook/run-hook-request.js';
import { isSpreadKey } from '../../../language/syntax/grammar.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { assertNever, isPlainObject, type PlainObject, readAt } from '../../../shared/plain-object.js';
import { type CheckedDocument, listDocuments } from './checked-document.js';
import { CONSTANT_CONTEXT, DryRun, type RunRefusal } from './dry-run-requests.js';
import { type ExpressionSite, listExpressions } from './expression-site.js';
import { dryRunScenarios, type ScenarioFile, type ScenarioRefusal } from './scenario-files.js';
import { type ComponentName, findUsedPart, type UsedPart } from './used-part.js';
import { holdsRequests, listRequests, type WrittenRequest } from './walk-requests.js';
import type { WantedByFiles } from './wanted-by-files.js';

/**
 * Runs the constant steps of every component with the code of a run. Skips components without communication, which
 * loading reports.
 *
 * @param isMeant filter of components. Default: all.
 */
function dryRunApp(app: App, isMeant: IsMeant = () => true): readonly RunRefusal[] {
  const dryRun = new DryRun(app);
  const base = app.base && constantPart(app.base);
  const pick = <C extends { readonly name: string }>(
    kind: ComponentKind,
    components: ReadonlyMap<string, C>,
  ): readonly C[] => [...components.values()].filter(({ name }) => isMeant(kind, name));
  const connections = pick('connection', app.connections);
  const webhooks = pick('webhook', app.webhooks);
  const modules = pick('module', app.modules);
  const rpcs = pick('rpc', app.rpcs);
  for (const connection of connections) dryRunConnection(dryRun, connection);
  for (const webhook of webhooks) dryRunWebhook(dryRun, webhook, base);
  for (const module of modules) dryRunModule(dryRun, module, base);
  for (const { communication } of rpcs) dryRunRequests(dryRun, communication, base);
  for (const { name, communication } of pick('endpoint', app.endpoints)) {
    const requests = compile(dryRun, communication, base);
    dryRun.requests(requests, endpointContext(dryRun.context(), name, {}, false));
  }
  // Forms that a run reads.
  for (const module of modules) dryRun.step(() => moduleForm(module));
  for (const { params } of [...connections, ...webhooks, ...rpcs]) dryRun.step(() => readForm(params));
  return dryRun.refusals;
}

/** Selects components. */
type IsMeant = (kind: ComponentKind, name: string) => boolean;

function compile(
  dryRun: DryRun,
  communication: Document | undefined,
  base: Document | undefined,
): readonly CompiledRequest[] {
  if (communication === undefined) return [];
  const constant = constantPart(communication);
  return dryRun.step(() => compileCommunication(constant, base, CONSTANT_CONTEXT)) ?? [];
}

function dryRunRequests(
  dryRun: DryRun,
  communication: Document | undefined,
  base: Document | undefined,
): void {
  dryRun.requests(compile(dryRun, communication, base), dryRun.context());
}

function dryRunModule(dryRun: DryRun, module: ModuleComponent, base: Document | undefined): void {
  const { type, communication } = module;
  if (communication === undefined) return;
  switch (type) {
    case 'action':
    case 'search':
    case 'universal':
      dryRunRequests(dryRun, communication, base);
      break;
    case 'trigger':
      dryRunTrigger(dryRun, module, communication, base);
      break;
    case 'instant_trigger': {
      if (isEmptySpec(communication.value)) return;
      const context = dryRun.context();
      const requests = compile(dryRun, communication, base);
      const single = dryRun.step(() => readSingleRequest(requests, communication, context));
      if (single !== undefined) dryRun.requests([{ ...single, pagination: undefined }], context);
      break;
    }
    case 'responder': {
      const document = Array.isArray(communication.value) ? subDocument(communication, 0) : communication;
      const constant = constantPart(document);
      const response = readAt(constant.value, 'response');
      const respond = compileRespond(response, constant, '/response', CONSTANT_CONTEXT);
      dryRunAnswer(dryRun, respond, 'text');
      break;
    }
    default:
      assertNever(type);
  }
}

function dryRunTrigger(
  dryRun: DryRun,
  { epoch }: ModuleComponent,
  communication: Document,
  base: Document | undefined,
): void {
  const requests = compile(dryRun, communication, base);
  const context = dryRun.context();
  const poll = dryRun.step(() => new Poll(requests, undefined, undefined, context));
  if (poll === undefined) return;
  dryRun.requests(requests, context, poll.plan);
  if (epoch === undefined) return;
  const constant = constantPart(epoch);
  const listed =
    dryRun.step(() => compileEpoch(constantPart(communication), constant, base, CONSTANT_CONTEXT)) ?? [];
  const ofEpoch = dryRun.context();
  dryRun.requests(listed, ofEpoch);
  const last = listed.at(-1);
  if (last !== undefined) dryRun.step(() => compileTrigger(last, ofEpoch));
}

function dryRunConnection(dryRun: DryRun, component: ConnectionComponent): void {
  const { communication } = component;
  if (communication === undefined) return;
  const constant = { ...component, communication: constantPart(communication) };
  const compiled = dryRun.step(() => compileConnection(constant, CONSTANT_CONTEXT));
  if (compiled === undefined) return;
  if (compiled.kind === 'basic') return dryRunSection(dryRun, component, compiled.requests);
  dryRun.step(() => assertObtainable(component, compiled));
  const { before, authorize, token, info, refresh, invalidate } = compiled;
  const page = authorize === undefined ? [] : [authorize];
  for (const section of [before, page, token, info, refresh, invalidate])
    dryRunSection(dryRun, component, section);
}

function dryRunSection(
  dryRun: DryRun,
  component: ConnectionComponent,
  requests: readonly CompiledRequest[],
): void {
  const context = dryRun.context();
  dryRun.requests(requests, context, { appliesLimit: false });
  const run = new ConnectionRun(context, emptyConnection(component, {}, undefined), 'UTC');
  for (const request of requests) {
    dryRun.step(() => run.tryKeep(request.response, withPosition(context, { document: request.document })));
  }
}

function dryRunWebhook(dryRun: DryRun, webhook: WebhookComponent, base: Document | undefined): void {
  const { communication, attach, detach, update } = webhook;
  const constant = communication && constantPart(communication);
  const compiled = dryRun.step(() => compileWebhook(constant, CONSTANT_CONTEXT));
  for (const respond of [compiled?.respond, compiled?.verification?.respond])
    if (respond !== undefined) dryRunAnswer(dryRun, respond, 'json');
  for (const step of [attach, detach, update]) {
    if (step === undefined || isUnusedHook(step.value)) continue;
    const requests = compile(dryRun, step, base);
    const context = dryRun.context();
    dryRun.step(() => assertNoEndpoint(requests, 'A webhook', context));
    dryRun.requests(requests, context, { appliesLimit: false });
    for (const request of requests) dryRun.step(() => readHookData(request, context));
  }
}

function dryRunAnswer(dryRun: DryRun, respond: CompiledRespond, textType: 'json' | 'text'): void {
  dryRun.step(() => buildAnswer(respond, dryRun.context(), textType));
}

/** Members that are dropped as a whole if they contain an expression. */
const WHOLE: ReadonlySet<string> = new Set(['body', 'aws', 'oauth', 'endpoint', 'input']);

/** Replaces a URL with expressions. */
const STAND_IN = 'https://dry-run.invalid';

const ADDRESSES: ReadonlySet<string> = new Set(['url', 'baseUrl']);

/**
 * The constant part of a document: members with expressions are removed, URLs with expressions replaced. Locations
 * and the order of a chain stay.
 */
function constantPart(document: Document): Document {
  return { ...document, value: constantValue(document.value) };
}

function constantValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(constantValue);
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    // A spread value may be constant.
    if (isSpreadKey(key) && !holdsExpression(member)) return [[key, member]];
    if (key.includes('{{')) return [];
    if (typeof member === 'string') return constantText(key, member);
    return WHOLE.has(key) && holdsExpression(member) ? [] : [[key, constantValue(member)]];
  });
  return ownMembers(members);
}

function constantText(key: string, text: string): [string, unknown][] {
  if (!text.includes('{{')) return [[key, text]];
  return ADDRESSES.has(key) ? [[key, STAND_IN]] : [];
}

/** `__proto__` is an ordinary name. */
function ownMembers(members: readonly (readonly [string, unknown])[]): PlainObject {
  return Object.fromEntries(members);
}

function holdsExpression(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (Array.isArray(value)) return value.some(holdsExpression);
  return isPlainObject(value) && Object.entries(value).some((member) => member.some(holdsExpression));
}

/** An app for rules: documents, parsed expressions, and available names. */
export interface Subject {
  readonly app: App;
  /** The checked documents. */
  readonly documents: readonly CheckedDocument[];
  /** All documents: one may write what another reads. */
  readonly allDocuments: readonly CheckedDocument[];
  /** All documents of a component. */
  readonly documentsOf: (kind: ComponentKind, name: string) => readonly CheckedDocument[];
  /** The checked part; undefined for the whole app. */
  readonly part: UsedPart | undefined;
  /** All expressions of the checked documents. */
  readonly expressions: readonly ExpressionSite[];
  readonly expressionsIn: (document: CheckedDocument) => readonly ExpressionSite[];
  /** All requests of the checked documents. */
  readonly requests: readonly WrittenRequest[];
  readonly isFunction: (name: string) => boolean;
  readonly functionNames: readonly string[];
  /** Warnings of compiling the custom functions. */
  readonly functionWarnings: readonly FunctionWarning[];
  /** Reasons why a host refuses scenarios. */
  readonly scenarioRefusals: readonly ScenarioRefusal[];
  /** What the manifest and the settings want beyond running the app. */
  readonly wanted: readonly WantedByFiles[];
  /** Reasons why runs fail; computed on first use. */
  readonly refusals: readonly RunRefusal[];
}

/** A warning about the code of a custom function. */
export interface FunctionWarning {
  readonly code: string;
  readonly message: string;
  readonly place: SourceLocation;
}

/** Additional input of a subject. */
export interface SubjectParts {
  readonly functionWarnings?: readonly FunctionWarning[];
  readonly scenarios?: readonly ScenarioFile[];
  readonly wanted?: readonly WantedByFiles[];
  /** Components of a run; others are not checked. Default: all. */
  readonly started?: readonly ComponentName[] | undefined;
}

/** Creates the subject of an app. Parses each template of the checked documents once. */
export function createSubject(
  app: App,
  { functionWarnings = [], scenarios = [], wanted = [], started }: SubjectParts = {},
): Subject {
  const allDocuments = listDocuments(app);
  const sites = new Map<CheckedDocument, readonly ExpressionSite[]>();
  const expressionsIn = (document: CheckedDocument): readonly ExpressionSite[] => {
    let found = sites.get(document);
    if (found === undefined) {
      found = holdsTemplates(document.kind) ? listExpressions(document) : [];
      sites.set(document, found);
    }
    return found;
  };
  const documentsOf = indexByOwner(allDocuments);
  const part = started && findUsedPart(app, { all: allDocuments, documentsOf, expressionsIn }, started);
  const documents = part?.documents ?? allDocuments;
  const functionNames = [...new Set([...APP_FUNCTION_NAMES, ...app.functions.keys()])];
  const known = new Set([...functionNames, ...MAKE_ONLY_FUNCTIONS]);
  let refusals: readonly RunRefusal[] | undefined;
  return {
    app,
    documents,
    allDocuments,
    documentsOf,
    part,
    expressions: documents.flatMap(expressionsIn),
    expressionsIn,
    requests: documents.filter(holdsRequests).flatMap(listRequests),
    isFunction: (name) => known.has(name),
    functionNames,
    functionWarnings,
    scenarioRefusals: dryRunScenarios(app, scenarios),
    wanted,
    get refusals() {
      refusals ??= dryRunApp(app, part?.has);
      return refusals;
    },
  };
}

/** Functions of Make that this runtime lacks; calling them is not a mistake. [rt] */
const MAKE_ONLY_FUNCTIONS = ['toDataStructure', 'safeSerialize', 'getFieldMapping'] as const;

function indexByOwner(documents: readonly CheckedDocument[]): Subject['documentsOf'] {
  const index = new Map<string, CheckedDocument[]>();
  for (const checked of documents) {
    if (checked.owner === undefined) continue;
    const key = `${checked.owner.kind} ${checked.owner.name}`;
    const ofOwner = index.get(key);
    if (ofOwner === undefined) index.set(key, [checked]);
    else ofOwner.push(checked);
  }
  return (kind, name) => index.get(`${kind} ${name}`) ?? [];
}

/** Compiles the custom functions of an app in the sandbox and returns warnings. Runs none of them. */
export async function compileFunctions(app: App): Promise<readonly FunctionWarning[]> {
  const functions = [...app.functions.values()].filter(({ code }) => code !== undefined);
  if (functions.length === 0) return [];
  const { createSandbox } = await import('../../../engine/sandbox/create-sandbox.js');
  const sandbox = await createSandbox({ functions, builtins: {} });
  try {
    return sandbox.warnings;
  } finally {
    sandbox.close();
  }
}

/** Memoizes a lookup per app and key. */
export function createLookup<T>(): (subject: Subject, key: string, find: () => T) => T {
  const known = new WeakMap<Subject, Map<string, T>>();
  return (subject, key, find) => {
    const ofApp = known.get(subject) ?? new Map<string, T>();
    known.set(subject, ofApp);
    const found = ofApp.get(key) ?? find();
    ofApp.set(key, found);
    return found;
  };
}
