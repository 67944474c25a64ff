import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { readForm } from '../../../engine/parameters/form.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { toFileName } from '../../../shared/files.js';
import {
  isPlainObject,
  ownMember,
  type PlainObject,
  readAt,
  setMember,
} from '../../../shared/plain-object.js';
import { escapeUnsafe } from '../../../shared/text.js';
import { canonicalRequest } from '../exchanges/canonical-request.js';
import type { ScriptedResponse } from '../exchanges/exchange.js';
import { respond, type ScriptedTransport } from '../exchanges/play-exchanges.js';
import { type FixtureReport, playFixture } from '../fixtures/play-fixture.js';
import { writeTagged } from '../matching/tagged-values.js';
import { findKind, fixtureOfCase } from './case-fixture.js';
import { type ComponentName, communicationOf, formOf, listRunnable } from './component-name.js';
import { restorePlaceholders, secretPlaceholder } from './placeholders.js';
import { readCase } from './read-case.js';
import { sampleMember, sampleParameters } from './sample-values.js';
import { pathKey, readNeededKinds, readTemplatePaths, readWholePath } from './template-paths.js';
import { MADE_UP_NOTE, type TestCase } from './test-case.js';

/** A case made up for a component. It passes as it is, or is marked as `todo` if the run fails. */
export interface Skeleton {
  /** `module:listOrders`. */
  readonly component: string;
  /** Where it belongs below the folder of tests: `listOrders/listOrders.test.json`. */
  readonly file: string;
  readonly text: string;
  /** Error of the run with the generated responses; undefined if it succeeded. */
  readonly error: string | undefined;
}

/** Maximum number of requests of one run. A component that sends more has an endless loop. */
const MAX_CALLS = 12;

/**
 * Makes a case for a component: parameters from its form, answers from what its directives read and its samples, and
 * what the run makes of them as what is expected.
 *
 * @param schema where editors find the schema of cases; undefined for nowhere
 */
export async function makeSkeleton(
  app: App,
  subject: ComponentName,
  schema: string | undefined,
): Promise<Skeleton> {
  const component = `${subject.type}:${subject.name}`;
  const input = inputFor(app, subject);
  const name = toFileName(subject.name);
  const file = `${nameFolder(app, subject)}/${name}.test.json`;
  const draft: TestCase = { component, input, expect: { requestCount: 0 } };
  const reading = await readCase(JSON.stringify(draft), { file, name: subject.name });
  if (!reading.ok) throw new EngineError('USAGE', `${component}: ${reading.errors[0]?.message}`);
  const service = answerWithSamples(samplesOf(app, subject));
  const report = await playFixture(fixtureOfCase(reading.case, app), {
    app,
    service: service.scripted,
    observer: service.observer,
  });
  const { error } = report.outcome;
  const secrets = listConnectionMembers(app);
  const written = {
    ...(schema !== undefined && { $schema: schema }),
    component,
    ...(error !== undefined && {
      todo: `The run with generated responses fails with ${error.type}: ${error.message}`,
    }),
    input,
    ...(service.exchanges.length > 0 && { exchanges: service.exchanges }),
    expect: writeTagged(expectOf(report)),
  };
  const text = escapeUnsafe(JSON.stringify(restorePlaceholders(written, secrets), null, 2));
  return {
    component,
    file,
    text: `${MADE_UP_NOTE} To record real ones, ${howToRecord(subject, app)}\n${text}\n`,
    error: error && `${error.type}: ${error.message}`,
  };
}

/** A browser takes part in OAuth, and a webhook needs a call: `iml test --record-cases` has neither. */
function howToRecord(subject: ComponentName, app: App): string {
  if (subject.type === 'webhook') return `run: iml webhook ${subject.name} --record FILE`;
  if (subject.type === 'connection' && findKind(subject, app) !== 'connection')
    return `run: iml connect ${subject.name} --record FILE`;
  return 'add "record": true and run: iml test --record-cases --connection NAME';
}

