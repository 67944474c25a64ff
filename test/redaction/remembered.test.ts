import { describe, expect, it } from 'vitest';
import { finishAtOnce } from '../../src/iml/values/work.js';
import { createKnownSecrets } from '../../src/redaction/known-secrets.js';
import { createRedactor, type LoggableRequest } from '../../src/redaction/redact.js';
import { redactPatterns } from '../../src/redaction/redact-patterns.js';
import { readBodyText } from '../../src/redaction/redact-text.js';
import { findHiddenInTurns, redactValue, type ValueRules } from '../../src/redaction/redact-value.js';
import { joinPaths, NO_PATHS } from '../../src/redaction/sanitize-paths.js';
import { CountedTurns } from '../util/counted-turns.js';

const HIDDEN = '[SANITIZED]';
const SECRET = 'kept-of-the-shop';

function request(rest: Partial<LoggableRequest>): LoggableRequest {
  return { method: 'POST', url: 'https://a.test/', headers: [], body: undefined, ...rest };
}

describe('why something is hidden', () => {
  /** Rules that note what they are told, and why. */
  function noting(paths: readonly (readonly string[])[] = []): {
    rules: ValueRules;
    told: (readonly [unknown, string])[];
  } {
    const told: (readonly [unknown, string])[] = [];
    const rules: ValueRules = {
      paths: joinPaths(paths),
      budget: { left: 10_000, value: 8, encoded: 1 },
      text: (text) => text,
      isSecretNumber: () => false,
      name: (name) => name,
      pieces: (pieces) => pieces,
      beginning: () => 0,
      onHidden: (value, because) => told.push([value, because]),
    };
    return { rules, told };
  }

  const shown = (text: string, rules: ValueRules): string =>
    finishAtOnce(finishAtOnce(readBodyText(text, rules))());

  it.each([
    ['a pair of a form', 'token=kept-of-the-shop&a=1', SECRET],
    ['an attribute of XML', '<a token="kept-of-the-shop">', SECRET],
    ['an attribute of XML in single quotes', "<a token='kept-of-the-shop'>", SECRET],
    ['an element of XML', '<a><token> kept-of-the-shop </token></a>', SECRET],
    ['a member of JSON that is quoted', 'It said {"token": "kept-of-the-shop"} then', SECRET],
  ])('is its name: %s', (_title, body, expected) => {
    const { rules, told } = noting();
    finishAtOnce(readBodyText(body, rules));
    expect(told).toContainEqual([expected, 'name']);
    expect(told.every(([, because]) => because === 'name')).toBe(true);
  });

  it('is not told of a value that is cut off: nobody knows the rest', () => {
    const { rules, told } = noting();
    expect(shown('{"token":"kept-of-', rules)).toBe(`{"token":"${HIDDEN}`);
    expect(told).toEqual([]);
  });

  it('is its path, or its name, for members of values', () => {
    const { rules, told } = noting([['a', 'b']]);
    expect(finishAtOnce(redactValue({ a: { b: SECRET }, token: 'x' }, rules))).toEqual({
      a: { b: HIDDEN },
      token: HIDDEN,
    });
    expect(told).toEqual([
      [SECRET, 'path'],
      ['x', 'name'],
    ]);
  });

  it('is its path, for a pair of a form', () => {
    const { rules, told } = noting([['code']]);
    expect(shown(`code=${SECRET}&b=2`, rules)).toBe(`code=${HIDDEN}&b=2`);
    expect(told).toEqual([[SECRET, 'path']]);
  });

  it('is the path of a whole value', () => {
    const { rules, told } = noting([[]]);
    expect(finishAtOnce(redactValue(SECRET, rules))).toBe(HIDDEN);
    expect(told).toEqual([[SECRET, 'path']]);
  });
});

