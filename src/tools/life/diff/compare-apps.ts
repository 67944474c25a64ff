import type {
  App,
  ConnectionComponent,
  ModuleComponent,
  RpcComponent,
  WebhookComponent,
} from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { isDocument } from '../../../engine/document/document.js';
import { COMPONENT_KINDS, type ComponentKind } from '../../../engine/loading/code-types.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember } from '../../../shared/plain-object.js';
import { listRpcNames } from '../../check/subject/calls.js';
import { isEmpty } from '../../check/subject/review-subject.js';
import { createSubject } from '../../check/subject/subject.js';
import type { ComponentName } from '../../check/subject/used-part.js';
import {
  type Change,
  type ChangedComponent,
  canonical,
  isSame,
  isSameCode,
  type ReportChange,
} from './change.js';
import { CONNECTION_FORM, compareForms, INTERFACE, RPC_FORM, SCENARIO_FORM } from './compare-forms.js';
import { compareRequests } from './compare-requests.js';
import { CHANGE_LEVELS, DIFF_RULES, type DiffRuleId } from './diff-rules.js';

/**
 * Compares two versions of an app and says what each change does to existing scenarios. Files cannot tell whether an
 * app has scenarios, so every module counts as used. Components that no module uses, and components that were empty,
 * break nothing.
 *
 * @returns the changes by component; empty if only comments, white space or the order of
 * members differ
 */
export function compareApps(old: App, now: App): readonly Change[] {
  const changes: Change[] = [];
  const isUsed = findUsed(old);
  const reportTo = (component: ChangedComponent, nearest: SourceLocation, used = true): ReportChange => {
    return (rule, message, place = nearest) => {
      const { level } = DIFF_RULES[rule];
      const effect = used
        ? { rule, level }
        : ({ rule: level === 'safe' ? rule : UNUSED, level: 'safe' } as const);
      changes.push({ ...effect, component, message, place });
    };
  };
  compareGeneral(old, now, reportTo({ kind: 'app', name: now.name }, {}));
  for (const kind of COMPONENT_KINDS) {
    const before: ReadonlyMap<string, Named> = old[`${kind}s` as const];
    const after: ReadonlyMap<string, Named> = now[`${kind}s` as const];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(name), after.get(name)];
      const report = reportTo({ kind, name }, locateComponent(is), isUsed(kind, name));
      if (was !== undefined && is !== undefined) compareComponent(kind, was, is, { old, report });
      else if (was === undefined) report('component-added', 'Added.');
      else report('component-removed', 'Removed.');
    }
  }
  return changes;
}

/** The rule of changes of components that no scenario reaches. */
const UNUSED: DiffRuleId = 'other-change';

/** Sorts by severity; changes of one level keep the order of the components. */
export function sortChanges(changes: readonly Change[]): readonly Change[] {
  const rank = ({ level }: Change): number => CHANGE_LEVELS.indexOf(level);
  return [...changes].sort((a, b) => rank(a) - rank(b));
}

type AnyComponent = ModuleComponent | ConnectionComponent | RpcComponent | WebhookComponent | Named;

interface Named {
  readonly name: string;
  readonly label: string | undefined;
}

/** Whether scenarios use a component: modules and their dependencies. */
function findUsed(app: App): (kind: ComponentKind, name: string) => boolean {
  const { modules } = app;
  const written = [...modules.values()].filter((module) => !isTemplate(module));
  // Links of a module without files are in the manifest only.
  const started = written.flatMap(({ name, connection, altConnection, webhook }) => [
    { kind: 'module' as const, name },
    ...[connection, altConnection].flatMap((link) => named('connection', link)),
    ...named('webhook', webhook),
  ]);
  const { part } = createSubject(app, { started });
  return (kind, name) => part?.has(kind, name) === true;
}

function named(kind: ComponentKind, name: string | undefined): readonly ComponentName[] {
  return name === undefined ? [] : [{ kind, name }];
}

/** A module whose communication is still empty runs nowhere. Instant triggers have none. */
function isTemplate({ type, communication }: ModuleComponent): boolean {
  if (type === 'instant_trigger') return false;
  const { value } = communication ?? { value: {} };
  return canonical(value) === canonical({}) || canonical(value) === canonical([]);
}

