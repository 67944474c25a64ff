import { describe, expect, it } from 'vitest';
import { redactCauses } from '../../src/engine/redaction/redact.js';
import { createEngine, defineApp } from '../../src/index.js';

/** Throws on any access. */
function trapped(): object {
  return new Proxy({}, { getPrototypeOf: fail, get: fail, has: fail });
}

function fail(): never {
  throw new TypeError('of the host');
}

describe('a proxy whose traps throw', () => {
  it('that a transport rejects with is reported as a value that is not an error', async () => {
    const app = defineApp({
      name: 'x',
      base: { baseUrl: 'https://a.test' },
      modules: { m: { type: 'action', communication: { url: '/x', response: { output: 1 } } } },
    });
    const { module } = createEngine({ app, http: { transport: () => Promise.reject(trapped()) } });
    await expect(module('m').run()).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('that was thrown first is skipped when causes are redacted', () => {
    const outer = new Error('holds k-1', { cause: trapped() });
    redactCauses(outer, (text) => text.replaceAll('k-1', '***'));
    expect(outer.message).toBe('holds ***');
  });
});
