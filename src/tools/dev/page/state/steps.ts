import type { PackedEvent } from '../../protocol.js';

type EventOf<Kind extends PackedEvent['kind']> = Extract<PackedEvent, { readonly kind: Kind }>;

/** One exchange of a run with its results. */
export interface ExchangeStep {
  readonly kind: 'exchange';
  readonly seq: number;
  readonly request: EventOf<'request'>;
  readonly response: EventOf<'response'> | undefined;
  /** The outputs of the response. */
  readonly page: EventOf<'page'> | undefined;
}

/** Another event. */
export interface NoteStep {
  readonly kind: 'note';
  readonly seq: number;
  readonly event: Exclude<PackedEvent, { readonly kind: 'request' | 'response' | 'scope' | 'page' }>;
}

/** A page without a request: a communication without url. */
export interface StaticStep {
  readonly kind: 'static';
  readonly seq: number;
  readonly page: EventOf<'page'>;
}

export type Step = ExchangeStep | NoteStep | StaticStep;

/** Groups the events of a run by exchange. */
export function listSteps(events: readonly PackedEvent[]): readonly Step[] {
  const steps: Step[] = [];
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
