import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AppState, ShownForm, StepOutcome, StepRequest, TestDetail } from '../protocol.js';
import { LastRuns } from './component-view.js';
import { JsonTree } from './parts/body-view.js';
import { CopyButton, FailureCard, PlaceText } from './parts/controls.js';
import { FormFields, type Values } from './parts/form-fields.js';
import { TestActions, TestDifferences, TestMark } from './parts/tests.js';
import { RunView } from './run-view.js';
import { get, post } from './state/api.js';
import { go, writeRoute } from './state/route.js';
import { app, findTest, runs, showError, tests } from './state/store.js';

/** The start page. */
export function HomeView(): JSX.Element {
  const { value: state } = app;
  const first = state?.modules.find(({ type }) => type === 'search') ?? state?.modules[0];
  return (
    <article class="home" aria-label="Start">
      <h1>{state?.name ?? 'iml dev'}</h1>
      <p class="lead">
        {runs.value.length === 0
          ? 'Choose a module on the left, fill in its form and run it. The page shows each request, its response and the resulting bundles.'
          : 'Choose a run on the left to inspect it, or a module to run it.'}
      </p>
      {first !== undefined && (
        <p>
          <a class="button primary" href={writeRoute('module', first.name)}>
            {runs.value.length === 0
              ? `Start with ${first.label ?? first.name}`
              : `Open ${first.label ?? first.name}`}
          </a>
        </p>
      )}
      <dl class="keys">
        <div>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>filter the runs by text</dd>
        </div>
        <div>
          <dt>
            <kbd>r</kbd>
          </dt>
          <dd>run, or run again</dd>
        </div>
        <div>
          <dt>
            <kbd>↑</kbd> <kbd>↓</kbd>
          </dt>
          <dd>move in a list or the timeline</dd>
        </div>
        <div>
          <dt>
            <kbd>[</kbd> <kbd>]</kbd>
          </dt>
          <dd>previous run, next run</dd>
        </div>
      </dl>
      <p class="muted">
        When you save a file of the app, the app is checked, and the last run is replayed with its recorded
        responses. To open a trace of <code>iml run --trace-file run.jsonl</code>, drop the file on this page.
      </p>
    </article>
  );
}

/** A webhook: its address and its calls. */
export function WebhookView({ name }: { readonly name: string }): JSX.Element {
  const webhook = app.value?.webhooks.find((one) => one.name === name);
  if (webhook === undefined) return <h1 class="blank">The app has no webhook "{name}".</h1>;
  const example = `curl -X POST ${webhook.address} -H 'content-type: application/json' --data-raw '{"id": 1}'`;
  return (
    <article class="component" aria-label={name}>
      <header class="run-head">
        <div class="run-title">
          <h1>{webhook.label ?? name}</h1>
          <span class="tag">webhook</span>
        </div>
      </header>
      <section class="card">
        <h2>Address</h2>
        <p class="address-line">
          <code>{webhook.address}</code> <CopyButton text={() => webhook.address} label="Copy the address" />
        </p>
        <p class="help">
          The address is the same at each start on this port. Calls appear below. To receive calls of an API,
          start a tunnel to this machine.
        </p>
        <p class="address-line">
          <code>{example}</code> <CopyButton text={() => example} label="Copy the example" />
        </p>
        <p>
          <a class="button" href={writeRoute('call', name)}>
            Send a call
          </a>
        </p>
      </section>
      {webhook.canAttach && <Attachment webhook={webhook} />}
      <LastRuns kind="webhook" name={name} />
    </article>
  );
}

/** Attach and detach, and the result of attach. */
function Attachment({ webhook }: { readonly webhook: AppState['webhooks'][number] }): JSX.Element {
  const { name, attached } = webhook;
  if (attached === undefined) {
    return (
      <StepForm
        kind="webhook"
        name={name}
        title="Attach"
        submit="Attach"
        stored={app.value?.kept ?? []}
        makeRequest={(parameters, connection) => ({
          step: 'attach',
          name,
          parameters,
          connection: connection || undefined,
        })}
      >
        <p class="help">
          Sends the requests of attach. The API needs a public address: start a tunnel to this machine first.
        </p>
      </StepForm>
    );
  }
  return (
    <StepForm
      kind={undefined}
      name={name}
      title="Attached"
      submit="Detach"
      stored={app.value?.kept ?? []}
      makeRequest={(_, connection) => ({
        step: 'detach',
        name,
        parameters: {},
        connection: connection || undefined,
      })}
    >
      <p class="help">
        The result of attach, which expressions read as <code>webhook</code>:
      </p>
      <JsonTree value={attached.webhook} />
    </StepForm>
  );
}

