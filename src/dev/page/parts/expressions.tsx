import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ExplainedDocument, ExplainedExpression, ShownValue } from '../../protocol.js';
import { ApiError, get } from '../state/api.js';
import { count } from '../state/format.js';
import { sayError } from '../state/store.js';
import { Playground } from './playground.js';

interface ExpressionsProps {
  readonly run: string;
  readonly seq: number;
}

interface Explained {
  readonly documents: readonly ExplainedDocument[];
  readonly items: number;
}

/** The texts of the app with the value each expression had at this point of the run. */
export function Expressions({ run, seq }: ExpressionsProps): JSX.Element {
  const explained = useSignal<Explained | undefined>(undefined);
  const problem = useSignal('');
  const item = useSignal(0);
  const chosen = useSignal<ExplainedExpression | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    chosen.value = undefined;
    get<Explained>(`runs/${run}/explain?seq=${seq}&item=${item.value}`).then(
      (answer) => {
        if (!isCurrent) return;
        explained.value = answer;
        problem.value = '';
      },
      (error: unknown) => {
        if (error instanceof ApiError) problem.value = error.message;
        else sayError(error);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [run, seq, item.value]);
  if (problem.value !== '') return <p class="empty-line">{problem.value}</p>;
  const { value } = explained;
  if (value === undefined) return <p class="empty-line">Evaluating …</p>;
  return (
    <div class="expressions">
      <Playground run={run} seq={seq} item={item.value} />
      {value.items > 1 && (
        <label class="item-choice">
          <code>item</code> is{' '}
          <input
            type="number"
            min={1}
            max={value.items}
            value={item.value + 1}
            onInput={(event) => {
              const number = Number(event.currentTarget.value);
              if (number >= 1 && number <= value.items) item.value = number - 1;
            }}
          />{' '}
          <span class="muted">of {count(value.items, 'item')}</span>
        </label>
      )}
      <p class="muted hint-line">
        Choose an expression to see its value whole, and what its parts were. Secrets stay hidden.
      </p>
      <div class="explained">
        <div class="documents">
          {value.documents.map((document) => (
            <section key={document.role} aria-label={document.file ?? document.role}>
              <h2>
                {document.file ?? document.role} <span class="tag">{document.role}</span>
              </h2>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
              <pre class="spec" tabIndex={0}>
                <Marked
                  document={document}
                  chosen={chosen.value}
                  onChoose={(expression) => {
                    chosen.value = expression;
                  }}
                />
              </pre>
            </section>
          ))}
        </div>
        <Chosen expression={chosen.value} documents={value.documents} />
      </div>
    </div>
  );
}

interface MarkedProps {
  readonly document: ExplainedDocument;
  readonly chosen: ExplainedExpression | undefined;
  readonly onChoose: (expression: ExplainedExpression) => void;
}

/** The text with its expressions as buttons, each with its value behind it. */
function Marked({ document, chosen, onChoose }: MarkedProps): JSX.Element {
  const { text, expressions } = document;
  const pieces: ComponentChildren[] = [];
  const notes = placeFindings(document);
  let at = 0;
  /** Text up to an offset, with what the check finds in a line at its end. */
  const pushText = (end: number): void => {
    for (let note = notes[0]; note !== undefined && note.at <= end; note = notes[0]) {
      pieces.push(text.slice(at, note.at), <FindingNote key={`note ${note.at}`} findings={note.findings} />);
      at = note.at;
      notes.shift();
    }
    pieces.push(text.slice(at, end));
    at = end;
  };
  for (const expression of expressions) {
    const { start, end, value } = expression;
    if (start < at) continue;
    pushText(start);
    pieces.push(
      <button
        key={start}
        type="button"
        class={`expression ${value.kind} ${expression === chosen ? 'chosen' : ''}`}
        onClick={() => onChoose(expression)}
      >
        <Parts text={text} expression={expression} />
        <span class="value">{short(value)}</span>
      </button>,
    );
    at = end;
  }
  pushText(text.length);
  return <>{pieces}</>;
}

interface PlacedFindings {
  /** Offset of the end of their line. */
  readonly at: number;
  readonly findings: ExplainedDocument['findings'];
}

function placeFindings({ text, findings }: ExplainedDocument): PlacedFindings[] {
  const byLine = groupByLine(findings);
  const ends: number[] = [];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) ends.push(end);
  return [...byLine]
    .map(([line, found]) => ({ at: ends[line - 1] ?? text.length, findings: found }))
    .sort((a, b) => a.at - b.at);
}

