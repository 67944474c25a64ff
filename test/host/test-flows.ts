import type { FlowOutcome, FlowRequest, Flows, Host, Receiver } from '../../src/host/index.js';
import { completeSettings, type ScenarioSettings } from '../../src/scenario/index.js';

type ScenarioPlan = Parameters<Host['scenarios']['put']>[0]['plan'];

/** A report of a successful run. */
export const SUCCESS: FlowOutcome = {
  outcome: { kind: 'success' },
  error: undefined,
  incompletes: [],
  triggerState: undefined,
};

/** The report of a run that failed with an error type. */
export function failure(
  type: FlowOutcome['outcome'] extends infer O ? Extract<O, { type: unknown }>['type'] : never,
): FlowOutcome {
  return { ...SUCCESS, outcome: { kind: 'error', type }, error: { name: type, message: 'It failed.' } };
}

/** Flows that call a function. */
export function flowsOf(run: (request: FlowRequest) => Promise<FlowOutcome> | FlowOutcome): Flows {
  return { run: async (request) => run(request) };
}

/**
 * Uses the JSON body of a call as its only bundle; `{"reject": true}` is unreadable, `{"to": uid}` is delivered to
 * members.
 */
export const receiveJson: Receiver = async ({ call, findRecipients }) => {
  const body = JSON.parse(Buffer.from(call.body).toString('utf8') || 'null') as Record<
    string,
    unknown
  > | null;
  const accepted = {
    response: new Response('Accepted'),
    ok: true as const,
    bundles: [],
    deliveries: undefined,
  };
  if (body?.['reject'] === true) {
    const error = { toJSON: () => ({ name: 'WebhookError', message: 'unreadable' }) };
    return { ok: false, response: new Response('no', { status: 400 }), phase: 'payload', error };
  }
  if (typeof body?.['to'] === 'string') {
    return { ...accepted, deliveries: [{ recipients: await findRecipients(body['to']), bundles: [body] }] };
  }
  return { ...accepted, bundles: body === null ? [] : [body] };
};

export interface PlanWanted {
  readonly settings?: Partial<ScenarioSettings>;
  readonly everyMs?: number;
  readonly ordered?: boolean;
  readonly answers?: boolean;
}

export function plan({
  settings = {},
  everyMs,
  ordered = false,
  answers = false,
}: PlanWanted = {}): ScenarioPlan {
  const scheduling = everyMs === undefined ? 'instant' : 'timed';
  return { settings: completeSettings({ scheduling, ...settings }), everyMs, ordered, answers, flow: null };
}
