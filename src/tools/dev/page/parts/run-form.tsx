import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AppState, RunDetail, RunRequest, ShownForm, StepOutcome } from '../../protocol.js';
import { get, post } from '../state/api.js';
import { go } from '../state/route.js';
import { app, runs, say, showError } from '../state/store.js';
import type { Values } from './form-fields.js';

/** The component of a form. */
export interface FormSubject {
  readonly kind: RunRequest['kind'];
  readonly name: string;
  /** Run with the initial values; empty for the last run. */
  readonly from: string;
  /** Stored connections to choose from. */
  readonly kept: AppState['kept'];
}

/**
 * Start of a polling trigger: without state, from the beginning, after its last run, or with an entry of the epoch.
 */
export type TriggerStart =
  | { readonly from: 'new' | 'all' | 'saved' }
  | { readonly from: 'entry'; readonly state: unknown };

/** The state of a form. */
export interface RunForm {
  readonly values: Signal<Values>;
  readonly connection: Signal<string>;
  /** Maximum number of bundles; empty for all. */
  readonly limit: Signal<string>;
  /** Start of a polling trigger. `entry` contains the state of an epoch entry. */
  readonly start: Signal<TriggerStart>;
  /** Payload of an instant trigger as JSON. */
  readonly payload: Signal<string>;
  /** Run whose responses can be reused. */
  readonly source: Signal<RunDetail | undefined>;
  readonly answers: Signal<string>;
  readonly isJson: Signal<boolean>;
  /** Incremented when the values are replaced from outside. */
  readonly version: Signal<number>;
  /** Whether the initial values are loaded; avoids calling form RPCs twice. */
  readonly isReady: Signal<boolean>;
  readonly problems: Signal<ShownForm['problems']>;
  readonly wasRefused: Signal<boolean>;
  readonly isRunning: Signal<boolean>;
  /** State of a polling trigger after its last run, as JSON. */
  readonly savedState: Signal<string | undefined>;
}

/** The form of a component with the values of an earlier run. */
export function useRunForm({ kind, name, from, kept }: FormSubject): RunForm {
  const form: RunForm = {
    values: useSignal<Values>({}),
    connection: useSignal(''),
    limit: useSignal(''),
    start: useSignal<TriggerStart>({ from: 'new' }),
    payload: useSignal(''),
    source: useSignal<RunDetail | undefined>(undefined),
    answers: useSignal(''),
    isJson: useSignal(false),
    version: useSignal(0),
    isReady: useSignal(false),
    problems: useSignal<ShownForm['problems']>([]),
    wasRefused: useSignal(false),
    isRunning: useSignal(false),
    savedState: useSignal<string | undefined>(undefined),
  };
  useEffect(() => {
    form.values.value = {};
    form.isJson.value = false;
    form.source.value = undefined;
    form.answers.value = '';
    form.connection.value = kept.length === 1 ? (kept[0]?.name ?? '') : '';
    const last = from === '' ? runs.peek().find((run) => run.name === name && run.kind === kind)?.id : from;
    form.isReady.value = last === undefined;
    if (last === undefined) return;
    get<RunDetail>(`runs/${last}`)
      .then((run) => {
        form.source.value = from === '' ? undefined : run;
        fillIn(form, run);
      }, showError)
      .finally(() => {
        form.isReady.value = true;
      });
  }, [kind, name, from]);
  return form;
}

function fillIn(form: RunForm, { input }: RunDetail): void {
  form.values.value = input.parameters;
  form.connection.value = input.connection ?? form.connection.peek();
  form.limit.value = input.limit === undefined ? '' : String(input.limit);
  form.payload.value = input.payload === undefined ? '' : JSON.stringify(input.payload, null, 2);
  form.version.value++;
}

/**
 * Starts a run and opens it.
 *
 * @param isForced whether to run with invalid values
 */
export async function sendForm(form: RunForm, subject: FormSubject, isForced: boolean): Promise<void> {
  if (form.isRunning.value) return;
  if (form.problems.value.length > 0 && !isForced) {
    form.wasRefused.value = true;
    return;
  }
  form.isRunning.value = true;
  try {
    const { id } = await post<{ id: string }>('runs', writeWish(form, subject));
    go('run', id);
  } catch (error) {
    if (error instanceof SyntaxError) say('The payload is not valid JSON.', 'error');
    else showError(error);
  } finally {
    form.isRunning.value = false;
  }
}

