import type { RunStats } from '../../../engine/component/report.js';
import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { createRedactor } from '../../../engine/redaction/redact.js';
import { collectNamedSecrets, collectSecrets } from '../../../engine/redaction/secrets.js';
import type { Limits } from '../../../engine/run/limits.js';
import type { RunWarning, TraceEvent } from '../../../engine/run/trace.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { communicationOf } from '../cases/component-name.js';
import type { TracedDocument, TracedTest } from './traced-test.js';

/** Kind of the component. */
export type TracedKind = 'module' | 'rpc' | 'endpoint' | 'webhook' | 'connection' | 'epoch';

/** A redacted run from start to end. */
export interface RunTrace {
  readonly app: string;
  readonly kind: TracedKind;
  /** Name of the component. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Limits of the run. */
  readonly limits: Limits;
  /** Documents with the expressions of the run. */
  readonly documents: readonly TracedDocument[];
  readonly events: readonly TraceEvent[];
  readonly end: TracedEnd;
  /** The case of `iml test`, if any. */
  readonly test?: TracedTest | undefined;
}

/** End of a run. */
export interface TracedEnd {
  readonly state: 'ok' | 'failed' | 'stopped';
  readonly bundles: number;
  readonly stats: RunStats;
  readonly warnings: readonly RunWarning[];
  /** The error as data. */
  readonly error: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The documents of a component, with literal secrets redacted.
 *
 * @param secrets data to redact: connection, common data
 */
export function traceDocuments(
  app: App,
  kind: TracedKind,
  name: string,
  secrets: readonly unknown[],
): readonly TracedDocument[] {
  const parts = [
    {
      role: 'communication',
      document: kind === 'epoch' ? app.modules.get(name)?.epoch : communicationOf(app, { type: kind, name }),
    },
    { role: 'base', document: kind === 'webhook' ? undefined : app.base },
  ] as const;
  return parts.flatMap(({ role, document }) =>
    document === undefined ? [] : [{ role, file: document.file, text: openText(document, secrets) }],
  );
}

/** Maximum total size of custom functions in a trace. */
const MAX_FUNCTIONS = 256 * 1024;

/** Other parts of a run: forms and custom functions. */
export function traceParts(
  app: App,
  kind: TracedKind,
  name: string,
  secrets: readonly unknown[],
): readonly TracedDocument[] {
  const forms = listForms(app, kind, name).filter((form) => form !== undefined);
  const codes = [...app.functions.values()].flatMap(({ code, file }) =>
    code === undefined ? [] : [{ file, code }],
  );
  const isShort = codes.reduce((sum, { code }) => sum + code.length, 0) <= MAX_FUNCTIONS;
  const redactor = createRedactor({ secrets: collectSecrets(...secrets), maxShown: MAX_FUNCTIONS });
  return [
    ...forms.map((form) => ({ role: 'part' as const, file: form.file, text: openText(form, secrets) })),
    ...(isShort ? codes : []).map(({ file, code }) => ({
      role: 'part' as const,
      file,
      text: redactor.text(code),
    })),
  ];
}

function listForms(app: App, kind: TracedKind, name: string): readonly (Document | undefined)[] {
  const { staticParams, mappableParams, interface: output } = app.modules.get(name) ?? {};
  const { input, output: result } = app.endpoints.get(name) ?? {};
  switch (kind) {
    case 'module':
    case 'epoch':
      return [staticParams, mappableParams, output];
    case 'endpoint':
      return [input, result];
    case 'webhook':
      return [];
    default:
      return [app[`${kind}s` as const].get(name)?.params];
  }
}

function openText(document: Document, secrets: readonly unknown[]): string {
  const text = document.text ?? JSON.stringify(document.value, null, 2);
  const written = collectNamedSecrets(withoutTemplates(document.value));
  const redactor = createRedactor({ secrets: [...collectSecrets(...secrets), ...written] });
  return redactor.text(text);
}

/** Under a secret name, an expression is kept: it only refers to the secret. */
function withoutTemplates(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('{{') ? '' : value;
  if (Array.isArray(value)) return value.map(withoutTemplates);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutTemplates(member)]));
}
