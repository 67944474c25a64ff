import type { App } from '../document/app.js';
import { checkShape, checkTemplates } from '../document/check-shape.js';
import { type Document, limitWarnings, type Warn } from '../document/document.js';
import { type DocumentKind, holdsTemplates } from '../document/document-shapes.js';
import type { AppParts, ComponentPart } from './app-parts.js';
import { CODE_TYPES, communicationKind } from './code-types.js';

/** Checks all files of an app, and that no component lacks a required file. */
export function checkDocuments(app: App, parts: AppParts, warn: Warn): void {
  // Components can share a file; its problems are reported once.
  const seen = new Map<Document, Set<DocumentKind>>();
  const check = (document: Document | undefined, kind: DocumentKind): void => {
    if (document === undefined) return;
    const kinds = seen.get(document) ?? new Set();
    seen.set(document, kinds);
    if (kinds.has(kind)) return;
    kinds.add(kind);
    checkShape(document, kind, limitWarnings(warn));
    if (holdsTemplates(kind)) checkTemplates(document, limitWarnings(warn));
  };

  const warnIncomplete = limitWarnings(warn);
  check(app.base, 'base');
  check(app.common, 'object');
  check(app.groups, 'array');
  for (const part of parts.components) {
    const type = findType(app, part);
    for (const [name, document] of part.documents) {
      const contents = CODE_TYPES[part.kind][name]?.contents ?? 'any';
      if (name === 'communication') check(document, communicationKind(part.kind, type));
      else if (contents !== 'source') check(document, contents);
    }
    if (needsCommunication(part, type) && !part.documents.has('communication')) {
      const message = `The ${part.kind} "${part.name}" has no communication, so it cannot run.`;
      warnIncomplete('missing-communication', message, () => part.locationOf());
    }
  }
}

function findType(app: App, part: ComponentPart): string | undefined {
  if (part.kind === 'module') return app.modules.get(part.name)?.type;
  return part.kind === 'connection' ? app.connections.get(part.name)?.type : undefined;
}

/** An instant trigger passes its webhook's item on, and a webhook the body it was sent. Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks [doc] */
function needsCommunication(part: ComponentPart, type: string | undefined): boolean {
  if (part.kind === 'function' || part.kind === 'webhook') return false;
  return type !== 'instant_trigger';
}
