import type { ConnectedInput } from '../../component/check-and-connect.js';
import type { App } from '../../document/app.js';
import { EngineError } from '../../errors/engine-error.js';
import type { Transport } from '../../http/message/transport.js';
import { readCommon, toFixtureInput } from '../../testing/recording/recorded-input.js';
import type { RunToRecord } from '../../testing/recording/rehearse-run.js';
import { createRunRecorder, type RunRecorder } from '../../testing/recording/run-recorder.js';
import type { RunEnd } from '../history/record-run.js';
import type { RunRequest } from '../protocol.js';
import type { RunHooks, RunSetting } from './run-component.js';

/** A run that can become a case or a HAR file after its end. */
export interface RunKeeper {
  readonly wrap: (transport: Transport) => Transport;
  readonly hooks: Required<Pick<RunHooks, 'digest' | 'onReady'>>;
  /** Total size of the stored bodies. */
  readonly bytes: () => number;
  /**
   * The run with its secrets, for an export.
   *
   * @throws EngineError (USAGE) for a stopped run, and above the size limit
   */
  readonly describe: (end: RunEnd) => RunToRecord;
}

/** Records input, requests and responses of a run in memory. */
export function keepRun(asked: RunRequest, { app, engine }: Pick<RunSetting, 'app' | 'engine'>): RunKeeper {
  const recorder = createRunRecorder(engine);
  let given: ConnectedInput = {};
  const { wrapTransport, digest } = recorder.engine;
  return {
    wrap: wrapTransport,
    hooks: {
      digest,
      onReady: (input) => {
        given = input;
        recorder.begin();
      },
    },
    bytes: () =>
      recorder
        .heard()
        .calls.reduce(
          (sum, { request, response }) =>
            sum + (request.body?.byteLength ?? 0) + (response?.body.byteLength ?? 0),
          0,
        ),
    describe: (end) => {
      assertWhole(asked, end, recorder);
      const { signal: _, ...input } = given;
      const now = new Date(recorder.startedAtMs).toISOString();
      return {
        app,
        kind: findRunKind(asked, app),
        component: { type: asked.kind, name: asked.name },
        ...readCommon(app, undefined),
        ...recorder.heard(),
        input: toFixtureInput(input, engine, now),
        ended: {
          error: end.error,
          ...(end.error === undefined &&
            asked.kind === 'module' && { bundleCount: countBundles(asked, end, app) }),
        },
      };
    },
  };
}

function assertWhole(asked: RunRequest, { state, bundles }: RunEnd, recorder: RunRecorder): void {
  if (state === 'stopped') throw usage('This run was stopped: a case runs a component to its end.');
  const isLeft = asked.kind === 'module' && asked.limit !== undefined && bundles.length >= asked.limit;
  if (isLeft) {
    throw usage(
      `This run was left after ${bundles.length} bundles, and a case runs a module to its end. Run it again without "at most", and give it less to do by its parameters.`,
    );
  }
  if (recorder.isIncomplete()) throw usage('The bodies of this run are larger together than may be kept.');
}

function findRunKind({ kind, name }: RunRequest, app: App): RunToRecord['kind'] {
  if (kind === 'rpc') return 'rpc';
  const type = app.modules.get(name)?.type ?? 'action';
  return type === 'universal' ? 'action' : type;
}

/** A responder has no bundles. */
function countBundles({ name }: RunRequest, { bundles, bundleCount }: RunEnd, app: App): number | undefined {
  return app.modules.get(name)?.type === 'responder' ? undefined : (bundleCount ?? bundles.length);
}

function usage(message: string): EngineError {
  return new EngineError('USAGE', message);
}
