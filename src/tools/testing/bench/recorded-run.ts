import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { CaseError } from '../../../shared/errors/engine-error.js';
import { fixtureOfCase } from '../cases/case-fixture.js';
import type { ReadCase } from '../cases/read-case.js';
import type { ScriptedResponse } from '../exchanges/exchange.js';
import type { Fixture, Outcome } from '../fixtures/fixture.js';
import { playFixture } from '../fixtures/play-fixture.js';

/** A response of a recorded run, and its position in the run. */
export interface RecordedResponse {
  readonly response: ScriptedResponse;
  /** The request spec, merged with the base; undefined if it has no directive. */
  readonly spec: Document | undefined;
  /** Index of the request in its chain. */
  readonly requestIndex: number;
  /** Number of the page, from 1. */
  readonly page: number;
  /** Whether an endpoint sent the request. */
  readonly isOfEndpoint: boolean;
}

/** A case that passes, with the responses in the order of its requests. */
export interface RecordedRun {
  readonly read: ReadCase;
  readonly fixture: Fixture;
  readonly responses: readonly RecordedResponse[];
  readonly outcome: Outcome;
  /** Whether its responses were made up from samples and directives. */
  readonly isMadeUp: boolean;
}

/**
 * Plays a case without a network.
 *
 * @throws CaseError for a case that fails
 */
export async function playRecorded(
  read: ReadCase,
  app: App,
  isMadeUp: boolean = false,
): Promise<RecordedRun> {
  const fixture = fixtureOfCase(read, app);
  const scripted = fixture.exchanges ?? [];
  const specs: (Document | undefined)[] = [];
  let current: Document | undefined;
  const { differences, exchanges, events, outcome } = await playFixture(fixture, {
    app,
    isStrict: true,
    observer: {
      onDirective: (document) => {
        current = document ?? current;
      },
      onDecision: () => {},
    },
    onCall: () => specs.push(current),
  });
  if (differences.length + exchanges.length > 0) {
    const message = `The case "${read.name}" fails, and only a case that passes can be measured. Run iml test.`;
    throw new CaseError(message, { place: read.document.locationOf('') });
  }
  const requests = events.filter((event) => event.kind === 'request');
  let sent = -1;
  const responses = specs.map((spec, call): RecordedResponse => {
    // The last exchange may respond to several requests.
    const at = (index: number): ScriptedResponse =>
      scripted[Math.min(index, scripted.length - 1)]?.response ?? {};
    // The trace has no event for a hop of a redirect.
    if (call === 0 || !isRedirect(at(call - 1))) sent++;
    const { requestIndex = 0, page = 1, endpoint } = requests[sent] ?? {};
    return { response: at(call), spec, requestIndex, page, isOfEndpoint: endpoint !== undefined };
  });
  return { read, fixture, responses, outcome, isMadeUp };
}

function isRedirect({ status = 200, headers = {} }: ScriptedResponse): boolean {
  const hasTarget = Object.keys(headers).some((name) => name.toLowerCase() === 'location');
  return [301, 302, 303, 307, 308].includes(status) && hasTarget;
}
