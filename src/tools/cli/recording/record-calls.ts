import path from 'node:path';
import { createEngine } from '../../../engine/create-engine.js';
import type { App } from '../../../engine/document/app.js';
import type { EngineOptions } from '../../../engine/engine-options.js';
import { findHookRows } from '../../../host/hooks/hooks.js';
import type { Receiver } from '../../../host/ports.js';
import type { HostStore } from '../../../host/store/tables.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { createFolderWriter, toFileName } from '../../../shared/files.js';
import { createDigestLog } from '../../testing/recording/digest-log.js';
import { recordCase } from '../../testing/recording/record-case.js';
import { describeCall, readCommon, toFixtureInput } from '../../testing/recording/recorded-input.js';
import { readVersion } from '../command.js';
import type { ReadConnectionData } from '../connections/connection-data.js';
import { refuseWrite } from '../output/output-file.js';
import { printError } from '../output/print-error.js';
import { describeWritten, findCaseSchema, writeCaseFiles } from './write-case-files.js';

/** A receiver that records each call as a case. */
export interface CallRecorder {
  readonly receiver: Receiver;
  /** Waits for pending writes. */
  readonly settled: () => Promise<void>;
}

export interface CallRecorderOptions {
  readonly apps: readonly App[];
  /** Absolute; created if missing. */
  readonly folder: string;
  /** The folder as the user typed it. */
  readonly shown: string;
  /** See `NamedFile`. */
  readonly root: string;
  readonly engine: Pick<EngineOptions, 'timezone' | 'webhookLimits'>;
  /** Connection data of a hook by its ID. */
  readonly findConnectionData: (hookId: number) => Promise<unknown>;
  readonly say: (line: string) => void;
}

/** Maximum number of calls that wait to be written. */
const MAX_WAITING = 100;

/** Maximum body size. The search for secrets is synchronous and takes quadratic time. [choice] */
const MAX_BODY_BYTES = 128 * 1024;

/**
 * Wraps a receiver with a recorder. The response to the sender is unchanged: the recorder processes each call again,
 * one after another, without sending requests.
 *
 * @throws EngineError (USAGE) for a folder that cannot be created
 */
export async function recordCalls(receiver: Receiver, options: CallRecorderOptions): Promise<CallRecorder> {
  const { folder, shown, root, say } = options;
  await createFolderWriter(root).createFolder(folder).catch(refuseWrite('--record-calls', shown));
  let writing = Promise.resolve();
  let waiting = 0;
  let count = 0;
  return {
    receiver: async (request) => {
      const reception = await receiver(request);
      if (waiting >= MAX_WAITING) say('A call was not recorded: too many calls wait to be written.\n');
      else if (request.call.body.byteLength > MAX_BODY_BYTES) {
        say(`A call was not recorded: its body has more than ${MAX_BODY_BYTES} bytes.\n`);
      } else {
        waiting++;
        const number = ++count;
        writing = writing
          .then(() => writeCall(request, number, options))
          .catch((error: unknown) =>
            say(error instanceof EngineError ? printError(error) : `${String(error)}\n`),
          )
          .finally(() => waiting--);
      }
      return reception;
    },
    settled: () => writing,
  };
}

async function writeCall(
  { app: name, webhook, call, parameters, stored }: Parameters<Receiver>[0],
  number: number,
  { apps, folder, shown, engine: settings, findConnectionData, say }: CallRecorderOptions,
): Promise<void> {
  const app = apps.find((known) => known.name === name);
  if (app === undefined) return;
  const recordedAtMs = Date.now();
  const { digest, results } = createDigestLog();
  const engine = createEngine({ app, digest, ...settings });
  try {
    const input = { parameters, webhook: stored };
    const headers = call.headers.map(([header, value]) => [header, value] as const);
    const report = await engine.webhook(webhook).handle({ ...call, headers }, input);
    const now = new Date(recordedAtMs).toISOString();
    const file = path.join(toFileName(webhook), `${now.replace(/[:.]/g, '-')}-${number}.test.json`);
    const named = { path: path.join(folder, file), shown: path.join(shown, file), root: folder };
    const written = await recordCase(
      {
        app,
        component: { type: 'webhook', name: webhook },
        calls: [],
        digests: results(),
        secretData: await findConnectionData(Number(stored['id'])),
        ...readCommon(app, undefined),
        ...describeCall(report, toFixtureInput(input, settings, now)),
      },
      { runtime: readVersion(), recordedAtMs, schema: findCaseSchema(named.path) },
    );
    await writeCaseFiles(named, written);
    say(describeWritten(named, written, 0));
  } finally {
    await engine.close();
  }
}

/**
 * Connection data of a hook, of all members for a shared webhook: the API may send it with a call.
 *
 * @throws EngineError (HOST_MISSING) for a removed hook; StoreError (STORE_FAILED) for a connection that cannot be
 * opened
 */
export async function findHookConnectionData(
  store: HostStore,
  hookId: number,
  readData: ReadConnectionData,
): Promise<readonly unknown[]> {
  const hooks = await findHookRows(store, hookId);
  if (hooks.length === 0) throw new EngineError('HOST_MISSING', `There is no hook ${hookId}.`);
  const names = new Set(hooks.flatMap(({ connection }) => connection ?? []));
  return Promise.all([...names].map(readData));
}
