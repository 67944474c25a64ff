import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { PackedEvent, RunDetail, ShownFailure, ShownPlace } from '../protocol.js';
import { BodyView, JsonTree } from './parts/body-view.js';
import { FailureCard, PlaceText, Status } from './parts/controls.js';
import { ExchangeDetail, listQuery, Pairs } from './parts/exchange-detail.js';
import { Expressions } from './parts/expressions.js';
import { LimitMeters, RunHead, Tabs, Warnings } from './parts/run-head.js';
import { TestDifferences } from './parts/tests.js';
import { type ExchangeStep, listSteps, Timeline } from './parts/timeline.js';
import { ApiError, get } from './state/api.js';
import { count, readPayload } from './state/format.js';
import { caughtUp, heard, showError } from './state/store.js';

/** One run. */
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
    // A finished run does not change.
    if (detail.peek()?.id === id && detail.peek()?.state !== 'running') return undefined;
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
      else showError(error);
    });
    return () => {
      isCurrent = false;
    };
  }, [id, news?.events, news?.state, caughtUp.value]);
  if (isMissing.value) return <h1 class="blank">This run is not in the history any more.</h1>;
  const run = detail.value;
  return run === undefined || run.id !== id ? (
    <h1 class="blank">Loading the run …</h1>
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
  const sought = useSignal<ShownPlace | undefined>(undefined);
  const shown = steps.find(({ seq }) => seq === selected.value) ?? firstOfInterest(run, steps);
  const seq = shown?.seq ?? 0;
  // Attach and detach are runs with requests.
  const isCall = run.kind === 'webhook' && run.step === undefined && exchanges.length === 0;
  return (
    <article class="run" aria-label={`Run of ${run.name}`}>
      <RunHead run={run} />
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
      <Warnings
        run={run}
        onShow={(place) => {
          sought.value = place;
          tab.value = 'expressions';
        }}
      />
      {!isCall && <LimitMeters run={run} />}
      <Tabs
        label="Parts of the run"
        current={tab.value}
        onSelect={(name) => {
          tab.value = name;
        }}
        tabs={[
          ['requests', isCall ? 'Call' : `Requests ${exchanges.length}`],
          run.step === undefined ? ['bundles', `Bundles ${run.bundles}`] : ['bundles', 'Result'],
          ['expressions', 'Expressions'],
          ['input', 'Input'],
        ]}
      />
      <div class="tab-panel" role="tabpanel" aria-label={tab.value}>
        {tab.value === 'requests' && isCall && <CallDetail run={run} />}
        {tab.value === 'requests' && !isCall && steps.length === 0 && (
          <p class="blank">{run.state === 'running' ? 'No requests yet.' : 'No requests.'}</p>
        )}
        {tab.value !== 'bundles' && tab.value !== 'input' && !isCall && steps.length > 0 && (
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
          <BodyView
            body={run.bundleList}
            empty={run.step === undefined ? 'No bundles yet.' : 'No result yet.'}
            label={run.step === undefined ? 'bundles' : 'result'}
            asTable={run.step === undefined}
          />
        )}
        {tab.value === 'expressions' && <Expressions run={run} seq={seq} sought={sought} />}
        {tab.value === 'input' && <Input run={run} />}
      </div>
    </article>
  );
}

/** A test has a virtual clock, and a trace was recorded earlier. */
function findStart({ source, startedAt }: RunDetail, [first]: readonly PackedEvent[]): number {
  return source === 'test' || source === 'file' ? (first?.at ?? startedAt) : startedAt;
}

/** The step to open first: the failed one, else the first exchange. */
function firstOfInterest(
  run: RunDetail,
  steps: ReturnType<typeof listSteps>,
): ReturnType<typeof listSteps>[number] | undefined {
  const shown = steps.filter((step) => step.kind !== 'note');
  const exchanges = shown.filter((step) => step.kind === 'exchange');
  if (run.failure === undefined) return exchanges[0] ?? shown[0];
  return findFailed(run.failure, exchanges) ?? shown.at(-1);
}

/** The exchange that caused the error. */
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

function Input({ run }: { readonly run: RunDetail }): JSX.Element {
  const { parameters, connection, limit, payload } = run.input;
  return (
    <div class="input">
      <h2>Parameters</h2>
      {Object.keys(parameters).length === 0 ? (
        <p class="empty-line">No parameters.</p>
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

/** A webhook call: request and response side by side, and the bundles below. */
function CallDetail({ run }: { readonly run: RunDetail }): JSX.Element {
  const { hook, bundleList, bundles, input } = run;
  return (
    <div class="columns">
      <section class="column" aria-label="Call">
        <header>
          <h2>Call</h2>
        </header>
        <CallRequest payload={input.payload} />
      </section>
      <section class="column" aria-label="Response">
        <header>
          <h2>Response</h2>
          {hook !== undefined && <Status status={hook.answer.status} />}
        </header>
        {hook === undefined ? (
          <p class="empty-line">The response is not stored.</p>
        ) : (
          <>
            <Pairs title="Headers" pairs={hook.answer.headers} />
            <h3>Body</h3>
            {hook.answer.body === '' ? (
              <p class="empty-line">The response has no body.</p>
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
              <pre class="raw" tabIndex={0}>
                {hook.answer.body}
              </pre>
            )}
          </>
        )}
      </section>
      <section class="column whole" aria-label="Bundles of the call">
        <header>
          <h2>Bundles</h2>
          <span class="muted">{count(bundles, 'bundle')}</span>
        </header>
        <p class="made">{explainVerification(run)}</p>
        {hook?.noBundles !== undefined && (
          <p class="made">
            {hook.noBundles.message} <PlaceText place={hook.noBundles.place} />
          </p>
        )}
        <BodyView body={bundleList} empty="No bundles." label="bundles" asTable />
      </section>
    </div>
  );
}

/** The request of a webhook call. */
function CallRequest({ payload }: { readonly payload: unknown }): JSX.Element {
  const call = readPayload(payload);
  if (call === undefined) return <p class="empty-line">The call is not stored.</p>;
  return (
    <>
      <p class="address">
        <span class="method">{call.method}</span> <span>{call.url}</span>
      </p>
      <Pairs title="Query" pairs={listQuery(call.url)} />
      <Pairs title="Headers" pairs={call.headers} />
      <h3>Body</h3>
      {call.body === undefined || call.body === '' ? (
        <p class="empty-line">The call has no body.</p>
      ) : (
        <JsonTree value={call.body} />
      )}
    </>
  );
}

function explainVerification({ hook, state }: RunDetail): string {
  if (hook?.verification === true)
    return 'This verification request received a response and created no event.';
  if (hook?.phase === 'verification') return 'The verification of the call failed.';
  if (hook?.phase !== undefined) return `The call was not processed: its ${hook.phase} failed.`;
  if (hook?.noBundles !== undefined) return '';
  return state === 'ok' ? 'The call created an event.' : '';
}
