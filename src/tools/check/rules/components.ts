import { listConnections } from '../../../engine/component/run-subject.js';
import type { App } from '../../../engine/document/app.js';
import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, readAt } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { ReportFinding, Rule } from '../rule.js';
import { listCalls, listCodeCalls, listEndpointCalls } from '../subject/calls.js';
import { declaredFields, indexRpcCalls, writtenMembers } from '../subject/declared-names.js';
import type { Subject } from '../subject/subject.js';
import {
  holdsRequests,
  inheritsBase,
  locateKey,
  pointerTo,
  type WrittenRequest,
} from '../subject/walk-requests.js';

export const COMPONENT_RULES: readonly Rule[] = [
  {
    id: 'action-iterate',
    area: 'modules',
    level: 'error',
    summary: 'The result of an action comes from a request that iterates and has no `wrapper`.',
    why: 'An action outputs one object. `iterate` outputs a list, so the run ends with a `DataError`. This also applies to an earlier request of a chain: its list stays the result if later requests are skipped by their `condition` or have `output: null`. A `wrapper` combines the list in one object; a search outputs one bundle per item.',
    bad: '"response": { "iterate": "{{body.items}}", "output": "{{item}}" }',
    good: '"response": { "iterate": "{{body.items}}", "output": "{{item}}", "wrapper": { "items": "{{output}}" } }',
    check: (subject, report) => {
      for (const request of subject.requests) {
        const { owner, kind } = request.in;
        if (owner?.kind !== 'module' || owner.type !== 'action' || kind !== 'api') continue;
        if (!iterates(subject, request) || readMerged(subject, request, 'wrapper') !== undefined) continue;
        if (!canBeResult(subject, request)) continue;
        const isOwn = readAt(request.value, 'response', 'iterate') !== undefined;
        const pointer = isOwn ? pointerTo(request, 'response', 'iterate') : request.pointer;
        const isLast = request.element === request.length - 1;
        report({
          message: `An action outputs one object, but this request iterates${isLast ? '' : ', and its list is the result if later requests have none'}. Add a wrapper, or use a search.`,
          place: request.document.locationOf(pointer, undefined, 'key'),
        });
      }
    },
  },
  {
    id: 'incomplete-trigger',
    area: 'triggers',
    level: 'error',
    summary: 'A polling trigger has no `id` or `date`, or its epoch has no `label` or `date`.',
    why: 'Without `id` (and `date` for the type `date`), a trigger cannot recognize new items. The panel of the epoch shows `label` and starts at `date`.',
    bad: '"trigger": { "type": "date", "order": "desc", "id": "{{item.id}}" }',
    good: '"trigger": { "type": "date", "order": "desc", "id": "{{item.id}}", "date": "{{item.created}}" }',
    check: (subject, report) => {
      for (const request of subject.requests) {
        const { owner, kind } = request.in;
        if (owner?.kind !== 'module' || owner.type !== 'trigger') continue;
        if (kind === 'epoch') {
          const { pointer, missing } = findMissingInEpoch(subject, request);
          if (missing.length === 0) continue;
          const message = `The entries of the epoch have no ${missing.join(' and no ')}.`;
          report({ message, place: request.document.locationOf(pointer, undefined, 'key') });
          continue;
        }
        const trigger = readAt(request.value, 'response', 'trigger');
        if (!isPlainObject(trigger)) continue;
        const base = readAt(subject.app.base?.value, 'response', 'trigger');
        const needed = readType(subject, trigger) === 'date' ? ['id', 'date'] : ['id'];
        for (const name of needed) {
          if ((readAt(trigger, name) ?? readAt(base, name) ?? '') !== '') continue;
          const message = `The trigger has no "${name}", so it cannot tell new items from old ones.`;
          report({ message, place: locateKey(request, 'response', 'trigger') });
        }
      }
    },
  },
  {
    id: 'unknown-endpoint',
    area: 'endpoints',
    level: 'error',
    summary: 'A request calls an endpoint that the app does not have, or an endpoint calls another one.',
    why: 'The run ends with a RuntimeError. Endpoints are called by name, and an endpoint cannot call another one.',
    bad: '{ "endpoint": "listUser" }',
    good: '{ "endpoint": "listUsers" }',
    check: ({ refusals }, report) => {
      for (const { error, isOfEndpoint } of refusals)
        if (isOfEndpoint) report({ message: error.message, place: error.place ?? {} });
    },
  },
  {
    id: 'endpoint-input',
    area: 'endpoints',
    level: 'warning',
    summary: 'A call passes an `input` that the form of the endpoint does not declare.',
    why: 'The endpoint reads its input as `parameters`, by the names of its form. A misspelt name is undefined there.',
    bad: '{ "endpoint": "findUser", "input": { "emial": "{{parameters.email}}" } }',
    good: '{ "endpoint": "findUser", "input": { "email": "{{parameters.email}}" } }',
    check: ({ app, documents }, report) => {
      for (const checked of documents.filter(holdsRequests)) {
        for (const { name, input, inputPointer } of listEndpointCalls(checked)) {
          const form = app.endpoints.get(name)?.input;
          if (form === undefined || !isPlainObject(input)) continue;
          const declared = declaredFields(form);
          if (declared.isOpen) continue;
          for (const key of Object.keys(input)) {
            if (declared.names.has(key) || key.includes('{{')) continue;
            const message = `The endpoint "${name}" has no input "${key}".${didYouMean(key, declared.names)}`;
            const place = checked.document.locationOf(childPointer(inputPointer, key), undefined, 'key');
            report({ message, place });
          }
        }
      }
    },
  },
  {
    id: 'unreferenced-component',
    area: 'app',
    level: 'info',
    summary: 'Nothing in the app uses an RPC, function, connection or webhook.',
    why: 'The component is deployed but never runs.',
    bad: 'an RPC listTables that no form names',
    good: '"options": "rpc://listTables"',
    check: (subject, report) => {
      const rpcs = indexRpcCalls(subject);
      const functions = listCalledFunctions(subject);
      const { app } = subject;
      const components = [
        ...app.modules.values(),
        ...app.rpcs.values(),
        ...app.webhooks.values(),
        ...app.endpoints.values(),
      ];
      const connections = new Set(components.flatMap(listConnections));
      const webhooks = new Set([...app.modules.values()].map(({ webhook }) => webhook));
      tell(report, 'RPC', app.rpcs, rpcs);
      tell(report, 'function', app.functions, functions);
      if (!hasGuessedLinks(app)) {
        tell(report, 'connection', app.connections, connections);
        tell(report, 'webhook', app.webhooks, webhooks);
      }
    },
  },
  {
    id: 'scenario-file',
    area: 'app',
    level: 'error',
    summary: 'A file of scenarios cannot be read, or names a component that the app does not have.',
    why: '`iml serve` does not start with the file, or skips the scenario.',
    bad: '{ "scenarios": [{ "name": "a", "everyMinutes": 5, "modules": [{ "app": "crm", "module": "lstUsers" }] }] }',
    good: '{ "scenarios": [{ "name": "a", "everyMinutes": 5, "modules": [{ "app": "crm", "module": "listUsers" }] }] }',
    check: ({ scenarioRefusals }, report) => {
      for (const { message, place, isAboutAnswer } of scenarioRefusals)
        if (!isAboutAnswer) report({ message, place });
    },
  },
  {
    id: 'ordered-responder',
    area: 'webhooks',
    level: 'error',
    summary: 'A scenario has a responder and processes its events in order.',
    why: 'The sender waits for the response while its event waits for earlier events. The host refuses such a scenario.',
    bad: '{ "name": "a", "ordered": true, "modules": [..., { "app": "crm", "module": "answer" }] }',
    good: '{ "name": "a", "modules": [..., { "app": "crm", "module": "answer" }] }',
    check: ({ scenarioRefusals }, report) => {
      for (const { message, place, isAboutAnswer } of scenarioRefusals)
        if (isAboutAnswer) report({ message, place });
    },
  },
];

