import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { TestDetail } from '../../protocol.js';
import { TestDifferences } from '../parts/test-differences.js';
import { TestActions, TestMark } from '../parts/test-list.js';
import { get } from '../state/api.js';
import { sayError } from '../state/store.js';
import { findTest, tests } from '../state/tests.js';
import { RunView } from './run-view.js';

/** A test: its run, or why it cannot run. */
export function TestView({ id }: { readonly id: string }): JSX.Element {
  const test = findTest(id);
  if (tests.value === undefined) return <h1 class="empty">Loading the tests …</h1>;
  if (test === undefined) return <h1 class="empty">The app has no test "{id}" any more.</h1>;
  if (test.run !== undefined) return <RunView id={test.run} />;
  return (
    <article class="run" aria-label={`Test ${test.name}`}>
      <header class="run-head">
        <div class="run-title">
          <TestMark status={test.status} />
          <h1>{test.name}</h1>
          <code class="muted">{test.file}</code>
        </div>
        <div class="actions">
          <TestActions id={id} />
        </div>
      </header>
      {test.status === 'failed' && <Failures key={`${id} ${test.durationMs}`} id={id} />}
      {test.status === 'passed' && <p class="empty-line">It passes.</p>}
      {test.status === 'waiting' && <p class="empty-line">It did not run yet.</p>}
    </article>
  );
}

function Failures({ id }: { readonly id: string }): JSX.Element | null {
  const detail = useSignal<TestDetail | undefined>(undefined);
  useEffect(() => {
    get<TestDetail>(`tests/one?id=${encodeURIComponent(id)}`).then((found) => {
      detail.value = found;
    }, sayError);
  }, [id]);
  if (detail.value === undefined) return null;
  return <TestDifferences failures={detail.value.failures} failureCount={detail.value.failureCount} />;
}
