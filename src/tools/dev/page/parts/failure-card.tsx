import type { JSX } from 'preact';
import type { ShownFailure } from '../../protocol.js';
import { PlaceText } from './badges.js';

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
            Show the request and the answer it came from
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
