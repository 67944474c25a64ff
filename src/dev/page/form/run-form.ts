import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AppState, RunDetail, ShownForm } from '../../protocol.js';
import { wishAnswers } from '../parts/answer-actions.js';
import { get, post } from '../state/api.js';
import { go } from '../state/route.js';
import { runs, say, sayError } from '../state/store.js';
import type { Values } from './form-fields.js';

/** What a form is of. */
export interface FormSubject {
  readonly kind: 'module' | 'rpc';
  readonly name: string;
  /** The run whose values it starts with; empty for the last one. */
  readonly from: string;
  /** Connections that can be chosen. */
  readonly kept: AppState['kept'];
}

/** Where a polling trigger starts: as a new trigger, with everything, after its last run, or with an entry of the epoch. */
export type TriggerStart =
  | { readonly from: 'new' | 'all' | 'saved' }
  | { readonly from: 'entry'; readonly state: unknown };

/** What somebody has filled in, and what is said of it. */
export interface RunForm {
  readonly values: Signal<Values>;
  readonly connection: Signal<string>;
  /** Bundles that are wanted at most; empty for all. */
  readonly limit: Signal<string>;
  /** Of a polling trigger: where it starts. `entry` has the state of an entry of the epoch. */
  readonly start: Signal<TriggerStart>;
  /** Of an instant trigger: the item of a webhook, as JSON. */
  readonly payload: Signal<string>;
  /** The run whose answers can be given again. */
  readonly source: Signal<RunDetail | undefined>;
  readonly answers: Signal<string>;
  readonly isJson: Signal<boolean>;
  /** Counts the times somebody else than the form has set the values. */
  readonly version: Signal<number>;
  /** Whether the values to start with are there: a form asks the app's RPCs, and need not ask them twice. */
  readonly isReady: Signal<boolean>;
  readonly problems: Signal<ShownForm['problems']>;
  readonly wasRefused: Signal<boolean>;
  readonly isRunning: Signal<boolean>;
  /** Of a polling trigger: its state after its last run here, as JSON. */
  readonly savedState: Signal<string | undefined>;
}

/** The form of a component, filled in as an earlier run had it. */
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
 * Starts a run and goes to it.
 *
 * @param isForced whether it is to start with values that it would refuse
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
    if (error instanceof SyntaxError) say('The payload is no JSON.', 'error');
    else sayError(error);
  } finally {
    form.isRunning.value = false;
  }
}

function writeStart(start: TriggerStart): Record<string, unknown> {
  if (start.from === 'entry') return { state: start.state };
  return start.from === 'new' ? {} : { start: start.from };
}

/** @throws SyntaxError for a payload that is no JSON */
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
    // A form submits the defaults that it shows; values that are edited as JSON are complete.
    defaults: !form.isJson.value,
    again: from || undefined,
    ...wishAnswers(form.source.value, form.answers.value),
  };
}
