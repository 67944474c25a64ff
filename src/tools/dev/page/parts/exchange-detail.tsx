import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { BodyRef, RunDetail, ShownItems } from '../../protocol.js';
import { get } from '../state/api.js';
import { bytes, count, duration, writeCurl } from '../state/format.js';
import { BodyView } from './body-view.js';
import { CopyButton, PlaceText, Status } from './controls.js';
import type { ExchangeStep } from './timeline.js';

/** An exchange: request and response side by side, and the result below. */
export function ExchangeDetail({
  run,
  step,
}: {
  readonly run: RunDetail;
  readonly step: ExchangeStep;
}): JSX.Element {
  const { request, response, page } = step;
  return (
    <div class="columns">
      <section class="column" aria-label="Request">
        <header>
          <h2>Request</h2>
          <CopyButton text={() => readCurl(step)}>Copy as cURL</CopyButton>
        </header>
        <p class="address">
          <span class="method">{request.method}</span> <span>{request.url}</span>
        </p>
        <PlaceText place={request.place} />
        <Pairs title="Query" pairs={listQuery(request.url)} />
        <Pairs title="Headers" pairs={request.headers.map(([name, value]) => [name, value])} />
        <h3>Body</h3>
        <BodyView body={request.body} empty="No body was sent." label="request body" />
      </section>
      <section class="column" aria-label="Response">
        <header>
          <h2>Response</h2>
          {response !== undefined && (
            <span>
              <Status status={response.status} />{' '}
              <span class="muted">
                {duration(response.durationMs)} · {bytes(response.size)}
              </span>
            </span>
          )}
        </header>
        {response === undefined ? (
          <p class="empty-line">No response.</p>
        ) : (
          <>
            <Pairs
              title="Headers"
              pairs={Object.entries(response.headers).map(([name, value]) => [name, String(value)])}
              isClosed
            />
            <h3>Body</h3>
            <BodyView body={response.body} empty="The response has no body." label="response body" />
          </>
        )}
      </section>
      <section class="column whole" aria-label="Bundles of this page">
        <header>
          <h2>Bundles</h2>
          {page !== undefined && <span class="muted">{count(page.count, 'output')}</span>}
        </header>
        {page === undefined ? (
          <p class="empty-line">This response has no output.</p>
        ) : (
          <>
            <Made run={run.id} page={page} />
            <BodyView body={page.outputs} empty="No outputs." label="outputs" asTable />
          </>
        )}
      </section>
    </div>
  );
}

interface MadeProps {
  readonly run: string;
  readonly page: NonNullable<ExchangeStep['page']>;
}

const FOUND: Readonly<Record<ShownItems['found'], string>> = {
  array: 'returned an array',
  collection: 'returned one collection, which is one item',
  value: 'returned one value, which is one item',
  nothing: 'returned nothing, so there are no items',
};

/** Explains the number of outputs. */
function Made({ run, page }: MadeProps): JSX.Element {
  const { looked, count: made, isIterated, isCut, seq } = page;
  const items = useSignal<ShownItems | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    items.value = undefined;
    get<ShownItems>(`runs/${run}/items?seq=${seq}`).then(
      (answer) => {
        if (isCurrent) items.value = answer;
      },
      // A trace without scopes has no response to this request.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [run, seq]);
  const { source, found = 'array', arrays = [] } = items.value ?? {};
  const left = looked - made;
  return (
    <div class="made">
      <p>
        {isIterated
          ? `${count(looked, 'item')} of iterate`
          : 'Without iterate, the whole response is one output'}
        {isIterated && left > 0 && `, ${left} skipped by the condition of iterate or by an empty output`}
        {isCut && '; further items were dropped at a limit'}.
      </p>
      {isIterated && source !== undefined && (
        <p>
          <code>{source}</code> {FOUND[found]}.
        </p>
      )}
      {arrays.length > 0 && (
        <p>
          Arrays in this response:{' '}
          {arrays.map(({ path, length }) => (
            <span key={path}>
              <code>{`{{${path}}}`}</code> ({length}){' '}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

/** The decoded query of a URL. */
export function listQuery(url: string): readonly (readonly [string, string])[] {
  try {
    return [...new URL(url).searchParams];
  } catch {
    return [];
  }
}

interface PairsProps {
  readonly title: string;
  readonly pairs: readonly (readonly [name: string, value: string])[];
  readonly isClosed?: boolean;
}

/** Headers or a query as a table. */
export function Pairs({ title, pairs, isClosed = false }: PairsProps): JSX.Element | null {
  if (pairs.length === 0) return null;
  return (
    <details class="pairs" open={!isClosed}>
      <summary>
        {title} <span class="muted">{pairs.length}</span>
      </summary>
      <table>
        <tbody>
          {pairs.map(([name, value], index) => (
            <tr key={`${name} ${index}`}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

async function readCurl({ request }: ExchangeStep): Promise<string> {
  const { body } = request;
  if (body === undefined) return writeCurl(request, undefined);
  const { text } = await get<{ text: string }>(`bodies/${readRef(body)}?whole=1`);
  return writeCurl(request, text);
}

function readRef({ ref }: BodyRef): string {
  return ref;
}
