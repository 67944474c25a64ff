import { describe, expect, it } from 'vitest';
import { resolveBounds } from '../../src/errors/check-options.js';
import { resolveHostLimits } from '../../src/host/host-limits.js';
import { resolveLimits } from '../../src/run/limits/limits.js';
import { resolveWebhookLimits } from '../../src/webhook/payload/webhook-limits.js';

const DEFAULTS: { readonly maxItems: number; readonly maxBytes: number } = Object.freeze({
  maxItems: 10,
  maxBytes: 20,
});

describe('resolveBounds', () => {
  it('merges limits into the defaults and ignores undefined', () => {
    expect(resolveBounds(DEFAULTS, { maxItems: 0 })).toEqual({ maxItems: 0, maxBytes: 20 });
    const absent = { maxItems: undefined } as unknown as Partial<typeof DEFAULTS>;
    expect(resolveBounds(DEFAULTS, absent)).toEqual(DEFAULTS);
  });

  it.each([-1, 1.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY, '5'])('rejects %s', (value) => {
    const given = { maxItems: value } as Partial<typeof DEFAULTS>;
    expect(() => resolveBounds(DEFAULTS, given)).toThrow(
      'The limit "maxItems" has to be a whole number of at least 0.',
    );
  });

  it('allows Infinity and a minimum if the rule does', () => {
    const rule = { least: 1, infinity: true };
    expect(resolveBounds(DEFAULTS, { maxItems: Number.POSITIVE_INFINITY }, rule).maxItems).toBe(Infinity);
    expect(() => resolveBounds(DEFAULTS, { maxItems: 0 }, rule)).toThrow('at least 1, or Infinity');
  });

  it.each([
    ['run', resolveLimits, 'maxPage', 'maxPages'],
    ['host', resolveHostLimits, 'leaseMS', 'leaseMs'],
    ['webhook', resolveWebhookLimits, 'maxItem', 'maxItems'],
  ])('suggests the nearest limit of a %s for an unknown name', (_stage, resolve, name, meant) => {
    expect(() => resolve({ [name]: 1 })).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(meant) }),
    );
  });
});
