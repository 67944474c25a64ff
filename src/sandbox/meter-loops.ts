import {
  type ByteReader,
  BytesWriter,
  readByte,
  readUnsigned,
  unsignedBytes,
  unsupported,
} from './wasm-bytes.js';

/**
 * Pages of the memory a metered module is given at first: what QuickJS, its stack and the prelude take, and some more. The build of the
 * package asks for 256, all of which are read whenever an image is taken: the system has to give each of them first.
 */
export const INITIAL_PAGES = 96;

/** Name under which a metered module exports its budget, a mutable i32. */
export const FUEL_EXPORT = 'fuel';

/**
 * Rewrites a WebAssembly binary so that every turn of every loop spends one unit of an exported counter, as do each 64 bytes
 * that are copied or filled at once, and calls the imported clock when nothing is left: whoever gives the import fills the counter up again, or throws. QuickJS
 * asks its interrupt handler between byte codes and inside regular expressions, but not inside native loops
 * (`indexOf` of a long needle, array methods on `{ length: 2 ** 53 }`) nor for the size of what a byte code copies
 * (`fill` of 20 MB, a pattern of 100,000 alternatives), which would outlive any time limit.
 *
 * @throws EngineError `USAGE` if the binary holds an instruction this reader does not know, or no import that can be
 * told to be the clock.
 */
export function meterLoops(binary: Uint8Array): Uint8Array<ArrayBuffer> {
  const input: ByteReader = { bytes: binary, at: 8 };
  const sections: Section[] = [];
  while (input.at < binary.length) {
    const id = readByte(input);
    const size = readUnsigned(input);
    sections.push({ id, body: binary.subarray(input.at, input.at + size) });
    input.at += size;
  }
  const fuel = countGlobals(sections);
  const meter: Meter = { fuel, size: fuel + 1, clock: findClock(sections) };
  const output = new BytesWriter(binary.length * 1.2);
  output.copy(binary, 0, 8);
  for (const { id, body } of sections) {
    const rewritten = rewriteSection(id, body, meter);
    output.byte(id);
    output.unsigned(rewritten.length);
    output.copy(rewritten, 0, rewritten.length);
  }
  return output.take();
}

interface Section {
  readonly id: number;
  readonly body: Uint8Array;
}

/** What the checks need: the index of the global they spend from, of one to keep a size in, and of the function they call. */
interface Meter {
  readonly fuel: number;
  readonly size: number;
  readonly clock: number;
}

const TYPE_SECTION = 1;
const IMPORT_SECTION = 2;
const GLOBAL_SECTION = 6;
const EXPORT_SECTION = 7;
const CODE_SECTION = 10;

/** i32, mutable, initial value 0x7fffffff; see the binary format, globals. */
const FUEL_GLOBAL = [0x7f, 0x01, 0x41, 0xff, 0xff, 0xff, 0xff, 0x07, 0x0b];

/** i32, mutable, initial value 0. */
const SIZE_GLOBAL = [0x7f, 0x01, 0x41, 0x00, 0x0b];

function rewriteSection(id: number, body: Uint8Array, meter: Meter): Uint8Array {
  if (id === GLOBAL_SECTION) return appendEntry(appendEntry(body, FUEL_GLOBAL), SIZE_GLOBAL);
  if (id === EXPORT_SECTION) {
    const name = new TextEncoder().encode(FUEL_EXPORT);
    return appendEntry(body, [name.length, ...name, 0x03, ...unsignedBytes(meter.fuel)]);
  }
  if (id === IMPORT_SECTION) return rewriteImports(body);
  return id === CODE_SECTION ? rewriteCode(body, meter) : body;
}

function appendEntry(body: Uint8Array, entry: readonly number[]): Uint8Array {
  const input: ByteReader = { bytes: body, at: 0 };
  const count = readUnsigned(input);
  return Uint8Array.from([...unsignedBytes(count + 1), ...body.subarray(input.at), ...entry]);
}

/** Index of the first global behind those the module has; a module that imports globals is not ours. */
function countGlobals(sections: readonly Section[]): number {
  if (readImports(sections).hasGlobal) throw unsupported('an imported global');
  const globals = sections.find((section) => section.id === GLOBAL_SECTION);
  if (!globals || !sections.some((section) => section.id === EXPORT_SECTION)) throw unsupported('no globals');
  return readUnsigned({ bytes: globals.body, at: 0 });
}

