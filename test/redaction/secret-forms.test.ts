import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/engine/redaction/redact.js';
import { joinPaths, NO_PATHS, readSanitize } from '../../src/engine/redaction/sanitize-paths.js';
import { SecretMatcher } from '../../src/engine/redaction/secrets.js';
import { cpuMsOf } from '../cpu-time.js';

/**
 * Secrets with characters that encodings treat differently: letters, URL delimiters, JSON, XML, shells, letters
 * beyond ASCII.
 */
const SECRETS: readonly string[] = [
  'plainword1',
  'sk_live_51Hx-ABC.def~',
  `p/ä+ "q"\\n=&?x`,
  '<a href="%41">&amp;\'',
  'back\\slash\\u0041',
  'ключ-от-двери',
  'emoji 🔑 pair',
  'a+b c+d e',
  '%2F%252F literal',
  'ab+cd/ef==',
  'new\nline\tand tab',
  'six-6!',
  "xyz!*()'w",
  'Ä&xyz;¼ñä',
  'Tr0ub4dor&3<x>',
  `${'long enough for lines of base64, ~?>'.repeat(3)}.`,
];

type Form = (secret: string) => string;

const base64: Form = (secret) => Buffer.from(secret).toString('base64');
const base64url: Form = (secret) => Buffer.from(secret).toString('base64url');
const hex: Form = (secret) => Buffer.from(secret).toString('hex');
const json: Form = (secret) => JSON.stringify(secret).slice(1, -1);
const unit = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
const lowerPercent = (text: string): string => text.replace(/%../g, (digits) => digits.toLowerCase());
const strictly: Form = (secret) =>
  encodeURIComponent(secret).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
const form: Form = (secret) => new URLSearchParams({ a: secret }).toString().slice(2);
const html: Form = (secret) =>
  secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const attribute: Form = (secret) => html(secret).replaceAll('"', '&quot;');

/** Each form that docs/security.md lists. */
const FORMS: Readonly<Record<string, Form>> = {
  raw: (secret) => secret,
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': (secret) => lowerPercent(encodeURIComponent(secret)),
  'percent-encoded by RFC 3986': strictly,
  'percent-encoded by RFC 3986 in lower case': (secret) => lowerPercent(strictly(secret)),
  'percent-encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'percent-encoded as a form': form,
  'percent-encoded as a form in lower case': (secret) => lowerPercent(form(secret)),
  'percent-encoded as a whole address': encodeURI,
  'JSON-escaped': json,
  'JSON-escaped with slashes': (secret) => json(secret).replaceAll('/', '\\/'),
  'JSON-escaped in ASCII': (secret) => json(secret).replace(/[\x7f-\uffff]/g, unit),
  'JSON-escaped in ASCII with slashes': (secret) =>
    json(secret)
      .replace(/[\x7f-\uffff]/g, unit)
      .replaceAll('/', '\\/'),
  'JSON-escaped as Go does': (secret) => json(secret).replace(/[<>&]/g, unit),
  'HTML-escaped as text': html,
  'HTML-escaped as an attribute': attribute,
  'HTML-escaped with &#39;': (secret) => attribute(secret).replaceAll("'", '&#39;'),
  'HTML-escaped by MarkupSafe': (secret) => html(secret).replaceAll('"', '&#34;').replaceAll("'", '&#39;'),
  'HTML-escaped by html/template of Go': (secret) =>
    html(secret).replaceAll('"', '&#34;').replaceAll("'", '&#39;').replaceAll('+', '&#43;'),
  'HTML-escaped with &#x22;': (secret) => html(secret).replaceAll('"', '&#x22;').replaceAll("'", '&#x27;'),
  'HTML-escaped with &#x27;': (secret) => attribute(secret).replaceAll("'", '&#x27;'),
  'HTML-escaped with &apos;': (secret) => attribute(secret).replaceAll("'", '&apos;'),
  'in hex': hex,
  'in hex in upper case': (secret) => hex(secret).toUpperCase(),
  'in base64': base64,
  'in base64, percent-encoded': (secret) => encodeURIComponent(base64(secret)),
  'in base64url': base64url,
  'in base64 after a name': (secret) => base64(`user:${secret}`),
  'in base64 after one byte': (secret) => base64(`x${secret}`),
  'in base64 between others': (secret) => base64(`{"a":1,"token":"${secret}","b":2}`),
  'in base64url between others': (secret) => base64url(`xy${secret}z`),
};

