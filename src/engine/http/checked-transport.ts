import {
  ANY_TEXT,
  checkMembers,
  describeKind,
  either,
  type OptionShape,
  readSafely,
  wholeNumber,
} from '../../shared/errors/check-options.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import type { Transport, TransportResponse } from './transport.js';

const LIST_OF_TEXTS: OptionShape = {
  expected: 'a list of texts',
  fits: (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string'),
};
const HEADER = either(ANY_TEXT, LIST_OF_TEXTS);

const HEADERS: OptionShape = {
  expected: 'an object of texts by lower-case names',
  // Headers, Map and lists of pairs have no own members, so their content would be ignored.
  fits: (value) => typeof value === 'object' && value !== null && !(Symbol.iterator in value),
};

const RESPONSE: Readonly<Record<string, OptionShape>> = {
  status: wholeNumber(0, 999),
  headers: HEADERS,
  body: { expected: 'a Uint8Array', fits: (value) => value instanceof Uint8Array },
  url: ANY_TEXT,
};

/**
 * Checks the responses of an embedder's transport before they are used.
 *
 * Rejects with EngineError (USAGE) for an invalid response, and for a rejection with a value that is not an error;
 * otherwise like the transport.
 *
 * @param what name of the transport in messages
 */
export function checkResponses(transport: Transport, what: string): Transport {
  return async (request) => {
    let response: TransportResponse;
    try {
      response = await transport(request);
    } catch (error) {
      if (request.signal.aborted || isError(error)) throw error;
      const message = `${what} rejected with ${describeKind(error)}, where an error is expected.`;
      throw new EngineError('USAGE', message, { cause: error });
    }
    checkResponse(response, what);
    return response;
  };
}

function checkResponse(response: TransportResponse, what: string): void {
  const name = `The response of ${lowerFirst(what)}`;
  readSafely(name, () => {
    checkMembers(response, RESPONSE, name, true);
    const missing = Object.keys(RESPONSE).find((member) => Reflect.get(response, member) === undefined);
    if (missing !== undefined) throw new EngineError('USAGE', `${name}: "${missing}" is missing.`);
    for (const [header, value] of Object.entries(response.headers)) {
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

/** Accepts errors of any realm. A thrown proxy may throw again. */
function isError(error: unknown): boolean {
  try {
    return error instanceof Error || Object.prototype.toString.call(error) === '[object Error]';
  } catch {
    return false;
  }
}