/**
 * Whether the later requests of the chain can all end without a result; the result of an earlier request then counts.
 * Conditions of several later requests may exclude each other, so at most one of them may be skipped. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests (condition). [inf]
 */
function canBeResult(subject: Subject, request: WrittenRequest): boolean {
  const later = subject.requests.filter(
    (other) => other.document === request.document && other.element > request.element,
  );
  // Empty requests are not listed.
  if (later.length !== request.length - 1 - request.element) return false;
  const withOutput = later.filter((other) => !NO_RESULT.has(readMerged(subject, other, 'output')));
  const [next, ...others] = withOutput;
  return next === undefined || (others.length === 0 && canBeSkipped(next, request));
}

/** Values of `output` that end a request without a result. */
const NO_RESULT: ReadonlySet<unknown> = new Set([null, false, '{{undefined}}', '{{null}}', '{{false}}']);

/** Whether a request can be skipped in a run in which another one is not. */
function canBeSkipped({ value }: WrittenRequest, other: WrittenRequest): boolean {
  const condition = ownMember(value, 'condition');
  if (condition === undefined || condition === null || condition === true) return false;
  if (isPlainObject(condition) && condition['default'] !== undefined) return false;
  return JSON.stringify(condition) !== JSON.stringify(ownMember(other.value, 'condition'));
}