const CASES = Object.entries(FORMS).flatMap(([name, write]) =>
  SECRETS.map((secret): [string, string, string] => [name, secret, write(secret)]),
);

describe('a secret', () => {
  it.each(CASES)('%s is redacted: %j', (_name, secret, written) => {
    const redactor = createRedactor({ secrets: [secret] });
    const shown = redactor.text(`one\n<${written}>\ntwo`);
    expect(redactor.holdsSecret(written)).toBe(true);
    expect(shown).toContain('[SANITIZED]');
    expect(shown.length).toBeLessThan('one\n<[SANITIZED]>\ntwo'.length + 60);
    expect(shown).toMatch(/^one\n<[\s\S]*>\ntwo$/);
    expect(createRedactor({ secrets: [secret] }).text(shown)).toBe(shown);
  });

  it.each([
    ['base64', base64],
    ['base64, percent-encoded', (secret: string) => encodeURIComponent(base64(secret))],
    ['base64url', base64url],
  ])('in %s leaves no digit and no padding, regardless of its length', (_name, write) => {
    for (let length = 6; length < 40; length++) {
      const secret = Array.from({ length }, (_, at) =>
        String.fromCharCode(0x30 + ((at * 7 + length) % 74)),
      ).join('');
      expect(createRedactor({ secrets: [secret] }).text(`<${write(secret)}>`)).toBe('<[SANITIZED]>');
    }
  });

  it('is not found in texts without it', () => {
    const redactor = createRedactor({ secrets: SECRETS });
    const texts = [
      ...['2024-01-01T10:00:00.000Z', 'c2VjcmV0IG5vdCB0aGlz', 'deadbeefdeadbeefdeadbeef', '%20%2B%22'],
      ...['&lt;a&gt; &amp; &quot;', '{"a":"\\u0041\\n"}', 'plain word 1', 'the quick brown fox'],
    ];
    expect(texts.filter((text) => redactor.holdsSecret(text))).toEqual([]);
    expect(texts.map(redactor.text)).toEqual(texts);
  });

  it('is found by the next search after registration', () => {
    const redactor = createRedactor({ secrets: ['first-secret'] });
    const text = 'third-secret . first-secret . second-secret . tail';
    redactor.text(text);
    redactor.collect(['second-secret-that-is-longer', 'second-secret']);
    redactor.text(text);
    redactor.collect(['third-secret']);
    expect(redactor.text(text)).toBe('[SANITIZED] . [SANITIZED] . [SANITIZED] . tail');
  });

  it('that crosses the end of the shown part of a long text is redacted as a whole', () => {
    const redactor = createRedactor({ secrets: ['a-secret-of-some-length'] });
    const shown = redactor.text(`${'.'.repeat(256 * 1024 - 8)}a-secret-of-some-length${'.'.repeat(100)}`);
    expect(shown.slice(-40)).toBe(`${'.'.repeat(17)}[SANITIZED]… [left out]`);
  });
});

describe('a matcher', () => {
  it('finds the same ranges as a search for each secret', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 6, maxLength: 9 });
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 30 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 200 }),
        (secrets, text) => {
          const matcher = new SecretMatcher();
          const expected = new Set<number>();
          for (const [index, secret] of secrets.entries()) {
            matcher.add(secret);
            if (index % 7 === 0) matcher.find(text);
            for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + 1)) {
              for (let at = start; at < start + secret.length; at++) expected.add(at);
            }
          }
          const found = new Set<number>();
          for (const { start, end } of matcher.find(text)) {
            for (let at = start; at < end; at++) found.add(at);
          }
          expect(found).toEqual(expected);
        },
      ),
    );
  });

  it('holds 5000 secrets with 512 Ki characters in total', () => {
    const many = new SecretMatcher();
    for (let index = 0; index < 5000; index++) expect(many.add(`secret-number-${index}`)).toBe(true);
    expect([many.isComplete(), many.add('one-more-secret'), many.isComplete()]).toEqual([true, false, false]);
    const long = new SecretMatcher();
    for (let index = 0; index < 8; index++) expect(long.add(`${index}`.repeat(64 * 1024))).toBe(true);
    expect([long.isComplete(), long.add('one-more-secret'), long.isComplete()]).toEqual([true, false, false]);
    expect(long.add('short')).toBe(false);
  });

  it('takes time in proportion to the text, even if all secrets have the same prefix', {
    retry: 3,
  }, async () => {
    const matcher = new SecretMatcher();
    for (let index = 0; index < 2000; index++) matcher.add(`eyJhbGciOi.${index}`.padEnd(40, '-'));
    const measure = (size: number): Promise<number> =>
      cpuMsOf(() => void matcher.find('eyJhbGciOi.'.repeat(size / 11)));
    await measure(50_000);
    const small = await measure(100_000);
    expect(await measure(800_000)).toBeLessThan(24 * small + 100);
  });
});