/** Output of a component for a response. */
export interface AnsweredRun {
  readonly bundles: readonly unknown[];
  /** The error that the run ended with. */
  readonly error: string | undefined;
}

/**
 * Runs a module or a webhook with made-up parameters and one response: that of the last request of a chain. Earlier
 * requests and further pages get made-up responses. A webhook is called with it.
 *
 * @param response body, as JSON data
 */
export async function runWithResponse(
  app: App,
  subject: ComponentName,
  response: unknown,
): Promise<AnsweredRun> {
  const { type, name } = subject;
  const input = type === 'webhook' ? { request: { method: 'POST', body: response } } : inputFor(app, subject);
  const draft: TestCase = { component: `${type}:${name}`, input, expect: { requestCount: 0 } };
  const reading = await readCase(JSON.stringify(draft), { file: `${name}.test.json`, name });
  if (!reading.ok) throw new EngineError('USAGE', `${type}:${name}: ${reading.errors[0]?.message}`);
  const communication = communicationOf(app, subject)?.value;
  const requests = Array.isArray(communication) ? communication.length : 1;
  const service = answerWithSamples(samplesOf(app, subject), (request, page) =>
    request === requests && page === 0 ? { status: 200, body: response } : undefined,
  );
  const { outcome } = await playFixture(fixtureOfCase(reading.case, app), {
    app,
    service: service.scripted,
    observer: service.observer,
  });
  const { error } = outcome;
  return { bundles: outputsOf(outcome), error: error && `${error.type}: ${error.message}` };
}

/** The bundles of a run, or the result of an endpoint or RPC. */
export function outputsOf({ bundles, result }: FixtureReport['outcome']): readonly unknown[] {
  return bundles ?? (result === undefined ? [] : [result]);
}

/** Components of different types may have one name: `orders`, `orders-rpc`. Case does not matter in some file systems. */
function nameFolder(app: App, subject: ComponentName): string {
  const taken = new Set<string>();
  for (const { type, name } of listRunnable(app)) {
    const plain = toFileName(name);
    let folder = plain;
    for (let number = 1; taken.has(folder.toLowerCase()); number++) {
      folder = `${plain}-${type}${number === 1 ? '' : `-${number}`}`;
    }
    taken.add(folder.toLowerCase());
    if (type === subject.type && name === subject.name) return folder;
  }
  return toFileName(subject.name);
}

function expectOf({ outcome, events }: FixtureReport): PlainObject {
  const { error, respond: answer } = outcome;
  if (error !== undefined) return { error: { type: error.type, message: error.message } };
  const expected: PlainObject = {};
  for (const name of ['bundles', 'result', 'connection', 'metadata', 'uid', 'verification'] as const) {
    if (outcome[name] !== undefined && outcome[name] !== false) expected[name] = outcome[name];
  }
  if (answer !== undefined) expected['respond'] = { status: answer.status, text: answer.body };
  if (Object.keys(expected).length === 0) {
    expected['requestCount'] = events.filter(({ kind }) => kind === 'request').length;
  }
  return expected;
}

function inputFor(app: App, { type, name }: ComponentName): PlainObject {
  const connection = Object.fromEntries(
    listConnectionMembers(app).map((member) => [member, secretPlaceholder(member)]),
  );
  const ofConnection = Object.keys(connection).length === 0 || type === 'connection' ? {} : { connection };
  const kinds = readNeededKinds(communicationOf(app, { type, name })?.value);
  const isNeeded = (field: string): boolean => kinds.has(pathKey(['parameters', field]));
  const parameters = sampleParameters(formOf(app, { type, name }), isNeeded);
  const ofForm = Object.keys(parameters).length === 0 ? {} : { parameters };
  const module = type === 'module' ? app.modules.get(name) : undefined;
  const now = { now: '2026-01-31T12:00:00.000Z' };
  if (type === 'connection') {
    const component = app.connections.get(name);
    const value = component?.communication?.value;
    const hasPage =
      isPlainObject(value) && ['authorize', 'requestToken'].some((step) => Object.hasOwn(value, step));
    if (component?.type !== 'oauth' || !hasPage) return { ...ofForm, ...now };
    const redirectUri = 'https://www.example.com/oauth/callback';
    return { ...ofForm, oauth: { redirectUri }, query: { code: 'sample-code' }, ...now };
  }
  if (type === 'webhook') {
    const body = samplePayload(app.webhooks.get(name)?.communication?.value, undefined);
    return { ...ofForm, request: { method: 'POST', body }, ...now };
  }
  if (module?.type === 'instant_trigger') {
    const payload = module.samples?.value ?? { id: 1 };
    return { ...ofConnection, ...ofForm, payload, ...now };
  }
  const start = module?.type === 'trigger' ? { start: 'all' } : {};
  return { ...ofConnection, ...ofForm, ...start, ...now };
}

