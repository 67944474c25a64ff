import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { DiffStep, DocumentDiff, RunDiff, RunSummary, ValueDiff } from '../protocol.js';
import { StateMark, Status } from './parts/controls.js';
import { TestMark } from './parts/tests.js';
import { get } from './state/api.js';
import { clock, count, describeOutcome, duration } from './state/format.js';
import { writeRoute } from './state/route.js';
import { showError } from './state/store.js';

/** The differences of two runs in input, requests, responses and output. */
export function DiffView({ a, b }: { readonly a: string; readonly b: string }): JSX.Element {
  const diff = useSignal<RunDiff | undefined>(undefined);
  useEffect(() => {
    diff.value = undefined;
    get<RunDiff>(`diff?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`).then((found) => {
      diff.value = found;
    }, showError);
  }, [a, b]);
  const { value } = diff;
  if (value === undefined) return <h1 class="blank">Comparing …</h1>;
  const changed = value.steps.filter(({ change }) => change !== 'same');
  return (
    <article class="diff" aria-label="Comparison of two runs">
      <h1>Differences of {value.b.test?.name ?? value.b.name}</h1>
      <div class="diff-sides">
        <Side title="before" run={value.a} />
        <Side title="after" run={value.b} />
      </div>
      {value.documents.length > 0 && (
        <section aria-label="Changed files">
          <h2>
            Changed files <span class="muted">{count(value.documents.length, 'file')}</span>
          </h2>
          <DocumentDiffs documents={value.documents} />
        </section>
      )}
      <section aria-label="Input">
        <h2>
          Input{' '}
          <span class="muted">
            {value.input.changes.length === 0 ? 'the same' : count(value.input.changes.length, 'change')}
          </span>
        </h2>
        <Changes diff={value.input} />
      </section>
      <section aria-label="Bundles">
        <h2>
          Bundles{' '}
          <span class="muted">
            {value.bundles.changes.length === 0 ? 'the same' : count(value.bundles.changes.length, 'change')}
          </span>
        </h2>
        <Changes diff={value.bundles} />
      </section>
      <section aria-label="Requests">
        <h2>
          Requests{' '}
          <span class="muted">
            {changed.length === 0 ? 'the same' : `${changed.length} of ${value.steps.length} changed`}
          </span>
        </h2>
        {value.steps.map((step) => (
          <StepDiff key={step.title} step={step} />
        ))}
      </section>
    </article>
  );
}

function Side({ title, run }: { readonly title: string; readonly run: RunSummary }): JSX.Element {
  return (
    <a class="card" href={writeRoute('run', run.id)}>
      <span class="muted">{title}</span>{' '}
      {run.test === undefined ? <StateMark run={run} /> : <TestMark status={run.test.status} />}{' '}
      {clock(run.startedAt)} · {describeOutcome(run)} · {count(run.requests, 'request')} ·{' '}
      {duration(run.durationMs)}
      {run.error !== undefined && <p class="muted">{run.error.message}</p>}
    </a>
  );
}

const WORDS: Readonly<Record<DiffStep['change'], string>> = {
  same: 'same',
  changed: 'changed',
  removed: 'removed',
  added: 'added',
};

function StepDiff({ step }: { readonly step: DiffStep }): JSX.Element {
  const { title, change, a, b, request, response } = step;
  return (
    <details class={`diff-step ${change}`} open={change === 'changed'}>
      <summary>
        <span class={`tag ${change === 'same' ? '' : 'warn'}`}>{WORDS[change]}</span> {title}{' '}
        <span class="muted">
          {a !== undefined && <Status status={a.status} />} {duration(a?.durationMs)}
          {a !== undefined && b !== undefined && ' → '}
          {b !== undefined && <Status status={b.status} />} {duration(b?.durationMs)}
        </span>
      </summary>
      {request.changes.length > 0 && <h3>Request</h3>}
      <Changes diff={request} />
      {response.changes.length > 0 && <h3>Response</h3>}
      <Changes diff={response} />
    </details>
  );
}

function Changes({ diff }: { readonly diff: ValueDiff }): JSX.Element | null {
  if (diff.changes.length === 0) return null;
  return (
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">path</th>
          <th scope="col">before</th>
          <th scope="col">after</th>
        </tr>
      </thead>
      <tbody>
        {diff.changes.map(({ path, a, b }) => (
          <tr key={path}>
            <th scope="row">
              <code>{path || 'whole value'}</code>
            </th>
            <td>{a === undefined ? <span class="muted">nothing</span> : <del>{a}</del>}</td>
            <td>{b === undefined ? <span class="muted">nothing</span> : <ins>{b}</ins>}</td>
          </tr>
        ))}
        {diff.isCut && (
          <tr>
            <td colSpan={3} class="muted">
              further differences are not listed
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

const DOCUMENT_WORDS: Readonly<Record<string, string>> = { '-': 'before: ', '+': 'after: ' };

/** Lines of the app or of a case that differ between two runs. */
function DocumentDiffs({ documents }: { readonly documents: readonly DocumentDiff[] }): JSX.Element {
  return (
    <>
      {documents.map(({ file, lines }) => (
        <figure key={file} class="document-diff">
          <figcaption>
            <code>{file}</code>
          </figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
          <pre tabIndex={0}>
            {lines.map((line, index) => (
              <Line key={index} line={line} />
            ))}
          </pre>
        </figure>
      ))}
    </>
  );
}

function Line({ line }: { readonly line: string }): JSX.Element {
  const word = DOCUMENT_WORDS[line[0] ?? ''];
  if (word === undefined) return <span class="line">{`${line}\n`}</span>;
  const Mark = line.startsWith('-') ? 'del' : 'ins';
  return (
    <Mark class="line">
      <span class="unseen">{word}</span>
      {`${line}\n`}
    </Mark>
  );
}