describe('a long secret', () => {
  it.each([
    ['a text that repeats it', 'x'.repeat(60_000), 'x'.repeat(200_000)],
    ['a text that differs only at its end', `${'x'.repeat(60_000)}y`, 'x'.repeat(200_000)],
    ['a key among others', `${'k'.repeat(300)}one`, `${'k'.repeat(300)}two, ${'k'.repeat(300)}one`],
  ])(
    'is redacted in %s, in time in proportion to the text',
    (_title, secret, text) => {
      const redactor = createRedactor({ secrets: [secret] });
      expect(redactor.text(`a ${text} b`)).not.toContain(text.slice(0, 300));
      expect(redactor.text(`a ${secret} b`)).toBe('a [SANITIZED] b');
    },
    2000,
  );
});

/** An error response with `count` members named `token`, each with a different text. */
function failure(count: number): string {
  const members = Array.from({ length: count }, (_, index) => ({ token: `tok-${index}-${'x'.repeat(90)}` }));
  return JSON.stringify({ error: 'no', members });
}

describe('redacting a response', () => {
  const headers = { 'content-type': 'application/json' };
  const redact = (body: string): Promise<number> =>
    cpuMsOf(() => {
      const redactor = createRedactor({ secrets: ['connection-secret'] });
      redactor.response({ status: 400, headers, body: Buffer.from(body) });
      redactor.text('The service said tok-1');
    });

  it('takes time in proportion to the secrets in it', { retry: 3 }, async () => {
    await redact(failure(100));
    const small = await redact(failure(400));
    expect(small).toBeLessThan(1000);
    expect(await redact(failure(1600))).toBeLessThan(12 * small + 100);
  });

  it.each<[string, (size: number) => string]>([
    ['words that may be XML names', (size) => `<${'a'.repeat(size)}`],
    ['attributes without names', (size) => `<${'=""'.repeat(size / 3)}`],
    ['short elements', (size) => '<a>b</a>'.repeat(size / 8)],
    ['elements with references', (size) => `<r>${'<a>&lt;</a>'.repeat(size / 11)}`],
    ['unclosed comments', (size) => '<!--'.repeat(size / 4)],
    ['CDATA that does not end', (size) => '<![CDATA['.repeat(size / 9)],
    ['queries', (size) => `see ${'?a=b;c '.repeat(size / 7)}`],
    ['question marks', (size) => `see ${'?&='.repeat(size / 3)}`],
    ['pairs separated by semicolons', (size) => 'a=b;'.repeat(size / 4)],
    ['one long pair', (size) => 'a'.repeat(size)],
    ['white space', (size) => ' '.repeat(size)],
    ['unclosed elements', (size) => `<${'<a b>c'.repeat(size / 6)}`],
    ['numbers', (size) => JSON.stringify(Array.from({ length: size / 2 }, () => 1))],
    ['escapes', (size) => '%41\\u0041&#65;'.repeat(size / 14)],
  ])('takes time in proportion to its size: %s', { retry: 3 }, async (_name, body) => {
    const measure = (size: number): Promise<number> => redact(body(size));
    await measure(50_000);
    const small = await measure(100_000);
    expect(await measure(800_000)).toBeLessThan(24 * small + 150);
  });

  it('shows a limited part, and collects the secrets of the rest', () => {
    const redactor = createRedactor({ secrets: [] });
    const items = Array.from({ length: 30_000 }, (_, index) => ({ id: index, text: 'x'.repeat(40) }));
    const body = { items, last: { token: 'behind-the-bound-1234' } };
    const shown = JSON.stringify(redactor.response({ status: 400, headers, body }).body);
    expect(shown.length).toBeLessThan(3 * 1024 * 1024);
    expect(shown).toContain('[left out]');
    expect(redactor.text('behind-the-bound-1234')).toBe('[SANITIZED]');
  });
});

