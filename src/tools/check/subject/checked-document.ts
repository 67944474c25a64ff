import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import type { DocumentKind } from '../../../engine/document/document-shapes.js';
import { type ComponentKind, communicationKind } from '../../../engine/loading/code-types.js';

/** The component a document belongs to. */
export interface Owner {
  readonly kind: ComponentKind;
  readonly name: string;
  /** Type of a module, connection or webhook. */
  readonly type: string | undefined;
  /** Names of the connections it can run with. */
  readonly connections: readonly string[];
  /** Name of the webhook of an instant trigger. */
  readonly webhook: string | undefined;
}

/** A file of an app and its role. */
export interface CheckedDocument {
  readonly document: Document;
  readonly kind: DocumentKind;
  /** `communication`, `epoch`, `staticParams`, ...; `base`, `common` and `groups` of the app itself. */
  readonly part: string;
  /** Undefined for the files of the app itself. */
  readonly owner: Owner | undefined;
}

/** All documents of an app, general ones first. A file of two components is listed once per component. */
export function listDocuments(app: App): readonly CheckedDocument[] {
  return [
    ...listParts(undefined, [
      ['base', 'base', app.base],
      ['common', 'object', app.common],
      ['groups', 'array', app.groups],
    ]),
    ...[...app.connections.values()].flatMap((connection) =>
      listParts(createOwner('connection', connection), [
        ['communication', communicationKind('connection', connection.type), connection.communication],
        ['params', 'parameters', connection.params],
        ['common', 'object', connection.common],
        ['scopeList', 'object', connection.scopeList],
        ['defaultScope', 'array', connection.defaultScope],
      ]),
    ),
    ...[...app.webhooks.values()].flatMap((webhook) =>
      listParts(createOwner('webhook', webhook), [
        ['communication', 'webhook', webhook.communication],
        ['params', 'parameters', webhook.params],
        ['attach', 'api', webhook.attach],
        ['detach', 'api', webhook.detach],
        ['update', 'api', webhook.update],
        ['requiredScope', 'array', webhook.requiredScope],
      ]),
    ),
    ...[...app.modules.values()].flatMap((module) =>
      listParts(createOwner('module', module), [
        ['communication', communicationKind('module', module.type), module.communication],
        ['staticParams', 'parameters', module.staticParams],
        ['mappableParams', 'parameters', module.mappableParams],
        ['interface', 'parameters', module.interface],
        ['samples', 'any', module.samples],
        ['scope', 'array', module.scope],
        ['epoch', 'epoch', module.epoch],
      ]),
    ),
    ...[...app.rpcs.values()].flatMap((rpc) =>
      listParts(createOwner('rpc', rpc), [
        ['communication', 'api', rpc.communication],
        ['params', 'parameters', rpc.params],
      ]),
    ),
    ...[...app.endpoints.values()].flatMap((endpoint) =>
      listParts(createOwner('endpoint', endpoint), [
        ['communication', 'endpoint', endpoint.communication],
        ['input', 'parameters', endpoint.input],
        ['output', 'parameters', endpoint.output],
        ['requiredScope', 'array', endpoint.requiredScope],
      ]),
    ),
  ];
}

type Part = readonly [part: string, kind: DocumentKind, document: Document | undefined];

function listParts(owner: Owner | undefined, parts: readonly Part[]): readonly CheckedDocument[] {
  return parts.flatMap(([part, kind, document]) =>
    document === undefined ? [] : [{ document, kind, part, owner }],
  );
}

interface ComponentLike {
  readonly name: string;
  readonly type?: string;
  readonly connection?: string | undefined;
  readonly altConnection?: string | undefined;
  readonly connections?: readonly string[];
  readonly webhook?: string | undefined;
}

function createOwner(kind: ComponentKind, component: ComponentLike): Owner {
  const { name, type, connection, altConnection, webhook } = component;
  const given = [connection, altConnection].filter((other) => other !== undefined);
  const connections = component.connections ?? given;
  return { kind, name, type, connections, webhook };
}
