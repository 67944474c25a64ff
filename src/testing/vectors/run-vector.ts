import { APP_FUNCTIONS } from '../../app/engine/app-functions.js';
import { ImlError } from '../../errors/iml-error.js';
import { evaluate } from '../../iml/compile.js';
import type { Semantics } from '../../iml/environment/environment.js';
import { isSameValue } from '../matching/same-value.js';
import { readExpected, readTagged, writeTagged } from '../matching/tagged-values.js';

/** One case of the language: a template, what it sees, what comes of it. */
export interface Vector {
  readonly id: string;
  readonly template: unknown;
  readonly context?: Record<string, unknown>;
  /** ISO 8601. */
  readonly now?: string;
  readonly timezone?: string;
  /** Default: runtime. */
  readonly semantics?: Semantics;
  readonly expect?: unknown;
  readonly error?: string;
  readonly errorMessage?: string;
  readonly certainty?: string;
  /** Sources disagree on this vector; it is run and reported apart. */
  readonly disputed?: unknown;
}

/**
 * Evaluates the template of a vector and compares the result with its expectation.
 *
 * @returns what differs from the expectation, a line each; none for a vector that passes
 */
export function runVector(vector: Vector): readonly string[] {
  const { now, timezone, semantics } = vector;
  const nowMs = now === undefined ? undefined : Date.parse(now);
  const options = {
    timezone,
    semantics,
    now: nowMs === undefined ? undefined : () => nowMs,
    functions: APP_FUNCTIONS,
  };
  const scope = readTagged(vector.context ?? {}) as Record<string, unknown>;
  try {
    const got = evaluate(vector.template, scope, options);
    if (vector.error !== undefined) return [`expected the error ${vector.error}, got ${show(got)}`];
    return isSameValue(readExpected(vector.expect), got)
      ? []
      : [`expected ${show(vector.expect)}, got ${show(got)}`];
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    return describeError(vector, error);
  }
}

function describeError(vector: Vector, error: ImlError): readonly string[] {
  if (vector.error === undefined) return [`expected ${show(vector.expect)}, got the error ${error.message}`];
  const differences: string[] = [];
  if (error.kind !== vector.error) differences.push(`expected the error ${vector.error}, got ${error.kind}`);
  if (vector.errorMessage !== undefined && error.message !== vector.errorMessage) {
    differences.push(`expected the message ${show(vector.errorMessage)}, got ${show(error.message)}`);
  }
  return differences;
}

function show(value: unknown): string {
  return JSON.stringify(writeTagged(value));
}
