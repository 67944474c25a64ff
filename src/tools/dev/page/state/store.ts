import { batch, computed, effect, signal } from '@preact/signals';
import type { AppState, LiveMessage, RunSummary, ShownTest, TestsState } from '../../protocol.js';
import { ApiError, get, listen, post } from './api.js';

/** State of the app; undefined before it was loaded. */
export const app = signal<AppState | undefined>(undefined);

/** Loaded runs, newest first. */
export const runs = signal<readonly RunSummary[]>([]);
export const hasMoreRuns = signal(false);

/** Filters of the list. */
export const stateFilter = signal('');
export const nameFilter = signal('');
export const textFilter = signal('');

/** State of the event stream. */
export const connection = signal<'connecting' | 'live' | 'lost' | 'refused'>('connecting');

/** A temporary message, such as an error. */
export const notice = signal<{ readonly text: string; readonly kind: 'ok' | 'error' } | undefined>(undefined);

/** Incremented for each event about tests. */
const testsHeard = signal(0);

/** Incremented when events may have been missed. */
export const caughtUp = signal(0);

/** Number of events per run. */
export const heard = signal<ReadonlyMap<string, RunSummary>>(new Map());

export const shownRuns = computed(() =>
  runs.value.filter(
    ({ state, name }) =>
      (stateFilter.value === '' || state === stateFilter.value) &&
      (nameFilter.value === '' || name === nameFilter.value),
  ),
);

const PAGE = 50;

let noticeTimer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message for a while. */
export function say(text: string, kind: 'ok' | 'error' = 'ok'): void {
  notice.value = { text, kind };
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => {
    notice.value = undefined;
  }, 6000);
}

/** Shows the error of a request. */
export function showError(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) connection.value = 'refused';
  else if (error instanceof TypeError)
    say('The server does not respond. Check that iml dev is running.', 'error');
  else say(error instanceof Error ? error.message : String(error), 'error');
}

const loadApp = loadInTurn(async () => {
  app.value = await get<AppState>('app');
});

function describeFilter(): string {
  const [state, name, text] = [stateFilter.peek(), nameFilter.peek(), textFilter.peek()];
  return new URLSearchParams({ state, name, text, limit: String(PAGE) }).toString();
}

let runsAsked = 0;

export async function loadRuns(): Promise<void> {
  const turn = ++runsAsked;
  const before = heard.peek();
  const { runs: found } = await get<{ runs: readonly RunSummary[] }>(`runs?${describeFilter()}`);
  // A newer request has started.
  if (turn !== runsAsked) return;
  batch(() => {
    runs.value = found;
    hasMoreRuns.value = found.length === PAGE;
    // Events during the request may be newer than its response.
    for (const [id, run] of heard.peek()) if (before.get(id) !== run) placeRun(run);
  });
}

/** Updates a listed run, or adds a new one if the filter allows it. */
function placeRun(run: RunSummary): void {
  if (runs.value.some(({ id }) => id === run.id)) {
    runs.value = runs.value.map((other) => (other.id === run.id ? run : other));
    // Runs of tests are listed with the tests.
  } else if (textFilter.value === '' && run.source !== 'test') {
    runs.value = [run, ...runs.value].sort((a, b) => b.startedAt - a.startedAt);
  }
}

export async function loadMoreRuns(): Promise<void> {
  const last = runs.value.at(-1);
  if (last === undefined) return;
  const filter = describeFilter();
  const { runs: found } = await get<{ runs: readonly RunSummary[] }>(`runs?${filter}&before=${last.id}`);
  if (filter !== describeFilter()) return;
  const known = new Set(runs.value.map(({ id }) => id));
  batch(() => {
    runs.value = [...runs.value, ...found.filter(({ id }) => !known.has(id))];
    hasMoreRuns.value = found.length === PAGE;
  });
}

/** Handles an event of the server. */
function hear(message: LiveMessage): void {
  if (message.type === 'app') void loadApp().catch(showError);
  else if (message.type === 'tests') testsHeard.value++;
  else if (message.type === 'removed') void loadRuns().catch(showError);
  else {
    const { run } = message;
    const isKnown = runs.value.some(({ id }) => id === run.id);
    // Only the server can apply the text filter.
    if (!isKnown && run.source !== 'test' && textFilter.value !== '' && run.state !== 'running')
      void loadRuns().catch(showError);
    batch(() => {
      placeRun(run);
      heard.value = new Map(heard.value).set(run.id, run);
    });
  }
}

const AGAIN_AFTER_MS = 1000;

/**
 * Listens to events. The tabs share one stream, because browsers allow few connections per server: the tab with the
 * lock listens and forwards.
 */
export async function startListening(): Promise<void> {
  const name = `iml-dev-${await learnStart()}`;
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', ({ data }: MessageEvent<LiveMessage | { readonly type: 'live' }>) => {
    connection.value = 'live';
    if (data.type === 'live') catchUp();
    else hear(data);
  });
  const lead = async (): Promise<never> => {
    for (;;) {
      try {
        const open = (): void => {
          channel.postMessage({ type: 'live' });
          connection.value = 'live';
          // Events before the stream opened were missed.
          catchUp();
        };
        const take = (line: string): void => {
          const message = JSON.parse(line) as LiveMessage;
          channel.postMessage(message);
          hear(message);
        };
        await listen(open, take, new AbortController().signal);
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) connection.value = 'refused';
      }
      if (connection.value !== 'refused') connection.value = 'lost';
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
    }
  };
  void navigator.locks.request(name, lead);
  // Events before the channel opened were missed.
  catchUp();
}

/** The ID of the server's start, which separates tabs of different starts. Resolves when the server responds. */
async function learnStart(): Promise<string> {
  for (;;) {
    try {
      await loadApp();
      connection.value = 'live';
      return app.value?.start ?? '';
    } catch (error) {
      connection.value = error instanceof ApiError && error.status === 401 ? 'refused' : 'lost';
      // Another token comes with another address and page.
      if (connection.value === 'refused') return new Promise<never>(() => {});
      if (!(error instanceof TypeError)) showError(error);
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
  }
}

/** Reloads everything that may have changed. */
function catchUp(): void {
  caughtUp.value++;
  for (const load of [loadApp, loadRuns]) load().catch(showError);
}

/**
 * Runs requests one after another, because an older response must not override a newer one. Callers during a request
 * share the next one.
 *
 * @returns a function that resolves after a request that started later than the call, and rejects if that request
 * fails
 */
function loadInTurn(load: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= current
      .catch(() => {})
      .then(() => {
        next = undefined;
        current = load();
        return current;
      });
    return next;
  };
}

/** Tests of the app; undefined before they were loaded. */
export const tests = signal<TestsState | undefined>(undefined);

/** The first request runs them. */
const loadTests = loadInTurn(async () => {
  tests.value = await get<TestsState>('tests');
});

effect(() => {
  if (caughtUp.value + testsHeard.value > 0) loadTests().catch(showError);
});

/** Runs one test or all; results arrive as events. */
export function startTests(id?: string): void {
  post('tests/run', { id }).catch(showError);
}

/** The test of a file; undefined if it is gone. */
export function findTest(id: string | undefined): ShownTest | undefined {
  return tests.value?.tests.find((test) => test.id === id);
}
