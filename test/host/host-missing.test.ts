import { describe, expect, it } from 'vitest';
import { requireApp } from '../../src/host/hooks/require-app.js';
import { assertAny } from '../../src/host/set-up.js';

const MISSING: Error = expect.objectContaining({ code: 'HOST_MISSING' });

describe('HOST_MISSING', () => {
  it('is thrown where there is nothing to listen to', () => {
    expect(() => assertAny([])).toThrow(MISSING);
  });

  it('is thrown for an app the host was not given, whatever its name', () => {
    for (const name of ['crm', 'toString', '__proto__']) expect(() => requireApp({}, name)).toThrow(MISSING);
  });
});
