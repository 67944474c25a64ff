import type { App } from '../../document/app.js';
import type { TransportRequest } from '../../http/message/transport.js';
import { mockTransport } from '../exchanges/play-exchanges.js';
import type { Fixture, Outcome } from '../fixtures/fixture.js';
import { playFixture } from '../fixtures/play-fixture.js';
import { createDigestLog } from './digest-log.js';

/** The outcome of a run without a network. */
export interface PlayedRun {
  readonly requests: readonly TransportRequest[];
  readonly digests: readonly Uint8Array[];
  readonly outcome: Outcome;
}

/** Returns the responses of a fixture in order for any request, and records the requests. */
export async function rehearse(fixture: Fixture, app: App): Promise<PlayedRun> {
  const requests: TransportRequest[] = [];
  const { digest, results } = createDigestLog();
  const { outcome } = await playFixture(fixture, {
    app,
    digest,
    service: (clock) =>
      mockTransport(fixture.exchanges ?? [], { clock, onCall: (_call, request) => requests.push(request) }),
  });
  return { requests, digests: results(), outcome };
}
