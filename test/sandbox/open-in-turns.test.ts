import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/util/turns.js';
import { CountedTurns } from '../util/counted-turns.js';
import { callIn, failureOf, openSandbox } from './open-sandbox.js';

const small = (name: string): string => `function ${name}() { return 1 }`;

function smallFiles(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, small(`f${index}`)]));
}

/** Never over, and counts who begins one all the same. */
class BegunTurns extends Turns {
  begun = 0;

  constructor() {
    super(() => {
      this.begun++;
    });
  }

  override get isOver(): boolean {
    return false;
  }
}

async function countTurns(codes: Readonly<Record<string, string>>): Promise<number> {
  const turns = new CountedTurns();
  using _sandbox = await openSandbox(codes, { turns });
  return turns.taken;
}

async function countBegun(codes: Readonly<Record<string, string>>): Promise<number> {
  const turns = new BegunTurns();
  using _sandbox = await openSandbox(codes, { turns });
  return turns.begun;
}

describe('others have their turn while a sandbox is opened', () => {
  it('between any two files, and between the two times each is compiled', async () => {
    const difference = (await countTurns(smallFiles(31))) - (await countTurns(smallFiles(1)));
    expect(difference).toBeGreaterThanOrEqual(60);
  });

  it('between its pages, as they are kept', async () => {
    // A memory of 96 pages is kept twice.
    expect(await countTurns(smallFiles(1))).toBeGreaterThan(192);
  });

  it('before each step that takes the host long in a fresh process, however little it has done', async () => {
    expect(await countBegun(smallFiles(1))).toBe(6);
  });

  it.each([
    [8192, 0],
    [8193, 2],
  ])('before a file of %i characters: %i times', async (length, more) => {
    const files = { f: small('f').padEnd(length) };
    expect((await countBegun(files)) - (await countBegun(smallFiles(1)))).toBe(more);
  });
});

describe('the length of code that is compiled', () => {
  const most = 65_536;

  it.each([most - 1, most])('%i characters are', async (length) => {
    using own = await openSandbox({ f: small('f').padEnd(length) });
    expect(callIn(own, 'f')).toBe(1);
  });

  it('one more is refused, of this function alone', async () => {
    using own = await openSandbox({
      f: small('f').padEnd(most + 1),
      g: small('g'),
      h: 'function h() { return iml.f() }',
    });
    const refusal =
      "Custom function 'f' has 65537 characters of code; more than 65536 are not compiled (functions/f/code.js)";
    expect(own.warnings).toEqual([
      { code: 'code-too-long', message: refusal, place: { file: 'functions/f/code.js' } },
    ]);
    expect(failureOf(own, 'f')).toEqual({ code: 'IML_FUNCTION', message: refusal });
    expect(failureOf(own, 'h').message).toContain(refusal);
    expect(callIn(own, 'g')).toBe(1);
  });
});

it('code that is not compiled is told of, whatever length an embedder allows', async () => {
  const limits = { maxCodeLength: 100_000 };
  using own = await openSandbox({ f: small('f').padEnd(65_537), g: small('g').padEnd(65_536) }, { limits });
  expect(own.warnings.map(({ place }) => place.file)).toEqual(['functions/f/code.js']);
});

/** A clock that goes on by 150 ms with each of the first looks at it. */
function createSlowClock(looks: number) {
  const clock = { looks: 0, now: () => 150 * Math.min(looks, clock.looks++) };
  return clock;
}

describe('the time a file may take to be compiled', () => {
  // QuickJS compares each private name with all before it.
  const fields = Array.from({ length: 4000 }, (_, number) => `#a${number};`).join('');
  const codes = {
    before: small('before'),
    slow: `class A { ${fields} }\nfunction slow() { return 2 }`,
    behind: small('behind'),
  };

  it('is that of a call; others of the app are there', async () => {
    using own = await openSandbox(codes, { clock: createSlowClock(Number.POSITIVE_INFINITY) });
    const message =
      "Custom function 'slow' does not compile: it takes longer than 0.4 s (functions/slow/code.js)";
    expect(own.warnings.filter(({ code }) => code === 'syntax')).toEqual([
      { code: 'syntax', message, place: { file: 'functions/slow/code.js' } },
    ]);
    expect(failureOf(own, 'slow')).toEqual({ code: 'IML_FUNCTION', message });
    expect([callIn(own, 'before'), callIn(own, 'behind')]).toEqual([1, 1]);
  });

  it('is given once more, as the machine may have been busy', async () => {
    using own = await openSandbox(codes, { clock: createSlowClock(8) });
    expect(own.warnings.filter(({ code }) => code === 'syntax')).toEqual([]);
    expect(callIn(own, 'slow')).toBe(2);
  });
});

it('files the compiler fails on leave those between them', async () => {
  const deep = (name: string): string =>
    `function ${name}() { return ${'('.repeat(3e4)}1${')'.repeat(3e4)} }`;
  const codes = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name, index) => [name, index % 2 === 0 ? small(name) : deep(name)]),
  );
  using own = await openSandbox(codes);
  expect(own.warnings.filter(({ code }) => code === 'syntax').map(({ place }) => place.file)).toEqual(
    ['b', 'd', 'f'].map((name) => `functions/${name}/code.js`),
  );
  expect(['a', 'c', 'e'].map((name) => callIn(own, name))).toEqual([1, 1, 1]);
  expect(failureOf(own, 'd').message).toContain("'d' does not compile");
});
