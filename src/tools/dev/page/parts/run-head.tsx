import type { JSX } from 'preact';
import type { InferredInterface, RunDetail, ShownPlace, ShownWarning } from '../../protocol.js';
import { download, post, remove } from '../state/api.js';
import { clock, describeOutcome, duration, stopSentence } from '../state/format.js';
import { go, route, writeRoute } from '../state/route.js';
import { runs, say, showError } from '../state/store.js';
import { PlaceText, StateMark } from './controls.js';
import { FromPage } from './run-form.js';
import { TestActions, TestMark } from './tests.js';

function act(work: () => Promise<unknown>): void {
  work().catch(showError);
}

async function infer(id: string): Promise<void> {
  const { file, added } = await post<InferredInterface>(`runs/${id}/infer`);
  say(added.length === 0 ? `${file} has all fields already.` : `${file}: added ${added.join(', ')}.`);
}

/** Summary and actions of a run. */
export function RunHead({ run }: { readonly run: RunDetail }): JSX.Element {
  const isTest = run.source === 'test';
  const isOwn = !isTest && ['module', 'rpc', 'endpoint'].includes(run.kind);
  const isLinked = isOwn || (!isTest && run.source !== 'file');
  return (
    <header class="run-head">
      <div class="run-title">
        {run.testRun === undefined ? <StateMark run={run} /> : <TestMark status={run.testRun.status} />}
        <h1>
          {isLinked ? (
            <a href={writeRoute(run.kind === 'epoch' ? 'module' : run.kind, run.name)}>{run.name}</a>
          ) : (
            (run.testRun?.name ?? run.name)
          )}
        </h1>
        {run.step !== undefined && <span class="tag">{run.step}</span>}
        <span class="muted">
          {run.testRun !== undefined && `${run.testRun.file} · `}
          {describeOutcome(run)} · {duration(run.durationMs)} · {clock(run.startedAt)}
          {run.input.connection !== undefined && ` · connection ${run.input.connection}`}
          {run.replayOf !== undefined && ' · replay with recorded responses'}
        </span>
      </div>
      <div class="actions">
        {run.state === 'running' && (
          <button type="button" class="button" onClick={() => act(() => post(`runs/${run.id}/stop`))}>
            Stop
          </button>
        )}
        {isOwn && run.state !== 'running' && <RunAgain run={run} />}
        {isTest && run.testRun !== undefined && <TestActions id={run.testRun.file} />}
        {run.source === 'call' && run.canReplay && <SendAgain run={run} />}
        {run.canReplay && run.state !== 'stopped' && (
          <a class="button" href={writeRoute('save', run.id)}>
            Save as test
          </a>
        )}
        {!isTest && <CompareWith run={run} />}
        <details class="more">
          <summary class="button">More</summary>
          <div class="more-items">
            <button
              type="button"
              class="button"
              onClick={() => act(() => download(`runs/${run.id}/trace`, `${run.name}.jsonl`))}
            >
              Save trace
            </button>
            {run.requests > 0 && (
              <button
                type="button"
                class="button"
                title="Requests and responses as HTTP archive (HAR 1.2), for browsers and proxies; secrets are placeholders"
                onClick={() => act(() => download(`runs/${run.id}/har`, `${run.name}.har`))}
              >
                Save HAR
              </button>
            )}
            {run.kind === 'module' && run.bundles > 0 && (
              <button
                type="button"
                class="button"
                title="Adds the fields of these bundles to the interface of the module and keeps existing fields"
                onClick={() => act(() => infer(run.id))}
              >
                Infer interface
              </button>
            )}
            {!isTest && <RemoveButton run={run} />}
          </div>
        </details>
      </div>
    </header>
  );
}

/** Reruns a module or RPC in several ways. */
function RunAgain({ run }: { readonly run: RunDetail }): JSX.Element {
  const again = async (more: Record<string, unknown>): Promise<void> => {
    const { parameters, connection, limit, defaults, start, payload } = run.input;
    const input = { parameters, connection, limit, defaults, start, payload };
    const { id } = await post<{ id: string }>('runs', {
      kind: run.kind,
      name: run.name,
      ...input,
      again: run.id,
      ...more,
    });
    go('run', id);
  };
  return (
    <>
      <button type="button" class="button primary" data-key="r" onClick={() => act(() => again({}))}>
        Run again
      </button>
      <a class="button" href={writeRoute(run.kind, run.name, run.id)}>
        Edit and run
      </a>
      <FromPage
        key={run.id}
        run={run}
        onRun={(fromPage) => act(() => again({ replayOf: run.id, fromPage }))}
      />
      {run.canReplay && (
        <button
          type="button"
          class="button"
          title="Runs the current app with the recorded responses. Sends nothing."
          onClick={() => act(() => again({ replayOf: run.id }))}
        >
          Replay with recorded responses
        </button>
      )}
    </>
  );
}

/** Sends a webhook call again. */
function SendAgain({ run }: { readonly run: RunDetail }): JSX.Element {
  return (
    <>
      <button
        type="button"
        class="button primary"
        data-key="r"
        onClick={() =>
          act(async () => go('run', (await post<{ id: string }>(`runs/${run.id}/send-again`)).id))
        }
      >
        Send again
      </button>
      <a class="button" href={writeRoute('call', run.name, run.id)}>
        Edit and send
      </a>
    </>
  );
}

