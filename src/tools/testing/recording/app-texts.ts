import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { isDocument } from '../../../engine/document/document.js';
import { isPlainObject, readAt } from '../../../shared/plain-object.js';

const MAX_DEPTH = 100;

/** All text of an app except common data, one per line: expressions, literals, code. */
export function listAppTexts(app: App): string {
  const texts: string[] = [];
  for (const document of listDocuments(app)) collectTexts(document.value, texts, 0);
  for (const { code } of app.functions.values()) if (code !== undefined) texts.push(code);
  return texts.join('\n');
}

/** `log.sanitize` entries of all documents of an app; expressions stay unevaluated. */
export function listSanitized(app: App): readonly string[] {
  const found: string[] = [];
  for (const document of listDocuments(app)) collectSanitized(document.value, found, 0);
  return [...new Set(found)];
}

function listDocuments(app: App): readonly Document[] {
  const parts = [app.connections, app.modules, app.rpcs, app.webhooks, app.endpoints];
  const components = parts.flatMap((part): object[] => [...part.values()]);
  const ofComponents = components.flatMap((component) =>
    Object.entries(component)
      .filter(([name]) => name !== 'common')
      .map(([, value]: [string, unknown]) => value),
  );
  return [app.base, ...ofComponents].filter(isDocument);
}

function collectTexts(value: unknown, texts: string[], depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string') texts.push(value);
  else if (Array.isArray(value)) for (const item of value) collectTexts(item, texts, depth + 1);
  else if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      texts.push(name);
      collectTexts(member, texts, depth + 1);
    }
  }
}

function collectSanitized(value: unknown, found: string[], depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const item of value) collectSanitized(item, found, depth + 1);
  if (!isPlainObject(value)) return;
  const sanitize = readAt(value, 'log', 'sanitize');
  if (Array.isArray(sanitize)) found.push(...sanitize.filter((entry) => typeof entry === 'string'));
  for (const member of Object.values(value)) collectSanitized(member, found, depth + 1);
}
