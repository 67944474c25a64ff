import { expect, it } from 'vitest';
import { addAbortListener, removeAbortListener } from '../../src/shared/concurrency.js';

function listener(told: string[], name: string): { onAbort: () => void } {
  return { onAbort: () => told.push(name) };
}

it('notifies each listener once, but no removed one', () => {
  const told: string[] = [];
  const controller = new AbortController();
  const [a, b, c] = ['a', 'b', 'c'].map((name) => listener(told, name));
  if (a === undefined || b === undefined || c === undefined) throw new Error('three were made');
  for (const one of [a, b, a, c]) addAbortListener(controller.signal, one);
  removeAbortListener(controller.signal, b);
  controller.abort();
  controller.abort();
  expect(told).toEqual(['a', 'c']);
});

it('accepts listeners after all were removed, and separates signals', () => {
  const told: string[] = [];
  const [first, second] = [new AbortController(), new AbortController()];
  const one = listener(told, 'one');
  addAbortListener(first.signal, one);
  removeAbortListener(first.signal, one);
  addAbortListener(first.signal, listener(told, 'later'));
  addAbortListener(second.signal, listener(told, 'other'));
  removeAbortListener(second.signal, one);
  first.abort();
  expect(told).toEqual(['later']);
});

it('does not notify a listener that another one removes', () => {
  const told: string[] = [];
  const controller = new AbortController();
  const second = listener(told, 'second');
  addAbortListener(controller.signal, {
    onAbort: () => {
      told.push('first');
      removeAbortListener(controller.signal, second);
    },
  });
  addAbortListener(controller.signal, second);
  controller.abort();
  expect(told).toEqual(['first']);
});