function locateComponent(component: AnyComponent | undefined): SourceLocation {
  if (component === undefined) return {};
  for (const part of ['communication', 'attach', 'params', 'mappableParams']) {
    const document = ownMember(component, part);
    if (isDocument(document)) return document.locationOf('');
  }
  const file = ownMember(component, 'file');
  return typeof file === 'string' ? { file } : {};
}

function compareGeneral(old: App, now: App, report: ReportChange): void {
  if (!isSame(old.base?.value, now.base?.value)) {
    const members = listChanged(old.base?.value, now.base?.value);
    report('base-changed', `The base was changed: ${members.join(', ')}.`, now.base?.locationOf(''));
  }
  if (!isSame(old.common?.value, now.common?.value)) {
    report('other-change', 'The common data was changed.', now.common?.locationOf(''));
  }
  if (!isSame(old.groups?.value, now.groups?.value)) {
    report('other-change', 'The groups of modules were changed.', now.groups?.locationOf(''));
  }
}

/** Names of the members that differ. */
function listChanged(old: unknown, now: unknown): readonly string[] {
  if (!isPlainObject(old) || !isPlainObject(now)) return ['all of it'];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].filter((name) => !isSame(ownMember(old, name), ownMember(now, name)));
}

interface Comparison {
  readonly old: App;
  readonly report: ReportChange;
}

function compareComponent(kind: ComponentKind, old: Named, now: Named, comparison: Comparison): void {
  const { report } = comparison;
  if (old.label !== now.label) report('other-change', 'The label was changed.');
  const of = <T extends Named>(component: Named): T => component as T; // `kind` decides
  switch (kind) {
    case 'module':
      return compareModules(of<ModuleComponent>(old), of<ModuleComponent>(now), report);
    case 'connection':
      return compareConnections(of<ConnectionComponent>(old), of<ConnectionComponent>(now), report);
    case 'webhook':
      return compareWebhooks(of<WebhookComponent>(old), of<WebhookComponent>(now), report);
    case 'rpc':
      return compareRpcs(of<RpcComponent>(old), of<RpcComponent>(now), comparison);
    case 'function':
      return compareFunctions(old, now, report);
    case 'endpoint':
      // Endpoints are called by agents, not by scenarios.
      return compareParts(old, now, ['communication', 'input', 'output', 'requiredScope'], report);
    default:
      return kind satisfies never;
  }
}

function compareModules(old: ModuleComponent, now: ModuleComponent, report: ReportChange): void {
  if (old.type !== now.type) report('module-type', `The type changed from ${old.type} to ${now.type}.`);
  compareLinks(old, now, report);
  if (old.webhook !== now.webhook) {
    report('webhook-moved', `The webhook changed from ${show(old.webhook)} to ${show(now.webhook)}.`);
  }
  compareRequests([old.communication, now.communication], report);
  const forms = (module: ModuleComponent) => [module.staticParams, module.mappableParams];
  compareForms(forms(old), forms(now), SCENARIO_FORM, report);
  compareForms([old.interface], [now.interface], INTERFACE, report);
  compareScopes(old.scope, now.scope, report);
  compareParts(old, now, ['epoch', 'samples'], report);
  if (old.description !== now.description) report('other-change', 'The description was changed.');
}

function show(name: string | undefined): string {
  return name === undefined ? 'none' : `"${name}"`;
}

interface Linked {
  readonly connection: string | undefined;
  readonly altConnection?: string | undefined;
}

function compareLinks(old: Linked, now: Linked, report: ReportChange): void {
  for (const key of ['connection', 'altConnection'] as const) {
    if (old[key] === now[key]) continue;
    const message = `The ${key} changed from ${show(old[key])} to ${show(now[key])}.`;
    // A second connection is an offer to new scenarios.
    const isOffer = key === 'altConnection' && old[key] === undefined;
    report(isOffer ? 'other-change' : 'connection-moved', message);
  }
}

