import { effect, signal, useSignal } from '@preact/signals';
import { type JSX, render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { AppState } from '../protocol.js';
import { CallView } from './call-view.js';
import { ComponentView } from './component-view.js';
import { DiffView } from './diff-view.js';
import { ConnectionView, FindingsView, HomeView, TestView, WebhookView } from './other-views.js';
import { Sidebar } from './parts/sidebar.js';
import { RunView } from './run-view.js';
import { SaveView } from './save-view.js';
import { sendTrace, takeToken } from './state/api.js';
import { followAddress, go, route, writeRoute } from './state/route.js';
import { app, connection, notice, runs, say, showError, startListening } from './state/store.js';
import { applyTheme, readTheme, storeTheme, THEMES, type Theme } from './theme.js';

/** The selected theme. */
const theme = signal<Theme>(readTheme());

/** Switches to the next theme. */
function chooseTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
}

effect(() => {
  storeTheme(theme.value);
  applyTheme(theme.value);
});

function Main(): JSX.Element {
  const { view, id, more } = route.value;
  switch (view) {
    case 'run':
      return <RunView id={id} />;
    case 'module':
    case 'rpc':
    case 'endpoint':
      return <ComponentView key={`${view} ${id}`} kind={view} name={id} from={more} />;
    case 'webhook':
      return <WebhookView name={id} />;
    case 'call':
      return <CallView key={`${id} ${more}`} webhook={id} from={more} />;
    case 'connection':
      return <ConnectionView name={id} />;
    case 'save':
      return <SaveView key={id} id={id} />;
    case 'test':
      return <TestView id={id} />;
    case 'findings':
      return <FindingsView />;
    case 'diff':
      return <DiffView a={id} b={more} />;
    default:
      return <HomeView />;
  }
}

const CONNECTION_WORDS = {
  connecting: 'connecting',
  live: 'live',
  lost: 'not running',
  refused: 'refused',
} as const;

function Bar({ onMenu }: { readonly onMenu: () => void }): JSX.Element {
  const { value: state } = connection;
  return (
    <header class="bar">
      <button type="button" class="button small menu" aria-label="App and runs" onClick={onMenu}>
        ☰
      </button>
      <a class="brand" href="#/">
        <img src="/icon.svg" alt="Start:" width="22" height="22" /> <strong>iml dev</strong>
        <span class="muted app-name">{app.value?.name}</span>
      </a>
      <span class={`live ${state}`} title={`The page is ${CONNECTION_WORDS[state]}`}>
        <span aria-hidden="true">●</span> {CONNECTION_WORDS[state]}
      </span>
      <button type="button" class="button small" aria-label={`Colours: ${theme.value}`} onClick={chooseTheme}>
        {theme.value === 'dark' ? '☾' : theme.value === 'light' ? '☀' : '◐'}
      </button>
    </header>
  );
}

/** Errors of the page or of the app. */
function Banner(): JSX.Element | null {
  const { value: state } = app;
  if (connection.value === 'refused') {
    return (
      <p class="banner bad" role="alert">
        The token of this page is not valid, for example because <code>iml dev</code> was started again. Open
        the address that it printed.
      </p>
    );
  }
  if (connection.value === 'lost') {
    return (
      <p class="banner bad" role="alert">
        The server does not respond. Start <code>iml dev</code> again. The page shows the last known state.
      </p>
    );
  }
  if (state?.problem !== undefined) {
    return (
      <p class="banner bad" role="alert">
        The saved app does not load: {state.problem.message} <a href={writeRoute('findings')}>Show</a>
      </p>
    );
  }
  return state?.live === undefined ? null : <SavedBanner live={state.live} />;
}