const HIDDEN = '[SANITIZED]';
const redactorOf = (...secrets: readonly string[]) => createRedactor({ secrets });

describe('a secret number', () => {
  it('is redacted in any position of a value, but not inside of other numbers', () => {
    const { value } = redactorOf('77889900', 'another secret');
    expect(value({ x: 77889900, list: [1, 77889900, [{ y: -77889900 }]], z: 77889900n })).toEqual({
      x: HIDDEN,
      list: [1, HIDDEN, [{ y: HIDDEN }]],
      z: HIDDEN,
    });
    const others = [7788990, 778899001, 77889900.5, 0, Number.NaN];
    expect(value(others)).toEqual(others);
  });

  it('is redacted in a body, parsed or as text', () => {
    const { request, response } = redactorOf('77889900');
    const headers = { 'content-type': 'application/json' };
    const body = '{"id":77889900,"n":1}';
    const shown = { id: HIDDEN, n: 1 };
    expect(response({ status: 200, headers, body: JSON.parse(body) }).body).toEqual(shown);
    expect(response({ status: 200, headers, body: Buffer.from(body) }).body).toBe(JSON.stringify(shown));
    const sent = request({ method: 'POST', url: 'https://a.test/', headers: [], body });
    expect(sent.body).toBe(JSON.stringify(shown));
  });

  it.each([
    ['with leading zeros', '0077889900', 77889900],
    ['with trailing zeros', '77889900.50', 77889900.5],
    ['below zero', '-778899', -778899],
    ['between blanks', ' 778899\n', 778899],
    ['with more digits than a number holds', '12345678901234567890123', 1.2345678901234568e22],
  ])('is detected in any notation: %s', (_, secret, number) => {
    expect(redactorOf(secret).value({ number })).toEqual({ number: HIDDEN });
  });

  it.each([
    ['with few digits', '000042', 42],
    ['of five digits', '012345', 12345],
    ['in hex', '0x12d687', 0x12d687],
    ['with a letter', '12345678a', 12345678],
  ])('is not a text that only resembles a number: %s', (_, secret, number) => {
    expect(redactorOf(secret).value({ number })).toEqual({ number });
  });

  it('is registered together with its secret', () => {
    const redactor = redactorOf();
    expect(redactor.value([123456])).toEqual([123456]);
    redactor.collect(['123456']);
    expect(redactor.value([123456, 123457])).toEqual([HIDDEN, 123457]);
  });

  it('is registered separately for a redactor with more secrets', () => {
    const base = redactorOf('123456');
    const more = base.fork();
    more.collect(['654321']);
    expect(more.value([123456, 654321, 7])).toEqual([HIDDEN, HIDDEN, 7]);
    expect(base.value([123456, 654321])).toEqual([HIDDEN, 654321]);
  });
});

describe('paths of log.sanitize', () => {
  it('are merged by prefix', () => {
    const { isEnd, below } = joinPaths([['a', 'b'], ['a', 'c'], ['d']]);
    expect(isEnd).toBe(false);
    expect([...below.keys()]).toEqual(['a', 'd']);
    expect([...(below.get('a')?.below.keys() ?? [])]).toEqual(['b', 'c']);
    expect(below.get('d')?.isEnd).toBe(true);
    expect(joinPaths([])).toEqual(NO_PATHS);
    expect(joinPaths([[]]).isEnd).toBe(true);
  });

  it('redact all named values, also if one path extends another', () => {
    const sanitize = [
      'response.body.a',
      'response.body.a.b',
      'response.body.list[].x.y',
      'response.body.c.d',
    ];
    const redactor = createRedactor({ secrets: [], sanitize });
    const body = { a: { b: 1 }, c: { d: 2, e: 3 }, list: [{ x: { y: 4, z: 5 } }, { x: 6 }], b: 7 };
    expect(redactor.response({ status: 200, headers: {}, body }).body).toEqual({
      a: '[SANITIZED]',
      c: { d: '[SANITIZED]', e: 3 },
      list: [{ x: { y: '[SANITIZED]', z: 5 } }, { x: 6 }],
      b: 7,
    });
  });

  it('deeper than the shown levels are ignored', () => {
    const path = (steps: number): string => `response.body${'.a'.repeat(steps)}`;
    expect(readSanitize([path(100), path(101)]).response.body.map(({ length }) => length)).toEqual([100]);
  });
});
