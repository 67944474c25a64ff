import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { RunDetail } from '../protocol.js';
import { get, post } from './state/api.js';
import { readPayload, type StoredCall } from './state/format.js';
import { go, writeRoute } from './state/route.js';
import { showError } from './state/store.js';

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
    }, showError);
  }, [from]);
  const { value } = call;
  if (value === undefined) return <p class="blank">Loading the call …</p>;
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
        Sends a request to the webhook <a href={writeRoute('webhook', webhook)}>{webhook}</a>.
      </p>
      <form
        class="card form"
        onSubmit={(event) => {
          event.preventDefault();
          send().catch(showError);
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
          <p class="help">One header per line. Redacted values are sent unredacted.</p>
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
  const { method, url, headers, body } = readPayload(payload) ?? EMPTY_CALL;
  const mark = url.indexOf('?');
  return {
    method,
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers: headers
      .filter(([name]) => !/^(?:host|content-length|connection)$/i.test(name))
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    body: typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body, null, 2),
  };
}

const EMPTY_CALL: StoredCall = { method: 'POST', url: '', headers: [], body: undefined };

function readHeaders(text: string): readonly (readonly [string, string])[] {
  return text.split('\n').flatMap((line) => {
    const at = line.indexOf(':');
    const name = line.slice(0, Math.max(0, at)).trim();
    return name === '' ? [] : [[name, line.slice(at + 1).trim()] as const];
  });
}
