import type { JSX } from 'preact';
import { StateMark, TypeTag } from '../parts/badges.js';
import { moveFocus } from '../parts/move-focus.js';
import { Parameters } from '../parts/parameters.js';
import { ConnectionField, PayloadField, RefusedValues, RunLine } from '../parts/run-fields.js';
import { type FormSubject, sendForm, useRunForm } from '../parts/run-form.js';
import { clock, count, describeOutcome, duration } from '../state/format.js';
import { writeRoute } from '../state/route.js';
import { app, runs } from '../state/store.js';

interface ComponentProps {
  readonly kind: 'module' | 'rpc';
  readonly name: string;
  /** Run with the initial values. */
  readonly from: string;
}

/** The form of a module or RPC, and its last runs. */
export function ComponentView({ kind, name, from }: ComponentProps): JSX.Element {
  const module = kind === 'module' ? app.value?.modules.find((one) => one.name === name) : undefined;
  const label = module?.label ?? app.value?.rpcs.find((one) => one.name === name)?.label ?? name;
  const kept = (app.value?.kept ?? []).filter(
    ({ component }) => module?.connection === undefined || component === module.connection,
  );
  const subject: FormSubject = { kind, name, from, kept };
  const form = useRunForm(subject);
  return (
    <article class="component" aria-label={label}>
      <header class="run-head">
        <div class="run-title">
          <h1>{label}</h1>
          <TypeTag type={module?.type ?? 'RPC'} />
          <code class="muted">{name}</code>
        </div>
      </header>
      {module?.description !== undefined && <p class="lead">{module.description}</p>}
      <form
        class="card form"
        onSubmit={(event) => {
          event.preventDefault();
          void sendForm(form, subject, false);
        }}
      >
        {(module?.connection !== undefined || kept.length > 0) && (
          <ConnectionField form={form} kept={kept} connection={module?.connection} />
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
    <section class="last-runs" aria-label="Its last runs">
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
