import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { BodyRef } from '../../protocol.js';
import { get } from '../state/api.js';
import { bytes, count } from '../state/format.js';
import { showError } from '../state/store.js';
import { CopyButton } from './controls.js';

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
    }, showError);
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

/** Number of members shown at first. */
const MEMBERS_AT_ONCE = 100;

interface NodeProps {
  readonly name: string | undefined;
  readonly value: unknown;
  readonly depth: number;
}

/** A value as an expandable tree. */
export function JsonTree({ value }: { readonly value: unknown }): JSX.Element {
  return (
    <div class="tree">
      <TreeNode name={undefined} value={value} depth={0} />
    </div>
  );
}

function TreeNode({ name, value, depth }: NodeProps): JSX.Element {
  const isList = Array.isArray(value);
  const mark = readMark(value);
  if (mark !== undefined) {
    return (
      <div class="leaf">
        <Key name={name} />
        <span class="word">{mark}</span>
      </div>
    );
  }
  if (typeof value !== 'object' || value === null) {
    return (
      <div class="leaf">
        <Key name={name} />
        <Scalar value={value} />
      </div>
    );
  }
  const members: readonly (readonly [string, unknown])[] = isList
    ? value.map((item, index) => [String(index + 1), item] as const)
    : Object.entries(value);
  const summary = isList ? count(members.length, 'item') : count(members.length, 'member');
  if (members.length === 0) {
    return (
      <div class="leaf">
        <Key name={name} />
        <span class="punct">{isList ? '[]' : '{}'}</span>
      </div>
    );
  }
  return (
    <Branch isOpen={depth < 2 && members.length <= MEMBERS_AT_ONCE} name={name} summary={summary}>
      {() => <Members members={members} depth={depth} />}
    </Branch>
  );
}

interface BranchProps {
  readonly isOpen: boolean;
  readonly name: string | undefined;
  readonly summary: string;
  readonly children: () => ComponentChildren;
}

function Branch({ isOpen, name, summary, children }: BranchProps): JSX.Element {
  const open = useSignal(isOpen);
  return (
    <details
      class="branch"
      open={open.value}
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>
        <Key name={name} />
        <span class="muted">{summary}</span>
      </summary>
      {open.value && <div class="members">{children()}</div>}
    </details>
  );
}

interface MembersProps {
  readonly members: readonly (readonly [string, unknown])[];
  readonly depth: number;
}

function Members({ members, depth }: MembersProps): JSX.Element {
  const shown = useSignal(MEMBERS_AT_ONCE);
  const left = members.length - shown.value;
  return (
    <>
      {members.slice(0, shown.value).map(([key, member]) => (
        <TreeNode key={key} name={key} value={member} depth={depth + 1} />
      ))}
      {left > 0 && (
        <button
          type="button"
          class="link"
          onClick={() => {
            shown.value += 10 * MEMBERS_AT_ONCE;
          }}
        >
          {count(left, 'more', 'more')}
        </button>
      )}
    </>
  );
}

/** Dates and bytes, which JSON lacks. */
function readMark(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return undefined;
  const { $date: date, $bytes: bytes } = value as { readonly $date?: unknown; readonly $bytes?: unknown };
  if (typeof date === 'string') return date;
  return typeof bytes === 'string' ? `[${Math.floor((bytes.length * 3) / 4)} bytes]` : undefined;
}

function Key({ name }: { readonly name: string | undefined }): JSX.Element | null {
  return name === undefined ? null : (
    <>
      <span class="key">{name}</span>
      <span class="punct">: </span>
    </>
  );
}

function Scalar({ value }: { readonly value: unknown }): JSX.Element {
  if (typeof value === 'string') return <span class="string">{JSON.stringify(value)}</span>;
  if (typeof value === 'number') return <span class="number">{String(value)}</span>;
  return <span class="word">{value === undefined ? 'undefined' : String(value)}</span>;
}
