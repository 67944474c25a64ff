import { expect } from 'vitest';
import { findCanaries } from '../connection/canary.js';
import { ALL_SECRETS } from './secret-service.js';

/** Whole secrets in any writing, and pieces of those that were cut. */
export function expectNoSecret(text: string): void {
  expect(findCanaries(text, ALL_SECRETS)).toEqual([]);
  const piece = /.{0,60}canary-.{0,40}/s.exec(text)?.[0];
  expect(piece).toBeUndefined();
}
