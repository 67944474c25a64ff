import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ExplainedDocument, ExplainedExpression, ShownValue } from '../../protocol.js';

interface TextProps {
  readonly document: ExplainedDocument;
  /** Notes for its lines. */
  readonly notes: readonly Note[];
  readonly chosen: ExplainedExpression | undefined;
  readonly onChoose: (expression: ExplainedExpression) => void;
}

/** Delay before a tooltip closes, so that the pointer can reach it. */
const LEAVE_MS = 200;

/** A document of the app: expressions as buttons with their values, notes at the ends of lines. */
export function ExpressionText({ document, notes, chosen, onChoose }: TextProps): JSX.Element {
  const tip = useSignal<(Tip & { readonly owner: number; readonly part: number }) | undefined>(undefined);
  const leaving = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const stay = (): void => clearTimeout(leaving.current);
  const close = (): void => {
    stay();
    tip.value = undefined;
  };
  const leave = (): void => {
    stay();
    leaving.current = setTimeout(close, LEAVE_MS);
  };
  const pointer = useRef('');
  /** Expression under the pointer at Escape, ignored until the pointer moves. */
  const dismissed = useRef<string | undefined>(undefined);
  const isOpen = tip.value !== undefined;
  useEffect(() => {
    if (!isOpen) return undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      dismissed.current = pointer.current;
      close();
    };
    const move = (event: PointerEvent): void => {
      pointer.current = writePosition(event);
    };
    addEventListener('keydown', press);
    addEventListener('pointermove', move, { passive: true });
    return () => {
      removeEventListener('pointermove', move);
      removeEventListener('keydown', press);
    };
  }, [isOpen]);
  useEffect(() => stay, []);
  const show = (expression: ExplainedExpression, part: number, anchor: Element, isWalked: boolean): void => {
    stay();
    const { owner, part: before } = tip.peek() ?? {};
    // Avoids redrawing the document.
    if (owner === expression.start && before === part && !isWalked) return;
    const shown = expression.parts[part];
    const source = shown === undefined ? expression.source : document.text.slice(shown.start, shown.end);
    const { value } = shown ?? expression;
    tip.value = { source, value, anchor, isWalked, owner: expression.start, part };
  };
  const { text, expressions, role } = document;
  const tipId = `tip-${role}`;
  const pieces: ComponentChildren[] = [];
  const placed: PlacedNotes[] = [...placeNotes(text, notes)];
  let at = 0;
  /** Adds text up to an offset, with notes at line ends. */
  const pushText = (end: number): void => {
    for (let note = placed[0]; note !== undefined && note.at <= end; note = placed[0]) {
      pieces.push(text.slice(at, note.at), <LineNotes key={`note ${note.line}`} {...note} />);
      at = note.at;
      placed.shift();
    }
    pieces.push(text.slice(at, end));
    at = end;
  };
  for (const expression of expressions) {
    if (expression.start < at) continue;
    pushText(expression.start);
    pieces.push(
      <ExpressionButton
        key={expression.start}
        text={text}
        expression={expression}
        isChosen={expression === chosen}
        tipId={tipId}
        shownPart={tip.value?.owner === expression.start ? tip.value.part : undefined}
        onChoose={() => onChoose(expression)}
        onShow={(part, anchor, isWalked) => show(expression, part, anchor, isWalked)}
        onPoint={(part, anchor, event) => {
          if (dismissed.current === writePosition(event)) return;
          dismissed.current = undefined;
          pointer.current = writePosition(event);
          show(expression, part, anchor, false);
        }}
        onLeave={leave}
        onClose={close}
      />,
    );
    at = expression.end;
  }
  pushText(text.length);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
      <pre class="spec" tabIndex={0}>
        {pieces}
      </pre>
      <ValueTip id={tipId} tip={tip.value} onPoint={(isOn) => (isOn ? stay() : leave())} onLost={close} />
    </>
  );
}

function writePosition({ clientX, clientY }: PointerEvent): string {
  return `${clientX} ${clientY}`;
}

