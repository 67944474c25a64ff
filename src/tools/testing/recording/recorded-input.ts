import type { App } from '../../../engine/document/app.js';
import type { EngineOptions } from '../../../engine/engine-options.js';
import { parseForm } from '../../../engine/http/body/decode-body.js';
import { findHeader, isJsonMediaType, readContentType } from '../../../engine/http/headers.js';
import type { CheckParameters } from '../../../engine/parameters/form-check.js';
import type { IncomingCall } from '../../../engine/webhook/incoming-call.js';
import type { WebhookReport } from '../../../engine/webhook/webhook-report.js';
import { readDate } from '../../../language/date/read-date.js';
import { AppError } from '../../../shared/errors/app-error.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { readText } from '../exchanges/canonical-request.js';
import type { Fixture, FixtureInput, IncomingRequest } from '../fixtures/fixture.js';
import { tryJson } from '../secrets/find-secrets.js';
import type { RunToRecord } from './rehearse-run.js';

/** Input of a recorded command. */
export interface GivenInput {
  readonly parameters?: unknown;
  readonly connection?: unknown;
  readonly state?: unknown;
  readonly data?: unknown;
  readonly webhook?: unknown;
  readonly payload?: unknown;
  readonly start?: unknown;
  readonly checkParameters?: CheckParameters | undefined;
}

/** The input in the format of a case, without absent members. */
export function toFixtureInput(
  given: GivenInput,
  { timezone }: Pick<EngineOptions, 'timezone'>,
  now: string,
): FixtureInput {
  const { checkParameters, parameters, connection, webhook, payload } = given;
  const members = { parameters, connection, ...writeStart(given), webhook, payload };
  const present = Object.entries(members).filter(([, value]) => value !== undefined && !isEmpty(value));
  const input = {
    ...Object.fromEntries(present),
    ...writeCheck(checkParameters),
    now,
    ...(timezone !== undefined && { timezone }),
  };
  return input as FixtureInput;
}

/** Cases contain the state of a polling trigger as `data`, and a start other than a keyword as its state. */
function writeStart({ state, data = state, start }: GivenInput): Pick<GivenInput, 'data' | 'start'> {
  if (data !== undefined || !isPlainObject(start)) return { data, start };
  if ('id' in start) return { data: { lastId: start['id'], matchEqual: true } };
  return { data: { lastDate: readDate(start['since'], 'UTC')?.toISOString(), sameDateIds: [] } };
}

function isEmpty(value: unknown): boolean {
  return isPlainObject(value) && Object.keys(value).length === 0;
}

/** The default (true) is omitted. */
function writeCheck(check: CheckParameters | undefined): Pick<FixtureInput, 'checkParameters'> {
  if (check === false) return { checkParameters: false };
  if (check === undefined || check === true) return {};
  const { defaults = false, resolve = 'none' } = check;
  if (!defaults && resolve === 'none') return {};
  return { checkParameters: { ...(defaults && { defaults }), ...(resolve !== 'none' && { resolve }) } };
}

/** The common data of a run, for `common` of a fixture. */
export function readCommon(app: App, given: unknown): Pick<Fixture, 'common'> {
  const common = given ?? app.common?.value;
  return common === undefined ? {} : { common };
}

/** A webhook call and its outcome as a case. */
export function describeCall(
  { call, error, bundles }: Pick<WebhookReport, 'call' | 'error' | 'bundles'>,
  input: FixtureInput,
): Pick<RunToRecord, 'kind' | 'input' | 'ended'> {
  const failure = error && {
    type: error instanceof AppError ? error.type : error.name,
    message: error.message,
  };
  return {
    kind: 'webhook',
    input: { ...input, request: toIncomingRequest(call) },
    ended: { error: failure, bundleCount: bundles?.length },
  };
}

/** Transport headers. */
const TRAVEL_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'connection', 'content-length', 'host', 'keep-alive'],
  ...['sec-fetch-mode', 'transfer-encoding', 'user-agent'],
]);

/** JSON as a value, other text as text, bytes as Base64. */
function toIncomingRequest({ method, url, headers, body }: IncomingCall): IncomingRequest {
  const mark = url.indexOf('?');
  const query = mark < 0 ? {} : parseForm(url.slice(mark + 1).replace(/#.*$/s, ''));
  const kept = headers.filter(([name]) => !TRAVEL_HEADERS.has(name.toLowerCase()));
  return {
    method,
    ...(Object.keys(query).length > 0 && { query }),
    ...(kept.length > 0 && { headers: joinHeaders(kept) }),
    ...describeBody(body, findHeader(headers, 'content-type')),
  };
}

function joinHeaders(headers: IncomingCall['headers']): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    const known = joined.get(lower);
    joined.set(lower, known === undefined ? value : `${known}, ${value}`);
  }
  return Object.fromEntries(joined);
}

function describeBody(
  body: Uint8Array,
  contentType: string | undefined,
): Pick<IncomingRequest, 'body' | 'bodyText' | 'bodyBase64'> {
  if (body.byteLength === 0) return {};
  const text = readText(body);
  if (text === undefined) return { bodyBase64: Buffer.from(body).toString('base64') };
  const isJson = isJsonMediaType(readContentType(contentType).mediaType);
  const value = isJson ? tryJson(text)?.value : undefined;
  // The bytes of a signed body must not change.
  return value !== undefined && JSON.stringify(value) === text ? { body: value } : { bodyText: text };
}
