import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { RunRequest, ShownForm } from '../protocol.js';
import { moveFocus, StateMark, TypeTag } from './parts/controls.js';
import { FormFields, type Values } from './parts/form-fields.js';
import { Editor } from './parts/playground.js';
import {
  ConnectionField,
  type FormSubject,
  PayloadField,
  RefusedValues,
  RunLine,
  sendForm,
  useRunForm,
} from './parts/run-form.js';
import { post } from './state/api.js';
import { clock, count, describeOutcome, duration } from './state/format.js';
import { writeRoute } from './state/route.js';
import { app, runs, showError } from './state/store.js';

interface ParametersProps {
  readonly isReady: boolean;
  readonly kind: RunRequest['kind'];
  readonly name: string;
  readonly connection: string;
  readonly values: Values;
  /** Incremented when the values are replaced from outside. */
  readonly version: number;
  readonly isJson: boolean;
  /** Whether to show missing required fields: only after the first attempt to run. */
  readonly showsMissing: boolean;
  readonly onForm: (form: ShownForm) => void;
  readonly onChange: (values: Values) => void;
}

/** Delay between the last key and the next request of the form. */
const SETTLE_MS = 300;

/** The fields of a component, or its values as JSON. */
function Parameters({
  isReady,
  kind,
  name,
  connection,
  values,
  version,
  isJson,
  showsMissing,
  onForm,
  onChange,
}: ParametersProps): JSX.Element {
  const form = useSignal<ShownForm | undefined>(undefined);
  const revision = app.value?.revision;
  useEffect(() => {
    if (!isReady) return undefined;
    let isCurrent = true;
    const load = (): void => {
      post<ShownForm>('form', {
        kind,
        name,
        parameters: values,
        connection: connection || undefined,
        defaults: !isJson,
      }).then((found) => {
        if (!isCurrent) return;
        form.value = found;
        onForm(found);
      }, showError);
    };
    const timer = setTimeout(load, form.peek() === undefined ? 0 : SETTLE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [isReady, kind, name, connection, revision, version, isJson, values]);
  if (form.value === undefined) return <p class="empty-line">Loading the form …</p>;
  if (isJson) {
    return (
      <div class="field">
        <span class="field-title">Parameters as JSON</span>
        <Editor
          key={`${name} ${version}`}
          label="Parameters as JSON"
          language="json"
          initial={JSON.stringify(values, null, 2)}
          onChange={(text) => {
            try {
              const parsed: unknown = JSON.parse(text);
              if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
                onChange(parsed as Values);
            } catch {
              // The text is not valid JSON yet.
            }
          }}
        />
      </div>
    );
  }
  const { fields, failures, problems } = form.value;
  const errors = new Map(
    problems
      .filter(({ isMissing }) => showsMissing || !isMissing)
      .map(({ path, message }) => [path, message] as const),
  );
  const [plain, advanced] = [
    fields.filter((field) => !field.advanced),
    fields.filter((field) => field.advanced),
  ];
  return (
    <>
      {fields.length === 0 && <p class="empty-line">No parameters.</p>}
      {failures.map((text) => (
        <p class="hint warn" key={text}>
          {text}
        </p>
      ))}
      <FormFields fields={plain} path="" errors={errors} values={values} onChange={onChange} />
      {advanced.length > 0 && (
        <details class="advanced">
          <summary>Advanced {count(advanced.length, 'field')}</summary>
          <FormFields fields={advanced} path="" errors={errors} values={values} onChange={onChange} />
        </details>
      )}
    </>
  );
}

interface ComponentProps {
  readonly kind: RunRequest['kind'];
  readonly name: string;
  /** Run with the initial values. */
  readonly from: string;
}

/** The form of a module, RPC or endpoint, and its last runs. */
export function ComponentView({ kind, name, from }: ComponentProps): JSX.Element {
  const module = kind === 'module' ? app.value?.modules.find((one) => one.name === name) : undefined;
  const rpc = kind === 'rpc' ? app.value?.rpcs.find((one) => one.name === name) : undefined;
  const endpoint = kind === 'endpoint' ? app.value?.endpoints.find((one) => one.name === name) : undefined;
  const label = (module ?? rpc ?? endpoint)?.label ?? name;
  const description = (module ?? endpoint)?.description;
  const connections = endpoint?.connections ?? (module?.connection === undefined ? [] : [module.connection]);
  const kept = (app.value?.kept ?? []).filter(
    ({ component }) => connections.length === 0 || connections.includes(component),
  );
  const subject: FormSubject = { kind, name, from, kept };
  const form = useRunForm(subject);
  return (
    <article class="component" aria-label={label}>
      <header class="run-head">
        <div class="run-title">
          <h1>{label}</h1>
          <TypeTag type={module?.type ?? (kind === 'endpoint' ? kind : 'RPC')} />
          <code class="muted">{name}</code>
        </div>
      </header>
      {description !== undefined && <p class="lead">{description}</p>}
      <form
        class="card form"
        onSubmit={(event) => {
          event.preventDefault();
          void sendForm(form, subject, false);
        }}
      >
        {(connections.length > 0 || kept.length > 0) && (
          <ConnectionField form={form} kept={kept} connection={connections[0]} />
        )}
        <Parameters
          isReady={form.isReady.value}
          kind={kind}
          name={name}
          connection={form.connection.value}
          values={form.values.value}
          version={form.version.value}
          showsMissing={form.wasRefused.value}
          onForm={({ problems, savedState }) => {
            form.problems.value = problems;
            form.savedState.value = savedState;
            if (problems.length === 0) form.wasRefused.value = false;
          }}
          isJson={form.isJson.value}
          onChange={(next) => {
            form.values.value = next;
          }}
        />
        {module?.type === 'instant_trigger' && <PayloadField form={form} />}
        <RefusedValues form={form} onForce={() => void sendForm(form, subject, true)} />
        <RunLine form={form} module={module} />
      </form>
      <LastRuns kind={kind} name={name} />
    </article>
  );
}

/** The runs of a component, newest first. */
export function LastRuns({ kind, name }: { readonly kind: string; readonly name: string }): JSX.Element {
  const own = runs.value.filter((run) => run.name === name && run.kind === kind).slice(0, 20);
  return (
    <section class="last-runs" aria-label="Last runs">
      <h2>Last runs</h2>
      {own.length === 0 ? (
        <p class="empty-line">None yet.</p>
      ) : (
        <ol class="rows" onKeyDown={moveFocus}>
          {own.map((run) => (
            <li key={run.id}>
              <a data-item href={writeRoute('run', run.id)}>
                <StateMark run={run} />
                <span>{clock(run.startedAt)}</span>
                <span>{describeOutcome(run)}</span>
                <span class="muted">{count(run.requests, 'request')}</span>
                <span class="muted">{duration(run.durationMs)}</span>
                <span class="muted wide">{run.error?.message}</span>
              </a>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
