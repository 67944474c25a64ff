import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { count } from '../state/format.js';

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
export function readMark(value: unknown): string | undefined {
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
