import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PackedEvent } from '../../protocol.js';
import { count, duration, shownHost, shownPath, stopSentence } from '../state/format.js';
import { PlaceText, Status } from './controls.js';

/** Fixed row height, for virtual scrolling. */
const ROW = 34;

/** Number of rows drawn above and below the visible ones. */
const AROUND = 12;

/** Rows scrolled before the next redraw; less than `AROUND`. */
const ROWS_AT_ONCE = 6;

/** A row with the inputs it was drawn from. */
interface DrawnRow {
  readonly step: Step;
  readonly at: number;
  readonly isSelected: boolean;
  readonly durationMs: number;
  readonly row: JSX.Element;
}

interface TimelineProps {
  readonly steps: readonly Step[];
  readonly startedAt: number;
  readonly durationMs: number;
  readonly selected: number | undefined;
  readonly onSelect: (seq: number) => void;
}

/** Events in order; draws only visible rows. */
export function Timeline({ steps, startedAt, durationMs, selected, onSelect }: TimelineProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(400);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, top.value - AROUND);
  const shown = steps.slice(first, first + Math.ceil(height.value / ROW) + 2 * AROUND);
  const walk = (event: KeyboardEvent): void => {
    const change = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (change === undefined || event.ctrlKey || event.metaKey) return;
    const at = steps.findIndex(({ seq }) => seq === selected);
    const next = Math.min(steps.length - 1, Math.max(0, at + change));
    const step = steps[next];
    if (step === undefined) return;
    event.preventDefault();
    onSelect(step.seq);
    box.current?.scrollTo({ top: Math.max(0, (next - 4) * ROW) });
  };
  const choose = useRef(onSelect);
  choose.current = onSelect;
  const drawn = useRef(new Map<number, DrawnRow>());
  const before = drawn.current;
  drawn.current = new Map();
  /** An unchanged row is reused. */
  const draw = (step: Step, at: number): JSX.Element => {
    const isSelected = step.seq === selected;
    const known = before.get(step.seq);
    const isAsBefore =
      known?.step === step &&
      known.at === at &&
      known.isSelected === isSelected &&
      known.durationMs === durationMs;
    const row = isAsBefore ? known.row : drawRow(step, at, isSelected);
    drawn.current.set(step.seq, { step, at, isSelected, durationMs, row });
    return row;
  };
  const drawRow = (step: Step, at: number, isSelected: boolean): JSX.Element => (
    <div
      key={step.seq}
      id={`step-${step.seq}`}
      class={`step ${step.kind} ${isSelected ? 'selected' : ''}`}
      role="option"
      aria-selected={isSelected}
      aria-setsize={steps.length}
      aria-posinset={at + 1}
      tabIndex={-1}
      style={{ top: `${at * ROW}px` }}
      onClick={() => choose.current(step.seq)}
      onKeyDown={(event) => event.key === 'Enter' && choose.current(step.seq)}
    >
      <Row step={step} startedAt={startedAt} durationMs={durationMs} />
    </div>
  );
  return (
    <div
      class="timeline"
      ref={box}
      tabIndex={0}
      role="listbox"
      aria-label="Requests and events"
      aria-activedescendant={selected === undefined ? undefined : `step-${selected}`}
      onKeyDown={walk}
      onScroll={(event) => {
        // In steps, so that slow scrolling redraws rarely.
        top.value = Math.floor(event.currentTarget.scrollTop / ROW / ROWS_AT_ONCE) * ROWS_AT_ONCE;
      }}
    >
      <div class="timeline-all" role="presentation" style={{ height: `${steps.length * ROW}px` }}>
        {shown.map((step, index) => draw(step, first + index))}
      </div>
    </div>
  );
}

type RowProps = Pick<TimelineProps, 'startedAt' | 'durationMs'> & { readonly step: Step };

function Row({ step, startedAt, durationMs }: RowProps): JSX.Element {
  if (step.kind === 'exchange')
    return <ExchangeRow step={step} startedAt={startedAt} durationMs={durationMs} />;
  if (step.kind === 'static') {
    return (
      <>
        <span class="step-kind">static</span>
        <span class="step-text">no request is sent</span>
        <span class="step-made">{count(step.page.count, 'output')}</span>
      </>
    );
  }
  return <NoteRow step={step} />;
}

function ExchangeRow({
  step,
  startedAt,
  durationMs,
}: Omit<RowProps, 'step'> & { readonly step: ExchangeStep }): JSX.Element {
  const { request, response, page } = step;
  const { url, method } = request;
  return (
    <>
      <span class="step-place muted">{writePlace(step)}</span>
      <Status status={response?.status} />
      <span class="method">{method}</span>
      <span class="step-text" title={url}>
        <span class="muted">{shownHost(url)}</span>
        {shownPath(url)}
      </span>
      <span class="step-made">{page === undefined ? '' : count(page.count, 'output')}</span>
      <span class="step-time muted">{duration(response?.durationMs)}</span>
      <Bar at={request.at - startedAt} took={response?.durationMs ?? 0} whole={durationMs} />
    </>
  );
}

