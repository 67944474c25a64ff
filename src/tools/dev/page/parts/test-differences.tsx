import type { JSX } from 'preact';
import type { TestDetail } from '../../protocol.js';
import { count } from '../state/format.js';
import { PlaceText } from './badges.js';

type Failure = TestDetail['failures'][number];

interface DifferencesProps {
  readonly failures: readonly Failure[];
  /** Total number; only the first ones are listed. */
  readonly failureCount: number;
}

/** Differences of a test as in `iml test`: expected and actual values with their locations. */
export function TestDifferences({ failures, failureCount }: DifferencesProps): JSX.Element | null {
  if (failureCount === 0) return null;
  return (
    <section class="card failure differences" aria-label="Differences">
      <h2>
        <span class="state failed" aria-hidden="true">
          ✕
        </span>{' '}
        {count(failureCount, 'difference')}
      </h2>
      <ol>
        {failures.map((failure, index) => (
          <li key={`${failure.message} ${index}`}>
            <Difference failure={failure} />
          </li>
        ))}
      </ol>
      {failureCount > failures.length && <p class="muted">and {failureCount - failures.length} more</p>}
    </section>
  );
}

function Difference({ failure }: { readonly failure: Failure }): JSX.Element {
  const { message, expected, got, reason, place, frame, origin, originFrame } = failure;
  return (
    <>
      <p class="message">{message}</p>
      {expected !== undefined && (
        <dl class="expected-got">
          <div>
            <dt>expected</dt>
            <dd>
              <ins>{expected}</ins>
            </dd>
          </div>
          <div>
            <dt>got</dt>
            <dd>
              <del>{got}</del>
            </dd>
          </div>
        </dl>
      )}
      {reason !== undefined && <p class="hint">{reason}</p>}
      <div class="two-places">
        <Where title="in the case" place={place} frame={frame} />
        {origin !== undefined && <Where title="made in" place={origin} frame={originFrame} />}
      </div>
    </>
  );
}

interface WhereProps {
  readonly title: string;
  readonly place: Failure['place'];
  readonly frame: string | undefined;
}

function Where({ title, place, frame }: WhereProps): JSX.Element {
  return (
    <div>
      <p class="where">
        <span class="muted">{title}</span> <PlaceText place={place} />
      </p>
      {frame !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
        <pre class="frame" tabIndex={0}>
          {frame}
        </pre>
      )}
    </div>
  );
}
