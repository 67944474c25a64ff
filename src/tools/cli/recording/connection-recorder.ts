import { randomBytes } from 'node:crypto';
import type { CallbackQuery } from '../../../engine/connection/authorize-connection.js';
import { requiredScope, type ScopeRequest } from '../../../engine/connection/connection-input.js';
import type { App, ConnectionComponent } from '../../../engine/document/app.js';
import type { EngineOptions } from '../../../engine/engine-options.js';
import type { AppError } from '../../../shared/errors/app-error.js';
import type { PlainObject } from '../../../shared/plain-object.js';
import type { FixtureInput } from '../../testing/fixtures/fixture.js';
import { toFixtureInput } from '../../testing/recording/recorded-input.js';
import type { RecordSettings } from './record-settings.js';
import { createRecorder, type Recorder } from './recorder.js';

/** Records the creation of a connection, including the browser steps. */
export interface ConnectionRecorder {
  readonly engine: Recorder['engine'];
  /** Hooks for the browser steps. */
  readonly browser: {
    readonly codeVerifier: string;
    readonly onCallback: (callback: { readonly redirectUri: string; readonly query: CallbackQuery }) => void;
  };
  /** See `Recorder.write`. `failure` is the error of the creation. */
  readonly write: (failure: AppError | undefined) => Promise<string>;
}

interface ConnectionToRecord {
  readonly app: App;
  readonly component: ConnectionComponent;
  readonly input: ScopeRequest & { readonly parameters: PlainObject; readonly common: unknown };
  readonly options: Pick<EngineOptions, 'http' | 'timezone'>;
}

/** Creates the recorder of one connection. */
export function createConnectionRecorder(
  settings: RecordSettings,
  { app, component, input, options }: ConnectionToRecord,
): ConnectionRecorder {
  const recorder = createRecorder(settings, options);
  const codeVerifier = randomBytes(32).toString('base64url');
  let page: FixtureInput | undefined;
  const { parameters, common = component.common?.value ?? app.common?.value } = input;
  const scopes = requiredScope(app, component, input);
  return {
    engine: recorder.engine,
    browser: {
      codeVerifier,
      onCallback: ({ redirectUri, query: { state: _, ...query } }) => {
        page = { oauth: { redirectUri, codeVerifier }, query };
      },
    },
    write: (failure) =>
      recorder.write({
        app,
        component: { type: 'connection', name: component.name },
        // An OAuth connection without a page is created like others.
        kind: page === undefined ? 'connection' : 'oauth2',
        ...(common !== undefined && { common }),
        input: {
          ...toFixtureInput({ parameters }, options, recorder.now),
          ...(scopes.length > 0 && { scopes }),
          ...page,
        },
        ended: { error: failure },
      }),
  };
}
