import fc from 'fast-check';

const TEXTS = [
  ...['', 'a', '10', '-1', '1e400', ' 2 ', '2024-03-05', '2024-02-30T25:61:00Z', 'x,y', 'true', 'null'],
  ...['{{', '}}', '{{a}}', '{{body}}', '{{1/0}}', '{{nope()}}', "{{'", '{{temp.x}}', '{{...}}', '[]', '{}'],
  ...['/(a+)+$/g', 'YYYY-MM-DD', 'Europe/Prague', 'asc', '<b>a</b>', '%E2%82', '\u0000', '\ud800', '🦊'],
  ...['https://api.example.test/', 'http://127.0.0.1/', '//x', '/y', 'file:///etc', 'rpc://list', 'GET'],
];

/** Names that programs trip over, and those that data of these tests has. */
const NAMES = [
  ...['a', 'b', 'id', 'items', 'next', 'name', '1', '-1', '', 'a b', 'a.b'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'length', 'then', 'toJSON'],
];

const NUMBERS = [0, -0, 1, 2, -1, 1.5, 1e21, -1e-7, 2 ** 31, 2 ** 53, Number.MAX_VALUE];

/** Small JSON of all shapes, with texts, names and numbers that code might misinterpret. */
export const jsonValues: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false),
    fc.constantFrom(...NUMBERS).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.constantFrom(...TEXTS),
    fc.string({ maxLength: 8 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(fc.constantFrom(...NAMES), tie('value')), { maxLength: 4 }).map(objectOf),
  ),
})).value;

/** Objects of any members, `__proto__` as one of their own. */
export const jsonObjects: fc.Arbitrary<Record<string, unknown>> = fc
  .array(fc.tuple(fc.constantFrom(...NAMES), jsonValues), { maxLength: 5 })
  .map(objectOf);

function objectOf(members: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return JSON.parse(
    `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`,
  );
}
