import type { Document } from '../../document/reading/document.js';
import { readDocument } from '../../document/reading/jsonc.js';
import { EngineError } from '../../errors/engine-error.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';

/** A text of the app as it ran. */
export interface ExplainedText {
  readonly role: 'base' | 'communication';
  readonly file: string | undefined;
  readonly text: string;
}

/** Undefined for a text that cannot be read: it may come from a file of somebody else. */
export function readExplained({ text, file }: ExplainedText): Document | undefined {
  try {
    return readDocument(text, file ?? 'app');
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

/** What texts say of one request of a chain: the component first, then the base it inherits from. */
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
