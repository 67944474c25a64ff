import { createEngine } from '../../../engine/create-engine.js';
import type { App } from '../../../engine/document/app.js';
import type { EngineOptions } from '../../../engine/engine-options.js';
import type { Transport } from '../../../engine/http/transport.js';
import { readSanitize } from '../../../engine/redaction/sanitize-paths.js';
import { TransportError } from '../../../shared/errors/engine-error.js';
import { splitAddress } from '../exchanges/canonical-request.js';
import type { Fixture, FixtureKind, Outcome } from '../fixtures/fixture.js';
import { COMPONENT, KIND_RUNNERS, type KindOutcome } from '../fixtures/kind-runners.js';
import { readTagged } from '../matching/tagged-values.js';
import { listSanitized } from '../recording/app-texts.js';
import {
  learnInput,
  learnRequest,
  learnResponse,
  listSecretParameters,
} from '../recording/collect-secrets.js';
import { mapPlaceholders, type RunToRecord } from '../recording/rehearse-run.js';
import { createRunRecorder } from '../recording/run-recorder.js';
import { maskValue, writePlaceholders } from '../secrets/mask-value.js';
import { createSecretBook } from '../secrets/secret-book.js';

/** Options of a live run. */
export interface LiveOptions {
  readonly app: App;
  /** Network options and limits. */
  readonly engine: Pick<EngineOptions, 'http' | 'limits' | 'onPageLoop' | 'trustFunctions'>;
  /** Whether to send requests with methods other than GET and HEAD. */
  readonly mayChange: boolean;
  /** Aborts the run. */
  readonly signal?: AbortSignal | undefined;
}

/** A live run. Contains secrets. */
export interface LiveRun extends Pick<RunToRecord, 'calls' | 'digests' | 'addresses'> {
  readonly outcome: Pick<Outcome, 'error' | 'bundles'>;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** Whether the recording exceeds its size limit. */
  readonly isIncomplete: boolean;
  /** A sentence about a request that was not sent because it may change data. */
  readonly refused: string | undefined;
}

/** Kinds of runs that send requests, are repeatable, and need no browser. */
const LIVE_KINDS: ReadonlySet<FixtureKind> = new Set([
  ...(['action', 'search', 'trigger', 'instant_trigger', 'rpc', 'endpoint', 'epoch'] as const),
  ...(['connection', 'attach', 'detach', 'update'] as const),
]);

/** Whether runs of a kind can be live. */
export function isLiveKind(kind: FixtureKind): boolean {
  return LIVE_KINDS.has(kind);
}

/** Safe methods. Source: RFC 9110, section 9.2.1. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether requests with this method may change data. */
export function isChanging(method: string): boolean {
  return !SAFE_METHODS.has(method.toUpperCase());
}

/**
 * Runs a fixture against the API on the system clock and records the calls.
 *
 * @param fixture with its secrets
 * @throws SpecError (SPEC_MISSING) for an unknown component; the abort reason
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
        refused ??= `${what} may change data in the API and was not sent. Set "live": true in the case to allow it.`;
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
    http: { ...settings.http, wrap: (transport) => recorder.wrap(guard(transport)) },
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

/** Redaction of a live run: secrets of its input and responses. */
export interface LearnedRun {
  /** Redacts text: a path may contain a token of a response. */
  readonly hide: (text: string) => string;
  /** Redacts a response as a recording does; names of members may be secrets too. */
  readonly mask: (value: unknown) => unknown;
}

/** @param secrets secrets of the case by placeholder name */
export function learnRun(
  app: App,
  { input, common, component }: Fixture,
  run: LiveRun,
  secrets: ReadonlyMap<string, string>,
): LearnedRun {
  const book = createSecretBook();
  for (const [name, value] of secrets) book.enter(name, value);
  const secretFields = component === undefined ? [] : listSecretParameters(app, component);
  learnInput(
    input,
    { app, common: common ?? app.common?.value, secretFields, isConnectionData: false },
    book,
  );
  const sanitize = readSanitize(listSanitized(app));
  for (const call of run.calls) {
    learnResponse(call, sanitize, book);
    learnRequest(call, sanitize, book);
  }
  const placeholders = mapPlaceholders(book);
  return {
    hide: (text) => String(writePlaceholders(book.clean(text), placeholders)),
    mask: (value) => maskValue(value, book),
  };
}