/** Result of the last run after a file was saved, until closed. */
function SavedBanner({ live }: { readonly live: NonNullable<AppState['live']> }): JSX.Element | null {
  const closed = useSignal<string | undefined>(undefined);
  const { view, id, more } = route.value;
  const { of, run } = live;
  const key = `${of} ${run ?? ''} ${app.value?.revision}`;
  const isHere =
    (view === 'run' || view === 'diff') && [id, more].some((shown) => shown === of || shown === run);
  if (!isHere || closed.value === key) return null;
  return (
    <p class="banner" role="status">
      {run === undefined ? (
        <>
          Saved. The app would now send other requests: <a href={writeRoute('run', of)}>run it again</a>.
        </>
      ) : (
        <>
          Saved. <a href={writeRoute('run', run)}>New bundles from the recorded responses</a>, nothing was
          sent. <a href={writeRoute('diff', of, run)}>Compare</a>
        </>
      )}{' '}
      <button
        type="button"
        class="link close"
        aria-label="Close this message"
        onClick={() => {
          closed.value = key;
        }}
      >
        ✕
      </button>
    </p>
  );
}

function Page(): JSX.Element {
  const isMenu = useSignal(false);
  const isDropping = useSignal(false);
  const main = useRef<HTMLElement>(null);
  const { view, id } = route.value;
  useEffect(() => {
    isMenu.value = false;
    main.current?.scrollTo({ top: 0 });
  }, [view, id]);
  useEffect(() => {
    const isFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    const listeners = {
      keydown: pressKey,
      dragover: (event: DragEvent) => {
        if (!isFile(event)) return;
        event.preventDefault();
        isDropping.value = true;
      },
      dragleave: () => {
        isDropping.value = false;
      },
      drop: (event: DragEvent) => {
        event.preventDefault();
        isDropping.value = false;
        const file = event.dataTransfer?.files[0];
        if (file !== undefined) void takeTrace(file);
      },
    };
    for (const [name, listener] of Object.entries(listeners))
      addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(listeners))
        removeEventListener(name, listener as EventListener);
    };
  }, []);
  return (
    <div class={`page ${isMenu.value ? 'with-menu' : ''}`}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Bar
        onMenu={() => {
          isMenu.value = !isMenu.value;
        }}
      />
      <Sidebar />
      <main id="main" ref={main} tabIndex={-1}>
        <Banner />
        <Main />
      </main>
      {isDropping.value && (
        <div class="drop" aria-hidden="true">
          Drop the trace to open it
        </div>
      )}
      <div class="notice-place" role="status" aria-live="polite">
        {notice.value !== undefined && <p class={`notice ${notice.value.kind}`}>{notice.value.text}</p>}
      </div>
    </div>
  );
}

/** Slightly above the server's limit, for an early message. */
const MAX_TRACE = 64 * 1024 * 1024;

async function takeTrace(file: File): Promise<void> {
  try {
    if (file.size > MAX_TRACE) throw new Error('The trace is too large: expected at most 64 MB.');
    const { id } = await sendTrace(await file.text());
    say(`${file.name} is now in the history.`);
    go('run', id);
  } catch (error) {
    showError(error);
  }
}

function pressKey(event: KeyboardEvent): void {
  const { target, key } = event;
  const isTyping = event
    .composedPath()
    .some(
      (node) =>
        node instanceof HTMLElement &&
        (node.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName)),
    );
  if (key === 'Escape' && isTyping && target instanceof HTMLElement) target.blur();
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === '/') {
    event.preventDefault();
    document.querySelector<HTMLInputElement>('#filter')?.focus();
  } else if (key === 'r') document.querySelector<HTMLElement>('[data-key="r"]')?.click();
  else if (key === '[' || key === ']') {
    const { view, id } = route.peek();
    const at = runs.peek().findIndex((run) => run.id === id);
    const next = view === 'run' ? runs.peek()[at + (key === '[' ? 1 : -1)] : runs.peek()[0];
    if (next !== undefined) go('run', next.id);
  }
}

const fragment = takeToken();
followAddress();
const run = fragment.get('run');
if (run !== null) go('run', run);
void startListening();
const place = document.querySelector('#page');
if (place !== null) render(<Page />, place);
