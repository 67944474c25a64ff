import { describe, expect, it } from 'vitest';
import { requireApp } from '../../src/host/ports.js';
import { assertAny } from '../../src/host/set-up.js';

const MISSING: Error = expect.objectContaining({ code: 'HOST_MISSING' });

describe('HOST_MISSING', () => {
  it('is thrown if there is nothing to serve', () => {
    expect(() => assertAny([])).toThrow(MISSING);
  });

  it('is thrown for any app name that the host does not have', () => {
    for (const name of ['crm', 'toString', '__proto__']) expect(() => requireApp({}, name)).toThrow(MISSING);
  });
});
