import type { JSX } from 'preact';
import type { RunState, RunSummary, ShownPlace } from '../../protocol.js';

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
