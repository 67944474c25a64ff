import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { AppState, StepOutcome } from '../../protocol.js';
import { post } from '../state/api.js';
import { app, say, sayError } from '../state/store.js';
import { AnswersChoice } from './answer-actions.js';
import type { RunForm } from './run-form.js';

type Module = AppState['modules'][number];

interface ConnectionProps {
  readonly form: RunForm;
  readonly kept: AppState['kept'];
  /** The connection component. */
  readonly connection: string | undefined;
}

/** Selects a stored connection. */
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

/** The payload of an instant trigger. */
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

/** Validation errors after an attempt to run. */
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

type Entries = NonNullable<StepOutcome['entries']>;

/** Start of a polling trigger: "Choose where to start" of Make, with the entries of the epoch. */
function StartChoice({ form, module }: { readonly form: RunForm; readonly module: Module }): JSX.Element {
  const { start, savedState } = form;
  const entries = useSignal<Entries | undefined>(undefined);
  const list = async (): Promise<void> => {
    const { entries: found } = await post<StepOutcome>('steps', {
      step: 'epoch',
      name: module.name,
      parameters: form.values.value,
      connection: form.connection.value || undefined,
    });
    entries.value = found ?? [];
    if (found === undefined) say('The epoch failed. Its run shows the error.', 'error');
  };
  const current =
    start.value.from === 'entry' ? `entry ${findEntry(entries.value, start.value.state)}` : start.value.from;
  return (
    <>
      <label class="inline">
        start{' '}
        <select
          value={current}
          onChange={(event) => {
            const { value } = event.currentTarget;
            const entry = entries.value?.[Number(value.replace('entry ', ''))];
            if (value.startsWith('entry ') && entry !== undefined)
              start.value = { from: 'entry', state: entry.state };
            else start.value = { from: value === 'all' || value === 'saved' ? value : 'new' };
          }}
        >
          <option value="new">as a new trigger</option>
          <option value="all">from the beginning</option>
          {savedState.value !== undefined && (
            <option value="saved" title={savedState.value}>
              after its last run
            </option>
          )}
          {entries.value?.map(({ label, date }, index) => (
            <option key={index} value={`entry ${index}`}>
              from {label} {date === undefined ? '' : `(${date})`}
            </option>
          ))}
        </select>
      </label>
      {module.hasEpoch && (
        <button type="button" class="button small" onClick={() => void list().catch(sayError)}>
          List its epoch
        </button>
      )}
    </>
  );
}

function findEntry(entries: Entries | undefined, state: unknown): number {
  return (entries ?? []).findIndex((entry) => entry.state === state);
}

/** The run button, the limit, and the source of responses. */
export function RunLine({ form, module }: RunLineProps): JSX.Element {
  const { limit, isJson, isRunning, source, answers } = form;
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
      {module?.type === 'trigger' && <StartChoice form={form} module={module} />}
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