/** Number in the run, with the position if it is not the first request and page: `3 · page 2`. */
function writePlace({ number, request: { endpoint, requestIndex, page } }: ExchangeStep): string {
  const position = [
    endpoint,
    requestIndex > 0 && `request ${requestIndex + 1}`,
    page > 1 && `page ${page}`,
  ].filter(Boolean);
  return [number, ...position].join(' · ');
}

interface BarProps {
  readonly at: number;
  readonly took: number;
  readonly whole: number;
}

/** Time span within the run. */
function Bar({ at, took, whole }: BarProps): JSX.Element {
  const of = Math.max(1, whole);
  const left = Math.min(98, Math.max(0, (100 * at) / of));
  const width = Math.min(100 - left, Math.max(2, (100 * took) / of));
  return (
    <span class="waterfall" aria-hidden="true">
      <span style={{ left: `${left}%`, width: `${width}%` }} />
    </span>
  );
}

function NoteRow({ step: { event } }: { readonly step: NoteStep }): JSX.Element {
  switch (event.kind) {
    case 'wait':
      return <Note kind="wait" text={describeWait(event)} />;
    case 'stop':
      return <Note kind="stop" text={`No further page. ${stopSentence(event.reason) ?? ''}`} />;
    case 'skipped':
      return <Note kind="skipped" text={describeSkipped(event)} place={event.place} />;
    case 'missing':
      return <Note kind="missing" text={`No value for ${event.expression}`} place={event.place} />;
    case 'debug':
      return (
        <Note
          kind="debug"
          text={`${event.function}: ${event.values.map((value) => JSON.stringify(value)).join(' ')}`}
        />
      );
    case 'warning':
      return <Note kind="warning" text={event.warning.message} place={event.warning.place} />;
    default:
      return <Note kind="failed" text={`at ${event.phase}: ${event.message}`} place={event.place} />;
  }
}

function describeSkipped({ endpoint, requestIndex, page }: NoteStep['event']): string {
  // Only the refresh of a connection runs before the requests of a component.
  if (endpoint?.startsWith('connection ') === true)
    return `The refresh of the ${endpoint} is not needed: its condition is false.`;
  const where = [endpoint, `request ${requestIndex + 1}`, page > 1 && `page ${page}`].filter(Boolean);
  return `${where.join(', ')}: its condition is false.`;
}

function describeWait(event: Extract<NoteStep['event'], { readonly kind: 'wait' }>): string {
  if (event.reason === 'repeat') {
    return `${duration(event.delayMs)} before repeat ${event.repeats + 1}: repeat.condition is true`;
  }
  const until = event.delayMs === undefined ? 'until another call ends' : duration(event.delayMs);
  return `${until}: the budget of ${event.origin} is used up (${event.because})`;
}

interface NoteProps {
  readonly kind: string;
  readonly text: string;
  readonly place?: Parameters<typeof PlaceText>[0]['place'];
}

function Note({ kind, text, place }: NoteProps): JSX.Element {
  return (
    <>
      <span class={`step-kind ${kind}`}>{kind}</span>
      <span class="step-text" title={text}>
        {text}
      </span>
      <PlaceText place={place} />
    </>
  );
}

type EventOf<Kind extends PackedEvent['kind']> = Extract<PackedEvent, { readonly kind: Kind }>;

/** One exchange of a run with its results. */
export interface ExchangeStep {
  readonly kind: 'exchange';
  readonly seq: number;
  /** From 1, in the order of the run. */
  readonly number: number;
  readonly request: EventOf<'request'>;
  readonly response: EventOf<'response'> | undefined;
  /** The outputs of the response. */
  readonly page: EventOf<'page'> | undefined;
}

/** Another event. */
interface NoteStep {
  readonly kind: 'note';
  readonly seq: number;
  readonly event: Exclude<PackedEvent, { readonly kind: 'request' | 'response' | 'scope' | 'page' }>;
}

/** A page without a request: a communication without url. */
interface StaticStep {
  readonly kind: 'static';
  readonly seq: number;
  readonly page: EventOf<'page'>;
}

export type Step = ExchangeStep | NoteStep | StaticStep;

/** Groups the events of a run by exchange. */
export function listSteps(events: readonly PackedEvent[]): readonly Step[] {
  const steps: Step[] = [];
  let sent = 0;
  let open: { at: number; step: ExchangeStep } | undefined;
  const change = (more: Partial<ExchangeStep>): void => {
    if (open === undefined) return;
    const step = { ...open.step, ...more };
    open = { ...open, step };
    steps[open.at] = step;
  };
  for (const event of events) {
    switch (event.kind) {
      case 'request': {
        const step: ExchangeStep = {
          kind: 'exchange',
          seq: event.seq,
          number: ++sent,
          request: event,
          response: undefined,
          page: undefined,
        };
        open = { at: steps.length, step };
        steps.push(step);
        break;
      }
      case 'response':
        change({ response: event });
        break;
      case 'page':
        if (open === undefined || open.step.page !== undefined)
          steps.push({ kind: 'static', seq: event.seq, page: event });
        else change({ page: event });
        break;
      case 'scope':
        break;
      default:
        steps.push({ kind: 'note', seq: event.seq, event });
    }
  }
  return steps;
}