describe('what was hidden under a name', () => {
  it.each<[string, LoggableRequest]>([
    ['a header', request({ headers: [['x-api-key', SECRET]] })],
    ['a header behind its scheme', request({ headers: [['authorization', `Bearer ${SECRET}`]] })],
    ['a cookie', request({ headers: [['cookie', `a=1; sid=${SECRET}`]] })],
    ['a member', request({ body: { token: SECRET } })],
    ['a pair of the address', request({ url: `https://a.test/?token=${SECRET}` })],
  ])('is hidden in other texts once it was seen: %s', (_title, call) => {
    const redactor = createRedactor({ secrets: [] });
    expect(redactor.text(`It is ${SECRET}.`)).toContain(SECRET);
    expect(JSON.stringify(redactor.request(call))).not.toContain(SECRET);
    expect(redactor.text(`It is ${SECRET}.`)).toBe(`It is ${HIDDEN}.`);
  });

  it('is a whole value: a scheme in the middle of one hides nothing of its own', () => {
    const redactor = createRedactor({ secrets: [] });
    redactor.request(request({ headers: [['authorization', `of Bearer ${SECRET}`]] }));
    expect(redactor.text(`${SECRET} alone`)).toBe(`${SECRET} alone`);
  });

  it('is no word, unless a path hides it', () => {
    const redactor = createRedactor({ secrets: [], sanitize: ['request.body.note'] });
    redactor.request(request({ body: { token: 'is required here', note: 'two words' } }));
    expect(redactor.text('is required here, two words')).toBe(`is required here, ${HIDDEN}`);
  });
});

describe('names of members', () => {
  it('are shown without a secret that became known after they were shown with it', () => {
    const redactor = createRedactor({ secrets: [] });
    const value = { [`of ${SECRET}`]: 1 };
    expect(redactor.value(value)).toEqual(value);
    redactor.learn([SECRET]);
    expect(redactor.value([value, value])).toEqual([{ [`of ${HIDDEN}`]: 1 }, { [`of ${HIDDEN}`]: 1 }]);
  });

  it.each([1, 999, 1000, 1001])('of %i characters are shown as often as they come', (length) => {
    const name = 'n'.repeat(length);
    const list = Array.from({ length: 3 }, () => ({ [name]: 1 }));
    expect(createRedactor({ secrets: [SECRET] }).value(list)).toEqual(list);
  });

  it('count each time they are shown', () => {
    const list = Array.from({ length: 20 }, () => ({ abcdefghij: 1 }));
    const shown = createRedactor({ secrets: [], maxShown: 200 }).value(list);
    const whole = JSON.stringify(shown).match(/"abcdefghij"/g)?.length ?? 0;
    expect(whole).toBeGreaterThan(3);
    expect(whole).toBeLessThan(12);
  });
});

describe('headers that come again', () => {
  const redactor = createRedactor({ secrets: [SECRET] });
  const shown = (headers: LoggableRequest['headers']): LoggableRequest['headers'] =>
    redactor.request(request({ headers })).headers;

  it.each<[string, LoggableRequest['headers']]>([
    ['the same', [['a', '1']]],
    ['another value', [['a', '2']]],
    ['another name', [['b', '2']]],
    [
      'one more',
      [
        ['b', '2'],
        ['c', SECRET],
      ],
    ],
    ['one less', [['b', '2']]],
    ['none', []],
  ])('are shown as they are: %s', (_title, headers) => {
    const expected = headers.map(([name, value]) => [name, value === SECRET ? HIDDEN : value]);
    expect(shown(headers)).toEqual(expected);
    expect(shown(headers.map(([name, value]) => [name, value]))).toEqual(expected);
  });

  it('are looked at again once another secret is known', () => {
    const later = createRedactor({ secrets: [] });
    const call = request({ headers: [['x-note', SECRET]], url: `https://a.test/${SECRET}` });
    expect(later.request(call)).toMatchObject({ headers: [['x-note', SECRET]], url: call.url });
    later.learn([SECRET]);
    expect(later.request(call)).toMatchObject({
      headers: [['x-note', HIDDEN]],
      url: `https://a.test/${HIDDEN}`,
    });
  });
});

