import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { count } from '../state/format.js';
import { readMark } from './json-tree.js';

/** Rows and columns drawn at first; more on request (rows) or in the tree (columns). */
const ROWS_AT_ONCE = 100;
const MAX_COLUMNS = 30;
const MAX_CELL = 120;

/** Whether a value is better shown as a table: a list of collections. */
export function isTable(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))
  );
}

/** Collections as rows, numbered from 1 as in IML, with members as columns. */
export function ValueTable({
  rows,
}: {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}): JSX.Element {
  const shown = useSignal(ROWS_AT_ONCE);
  const names = new Set<string>();
  for (const row of rows.slice(0, ROWS_AT_ONCE)) for (const name of Object.keys(row)) names.add(name);
  const columns = [...names].slice(0, MAX_COLUMNS);
  const left = rows.length - shown.value;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <div class="value-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">#</th>
            {columns.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown.value).map((row, index) => (
            <tr key={index}>
              <th scope="row">{index + 1}</th>
              {columns.map((name) => (
                <Cell key={name} value={row[name]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {names.size > MAX_COLUMNS && (
        <p class="muted">{count(names.size - MAX_COLUMNS, 'further column')}: see the tree.</p>
      )}
      {left > 0 && (
        <button
          type="button"
          class="link"
          onClick={() => {
            shown.value += 10 * ROWS_AT_ONCE;
          }}
        >
          {count(left, 'more row')}
        </button>
      )}
    </div>
  );
}

function Cell({ value }: { readonly value: unknown }): JSX.Element {
  if (value === undefined) return <td class="muted" />;
  const text = typeof value === 'string' ? value : (readMark(value) ?? JSON.stringify(value));
  return <td title={text}>{text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text}</td>;
}
