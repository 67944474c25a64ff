import { createHash } from 'node:crypto';
import type { TraceEvent } from '../../run/trace/trace.js';
import { setMember } from '../../util/plain-object.js';
import { toPortable } from '../../util/portable-value.js';
import { isTurnOver, Turns } from '../../util/turns.js';
import type { BodyRef, PackedEvent } from '../protocol.js';

/** Characters of a long value that are given unless the whole is asked for. */
export const MAX_BODY_SHOWN: number = 64 * 1024;

/** A long value as it is kept: text as it is, everything else as JSON. */
export interface PackedBody {
  readonly ref: string;
  readonly kind: 'text' | 'json';
  readonly text: string;
  /** What it is in its event: `request body`, `response body`, `name temp`, `outputs`. */
  readonly place: string;
}

/** An event and the long values that were in it. */
export interface Packed {
  readonly event: PackedEvent;
  readonly bodies: readonly PackedBody[];
}

/** Characters that are hashed at once. */
const HASH_PIECE = 256 * 1024;

/**
 * Takes the long values out of events, in turns: the same value is kept once, however many events and runs have it.
 *
 * @param seq that of the first event
 */
export async function packEvents(
  events: readonly TraceEvent[],
  seq: number,
  turns: Turns = new Turns(),
): Promise<readonly Packed[]> {
  const all: Packed[] = [];
  for (const event of events) {
    const bodies: PackedBody[] = [];
    const pack = async (value: unknown, place: string): Promise<BodyRef> => {
      const body = await packBody(value, place, turns);
      bodies.push(body);
      return { ref: body.ref, size: body.text.length };
    };
    all.push({ event: await packed(event, seq + all.length, pack), bodies });
  }
  return all;
}

/** One value on its own, such as the bundles of a run. */
export async function packBody(
  value: unknown,
  place: string,
  turns: Turns = new Turns(),
): Promise<PackedBody> {
  if (isTurnOver()) await turns.next();
  const kind = typeof value === 'string' ? 'text' : 'json';
  const text = typeof value === 'string' ? value : JSON.stringify(toPortable(value) ?? null);
  return { ref: await makeRef(kind, text, turns), kind, text, place };
}

async function makeRef(kind: PackedBody['kind'], text: string, turns: Turns): Promise<string> {
  const hash = createHash('sha256').update(`${kind}\n`);
  for (let start = 0; start < text.length; start += HASH_PIECE) {
    if (turns.isOver) await turns.next();
    hash.update(text.slice(start, start + HASH_PIECE));
  }
  return hash.digest('hex').slice(0, 32);
}

async function packed(
  event: TraceEvent,
  seq: number,
  pack: (value: unknown, place: string) => Promise<BodyRef>,
): Promise<PackedEvent> {
  switch (event.kind) {
    case 'request':
    case 'response': {
      const isEmpty = event.body === undefined || event.body === '';
      return { ...event, seq, body: isEmpty ? undefined : await pack(event.body, `${event.kind} body`) };
    }
    case 'scope': {
      const names: Record<string, BodyRef> = {};
      for (const [name, value] of Object.entries(event.names)) {
        setMember(names, name, await pack(value, `name ${name}`));
      }
      return { ...event, seq, names };
    }
    case 'page':
      return { ...event, seq, outputs: await pack(event.outputs, 'outputs'), count: event.outputs.length };
    default:
      return { ...event, seq };
  }
}
