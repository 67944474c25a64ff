import type { CompiledResponse } from '../document/compile/compiled-request.js';
import type { Scope } from '../iml/environment/environment.js';
import { isPlainObject, ownMember } from '../util/plain-object.js';

/** Characters of a provider's text that a message shows. */
const MAX_TEXT = 300;

/**
 * The response of a request whose error message falls back to the error of the provider: the app's own message comes
 * first, the default message last.
 */
export function withProviderMessage(response: CompiledResponse): CompiledResponse {
  const { error } = response;
  const own = error?.message;
  const message = {
    pointer: own?.pointer ?? '/response',
    raw: own?.raw,
    evaluate: (scope: Scope): unknown => {
      const value = own?.evaluate(scope);
      return value === undefined || value === null || value === '' ? describeProviderError(scope) : value;
    },
  };
  const entry = error ?? { type: undefined, pointer: '/response/error', entries: new Map() };
  return { ...response, error: { ...entry, message } };
}

/**
 * The error that the body of a response names: `error` and `error_description` (RFC 6749 section 5.2), or the members that
 * APIs use most. Undefined if it names none.
 */
function describeProviderError({ body, statusCode }: Scope): string | undefined {
  const text = typeof body === 'string' ? readText(body) : readError(body);
  if (text === undefined) return undefined;
  return typeof statusCode === 'number' && statusCode >= 400 ? `[${statusCode}] ${text}` : text;
}

function readError(body: unknown): string | undefined {
  if (!isPlainObject(body)) return undefined;
  const error = ownMember(body, 'error');
  const code = isPlainObject(error) ? undefined : readText(error);
  const source = isPlainObject(error) ? error : body;
  const details = ['error_description', 'message', 'description', 'detail', 'error_message', 'title']
    .map((name) => readText(ownMember(source, name)))
    .find((text) => text !== undefined);
  const ofList = [ownMember(body, 'errors')]
    .flat()
    .map((item) => (isPlainObject(item) ? readError({ error: item }) : readText(item)));
  if (code === undefined) return details ?? ofList.find((text) => text !== undefined);
  return details === undefined ? code : `${code}: ${details}`;
}

function readText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replace(/\p{C}/gu, ' ').slice(0, MAX_TEXT).trim();
  return text === '' ? undefined : text;
}
