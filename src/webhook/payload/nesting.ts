import { WebhookError } from '../../errors/webhook-error.js';
import type { Turns } from '../../util/turns.js';

const OPENINGS = [0x5b, 0x7b];

/**
 * A value read from JSON that is nested no deeper than `maxDepth`. A text with fewer brackets than that cannot be deeper,
 * nor one that has no room for them, so the value itself is seldom looked at. Works level by level: depth must not cost the host's stack.
 *
 * @throws WebhookError WEBHOOK_PAYLOAD
 */
export function checkedDepth(value: unknown, source: Uint8Array, maxDepth: number): unknown {
  if (!holdsMore(source, maxDepth)) return value;
  const levels = walkLevels(value, maxDepth);
  while (levels.next().done !== true);
  return value;
}

/** `checkedDepth` for a large payload. */
export async function checkedDepthInTurns(
  value: unknown,
  source: Uint8Array,
  maxDepth: number,
  turns: Turns,
): Promise<unknown> {
  if (!holdsMore(source, maxDepth)) return value;
  for (const _ of walkLevels(value, maxDepth)) if (turns.isOver) await turns.next();
  return value;
}

/** Members that are looked at in a step. */
const STEP = 1000;

/** Looks through a value, some of it a step. */
function* walkLevels(value: unknown, maxDepth: number): Generator<void, void> {
  let level: readonly object[] = isNested(value) ? [value] : [];
  let looked = 0;
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) throw tooDeep(maxDepth);
    const below: object[] = [];
    for (const item of level) {
      const members: readonly unknown[] = Array.isArray(item) ? item : Object.values(item);
      for (let index = 0; index <= members.length; index++) {
        if (++looked % STEP === 0) yield;
        const member = members[index];
        if (isNested(member)) below.push(member);
      }
    }
    level = below;
  }
}

function tooDeep(maxDepth: number): WebhookError {
  return new WebhookError('WEBHOOK_PAYLOAD', `The payload is nested deeper than ${maxDepth} levels.`);
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Whether there are more than `count` brackets that open something, and room to close them; stops as soon as it knows. */
function holdsMore(source: Uint8Array, count: number): boolean {
  // A Buffer looks for a byte many times faster than a plain Uint8Array does.
  if (source.byteLength <= 2 * count) return false;
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  let found = 0;
  for (const opening of OPENINGS) {
    for (let at = bytes.indexOf(opening); at !== -1; at = bytes.indexOf(opening, at + 1)) {
      if (++found > count) return true;
    }
  }
  return false;
}
