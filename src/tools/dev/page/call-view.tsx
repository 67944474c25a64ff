import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { RunDetail } from '../protocol.js';
import { get, post } from './state/api.js';
import { go, writeRoute } from './state/route.js';
import { sayError } from './state/store.js';

interface CallViewProps {
  readonly webhook: string;
  /** Run of the edited call; empty for a new one. */
  readonly from: string;
}

interface ShownCall {
  readonly method: string;
  readonly query: string;
  /** `name: value` lines. */
  readonly headers: string;
  readonly body: string;
}

const NEW_CALL: ShownCall = {
  method: 'POST',
  query: '',
  headers: 'content-type: application/json',
  body: '{"id": 1}',
};

/** Edits and sends a webhook call. Unchanged redacted values are sent unredacted. */
export function CallView({ webhook, from }: CallViewProps): JSX.Element {
  const call = useSignal<ShownCall | undefined>(from === '' ? NEW_CALL : undefined);
  const shownBody = useSignal('');
  useEffect(() => {
    if (from === '') return;
    get<RunDetail>(`runs/${from}`).then(({ input }) => {
      const read = readCall(input.payload);
      shownBody.value = read.body;
      call.value = read;
    }, sayError);
  }, [from]);
  const { value } = call;
  if (value === undefined) return <p class="empty">Loading the call …</p>;
  const change = (more: Partial<ShownCall>): void => {
    call.value = { ...value, ...more };
  };
  const send = async (): Promise<void> => {
    const isSameBody = from !== '' && value.body === shownBody.value;
    const { id } = await post<{ id: string }>('calls', {
      webhook,
      method: value.method,
      query: value.query,
      headers: readHeaders(value.headers),
      ...(from !== '' && { of: from }),
      ...(!isSameBody && { body: value.body }),
    });
    go('run', id);
  };
  return (
    <article class="component" aria-label={`Call of ${webhook}`}>
      <h1>{from === '' ? 'Send a call' : 'Edit and send'}</h1>
      <p class="lead">
        To the webhook <a href={writeRoute('webhook', webhook)}>{webhook}</a>, as a service would.
      </p>
      <form
        class="card form"
        onSubmit={(event) => {
          event.preventDefault();
          send().catch(sayError);
        }}
      >
        <div class="field">
          <label for="call-method">Method</label>
          <select
            id="call-method"
            value={value.method}
            onChange={(event) => change({ method: event.currentTarget.value })}
          >
            {[...new Set(['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', value.method])].map((method) => (
              <option key={method} value={method}>
                {method}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="call-query">Query</label>
          <input
            id="call-query"
            class="mono"
            placeholder="event=sold&amp;id=1"
            value={value.query}
            onInput={(event) => change({ query: event.currentTarget.value })}
          />
        </div>
        <div class="field">
          <label for="call-headers">Headers</label>
          <textarea
            id="call-headers"
            class="mono"
            rows={5}
            value={value.headers}
            onInput={(event) => change({ headers: event.currentTarget.value })}
          />
          <p class="help">A line each. What is hidden goes along as it came.</p>
        </div>
        <div class="field">
          <label for="call-body">Body</label>
          <textarea
            id="call-body"
            class="mono"
            rows={10}
            value={value.body}
            onInput={(event) => change({ body: event.currentTarget.value })}
          />
        </div>
        <div class="form-end">
          <button type="submit" class="button primary" data-key="r">
            Send
          </button>
        </div>
      </form>
    </article>
  );
}

function readCall(payload: unknown): ShownCall {
  const { method, url, headers, body } = Object(payload) as {
    readonly method?: unknown;
    readonly url?: unknown;
    readonly headers?: unknown;
    readonly body?: unknown;
  };
  const address = String(url ?? '');
  const mark = address.indexOf('?');
  const lines = Array.isArray(headers)
    ? headers
        .filter((entry): entry is readonly [string, string] => Array.isArray(entry))
        .filter(([name]) => !/^(?:host|content-length|connection)$/i.test(name))
        .map(([name, value]) => `${name}: ${value}`)
    : [];
  return {
    method: String(method ?? 'POST'),
    query: mark < 0 ? '' : address.slice(mark + 1),
    headers: lines.join('\n'),
    body: typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body, null, 2),
  };
}

function readHeaders(text: string): readonly (readonly [string, string])[] {
  return text.split('\n').flatMap((line) => {
    const at = line.indexOf(':');
    const name = line.slice(0, Math.max(0, at)).trim();
    return name === '' ? [] : [[name, line.slice(at + 1).trim()] as const];
  });
}
