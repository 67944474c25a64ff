import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AppState, RunSummary } from '../../protocol.js';
import { clock, count, describeOutcome, duration } from '../state/format.js';
import { route, writeRoute } from '../state/route.js';
import {
  app,
  hasMoreRuns,
  loadMoreRuns,
  loadRuns,
  nameFilter,
  showError,
  shownRuns,
  stateFilter,
  textFilter,
} from '../state/store.js';
import { moveFocus, StateMark, TypeTag } from './controls.js';
import { TestList } from './tests.js';

/** Components of the app, and its runs. */
export function Sidebar(): JSX.Element {
  const { value: state } = app;
  return (
    <nav class="sidebar" aria-label="App and runs">
      {state === undefined ? <p class="empty-line">Loading the app …</p> : <Components state={state} />}
      <RunList />
    </nav>
  );
}

function Components({ state }: { readonly state: AppState }): JSX.Element {
  const triggers = state.modules.filter(({ type }) => type.endsWith('trigger'));
  const modules = state.modules.filter(({ type }) => !type.endsWith('trigger'));
  const grave = state.findings.filter(({ level }) => level === 'error').length;
  return (
    <section class="components" onKeyDown={moveFocus} aria-label="Components of the app">
      <a
        class="nav-item findings"
        data-item
        href={writeRoute('findings')}
        aria-current={route.value.view === 'findings' ? 'page' : undefined}
      >
        <span>Check results</span>
        <span class={`tag ${grave > 0 ? 'bad' : state.findings.length > 0 ? 'warn' : ''}`}>
          {state.findings.length}
        </span>
      </a>
      <Group title="Modules" size={modules.length} isOpen>
        {modules.map(({ name, label, type }) => (
          <Item key={name} view="module" name={name} title={label ?? name}>
            <TypeTag type={type} />
          </Item>
        ))}
      </Group>
      <Group title="Triggers" size={triggers.length} isOpen>
        {triggers.map(({ name, label, type }) => (
          <Item key={name} view="module" name={name} title={label ?? name}>
            <TypeTag type={type} />
          </Item>
        ))}
      </Group>
      <TestList />
      <Group title="Webhooks" size={state.webhooks.length} isOpen>
        {state.webhooks.map(({ name, label }) => (
          <Item key={name} view="webhook" name={name} title={label ?? name} />
        ))}
      </Group>
      <Group title="Endpoints" size={state.endpoints.length} isOpen>
        {state.endpoints.map(({ name, label }) => (
          <Item key={name} view="endpoint" name={name} title={label ?? name} />
        ))}
      </Group>
      <Group title="RPCs" size={state.rpcs.length} isOpen={state.modules.length === 0}>
        {state.rpcs.map(({ name, label }) => (
          <Item key={name} view="rpc" name={name} title={label ?? name} />
        ))}
      </Group>
      <Group title="Connections" size={state.connections.length} isOpen={false}>
        {state.connections.map(({ name, label, type }) => (
          <Item key={name} view="connection" name={name} title={label ?? name}>
            <span class="tag">{type}</span>
          </Item>
        ))}
      </Group>
    </section>
  );
}

interface GroupProps {
  readonly title: string;
  readonly size: number;
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}

function Group({ title, size, isOpen, children }: GroupProps): JSX.Element | null {
  if (size === 0) return null;
  return (
    <details class="group" open={isOpen}>
      <summary>
        {title} <span class="muted">{size}</span>
      </summary>
      {children}
    </details>
  );
}

interface ItemProps {
  readonly view: string;
  readonly name: string;
  readonly title: string;
  readonly children?: ComponentChildren;
}

function Item({ view, name, title, children }: ItemProps): JSX.Element {
  const isHere = route.value.view === view && route.value.id === name;
  return (
    <a
      class="nav-item"
      data-item
      href={writeRoute(view, name)}
      aria-current={isHere ? 'page' : undefined}
      title={name}
    >
      <span class="name">{title}</span>
      {children}
    </a>
  );
}

/** Delay between typing and filtering. */
const TYPING_MS = 150;

/** Names of the components that have runs, once each. */
function listRunnable(): readonly string[] {
  const { modules = [], rpcs = [], endpoints = [], webhooks = [] } = app.value ?? {};
  return [...new Set([...modules, ...rpcs, ...endpoints, ...webhooks].map(({ name }) => name))];
}

/** The filtered runs of the app, newest first. */
function RunList(): JSX.Element {
  const list = shownRuns.value;
  const isFirst = useSignal(true);
  // Filters on the server, because only the newest runs are loaded.
  useEffect(() => {
    if (isFirst.peek()) {
      isFirst.value = false;
      return undefined;
    }
    const timer = setTimeout(() => void loadRuns().catch(showError), TYPING_MS);
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
          <option value="">all components</option>
          {listRunnable().map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <input
          type="search"
          class="text-filter"
          id="filter"
          aria-label="Show runs that contain this text"
          placeholder="Text in requests, responses, bundles  /"
          autocomplete="off"
          value={textFilter.value}
          onInput={(event) => {
            textFilter.value = event.currentTarget.value;
          }}
        />
      </div>
      {list.length === 0 && (
        <p class="empty-line">
          {isFiltered ? 'No run matches the filter.' : 'No runs yet. Choose a module and run it.'}
        </p>
      )}
      <ol onKeyDown={moveFocus}>
        {list.map((run) => (
          <RunItem key={run.id} run={run} />
        ))}
      </ol>
      {hasMoreRuns.value && (
        <button type="button" class="button small wide" onClick={() => void loadMoreRuns().catch(showError)}>
          Older runs
        </button>
      )}
    </section>
  );
}

const SOURCES: Readonly<Record<string, string>> = {
  call: 'webhook call',
  replay: 'replay with recorded responses',
  file: 'replay after a saved file, or a trace file',
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
