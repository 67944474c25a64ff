import type { ComponentKind } from '../../app/assembling/code-types.js';
import { compileConnection } from '../../connection/compile-connection.js';
import { ConnectionRun } from '../../connection/connection-run.js';
import { assertObtainable } from '../../connection/create-or-authorize.js';
import { emptyConnection } from '../../connection/start-step.js';
import type { App, ConnectionComponent, ModuleComponent, WebhookComponent } from '../../document/app.js';
import { compileCommunication } from '../../document/compile/compile-request.js';
import { type CompiledRespond, compileRespond } from '../../document/compile/compile-respond.js';
import type { CompiledRequest } from '../../document/compile/compiled-request.js';
import type { Document } from '../../document/reading/document.js';
import { subDocument } from '../../document/reading/sub-document.js';
import { isEmptySpec, readSingleRequest } from '../../module/run-instant-trigger.js';
import { moduleForm, readForm } from '../../parameters/form/form.js';
import { buildAnswer } from '../../run/response/build-answer.js';
import { compileTrigger } from '../../trigger/compile-trigger.js';
import { Poll } from '../../trigger/poll.js';
import { compileEpoch } from '../../trigger/run-epoch.js';
import { assertNever } from '../../util/assert-never.js';
import { isPlainObject, ownMember } from '../../util/plain-object.js';
import { compileWebhook } from '../../webhook/compile-webhook.js';
import { isUnusedHook, readHookData } from '../../webhook/run-hook-request.js';
import { constantPart } from './constant-part.js';
import { CONSTANT_CONTEXT, Rehearsal, type RunRefusal } from './dry-run-requests.js';

/**
 * Rehearses every component of an app: takes the steps of its run, by the code of the run, that depend on nothing but
 * what is written. Components without communication are left out, as loading tells of them.
 *
 * @param isMeant which of its components. Default: all.
 */
export function rehearseApp(app: App, isMeant: IsMeant = () => true): readonly RunRefusal[] {
  const rehearsal = new Rehearsal(app);
  const base = app.base && constantPart(app.base);
  const pick = <C extends { readonly name: string }>(
    kind: ComponentKind,
    components: ReadonlyMap<string, C>,
  ): readonly C[] => [...components.values()].filter(({ name }) => isMeant(kind, name));
  const connections = pick('connection', app.connections);
  const webhooks = pick('webhook', app.webhooks);
  const modules = pick('module', app.modules);
  const rpcs = pick('rpc', app.rpcs);
  for (const connection of connections) rehearseConnection(rehearsal, connection);
  for (const webhook of webhooks) rehearseWebhook(rehearsal, webhook, base);
  for (const module of modules) rehearseModule(rehearsal, module, base);
  for (const { communication } of rpcs) rehearseRequests(rehearsal, communication, base);
  for (const { name, communication } of pick('endpoint', app.endpoints)) {
    const requests = compile(rehearsal, communication, base);
    rehearsal.requests(requests, rehearsal.context().apart(name, {}));
  }
  // The forms that are read before a run.
  for (const module of modules) rehearsal.step(() => moduleForm(module));
  for (const { params } of [...connections, ...webhooks, ...rpcs]) rehearsal.step(() => readForm(params));
  return rehearsal.refusals;
}

/** Whether a component is to be rehearsed. */
type IsMeant = (kind: ComponentKind, name: string) => boolean;

function compile(
  rehearsal: Rehearsal,
  communication: Document | undefined,
  base: Document | undefined,
): readonly CompiledRequest[] {
  if (communication === undefined) return [];
  const constant = constantPart(communication);
  return rehearsal.step(() => compileCommunication(constant, base, CONSTANT_CONTEXT)) ?? [];
}

function rehearseRequests(
  rehearsal: Rehearsal,
  communication: Document | undefined,
  base: Document | undefined,
): void {
  rehearsal.requests(compile(rehearsal, communication, base), rehearsal.context());
}