/** A connection of the app, and its stored connections. */
export function ConnectionView({ name }: { readonly name: string }): JSX.Element {
  const connection = app.value?.connections.find((one) => one.name === name);
  const opensPage = connection?.opensPage === true;
  const kept = (app.value?.kept ?? []).filter(({ component }) => component === name);
  const as = useSignal(`${app.value?.name ?? 'app'}-${name}`);
  return (
    <article class="component" aria-label={name}>
      <header class="run-head">
        <div class="run-title">
          <h1>{connection?.label ?? name}</h1>
          <span class="tag">{connection?.type ?? 'connection'}</span>
        </div>
      </header>
      <section class="card">
        <h2>Stored on this machine</h2>
        {kept.length === 0 ? (
          <p class="empty-line">None yet.</p>
        ) : (
          <ul>
            {kept.map((one) => (
              <li key={one.name}>
                <strong>{one.name}</strong> <span class="muted">{one.label}</span>{' '}
                <button
                  type="button"
                  class="button small"
                  aria-label={`Test ${one.name}`}
                  onClick={() =>
                    void runStep({ step: 'test', name, connection: one.name, parameters: {} }).catch(
                      showError,
                    )
                  }
                >
                  Test
                </button>
              </li>
            ))}
          </ul>
        )}
        <p class="help">
          The page never receives stored credentials. <code>iml connections</code> lists and removes
          connections.
        </p>
      </section>
      <StepForm
        kind="connection"
        name={name}
        title="Connect"
        submit={opensPage ? 'Authorize' : 'Connect'}
        stored={undefined}
        makeRequest={(parameters) => ({ step: 'connect', name, parameters, as: as.value })}
      >
        {opensPage && <RedirectUri />}
        <div class="field">
          <label for="connection-name">Name</label>
          <input
            id="connection-name"
            required
            value={as.value}
            onInput={(event) => {
              as.value = event.currentTarget.value;
            }}
          />
        </div>
      </StepForm>
      <LastRuns kind="connection" name={name} />
    </article>
  );
}

/** What an API has to know before its user can authorize a connection. */
function RedirectUri(): JSX.Element {
  const uri = app.value?.redirectUri ?? '';
  return (
    <div class="help">
      <p>
        Opens the authorization page of the API in this tab. The API returns to this redirect URI, which has
        to be registered there:
      </p>
      <p class="address-line">
        <code>{uri}</code> <CopyButton text={() => uri} label="Copy the redirect URI" />
      </p>
    </div>
  );
}

/** Diagnostics of the app. */
export function FindingsView(): JSX.Element {
  const { value: state } = app;
  const findings = state?.findings ?? [];
  return (
    <article class="findings-view" aria-label="Check results">
      <h1>Check results</h1>
      {state?.problem !== undefined && <FailureCard failure={state.problem} />}
      {findings.length === 0 ? (
        <p class="blank">
          <span class="state ok" aria-hidden="true">
            ✓
          </span>{' '}
          No problems. The app is checked whenever a file is saved.
        </p>
      ) : (
        <ul class="findings-list">
          {findings.map(({ rule, level, message, place }, index) => (
            <li key={`${rule} ${index}`} class={level}>
              <span class={`tag ${level === 'error' ? 'bad' : level === 'warning' ? 'warn' : ''}`}>
                {level}
              </span>
              <div>
                <p>{message}</p>
                <p class="muted">
                  <PlaceText place={place} /> <code>{rule}</code>
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

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

/** Runs a step. Opens the authorization page if it has one, else its run. */
async function runStep(request: StepRequest): Promise<void> {
  const { id, open } = await post<StepOutcome>('steps', request);
  go('run', id);
  if (open !== undefined) location.assign(open);
}

/** The form of a webhook or connection with a button for the step. */
function StepForm(props: StepFormProps): JSX.Element {
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
    }, showError);
    return () => {
      isCurrent = false;
    };
  }, [kind, name, values.value]);
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
        send().catch(showError);
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
        errors={new Map()}
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

/** A test: its run, or why it cannot run. */
export function TestView({ id }: { readonly id: string }): JSX.Element {
  const test = findTest(id);
  if (tests.value === undefined) return <h1 class="blank">Loading the tests …</h1>;
  if (test === undefined) return <h1 class="blank">The app has no test "{id}" any more.</h1>;
  if (test.run !== undefined) return <RunView id={test.run} />;
  return (
    <article class="run" aria-label={`Test ${test.name}`}>
      <header class="run-head">
        <div class="run-title">
          <TestMark status={test.status} />
          <h1>{test.name}</h1>
          <code class="muted">{test.file}</code>
        </div>
        <div class="actions">
          <TestActions id={id} />
        </div>
      </header>
      {test.status === 'failed' && <Failures key={`${id} ${test.durationMs}`} id={id} />}
      {test.status === 'passed' && <p class="empty-line">The test passes.</p>}
      {test.status === 'waiting' && <p class="empty-line">The test has not run yet.</p>}
    </article>
  );
}

function Failures({ id }: { readonly id: string }): JSX.Element | null {
  const detail = useSignal<TestDetail | undefined>(undefined);
  useEffect(() => {
    get<TestDetail>(`tests/one?id=${encodeURIComponent(id)}`).then((found) => {
      detail.value = found;
    }, showError);
  }, [id]);
  if (detail.value === undefined) return null;
  return <TestDifferences failures={detail.value.failures} failureCount={detail.value.failureCount} />;
}
