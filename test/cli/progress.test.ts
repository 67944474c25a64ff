import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/index.js';
import { progressLine, startProgress } from '../../src/tools/cli/output/progress.js';

type Io = Parameters<typeof startProgress>[1];

function fakeIo(stderr: Partial<Io['stderr']>): {
  readonly io: Io;
  readonly texts: string[];
} {
  const texts: string[] = [];
  const write = async (text: string): Promise<void> => void texts.push(text);
  return { io: { stderr: { isTerminal: true, columns: 40, write, ...stderr }, env: {} }, texts };
}

describe('progress', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('contains pages, requests, records and seconds', () => {
    const stats = { requests: 3, followUpPages: 2, records: 75, durationMs: 1234, stopReason: undefined };
    expect(progressLine('listBooks', stats, DEFAULT_LIMITS)).toBe(
      'listBooks: page 3, 3 of 100 requests, 75 of 3200 records, 1.2 of 40 s',
    );
  });

  it('is redrawn, cut to the width, and erased before other output', async () => {
    const { io, texts } = fakeIo({});
    const progress = startProgress(() => 'x'.repeat(50), io);
    vi.advanceTimersByTime(1000);
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.at(-1)).toBe(`\r\u001b[K${'x'.repeat(38)}…`);
    await progress.above(async () => void texts.push('line\n'));
    expect(texts.slice(-2)).toEqual(['\r\u001b[K', 'line\n']);
    await progress.stop();
    const { length } = texts;
    vi.advanceTimersByTime(1000);
    expect(texts).toHaveLength(length);
    expect(texts.at(-1)).toBe('\r\u001b[K');
  });

  it('is omitted without a terminal', async () => {
    const { io, texts } = fakeIo({ isTerminal: false });
    const progress = startProgress(() => 'x', io);
    vi.advanceTimersByTime(1000);
    await progress.above(async () => void texts.push('line\n'));
    await progress.stop();
    expect(texts).toEqual(['line\n']);
  });

  it('does not end a run with a closed standard error', async () => {
    const { io } = fakeIo({
      write: () => Promise.reject(Object.assign(new Error('EPIPE'), { code: 'EPIPE' })),
    });
    const progress = startProgress(() => 'x', io);
    vi.advanceTimersByTime(1000);
    await expect(progress.stop()).resolves.toBeUndefined();
  });
});
