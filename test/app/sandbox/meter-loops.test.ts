import { describe, expect, it } from 'vitest';
import { FUEL_EXPORT, meterLoops } from '../../../src/sandbox/meter-loops.js';

/** `(func (export "spin") (param i32) (result i32) ...)`: counts its parameter down to 0 in a loop; one unused global. */
const SPIN = Uint8Array.from([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00,
  0x01, 0x06, 0x01, 0x60, 0x01, 0x7f, 0x01, 0x7f,
  0x03, 0x02, 0x01, 0x00,
  0x06, 0x06, 0x01, 0x7f, 0x01, 0x41, 0x00, 0x0b,
  0x07, 0x08, 0x01, 0x04, 0x73, 0x70, 0x69, 0x6e, 0x00, 0x00,
  0x0a, 0x15, 0x01, 0x13, 0x00,
  0x03, 0x40, 0x20, 0x00, 0x41, 0x01, 0x6b, 0x22, 0x00, 0x41, 0x00, 0x4a, 0x0d, 0x00, 0x0b,
  0x20, 0x00, 0x0b,
]); // biome-ignore format: bytes by section

async function spinner(fuel: number): Promise<(turns: number) => number> {
  const module = await WebAssembly.compile(meterLoops(SPIN));
  const { exports } = new WebAssembly.Instance(module, {});
  (exports[FUEL_EXPORT] as WebAssembly.Global).value = fuel;
  return exports['spin'] as (turns: number) => number;
}

describe('a metered loop', () => {
  it.each([9, 10])('of %i turns runs on fuel for 10', async (turns) => {
    expect((await spinner(10))(turns)).toBe(0);
  });

  it('of 11 turns traps', async () => {
    const spin = await spinner(10);
    expect(() => spin(11)).toThrow(/unreachable/);
  });

  it('spends over several calls', async () => {
    const spin = await spinner(10);
    expect([spin(5), spin(5)]).toEqual([0, 0]);
    expect(() => spin(1)).toThrow(/unreachable/);
  });

  it('of a module it cannot read is refused', () => {
    expect(() => meterLoops(SPIN.subarray(0, 30))).toThrow(/cannot be metered/);
    const unknown = SPIN.slice();
    unknown[SPIN.length - 3] = 0xfd;
    expect(() => meterLoops(unknown)).toThrow(/cannot be metered: it has instruction 0xfd/);
  });
});
