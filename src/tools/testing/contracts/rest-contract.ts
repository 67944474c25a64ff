import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createOpenApi, documentedStatuses, responsePointer } from '../../../rest/call/openapi.js';
import type { RestOperation } from '../../../rest/call/operation.js';
import { OPERATIONS } from '../../../rest/operations.js';
import { SYSTEM_CLOCK } from '../../../shared/clock.js';
import {
  ANY_FUNCTION,
  ANY_NUMBER,
  ANY_OBJECT,
  ANY_TEXT,
  checkOptions,
  type OptionShapes,
  TEXT_LIST,
} from '../../../shared/errors/check-options.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { compileDocument } from '../../../shared/schema/compile-schema.js';
import { didYouMean } from '../../../shared/suggest.js';
import { playStep, type RestStep, type StepContext, showResponse } from './rest-step.js';

/** Tokens with all scopes their users may have. Cases that need an absent one are skipped. */
export interface RestContractTokens {
  /** A user who owns an organization: the first one in the list of the user's organizations. Not an administrator. */
  readonly owner: string;
  /** A user in that organization who may view it and may not add teams. */
  readonly member?: string;
  /** A user who is not in that organization. */
  readonly outsider?: string;
  /** An administrator of the instance. */
  readonly administrator?: string;
}

/** Options of `restContract`. */
export interface RestContractOptions {
  /** Base address of the API: `http://127.0.0.1:8077/api/v2`. */
  readonly baseUrl: string;
  readonly tokens: RestContractTokens;
  /** Ids of the operations the API has; cases of others are skipped. Default: all in `OPERATIONS`. */
  readonly operations?: readonly string[];
  /** Prices of two monthly subscriptions whose checkouts are paid at once. Without them, cases of subscriptions are skipped. */
  readonly prices?: { readonly first: number; readonly second: number };
  /** The last error that `onError` of `createRest` received. A failure quotes it, with the wrong member of a response. */
  readonly lastError?: () => unknown;
  /** Sends a request. Default: the `fetch` of Node.js. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** One case of the contract. */
export interface RestContractCase {
  readonly id: string;
  readonly title: string;
  /** Why the case does not apply to this API; undefined if it does. */
  readonly skipped: string | undefined;
  /** Sends the requests of the case and deletes what they created. Rejects with an Error that names the step and the difference. */
  run(): Promise<void>;
}

interface ContractCase {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly RestStep[];
  /** Requests that delete what the steps created. Those whose saved values are missing are not sent. */
  readonly cleanup?: readonly RestStep[];
}

const SHAPES: OptionShapes<RestContractOptions> = {
  baseUrl: ANY_TEXT,
  tokens: ANY_OBJECT,
  operations: TEXT_LIST,
  prices: ANY_OBJECT,
  lastError: ANY_FUNCTION,
  fetch: ANY_FUNCTION,
};
const TOKENS: OptionShapes<RestContractTokens> = {
  owner: ANY_TEXT,
  member: ANY_TEXT,
  outsider: ANY_TEXT,
  administrator: ANY_TEXT,
};
const PRICES: OptionShapes<NonNullable<RestContractOptions['prices']>> = {
  first: ANY_NUMBER,
  second: ANY_NUMBER,
};
const MONTH_MS = 31 * 24 * 60 * 60 * 1000;
const OPERATION_IDS: readonly string[] = OPERATIONS.map(({ id }) => id);

/**
 * The contract of the REST API v2 as cases for any test runner. They send requests to a base address and check each response
 * against the OpenAPI document too. A case creates what it needs and deletes it; an invited user stays. The OpenID Connect
 * operations are not covered, as they are not below the base address.
 * @example
 * const cases = restContract({ baseUrl: 'http://127.0.0.1:8077/api/v2', tokens: { owner: '<token>' } });
 * for (const { skipped, run } of cases) if (skipped === undefined) await run();
 * @throws EngineError (USAGE) for an unknown option or operation, one of another type, and an invalid address
 */
export function restContract(options: RestContractOptions): readonly RestContractCase[] {
  checkOptions(options, SHAPES, 'The options of restContract', ['baseUrl', 'tokens']);
  checkOptions(options.tokens, TOKENS, 'The tokens of restContract', ['owner']);
  if (options.prices) checkOptions(options.prices, PRICES, 'The prices of restContract', ['first', 'second']);
  const operations = readOperations(options.operations ?? OPERATION_IDS);
  const { tokens, prices, lastError, fetch: send = (request) => fetch(request) } = options;
  const baseUrl = readBaseUrl(options.baseUrl);
  const checkedFetch = withAnswerCheck(send, baseUrl);
  return readCases().map((it) => ({
    id: it.id,
    title: it.title,
    skipped: findObstacle(it, { tokens, prices, operations }),
    run: async () => {
      const saved = new Map<string, unknown>([
        ['unique', randomUUID().slice(0, 8)],
        ['inTwoMonths', new Date(SYSTEM_CLOCK.now() + 2 * MONTH_MS).toISOString()],
      ]);
      if (prices) saved.set('firstPrice', prices.first).set('secondPrice', prices.second);
      const before = lastError?.();
      try {
        await playCase(it, { baseUrl, fetch: checkedFetch, tokens: { ...tokens }, saved }, operations);
      } catch (error) {
        const reported = lastError?.();
        throw reported === before ? error : withReported(error, reported);
      }
    },
  }));
}

/** The failure of a case with the error that the API reported. Details of a defect are in its cause. */
function withReported(failure: unknown, reported: unknown): Error {
  const innermost = reported instanceof Error && reported.cause instanceof Error ? reported.cause : reported;
  const [message, why] = [failure, innermost].map((it) => (it instanceof Error ? it.message : String(it)));
  return new Error(`${message} The API reported: ${why}`, { cause: failure });
}

function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url && isWeb && url.search === '' && url.hash === '' && url.username === '' && url.password === '') {
    return url.href.replace(/\/+$/, '');
  }
  throw new EngineError(
    'USAGE',
    'The options of restContract: "baseUrl" must be an address such as https://api.example.com/api/v2, without a query.',
  );
}

