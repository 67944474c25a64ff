import { describe, expect, it } from 'vitest';
import { identifyConnection } from '../../src/component/start-run.js';

const identify = (data: Readonly<Record<string, unknown>>): string => identifyConnection(data);

describe('identifyConnection', () => {
  it('returns the same id for equal data without revealing the data', () => {
    const name = identify({ token: 'secret', nested: { list: [1, null] } });
    expect(identify({ token: 'secret', nested: { list: [1, null] } })).toBe(name);
    expect(identify({ token: 'another', nested: { list: [1, null] } })).not.toBe(name);
    expect(name).toMatch(/^[\w-]{43}$/);
  });

  it('returns one id for all data that JSON cannot represent', () => {
    const holdsItself: Record<string, unknown> = {};
    holdsItself['self'] = holdsItself;
    expect(identify(holdsItself)).toBe('other');
  });
});