function groupByLine(
  findings: ExplainedDocument['findings'],
): ReadonlyMap<number, ExplainedDocument['findings']> {
  const groups = new Map<number, ExplainedDocument['findings']>();
  for (const finding of findings) {
    const line = finding.place.line ?? 1;
    groups.set(line, [...(groups.get(line) ?? []), finding]);
  }
  return groups;
}

function FindingNote({ findings }: Pick<PlacedFindings, 'findings'>): JSX.Element {
  return (
    <span class="finding-note">
      {findings.map(({ rule, level, message }) => (
        <span key={`${rule} ${message}`} class={level}>
          {level}: {message} <code>{rule}</code>
        </span>
      ))}
    </span>
  );
}

/** The source with its inner parts, each of which tells its value when it is pointed at. */
function Parts({
  text,
  expression,
}: {
  readonly text: string;
  readonly expression: ExplainedExpression;
}): JSX.Element {
  const build = (start: number, end: number, parts: ExplainedExpression['parts']): ComponentChildren[] => {
    const pieces: ComponentChildren[] = [];
    let at = start;
    const outer = parts.filter(
      (part) =>
        !parts.some(
          (other) =>
            other !== part && other.start <= part.start && other.end >= part.end && size(other) > size(part),
        ),
    );
    for (const part of [...outer].sort((a, b) => a.start - b.start)) {
      if (part.start < at) continue;
      const inner = parts.filter(
        (other) => other !== part && other.start >= part.start && other.end <= part.end,
      );
      pieces.push(text.slice(at, part.start));
      pieces.push(
        <span
          key={part.start}
          class="part"
          title={`${text.slice(part.start, part.end)}\n= ${part.value.text}`}
        >
          {build(part.start, part.end, inner)}
        </span>,
      );
      at = part.end;
    }
    pieces.push(text.slice(at, end));
    return pieces;
  };
  return <span class="source">{build(expression.start, expression.end, expression.parts)}</span>;
}

function size({ start, end }: { readonly start: number; readonly end: number }): number {
  return end - start;
}

function short({ kind, text }: ShownValue): string {
  if (kind === 'nothing') return 'nothing';
  const line = text.replace(/\s+/g, ' ');
  return line.length > 48 ? `${line.slice(0, 48)}…` : line;
}

interface ChosenProps {
  readonly expression: ExplainedExpression | undefined;
  readonly documents: readonly ExplainedDocument[];
}

function Chosen({ expression, documents }: ChosenProps): JSX.Element {
  const text = documents.find(
    ({ expressions }) => expression !== undefined && expressions.includes(expression),
  )?.text;
  return (
    <aside class="chosen" aria-label="Value of the expression" aria-live="polite">
      {expression === undefined || text === undefined ? (
        <p class="empty-line">No expression is chosen.</p>
      ) : (
        <>
          <NamedValue source={expression.source} value={expression.value} />
          {expression.parts.length > 0 && <h3>Its parts</h3>}
          {expression.parts.map((part) => (
            <NamedValue
              key={`${part.start} ${part.end}`}
              source={text.slice(part.start, part.end)}
              value={part.value}
            />
          ))}
        </>
      )}
    </aside>
  );
}

function NamedValue({ source, value }: { readonly source: string; readonly value: ShownValue }): JSX.Element {
  return (
    <div class={`value-of ${value.kind}`}>
      <code>{source}</code>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
      <pre tabIndex={0}>
        {value.kind === 'nothing' ? 'nothing (undefined)' : `${value.text}${value.isCut ? ' …' : ''}`}
      </pre>
    </div>
  );
}
