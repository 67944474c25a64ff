import { describe, expect, it } from 'vitest';
import { createRedactor, type LoggableRequest } from '../../src/engine/redaction/redact.js';
import {
  collectBodyText,
  type RedactionRules,
  redactBodyText,
  redactPatterns,
  redactValue,
} from '../../src/engine/redaction/redact-text.js';
import { joinPaths } from '../../src/engine/redaction/sanitize-paths.js';
import { SecretMatcher } from '../../src/engine/redaction/secrets.js';

const HIDDEN = '[SANITIZED]';
const SECRET = 'kept-of-the-shop';

function request(rest: Partial<LoggableRequest>): LoggableRequest {
  return { method: 'POST', url: 'https://a.test/', headers: [], body: undefined, ...rest };
}

describe('the reason of a redaction', () => {
  /** Rules that record the registered values and the reasons. */
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
  ])('is the name: %s', (_title, body, expected) => {
    const { rules, told } = noting();
    collectBodyText(body, rules);
    expect(told).toContainEqual([expected, 'name']);
    expect(told.every(([, because]) => because === 'name')).toBe(true);
  });

  it('is missing for a truncated value, whose rest is unknown', () => {
    const { rules, told } = noting();
    expect(redactBodyText('{"token":"kept-of-', rules)).toBe(`{"token":"${HIDDEN}`);
    expect(told).toEqual([]);
  });

  it('is the path or the name of a member', () => {
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

  it('is the path of a form pair', () => {
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

describe('a value redacted under a name', () => {
  it.each<[string, LoggableRequest]>([
    ['a header', request({ headers: [['x-api-key', SECRET]] })],
    ['a header after its scheme', request({ headers: [['authorization', `Bearer ${SECRET}`]] })],
    ['a cookie', request({ headers: [['cookie', `a=1; sid=${SECRET}`]] })],
    ['a member', request({ body: { token: SECRET } })],
    ['a query pair', request({ url: `https://a.test/?token=${SECRET}` })],
  ])('is redacted in later texts: %s', (_title, call) => {
    const redactor = createRedactor({ secrets: [] });
    expect(redactor.text(`It is ${SECRET}.`)).toContain(SECRET);
    expect(JSON.stringify(redactor.request(call))).not.toContain(SECRET);
    expect(redactor.text(`It is ${SECRET}.`)).toBe(`It is ${HIDDEN}.`);
  });

  it('is a whole value: a scheme in its middle redacts nothing by itself', () => {
    const redactor = createRedactor({ secrets: [] });
    redactor.request(request({ headers: [['authorization', `of Bearer ${SECRET}`]] }));
    expect(redactor.text(`${SECRET} alone`)).toBe(`${SECRET} alone`);
  });

  it('is not a word of a response, unless a path redacts it', () => {
    const redactor = createRedactor({ secrets: [], sanitize: ['response.body.note'] });
    const body = { token: 'is required here', note: 'two words' };
    redactor.response({ status: 400, headers: {}, body });
    expect(redactor.text('is required here, two words')).toBe(`is required here, ${HIDDEN}`);
  });
});

describe('names of members', () => {
  it('are shown without a secret that was registered after their first use', () => {
    const redactor = createRedactor({ secrets: [] });
    const value = { [`of ${SECRET}`]: 1 };
    expect(redactor.value(value)).toEqual(value);
    redactor.collect([SECRET]);
    expect(redactor.value([value, value])).toEqual([{ [`of ${HIDDEN}`]: 1 }, { [`of ${HIDDEN}`]: 1 }]);
  });

  it.each([1, 999, 1000, 1001])('of %i characters are shown at each use', (length) => {
    const name = 'n'.repeat(length);
    const list = Array.from({ length: 3 }, () => ({ [name]: 1 }));
    expect(createRedactor({ secrets: [SECRET] }).value(list)).toEqual(list);
  });

  it('count at each use', () => {
    const list = Array.from({ length: 20 }, () => ({ abcdefghij: 1 }));
    const shown = createRedactor({ secrets: [], maxShown: 200 }).value(list);
    const whole = JSON.stringify(shown).match(/"abcdefghij"/g)?.length ?? 0;
    expect(whole).toBeGreaterThan(3);
    expect(whole).toBeLessThan(12);
  });
});

describe('repeated headers', () => {
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
  ])('are shown unchanged: %s', (_title, headers) => {
    const expected = headers.map(([name, value]) => [name, value === SECRET ? HIDDEN : value]);
    expect(shown(headers)).toEqual(expected);
    expect(shown(headers.map(([name, value]) => [name, value]))).toEqual(expected);
  });

  it('are checked again after another secret is registered', () => {
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
  const known = new SecretMatcher();
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
  ])('that %s are reported in order and merged', (_title, text, expected) => {
    expect(known.find(text).map(({ start, end }) => [start, end])).toEqual(expected);
    expect(known.find(text).length > 0).toBe(true);
  });
});

it('searches a text for secrets after their markers', () => {
  expect(redactPatterns('Bearer abc.def.ghi and ?token=1234 at https://u:pass@a.test/')).toBe(
    `Bearer ${HIDDEN} and ?token=${HIDDEN} at https://${HIDDEN}@a.test/`,
  );
  expect(redactPatterns('nothing')).toBe('nothing');
});
