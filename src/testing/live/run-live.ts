import { createEngine } from '../../app/engine/create-engine.js';
import type { EngineOptions } from '../../app/engine/engine-options.js';
import type { App } from '../../document/app.js';
import { TransportError } from '../../errors/engine-error.js';
import type { Transport } from '../../http/message/transport.js';
import { splitAddress } from '../exchanges/canonical-request.js';
import type { Fixture, FixtureKind, Outcome } from '../fixtures/fixture.js';
import { COMPONENT } from '../fixtures/fixture-app.js';
import { KIND_RUNNERS, type KindOutcome } from '../fixtures/kind-runners.js';
import { readTagged } from '../matching/tagged-values.js';
import type { RunToRecord } from '../recording/rehearse-run.js';
import { createRunRecorder } from '../recording/run-recorder.js';

/** How a case is run against the service. */
export interface LiveOptions {
  readonly app: App;
  /** Where the app may go, and how long it may take. */
  readonly engine: Pick<
    EngineOptions,
    'network' | 'hosts' | 'baseUrl' | 'limits' | 'onPageLoop' | 'trustFunctions'
  >;
  /** Whether calls are sent that may change something at the service: all but GET and HEAD. */
  readonly mayChange: boolean;
  /** Ends the run. */
  readonly signal?: AbortSignal | undefined;
}

/** A run that went to the service. Holds secrets. */
export interface LiveRun extends Pick<RunToRecord, 'calls' | 'digests' | 'addresses'> {
  readonly outcome: Pick<Outcome, 'error' | 'bundles'>;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** Whether more was sent and received than may be kept. */
  readonly isIncomplete: boolean;
  /** Of a call that was not sent because it may change something: what it was, as a sentence. */
  readonly refused: string | undefined;
}

/** Kinds of runs that ask a service for something, can be made again at any time, and take no browser. */
const LIVE_KINDS: ReadonlySet<FixtureKind> = new Set([
  ...(['action', 'search', 'trigger', 'instant_trigger', 'rpc', 'epoch', 'connection'] as const),
  ...(['attach', 'detach', 'update'] as const),
]);

/** Whether runs of a kind go to a service at all, and nobody has to be there. */
export function isLiveKind(kind: FixtureKind): boolean {
  return LIVE_KINDS.has(kind);
}

/** Methods that by their meaning change nothing. Source: RFC 9110, section 9.2.1. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a call of this method may change something at the service. */
export function isChanging(method: string): boolean {
  return !SAFE_METHODS.has(method.toUpperCase());
}

/**
 * Runs a fixture against the service, on the clock of the system, and keeps what goes over the wire.
 *
 * @param fixture with its secrets in place
 * @throws SpecError (SPEC_MISSING) for a component the app does not have; the reason of the signal
 */
export async function runLive(fixture: Fixture, options: LiveOptions): Promise<LiveRun> {
  const { app, engine: settings, mayChange, signal } = options;
  const recorder = createRunRecorder(settings);
  const { startedAtMs } = recorder;
  let refused: string | undefined;
  const guard =
    (transport: Transport): Transport =>
    async (request) => {
      signal?.throwIfAborted();
      if (!mayChange && isChanging(request.method)) {
        const what = `${request.method} ${splitAddress(request.url)[0]}`;
        refused ??= `${what} may change something at the service, and was not sent: "live": true in the case allows it.`;
        throw new TransportError('NETWORK_REFUSED', refused);
      }
      const either = signal === undefined ? request.signal : AbortSignal.any([request.signal, signal]);
      return transport({ ...request, signal: either });
    };
  const engine = createEngine({
    app,
    ...settings,
    digest: recorder.engine.digest,
    timezone: fixture.input.timezone,
    common: readTagged(fixture.common),
    checkParameters: fixture.input.checkParameters ?? true,
    wrapTransport: (transport) => recorder.engine.wrapTransport(guard(transport)),
  });
  try {
    const read = { ...fixture, input: readTagged(fixture.input) as Fixture['input'] };
    const component = fixture.component?.name ?? COMPONENT;
    const outcome: KindOutcome = await KIND_RUNNERS[fixture.kind]({ fixture: read, engine, component });
    signal?.throwIfAborted();
    return { ...recorder.heard(), outcome, startedAtMs, refused, isIncomplete: recorder.isIncomplete() };
  } finally {
    await engine.close();
  }
}
