import type { JSX } from 'preact';
import type { ShownTest, TestDetail } from '../../protocol.js';
import { count } from '../state/format.js';
import { route, writeRoute } from '../state/route.js';
import { findTest, startTests, tests } from '../state/store.js';
import { PlaceText } from './controls.js';

const MARKS: Readonly<Record<ShownTest['status'], readonly [mark: string, word: string, look: string]>> = {
  waiting: ['○', 'not run', 'stopped'],
  running: ['●', 'running', 'running'],
  passed: ['✓', 'passed', 'ok'],
  failed: ['✕', 'failed', 'failed'],
};

/** The status of a test as color, icon and word. */
export function TestMark({ status }: { readonly status: ShownTest['status'] }): JSX.Element {
  const [mark, word, look] = MARKS[status];
  return (
    <span class={`state ${look}`} role="img" aria-label={word} title={word}>
      {mark}
    </span>
  );
}

/** The tests of the app: failed ones first, the others folded. */
export function TestList(): JSX.Element | null {
  const { value: state } = tests;
  if (state === undefined || state.tests.length === 0) return null;
  const failed = state.tests.filter(({ status }) => status === 'failed');
  const others = state.tests.filter(({ status }) => status !== 'failed');
  return (
    <details class="group tests" open>
      <summary>
        Tests <span class="muted">{state.tests.length}</span>{' '}
        {failed.length > 0 && <span class="tag bad">{failed.length} failed</span>}
      </summary>
      {failed.map((test) => (
        <TestItem key={test.id} test={test} />
      ))}
      {others.length > 0 && (
        <details class="group">
          <summary data-item>{describeOthers(others)}</summary>
          {others.map((test) => (
            <TestItem key={test.id} test={test} />
          ))}
        </details>
      )}
      <button
        type="button"
        class="button small wide"
        data-item
        disabled={state.isRunning}
        onClick={() => startTests()}
      >
        {state.isRunning ? 'Running …' : `Run ${count(state.tests.length, 'test')}`}
      </button>
    </details>
  );
}

/** `19 passed, 2 running`. */
function describeOthers(tests: readonly ShownTest[]): string {
  return (['passed', 'running', 'waiting'] as const)
    .map((status) => [tests.filter((test) => test.status === status).length, MARKS[status][1]] as const)
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number} ${word}`)
    .join(', ');
}

function TestItem({ test: { id, name, file, status } }: { readonly test: ShownTest }): JSX.Element {
  const isHere = route.value.view === 'test' && route.value.id === id;
  return (
    <a
      class="nav-item"
      data-item
      href={writeRoute('test', id)}
      aria-current={isHere ? 'page' : undefined}
      title={file}
    >
      <TestMark status={status} /> <span class="name">{name}</span>
    </a>
  );
}

/** Actions of a test: run, and compare with the last passing run. */
export function TestActions({ id }: { readonly id: string }): JSX.Element | null {
  const test = findTest(id);
  if (test === undefined) return null;
  const { run, passedRun, status } = test;
  return (
    <>
      <button
        type="button"
        class="button primary"
        data-key="r"
        disabled={status === 'running'}
        onClick={() => startTests(id)}
      >
        Run this test
      </button>
      {status === 'failed' && run !== undefined && passedRun !== undefined && (
        <a class="button" href={writeRoute('diff', passedRun, run)}>
          What changed since it passed
        </a>
      )}
    </>
  );
}

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
        {origin !== undefined && <Where title="evaluated at" place={origin} frame={originFrame} />}
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