/** Index of the imported clock: names of imports are minified, but only the clock takes nothing and gives a f64. */
function findClock(sections: readonly Section[]): number {
  const clockTypes = findClockTypes(sections);
  const { functionTypes } = readImports(sections);
  const clock = functionTypes.findIndex((type) => clockTypes.has(type));
  const another = functionTypes.findLastIndex((type) => clockTypes.has(type));
  if (clock === -1 || clock !== another) throw unsupported('no import, or several, that may be the clock');
  return clock;
}

const FUNCTION_TYPE = 0x60;
const F64 = 0x7c;

/** Indexes of the types `() -> f64`. */
function findClockTypes(sections: readonly Section[]): ReadonlySet<number> {
  const found = new Set<number>();
  const types = sections.find((section) => section.id === TYPE_SECTION);
  if (!types) return found;
  const input: ByteReader = { bytes: types.body, at: 0 };
  const count = readUnsigned(input);
  for (let index = 0; index < count; index++) {
    if (readByte(input) !== FUNCTION_TYPE) throw unsupported('a type that is no function');
    const parameters = readTypes(input);
    const results = readTypes(input);
    if (parameters.length === 0 && results.length === 1 && results[0] === F64) found.add(index);
  }
  return found;
}

function readTypes(input: ByteReader): number[] {
  return Array.from({ length: readUnsigned(input) }, () => readByte(input));
}

/** The imports with a smaller memory, where one is among them: see `INITIAL_PAGES`. */
function rewriteImports(body: Uint8Array): Uint8Array {
  const input: ByteReader = { bytes: body, at: 0 };
  for (let left = readUnsigned(input); left > 0; left--) {
    skipName(input);
    skipName(input);
    const kind = readByte(input);
    if (kind !== MEMORY) {
      skipImport(input, kind);
      continue;
    }
    readUnsigned(input);
    const from = input.at;
    readUnsigned(input);
    return Uint8Array.from([
      ...body.subarray(0, from),
      ...unsignedBytes(INITIAL_PAGES),
      ...body.subarray(input.at),
    ]);
  }
  return body;
}

interface Imports {
  /** Index of the type of each imported function, in their order. */
  readonly functionTypes: readonly number[];
  readonly hasGlobal: boolean;
}

function readImports(sections: readonly Section[]): Imports {
  const functionTypes: number[] = [];
  const imports = sections.find((section) => section.id === IMPORT_SECTION);
  if (!imports) return { functionTypes, hasGlobal: false };
  const input: ByteReader = { bytes: imports.body, at: 0 };
  for (let left = readUnsigned(input); left > 0; left--) {
    skipName(input);
    skipName(input);
    const kind = readByte(input);
    if (kind === GLOBAL) return { functionTypes, hasGlobal: true };
    if (kind === FUNCTION) functionTypes.push(readUnsigned(input));
    else skipImport(input, kind);
  }
  return { functionTypes, hasGlobal: false };
}

/** Kinds of imports. */
const [FUNCTION, TABLE, MEMORY, GLOBAL] = [0x00, 0x01, 0x02, 0x03];

function skipImport(input: ByteReader, kind: number): void {
  if (kind === FUNCTION) return skipNumbers(input, 1);
  if (kind === TABLE) readByte(input);
  const hasMaximum = readUnsigned(input) & 1;
  skipNumbers(input, hasMaximum ? 2 : 1);
}

function rewriteCode(body: Uint8Array, meter: Meter): Uint8Array {
  const input: ByteReader = { bytes: body, at: 0 };
  const output = new BytesWriter(body.length * 1.2);
  const count = readUnsigned(input);
  output.unsigned(count);
  const checks: Checks = { ofLoop: writeLoopCheck(meter), ofBulk: writeBulkCheck(meter) };
  for (let index = 0; index < count; index++) {
    const size = readUnsigned(input);
    const code = rewriteFunction(body.subarray(input.at, input.at + size), checks);
    input.at += size;
    output.unsigned(code.length);
    output.copy(code, 0, code.length);
  }
  return output.take();
}

interface Checks {
  /** For the begin of each turn of a loop. */
  readonly ofLoop: Uint8Array;
  /** For the place in front of an instruction that takes a number of bytes from the stack. */
  readonly ofBulk: Uint8Array;
}

/** `if (fuel == 0) drop(clock()); fuel -= 1` */
function writeLoopCheck({ fuel, clock }: Meter): Uint8Array {
  const index = unsignedBytes(fuel);
  const askAtZero = [0x23, ...index, 0x45, 0x04, 0x40, 0x10, ...unsignedBytes(clock), 0x1a, 0x0b];
  const spendOne = [0x23, ...index, 0x41, 0x01, 0x6b, 0x24, ...index];
  return Uint8Array.from([...askAtZero, ...spendOne]);
}

