import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { RunSummary } from '../../protocol.js';
import { clock, count, describeOutcome, duration } from '../state/format.js';
import { route, writeRoute } from '../state/route.js';
import {
  app,
  hasMoreRuns,
  loadMoreRuns,
  loadRuns,
  nameFilter,
  sayError,
  shownRuns,
  stateFilter,
  textFilter,
} from '../state/store.js';
import { StateMark } from './badges.js';
import { moveFocus } from './move-focus.js';

/** Delay between typing and filtering. */
const TYPING_MS = 150;

/** The filtered runs of the app, newest first. */
export function RunList(): JSX.Element {
  const list = shownRuns.value;
  const isFirst = useSignal(true);
  // Filters on the server, because only the newest runs are loaded.
  useEffect(() => {
    if (isFirst.peek()) {
      isFirst.value = false;
      return undefined;
    }
    const timer = setTimeout(() => void loadRuns().catch(sayError), TYPING_MS);
    return () => clearTimeout(timer);
  }, [stateFilter.value, nameFilter.value, textFilter.value]);
  const isFiltered = stateFilter.value !== '' || nameFilter.value !== '' || textFilter.value !== '';
  return (
    <section class="runs" aria-label="Runs">
      <div class="runs-head">
        <h2>Runs</h2>
        <select
          aria-label="Show runs of this state"
          value={stateFilter.value}
          onChange={(event) => {
            stateFilter.value = event.currentTarget.value;
          }}
        >
          <option value="">all states</option>
          <option value="ok">ok</option>
          <option value="failed">failed</option>
          <option value="running">running</option>
          <option value="stopped">stopped</option>
        </select>
        <select
          aria-label="Show runs of this component"
          value={nameFilter.value}
          onChange={(event) => {
            nameFilter.value = event.currentTarget.value;
          }}
        >
          <option value="">all of the app</option>
          {[...(app.value?.modules ?? []), ...(app.value?.rpcs ?? []), ...(app.value?.webhooks ?? [])].map(
            ({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ),
          )}
        </select>
        <input
          type="search"
          class="text-filter"
          aria-label="Show runs with this text, in bodies too"
          placeholder="with text, in bodies too"
          autocomplete="off"
          value={textFilter.value}
          onInput={(event) => {
            textFilter.value = event.currentTarget.value;
          }}
        />
      </div>
      {list.length === 0 && (
        <p class="empty-line">
          {isFiltered ? 'No run fits the filter.' : 'No runs yet. Choose a module and run it.'}
        </p>
      )}
      <ol onKeyDown={moveFocus}>
        {list.map((run) => (
          <RunItem key={run.id} run={run} />
        ))}
      </ol>
      {hasMoreRuns.value && (
        <button type="button" class="button small wide" onClick={() => void loadMoreRuns().catch(sayError)}>
          Older runs
        </button>
      )}
    </section>
  );
}

const SOURCES: Readonly<Record<string, string>> = {
  call: 'called',
  replay: 'again, on its answers',
  file: 'saved file, on its answers',
};

function RunItem({ run }: { readonly run: RunSummary }): JSX.Element {
  const isHere = route.value.view === 'run' && route.value.id === run.id;
  return (
    <li>
      <a
        class="run-item"
        data-item
        href={writeRoute('run', run.id)}
        aria-current={isHere ? 'page' : undefined}
        title={SOURCES[run.source]}
      >
        <StateMark run={run} />
        <span class="name">{run.name}</span>
        <span class="muted when">{clock(run.startedAt)}</span>
        <span class="muted outcome">
          {describeOutcome(run)}
          {run.requests > 0 && ` · ${count(run.requests, 'request')}`}
          {run.state !== 'running' && ` · ${duration(run.durationMs)}`}
        </span>
      </a>
    </li>
  );
}
