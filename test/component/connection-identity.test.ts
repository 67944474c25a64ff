import { describe, expect, it } from 'vitest';
import { identifyConnection } from '../../src/component/connection-identity.js';

/** The identity of some data, and how often others could have a turn meanwhile. */
function identify(data: Readonly<Record<string, unknown>>): {
  readonly name: string;
  readonly stops: number;
} {
  const parts = identifyConnection(data);
  for (let stops = 0; ; stops++) {
    const step = parts.next();
    if (step.done === true) return { name: step.value, stops };
  }
}

describe('the identity of a connection', () => {
  it('is that of its data, whichever object holds them, and shows nothing of them', () => {
    const { name } = identify({ token: 'secret', nested: { list: [1, null] } });
    expect(identify({ token: 'secret', nested: { list: [1, null] } }).name).toBe(name);
    expect(identify({ token: 'another', nested: { list: [1, null] } }).name).not.toBe(name);
    expect(name).toMatch(/^[\w-]{43}$/);
  });

  it('is made a part at a time of a long text, and of many values', () => {
    expect(identify({ text: 'x'.repeat(20_000_000) }).stops).toBeGreaterThan(100);
    const many = Array.from({ length: 100_000 }, (_, id) => ({ id }));
    expect(identify({ many }).stops).toBeGreaterThan(100);
    expect(identify({ text: `${'x'.repeat(20_000_000)}y` }).name).not.toBe(
      identify({ text: `${'x'.repeat(20_000_000)}z` }).name,
    );
  });

  it('is one for all data that have no text', () => {
    const holdsItself: Record<string, unknown> = {};
    holdsItself['self'] = holdsItself;
    expect(identify(holdsItself).name).toBe('other');
  });
});