describe('secrets that are learned in turns', () => {
  it('are known, and others have their turn after each', async () => {
    const redactor = createRedactor({ secrets: [] });
    const turns = new CountedTurns();
    await redactor.learnInTurns([SECRET, 'another-secret'], turns);
    expect(turns.taken).toBeGreaterThanOrEqual(5);
    expect(redactor.text(`${SECRET} another-secret`)).toBe(`${HIDDEN} ${HIDDEN}`);
  });

  it('are those of a body, however large, which is looked through in turns', async () => {
    const redactor = createRedactor({ secrets: [], sanitize: ['response.body.0.id'] });
    const turns = new CountedTurns();
    const body = [
      { id: 'hidden-by-path' },
      ...Array.from({ length: 5000 }, (_, id) => [id]),
      { token: SECRET },
    ];
    await redactor.learnBody('response', body, turns);
    expect(turns.taken).toBeGreaterThan(3);
    expect(redactor.text(`${SECRET}, hidden-by-path`)).toBe(`${HIDDEN}, ${HIDDEN}`);
    await redactor.learnBody('response', null, turns);
  });

  it('stop nobody where there is time', async () => {
    const told: unknown[] = [];
    const turns = new CountedTurns();
    Object.defineProperty(turns, 'isOver', { value: false });
    const body = Array.from({ length: 5000 }, () => ({ token: SECRET }));
    await findHiddenInTurns(body, { paths: NO_PATHS, onHidden: (value) => told.push(value) }, turns);
    expect([turns.taken, told.length]).toEqual([0, 5000]);
    const known = createKnownSecrets();
    known.add(SECRET);
    await known.settle(turns);
    expect([turns.taken, known.isIn(`a ${SECRET}`)]).toEqual([0, true]);
  });
});

describe('pieces of a text', () => {
  const known = createKnownSecrets();
  for (const secret of ['abcdef-ghijkl', 'mnopqr-stuvwx']) known.add(secret);

  it.each([
    ['none is cut', ['abcdef-ghijkl', ' of '], ['abcdef-ghijkl', ' of ']],
    ['one is cut in two', ['x abcdef-', 'ghijkl y'], [`x ${HIDDEN}`, `${HIDDEN} y`]],
    ['one is cut in three', ['a abc', 'def-ghi', 'jkl b'], [`a ${HIDDEN}`, HIDDEN, `${HIDDEN} b`]],
    ['two are cut', ['abcdef', '-ghijkl mnopqr', '-stuvwx'], [HIDDEN, `${HIDDEN} ${HIDDEN}`, HIDDEN]],
    ['with empty ones between', ['abcdef', '', '-ghijkl', ''], [HIDDEN, '', HIDDEN, '']],
    ['behind a whole one', ['abcdef-ghijkl mnopqr', '-stuvwx'], [`abcdef-ghijkl ${HIDDEN}`, HIDDEN]],
    ['nothing is in them', ['abc', 'ghi'], ['abc', 'ghi']],
  ])('%s', (_title, pieces, expected) => {
    expect(known.cleanPieces(pieces)).toEqual(expected);
  });

  it('are given back as they are where nothing is known', () => {
    expect(createKnownSecrets().cleanPieces(['a', 'b'])).toEqual(['a', 'b']);
  });
});

describe('stretches of a text', () => {
  const known = createKnownSecrets();
  for (const secret of ['abcdef', 'defghi', 'uvwxyz']) known.add(secret);

  it.each([
    ['overlap', 'xabcdefghix', [[1, 10]]],
    ['touch', 'abcdefuvwxyz', [[0, 12]]],
    [
      'lie apart',
      'abcdef-uvwxyz',
      [
        [0, 6],
        [7, 13],
      ],
    ],
    [
      'repeat',
      'abcdefabcdef abcdef',
      [
        [0, 12],
        [13, 19],
      ],
    ],
  ])('that %s are told in order, none touching another', (_title, text, expected) => {
    expect(known.find(text).map(({ start, end }) => [start, end])).toEqual(expected);
    expect(known.isIn(text)).toBe(true);
    expect(known.clean(text, text.length)).not.toMatch(/abcdef|uvwxyz/);
  });

  it('are cut where less is shown', () => {
    expect(known.clean('12345abcdef', 5)).toBe('12345');
    expect(known.clean('12345abcdef', 6)).toBe(`12345${HIDDEN}`);
    expect(known.clean('12345abcdef678', 12)).toBe(`12345${HIDDEN}6`);
  });

  it('are counted by the longest, and by how many there are', () => {
    expect([known.longest(), known.version()]).toEqual([6, 3]);
    known.add('abcdef');
    known.add('short');
    expect([known.longest(), known.version()]).toEqual([6, 3]);
    expect([createKnownSecrets().longest(), createKnownSecrets().isIn('abcdef')]).toEqual([0, false]);
  });
});

it('a text is looked through for what its marks say is secret', () => {
  expect(redactPatterns('Bearer abc.def.ghi and ?token=1234 at https://u:pass@a.test/')).toBe(
    `Bearer ${HIDDEN} and ?token=${HIDDEN} at https://${HIDDEN}@a.test/`,
  );
  expect(redactPatterns('nothing')).toBe('nothing');
});
