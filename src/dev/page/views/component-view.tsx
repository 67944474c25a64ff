import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { RunDetail, ShownForm } from '../../protocol.js';
import { AnswersChoice, wishAnswers } from '../parts/answer-actions.js';
import { StateMark, TypeTag } from '../parts/badges.js';
import { Editor } from '../parts/editor.js';
import { FormFields, type Values } from '../parts/form-fields.js';
import { moveFocus } from '../parts/move-focus.js';
import { get, post } from '../state/api.js';
import { clock, count, describeOutcome, duration } from '../state/format.js';
import { go, writeRoute } from '../state/route.js';
import { app, runs, say, sayError } from '../state/store.js';

interface ComponentProps {
  readonly kind: 'module' | 'rpc';
  readonly name: string;
  /** The run whose values the form starts with. */
  readonly from: string;
}

/** The form of a module or RPC, and its last runs. */
export function ComponentView({ kind, name, from }: ComponentProps): JSX.Element {
  const values = useSignal<Values>({});
  const connection = useSignal('');
  const limit = useSignal('');
  const isAll = useSignal(false);
  const payload = useSignal('');
  const isJson = useSignal(false);
  const version = useSignal(0);
  const isRunning = useSignal(false);
  const problems = useSignal<ShownForm['problems']>([]);
  const wasRefused = useSignal(false);
  const source = useSignal<RunDetail | undefined>(undefined);
  const answers = useSignal('');
  const module = kind === 'module' ? app.value?.modules.find((one) => one.name === name) : undefined;
  const label = module?.label ?? app.value?.rpcs.find((one) => one.name === name)?.label ?? name;
  const kept = (app.value?.kept ?? []).filter(
    ({ component }) => module?.connection === undefined || component === module.connection,
  );

  useEffect(() => {
    values.value = {};
    isJson.value = false;
    source.value = undefined;
    answers.value = '';
    connection.value = kept.length === 1 ? (kept[0]?.name ?? '') : '';
    const last = from === '' ? runs.peek().find((run) => run.name === name && run.kind === kind)?.id : from;
    if (last === undefined) return;
    get<RunDetail>(`runs/${last}`).then((detail) => {
      const { input } = detail;
      source.value = from === '' ? undefined : detail;
      values.value = input.parameters;
      connection.value = input.connection ?? connection.peek();
      limit.value = input.limit === undefined ? '' : String(input.limit);
      payload.value = input.payload === undefined ? '' : JSON.stringify(input.payload, null, 2);
      version.value++;
    }, sayError);
  }, [kind, name, from]);

  const run = async (isForced: boolean): Promise<void> => {
    if (isRunning.value) return;
    if (problems.value.length > 0 && !isForced) {
      wasRefused.value = true;
      return;
    }
    isRunning.value = true;
    try {
      const item: unknown = payload.value.trim() === '' ? undefined : JSON.parse(payload.value);
      const wish = {
        kind,
        name,
        parameters: values.value,
        connection: connection.value || undefined,
        payload: item,
        limit: /^[1-9]\d*$/.test(limit.value) ? Number(limit.value) : undefined,
        ...(isAll.value && { start: 'all' }),
        again: from || undefined,
        ...wishAnswers(source.value, answers.value),
      };
      const { id } = await post<{ id: string }>('runs', wish);
      go('run', id);
    } catch (error) {
      if (error instanceof SyntaxError) say('The payload is no JSON.', 'error');
      else sayError(error);
    } finally {
      isRunning.value = false;
    }
  };

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
          void run(false);
        }}
      >
        {(module?.connection !== undefined || kept.length > 0) && (
          <div class="field">
            <label for="connection">Connection</label>
            <select
              id="connection"
              value={connection.value}
              onChange={(event) => {
                connection.value = event.currentTarget.value;
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
                  iml connect {app.value?.folder} {module?.connection}
                </code>{' '}
                makes one.
              </p>
            )}
          </div>
        )}
        <Parameters
          kind={kind}
          name={name}
          connection={connection.value}
          values={values.value}
          version={version.value}
          showsMissing={wasRefused.value}
          onProblems={(found) => {
            problems.value = found;
            if (found.length === 0) wasRefused.value = false;
          }}
          isJson={isJson.value}
          onChange={(next) => {
            values.value = next;
          }}
        />
        {module?.type === 'instant_trigger' && (
          <div class="field">
            <label for="payload">Payload: the item of a webhook</label>
            <textarea
              id="payload"
              class="mono"
              rows={5}
              value={payload.value}
              onInput={(event) => {
                payload.value = event.currentTarget.value;
              }}
            />
          </div>
        )}
        {wasRefused.value && problems.value.length > 0 && (
          <div class="refused" role="alert">
            <p>A run refuses these values, and sends nothing:</p>
            <ul>
              {problems.value.map(({ path, message }) => (
                <li key={`${path} ${message}`}>{message}</li>
              ))}
            </ul>
            <button type="button" class="link" onClick={() => void run(true)}>
              Run all the same
            </button>
          </div>
        )}
        <div class="form-end">
          <button type="submit" class="button primary" data-key="r" disabled={isRunning.value}>
            Run
          </button>
          {kind === 'module' && (
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
      </form>
      <LastRuns kind={kind} name={name} />
    </article>
  );
}

interface ParametersProps {
  readonly kind: 'module' | 'rpc';
  readonly name: string;
  readonly connection: string;
  readonly values: Values;
  /** Counts the times somebody else than the form has set the values. */
  readonly version: number;
  readonly isJson: boolean;
  /** Whether fields that lack their value are told of: nobody likes that before they have tried. */
  readonly showsMissing: boolean;
  readonly onProblems: (problems: ShownForm['problems']) => void;
  readonly onChange: (values: Values) => void;
}

/** Between the last key and asking which fields the values show, and what is wrong with them. */
const SETTLE_MS = 300;

function Parameters({
  kind,
  name,
  connection,
  values,
  version,
  isJson,
  showsMissing,
  onProblems,
  onChange,
}: ParametersProps): JSX.Element {
  const form = useSignal<ShownForm | undefined>(undefined);
  const revision = app.value?.revision;
  useEffect(() => {
    let isCurrent = true;
    const ask = (): void => {
      post<ShownForm>('form', { kind, name, parameters: values, connection: connection || undefined }).then(
        (found) => {
          if (!isCurrent) return;
          form.value = found;
          onProblems(found.problems);
        },
        sayError,
      );
    };
    const timer = setTimeout(ask, form.peek() === undefined ? 0 : SETTLE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [kind, name, connection, revision, version, JSON.stringify(values)]);
  if (form.value === undefined) return <p class="empty-line">Reading the form …</p>;
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
              // What is being typed is not JSON yet.
            }
          }}
        />
      </div>
    );
  }
  const { fields, failures, problems } = form.value;
  const complaints = new Map(
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
      {fields.length === 0 && <p class="empty-line">It takes no parameters.</p>}
      {failures.map((text) => (
        <p class="hint warn" key={text}>
          {text}
        </p>
      ))}
      <FormFields fields={plain} path="" complaints={complaints} values={values} onChange={onChange} />
      {advanced.length > 0 && (
        <details class="advanced">
          <summary>Advanced {count(advanced.length, 'field')}</summary>
          <FormFields fields={advanced} path="" complaints={complaints} values={values} onChange={onChange} />
        </details>
      )}
    </>
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
                <StateMark state={run.state} />
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
