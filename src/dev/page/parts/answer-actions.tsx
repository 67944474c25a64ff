import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { RunDetail } from '../../protocol.js';

interface FromPageProps {
  readonly run: RunDetail;
  readonly onRun: (fromPage: number) => void;
}

/** Runs again on recorded answers up to a page; from there on the service is asked. */
export function FromPage({ run, onRun }: FromPageProps): JSX.Element | null {
  // The first page is that of the first request; the others were counted.
  const last = run.pages + 1;
  const page = useSignal(String(last));
  if (!run.canReplay || last < 2) return null;
  return (
    <form
      class="button from-page"
      title="The answers of the pages before are given again; from this page on the service is asked"
      onSubmit={(event) => {
        event.preventDefault();
        onRun(Number(page.value));
      }}
    >
      <button type="submit" class="plain">
        From page
      </button>
      <input
        type="number"
        aria-label="Page from which the service is asked"
        min={2}
        max={last}
        required
        value={page.value}
        onInput={(event) => {
          page.value = event.currentTarget.value;
        }}
      />
    </form>
  );
}

interface AnswersChoiceProps {
  readonly run: RunDetail | undefined;
  /** Empty: of the service. `all`: recorded ones. A number: recorded ones up to that page. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Where the answers of an edited run come from. */
export function AnswersChoice({ run, value, onChange }: AnswersChoiceProps): JSX.Element | null {
  if (run === undefined || !run.canReplay) return null;
  const pages = Array.from({ length: run.pages }, (_, index) => index + 2);
  return (
    <label class="inline">
      answers{' '}
      <select
        value={value}
        onChange={(event) => {
          onChange(event.currentTarget.value);
        }}
      >
        <option value="">of the service</option>
        <option value="all">recorded, nothing is sent</option>
        {pages.map((page) => (
          <option key={page} value={String(page)}>
            recorded, from page {page} on of the service
          </option>
        ))}
      </select>
    </label>
  );
}

/** What a choice of answers adds to what is asked. */
export function wishAnswers(
  run: RunDetail | undefined,
  value: string,
): { readonly replayOf?: string; readonly fromPage?: number } {
  if (run === undefined || value === '') return {};
  return value === 'all' ? { replayOf: run.id } : { replayOf: run.id, fromPage: Number(value) };
}
