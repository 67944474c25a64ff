import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { PackedEvent, RunDetail, ShownFailure } from '../../protocol.js';
import { FromPage } from '../parts/answer-actions.js';
import { StateMark } from '../parts/badges.js';
import { BodyView } from '../parts/body-view.js';
import { CallDetail } from '../parts/call-detail.js';
import { ExchangeDetail } from '../parts/exchange-detail.js';
import { Expressions } from '../parts/expressions.js';
import { FailureCard } from '../parts/failure-card.js';
import { JsonTree } from '../parts/json-tree.js';
import { LimitMeters } from '../parts/limit-meters.js';
import { Tabs } from '../parts/tabs.js';
import { TestDifferences } from '../parts/test-differences.js';
import { TestActions, TestMark } from '../parts/test-list.js';
import { Timeline } from '../parts/timeline.js';
import { Warnings } from '../parts/warnings.js';
import { ApiError, download, get, post, remove } from '../state/api.js';
import { clock, count, describeOutcome, duration } from '../state/format.js';
import { go, route, writeRoute } from '../state/route.js';
import { type ExchangeStep, listSteps } from '../state/steps.js';
import { heard, runs, say, sayError } from '../state/store.js';

/** One run, whole. */
export function RunView({ id }: { readonly id: string }): JSX.Element {
  const detail = useSignal<RunDetail | undefined>(undefined);
  const events = useSignal<readonly PackedEvent[]>([]);
  const isMissing = useSignal(false);
  const news = heard.value.get(id);
  useEffect(() => {
    detail.value = undefined;
    events.value = [];
    isMissing.value = false;
  }, [id]);
  useEffect(() => {
    let isCurrent = true;
    const load = async (): Promise<void> => {
      const run = await get<RunDetail>(`runs/${id}`);
      let known = events.peek().filter((event) => event.seq >= 0);
      for (;;) {
        const { events: more } = await get<{ events: readonly PackedEvent[] }>(
          `runs/${id}/events?after=${known.at(-1)?.seq ?? -1}`,
        );
        known = [...known, ...more];
        if (more.length === 0 || known.length >= run.events) break;
      }
      if (!isCurrent) return;
      events.value = known;
      detail.value = run;
    };
    load().catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) isMissing.value = true;
      else sayError(error);
    });
    return () => {
      isCurrent = false;
    };
  }, [id, news?.events, news?.state]);
  if (isMissing.value) return <p class="empty">This run is not in the history any more.</p>;
  const run = detail.value;
  return run === undefined || run.id !== id ? (
    <p class="empty">Loading the run …</p>
  ) : (
    <Loaded run={run} events={events.value} />
  );
}

interface LoadedProps {
  readonly run: RunDetail;
  readonly events: readonly PackedEvent[];
}

function Loaded({ run, events }: LoadedProps): JSX.Element {
  const steps = useMemo(() => listSteps(events), [events]);
  const exchanges = steps.filter((step) => step.kind === 'exchange');
  const failed = run.failure && findFailed(run.failure, exchanges);
  const tab = useSignal('requests');
  const selected = useSignal<number | undefined>(undefined);
  const shown = steps.find(({ seq }) => seq === selected.value) ?? firstOfInterest(run, steps);
  const seq = shown?.seq ?? 0;
  const isWebhook = run.kind === 'webhook';
  return (
    <article class="run" aria-label={`Run of ${run.name}`}>
      <Head run={run} />
      {run.testRun !== undefined && <TestDifferences {...run.testRun} />}
      {run.failure !== undefined && (
        <FailureCard
          failure={run.failure}
          onShow={
            failed === undefined
              ? undefined
              : () => {
                  selected.value = failed.seq;
                  tab.value = 'requests';
                }
          }
        />
      )}
      <Warnings warnings={run.allWarnings} />
      {!isWebhook && <LimitMeters run={run} />}
      <Tabs
        label="Parts of the run"
        current={tab.value}
        onSelect={(name) => {
          tab.value = name;
        }}
        tabs={[
          ['requests', isWebhook ? 'Call' : `Requests ${exchanges.length}`],
          ['bundles', `Bundles ${run.bundles}`],
          ['expressions', 'Expressions'],
          ['input', 'Input'],
        ]}
      />
      <div class="tab-panel" role="tabpanel" aria-label={tab.value}>
        {tab.value === 'requests' && isWebhook && <CallDetail run={run} />}
        {tab.value === 'requests' && !isWebhook && steps.length === 0 && (
          <p class="empty">{run.state === 'running' ? 'Nothing has been sent yet.' : 'Nothing was sent.'}</p>
        )}
        {tab.value !== 'bundles' && tab.value !== 'input' && !isWebhook && steps.length > 0 && (
          <Timeline
            steps={steps}
            startedAt={findStart(run, events)}
            durationMs={run.durationMs}
            selected={shown?.seq}
            onSelect={(chosen) => {
              selected.value = chosen;
            }}
          />
        )}
        {tab.value === 'requests' && shown?.kind === 'exchange' && <ExchangeDetail run={run} step={shown} />}
        {tab.value === 'requests' && shown?.kind === 'static' && (
          <BodyView body={shown.page.outputs} empty="No outputs." label="outputs" />
        )}
        {tab.value === 'bundles' && (
          <BodyView body={run.bundleList} empty="No bundles yet." label="bundles" />
        )}
        {tab.value === 'expressions' && <Expressions run={run.id} seq={seq} />}
        {tab.value === 'input' && <Input run={run} />}
      </div>
    </article>
  );
}

