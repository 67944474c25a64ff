import type { FlowOutcome, Receiver } from '../../src/host/work/ports.js';

/** Takes the JSON body of a call as its one bundle, as the cheapest app would. */
export const receiver: Receiver = async ({ call }) => ({
  ok: true,
  response: new Response('Accepted'),
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