function compareConnections(old: ConnectionComponent, now: ConnectionComponent, report: ReportChange): void {
  if (old.type !== now.type) {
    report('connection-type', `The type changed from ${old.type} to ${now.type}.`);
  }
  const refresh = ({ communication }: ConnectionComponent): unknown =>
    isPlainObject(communication?.value) ? ownMember(communication.value, 'refresh') : undefined;
  if (!isSame(refresh(old), refresh(now)) && refresh(now) !== undefined) {
    const what = refresh(old) === undefined ? 'added' : 'changed';
    report('connection-refresh', `The refresh call was ${what}.`, now.communication?.locationOf('/refresh'));
  } else if (!isSame(old.communication?.value, now.communication?.value)) {
    report('other-change', 'The communication was changed.');
  }
  compareForms([old.params], [now.params], CONNECTION_FORM, report);
  compareParts(old, now, ['common', 'scopeList'], report);
  compareScopes(old.defaultScope, now.defaultScope, report);
}

function compareWebhooks(old: WebhookComponent, now: WebhookComponent, report: ReportChange): void {
  if (old.type !== now.type) {
    report('webhook-changed', `The type changed from ${old.type} to ${now.type}.`);
  }
  compareLinks(old, now, report);
  for (const part of ['communication', 'attach', 'detach', 'update'] as const) {
    const [before, after] = [old[part]?.value, now[part]?.value];
    if (isSame(before, after) || (isEmpty(before) && isEmpty(after))) continue;
    const at = now[part]?.locationOf('');
    report('webhook-changed', `The ${part} was changed.`, at);
  }
  compareForms([old.params], [now.params], SCENARIO_FORM, report);
  compareScopes(old.requiredScope, now.requiredScope, report);
}

function compareRpcs(old: RpcComponent, now: RpcComponent, { old: before, report }: Comparison): void {
  compareLinks(old, now, report);
  compareForms([old.params], [now.params], RPC_FORM, report);
  if (isSame(old.communication?.value, now.communication?.value)) return;
  const users = listFieldUsers(before, old.name);
  if (users.length === 0) report('other-change', 'The communication was changed.');
  else report('rpc-fields-changed', `The fields of ${users.join(', ')} can be others.`);
}

/** Modules and webhooks whose forms get fields, not only options, from an RPC. */
function listFieldUsers(app: App, rpc: string): readonly string[] {
  const forms = [
    ...[...app.modules.values()].map(
      (module) => [module.name, [module.staticParams, module.mappableParams, module.interface]] as const,
    ),
    ...[...app.webhooks.values()].map((webhook) => [webhook.name, [webhook.params]] as const),
  ];
  return forms
    .filter(([, documents]) =>
      documents.some(
        (document) => document !== undefined && listRpcNames(withoutOptions(document.value)).includes(rpc),
      ),
    )
    .map(([name]) => name);
}

/** A form without the addresses that load options, which leaves those that load fields. */
function withoutOptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOptions);
  if (!isPlainObject(value)) return value;
  return Object.entries(value).map(([key, member]) => {
    if (key === 'options' && typeof member === 'string') return undefined;
    if (key === 'store' && typeof member === 'string' && !Object.hasOwn(value, 'name')) return undefined;
    return withoutOptions(member);
  });
}

function compareFunctions(old: Named, now: Named, report: ReportChange): void {
  const read = (component: Named, part: string): string => {
    const text = ownMember(component, part);
    return typeof text === 'string' ? text : '';
  };
  if (!isSameCode(read(old, 'code'), read(now, 'code'))) {
    report('function-changed', 'The code was changed.');
  }
  if (read(old, 'test') !== read(now, 'test')) {
    report('other-change', 'The test was changed.');
  }
}

function compareScopes(old: Document | undefined, now: Document | undefined, report: ReportChange): void {
  if (isSame(old?.value, now?.value)) return;
  const list = (document: Document | undefined): readonly unknown[] =>
    Array.isArray(document?.value) ? document.value : [];
  const added = list(now).filter((scope) => !list(old).includes(scope));
  const place = now?.locationOf('');
  if (added.length > 0) report('scope-added', `Added scopes: ${added.join(', ')}.`, place);
  else report('other-change', 'The scopes were changed.', place);
}

/** Parts without a rule of their own. */
function compareParts(old: Named, now: Named, parts: readonly string[], report: ReportChange): void {
  for (const part of parts) {
    const [before, after] = [ownMember(old, part), ownMember(now, part)].map((document) =>
      isDocument(document) ? document : undefined,
    );
    if (isSame(before?.value, after?.value)) continue;
    report('other-change', `The ${part} was changed.`, after?.locationOf(''));
  }
}