/** The samples of a component, else values for the fields that it outputs. */
function samplesOf(app: App, { type, name }: ComponentName): unknown {
  const module = type === 'module' ? app.modules.get(name) : undefined;
  const samples = module?.samples?.value;
  if (samples !== undefined && samples !== null) return samples;
  const form = type === 'endpoint' ? app.endpoints.get(name)?.output : module?.interface;
  const { elements } = readForm(form);
  return elements.length === 0 ? undefined : sampleParameters(elements, () => true);
}

/** Members of connections by app: each case of an app needs them. */
const CONNECTION_MEMBERS = new WeakMap<App, readonly string[]>();

/** Members of the connection that expressions of the app read. */
function listConnectionMembers(app: App): readonly string[] {
  const known = CONNECTION_MEMBERS.get(app) ?? findConnectionMembers(app);
  CONNECTION_MEMBERS.set(app, known);
  return known;
}

function findConnectionMembers({ base, modules, rpcs, endpoints, webhooks }: App): readonly string[] {
  const documents: readonly (Document | undefined)[] = [
    base,
    ...[...modules.values()].flatMap(({ communication, epoch }) => [communication, epoch]),
    ...[...rpcs.values(), ...endpoints.values()].map(({ communication }) => communication),
    ...[...webhooks.values()].flatMap(({ communication, attach, detach }) => [communication, attach, detach]),
  ];
  const names = documents.flatMap((document) =>
    readTemplatePaths(document?.value).flatMap(([root, member]) =>
      root === 'connection' && member !== undefined && /^[\p{L}\p{N}_.-]{1,64}$/u.test(member)
        ? [member]
        : [],
    ),
  );
  return [...new Set(names)];
}

interface SampleService {
  readonly scripted: ScriptedTransport;
  readonly observer: NonNullable<Parameters<typeof playFixture>[1]>['observer'];
  /** Requests and responses in the format of a case. */
  readonly exchanges: PlainObject[];
}

/**
 * An API that returns the members that the response directives read.
 *
 * @param override the response to the n-th request (from 1) and page (from 0); undefined for a generated one
 */
function answerWithSamples(
  samples: unknown,
  override: (request: number, page: number) => ScriptedResponse | undefined = () => undefined,
): SampleService {
  const exchanges: PlainObject[] = [];
  const pages = new Map<Document, number>();
  let current: Document | undefined;
  const scripted: ScriptedTransport = {
    problems: () => [],
    transport: async (request) => {
      request.signal.throwIfAborted();
      const page = current === undefined ? 0 : (pages.get(current) ?? 0);
      if (current !== undefined) pages.set(current, page + 1);
      const response: ScriptedResponse =
        exchanges.length < MAX_CALLS - 1
          ? (override(pages.size, page) ?? sampleAnswer(current?.value, samples, page === 0))
          : { networkError: 'ECONNRESET' };
      const { headers, ...asked } = canonicalRequest(request);
      exchanges.push({ request: { ...asked, headers }, response: { ...response } });
      return respond(response, request);
    },
  };
  const observer: SampleService['observer'] = {
    onDirective: (document) => {
      current = document ?? current;
    },
    onDecision: () => {},
  };
  return { scripted, observer, exchanges };
}

