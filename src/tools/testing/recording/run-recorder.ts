import type { EngineOptions } from '../../../engine/engine-options.js';
import type { HttpOptions } from '../../../engine/engine-transport.js';
import type { Transport } from '../../../engine/http/transport.js';
import type { Digest } from '../../../language/environment.js';
import { createDigestLog } from './digest-log.js';
import { type Recording, recordTransport } from './record-transport.js';
import type { RunToRecord } from './rehearse-run.js';

/** Records requests and responses of a run, with secrets. */
export interface RunRecorder {
  /** Engine options that replace those of the run. */
  readonly engine: { readonly http: HttpOptions; readonly digest: Digest };
  /** Records the exchanges of a transport. */
  readonly wrap: (transport: Transport) => Transport;
  /** Milliseconds since the epoch when the recorder was created: `now` of the case. */
  readonly startedAtMs: number;
  /** Starts the recording. Earlier requests, such as a token refresh, are not part of it. */
  readonly begin: () => void;
  /** The recorded calls and the values that the app derived. */
  readonly heard: () => Pick<RunToRecord, 'calls' | 'digests' | 'addresses'>;
  /** Whether the bodies exceed the size limit. */
  readonly isIncomplete: () => boolean;
}

/** @param options engine options of the run */
export function createRunRecorder({ http = {} }: Pick<EngineOptions, 'http'>): RunRecorder {
  const recordings: Recording[] = [];
  const { digest, results } = createDigestLog();
  let before = { calls: 0, digests: 0 };
  const wrap: RunRecorder['wrap'] = (transport) => {
    const recording = recordTransport(transport);
    recordings.push(recording);
    return recording.transport;
  };
  return {
    engine: { digest, http: { ...http, wrap } },
    wrap,
    startedAtMs: Date.now(),
    begin: () => {
      before = { calls: inOrder(recordings).length, digests: results().length };
    },
    heard: () => ({
      calls: inOrder(recordings).slice(before.calls),
      digests: results().slice(before.digests),
      addresses: listAddresses(http.rewrite ?? {}),
    }),
    isIncomplete: () => recordings.some((recording) => recording.isIncomplete()),
  };
}

/** Merges the recordings of several transports by time. */
function inOrder(recordings: readonly Recording[]): RunToRecord['calls'] {
  const calls = recordings.flatMap((recording) => recording.calls());
  return calls.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
}

/** Links of a mapped host to itself refer to the original host. */
function listAddresses(hosts: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(hosts).flatMap(([from, to]) => {
    const isOrigin = /^https?:\/\/[^/*]+\/?$/.test(from);
    return isOrigin ? [[to.replace(/\/+$/, ''), from.replace(/\/+$/, '')] as const] : [];
  });
}
