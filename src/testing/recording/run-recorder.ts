import type { EngineOptions } from '../../app/engine/engine-options.js';
import type { Transport } from '../../http/message/transport.js';
import type { Digest } from '../../iml/environment/environment.js';
import { createDigestLog } from './digest-log.js';
import { type Recording, recordTransport } from './record-transport.js';
import type { RunToRecord } from './rehearse-run.js';

/** Keeps what an engine sends and receives in one run, secrets included. */
export interface RunRecorder {
  /** For the engine that makes the run, over the options it has else. */
  readonly engine: { readonly wrapTransport: (transport: Transport) => Transport; readonly digest: Digest };
  /** Milliseconds since the epoch: when the recorder was made, which is the `now` of the case. */
  readonly startedAtMs: number;
  /** What came before is no part of the run: the refresh of a connection. */
  readonly begin: () => void;
  /** What has gone over the wire since, and what the app has made of it. */
  readonly heard: () => Pick<RunToRecord, 'calls' | 'digests' | 'addresses'>;
  /** Whether the bodies were larger together than a recording may be. */
  readonly isIncomplete: () => boolean;
}

/** @param options those of the engine that tell where requests really go */
export function createRunRecorder({ hosts = {} }: Pick<EngineOptions, 'hosts'>): RunRecorder {
  const recordings: Recording[] = [];
  const { digest, results } = createDigestLog();
  let before = { calls: 0, digests: 0 };
  return {
    engine: {
      digest,
      wrapTransport: (transport) => {
        const recording = recordTransport(transport);
        recordings.push(recording);
        return recording.transport;
      },
    },
    startedAtMs: Date.now(),
    begin: () => {
      before = { calls: inOrder(recordings).length, digests: results().length };
    },
    heard: () => ({
      calls: inOrder(recordings).slice(before.calls),
      digests: results().slice(before.digests),
      addresses: listAddresses(hosts),
    }),
    isIncomplete: () => recordings.some((recording) => recording.isIncomplete()),
  };
}

/** Several transports of one engine: of mapped hosts, and of all others. */
function inOrder(recordings: readonly Recording[]): RunToRecord['calls'] {
  const calls = recordings.flatMap((recording) => recording.calls());
  return calls.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
}

/** A mapped host that links to itself is meant to be the one it stands in for. */
function listAddresses(hosts: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(hosts).flatMap(([from, to]) => {
    const isOrigin = /^https?:\/\/[^/*]+\/?$/.test(from);
    return isOrigin ? [[to.replace(/\/+$/, ''), from.replace(/\/+$/, '')] as const] : [];
  });
}