function RemoveButton({ run }: { readonly run: RunDetail }): JSX.Element {
  const drop = async (): Promise<void> => {
    await remove(`runs/${run.id}`);
    say('The run was removed.');
    if (route.peek().id === run.id) go();
  };
  return (
    <button
      type="button"
      class="button"
      aria-label="Remove this run from the history"
      onClick={() => void drop().catch(showError)}
    >
      Remove
    </button>
  );
}

function CompareWith({ run }: { readonly run: RunDetail }): JSX.Element | null {
  const others = runs.value.filter(
    ({ id, name, kind }) => id !== run.id && name === run.name && kind === run.kind,
  );
  if (others.length === 0) return null;
  return (
    <select
      class="button"
      aria-label="Compare with another run"
      value=""
      onChange={(event) => {
        const { value } = event.currentTarget;
        const other = others.find(({ id }) => id === value);
        if (other === undefined) return;
        const [older, newer] = other.startedAt < run.startedAt ? [other, run] : [run, other];
        go('diff', older.id, newer.id);
      }}
    >
      <option value="">Compare with …</option>
      {others.slice(0, 30).map((other) => (
        <option key={other.id} value={other.id}>
          {clock(other.startedAt)} · {describeOutcome(other)}
        </option>
      ))}
    </select>
  );
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly (readonly [name: string, title: string])[];
  readonly current: string;
  readonly onSelect: (name: string) => void;
}

/** Tabs with arrow key navigation. */
export function Tabs({ label, tabs, current, onSelect }: TabsProps): JSX.Element {
  const walk = (event: KeyboardEvent): void => {
    const change = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = tabs.findIndex(([name]) => name === current);
    const next = change === undefined ? undefined : tabs[(at + change + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next[0]);
    const list = event.currentTarget as HTMLElement;
    list.querySelectorAll<HTMLElement>('[role="tab"]')[tabs.indexOf(next)]?.focus();
  };
  return (
    <div class="tabs" role="tablist" tabIndex={-1} aria-label={label} onKeyDown={walk}>
      {tabs.map(([name, title]) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === current}
          tabIndex={name === current ? 0 : -1}
          onClick={() => onSelect(name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

/** Usage of the limits, and the stop reason. */
export function LimitMeters({ run }: { readonly run: RunDetail }): JSX.Element {
  const { limits, requests, followUpPages, records, durationMs } = run;
  const stopped = stopSentence(run.stopReason);
  return (
    <section class="limits" aria-label="Limits used">
      <Meter name="requests" used={requests} limit={limits.requests} />
      <Meter name="follow-up pages" used={followUpPages} limit={limits.followUpPages} />
      <Meter name="records" used={records} limit={limits.records} />
      <Meter name="time" used={durationMs} limit={limits.timeMs} shown={duration} />
      {stopped !== undefined && (
        <p class="stop">
          <strong>Why it stopped:</strong> {stopped} <code>{run.stopReason}</code>
        </p>
      )}
    </section>
  );
}

interface MeterProps {
  readonly name: string;
  readonly used: number;
  readonly limit: number | undefined;
  readonly shown?: (value: number) => string;
}

function Meter({
  name,
  used,
  limit,
  shown = (value) => value.toLocaleString('en'),
}: MeterProps): JSX.Element {
  const share = limit === undefined || limit === 0 ? 0 : Math.min(1, used / limit);
  const kind = share >= 1 ? 'full' : share >= 0.8 ? 'near' : '';
  return (
    <div class={`meter ${kind}`}>
      <span class="meter-text">
        <strong>{shown(used)}</strong>
        {limit !== undefined && <span class="muted"> of {shown(limit)}</span>}
        <span class="meter-name">{name}</span>
      </span>
      <span class="meter-line" aria-hidden="true">
        <span style={{ width: `${Math.round(share * 100)}%` }} />
      </span>
    </div>
  );
}

interface WarningsProps {
  readonly run: RunDetail;
  /** Scrolls to the line of a warning. */
  readonly onShow: (place: ShownPlace) => void;
}

/** Warnings of a run. */
export function Warnings({ run, onShow }: WarningsProps): JSX.Element | null {
  const { allWarnings, documents } = run;
  if (allWarnings.length === 0) return null;
  // Warnings that are shown beside expressions.
  const shown = new Set(
    documents.filter(({ role }) => role === 'communication' || role === 'base').map(({ file }) => file),
  );
  return (
    <ul class="warnings" aria-label="Warnings">
      {allWarnings.map((warning, index) => (
        <li key={`${warning.code} ${index}`}>
          <span class="tag warn">{warning.code}</span> {warning.message}{' '}
          {isShown(warning, shown) ? (
            <button type="button" class="link" onClick={() => onShow(warning.place ?? {})}>
              <PlaceText place={warning.place} />
            </button>
          ) : (
            <PlaceText place={warning.place} />
          )}
        </li>
      ))}
    </ul>
  );
}

function isShown({ place }: ShownWarning, files: ReadonlySet<string | undefined>): boolean {
  return place?.line !== undefined && files.has(place.file);
}
