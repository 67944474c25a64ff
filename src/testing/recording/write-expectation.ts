import { isDeepStrictEqual } from 'node:util';
import { isJsonMediaType, readContentType } from '../../http/message/headers.js';
import type { Expectation, FixtureKind, Outcome } from '../fixtures/fixture.js';
import { writeTagged } from '../matching/tagged-values.js';

/** Beyond this size, only the count, the first and the last bundle are written. */
const MAX_BUNDLES_TEXT = 64 * 1024;

/** The outcome of a run as expectation of a case. */
export function writeExpectation(kind: FixtureKind, outcome: Outcome): Expectation {
  if (outcome.error !== undefined && kind !== 'webhook') {
    const { type, message } = outcome.error;
    return { error: { type, message } };
  }
  return { ...WRITERS[kind](outcome), ...(outcome.stop !== undefined && { stop: outcome.stop }) };
}

type Writer = (outcome: Outcome) => Expectation;

const ofModule: Writer = ({ bundles = [] }) => writeBundles(bundles);
const ofConnection: Writer = ({ connection, metadata, uid, expires }) =>
  definedOnly({
    connection: writeTagged(connection),
    metadata: metadata && writeTagged(metadata),
    uid,
    expires: expires && writeTagged(expires),
  });
const ofPage: Writer = (outcome) => ({ ...ofConnection(outcome), ...writePage(outcome.authorizeUrl) });
const ofHook: Writer = ({ webhookData }) => ({ webhookData: writeTagged(webhookData) });

const WRITERS: Readonly<Record<FixtureKind, Writer>> = {
  action: ofModule,
  search: ofModule,
  instant_trigger: ofModule,
  trigger: ({ bundles = [], state }) => ({
    ...writeBundles(bundles),
    ...(state !== undefined && { state: writeTagged(state) as Record<string, unknown> }),
  }),
  epoch: ({ result, starts }) =>
    definedOnly({ result: writeTagged(result), starts: starts?.map(writeTagged) }),
  rpc: ({ result }) => ({ result: writeTagged(result) }),
  responder: ({ respond }) => writeAnswer(respond),
  connection: ofConnection,
  'oauth2-refresh': ofConnection,
  'oauth2-invalidate': ofConnection,
  oauth1: ofPage,
  oauth2: ofPage,
  attach: ofHook,
  detach: ofHook,
  update: ofHook,
  webhook: ({ bundles = [], verification, recipients = [], respond, error }) => ({
    ...(error === undefined
      ? { ...writeBundles(bundles), ...(verification === true && { verification }) }
      : { error: { type: error.type, message: error.message } }),
    ...(recipients.length > 0 && { recipients }),
    ...writeAnswer(respond),
  }),
  scenario: ({ states }) => definedOnly({ states }),
};

function writeBundles(bundles: readonly unknown[]): Expectation {
  const written = bundles.map(writeTagged);
  if (JSON.stringify(written).length <= MAX_BUNDLES_TEXT) return { bundles: written };
  return { bundleCount: bundles.length, firstBundle: written[0], lastBundle: written.at(-1) };
}

function writePage(address: string | undefined): Expectation {
  if (address === undefined) return {};
  const url = new URL(address);
  // The state differs each time.
  url.searchParams.delete('state');
  return {
    authorizeUrl: { url: url.origin + url.pathname, query: Object.fromEntries(url.searchParams) },
  };
}

function writeAnswer(respond: Outcome['respond']): Expectation {
  if (respond === undefined) return {};
  const { status, headers, body } = respond;
  const type = headers.get('content-type') ?? undefined;
  const { mediaType } = readContentType(type);
  const json = isJsonMediaType(mediaType) ? readJson(body) : undefined;
  return {
    respond: {
      status,
      ...(type !== undefined && { headers: { 'content-type': type } }),
      ...(json === undefined ? { text: body } : { json: json.value }),
    },
  };
}

/** Undefined for invalid JSON and for values that look like tags. */
function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isDeepStrictEqual(writeTagged(value), value) ? { value } : undefined;
  } catch {
    return undefined;
  }
}

function definedOnly<T extends object>(members: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const entries = Object.entries(members).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}
