import { createHash } from 'node:crypto';
import type { TraceEvent } from '../../../engine/run/trace.js';
import { setMember } from '../../../shared/plain-object.js';
import { toPortable } from '../../../shared/portable-value.js';
import type { BodyRef, PackedEvent } from '../protocol.js';

/** Length of a long value in responses, unless the client requests all of it. */
export const MAX_BODY_SHOWN: number = 64 * 1024;

/** A stored long value: text, or JSON. */
export interface PackedBody {
  readonly ref: string;
  readonly kind: 'text' | 'json';
  readonly text: string;
  /** Its name in the event: `request body`, `response body`, `name temp`, `outputs`. */
  readonly place: string;
}

/** An event and its long values. */
export interface Packed {
  readonly event: PackedEvent;
  readonly bodies: readonly PackedBody[];
}

/**
 * Replaces long values of events by references. Equal values are stored once.
 *
 * @param seq number of the first event
 */
export function packEvents(events: readonly TraceEvent[], seq: number): readonly Packed[] {
  const all: Packed[] = [];
  for (const event of events) {
    const bodies: PackedBody[] = [];
    const pack = (value: unknown, place: string): BodyRef => {
      const body = packBody(value, place);
      bodies.push(body);
      return { ref: body.ref, size: body.text.length };
    };
    all.push({ event: packed(event, seq + all.length, pack), bodies });
  }
  return all;
}

/** A single value, such as the bundles of a run. */
export function packBody(value: unknown, place: string): PackedBody {
  const kind = typeof value === 'string' ? 'text' : 'json';
  const text = typeof value === 'string' ? value : JSON.stringify(toPortable(value) ?? null);
  const ref = createHash('sha256').update(`${kind}\n${text}`).digest('hex').slice(0, 32);
  return { ref, kind, text, place };
}

function packed(
  event: TraceEvent,
  seq: number,
  pack: (value: unknown, place: string) => BodyRef,
): PackedEvent {
  switch (event.kind) {
    case 'request':
    case 'response': {
      const isEmpty = event.body === undefined || event.body === '';
      return { ...event, seq, body: isEmpty ? undefined : pack(event.body, `${event.kind} body`) };
    }
    case 'scope': {
      const names: Record<string, BodyRef> = {};
      for (const [name, value] of Object.entries(event.names)) {
        setMember(names, name, pack(value, `name ${name}`));
      }
      return { ...event, seq, names };
    }
    case 'page':
      return { ...event, seq, outputs: pack(event.outputs, 'outputs'), count: event.outputs.length };
    default:
      return { ...event, seq };
  }
}
