import type { Document } from '../../document/reading/document.js';
import { readDocument } from '../../document/reading/jsonc.js';
import { EngineError } from '../../errors/engine-error.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';

/** A document of a run. */
export interface ExplainedText {
  readonly role: 'base' | 'communication';
  readonly file: string | undefined;
  readonly text: string;
}

/** Undefined for invalid JSON: the trace may come from others. */
export function readExplained({ text, file }: ExplainedText): Document | undefined {
  try {
    return readDocument(text, file ?? 'app');
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

/** The documents that contain a request of a chain: the component, then the base. */
export function findWrittenRequests(
  texts: readonly ExplainedText[],
  requestIndex: number,
): readonly PlainObject[] {
  return (['communication', 'base'] as const).flatMap((role) => {
    const text = texts.find((other) => other.role === role);
    const value = text && readExplained(text)?.value;
    const request = Array.isArray(value) ? value[requestIndex] : value;
    return isPlainObject(request) ? [request] : [];
  });
}
