import { describeType, toText } from '../../language/values/value.js';
import { didYouMean } from '../../shared/suggest.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledRespond } from '../document/compile-request.js';
import { RESPOND_TYPES } from '../document/directive-values.js';
import { MAX_WARNINGS } from '../document/document.js';
import { encodeBody } from '../http/body/encode-body.js';
import { buildHeaders, findHeader, isJsonMediaType, readContentType } from '../http/headers.js';
import type { HeaderEntry } from '../http/transport.js';
import { atDirective, evaluateDirective, evaluateFlatObject, runError } from './evaluate-directive.js';
import { type RunContext, warn, withPosition } from './run-context.js';

/** The answer to a webhook sender, ready to be written. */
export interface BuiltResponse {
  /** 100 to 999. */
  readonly status: number;
  /** Headers in order. A name may occur several times. Values contain no line breaks. */
  readonly headers: readonly HeaderEntry[];
  readonly body: Uint8Array;
}

export type RespondType = (typeof RESPOND_TYPES)[number];

/** Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [inf] */
const CONTENT_TYPES: Readonly<Record<RespondType, string>> = {
  json: 'application/json',
  urlencoded: 'application/x-www-form-urlencoded',
  text: 'text/plain',
};

const STATUS = /^[1-9]\d\d$/;
/** Maximum length of a value in a message. */
const MAX_SHOWN = 80;

const EMPTY = new Uint8Array();

/**
 * Evaluates an answer in the scope as it is now: of a responder, or `respond` and `verification.respond` of a webhook.
 *
 * `type` says how the body is written. Where it is not given, a Content-Type among the headers does, then the kind of
 * body: collections and lists are JSON, binary data stays as it is, and text is what `textType` says. Without a body the
 * answer is empty; with null, too, unless `type` says json: then it is `null`.
 *
 * @param textType how a text is written that neither `type` nor a Content-Type speaks for. A webhook's default type is
 *   json [doc]; a responder sends text as it stands [inf]
 * @throws AppError of type RuntimeError for a status outside of 100 to 999, an unknown type, headers that cannot be
 *   sent (line breaks above all) and a body the type cannot hold
 * @see https://developers.make.com/custom-apps-documentation/app-components/webhooks
 */
export function buildAnswer(
  respond: CompiledRespond,
  caller: RunContext,
  textType: Exclude<RespondType, 'urlencoded'> = 'json',
): BuiltResponse {
  const { document } = respond;
  const context = caller.position.document === document ? caller : withPosition(caller, { document });
  const status = readStatus(respond.status, context);
  const headers = readHeaders(respond.headers, context);
  const type = readType(respond.type, context);
  const value = evaluateDirective(respond.body, context);
  const isEmpty = value === undefined || (value === null && type !== 'json');
  if (isEmpty) return { status, headers, body: EMPTY };
  const written = findHeader(headers, 'Content-Type');
  const { body, contentType } = atDirective(respond.body, context, () =>
    type === undefined
      ? writeBody(value, chooseType(value, written, textType), context)
      : writeTyped(value, type, context),
  );
  return {
    status,
    headers: written === undefined ? [...headers, ['Content-Type', contentType]] : headers,
    body,
  };
}

/**
 * A numeric text is converted.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks: default 200. [inf]
 */
function readStatus(directive: Directive | undefined, context: RunContext): number {
  const value = evaluateDirective(directive, context);
  if (value === undefined || value === null || value === '') return 200;
  const text = typeof value === 'object' ? '' : toText(value).trim();
  if (STATUS.test(text)) return Number(text);
  const shown = typeof value === 'object' ? describeType(value) : JSON.stringify(text.slice(0, MAX_SHOWN));
  throw respondError(`The status of a response must be 100 to 999, not ${shown}.`, directive, context);
}

function readType(directive: Directive | undefined, context: RunContext): RespondType | undefined {
  const value = evaluateDirective(directive, context);
  if (value === undefined || value === null || value === '') return undefined;
  const name = toText(value).trim().toLowerCase();
  const type = RESPOND_TYPES.find((known) => known === name);
  if (type !== undefined) return type;
  const shown = JSON.stringify(name.slice(0, MAX_SHOWN));
  const message = `The type of a response must be one of ${RESPOND_TYPES.join(', ')}, not ${shown}.`;
  throw respondError(message + didYouMean(name, RESPOND_TYPES), directive, context);
}

function readHeaders(directive: Directive | undefined, context: RunContext): readonly HeaderEntry[] {
  if (directive === undefined) return [];
  const values = Object.entries(evaluateFlatObject(directive, context) ?? {});
  // `Host` belongs to requests: the builder would compare it with the host of a URL, which a response lacks.
  const own = values.filter(([name]) => name.toLowerCase() !== 'host');
  const { headers, ignored } = atDirective(directive, context, () =>
    buildHeaders([Object.fromEntries(own)], ''),
  );
  const told = own.length < values.length ? [...ignored, 'Host'] : ignored;
  const place = told.length === 0 ? undefined : context.position.document?.locationOf(directive.pointer);
  for (const name of told.slice(0, MAX_WARNINGS)) {
    warn(
      { code: 'header-ignored', message: `The header ${name} is the transport's to set.`, place },
      context,
    );
  }
  return headers;
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/app-components/modules/responder: JSON unless type or content type
 * says otherwise. [inf]
 */
function chooseType(value: unknown, contentType: string | undefined, textType: RespondType): RespondType {
  const mediaType = contentType === undefined ? '' : readContentType(contentType).mediaType;
  const isNested = typeof value === 'object' && !(value instanceof Date);
  if (isNested) return mediaType === CONTENT_TYPES.urlencoded ? 'urlencoded' : 'json';
  if (mediaType === '') return typeof value === 'string' ? textType : 'json';
  // A text under a JSON content type is taken as JSON already written.
  return isJsonMediaType(mediaType) && typeof value !== 'string' ? 'json' : 'text';
}

interface WrittenBody {
  readonly body: Uint8Array;
  readonly contentType: string;
}

function writeBody(value: unknown, type: RespondType, context: RunContext): WrittenBody {
  return value instanceof Uint8Array
    ? { body: value, contentType: 'application/octet-stream' }
    : writeTyped(value, type, context);
}

function writeTyped(value: unknown, type: RespondType, context: RunContext): WrittenBody {
  const { body } = encodeBody(type, value, context.run.settings.random);
  return { body: body ?? EMPTY, contentType: CONTENT_TYPES[type] };
}

function respondError(message: string, directive: Directive | undefined, context: RunContext): Error {
  return runError('RuntimeError', message, context, {
    place: directive && context.position.document?.locationOf(directive.pointer),
  });
}

export function textAnswer(status: number, text: string): BuiltResponse {
  return { status, headers: [['Content-Type', 'text/plain']], body: Buffer.from(text, 'utf8') };
}

/** Statuses without a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Converts to a Response of the Fetch API. A status without a body gets none. */
export function toResponse({ status, headers, body }: BuiltResponse): Response {
  const hasBody = body.byteLength > 0 && !BODILESS.has(status);
  return new Response(hasBody ? body : null, {
    status,
    headers: headers.map(([name, value]) => [name, value]),
  });
}
