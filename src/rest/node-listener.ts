import type { IncomingMessage, ServerResponse } from 'node:http';
import { createNodeListener as createListener } from '../shared/server/node-listener.js';
import type { ServeFetchOptions } from '../shared/server/serve-fetch.js';
import { answerRefusal } from './answer-refusal.js';

/** Limits of the server. Those of a JSON body are lower and apply first. */
export const SERVER_LIMITS: ServeFetchOptions['limits'] = Object.freeze({
  maxBodyBytes: 2 * 1024 * 1024,
  maxBytesInFlight: 64 * 1024 * 1024,
  maxRequests: 1000,
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
});

/** A listener for `node:http` and `node:https` that responds through a Fetch handler. */
export function createRestListener(
  handle: (request: Request) => Promise<Response>,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return createListener({ fetch: handle }, { limits: SERVER_LIMITS, refuse: answerRefusal }).listen;
}