/**
 * An answer that the response of a request can read: with every member its templates name, and one record where it
 * iterates.
 *
 * @param spec the request, merged with the base
 * @param samples of the component, for values
 * @param isFirst whether it is the first page; later ones hold no record, so that paging ends
 */
function sampleAnswer(spec: unknown, samples: unknown, isFirst: boolean): ScriptedResponse {
  const response = readAt(spec, 'response');
  const { error: _error, ...read } = isPlainObject(response) ? response : {};
  const type = ownMember(read, 'type');
  if (type === 'text' || type === 'xml' || type === 'binary') {
    return { status: 200, bodyText: type === 'xml' ? '<sample/>' : 'sample' };
  }
  const container = containerPath(read);
  const body = sampleTree('body', read, container, samples);
  if (container === undefined) return { status: 200, body: isPlainObject(body) ? body : {} };
  const items = isFirst ? [sampleItem(read, samples)] : [];
  return { status: 200, body: container.length === 1 ? items : putAt(body, container.slice(1), items) };
}

/** A call of a webhook with the members that its templates read. */
function samplePayload(spec: unknown, samples: unknown): unknown {
  if (!isPlainObject(spec)) return {};
  const container = containerPath(spec);
  const body = sampleTree('body', spec, container, samples);
  if (container === undefined) return isPlainObject(body) ? body : {};
  const items = [sampleItem(spec, samples)];
  return container.length === 1 ? items : putAt(body, container.slice(1), items);
}

/** Where `iterate` finds its records: `['body', 'data']`. */
function containerPath(response: PlainObject): readonly string[] | undefined {
  const iterate = ownMember(response, 'iterate');
  const written = isPlainObject(iterate) ? ownMember(iterate, 'container') : iterate;
  if (typeof written !== 'string' || written.trim() === '') return undefined;
  const template = written.includes('{{') ? written : `{{${written}}}`;
  return readTemplatePaths(template).find(([root]) => root === 'body');
}

/** The paths that are read besides the container, which is a list and no sample. */
function without(
  read: PlainObject,
  container: readonly string[] | undefined,
): readonly (readonly string[])[] {
  return readTemplatePaths(read).filter(
    (path) => container === undefined || !container.every((step, index) => path[index] === step),
  );
}

function sampleItem(read: PlainObject, samples: unknown): unknown {
  return sampleTree('item', read, undefined, samples) ?? sampleRecord(samples);
}

/** Output of a module: its sample, if it is an object. */
function sampleRecord(samples: unknown): PlainObject {
  const known = Array.isArray(samples) ? samples[0] : samples;
  return isPlainObject(known) ? known : { id: 1 };
}

/**
 * An object with all members that the templates of a response read from a root, but for those in its container;
 * undefined if none goes further than the root. A member that is the output as a whole is a record, as modules output objects.
 */
function sampleTree(
  root: string,
  read: PlainObject,
  container: readonly string[] | undefined,
  samples: unknown,
): unknown {
  let tree: unknown;
  const paths = without(read, container);
  const whole = readWholePath(ownMember(read, 'output'));
  const output = whole && pathKey(whole);
  const kinds = readNeededKinds(read);
  // Longer ones first: a member that is read as a whole and in parts is an object.
  const below = paths.filter((path) => path[0] === root && path.length > 1);
  for (const path of below.toSorted((a, b) => b.length - a.length)) {
    if (readAt(tree, ...path.slice(1)) !== undefined) continue;
    const isOutput = pathKey(path) === output;
    const leaf = isOutput
      ? sampleRecord(samples)
      : sampleMember(path.at(-1) ?? '', samples, kinds.get(pathKey(path)));
    tree = putAt(tree, path.slice(1), leaf);
  }
  return tree;
}

function putAt(value: unknown, [name, ...rest]: readonly string[], leaf: unknown): PlainObject {
  const object: PlainObject = isPlainObject(value) ? { ...value } : {};
  if (name === undefined) return object;
  setMember(object, name, rest.length === 0 ? leaf : putAt(ownMember(object, name), rest, leaf));
  return object;
}
