import type { JSX } from 'preact';
import type { AppState } from '../../protocol.js';
import { AnswersChoice } from '../parts/answer-actions.js';
import { app } from '../state/store.js';
import type { RunForm } from './run-form.js';

type Module = AppState['modules'][number];

interface ConnectionProps {
  readonly form: RunForm;
  readonly kept: AppState['kept'];
  /** What the component asks for. */
  readonly connection: string | undefined;
}

/** Which connection of those that are kept. */
export function ConnectionField({ form, kept, connection }: ConnectionProps): JSX.Element {
  return (
    <div class="field">
      <label for="connection">Connection</label>
      <select
        id="connection"
        value={form.connection.value}
        onChange={(event) => {
          form.connection.value = event.currentTarget.value;
        }}
      >
        <option value="">none</option>
        {kept.map((one) => (
          <option key={one.name} value={one.name}>
            {one.name}
            {one.label === undefined ? '' : ` (${one.label})`}
          </option>
        ))}
      </select>
      {kept.length === 0 && (
        <p class="help">
          None is kept for this app.{' '}
          <code>
            iml connect {app.value?.folder} {connection}
          </code>{' '}
          makes one.
        </p>
      )}
    </div>
  );
}

/** The item of a webhook, for an instant trigger. */
export function PayloadField({ form }: { readonly form: RunForm }): JSX.Element {
  return (
    <div class="field">
      <label for="payload">Payload: the item of a webhook</label>
      <textarea
        id="payload"
        class="mono"
        rows={5}
        value={form.payload.value}
        onInput={(event) => {
          form.payload.value = event.currentTarget.value;
        }}
      />
    </div>
  );
}

interface RefusedProps {
  readonly form: RunForm;
  readonly onForce: () => void;
}

/** What a run would refuse, once somebody has tried. */
export function RefusedValues({ form, onForce }: RefusedProps): JSX.Element | null {
  const { wasRefused, problems } = form;
  if (!wasRefused.value || problems.value.length === 0) return null;
  return (
    <div class="refused" role="alert">
      <p>A run refuses these values, and sends nothing:</p>
      <ul>
        {problems.value.map(({ path, message }) => (
          <li key={`${path} ${message}`}>{message}</li>
        ))}
      </ul>
      <button type="button" class="link" onClick={onForce}>
        Run all the same
      </button>
    </div>
  );
}

interface RunLineProps {
  readonly form: RunForm;
  /** Undefined for an RPC. */
  readonly module: Module | undefined;
}

/** The button that runs, and how much is wanted from where. */
export function RunLine({ form, module }: RunLineProps): JSX.Element {
  const { limit, isAll, isJson, isRunning, source, answers } = form;
  return (
    <div class="form-end">
      <button type="submit" class="button primary" data-key="r" disabled={isRunning.value}>
        Run
      </button>
      {module !== undefined && (
        <label class="inline">
          at most{' '}
          <input
            class="short"
            inputMode="numeric"
            placeholder="all"
            value={limit.value}
            onInput={(event) => {
              limit.value = event.currentTarget.value;
            }}
          />{' '}
          bundles
        </label>
      )}
      {module?.type === 'trigger' && (
        <label class="inline">
          <input
            type="checkbox"
            checked={isAll.value}
            onChange={(event) => {
              isAll.value = event.currentTarget.checked;
            }}
          />{' '}
          from the beginning
        </label>
      )}
      <AnswersChoice
        run={source.value}
        value={answers.value}
        onChange={(choice) => {
          answers.value = choice;
        }}
      />
      <button
        type="button"
        class="link"
        aria-pressed={isJson.value}
        onClick={() => {
          isJson.value = !isJson.value;
        }}
      >
        {isJson.value ? 'Edit as a form' : 'Edit as JSON'}
      </button>
    </div>
  );
}