/** The whole expression. */
const WHOLE = -1;

interface ButtonProps {
  readonly text: string;
  readonly expression: ExplainedExpression;
  readonly isChosen: boolean;
  readonly tipId: string;
  /** The part whose value is shown, or `WHOLE`; undefined for none. */
  readonly shownPart: number | undefined;
  readonly onChoose: () => void;
  readonly onShow: (part: number, anchor: Element, isWalked: boolean) => void;
  readonly onPoint: (part: number, anchor: Element, event: PointerEvent) => void;
  readonly onLeave: () => void;
  readonly onClose: () => void;
}

/** One expression: hovering or the arrow keys select a part and show its value. */
function ExpressionButton({
  text,
  expression,
  isChosen,
  tipId,
  shownPart,
  onChoose,
  onShow,
  onPoint,
  onLeave,
  onClose,
}: ButtonProps): JSX.Element {
  const { parts, value } = expression;
  const walk = (event: KeyboardEvent): void => {
    const change = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const button = event.currentTarget as HTMLElement;
    if (change === undefined) return;
    event.preventDefault();
    const next = Math.max(WHOLE, Math.min(parts.length - 1, (shownPart ?? WHOLE) + change));
    const anchor = button.querySelector(`[data-part="${next}"]`) ?? button;
    anchor.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    onShow(next, anchor, true);
  };
  return (
    <button
      type="button"
      class={`expression ${value.kind} ${isChosen ? 'chosen' : ''}`}
      aria-describedby={shownPart === undefined ? undefined : tipId}
      onClick={onChoose}
      onKeyDown={walk}
      onFocus={({ currentTarget }) => {
        if (currentTarget.matches(':focus-visible')) onShow(WHOLE, currentTarget, false);
      }}
      onBlur={onClose}
      onPointerOver={(event) => {
        const { currentTarget, target } = event;
        const part = target instanceof Element ? target.closest('[data-part]') : null;
        const index = part === null ? WHOLE : Number(part.getAttribute('data-part'));
        onPoint(index, part ?? currentTarget, event);
      }}
      onPointerLeave={onLeave}
    >
      <span class="source">{drawParts(text, expression, shownPart)}</span>
      <span class="value">{short(value)}</span>
    </button>
  );
}

type Part = ExplainedExpression['parts'][number];

/** The source with nested parts. */
function drawParts(
  text: string,
  { start, end, parts }: ExplainedExpression,
  shownPart: number | undefined,
): ComponentChildren[] {
  const draw = (from: number, to: number, inside: readonly Part[]): ComponentChildren[] => {
    const pieces: ComponentChildren[] = [];
    let at = from;
    const outer = inside.filter((part) => !inside.some((other) => other !== part && isAround(other, part)));
    for (const part of [...outer].sort((a, b) => a.start - b.start)) {
      if (part.start < at) continue;
      const index = parts.indexOf(part);
      pieces.push(text.slice(at, part.start));
      pieces.push(
        <span key={part.start} class={`part ${index === shownPart ? 'shown' : ''}`} data-part={index}>
          {draw(
            part.start,
            part.end,
            inside.filter((other) => other !== part && other.start >= part.start && other.end <= part.end),
          )}
        </span>,
      );
      at = part.end;
    }
    pieces.push(text.slice(at, to));
    return pieces;
  };
  return draw(start, end, parts);
}

function isAround(outer: Part, inner: Part): boolean {
  const isLarger = outer.end - outer.start > inner.end - inner.start;
  return isLarger && outer.start <= inner.start && outer.end >= inner.end;
}

function short({ kind, text }: ShownValue): string {
  if (kind === 'nothing') return 'nothing';
  const line = text.replace(/\s+/g, ' ');
  return line.length > 48 ? `${line.slice(0, 48)}…` : line;
}

/** Element ID of the notes of a line, for links. */
export function noteId(file: string | undefined, line: number): string {
  return `note ${file ?? ''}:${line}`.replace(/\s/g, '-');
}

