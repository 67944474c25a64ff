import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type {
  ExplainedDocument,
  ExplainedExpression,
  RunDetail,
  RunKind,
  ShownMoments,
  ShownPlace,
  ShownValue,
} from '../../protocol.js';
import { ApiError, get } from '../state/api.js';
import { showError } from '../state/store.js';
import { ExpressionText, type Note, noteId, writeShown } from './expression-text.js';
import { nameMoment, Playground, type Tried } from './playground.js';

interface ExpressionsProps {
  readonly run: RunDetail;
  readonly seq: number;
  /** A line to scroll to; reset when shown. */
  readonly sought: Signal<ShownPlace | undefined>;
}

type Explained = ShownMoments & { readonly documents: readonly ExplainedDocument[] };

/** The documents of the app with the value of each expression at this point of the run. */
export function Expressions({ run, seq, sought }: ExpressionsProps): JSX.Element {
  const explained = useSignal<Explained | undefined>(undefined);
  const problem = useSignal('');
  const item = useSignal(0);
  const chosen = useSignal<ExplainedExpression | undefined>(undefined);
  const tried = useSignal<Tried>({ expression: '', moment: undefined, version: 0 });
  useEffect(() => {
    let isCurrent = true;
    chosen.value = undefined;
    get<Explained>(`runs/${run.id}/explain?seq=${seq}&item=${item.value}`).then(
      (answer) => {
        if (!isCurrent) return;
        explained.value = answer;
        problem.value = '';
      },
      (error: unknown) => {
        if (error instanceof ApiError) problem.value = error.message;
        else showError(error);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [run.id, seq, item.value]);
  const { value } = explained;
  useEffect(() => {
    const place = sought.value;
    if (value === undefined || place === undefined) return;
    sought.value = undefined;
    const note = document.getElementById(noteId(place.file, place.line ?? 1));
    note?.scrollIntoView({ block: 'center' });
    note?.focus({ preventScroll: true });
  }, [value, sought.value]);
  if (problem.value !== '') return <p class="empty-line">{problem.value}</p>;
  if (value === undefined) return <p class="empty-line">Evaluating …</p>;
  return (
    <div class="expressions">
      <Playground run={run} seq={seq} item={item} step={value} tried={tried} />
      <p class="muted hint-line">
        Point at a part of an expression to see its value, or move to one with Tab and through its parts with
        ← and →. Choose it to see all of them. Secrets stay hidden.
      </p>
      <div class="explained">
        <div class="documents">
          {value.documents.map((document) => (
            <section key={document.role} aria-label={document.file ?? document.role}>
              <h2>
                {document.file ?? document.role} <span class="tag">{document.role}</span>
              </h2>
              <ExpressionText
                document={document}
                notes={listNotes(document, run)}
                chosen={chosen.value}
                onChoose={(expression) => {
                  chosen.value = expression;
                }}
              />
            </section>
          ))}
        </div>
        <Chosen
          kind={run.kind}
          expression={chosen.value}
          documents={value.documents}
          onTry={({ source, moment }) => {
            const { version } = tried.value;
            tried.value = { expression: source, moment, version: version + 1 };
          }}
        />
      </div>
    </div>
  );
}

/** Diagnostics, warnings and the error, for a document. */
function listNotes(
  { file, findings }: ExplainedDocument,
  { allWarnings, failure }: RunDetail,
): readonly Note[] {
  const found = findings.map(({ rule, level, message, place }) => ({
    level,
    message,
    code: rule,
    file,
    line: place.line ?? 1,
  }));
  const told = [
    ...allWarnings.map(({ code, message, place }) => ({ level: 'warning' as const, message, code, place })),
    ...(failure === undefined
      ? []
      : [{ level: 'error' as const, message: failure.message, code: failure.code, place: failure.place }]),
  ];
  const here = told.flatMap(({ place, ...note }) =>
    place?.file === file && place?.line !== undefined ? [{ ...note, file, line: place.line }] : [],
  );
  return [...found, ...here];
}

interface ChosenProps {
  readonly kind: RunKind;
  readonly expression: ExplainedExpression | undefined;
  readonly documents: readonly ExplainedDocument[];
  readonly onTry: (expression: ExplainedExpression) => void;
}

function Chosen({ kind, expression, documents, onTry }: ChosenProps): JSX.Element {
  const text = documents.find(
    ({ expressions }) => expression !== undefined && expressions.includes(expression),
  )?.text;
  return (
    <aside class="chosen" aria-label="Value of the expression" aria-live="polite">
      {expression === undefined || text === undefined ? (
        <p class="empty-line">Choose an expression to see its value.</p>
      ) : (
        <>
          <NamedValue source={expression.source} value={expression.value} />
          <p class="muted">
            Value {nameMoment(expression.moment, kind)}.{' '}
            <button type="button" class="link" onClick={() => onTry(expression)}>
              Edit in the playground
            </button>
          </p>
          {expression.parts.length > 0 && <h3>Parts</h3>}
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
      <pre tabIndex={0}>{writeShown(value)}</pre>
    </div>
  );
}
