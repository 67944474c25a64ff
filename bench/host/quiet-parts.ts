import type { FlowOutcome, Receiver } from '../../src/host/ports.js';

const ACCEPTED = Buffer.from('Accepted');

/** Takes the JSON body of a call as its one bundle, as the cheapest app would. */
export const receiver: Receiver = async ({ call }) => ({
  ok: true,
  // Made where it is asked for, as the webhook of an engine does it.
  get response(): Response {
    return new Response(ACCEPTED);
  },
  answer: { status: 200, headers: [['content-type', 'text/plain']], body: ACCEPTED },
  bundles: [JSON.parse(Buffer.from(call.body).toString('utf8'))],
  deliveries: undefined,
});

/** What a flow without any module ends with. */
export const SUCCESS: FlowOutcome = {
  outcome: { kind: 'success' },
  error: undefined,
  incompletes: [],
  triggerState: undefined,
};
