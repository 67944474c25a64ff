import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { CaseDraft, RunDetail } from '../protocol.js';
import { ApiError, get, post } from './state/api.js';
import { bytes, count } from './state/format.js';
import { go, writeRoute } from './state/route.js';
import { say, showError } from './state/store.js';

/** A preview of a run as a case. */
export function SaveView({ id }: { readonly id: string }): JSX.Element {
  const run = useSignal<RunDetail | undefined>(undefined);
  const draft = useSignal<CaseDraft | undefined>(undefined);
  const problem = useSignal('');
  const look = (): void => {
    problem.value = '';
    post<CaseDraft>(`runs/${id}/case`).then(
      (found) => {
        draft.value = found;
      },
      (error: unknown) => {
        if (error instanceof ApiError) problem.value = error.message;
        else showError(error);
      },
    );
  };
  useEffect(() => {
    draft.value = undefined;
    get<RunDetail>(`runs/${id}`).then((found) => {
      run.value = found;
    }, showError);
    look();
  }, [id]);
  return (
    <article class="save" aria-label="Save as test">
      <h1>Save as test</h1>
      <p class="lead">
        The run of <a href={writeRoute('run', id)}>{run.value?.name ?? 'this run'}</a> becomes a case of{' '}
        <code>iml test</code>: its input, requests, responses and output.
      </p>
      {problem.value !== '' && (
        <section class="card failure" role="alert">
          <h2>The run cannot be saved</h2>
          <p class="message">{problem.value}</p>
          <button type="button" class="button" onClick={look}>
            Try again
          </button>
        </section>
      )}
      {draft.value === undefined && problem.value === '' && (
        <p class="blank">Replaying the run without its secrets …</p>
      )}
      {draft.value !== undefined && run.value !== undefined && problem.value === '' && (
        <>
          <SaveForm
            run={run.value}
            draft={draft.value}
            onProblem={(text) => {
              problem.value = text;
            }}
          />
          <Draft draft={draft.value} />
        </>
      )}
    </article>
  );
}

interface SaveFormProps {
  readonly run: RunDetail;
  readonly draft: CaseDraft;
  readonly onProblem: (text: string) => void;
}

function SaveForm({ run, draft, onProblem }: SaveFormProps): JSX.Element {
  const name = useSignal(suggestName(run, draft.taken));
  const replace = useSignal(false);
  const isWriting = useSignal(false);
  const isTaken = draft.taken.includes(name.value.trim());
  const save = async (): Promise<void> => {
    isWriting.value = true;
    try {
      const choice = { name: name.value.trim(), shown: draft.ref, replace: isTaken && replace.value };
      const { test } = await post<{ test: string }>(`runs/${run.id}/case/write`, choice);
      say(`${test} is written.`);
      go('test', test);
    } catch (error) {
      if (error instanceof ApiError) onProblem(error.message);
      else showError(error);
    } finally {
      isWriting.value = false;
    }
  };
  return (
    <form
      class="card form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="field">
        <label for="case-name">Name</label>
        <input
          id="case-name"
          value={name.value}
          required
          maxLength={80}
          pattern="[A-Za-z0-9][\w .\-]*"
          title="Letters, digits, blanks, - _ and ."
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
        <p class="help">
          <code>
            {draft.folder}/{name.value.trim() || '…'}.test.json
          </code>
        </p>
        {isTaken && (
          <label class="inline">
            <input
              type="checkbox"
              checked={replace.value}
              onChange={(event) => {
                replace.value = event.currentTarget.checked;
              }}
            />{' '}
            Replace the existing case of this name
          </label>
        )}
      </div>
      <div class="form-end">
        <button
          type="submit"
          class="button primary"
          disabled={isWriting.value || (isTaken && !replace.value)}
        >
          Write the file
        </button>
        <a class="button" href={writeRoute('run', run.id)}>
          Cancel
        </a>
      </div>
    </form>
  );
}

/** A suggested name of the case. */
function suggestName({ failure, bundles, kind }: RunDetail, taken: readonly string[]): string {
  const plain =
    failure !== undefined
      ? `${failure.type.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}${failure.status === undefined ? '' : `-${failure.status}`}`
      : kind === 'webhook'
        ? `call-with-${bundles}-bundles`
        : `gives-${bundles}-bundles`;
  let name = plain;
  for (let number = 2; taken.includes(name); number++) name = `${plain}-${number}`;
  return name;
}

function Draft({
  draft: { text, bodies, placeholders, suspects },
}: {
  readonly draft: CaseDraft;
}): JSX.Element {
  return (
    <>
      {suspects.length > 0 && (
        <section class="card warnings" aria-label="Suspects">
          <h2>Check these values before you share the file</h2>
          <p>They look like keys, and the app does not know them as secrets.</p>
          <ul>
            {suspects.map(({ path, shown }) => (
              <li key={path}>
                <code>{path}</code> <span class="muted">{shown}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Files to write">
        <h2>Files to write</h2>
        <p class="muted">
          {placeholders.length === 0
            ? 'The case contains no secrets.'
            : `Secrets replaced by placeholders: ${placeholders.join(', ')}.`}{' '}
          {bodies.length > 0 &&
            `${count(bodies.length, 'body', 'bodies')} beside it: ${bodies.map(({ name, size }) => `${name} (${bytes(size)})`).join(', ')}.`}
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
        <pre class="spec draft" tabIndex={0}>
          {text}
        </pre>
      </section>
    </>
  );
}
