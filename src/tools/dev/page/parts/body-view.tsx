import { useSignal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { BodyRef } from '../../protocol.js';
import { get } from '../state/api.js';
import { bytes, count } from '../state/format.js';
import { sayError } from '../state/store.js';
import { CopyButton } from './copy-button.js';
import { JsonTree, readMark } from './json-tree.js';

interface Loaded {
  readonly kind: 'text' | 'json';
  readonly text: string;
  readonly size: number;
  readonly isCut: boolean;
}

interface BodyViewProps {
  readonly body: BodyRef | undefined;
  /** Text for an absent body. */
  readonly empty: string;
  readonly label: string;
  /** Whether to show a list of collections as a table first. Default: false. */
  readonly asTable?: boolean;
}

type View = 'Table' | 'Tree' | 'Raw';

/** A long value, loaded when shown: table or tree for JSON, else text. */
export function BodyView({ body, empty, label, asTable = false }: BodyViewProps): JSX.Element {
  const loaded = useSignal<Loaded | undefined>(undefined);
  const view = useSignal<View | undefined>(undefined);
  const wanted = useSignal(body);
  useEffect(() => {
    loaded.value = undefined;
    wanted.value = body;
  }, [body?.ref]);
  useSignalEffect(() => {
    const { value } = wanted;
    if (value !== undefined) load(value, false);
  });
  const load = (of: BodyRef, whole: boolean): void => {
    get<Loaded>(`bodies/${of.ref}${whole ? '?whole=1' : ''}`).then((answer) => {
      if (wanted.peek()?.ref === of.ref) loaded.value = answer;
    }, sayError);
  };
  if (body === undefined) return <p class="empty-line">{empty}</p>;
  const { value: shown } = loaded;
  if (shown === undefined) return <p class="empty-line">Loading {bytes(body.size)} …</p>;
  const parsed = shown.isCut ? undefined : parse(shown.text);
  const views = listViews(parsed, asTable);
  const current = views.find((name) => name === view.value) ?? views[0];
  return (
    <div class="body-view">
      <div class="body-tools">
        <span class="muted">{bytes(shown.size)}</span>
        {views.length > 1 &&
          views.map((name) => (
            <button
              key={name}
              type="button"
              class="link"
              aria-pressed={name === current}
              onClick={() => {
                view.value = name;
              }}
            >
              {name}
            </button>
          ))}
        <CopyButton text={() => shown.text} label={`Copy ${label}`} />
      </div>
      {current === 'Table' && isTable(parsed?.value) ? (
        <ValueTable rows={parsed.value} />
      ) : parsed === undefined || current === 'Raw' ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
        <pre class="raw" tabIndex={0}>
          {parsed === undefined ? shown.text : JSON.stringify(parsed.value, null, 2)}
        </pre>
      ) : (
        <JsonTree value={parsed.value} />
      )}
      {shown.isCut && (
        <button type="button" class="button small" onClick={() => load(body, true)}>
          Show all {bytes(shown.size)}
        </button>
      )}
    </div>
  );
}

function listViews(parsed: { readonly value: unknown } | undefined, asTable: boolean): readonly View[] {
  if (parsed === undefined) return ['Raw'];
  return asTable && isTable(parsed.value) ? ['Table', 'Tree', 'Raw'] : ['Tree', 'Raw'];
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { value } : undefined;
  } catch {
    return undefined;
  }
}

/** Rows and columns drawn at first; more on request (rows) or in the tree (columns). */
const ROWS_AT_ONCE = 100;
const MAX_COLUMNS = 30;
const MAX_CELL = 120;

/** Whether a value is better shown as a table: a list of collections. */
function isTable(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))
  );
}

/** Collections as rows, numbered from 1 as in IML, with members as columns. */
function ValueTable({ rows }: { readonly rows: readonly Readonly<Record<string, unknown>>[] }): JSX.Element {
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
