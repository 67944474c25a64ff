import { EngineError } from '../../../shared/errors/engine-error.js';
import { escapeUnsafe } from '../../../shared/escape-unsafe.js';
import type { RecordedCall } from '../../testing/recording/record-transport.js';
import type { RunToRecord } from '../../testing/recording/rehearse-run.js';
import { type HarCreator, recordHar, writeHar } from '../../testing/recording/write-har.js';
import type { History } from '../history/history.js';
import type { BodyRef, PackedEvent } from '../protocol.js';

export interface RunHarOptions {
  readonly events: readonly PackedEvent[];
  readonly history: Pick<History, 'body'>;
  /** The exchanges of the run. @throws EngineError if they are not in memory */
  readonly recorded: () => Promise<RunToRecord>;
  readonly creator: HarCreator;
}

/**
 * The requests and responses of a run as redacted HAR 1.2: byte-exact while they are in memory, otherwise from the
 * history.
 */
export async function writeRunHar({ events, history, recorded, creator }: RunHarOptions): Promise<string> {
  try {
    return await recordHar(await recorded(), creator);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return escapeUnsafe(writeHar(await collectCalls(events, history), creator));
  }
}

async function collectCalls(
  events: readonly PackedEvent[],
  history: Pick<History, 'body'>,
): Promise<readonly RecordedCall[]> {
  const calls: RecordedCall[] = [];
  for (const [index, event] of events.entries()) {
    if (event.kind !== 'request') continue;
    const { method, url, headers, at: startedAtMs } = event;
    const rest = events.slice(index + 1);
    const next = rest.findIndex(({ kind }) => kind === 'request');
    const answer = rest.slice(0, next === -1 ? undefined : next).find(({ kind }) => kind === 'response');
    const request = { method, url, headers: [...headers], body: await readBytes(event.body, history) };
    const known = { startedAtMs, error: undefined };
    if (answer?.kind !== 'response') calls.push({ ...known, request, response: undefined, durationMs: 0 });
    else {
      const { status, headers: answered, durationMs } = answer;
      const body = (await readBytes(answer.body, history)) ?? new Uint8Array();
      calls.push({ ...known, request, response: { status, headers: answered, body }, durationMs });
    }
  }
  return calls;
}

async function readBytes(
  body: BodyRef | undefined,
  history: Pick<History, 'body'>,
): Promise<Uint8Array | undefined> {
  const kept = body && (await history.body(body.ref));
  return kept && Buffer.from(kept.text, 'utf8');
}