function rehearseModule(rehearsal: Rehearsal, module: ModuleComponent, base: Document | undefined): void {
  const { type, communication } = module;
  if (communication === undefined) return;
  switch (type) {
    case 'action':
    case 'search':
    case 'universal':
      rehearseRequests(rehearsal, communication, base);
      break;
    case 'trigger':
      rehearseTrigger(rehearsal, module, communication, base);
      break;
    case 'instant_trigger': {
      if (isEmptySpec(communication.value)) return;
      const context = rehearsal.context();
      const requests = compile(rehearsal, communication, base);
      const single = rehearsal.step(() => readSingleRequest(requests, communication, context));
      if (single !== undefined) rehearsal.requests([{ ...single, pagination: undefined }], context);
      break;
    }
    case 'responder': {
      const document = Array.isArray(communication.value) ? subDocument(communication, 0) : communication;
      const constant = constantPart(document);
      const response = isPlainObject(constant.value) ? ownMember(constant.value, 'response') : undefined;
      rehearseAnswer(rehearsal, compileRespond(response, constant, '/response', CONSTANT_CONTEXT), 'text');
      break;
    }
    default:
      assertNever(type);
  }
}

function rehearseTrigger(
  rehearsal: Rehearsal,
  { epoch }: ModuleComponent,
  communication: Document,
  base: Document | undefined,
): void {
  const requests = compile(rehearsal, communication, base);
  const context = rehearsal.context();
  const poll = rehearsal.step(() => new Poll(requests.at(-1), undefined, undefined, context));
  if (poll === undefined) return;
  rehearsal.requests(requests, context, poll.plan);
  if (epoch === undefined) return;
  const constant = constantPart(epoch);
  const listed =
    rehearsal.step(() => compileEpoch(constantPart(communication), constant, base, CONSTANT_CONTEXT)) ?? [];
  const ofEpoch = rehearsal.context();
  rehearsal.requests(listed, ofEpoch);
  const last = listed.at(-1);
  if (last !== undefined) rehearsal.step(() => compileTrigger(last, ofEpoch));
}

function rehearseConnection(rehearsal: Rehearsal, component: ConnectionComponent): void {
  const { communication } = component;
  if (communication === undefined) return;
  const constant = { ...component, communication: constantPart(communication) };
  const compiled = rehearsal.step(() => compileConnection(constant, CONSTANT_CONTEXT));
  if (compiled === undefined) return;
  if (compiled.kind === 'basic') return rehearseSection(rehearsal, component, compiled.requests);
  rehearsal.step(() => assertObtainable(component, compiled));
  const { before, authorize, token, info, refresh, invalidate } = compiled;
  const page = authorize === undefined ? [] : [authorize];
  for (const section of [before, page, token, info, refresh, invalidate])
    rehearseSection(rehearsal, component, section);
}

function rehearseSection(
  rehearsal: Rehearsal,
  component: ConnectionComponent,
  requests: readonly CompiledRequest[],
): void {
  const context = rehearsal.context();
  rehearsal.requests(requests, context, { appliesLimit: false });
  const run = new ConnectionRun(context, emptyConnection(component, {}, undefined), 'UTC');
  for (const request of requests) {
    rehearsal.step(() => run.keep(request.response, context.at({ document: request.document })));
  }
}

function rehearseWebhook(rehearsal: Rehearsal, webhook: WebhookComponent, base: Document | undefined): void {
  const { communication, attach, detach, update } = webhook;
  const constant = communication && constantPart(communication);
  const compiled = rehearsal.step(() => compileWebhook(constant, CONSTANT_CONTEXT));
  for (const respond of [compiled?.respond, compiled?.verification?.respond])
    if (respond !== undefined) rehearseAnswer(rehearsal, respond, 'json');
  for (const step of [attach, detach, update]) {
    if (step === undefined || isUnusedHook(step.value)) continue;
    const requests = compile(rehearsal, step, base);
    const context = rehearsal.context();
    rehearsal.requests(requests, context, { appliesLimit: false });
    for (const request of requests) rehearsal.step(() => readHookData(request, context));
  }
}

function rehearseAnswer(rehearsal: Rehearsal, respond: CompiledRespond, textType: 'json' | 'text'): void {
  rehearsal.step(() => buildAnswer(respond, rehearsal.context(), textType));
}
