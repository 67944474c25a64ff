import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { RunState, RunSummary, ShownFailure, ShownPlace } from '../../protocol.js';
import { showError } from '../state/store.js';

const STATES: Readonly<Record<RunState | 'empty', readonly [mark: string, word: string]>> = {
  running: ['●', 'running'],
  ok: ['✓', 'ok'],
  failed: ['✕', 'failed'],
  stopped: ['■', 'stopped'],
  empty: ['○', 'no bundles'],
};

/** The state of a run as color, icon and word. A webhook call without bundles is not a success. */
export function StateMark({
  run,
}: {
  readonly run: Pick<RunSummary, 'kind' | 'source' | 'state' | 'bundles'>;
}): JSX.Element {
  const isEmptyCall =
    run.kind === 'webhook' && run.source === 'call' && run.state === 'ok' && run.bundles === 0;
  const state = isEmptyCall ? 'empty' : run.state;
  const [mark, word] = STATES[state];
  return (
    <span class={`state ${state}`} role="img" aria-label={word} title={word}>
      {mark}
    </span>
  );
}

/** Status of a response. */
export function Status({ status }: { readonly status: number | undefined }): JSX.Element {
  if (status === undefined) return <span class="status none">···</span>;
  const kind = status >= 500 ? 'bad' : status >= 400 ? 'bad' : status >= 300 ? 'moved' : 'good';
  return <span class={`status ${kind}`}>{status}</span>;
}

const TYPES: Readonly<Record<string, string>> = {
  trigger: 'polling',
  instant_trigger: 'instant',
  universal: 'API call',
};

/** Type of a module. */
export function TypeTag({ type }: { readonly type: string }): JSX.Element {
  return <span class="tag">{TYPES[type] ?? type}</span>;
}

/** A source location: file, line and column. */
export function PlaceText({ place }: { readonly place: ShownPlace | undefined }): JSX.Element | null {
  if (place === undefined) return null;
  const { file, line, column, pointer } = place;
  const position = line === undefined ? '' : `:${line}:${column ?? 1}`;
  const text = file === undefined ? (pointer ?? '') : `${file}${position}`;
  return text === '' ? null : <code class="place">{text}</code>;
}

interface CopyButtonProps {
  readonly text: () => string | Promise<string>;
  /** Accessible name, if several buttons show the same text. Default: the text. */
  readonly label?: string;
  /** Text of the button. Default: Copy. */
  readonly children?: string;
}

/** Copies text and confirms it. */
export function CopyButton({ text, label, children = 'Copy' }: CopyButtonProps): JSX.Element {
  const isDone = useSignal(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await text());
      isDone.value = true;
      setTimeout(() => {
        isDone.value = false;
      }, 1500);
    } catch (error) {
      showError(error);
    }
  };
  return (
    <button type="button" class="link" aria-label={label} onClick={copy}>
      {isDone.value ? 'Copied' : children}
    </button>
  );
}
/** Moves the focus in a list with the arrow keys, j and k. */
export function moveFocus(event: KeyboardEvent): void {
  const step = STEPS[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const list = event.currentTarget;
  if (!(list instanceof HTMLElement)) return;
  const items = [...list.querySelectorAll<HTMLElement>('[data-item]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = items[at + step];
  if (at === -1 || next === undefined) return;
  event.preventDefault();
  next.focus();
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 };

interface FailureCardProps {
  readonly failure: ShownFailure;
  /** Opens the response that caused it; undefined without one. */
  readonly onShow?: (() => void) | undefined;
}

/** An error with its location, line and hint. */
export function FailureCard({ failure, onShow }: FailureCardProps): JSX.Element {
  const { type, message, code, status, requestIndex, page, place, suberrors, hint, frame } = failure;
  return (
    <section class="card failure" aria-label="Error">
      <h2>
        <span class="state failed" aria-hidden="true">
          ✕
        </span>{' '}
        {type}
      </h2>
      <p class="message">{message}</p>
      {suberrors.length > 0 && (
        <ul>
          {suberrors.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <dl class="facts">
        {place !== undefined && <Fact name="where" value={<PlaceText place={place} />} />}
        {status !== undefined && <Fact name="status" value={String(status)} />}
        {requestIndex !== undefined && (
          <Fact name="request" value={`${requestIndex + 1}, page ${page ?? 1}`} />
        )}
        {code !== undefined && <Fact name="code" value={<code>{code}</code>} />}
      </dl>
      {onShow !== undefined && (
        <p>
          <button type="button" class="link" onClick={onShow}>
            Show the request and the response
          </button>
        </p>
      )}
      {frame !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
        <pre class="frame" tabIndex={0}>
          {frame}
        </pre>
      )}
      {hint !== undefined && <p class="hint">{hint}</p>}
    </section>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string | JSX.Element }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
