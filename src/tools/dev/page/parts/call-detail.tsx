import type { JSX } from 'preact';
import type { RunDetail } from '../../protocol.js';
import { count } from '../state/format.js';
import { PlaceText, Status } from './badges.js';
import { BodyView } from './body-view.js';
import { JsonTree } from './json-tree.js';

/** A webhook call: request, bundles and response side by side. */
export function CallDetail({ run }: { readonly run: RunDetail }): JSX.Element {
  const { hook, bundleList, bundles, input } = run;
  return (
    <div class="columns">
      <section class="column" aria-label="Call">
        <header>
          <h2>Call</h2>
        </header>
        <JsonTree value={openBody(input.payload)} />
      </section>
      <section class="column" aria-label="Bundles of the call">
        <header>
          <h2>Bundles</h2>
          <span class="muted">{count(bundles, 'bundle')}</span>
        </header>
        <p class="made">{explainVerification(run)}</p>
        {hook?.noBundles !== undefined && (
          <p class="made">
            {hook.noBundles.message} <PlaceText place={hook.noBundles.place} />
          </p>
        )}
        <BodyView body={bundleList} empty="No bundles." label="bundles" />
      </section>
      <section class="column" aria-label="Answer">
        <header>
          <h2>Answer</h2>
          {hook !== undefined && <Status status={hook.answer.status} />}
        </header>
        {hook === undefined ? (
          <p class="empty-line">It was not kept.</p>
        ) : (
          <>
            <dl class="facts">
              {hook.answer.headers.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
            {hook.answer.body === '' ? (
              <p class="empty-line">The answer has no body.</p>
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
              <pre class="raw" tabIndex={0}>
                {hook.answer.body}
              </pre>
            )}
          </>
        )}
      </section>
    </div>
  );
}

/** Parses a JSON body. */
function openBody(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || !('body' in payload)) return payload;
  try {
    return { ...payload, body: JSON.parse(String(payload.body)) as unknown };
  } catch {
    return payload;
  }
}

function explainVerification({ hook, state }: RunDetail): string {
  if (hook?.verification === true) return 'It was a request for verification: answered, and no event.';
  if (hook?.phase === 'verification') return 'Its verification failed.';
  if (hook?.phase !== undefined) return `It was not processed: its ${hook.phase} failed.`;
  if (hook?.noBundles !== undefined) return '';
  return state === 'ok' ? 'It was taken as an event.' : '';
}