function readOperations(ids: readonly string[]): ReadonlySet<string> {
  const unknown = ids.find((id) => !OPERATION_IDS.includes(id));
  if (unknown === undefined) return new Set(ids);
  const hint = didYouMean(unknown, OPERATION_IDS);
  throw new EngineError(
    'USAGE',
    `The options of restContract: unknown operation "${unknown.slice(0, 80)}".${hint} OPERATIONS lists the known ones.`,
  );
}

let cases: readonly ContractCase[] | undefined;

/** The cases are data of the package. */
function readCases(): readonly ContractCase[] {
  if (cases) return cases;
  const file = createRequire(import.meta.url).resolve('iml-runtime/contracts/rest.json');
  const data = JSON.parse(readFileSync(file, 'utf8')) as { readonly cases: readonly ContractCase[] };
  cases = data.cases;
  return cases;
}

/** Available features for the cases. */
interface OfferedParts {
  readonly tokens: RestContractTokens;
  readonly prices: RestContractOptions['prices'] | undefined;
  readonly operations: ReadonlySet<string>;
}

/** Why a case does not apply; undefined if it does. */
function findObstacle(
  { steps }: ContractCase,
  { tokens, prices, operations }: OfferedParts,
): string | undefined {
  for (const step of steps) {
    const { request = '', as } = step;
    const id = operationOf(request);
    if (id !== undefined && !operations.has(id)) return `the API has no operation ${id}`;
    if (
      as !== undefined &&
      Object.hasOwn(TOKENS, as) &&
      tokens[as as keyof RestContractTokens] === undefined
    ) {
      return `no token of the ${as}`;
    }
    if (!prices && /\{(?:first|second)Price\}/.test(JSON.stringify(step))) return 'no prices';
  }
  return undefined;
}

/** The operation of a request of the contract; undefined for a path or a method that the API does not have. */
function operationOf(request: string): string | undefined {
  const [method = '', path = ''] = request.split(/[ ?]/);
  return findOperation(method, path)?.id;
}

async function playCase(
  { steps, cleanup = [] }: ContractCase,
  context: StepContext,
  operations: ReadonlySet<string>,
): Promise<void> {
  try {
    for (const [index, step] of steps.entries()) await playNamed(step, `Step ${index + 1}`, context);
  } catch (error) {
    // The failure of the case matters more than one of its cleanup.
    await cleanUp(cleanup, context, operations).catch(() => undefined);
    throw error;
  }
  await cleanUp(cleanup, context, operations);
}

/** Sends each request, also after one that failed. Rejects with the first failure. */
async function cleanUp(
  cleanup: readonly RestStep[],
  context: StepContext,
  operations: ReadonlySet<string>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const step of cleanup) {
    const { request = '' } = step;
    const isReady = [...request.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => context.saved.has(name));
    if (!isReady || !operations.has(operationOf(request) ?? '')) continue;
    await playNamed(step, 'Cleanup', context).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function playNamed(step: RestStep, name: string, context: StepContext): Promise<void> {
  try {
    await playStep(step, context);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${name} (${step.request}): ${message}`, { cause });
  }
}

/** A response of the API and its request. */
interface RestAnswer {
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
function findOperation(method: string, path: string): RestOperation | undefined {
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
