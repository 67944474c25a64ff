import { createOpenApi, documentedStatuses, responsePointer } from '../../../rest/call/openapi.js';
import type { RestOperation } from '../../../rest/call/operation.js';
import { OPERATIONS } from '../../../rest/operations.js';
import { compileDocument } from '../../../shared/schema/compile-schema.js';
import { showResponse } from './rest-step.js';

/** A response of the API and its request. */
export interface RestAnswer {
  readonly method: string;
  /** Path below the base address. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

const BASES = /^(?:https?:\/\/[^/]+)?(?:\/api\/v2|\/oauth\/v2)?(?=\/)/;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Only the server addresses of the document depend on the origin. */
const DOCUMENT = createOpenApi(OPERATIONS, {
  baseUrl: 'http://localhost/api/v2',
  authUrl: 'http://localhost',
});
let compiled: ReturnType<typeof compileDocument> | undefined;

/** The difference between a response and the OpenAPI document; undefined without one. */
function checkRestAnswer(answer: RestAnswer): string | undefined {
  const { method, path, status, contentType, text } = answer;
  if (method === 'HEAD') return text === '' ? undefined : 'HEAD has a body';
  const operation = findOperation(method, path);
  if (!operation && status < 400)
    return status === 204 || path === '/openapi.json' ? undefined : 'unknown operation';
  if (operation && !documentedStatuses().includes(status)) return `the status ${status} is not documented`;
  if (operation?.response === 'text' && status < 400) {
    const { types: [type] = ['text/plain'], encoding = 'utf8' } = operation.contents ?? {};
    const expected = encoding === 'utf8' ? `${type}; charset=utf-8` : type;
    return contentType === expected ? undefined : `the content type is ${contentType}`;
  }
  if (contentType !== JSON_TYPE) return `the content type is ${contentType}`;
  compiled ??= compileDocument({ ...DOCUMENT });
  const pointer = operation ? responsePointer(operation, status) : '/components/schemas/Error';
  const [problem] = compiled(pointer)(JSON.parse(text));
  return problem && `${problem.path.join('.')} ${problem.message}`;
}

/** Literal path segments take precedence over parameters, as in the router. */
export function findOperation(method: string, path: string): RestOperation | undefined {
  const fits = OPERATIONS.filter((it) => it.method === method && compilePath(it.path).test(path));
  const parameters = ({ path: of }: RestOperation): number => of.split('{').length;
  return fits.sort((one, other) => parameters(one) - parameters(other))[0];
}

function compilePath(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

/** Wraps a handler: a response that does not match the document rejects. `base` is the part of addresses before the path. */
export function withAnswerCheck(
  handle: (request: Request) => Promise<Response>,
  base: string | RegExp = BASES,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await handle(request);
    const { method, url: target } = request;
    const text = await response.clone().text();
    const contentType = response.headers.get('content-type');
    const path = target.split('?')[0]?.replace(base, '') ?? '';
    const problem = checkRestAnswer({ method, path, status: response.status, contentType, text });
    if (problem !== undefined) {
      throw new Error(
        `${method} ${target}: the response is not as documented: ${problem} in ${showResponse(text)}`,
      );
    }
    return response;
  };
}
