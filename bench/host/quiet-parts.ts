import type { FlowOutcome, Receiver } from '../../src/host/ports.js';

const ACCEPTED = Buffer.from('Accepted');

/** Returns the JSON body of a request as its only bundle: the minimum work of an app. */
export const receiver: Receiver = async ({ call }) => ({
  ok: true,
  // Created on access, like by the webhook of an engine.
  get response(): Response {
    return new Response(ACCEPTED);
  },
  answer: { status: 200, headers: [['content-type', 'text/plain']], body: ACCEPTED },
  bundles: [JSON.parse(Buffer.from(call.body).toString('utf8'))],
  deliveries: undefined,
});

/** Result of a flow without modules. */
export const SUCCESS: FlowOutcome = {
  outcome: { kind: 'success' },
  error: undefined,
  incompletes: [],
  triggerState: undefined,
};
