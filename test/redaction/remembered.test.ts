import { describe, expect, it } from 'vitest';
import { createRedactor, type LoggableRequest } from '../../src/redaction/redact.js';
import { collectBodyText, redactBodyText, redactPatterns } from '../../src/redaction/redact-text.js';
import { type RedactionRules, redactValue } from '../../src/redaction/redact-value.js';
import { joinPaths } from '../../src/redaction/sanitize-paths.js';
import { createSecretMatcher } from '../../src/redaction/secret-matcher.js';

const HIDDEN = '[SANITIZED]';
const SECRET = 'kept-of-the-shop';

function request(rest: Partial<LoggableRequest>): LoggableRequest {
  return { method: 'POST', url: 'https://a.test/', headers: [], body: undefined, ...rest };
}

describe('why something is hidden', () => {
  /** Rules that note what they are told, and why. */
  function noting(paths: readonly (readonly string[])[] = []): {
    rules: RedactionRules;
    told: (readonly [unknown, string])[];
  } {
    const told: (readonly [unknown, string])[] = [];
    const rules: RedactionRules = {
      paths: joinPaths(paths),
      budget: { left: 10_000 },
      text: (text) => text,
      isSecretNumber: () => false,
      onHidden: (value, because) => told.push([value, because]),
    };
    return { rules, told };
  }

  it.each([
    ['a pair of a form', 'token=kept-of-the-shop&a=1', SECRET],
    ['an attribute of XML', '<a token="kept-of-the-shop">', SECRET],
    ['an attribute of XML in single quotes', "<a token='kept-of-the-shop'>", SECRET],
    ['an element of XML', '<a><token> kept-of-the-shop </token></a>', SECRET],
    ['a member of JSON that is quoted', 'It said {"token": "kept-of-the-shop"} then', SECRET],
  ])('is its name: %s', (_title, body, expected) => {
    const { rules, told } = noting();
    collectBodyText(body, rules);
    expect(told).toContainEqual([expected, 'name']);
    expect(told.every(([, because]) => because === 'name')).toBe(true);
  });

  it('is not told of a value that is cut off: nobody knows the rest', () => {
    const { rules, told } = noting();
    expect(redactBodyText('{"token":"kept-of-', rules)).toBe(`{"token":"${HIDDEN}`);
    expect(told).toEqual([]);
  });

  it('is its path, or its name, for members of values', () => {
    const { rules, told } = noting([['a', 'b']]);
    expect(redactValue({ a: { b: SECRET }, token: 'x' }, rules)).toEqual({
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
    expect(redactBodyText(`code=${SECRET}&b=2`, rules)).toBe(`code=${HIDDEN}&b=2`);
    expect(told).toEqual([[SECRET, 'path']]);
  });

  it('is the path of a whole value', () => {
    const { rules, told } = noting([[]]);
    expect(redactValue(SECRET, rules)).toBe(HIDDEN);
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
    redactor.collect([SECRET]);
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
    later.collect([SECRET]);
    expect(later.request(call)).toMatchObject({
      headers: [['x-note', HIDDEN]],
      url: `https://a.test/${HIDDEN}`,
    });
  });
});

describe('ranges of a text', () => {
  const known = createSecretMatcher();
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
  });
});

it('a text is looked through for what its marks say is secret', () => {
  expect(redactPatterns('Bearer abc.def.ghi and ?token=1234 at https://u:pass@a.test/')).toBe(
    `Bearer ${HIDDEN} and ?token=${HIDDEN} at https://${HIDDEN}@a.test/`,
  );
  expect(redactPatterns('nothing')).toBe('nothing');
});
