import { describe, expect, it } from 'vitest';
import { FUEL_EXPORT, meterLoops } from '../../src/sandbox/meter-loops.js';

/** `(func (export "spin") (param i32) (result i32) ...)`: counts its parameter down to 0 in a loop; one unused global, an imported clock. */
const SPIN = Uint8Array.from([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00,
  0x01, 0x0a, 0x02, 0x60, 0x01, 0x7f, 0x01, 0x7f, 0x60, 0x00, 0x01, 0x7c,
  0x02, 0x07, 0x01, 0x01, 0x61, 0x01, 0x70, 0x00, 0x01,
  0x03, 0x02, 0x01, 0x00,
  0x06, 0x06, 0x01, 0x7f, 0x01, 0x41, 0x00, 0x0b,
  0x07, 0x08, 0x01, 0x04, 0x73, 0x70, 0x69, 0x6e, 0x00, 0x01,
  0x0a, 0x15, 0x01, 0x13, 0x00,
  0x03, 0x40, 0x20, 0x00, 0x41, 0x01, 0x6b, 0x22, 0x00, 0x41, 0x00, 0x4a, 0x0d, 0x00, 0x0b,
  0x20, 0x00, 0x0b,
]); // biome-ignore format: bytes by section

/** `(func (export "fill") (param i32) ...)` fills so many bytes of 1 MiB, otherwise like SPIN. */
const FILL = Uint8Array.from([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00,
  0x01, 0x09, 0x02, 0x60, 0x01, 0x7f, 0x00, 0x60, 0x00, 0x01, 0x7c,
  0x02, 0x07, 0x01, 0x01, 0x61, 0x01, 0x70, 0x00, 0x01,
  0x03, 0x02, 0x01, 0x00,
  0x05, 0x03, 0x01, 0x00, 0x10,
  0x06, 0x06, 0x01, 0x7f, 0x01, 0x41, 0x00, 0x0b,
  0x07, 0x08, 0x01, 0x04, 0x66, 0x69, 0x6c, 0x6c, 0x00, 0x01,
  0x0a, 0x0d, 0x01, 0x0b, 0x00,
  0x41, 0x00, 0x41, 0x00, 0x20, 0x00, 0xfc, 0x0b, 0x00, 0x0b,
]); // biome-ignore format: bytes by section

interface Spinner {
  readonly spin: (turns: number) => number;
  readonly asked: () => number;
}

/** @param grants fuel given each time the module asks; none left: it is ended */
async function createSpinner(fuel: number, ...grants: number[]): Promise<Spinner> {
  const { exports, asked } = await createMetered(SPIN, fuel, grants);
  return { spin: exports['spin'] as Spinner['spin'], asked };
}

async function createMetered(binary: Uint8Array, fuel: number, grants: number[]) {
  const module = await WebAssembly.compile(meterLoops(binary));
  let asked = 0;
  const clock = (): number => {
    asked++;
    const grant = grants.shift();
    if (grant === undefined) throw new Error('no fuel');
    global.value = grant;
    return 0;
  };
  const { exports } = new WebAssembly.Instance(module, { a: { p: clock } });
  const global = exports[FUEL_EXPORT] as WebAssembly.Global;
  global.value = fuel;
  return { exports, asked: () => asked, left: () => global.value };
}

describe('memory that is filled at once', () => {
  const createFiller = async (fuel: number, ...grants: number[]) => {
    const metered = await createMetered(FILL, fuel, grants);
    return { ...metered, fill: metered.exports['fill'] as (bytes: number) => void };
  };

  it('spends a unit for 64 bytes', async () => {
    const { fill, asked, left } = await createFiller(10);
    fill(63);
    expect(left()).toBe(10);
    fill(640);
    expect([asked(), left()]).toEqual([0, 0]);
  });

  it('asks with less left than that, and ends where nothing is given', async () => {
    const { fill, left } = await createFiller(10);
    expect(() => fill(704)).toThrow('no fuel');
    expect(left()).toBe(0);
  });

  it('is done with what is given, less though it may be, and leaves no more than nothing', async () => {
    const { fill, asked, left } = await createFiller(10, 20, 5);
    fill(704);
    expect([asked(), left()]).toEqual([1, 9]);
    fill(1024 * 1024);
    expect([asked(), left()]).toEqual([2, 0]);
  });
});

describe('a metered loop', () => {
  it.each([9, 10])('of %i turns runs on fuel for 10', async (turns) => {
    const { spin, asked } = await createSpinner(10);
    expect([spin(turns), asked()]).toEqual([0, 0]);
  });

  it('of 11 turns asks, and ends where nothing is given', async () => {
    const { spin } = await createSpinner(10);
    expect(() => spin(11)).toThrow('no fuel');
  });

  it('goes on with what it is given', async () => {
    const { spin, asked } = await createSpinner(10, 5, 5);
    expect([spin(20), asked()]).toEqual([0, 2]);
    expect(() => spin(1)).toThrow('no fuel');
  });

  it('spends over several calls', async () => {
    const { spin } = await createSpinner(10);
    expect([spin(5), spin(5)]).toEqual([0, 0]);
    expect(() => spin(1)).toThrow('no fuel');
  });

  it('of a module without a clock, or with what may be two, is refused', () => {
    const without = SPIN.map((byte) => (byte === 0x7c ? 0x7f : byte));
    expect(() => meterLoops(without)).toThrow(/cannot be metered: it has no import, or several/);
  });

  it('of a module it cannot read is refused', () => {
    expect(() => meterLoops(SPIN.subarray(0, 30))).toThrow(/cannot be metered/);
    const unknown = SPIN.slice();
    unknown[SPIN.length - 3] = 0xfd;
    expect(() => meterLoops(unknown)).toThrow(/cannot be metered: it has instruction 0xfd/);
  });
});