/** Bytes that are copied for one unit, as a power of two: they take about as long as a turn of a quick loop. */
const BYTES_OF_UNIT = 6;

/**
 * `size = top; if (fuel < units) { fuel = 0; drop(clock()) }; fuel = fuel < units ? 0 : fuel - units; top = size`, as more
 * may be copied at once than is ever granted.
 */
function writeBulkCheck({ fuel, size, clock }: Meter): Uint8Array {
  const [left, kept] = [unsignedBytes(fuel), unsignedBytes(size)];
  const units = [0x23, ...kept, 0x41, BYTES_OF_UNIT, 0x76];
  const isShort = [0x23, ...left, ...units, 0x49];
  const ask = [0x04, 0x40, 0x41, 0x00, 0x24, ...left, 0x10, ...unsignedBytes(clock), 0x1a, 0x0b];
  const spendUnits = [0x41, 0x00, 0x23, ...left, ...units, 0x6b, ...isShort, 0x1b, 0x24, ...left];
  return Uint8Array.from([0x24, ...kept, ...isShort, ...ask, ...spendUnits, 0x23, ...kept]);
}

const LOOP = 0x03;

/** Behind the prefix 0xfc. */
const [MEMORY_COPY, MEMORY_FILL] = [0x0a, 0x0b];

function rewriteFunction(code: Uint8Array, checks: Checks): Uint8Array {
  const input: ByteReader = { bytes: code, at: 0 };
  for (let groups = readUnsigned(input); groups > 0; groups--) {
    readUnsigned(input);
    readByte(input);
  }
  const output = new BytesWriter(code.length + 64);
  let copied = 0;
  while (input.at < code.length) {
    const start = input.at;
    const opcode = readByte(input);
    skipImmediates(input, opcode);
    if (opcode !== LOOP && !isBulk(code, start)) continue;
    const at = opcode === LOOP ? input.at : start;
    const check = opcode === LOOP ? checks.ofLoop : checks.ofBulk;
    output.copy(code, copied, at);
    output.copy(check, 0, check.length);
    copied = at;
  }
  output.copy(code, copied, code.length);
  return output.take();
}

/** Whether an instruction copies or fills memory. Those for data segments and tables move what the binary holds, which is little. */
function isBulk(code: Uint8Array, start: number): boolean {
  const [prefix, kind] = [code[start], code[start + 1]];
  return prefix === 0xfc && (kind === MEMORY_COPY || kind === MEMORY_FILL);
}

/** How many LEB128 numbers follow an opcode below 0x45; those with other immediates are cases of `skipImmediates`. */
const NUMBERS_AFTER: Readonly<Record<number, number>> = {
  0: 0, 1: 0, 5: 0, 11: 0, 15: 0, 26: 0, 27: 0,
  2: 1, 3: 1, 4: 1, 12: 1, 13: 1, 16: 1, 17: 2, 18: 1, 19: 2,
  32: 1, 33: 1, 34: 1, 35: 1, 36: 1, 37: 1, 38: 1,
  63: 1, 64: 1, 65: 1, 66: 1, 208: 1, 209: 0, 210: 1,
}; // biome-ignore format: a table

/** The same for the opcodes behind the prefix 0xfc: saturating conversions, then bulk memory and tables. */
const NUMBERS_AFTER_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];

function skipImmediates(input: ByteReader, opcode: number): void {
  if (opcode >= 0x45 && opcode <= 0xc4) return;
  if (opcode >= 0x28 && opcode <= 0x3e) return skipNumbers(input, 2);
  switch (opcode) {
    case 0x0e:
      return skipNumbers(input, readUnsigned(input) + 1);
    case 0x1c:
      return skipNumbers(input, readUnsigned(input));
    case 0x43:
      input.at += 4;
      return;
    case 0x44:
      input.at += 8;
      return;
    case 0xfc: {
      const numbers = NUMBERS_AFTER_PREFIX[readUnsigned(input)];
      if (numbers === undefined) throw unsupported('an unknown 0xfc instruction');
      return skipNumbers(input, numbers);
    }
    default: {
      const numbers = NUMBERS_AFTER[opcode];
      if (numbers === undefined) throw unsupported(`instruction 0x${opcode.toString(16)}`);
      return skipNumbers(input, numbers);
    }
  }
}

function skipNumbers(input: ByteReader, count: number): void {
  for (let left = count; left > 0; left--) while (readByte(input) & 0x80);
}

function skipName(input: ByteReader): void {
  const length = readUnsigned(input);
  input.at += length;
}
