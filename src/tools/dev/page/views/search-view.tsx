import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { SearchHit } from '../../protocol.js';
import { StateMark } from '../parts/badges.js';
import { moveFocus } from '../parts/move-focus.js';
import { get } from '../state/api.js';
import { clock, count } from '../state/format.js';
import { writeRoute } from '../state/route.js';
import { sayError } from '../state/store.js';

/** Results of a search in all runs. */
export function SearchView({ text }: { readonly text: string }): JSX.Element {
  const hits = useSignal<readonly SearchHit[] | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    hits.value = undefined;
    get<{ hits: readonly SearchHit[] }>(`search?text=${encodeURIComponent(text)}`).then((found) => {
      if (isCurrent) hits.value = found.hits;
    }, sayError);
    return () => {
      isCurrent = false;
    };
  }, [text]);
  const { value } = hits;
  return (
    <article class="search-view" aria-label="Search">
      <h1>
        “{text}” <span class="muted">{value === undefined ? 'searching …' : count(value.length, 'hit')}</span>
      </h1>
      {value?.length === 0 && (
        <p class="empty">No run has it: neither in what was asked, nor in an answer, a bundle or an error.</p>
      )}
      <ol class="hits" onKeyDown={moveFocus}>
        {(value ?? []).map(({ run, where, excerpt, seq }) => (
          <li key={`${run.id} ${where} ${seq}`}>
            <a data-item href={writeRoute('run', run.id)}>
              <span class="hit-head">
                <StateMark run={run} /> <strong>{run.name}</strong>{' '}
                <span class="muted">
                  {clock(run.startedAt)} · {where}
                </span>
              </span>
              <Excerpt excerpt={excerpt} text={text} />
            </a>
          </li>
        ))}
      </ol>
    </article>
  );
}

function Excerpt({ excerpt, text }: { readonly excerpt: string; readonly text: string }): JSX.Element {
  const at = excerpt.toLowerCase().indexOf(text.toLowerCase());
  if (at === -1) return <code>{excerpt}</code>;
  return (
    <code>
      {excerpt.slice(0, at)}
      <mark>{excerpt.slice(at, at + text.length)}</mark>
      {excerpt.slice(at + text.length)}
    </code>
  );
}
