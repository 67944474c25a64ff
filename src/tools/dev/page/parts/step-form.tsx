import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AppState, ShownForm, StepOutcome, StepRequest } from '../../protocol.js';
import { post } from '../state/api.js';
import { go } from '../state/route.js';
import { sayError } from '../state/store.js';
import { FormFields, type Values } from './form-fields.js';

interface StepFormProps {
  /** Component type; undefined for a step without parameters. */
  readonly kind: 'webhook' | 'connection' | undefined;
  readonly name: string;
  readonly title: string;
  /** Stored connections to choose from; undefined if the step uses none. */
  readonly stored: AppState['kept'] | undefined;
  /** Additional fields before those of the component. */
  readonly children?: ComponentChildren;
  readonly submit: string;
  readonly makeRequest: (values: Values, connection: string) => StepRequest;
}

/** Runs a step and opens it as a run. */
export async function runStep(asked: StepRequest): Promise<void> {
  const { id } = await post<StepOutcome>('steps', asked);
  go('run', id);
}

/** The form of a webhook or connection with a button for the step. */
export function StepForm(props: StepFormProps): JSX.Element {
  const { kind, name, title, stored, children, submit, makeRequest } = props;
  const form = useSignal<ShownForm | undefined>(undefined);
  const values = useSignal<Values>({});
  const connection = useSignal(stored?.length === 1 ? (stored[0]?.name ?? '') : '');
  const isRunning = useSignal(false);
  useEffect(() => {
    if (kind === undefined) return undefined;
    let isCurrent = true;
    post<ShownForm>('form', { kind, name, parameters: values.value }).then((found) => {
      if (isCurrent) form.value = found;
    }, sayError);
    return () => {
      isCurrent = false;
    };
  }, [kind, name, JSON.stringify(values.value)]);
  const send = async (): Promise<void> => {
    isRunning.value = true;
    try {
      await runStep(makeRequest(values.value, connection.value));
    } finally {
      isRunning.value = false;
    }
  };
  return (
    <form
      class="card form"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        send().catch(sayError);
      }}
    >
      <h2>{title}</h2>
      {children}
      {stored !== undefined && stored.length > 0 && (
        <div class="field">
          <label for="step-connection">Connection</label>
          <select
            id="step-connection"
            value={connection.value}
            onChange={(event) => {
              connection.value = event.currentTarget.value;
            }}
          >
            <option value="">none</option>
            {stored.map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
          </select>
        </div>
      )}
      <FormFields
        fields={form.value?.fields ?? []}
        path=""
        complaints={new Map()}
        values={values.value}
        onChange={(next) => {
          values.value = next;
        }}
      />
      <div class="form-end">
        <button type="submit" class="button primary" disabled={isRunning.value}>
          {submit}
        </button>
      </div>
    </form>
  );
}
