import { EngineError } from '../../../shared/errors/engine-error.js';
import { fixtureOfCase } from '../../testing/cases/case-fixture.js';
import type { ReadCase } from '../../testing/cases/read-case.js';
import type { Fixture } from '../../testing/fixtures/fixture.js';
import { listAppTexts } from '../../testing/recording/app-texts.js';
import { listReadHeaders } from '../../testing/recording/mask-call.js';
import { findDrift, type LiveFindings } from '../../testing/suite/find-drift.js';
import { type CaseRun, type CaseStage, explainRefusal, type RunCase } from '../../testing/suite/run-case.js';
import { isChanging, isLiveKind, learnRun, runLive } from '../../testing/suite/run-live.js';
import type { TestFailure } from '../../testing/suite/test-result.js';
import type { ServiceAccess } from './service-access.js';

/** Runs cases against the API and collects the results. */
export interface LiveRunner {
  readonly runCase: RunCase;
  /** Number of cases whose API has changed. */
  readonly drifted: () => number;
}

/** Compares the API with recorded cases. Failures are changes, notes are additions. */
export function createLiveRunner(access: ServiceAccess, signal: AbortSignal): LiveRunner {
  let drifted = 0;
  return {
    drifted: () => drifted,
    runCase: async (read, stage) => {
      const run = await runLiveCase(read, stage, access, signal);
      if (run.hasDrift) drifted++;
      return run;
    },
  };
}

interface LiveCaseRun extends CaseRun {
  readonly hasDrift: boolean;
}

async function runLiveCase(
  read: ReadCase,
  stage: CaseStage,
  access: ServiceAccess,
  signal: AbortSignal,
): Promise<LiveCaseRun> {
  const none = { report: undefined, hasDrift: false };
  const { app, root } = stage;
  try {
    const recorded = fixtureOfCase(read, app);
    const reason = explainSkip(read, recorded);
    if (reason !== undefined) return { ...none, failures: [], notes: [reason], isSkipped: true };
    const filled = await access.fill(read, app);
    if (!filled.ok) return { ...none, failures: [describeBlock(filled.problem, read)] };
    const fixture = fixtureOfCase(filled.case, app);
    const mayChange = read.written.live === true;
    const run = await runLive(fixture, { app, engine: access.engine, mayChange, signal });
    const headers = listReadHeaders(listAppTexts(app));
    const learned = learnRun(app, fixture, run, filled.secrets);
    const { exchanges = [], expect } = recorded;
    const findings = findDrift({ exchanges, expect, headers }, run, learned.mask);
    return { ...none, ...describeFindings(findings, read, learned.hide) };
  } catch (error) {
    if (!(error instanceof EngineError) || signal.aborted) throw error;
    const failure = explainRefusal(error, read, root);
    return { ...none, failures: [{ ...failure, message: access.redact(failure.message) }] };
  }
}

/** Why a case is not run live; undefined if it is. */
function explainSkip(
  { written }: ReadCase,
  { kind, app, server, exchanges = [] }: Fixture,
): string | undefined {
  if (written.record === true) return 'The case has no recording yet. Run iml test --record-cases.';
  if (written.live === false) return 'It says "live": false.';
  if (written.recorded === undefined && written.live !== true)
    return 'The case was not recorded. Set "live": true in the case to run it.';
  if (!isLiveKind(kind)) return `Live tests do not support runs of kind ${kind}.`;
  if (app !== undefined || server !== undefined) return 'The case defines its own app or API.';
  if (exchanges.length === 0) return 'The case sends no request.';
  const changing = exchanges
    .map(({ request }) => request?.method)
    .find((method) => typeof method === 'string' && isChanging(method));
  if (changing === undefined || written.live === true) return undefined;
  return `${String(changing)} may change data in the API. Set "live": true in the case to run it.`;
}

function describeFindings(
  { drifts, blocked }: LiveFindings,
  read: ReadCase,
  redact: (text: string) => string,
): Pick<LiveCaseRun, 'failures' | 'notes' | 'hasDrift'> {
  const described = drifts.map(({ severity, path, message, pointer }) => ({
    severity,
    failure: {
      message: redact(`${severity}: ${path} ${message}.`.replace(/\.\.$/, '.')),
      isDifference: false,
      origin: undefined,
      place: read.document.locationOf(pointer),
    } satisfies TestFailure,
  }));
  const changes = described.filter(({ severity }) => severity !== 'info').map(({ failure }) => failure);
  const news = described.filter(({ severity }) => severity === 'info').map(({ failure }) => failure.message);
  return {
    failures: [...changes, ...(blocked === undefined ? [] : [describeBlock(redact(blocked), read)])],
    notes: news,
    hasDrift: changes.length > 0,
  };
}

/** The failure of a case that could not be compared. */
function describeBlock(message: string, { document }: ReadCase): TestFailure {
  return { message, isDifference: false, place: document.locationOf(''), origin: undefined };
}
