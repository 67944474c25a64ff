import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AppState, RunDetail, ShownForm } from '../../protocol.js';
import { get, post } from '../state/api.js';
import { go } from '../state/route.js';
import { runs, say, sayError } from '../state/store.js';
import { wishAnswers } from './answer-actions.js';
import type { Values } from './form-fields.js';

/** The component of a form. */
export interface FormSubject {
  readonly kind: 'module' | 'rpc';
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
      }, sayError)
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
    else sayError(error);
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
