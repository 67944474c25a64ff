import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { RunDetail } from '../../protocol.js';

interface FromPageProps {
  readonly run: RunDetail;
  readonly onRun: (fromPage: number) => void;
}

/** Reuses recorded responses up to a page, then sends requests. */
export function FromPage({ run, onRun }: FromPageProps): JSX.Element | null {
  // `followUpPages` does not count the first page.
  const last = run.followUpPages + 1;
  const page = useSignal(String(last));
  if (!run.canReplay || last < 2) return null;
  return (
    <form
      class="button from-page"
      title="Earlier pages use the recorded responses; this page and later ones are sent to the API"
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
        aria-label="First page that is sent to the API"
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
  /** Empty: send requests. `all`: recorded responses. A number: recorded responses up to that page. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Selects the source of responses of an edited run. */
export function AnswersChoice({ run, value, onChange }: AnswersChoiceProps): JSX.Element | null {
  if (run === undefined || !run.canReplay) return null;
  const pages = Array.from({ length: run.followUpPages }, (_, index) => index + 2);
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

/** Members of the run request for a choice. */
export function wishAnswers(
  run: RunDetail | undefined,
  value: string,
): { readonly replayOf?: string; readonly fromPage?: number } {
  if (run === undefined || value === '') return {};
  return value === 'all' ? { replayOf: run.id } : { replayOf: run.id, fromPage: Number(value) };
}
