import { batch, computed, signal } from '@preact/signals';
import type { AppState, LiveMessage, RunSummary } from '../../protocol.js';
import { ApiError, get, listen } from './api.js';
import { askInTurn } from './ask-in-turn.js';

/** The app as the server has it; undefined until it was asked. */
export const app = signal<AppState | undefined>(undefined);

/** Runs as far as they are listed, newest first. */
export const runs = signal<readonly RunSummary[]>([]);
export const hasMoreRuns = signal(false);

/** Which runs are listed. */
export const stateFilter = signal('');
export const nameFilter = signal('');
export const textFilter = signal('');

/** Whether what happens is heard of as it happens. */
export const connection = signal<'connecting' | 'live' | 'lost' | 'refused'>('connecting');

/** A sentence for a moment, such as what went wrong. */
export const notice = signal<{ readonly text: string; readonly kind: 'ok' | 'error' } | undefined>(undefined);

/** Counts what was heard of tests, so that those who show them ask again. */
export const testsHeard = signal(0);

/** Counts how often nobody may have told of what happened, so that those who show what may have changed ask again. */
export const caughtUp = signal(0);

/** Counts what was heard of each run, so that a view knows to look again. */
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

/** Shows a sentence for a while. */
export function say(text: string, kind: 'ok' | 'error' = 'ok'): void {
  notice.value = { text, kind };
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => {
    notice.value = undefined;
  }, 6000);
}

/** Says what a call failed with. */
export function sayError(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) connection.value = 'refused';
  else if (error instanceof TypeError) say('The server does not answer: is iml dev still running?', 'error');
  else say(error instanceof Error ? error.message : String(error), 'error');
}

const loadApp = askInTurn(async () => {
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
  // A text may be typed faster than it is found, and one answer may overtake another.
  if (turn !== runsAsked) return;
  batch(() => {
    runs.value = found;
    hasMoreRuns.value = found.length === PAGE;
    // What was heard of while the answer was on its way may be newer than it.
    for (const [id, run] of heard.peek()) if (before.get(id) !== run) placeRun(run);
  });
}

/** A run as it stands now: in place of what was listed of it, or as a new one where the filter lets it be known. */
function placeRun(run: RunSummary): void {
  if (runs.value.some(({ id }) => id === run.id)) {
    runs.value = runs.value.map((other) => (other.id === run.id ? run : other));
    // Runs of tests stand with their tests.
  } else if (textFilter.value === '' && run.source !== 'test') {
    runs.value = [run, ...runs.value].sort((a, b) => b.startedAt - a.startedAt);
  }
}

export async function loadMoreRuns(): Promise<void> {
  const last = runs.value.at(-1);
  if (last === undefined) return;
  const asked = describeFilter();
  const { runs: found } = await get<{ runs: readonly RunSummary[] }>(`runs?${asked}&before=${last.id}`);
  if (asked !== describeFilter()) return;
  const known = new Set(runs.value.map(({ id }) => id));
  batch(() => {
    runs.value = [...runs.value, ...found.filter(({ id }) => !known.has(id))];
    hasMoreRuns.value = found.length === PAGE;
  });
}

/** Takes in what the server tells of by itself. */
function hear(message: LiveMessage): void {
  if (message.type === 'app') void loadApp().catch(sayError);
  else if (message.type === 'tests') testsHeard.value++;
  else if (message.type === 'removed') void loadRuns().catch(sayError);
  else {
    const { run } = message;
    const isKnown = runs.value.some(({ id }) => id === run.id);
    // Only the server knows whether the text of the filter is in it.
    if (!isKnown && run.source !== 'test' && textFilter.value !== '' && run.state !== 'running')
      void loadRuns().catch(sayError);
    batch(() => {
      placeRun(run);
      heard.value = new Map(heard.value).set(run.id, run);
    });
  }
}

const AGAIN_AFTER_MS = 1000;

/**
 * Hears of what happens. Browsers allow few connections to one server, so the tabs share one stream: the one that has
 * the lock listens and tells the others.
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
          // Only now: what happened before the stream stood is told by nobody.
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
  // Where another tab listens already, what it told before the channel stood was not heard here.
  catchUp();
}

/** The mark of the server's start, which tells its tabs from those of another. Resolves when the server answers. */
async function learnStart(): Promise<string> {
  for (;;) {
    try {
      await loadApp();
      connection.value = 'live';
      return app.value?.start ?? '';
    } catch (error) {
      connection.value = error instanceof ApiError && error.status === 401 ? 'refused' : 'lost';
      // Another token comes with another address, and so with another page.
      if (connection.value === 'refused') return new Promise<never>(() => {});
      if (!(error instanceof TypeError)) sayError(error);
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
  }
}

/** What happened before anybody listened, or while the server was away. */
function catchUp(): void {
  caughtUp.value++;
  for (const load of [loadApp, loadRuns]) load().catch(sayError);
}
