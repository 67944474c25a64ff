import {
  ANY_TEXT,
  checkMembers,
  describeKind,
  either,
  type OptionShape,
  readSafely,
  wholeNumber,
} from '../../errors/check-options.js';
import { EngineError } from '../../errors/engine-error.js';
import type { Transport, TransportResponse } from '../message/transport.js';

const LIST_OF_TEXTS: OptionShape = {
  expected: 'a list of texts',
  fits: (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string'),
};
const HEADER = either(ANY_TEXT, LIST_OF_TEXTS);

const HEADERS: OptionShape = {
  expected: 'an object of texts by lower-case names',
  // Headers, Map and lists of pairs have no members of their own: all they hold would go unseen.
  fits: (value) => typeof value === 'object' && value !== null && !(Symbol.iterator in value),
};

const ANSWER: Readonly<Record<string, OptionShape>> = {
  status: wholeNumber(0, 999),
  headers: HEADERS,
  body: { expected: 'a Uint8Array', fits: (value) => value instanceof Uint8Array },
  url: ANY_TEXT,
};

/**
 * A transport of an embedder's, whose answers are looked at before anything relies on them.
 *
 * Rejects with EngineError (USAGE) for an answer that is none, and for a rejection with what is no error, which nobody
 * could tell apart; else as the transport does.
 *
 * @param what how the transport is called in messages
 */
export function checkAnswers(transport: Transport, what: string): Transport {
  return async (request) => {
    let answer: TransportResponse;
    try {
      answer = await transport(request);
    } catch (error) {
      if (request.signal.aborted || isError(error)) throw error;
      const message = `${what} rejected with ${describeKind(error)}, where an error is expected.`;
      throw new EngineError('USAGE', message, { cause: error });
    }
    checkAnswer(answer, what);
    return answer;
  };
}

function checkAnswer(answer: TransportResponse, what: string): void {
  const name = `The answer of ${lowerFirst(what)}`;
  readSafely(name, () => {
    checkMembers(answer, ANSWER, name, true);
    const missing = Object.keys(ANSWER).find((member) => Reflect.get(answer, member) === undefined);
    if (missing !== undefined) throw new EngineError('USAGE', `${name}: "${missing}" is missing.`);
    for (const [header, value] of Object.entries(answer.headers)) {
      if (HEADER.fits(value)) continue;
      const is = describeKind(value);
      throw new EngineError(
        'USAGE',
        `${name}: the header "${header.slice(0, 80)}" has to be ${HEADER.expected}, not ${is}.`,
      );
    }
  });
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** An error of any realm. What is thrown may be a proxy that throws again. */
function isError(error: unknown): boolean {
  try {
    return error instanceof Error || Object.prototype.toString.call(error) === '[object Error]';
  } catch {
    return false;
  }
}