function iterates(subject: Subject, request: WrittenRequest): boolean {
  const iterate = readMerged(subject, request, 'iterate');
  const container = isPlainObject(iterate) ? readMerged(subject, request, 'iterate', 'container') : iterate;
  return container !== undefined && container !== null && container !== '';
}

/** A member of the response, or the one of the base that it inherits. */
function readMerged(subject: Subject, request: WrittenRequest, ...path: readonly string[]): unknown {
  const own = readAt(request.value, 'response', ...path);
  if (own !== undefined || !inheritsBase(request.in)) return own;
  return readAt(subject.app.base?.value, 'response', ...path);
}

function readType(subject: Subject, trigger: unknown): unknown {
  return readAt(trigger, 'type') ?? readAt(subject.app.base?.value, 'response', 'trigger', 'type') ?? 'id';
}

function findMissingInEpoch(
  subject: Subject,
  request: WrittenRequest,
): { readonly pointer: string; readonly missing: readonly string[] } {
  const path =
    readAt(request.value, 'response', 'output') === undefined ? ['output'] : ['response', 'output'];
  const output = readAt(request.value, ...path);
  const pointer = pointerTo(request, ...path);
  const written = writtenMembers([output]);
  if (!isPlainObject(output) || written.isOpen) return { pointer, missing: [] };
  const { name = '' } = request.in.owner ?? {};
  const communication = subject.app.modules.get(name)?.communication?.value;
  const last: unknown = Array.isArray(communication) ? communication.at(-1) : communication;
  const isDated = readType(subject, readAt(last, 'response', 'trigger')) === 'date';
  const missing = ['label', ...(isDated ? ['date'] : [])].filter((member) => !written.names.has(member));
  return { pointer, missing };
}

/** Components without metadata can use any connection and webhook. */
function hasGuessedLinks({ warnings }: App): boolean {
  return warnings.some(
    ({ code, place }) =>
      code === 'undeclared-component' ||
      (code === 'missing-file' && place.file?.endsWith('/metadata.json') === true),
  );
}

interface Named {
  readonly name: string;
  readonly file?: string | undefined;
  readonly communication?: { readonly file: string | undefined } | undefined;
}

function tell(
  report: ReportFinding,
  what: string,
  components: ReadonlyMap<string, Named>,
  used: { readonly has: (name: string) => boolean },
): void {
  for (const { name, file, communication } of components.values()) {
    if (used.has(name)) continue;
    report({ message: `Nothing uses the ${what} "${name}".`, place: { file: file ?? communication?.file } });
  }
}

/** Functions called by expressions or other functions. */
function listCalledFunctions({ app, expressions }: Subject): ReadonlySet<string> {
  const byCode = [...app.functions.values()].flatMap(({ name, code }) =>
    listCodeCalls(code).filter((called) => called !== name),
  );
  return new Set([...listCalls(expressions), ...byCode]);
}