/** A test has a clock of its own, and a trace was made before it came here. */
function findStart({ source, startedAt }: RunDetail, [first]: readonly PackedEvent[]): number {
  return source === 'test' || source === 'file' ? (first?.at ?? startedAt) : startedAt;
}

/** Where a person looks first: at what failed, else at the first exchange. */
function firstOfInterest(
  run: RunDetail,
  steps: ReturnType<typeof listSteps>,
): ReturnType<typeof listSteps>[number] | undefined {
  const shown = steps.filter((step) => step.kind !== 'note');
  const exchanges = shown.filter((step) => step.kind === 'exchange');
  if (run.failure === undefined) return exchanges[0] ?? shown[0];
  return findFailed(run.failure, exchanges) ?? shown.at(-1);
}

/** The exchange whose answer an error came from. */
function findFailed(
  { requestIndex, page }: ShownFailure,
  exchanges: readonly ExchangeStep[],
): ExchangeStep | undefined {
  return (
    exchanges.findLast(
      ({ request }) => request.requestIndex === requestIndex && request.page === (page ?? 1),
    ) ?? exchanges.findLast(({ response }) => (response?.status ?? 999) >= 400)
  );
}

function Head({ run }: { readonly run: RunDetail }): JSX.Element {
  const isTest = run.source === 'test';
  const isOwn = !isTest && (run.kind === 'module' || run.kind === 'rpc');
  const again = async (more: Record<string, unknown>): Promise<void> => {
    const { parameters, connection, limit, defaults, start, payload } = run.input;
    const wish = { parameters, connection, limit, defaults, start, payload };
    const { id } = await post<{ id: string }>('runs', {
      kind: run.kind,
      name: run.name,
      ...wish,
      again: run.id,
      ...more,
    });
    go('run', id);
  };
  const act = (work: () => Promise<unknown>): void => void work().catch(sayError);
  return (
    <header class="run-head">
      <div class="run-title">
        {run.testRun === undefined ? (
          <StateMark state={run.state} />
        ) : (
          <TestMark status={run.testRun.status} />
        )}
        <h1>
          {isOwn ? <a href={writeRoute(run.kind, run.name)}>{run.name}</a> : (run.testRun?.name ?? run.name)}
        </h1>
        <span class="muted">
          {run.testRun !== undefined && `${run.testRun.file} · `}
          {describeOutcome(run)} · {duration(run.durationMs)} · {clock(run.startedAt)}
          {run.input.connection !== undefined && ` · connection ${run.input.connection}`}
          {run.replayOf !== undefined && ' · on recorded answers'}
        </span>
      </div>
      <div class="actions">
        {run.state === 'running' && (
          <button type="button" class="button" onClick={() => act(() => post(`runs/${run.id}/stop`))}>
            Stop
          </button>
        )}
        {isOwn && run.state !== 'running' && (
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
                title="Nothing is sent: the service's answers of this run are given again"
                onClick={() => act(() => again({ replayOf: run.id }))}
              >
                On its answers
              </button>
            )}
          </>
        )}
        {isTest && run.testRun !== undefined && <TestActions id={run.testRun.file} />}
        {run.kind === 'webhook' && !isTest && run.canReplay && (
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
        )}
        {run.canReplay && run.state !== 'stopped' && (
          <a class="button" href={writeRoute('save', run.id)}>
            Save as test
          </a>
        )}
        {!isTest && <CompareWith run={run} />}
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
            title="Requests and answers as HTTP archive (HAR 1.2), for browsers and proxies; secrets are placeholders"
            onClick={() => act(() => download(`runs/${run.id}/har`, `${run.name}.har`))}
          >
            Save HAR
          </button>
        )}
        {!isTest && <RemoveButton run={run} />}
      </div>
    </header>
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
      onClick={() => void drop().catch(sayError)}
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
        if (value !== '') go('diff', value, run.id);
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

function Input({ run }: { readonly run: RunDetail }): JSX.Element {
  const { parameters, connection, limit, payload } = run.input;
  return (
    <div class="input">
      <h2>Parameters</h2>
      {Object.keys(parameters).length === 0 ? (
        <p class="empty-line">No parameters were given.</p>
      ) : (
        <JsonTree value={parameters} />
      )}
      <dl class="facts">
        <div>
          <dt>connection</dt>
          <dd>{connection ?? 'none'}</dd>
        </div>
        <div>
          <dt>bundles</dt>
          <dd>{limit === undefined ? 'all' : `at most ${count(limit, 'bundle')}`}</dd>
        </div>
      </dl>
      {payload !== undefined && (
        <>
          <h2>Payload</h2>
          <JsonTree value={payload} />
        </>
      )}
    </div>
  );
}
