import { describe, expect, it } from 'vitest';
import { identifyConnection } from '../../src/component/start-run.js';

const identify = (data: Readonly<Record<string, unknown>>): string => identifyConnection(data);

describe('the identity of a connection', () => {
  it('is that of its data, whichever object holds them, and shows nothing of them', () => {
    const name = identify({ token: 'secret', nested: { list: [1, null] } });
    expect(identify({ token: 'secret', nested: { list: [1, null] } })).toBe(name);
    expect(identify({ token: 'another', nested: { list: [1, null] } })).not.toBe(name);
    expect(name).toMatch(/^[\w-]{43}$/);
  });

  it('is one for all data that have no text', () => {
    const holdsItself: Record<string, unknown> = {};
    holdsItself['self'] = holdsItself;
    expect(identify(holdsItself)).toBe('other');
  });
});
