import { expect } from 'vitest';
import { findCanaries } from '../connection/canary.js';
import { ALL_SECRETS } from './secret-service.js';

/** Whole secrets in any encoding, and parts of truncated ones. */
export function expectNoSecret(text: string): void {
  expect(findCanaries(text, ALL_SECRETS)).toEqual([]);
  const at = text.indexOf('canary-');
  expect(at === -1 ? undefined : text.slice(Math.max(0, at - 60), at + 40)).toBeUndefined();
}