function LineNotes({ notes, line }: PlacedNotes): JSX.Element {
  return (
    <span class="finding-note" id={noteId(notes[0]?.file, line)} tabIndex={-1}>
      {notes.map(({ level, message, code }, index) => (
        <span key={`${code} ${index}`} class={level}>
          {level}: {message} {code !== undefined && <code>{code}</code>}
        </span>
      ))}
    </span>
  );
}

/** The value of an element under the pointer or with focus. */
interface Tip {
  readonly source: string;
  readonly value: ShownValue;
  /** The element. */
  readonly anchor: Element;
  /** Whether it was reached by keyboard, for screen readers. */
  readonly isWalked: boolean;
}

interface TipProps {
  /** ID for aria-describedby. */
  readonly id: string;
  readonly tip: Tip | undefined;
  /** Called when the pointer enters or leaves. */
  readonly onPoint: (isOn: boolean) => void;
  /** Called when the element is scrolled out of view. */
  readonly onLost: () => void;
}

/** Distance in pixels to the element and the window edge. */
const GAP = 6;

/** Shows the value of the hovered or focused element. Stays while the pointer is on it; Escape closes it. */
function ValueTip({ id, tip, onPoint, onLost }: TipProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null || tip === undefined) return undefined;
    const { anchor } = tip;
    const place = (): void => placeBeside(current, anchor);
    place();
    // Follows scrolled text: closing would also close it when scrolling moved the pointer here.
    addEventListener('scroll', place, { capture: true, passive: true });
    const sight = new IntersectionObserver((seen) => {
      if (seen.at(-1)?.isIntersecting === false) onLost();
    });
    sight.observe(anchor);
    return () => {
      removeEventListener('scroll', place, { capture: true });
      sight.disconnect();
    };
  }, [tip]);
  return (
    <>
      <div
        id={id}
        role="tooltip"
        class="value-tip"
        ref={box}
        hidden={tip === undefined}
        onPointerEnter={() => onPoint(true)}
        onPointerLeave={() => onPoint(false)}
      >
        {tip !== undefined && (
          <>
            <code>{tip.source}</code>
            <span class={`tip-value ${tip.value.kind}`}>{writeShown(tip.value)}</span>
          </>
        )}
      </div>
      <p class="unseen" aria-live="polite">
        {tip?.isWalked === true && `${tip.source}: ${writeShown(tip.value)}`}
      </p>
    </>
  );
}

function placeBeside(box: HTMLElement, anchor: Element): void {
  const own = box.getBoundingClientRect();
  // The first line of a wrapped element.
  const at = anchor.getClientRects()[0] ?? anchor.getBoundingClientRect();
  const hasRoomBelow = at.bottom + GAP + own.height <= innerHeight;
  const left = Math.max(GAP, Math.min(at.left, innerWidth - own.width - GAP));
  const top = hasRoomBelow ? at.bottom + GAP : Math.max(GAP, at.top - GAP - own.height);
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

/** A value as readable text. */
export function writeShown({ kind, text, isCut }: ShownValue): string {
  return kind === 'nothing' ? 'nothing (undefined)' : `${text}${isCut ? ' …' : ''}`;
}
/** A note for a line: a diagnostic, a warning or the error. */
export interface Note {
  readonly level: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly code: string | undefined;
  readonly file: string | undefined;
  /** From 1. */
  readonly line: number;
}

/** The notes of one line. */
export interface PlacedNotes {
  /** Offset of the end of the line. */
  readonly at: number;
  readonly line: number;
  readonly notes: readonly Note[];
}

/** Notes by line in order; those of unknown lines at the end. */
function placeNotes(text: string, notes: readonly Note[]): readonly PlacedNotes[] {
  const byLine = new Map<number, Note[]>();
  for (const note of notes) byLine.set(note.line, [...(byLine.get(note.line) ?? []), note]);
  const ends: number[] = [];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) ends.push(end);
  return [...byLine]
    .map(([line, found]) => ({ at: ends[line - 1] ?? text.length, line, notes: found }))
    .sort((a, b) => a.at - b.at);
}