function writeStart(start: TriggerStart): Record<string, unknown> {
  if (start.from === 'entry') return { state: start.state };
  return start.from === 'new' ? {} : { start: start.from };
}

/** @throws SyntaxError for an invalid payload */
function writeWish(form: RunForm, { kind, name, from }: FormSubject): Record<string, unknown> {
  const payload = form.payload.value.trim();
  return {
    kind,
    name,
    parameters: form.values.value,
    connection: form.connection.value || undefined,
    payload: payload === '' ? undefined : JSON.parse(payload),
    limit: /^[1-9]\d*$/.test(form.limit.value) ? Number(form.limit.value) : undefined,
    ...writeStart(form.start.value),
    // A form submits its visible defaults; values edited as JSON are complete.
    defaults: !form.isJson.value,
    again: from || undefined,
    ...wishAnswers(form.source.value, form.answers.value),
  };
}

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
          The app has no stored connection. Create one on the page of the connection, or with{' '}
          <code>
            iml connect {app.value?.folder} {connection}
          </code>
          .
        </p>
      )}
    </div>
  );
}

/** The payload of an instant trigger. */
export function PayloadField({ form }: { readonly form: RunForm }): JSX.Element {
  return (
    <div class="field">
      <label for="payload">Payload: a bundle of the webhook</label>
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
      <p>These values are not valid, so nothing is sent:</p>
      <ul>
        {problems.value.map(({ path, message }) => (
          <li key={`${path} ${message}`}>{message}</li>
        ))}
      </ul>
      <button type="button" class="link" onClick={onForce}>
        Run anyway
      </button>
    </div>
  );
}

interface RunLineProps {
  readonly form: RunForm;
  /** Undefined for RPCs and endpoints. */
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
        <button type="button" class="button small" onClick={() => void list().catch(showError)}>
          List the epoch
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

interface FromPageProps {
  readonly run: RunDetail;
  readonly onRun: (fromPage: number) => void;
}

/** Reuses recorded responses up to a page, then sends requests. */
export function FromPage({ run, onRun }: FromPageProps): JSX.Element | null {
  // `followUpPages` does not count the first page.
  const last = run.followUpPages + 1;
  const page = useSignal(String(last));
  if (!run.canReplay || last < 2) return null;
  return (
    <form
      class="button from-page"
      title="Earlier pages use the recorded responses; this page and later ones are sent to the API"
      onSubmit={(event) => {
        event.preventDefault();
        onRun(Number(page.value));
      }}
    >
      <button type="submit" class="plain">
        From page
      </button>
      <input
        type="number"
        aria-label="First page that is sent to the API"
        min={2}
        max={last}
        required
        value={page.value}
        onInput={(event) => {
          page.value = event.currentTarget.value;
        }}
      />
    </form>
  );
}

interface AnswersChoiceProps {
  readonly run: RunDetail | undefined;
  /** Empty: send requests. `all`: recorded responses. A number: recorded responses up to that page. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Selects the source of responses of an edited run. */
function AnswersChoice({ run, value, onChange }: AnswersChoiceProps): JSX.Element | null {
  if (run === undefined || !run.canReplay) return null;
  const pages = Array.from({ length: run.followUpPages }, (_, index) => index + 2);
  return (
    <label class="inline">
      responses{' '}
      <select
        value={value}
        onChange={(event) => {
          onChange(event.currentTarget.value);
        }}
      >
        <option value="">from the API</option>
        <option value="all">recorded; nothing is sent</option>
        {pages.map((page) => (
          <option key={page} value={String(page)}>
            recorded before page {page}, then from the API
          </option>
        ))}
      </select>
    </label>
  );
}

/** Members of the run request for a choice. */
function wishAnswers(
  run: RunDetail | undefined,
  value: string,
): { readonly replayOf?: string; readonly fromPage?: number } {
  if (run === undefined || value === '') return {};
  return value === 'all' ? { replayOf: run.id } : { replayOf: run.id, fromPage: Number(value) };
}
