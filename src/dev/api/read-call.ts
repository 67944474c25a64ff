import { EngineError } from '../../errors/engine-error.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { CallRequest } from '../protocol.js';
import { readTextMember } from './read-run-request.js';

/** Maximum length of a body. */
const MAX_BODY = 4 * 1024 * 1024;

/** @throws EngineError (USAGE) with the invalid member and the expected type */
export function readCallRequest(given: PlainObject): CallRequest {
  const { headers = [], body } = given;
  const method = readTextMember(given, 'method') ?? 'POST';
  if (!/^[A-Z]{1,20}$/.test(method)) throw wrong('method', 'a method in capitals');
  if (!Array.isArray(headers) || !headers.every(isHeader)) {
    throw wrong('headers', 'a list of pairs: name and value, without line breaks');
  }
  if (body !== undefined && (typeof body !== 'string' || body.length > MAX_BODY)) {
    throw wrong('body', 'a text of 4 MB at most');
  }
  return {
    webhook: readTextMember(given, 'webhook') ?? '',
    of: readTextMember(given, 'of'),
    method,
    query: readTextMember(given, 'query') ?? '',
    headers,
    body,
  };
}

function isHeader(value: unknown): value is readonly [name: string, value: string] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [name, text] = value;
  return (
    /^[\w!#$%&'*+.^`|~-]{1,200}$/.test(String(name)) && typeof text === 'string' && !/[\r\n\0]/.test(text)
  );
}

function wrong(name: string, expected: string): EngineError {
  return new EngineError('USAGE', `"${name}": expected ${expected}.`);
}
