import { expect, it } from 'vitest';
import type { TraceEvent } from '../../src/index.js';
import { packBody, packEvents } from '../../src/tools/dev/history/history.js';

const AT = { at: 1, requestIndex: 0, page: 1 } as const;
const PAGE = { ...AT, kind: 'page', isIterated: true, isCut: false } as const;

function makePage(outputs: readonly unknown[]): TraceEvent {
  return { ...PAGE, looked: outputs.length, outputs };
}

it('numbers events from an offset, and moves long values out', async () => {
  const scope = { ...AT, kind: 'scope', phase: 'request', scope: {}, names: { temp: { a: 1 } }, unset: [] };
  const events = [makePage([{ id: 1 }]), scope as unknown as TraceEvent, makePage([])];
  const [page, names, empty] = packEvents(events, 7);
  expect(page).toEqual({
    event: { ...PAGE, seq: 7, looked: 1, count: 1, outputs: { ref: expect.any(String), size: 10 } },
    bodies: [{ ref: expect.any(String), kind: 'json', text: '[{"id":1}]', place: 'outputs' }],
  });
  expect(names).toMatchObject({
    event: { seq: 8, names: { temp: { size: 7 } } },
    bodies: [{ text: '{"a":1}', place: 'name temp' }],
  });
  expect(empty).toMatchObject({ event: { seq: 9, count: 0 } });
});

it('refers to equal values by one name, and separates text from equal JSON', async () => {
  const [text, again, list] = await Promise.all([
    packBody('[1]', 'response body'),
    packBody('[1]', 'request body'),
    packBody([1], 'outputs'),
  ]);
  expect(again.ref).toBe(text.ref);
  expect(list).toMatchObject({ kind: 'json', text: '[1]' });
  expect(list.ref).not.toBe(text.ref);
});

// A turn for each thousand values that are written, and for each 256 Ki characters that are hashed.
